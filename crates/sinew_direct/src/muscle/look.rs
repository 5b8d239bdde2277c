//! What a muscle looks like: its fields, and how far tissue is asked to contract (red) or expand (light blue) right now.

use super::{LEAST_SPEED_PER_SEC, Muscle};
use sinew_math::DVec3;
use sinew_math::libm::log;
use sinew_solve::{Look, Note, Now, Shown};

impl Muscle {
    /// The fields, or what is asked for at the end of an interval; none for layers that were not painted.
    pub(super) fn shown(&self, look: Look, now: &Now, note: &Note) -> Option<Shown> {
        let fields = &self.fields;
        let directions = |axis: usize| fields.frames.iter().map(|frame| frame.col(axis)).collect::<Vec<DVec3>>();
        Some(match look {
            Look::Contraction => Shown::Numbers(self.log_stretch(now, note)),
            Look::Excitation => {
                let limit = self.charts.rate_limit;
                let keys = self.charts.primary.keys().iter().map(|key| log(key.value.clamp(1.0 / limit, limit)).abs());
                let most = keys.fold(f64::MIN_POSITIVE, f64::max);
                Shown::Numbers(
                    self.log_stretch(now, note).iter().map(|stretch| (stretch.abs() / most).min(1.0)).collect(),
                )
            }
            Look::Layer => Shown::Numbers(fields.layer.clone()?),
            Look::Amplitude => Shown::Numbers(fields.amplitude.clone()),
            Look::Phase => Shown::Numbers(fields.phase_shift.clone()),
            Look::Primary => Shown::Directions(directions(0)),
            Look::Secondary => Shown::Directions(directions(1)),
            Look::Tertiary => Shown::Directions(directions(2)),
            Look::Stiffness | Look::Damping | Look::Density | Look::Poisson => return None,
        })
    }

    /// ln c′ of the primary chart at every point: what Eq. 1 asks of tissue along its fibres.
    fn log_stretch(&self, now: &Now, note: &Note) -> Vec<f64> {
        let Some((rate, _)) = self.pulls.first() else { return Vec::new() };
        let first_frame = now.end_frame - now.end_secs() * now.frames_per_sec;
        let cycles_at = |secs: f64| self.charts.beat.cycles(secs, first_frame, now.frames_per_sec);
        let delay_secs =
            self.speed_per_sec.as_ref().map_or(0.0, |speed| 1.0 / speed.value(now.end_frame).max(LEAST_SPEED_PER_SEC));
        let cycles_before = |shift: f64| cycles_at(now.end_secs() - shift * delay_secs);
        let sweeps = self.responder.as_ref().map(|responder| responder.under_way(now, note, cycles_at));
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
