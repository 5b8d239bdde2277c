//! Blocks of a tetrahedron's Hessian, eight tetrahedra at once: in the frame of its rotation, of its principal stretches, and of linear elasticity.

use super::laws::{Curvature, Law};
use super::principal::{eigen, product, product_turned, transposed};
use crate::simd::double::{Doubles, Octet};
use crate::simd::matrix::{Mat, cross, dot, times};
use crate::simd::three;

/// Pairs of corners, later against earlier: blocks of the lower triangle.
pub(super) const PAIRS: usize = 10;

/// Blocks of corners 1 to 3, later against earlier: 11, 21, 22, 31, 32, 33.
pub(super) type Blocks<D> = [Mat<D>; 6];

/// `K_ab = 2 (b_a·b_b) I + ρ b_a b_bᵀ + [b_a]× twist [b_b]×ᵀ`, b turned.
#[inline(always)]
pub(super) fn turned_blocks<D: Doubles>(b: Mat<D>, ratio: D, twist: &Mat<D>) -> Blocks<D> {
    let zero = D::splat(0.0);
    // twist [b]×ᵀ by columns, and those crossed by the other gradient.
    let twisted = three!(B => {
        let [x, y, z] = b[B];
        [times(twist, [zero, -z, y]), times(twist, [z, zero, -x]), times(twist, [-y, x, zero])]
    });
    [
        turned_block(b[0], b[0], &twisted[0], ratio),
        turned_block(b[1], b[0], &twisted[0], ratio),
        turned_block(b[1], b[1], &twisted[1], ratio),
        turned_block(b[2], b[0], &twisted[0], ratio),
        turned_block(b[2], b[1], &twisted[1], ratio),
        turned_block(b[2], b[2], &twisted[2], ratio),
    ]
}

#[inline(always)]
fn turned_block<D: Doubles>(mine: [D; 3], other: [D; 3], twisted: &Mat<D>, ratio: D) -> Mat<D> {
    let even = dot(mine, other) * D::splat(2.0);
    let columns = three!(J => cross(mine, twisted[J]));
    let along = three!(I => mine[I] * ratio);
    let mut k = three!(I => three!(J => along[I] * other[J] + columns[J][I]));
    k[0][0] = k[0][0] + even;
    k[1][1] = k[1][1] + even;
    k[2][2] = k[2][2] + even;
    k
}

/// From the curvature in the frame of the principal stretches.
#[inline(always)]
pub(super) fn principal_blocks<D: Doubles, W: Law>(r: &Mat<D>, stretch: &Mat<D>, b: Mat<D>, ratio: D) -> Blocks<D> {
    let (s, axes) = eigen(stretch);
    let none = [[[D::splat(0.0); 3]; 3]; 6];
    let Some(curvature) = W::curvature(s, ratio) else { return none };
    let (frame, inward) = (product(r, &axes), transposed(&axes));
    let b = three!(A => times(&inward, b[A]));
    let of = &curvature;
    [
        principal_block(of, &frame, b[0], b[0]),
        principal_block(of, &frame, b[1], b[0]),
        principal_block(of, &frame, b[1], b[1]),
        principal_block(of, &frame, b[2], b[0]),
        principal_block(of, &frame, b[2], b[1]),
        principal_block(of, &frame, b[2], b[2]),
    ]
}

#[inline(always)]
fn principal_block<D: Doubles>(of: &Curvature<D>, frame: &Mat<D>, mine: [D; 3], other: [D; 3]) -> Mat<D> {
    product_turned(&product(frame, &of.block(mine, other)), frame)
}

/// Blocks of all pairs 00, 10, 11, 20, 21, 22, 30, 31, 32, 33, column by column; moving all corners alike takes no force.
#[inline(always)]
pub(super) fn store_blocks<D: Doubles>(k: &Blocks<D>, weight: D, out: &mut [[Octet; 9]; PAIRS], at: usize) {
    let [k11, k21, k22, k31, k32, k33] = k;
    let k10 = three!(I => three!(J => -(k11[I][J] + k21[J][I] + k31[J][I])));
    let k20 = three!(I => three!(J => -(k21[I][J] + k22[I][J] + k32[J][I])));
    let k30 = three!(I => three!(J => -(k31[I][J] + k32[I][J] + k33[I][J])));
    let k00 = three!(I => three!(J => -(k10[I][J] + k20[I][J] + k30[I][J])));
    store_block(&k00, weight, &mut out[0], at);
    store_block(&k10, weight, &mut out[1], at);
    store_block(k11, weight, &mut out[2], at);
    store_block(&k20, weight, &mut out[3], at);
    store_block(k21, weight, &mut out[4], at);
    store_block(k22, weight, &mut out[5], at);
    store_block(&k30, weight, &mut out[6], at);
    store_block(k31, weight, &mut out[7], at);
    store_block(k32, weight, &mut out[8], at);
    store_block(k33, weight, &mut out[9], at);
}

#[inline(always)]
fn store_block<D: Doubles>(k: &Mat<D>, weight: D, out: &mut [Octet; 9], at: usize) {
    three!(J => three!(I => (k[I][J] * weight).store(&mut out[3 * J + I], at)));
}

/// Linear elasticity, times `rate`: `K_ab = (b_a·b_b) I + b_b b_aᵀ + ρ b_a b_bᵀ`.
#[inline(always)]
pub(super) fn linear_blocks<D: Doubles>(b: &Mat<D>, ratio: D, rate: D) -> Blocks<D> {
    [
        linear_block(b[0], b[0], ratio, rate),
        linear_block(b[1], b[0], ratio, rate),
        linear_block(b[1], b[1], ratio, rate),
        linear_block(b[2], b[0], ratio, rate),
        linear_block(b[2], b[1], ratio, rate),
        linear_block(b[2], b[2], ratio, rate),
    ]
}

#[inline(always)]
fn linear_block<D: Doubles>(mine: [D; 3], other: [D; 3], ratio: D, rate: D) -> Mat<D> {
    let along = three!(I => mine[I] * (ratio * rate));
    let scaled = three!(I => other[I] * rate);
    let even = dot(mine, scaled);
    let mut k = three!(I => three!(J => along[I] * other[J] + scaled[I] * mine[J]));
    k[0][0] = k[0][0] + even;
    k[1][1] = k[1][1] + even;
    k[2][2] = k[2][2] + even;
    k
}

#[inline(always)]
pub(super) fn add_to_blocks<D: Doubles>(k: &mut Blocks<D>, more: &Blocks<D>) {
    let mut pair = 0;
    while pair < 6 {
        k[pair] = three!(I => three!(J => k[pair][I][J] + more[pair][I][J]));
        pair += 1;
    }
}
