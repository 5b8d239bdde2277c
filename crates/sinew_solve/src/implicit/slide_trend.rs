//! Where the slide of a contact leads, from one iterate of Newton's method to the next.
//!
//! Against a bound of friction's potential a slide comes near its speed geometrically: with load a and friction f it is away from a − f by the factor f/a less in each iteration, which is
//! nearly one for what barely slides. Three speeds tell the limit (Aitken's Δ²).

use sinew_math::DVec3;

/// How often in a row a limit must have been beyond sticking.
const OFTEN: u32 = 2;

/// The least cosine between slides that count as the same.
const ALONG: f64 = 0.9;

/// The last slide of a contact and how it changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SlideTrend {
    slide: DVec3,
    change: f64,
    /// For how many iterates it has led to a slide.
    leading: u32,
}

impl SlideTrend {
    /// Takes note of a slide, m/s; whether slides have been nearing one that is faster than `stick_speed`.
    pub(super) fn leads_to_sliding(&mut self, slide: DVec3, stick_speed: f64) -> bool {
        let [was, now] = [self.slide, slide].map(DVec3::length);
        let is_steady = was.min(now) > stick_speed && slide.dot(self.slide) >= ALONG * was * now;
        let change = if is_steady { now - was } else { 0.0 };
        let ratio = change / self.change;
        let leads = is_steady
            && match ratio {
                // Slower and slower.
                0.0..1.0 => now + change * ratio / (1.0 - ratio) > stick_speed,
                // By no less than before, or for the first time.
                1.0.. => change > 0.0,
                _ => false,
            };
        let leading = if leads { self.leading + 1 } else { 0 };
        *self = Self { slide, change, leading };
        leading >= OFTEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is foreseen that speeds from `first` towards `limit`, by `ratio` each time, lead to a slide faster than 1.
    fn is_foreseen(first: f64, limit: f64, ratio: f64) -> bool {
        let mut trend = SlideTrend::default();
        (0..6).any(|k| trend.leads_to_sliding(DVec3::X * (limit + (first - limit) * f64::powi(ratio, k)), 1.0))
    }

    #[test]
    fn slides_towards_a_limit_beyond_sticking_are_foreseen_and_those_that_stop_are_not() {
        assert!(is_foreseen(2.0, 5.0, 0.9), "faster and faster");
        assert!(is_foreseen(5.0, 2.0, 0.9), "slower, to twice what sticks");
        assert!(is_foreseen(2.0, 1.5, 1.2), "away from a speed");
        assert!(!is_foreseen(5.0, 0.5, 0.9), "slower, to what sticks");
        assert!(!is_foreseen(5.0, 4.0, -0.5), "to and fro");
        assert!(!is_foreseen(0.1, 0.9, 0.5), "it sticks");
    }

    #[test]
    fn a_slide_that_turns_begins_anew() {
        let mut trend = SlideTrend::default();
        let slides = [DVec3::X * 2.0, DVec3::X * 3.0, DVec3::Z * 3.5, DVec3::Z * 3.8];
        assert!(!slides.into_iter().any(|slide| trend.leads_to_sliding(slide, 1.0)));
        assert!(trend.leads_to_sliding(DVec3::Z * 4.0, 1.0));
    }
}
