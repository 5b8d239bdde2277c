//! What a muscle looks like: its fields, and how far tissue is asked to contract (red) or expand (light blue) right now.

use super::{LEAST_SPEED_PER_SEC, Muscle};
use sinew_math::DVec3;
use sinew_math::libm::log;
use sinew_solve::{DirectorState, FieldQuery, FieldValues, Now};

impl Muscle {
    /// The fields, or what is asked for at the end of an interval; none for layers that were not painted.
    pub(super) fn field_values(&self, query: FieldQuery, now: &Now, memory: &DirectorState) -> Option<FieldValues> {
        let fields = &self.fields;
        let directions = |axis: usize| fields.frames.iter().map(|frame| frame.col(axis)).collect::<Vec<DVec3>>();
        Some(match query {
            FieldQuery::Contraction => FieldValues::Numbers(self.log_stretch(now, memory)),
            FieldQuery::Excitation => {
                let limit = self.charts.rate_limit;
                let keys = self.charts.primary.keys().iter().map(|key| log(key.value.clamp(1.0 / limit, limit)).abs());
                let most = keys.fold(f64::MIN_POSITIVE, f64::max);
                FieldValues::Numbers(
                    self.log_stretch(now, memory).iter().map(|stretch| (stretch.abs() / most).min(1.0)).collect(),
                )
            }
            FieldQuery::Layer => FieldValues::Numbers(fields.layer.clone()?),
            FieldQuery::Amplitude => FieldValues::Numbers(fields.amplitude.clone()),
            FieldQuery::Phase => FieldValues::Numbers(fields.phase_shift.clone()),
            FieldQuery::Primary => FieldValues::Directions(directions(0)),
            FieldQuery::Secondary => FieldValues::Directions(directions(1)),
            FieldQuery::Tertiary => FieldValues::Directions(directions(2)),
            FieldQuery::Stiffness | FieldQuery::Damping | FieldQuery::Density | FieldQuery::Poisson => return None,
        })
    }

    /// ln c′ of the primary chart at every point: what Eq. 1 asks of tissue along its fibres.
    fn log_stretch(&self, now: &Now, memory: &DirectorState) -> Vec<f64> {
        let Some((rate, _)) = self.pulls.first() else { return Vec::new() };
        let first_frame = now.end_frame - now.end_secs() * now.frames_per_sec;
        let cycles_at = |secs: f64| self.charts.beat.cycles(secs, first_frame, now.frames_per_sec);
        let delay_secs =
            self.speed_per_sec.as_ref().map_or(0.0, |speed| 1.0 / speed.value(now.end_frame).max(LEAST_SPEED_PER_SEC));
        let cycles_before = |shift: f64| cycles_at(now.end_secs() - shift * delay_secs);
        let sweeps = self.responder.as_ref().map(|responder| responder.under_way(now, memory, cycles_at));
        let gain = self.gain.value(now.end_frame);
        let stretch = |(point, amplitude): (usize, &f64)| {
            let log_rate: f64 = match &sweeps {
                None => rate.at(self.ahead + cycles_before(self.fields.phase_shift[point])),
                Some(sweeps) => sweeps.iter().map(|sweep| sweep.log_rate(rate, point, cycles_before)).sum(),
            };
            (gain * amplitude).clamp(-1.0, 1.0) * log_rate.clamp(-rate.limit, rate.limit)
        };
        self.fields.amplitude.iter().enumerate().map(stretch).collect()
    }
}
