//! The stiffness of many passes from few.
//!
//! Matching goals again and again is a descent: with the rotations' own answer counted in, a pass multiplies a mode of
//! deformation by 1 − μ with μ from 0 (rigid motion) to 1, and n passes by (1 − μ)ⁿ, which is Landweber's iteration.
//! Semi-iterative methods of Jacobi polynomials (ν-methods; Brakhage: "On ill-posed problems and the method of conjugate
//! gradients", 1987; Hanke: "Accelerated Landweber iterations for the solution of ill-posed equations", 1991) blend each
//! pass F with the two goals before it,
//!
//! `gₖ = gₖ₋₁ + carry (gₖ₋₁ − gₖ₋₂) + reach (F(gₖ₋₁) − gₖ₋₁)`,
//!
//! and reach k² as far in k passes. Neither the spectrum nor a sum over the body has to be known, so that chunks still go
//! through all passes one after another and nothing is carried from step to step. Every intermediate polynomial is 1 at
//! μ = 0 and at most 1 up to μ = 1: rigid motion is untouched and no mode of a convex energy grows.
//!
//! Departure: ν is not a regularity of the solution here but chosen so that slopes agree at μ = 0: the largest and
//! slowest deformations, the ones eyes see, are undone exactly as far as by n plain passes. The slope of the k-th
//! polynomial is k (k + 2ν) / (2ν + ½); set to n, 2ν = (k² − n/2) / (n − k).

/// How a pass is blended with the two goals before it. Lanes work in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Blend {
    /// Share of the last change that is made again.
    pub(super) carry: f32,
    /// Share of the way to the matched goal that is gone.
    pub(super) reach: f32,
}

impl Blend {
    /// The matched goal itself.
    pub(super) const PLAIN: Self = Self { carry: 0.0, reach: 1.0 };
}

/// Least 2ν. Polynomials of a smaller one dip below −1/5 before they die away; below −1/3 a mode that is matched ahead
/// (`x ← p (2x − x_before)`) would grow from step to step.
const LEAST_TWO_NU: f64 = 1.25;

/// The blends of `passes` passes that make a body as stiff as `plain` ones. As many as that, or more, are plain.
pub(super) fn blends(plain: u32, passes: u32) -> Vec<Blend> {
    if passes >= plain {
        return vec![Blend::PLAIN; plain as usize];
    }
    let nu = 0.5 * two_nu(f64::from(plain), f64::from(passes)).max(LEAST_TWO_NU);
    (1..=passes).map(|k| blend(f64::from(k), nu)).collect()
}

/// The fewest passes that can stand for `plain` ones.
pub(super) fn fewest(plain: u32) -> u32 {
    let enough = |k: &u32| *k >= plain || two_nu(f64::from(plain), f64::from(*k)) >= LEAST_TWO_NU;
    (1..=plain).find(enough).unwrap_or(plain)
}

fn two_nu(plain: f64, passes: f64) -> f64 {
    (passes * passes - 0.5 * plain) / (plain - passes)
}

/// The recurrence of the Jacobi polynomials with α = 2ν − ½, β = −½ on μ from 0 to 1, normed to 1 at 0.
fn blend(k: f64, nu: f64) -> Blend {
    if k == 1.0 {
        return Blend { carry: 0.0, reach: ((4.0 * nu + 2.0) / (4.0 * nu + 1.0)) as f32 };
    }
    let (sum, double) = (k + 2.0 * nu - 1.0, 2.0 * k + 2.0 * nu);
    let odd = 2.0 * k + 4.0 * nu - 1.0;
    Blend {
        carry: ((k - 1.0) * (2.0 * k - 3.0) * (double - 1.0) / (sum * odd * (double - 3.0))) as f32,
        reach: (4.0 * (double - 1.0) * (k + nu - 1.0) / (sum * odd)) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `blends` make of a mode.
    fn left(blends: &[Blend], mu: f64) -> f64 {
        let (mut before, mut now) = (1.0, 1.0);
        for &Blend { carry, reach } in blends {
            let next = now + f64::from(carry) * (now - before) - f64::from(reach) * mu * now;
            (before, now) = (now, next);
        }
        now
    }

    #[test]
    fn slow_modes_are_undone_as_far_as_by_plain_passes() {
        for plain in [3u32, 7, 31, 101, 1001] {
            for passes in [fewest(plain), fewest(plain) + 3] {
                let blends = blends(plain, passes);
                assert!(blends.len() <= passes as usize);
                let mu = 1e-4 / f64::from(plain);
                let slope = (1.0 - left(&blends, mu)) / mu;
                assert!((slope / f64::from(plain) - 1.0).abs() < 1e-3, "{plain} in {passes}: {slope}");
            }
        }
    }

    /// And no mode grows or swings far through, at any pass on the way.
    #[test]
    fn every_mode_shrinks() {
        for plain in [3u32, 7, 31, 101, 1001] {
            let blends = blends(plain, fewest(plain));
            for k in 1..=blends.len() {
                for i in 0..=1000 {
                    let left = left(&blends[..k], f64::from(i) * 1e-3);
                    assert!(left <= 1.0 && left > -0.45, "{plain}: {left} after {k}");
                }
            }
            for i in 0..=1000 {
                let mu = f64::from(i) * 1e-3;
                let (left, wanted) = (left(&blends, mu), (1.0 - mu).powi(plain as i32));
                assert!(left > -0.2 && (left - wanted).abs() < 0.25, "{plain}: {left} for {wanted} at {mu}");
            }
        }
    }

    #[test]
    fn cost_grows_with_the_root() {
        assert_eq!([1, 2, 7, 31, 101, 1001].map(fewest), [1, 2, 3, 7, 13, 42]);
        assert_eq!(blends(3, 5), vec![Blend::PLAIN; 3]);
    }
}
