//! How long, stiff and damped springs are asked to be: the cues of one interval as they reach a network.
//!
//! A spring's rest length is `|T' (o_j − o_i)|`, o the asked rest positions and T the stretch, `ln T` the mean of both ends. Over a
//! key shape T turns with the flesh, T' = R_o T R_oᵀ, and a length does not feel the outer turn: `|T R_oᵀ (o_j − o_i)|`. R_o at a
//! point is the rotation that best carries its springs from x0 to o; a spring takes the mean of its ends'.
//!
//! A spring is as stiff as the flesh that it stands for. Stretched by s, it keeps the energy k L² of a strain of 1, which asks for k / s²; and since T crowds springs into the
//! directions that it stretches (by s³ per solid angle, s² per angle in a sheet), each of them counts that much less, so that flesh stays as stiff in every direction: k / s⁵, in sheets k / s⁴. A muscle that
//! is drawn together is shorter and thicker, and gives way less. With k as it was, it gave way more, by up to four times.

use super::{Network, Spring};
use crate::wobble::damping_factor;
use crate::{Cells, Cues, Flesh};
use rayon::prelude::*;
use sinew_math::rotation::{nearest_rotation, outer};
use sinew_math::{DMat3, DQuat, DVec3};

/// Springs per parallel piece.
pub(super) const PIECE: usize = 512;

/// A spring over one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RestSpring {
    pub length_m: f64,
    /// N/m.
    pub k: f64,
    /// N s/m.
    pub c: f64,
}

/// Fills `out` with the springs as asked at the interval's end.
pub(super) fn find_rest_springs(flesh: &Flesh, network: &Network, cues: &Cues, out: &mut Vec<RestSpring>) {
    let turns = if cues.rest_offset.is_empty() || cues.log_stretch.is_empty() {
        Vec::new()
    } else {
        turns(flesh, network, cues)
    };
    let is_sheet = matches!(flesh.cells, Cells::Shell(_));
    out.resize(network.springs.len(), RestSpring::default());
    out.par_iter_mut().zip(&network.springs).with_min_len(PIECE).for_each(|(asked, spring)| {
        let [a, b] = spring.ends.map(|v| v as usize);
        let stiffness = match cues.stiffness.get(a).zip(cues.stiffness.get(b)) {
            Some((a, b)) => 0.5 * (a + b),
            None => 1.0,
        };
        let damping = 0.5 * (damping_factor(cues, a) + damping_factor(cues, b));
        let along = cues.rest(flesh, b) - cues.rest(flesh, a);
        let length_m = stretched(spring, cues, &turns, along).length();
        let stiffness = stiffness * stiffening(along.length(), length_m, is_sheet);
        *asked = RestSpring {
            length_m,
            k: spring.stiffness_n_per_m * stiffness,
            c: spring.damping_n_s_per_m * stiffness * damping,
        };
    });
}

/// How much stiffer a spring is that is asked to be `length_m` long instead of `rest_m`: 1 / s⁵, in a sheet 1 / s⁴.
fn stiffening(rest_m: f64, length_m: f64, is_sheet: bool) -> f64 {
    /// Beyond these stretches constants stay as they are: by then springs are a thousandth or a thousand times as stiff.
    const FOLLOWED: [f64; 2] = [0.25, 4.0];
    if rest_m <= 0.0 {
        return 1.0;
    }
    let stretch = (length_m / rest_m).clamp(FOLLOWED[0], FOLLOWED[1]);
    let square = stretch * stretch;
    1.0 / (square * square * if is_sheet { 1.0 } else { stretch })
}

/// The asked rest shape of a spring, `along` before it is stretched, but for a turn.
fn stretched(spring: &Spring, cues: &Cues, turns: &[DQuat], along: DVec3) -> DVec3 {
    let [a, b] = spring.ends.map(|v| v as usize);
    let (Some(ln_a), Some(ln_b)) = (cues.log_stretch.get(a), cues.log_stretch.get(b)) else { return along };
    let along = match turns.get(a).zip(turns.get(b)) {
        Some((&a, &b)) => (a + if a.dot(b) < 0.0 { -b } else { b }).normalize().inverse() * along,
        None => along,
    };
    ((*ln_a + *ln_b) * 0.5).exp() * along
}

/// R_o at every point.
fn turns(flesh: &Flesh, network: &Network, cues: &Cues) -> Vec<DQuat> {
    let mut carried = vec![DMat3::ZERO; flesh.point_count()];
    for spring in &network.springs {
        let [a, b] = spring.ends.map(|v| v as usize);
        let from = flesh.rest[b] - flesh.rest[a];
        let weight = 1.0 / from.length_squared().max(f64::MIN_POSITIVE);
        let one = outer(cues.rest(flesh, b) - cues.rest(flesh, a), from) * weight;
        carried[a] += one;
        carried[b] += one;
    }
    carried.par_iter().with_min_len(PIECE).map(|a| nearest_rotation(*a)).collect()
}

/// Length and direction of a spring between two places; where they are the same place, along its own rest shape, so that
/// it knows where to push.
#[inline]
pub(super) fn direction(flesh: &Flesh, spring: &Spring, x: &[DVec3]) -> (f64, DVec3) {
    let [a, b] = spring.ends.map(|v| v as usize);
    let along = x[b] - x[a];
    let length = along.length();
    if length > f64::MIN_POSITIVE {
        (length, along / length)
    } else {
        (0.0, (flesh.rest[b] - flesh.rest[a]).normalize_or_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::stiffening;

    #[test]
    fn springs_stiffen_as_they_shorten_and_stay_finite() {
        assert!((stiffening(2.0, 1.6, false) * 0.8f64.powi(5) - 1.0).abs() < 1e-12);
        assert!((stiffening(2.0, 1.6, true) * 0.8f64.powi(4) - 1.0).abs() < 1e-12);
        assert!(stiffening(1.0, 1.25, false) < 1.0);
        for (rest_m, length_m) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1e-300, 1.0), (1.0, 1e300)] {
            let factor = stiffening(rest_m, length_m, false);
            assert!((1e-4..1e4).contains(&factor), "{rest_m} to {length_m}: {factor}");
        }
    }
}
