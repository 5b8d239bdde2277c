//! `exp(ln T) − I`, one stretch per lane.
//!
//! Scaling and squaring (Moler, Van Loan: "Nineteen Dubious Ways to Compute the Exponential of a Matrix", SIAM
//! Review 1978) of a Taylor polynomial, carried through as differences from the identity so that a stretch close to
//! none keeps its relative precision and none at all is exactly zero.

use crate::simd::{Lanes, six};

/// xx, yy, zz, xy, yz, zx.
pub(super) type Sym<L> = [L; 6];

/// ln T is divided by 2³ before the polynomial of degree 5: the error is below 1e-6 for stretches of 1/7 to 7.
const SQUARINGS: usize = 3;

#[inline(always)]
pub(super) fn exp_minus_identity<L: Lanes>(ln_t: Sym<L>) -> Sym<L> {
    let shrink = L::splat(1.0 / (1 << SQUARINGS) as f32);
    let x = six!(K => ln_t[K] * shrink);
    let mut y = six!(K => x[K] * L::splat(0.2));
    for inverse in [0.25, 1.0 / 3.0, 0.5, 1.0] {
        let xy = product(&x, &y);
        y = six!(K => (x[K] + xy[K]) * L::splat(inverse));
    }
    for _ in 0..SQUARINGS {
        let square = product(&y, &y);
        y = six!(K => y[K] + y[K] + square[K]);
    }
    y
}

/// The product of symmetric matrices that commute, which is symmetric.
#[inline(always)]
fn product<L: Lanes>(a: &Sym<L>, b: &Sym<L>) -> Sym<L> {
    let [axx, ayy, azz, axy, ayz, azx] = *a;
    let [bxx, byy, bzz, bxy, byz, bzx] = *b;
    [
        axx * bxx + axy * bxy + azx * bzx,
        axy * bxy + ayy * byy + ayz * byz,
        azx * bzx + ayz * byz + azz * bzz,
        axx * bxy + axy * byy + azx * byz,
        axy * bzx + ayy * byz + ayz * bzz,
        axx * bzx + axy * byz + azx * bzz,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{BLOCK, Portable, Slot};
    use proptest::prelude::*;
    use sinew_math::Sym3;

    fn grown(l: Sym3) -> [f64; 6] {
        let six = [l.xx, l.yy, l.zz, l.xy, l.yz, l.zx].map(|v| Portable::splat(v as f32));
        exp_minus_identity(six).map(|v| {
            let mut slot = Slot([0.0; BLOCK]);
            v.store(&mut slot, 0);
            f64::from(slot.0[0])
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_exact_exponential(e in prop::array::uniform6(-0.6f64..0.6)) {
            let l = Sym3 { xx: e[0], yy: e[1], zz: e[2], xy: e[3], yz: e[4], zx: e[5] };
            let t = l.exp() + Sym3::IDENTITY * -1.0;
            let exact = [t.xx, t.yy, t.zz, t.xy, t.yz, t.zx];
            for (a, b) in grown(l).iter().zip(exact) {
                prop_assert!((a - b).abs() < 5e-6, "{a} {b}");
            }
        }
    }

    #[test]
    fn no_stretch_is_exactly_none_and_a_small_one_keeps_its_digits() {
        assert_eq!(grown(Sym3::ZERO), [0.0; 6]);
        let tiny = grown(Sym3 { xx: 1e-10, ..Sym3::ZERO });
        assert!((tiny[0] / 1e-10 - 1.0).abs() < 1e-6);
    }
}
