//! Positions as 16-bit steps: a sixth of an exact state, within a bound that the user states.
//!
//! A coordinate d about the body's origin is stored as the integer nearest to d / step. The step is at most twice the
//! bound, and smaller where the body is: what fits into 16 bits is used.

/// Largest stored integer.
const LARGEST: f64 = 32767.0;
/// Half a step is the rounding to integers; the rest of the bound pays for rounding the product to f32 (at most
/// 32767 · 2⁻²⁴ of a step) and the subtraction of the origin in f64.
const SHARE_OF_BOUND: f64 = 0.99;

/// The step for coordinates up to `extent_m` such that none is off by more than `bound_m`; none if 16 bits cannot hold
/// that, and the body is then stored as f32.
pub(super) fn step_for(extent_m: f64, bound_m: f64) -> Option<f64> {
    let coarsest = 2.0 * bound_m * SHARE_OF_BOUND;
    let finest = extent_m / LARGEST;
    if finest > coarsest {
        return None;
    }
    // Zero marks f32, so a body that is a single point still needs a step.
    Some(if finest > 0.0 { finest } else { coarsest })
}

pub(super) fn to_steps(coordinate_m: f64, step_m: f64) -> i16 {
    (coordinate_m / step_m).round().clamp(-LARGEST, LARGEST) as i16
}

pub(super) fn from_steps(steps: i16, step_m: f64) -> f32 {
    (f64::from(steps) * step_m) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_coordinate_is_further_off_than_the_bound() {
        for bound in [1e-9, 1e-6, 1e-3, 0.5] {
            // From a body as large as 16 bits can hold under this bound down to one the size of the bound.
            for extent in [LARGEST * 2.0 * bound * 0.9899, 1000.0 * bound, bound] {
                let step = step_for(extent, bound).unwrap();
                for i in -5000..=5000 {
                    let d = extent * f64::from(i) / 5000.0;
                    let off = (f64::from(from_steps(to_steps(d, step), step)) - d).abs();
                    assert!(off <= bound, "bound {bound} extent {extent} off {off}");
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_and_a_point_has_a_step() {
        assert_eq!(step_for(LARGEST * 2.0, 1.0), None);
        assert!(step_for(0.0, 1e-3).unwrap() > 0.0);
    }
}
