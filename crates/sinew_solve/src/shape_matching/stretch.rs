//! `exp(ln T) − I`, one stretch per lane.
//!
//! Scaling and squaring (Moler, Van Loan: "Nineteen Dubious Ways to Compute the Exponential of a Matrix", SIAM
//! Review 1978) of a Taylor polynomial, carried through as differences from the identity so that a stretch close to
//! none keeps its relative precision and none at all is exactly zero.

use super::lanes::{Lanes, six};

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
