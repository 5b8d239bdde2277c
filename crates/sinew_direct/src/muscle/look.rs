//! What a muscle looks like: its fields, and how far tissue is asked to contract (red) or expand (light blue) right now.

use super::{LEAST_SPEED_PER_SEC, Muscle};
use sinew_math::DVec3;
use sinew_math::libm::log;
use sinew_solve::{Look, Now, Shown};

impl Muscle {
    /// The fields, or what is asked for at the end of an interval; none for layers that were not painted.
    pub(super) fn shown(&self, look: Look, now: &Now) -> Option<Shown> {
        let fields = &self.fields;
        let directions = |axis: usize| fields.frames.iter().map(|frame| frame.col(axis)).collect::<Vec<DVec3>>();
        Some(match look {
            Look::Contraction => Shown::Numbers(self.log_stretch(now)),
            Look::Excitation => {
                let limit = self.charts.rate_limit;
                let keys = self.charts.primary.keys().iter().map(|key| log(key.value.clamp(1.0 / limit, limit)).abs());
                let most = keys.fold(f64::MIN_POSITIVE, f64::max);
                Shown::Numbers(self.log_stretch(now).iter().map(|stretch| (stretch.abs() / most).min(1.0)).collect())
            }
            Look::Layer => Shown::Numbers(fields.layer.clone()?),
            Look::Amplitude => Shown::Numbers(fields.amplitude.clone()),
            Look::Phase => Shown::Numbers(fields.phase_shift.clone()),
            Look::Primary => Shown::Directions(directions(0)),
            Look::Secondary => Shown::Directions(directions(1)),
            Look::Tertiary => Shown::Directions(directions(2)),
        })
    }

    /// ln c′ of the primary chart at every point: what Eq. 1 asks of tissue along its fibres.
    fn log_stretch(&self, now: &Now) -> Vec<f64> {
        let Some((rate, _)) = self.pulls.first() else { return Vec::new() };
        let first_frame = now.end_frame - now.end_secs() * now.frames_per_sec;
        let cycles_at = |secs: f64| self.charts.beat.cycles(secs, first_frame, now.frames_per_sec);
        let gain = self.gain.value(now.end_frame);
        let delay = self.speed_per_sec.as_ref().map(|speed| 1.0 / speed.value(now.end_frame).max(LEAST_SPEED_PER_SEC));
        let fields = self.fields.amplitude.iter().zip(&self.fields.phase_shift);
        let stretch = |(amplitude, shift): (&f64, &f64)| {
            let secs = now.end_secs() - delay.map_or(0.0, |delay| shift * delay);
            (gain * amplitude).clamp(-1.0, 1.0) * rate.at(cycles_at(secs))
        };
        fields.map(stretch).collect()
    }
}
