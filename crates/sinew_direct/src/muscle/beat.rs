//! How far the cycle has come: the phase of charts whose period may change over time.
//!
//! With a constant period `T` the phase is `t/T`. With a period over frames it is `∫ dt/T(t)`, so that a heart that beats
//! faster never jumps; the integral is tabulated once (three-point Gauss per piece of at most a frame) and continued
//! outside of the keys as the curve itself is. A point that acts later looks up an earlier time, so what has been sent
//! along the body keeps its rhythm on the way.

use sinew_math::{Number, Outside};

/// Shorter periods are taken as this one: a curve may overshoot between keys that are fine themselves.
const LEAST_PERIOD_SECS: f64 = 1e-3;
/// Beyond this many pieces they grow longer than a frame.
const MOST_PIECES: f64 = 65_536.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    period_secs: Number,
    /// Frames where pieces meet (keys always do), and the integral of 1/period over frames up to there.
    table: Vec<(f64, f64)>,
}

impl Beat {
    pub fn new(period_secs: Number) -> Self {
        let mut beat = Self { period_secs, table: Vec::new() };
        let breaks = beat.breaks();
        let mut sum = 0.0;
        for (i, &at) in breaks.iter().enumerate() {
            if i > 0 {
                sum += beat.gauss(breaks[i - 1], at);
            }
            beat.table.push((at, sum));
        }
        beat
    }

    /// Cycles from the first frame (time 0) to `secs`, which may lie before it.
    pub fn cycles(&self, secs: f64, first_frame: f64, frames_per_sec: f64) -> f64 {
        match &self.period_secs {
            Number::Constant(period) => secs / period.max(LEAST_PERIOD_SECS),
            Number::Curve(_) => {
                let (from, to) = (first_frame, first_frame + secs * frames_per_sec);
                (self.integral(to) - self.integral(from)) / frames_per_sec
            }
        }
    }

    fn breaks(&self) -> Vec<f64> {
        let Number::Curve(curve) = &self.period_secs else { return Vec::new() };
        let mut ends: Vec<f64> = curve.keys().iter().map(|key| key.at).collect();
        if let Outside::Cycle { period } = curve.outside() {
            ends.extend([0.0, period]);
            ends.sort_by(f64::total_cmp);
            ends.dedup();
        }
        let longest = ((ends[ends.len() - 1] - ends[0]) / MOST_PIECES).max(1.0);
        let mut breaks = vec![ends[0]];
        for pair in ends.windows(2) {
            let pieces = ((pair[1] - pair[0]) / longest).ceil().max(1.0);
            breaks.extend((1..=pieces as usize).map(|i| pair[0] + (pair[1] - pair[0]) * (i as f64 / pieces)));
        }
        breaks
    }

    fn rate(&self, frame: f64) -> f64 {
        1.0 / self.period_secs.value(frame).max(LEAST_PERIOD_SECS)
    }

    /// ∫ 1/period over frames from an origin that is the same for all calls.
    fn integral(&self, frame: f64) -> f64 {
        let Number::Curve(curve) = &self.period_secs else { return 0.0 };
        let ((first, _), (last, total)) = (self.table[0], self.table[self.table.len() - 1]);
        match curve.outside() {
            Outside::Cycle { period } => {
                let turns = (frame / period).floor();
                turns * total + self.within(frame - turns * period)
            }
            Outside::Hold | Outside::Zero if frame <= first => (frame - first) * self.rate(first),
            Outside::Hold | Outside::Zero if frame >= last => total + (frame - last) * self.rate(last),
            Outside::Hold | Outside::Zero => self.within(frame),
        }
    }

    fn within(&self, frame: f64) -> f64 {
        let right = self.table.partition_point(|(at, _)| *at <= frame);
        let (at, sum) = self.table[right.max(1) - 1];
        sum + self.gauss(at, frame)
    }

    fn gauss(&self, from: f64, to: f64) -> f64 {
        const ARM: f64 = 0.774_596_669_241_483_4;
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        half * (5.0 * self.rate(middle - ARM * half) + 8.0 * self.rate(middle) + 5.0 * self.rate(middle + ARM * half))
            / 9.0
    }
}

impl From<f64> for Beat {
    fn from(period_secs: f64) -> Self {
        Self::new(Number::Constant(period_secs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{Curve, Interpolation, Key};

    const FPS: f64 = 24.0;

    fn curve(points: &[(f64, f64)], to_next: Interpolation, outside: Outside) -> Beat {
        let keys = points.iter().map(|&(at, value)| Key { at, value, to_next }).collect();
        Beat::new(Number::Curve(Curve::new(keys, outside).unwrap()))
    }

    #[test]
    fn a_curve_of_one_value_is_a_constant_period() {
        for outside in [Outside::Hold, Outside::Cycle { period: 48.0 }] {
            let beat = curve(&[(1.0, 1.6), (25.0, 1.6)], Interpolation::Linear, outside);
            for secs in [-3.0, 0.0, 0.4, 1.0, 7.3] {
                assert!((beat.cycles(secs, 1.0, FPS) - secs / 1.6).abs() < 1e-12, "{outside:?} at {secs}");
            }
        }
    }

    /// Known answer: for a period that falls on a line from a to b over n frames, n ln(a/b) / (fps (a − b)) cycles.
    #[test]
    fn a_period_on_a_line_gives_the_logarithm() {
        let beat = curve(&[(1.0, 2.0), (97.0, 0.5)], Interpolation::Linear, Outside::Hold);
        let expected = 96.0 * 4f64.ln() / (FPS * 1.5);
        assert!((beat.cycles(96.0 / FPS, 1.0, FPS) - expected).abs() < 1e-9);
        // Beyond the last key it goes on with the last period.
        assert!((beat.cycles(96.0 / FPS + 1.0, 1.0, FPS) - expected - 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_phase_never_jumps_and_its_rate_is_one_over_the_period() {
        let shapes = [Interpolation::Smooth, Interpolation::Step, Interpolation::Linear];
        for (to_next, outside) in
            shapes.into_iter().zip([Outside::Hold, Outside::Cycle { period: 40.0 }, Outside::Hold])
        {
            let beat = curve(&[(3.0, 1.0), (11.5, 0.4), (30.0, 2.0)], to_next, outside);
            let phase = |secs: f64| beat.cycles(secs, 1.0, FPS);
            for i in 1..400 {
                // Off the keys, where a step has no derivative.
                let (secs, d) = (f64::from(i) * 0.0117 - 1.0, 1e-5);
                let rate = (phase(secs + d) - phase(secs - d)) / (2.0 * d);
                let frame = 1.0 + secs * FPS;
                assert!((rate - beat.rate(frame)).abs() < 1e-3, "{to_next:?} at frame {frame}: {rate}");
            }
        }
    }
}
