//! The two sweeps of symmetric Gauss–Seidel over the rows of one colour, sixteen rows at once.

use super::layout::{Inverses, Layout, Neighbours};
use crate::simd::dispatched;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::{BLOCK, Slot, three};

dispatched! {
    /// s = (D + L)⁻¹ u, and how much the rows before took off: `taken` = L s.
    forward = forward_in(layout: &Layout, u: &[Point], s: &mut [Point], taken: &mut [Point])
}
dispatched! {
    /// w = (D + Lᵀ)⁻¹ p, and `taken` = Lᵀ w.
    backward = backward_in(layout: &Layout, p: &[Point], w: &mut [Point], taken: &mut [Point])
}

#[inline(always)]
fn forward_in<L: Gather>(layout: &Layout, u: &[Point], s: &mut [Point], taken: &mut [Point]) {
    check(layout, u, s, taken);
    for (group, of) in layout.groups.iter().enumerate() {
        let neighbours = &layout.lower[of.lower[0] as usize..of.lower[1] as usize];
        relax::<L>(group, neighbours, &layout.inverse[group], u, s, taken);
    }
}

#[inline(always)]
fn backward_in<L: Gather>(layout: &Layout, p: &[Point], w: &mut [Point], taken: &mut [Point]) {
    check(layout, p, w, taken);
    for (group, of) in layout.groups.iter().enumerate().rev() {
        let neighbours = &layout.upper[of.upper[0] as usize..of.upper[1] as usize];
        relax::<L>(group, neighbours, &layout.inverse[group], p, w, taken);
    }
}

/// What reading by number relies on.
fn check(layout: &Layout, right: &[Point], out: &[Point], taken: &[Point]) {
    let places = layout.places();
    assert!(right.len() == places && out.len() == places && taken.len() == places);
}

/// `out` of a group = D⁻¹ (right − Σ A out of neighbours).
#[inline(always)]
fn relax<L: Gather>(
    group: usize,
    neighbours: &[Neighbours],
    inverse: &Inverses,
    right: &[Point],
    out: &mut [Point],
    taken: &mut [Point],
) {
    let first = group * BLOCK;
    for at in (0..BLOCK).step_by(L::WIDTH) {
        let mut sum = three!(_I => L::splat(0.0));
        for one in neighbours {
            // SAFETY: `check` has seen that there are as many points as places, and neighbours name places.
            let x = unsafe { L::gather(out, &one.at, at) };
            let a = |k: usize| L::load(&one.block[k], at);
            sum = three!(I => sum[I] + (a(3 * I) * x[0] + a(3 * I + 1) * x[1] + a(3 * I + 2) * x[2]));
        }
        // SAFETY: as above.
        let right = unsafe { L::gather(right.get_unchecked(first..), &Numbers::COUNTING, at) };
        let r = three!(I => right[I] - sum[I]);
        let d = |slot: &Slot| L::load(slot, at);
        let [xx, yy, zz, xy, yz, zx] =
            [d(&inverse[0]), d(&inverse[1]), d(&inverse[2]), d(&inverse[3]), d(&inverse[4]), d(&inverse[5])];
        let moved =
            [xx * r[0] + xy * r[1] + zx * r[2], xy * r[0] + yy * r[1] + yz * r[2], zx * r[0] + yz * r[1] + zz * r[2]];
        L::put(moved, &mut out[first + at..]);
        L::put(sum, &mut taken[first + at..]);
    }
}
