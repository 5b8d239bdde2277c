//! One pass of matching, as two kernels over blocks of lanes.
//!
//! Regions are symmetric (i ∈ N_r ⇔ r ∈ N_i), so that both halves of a pass have one shape: every list sums records of
//! its neighbours (12 numbers, one cache line each), lanes do the arithmetic, and records for the other half are
//! written. Vertices publish `m̃ u (oᵀ, 1)`, regions publish `(R T − I, t)` with `t = ū − (R T − I) o_c`.
//!
//! Everything is a difference from the body's own rigid motion: `u = Rᵀ(x − c) − o` (see [`super::frame`]). In f32 the
//! error is then relative to how far the body is from rigid, not to how large it is or where.

use super::accelerate::Blend;
use super::rotation;
use super::stretch;
use crate::simd::matrix::Mat;
use crate::simd::{BLOCK, Lanes, Lists, Record, Slot, dispatched, four, six, three};

/// What 16 regions need besides their neighbours. Lengths and masses are in the body's own units.
#[derive(Debug, Clone)]
#[repr(C)]
pub(super) struct RegionBlock {
    /// Σ m̃ (o − o_c)(o − o_c)ᵀ: xx, yy, zz, xy, yz, zx.
    pub(super) moment: [Slot; 6],
    pub(super) inverse_mass: Slot,
    /// o_c.
    pub(super) centre: [Slot; 3],
    /// ln T on entry of a step, T − I from then on.
    pub(super) stretch: [Slot; 6],
    /// Rotation against the body's own.
    pub(super) turn: [Slot; 4],
}

/// What 16 vertices need besides their regions.
#[derive(Debug, Clone)]
#[repr(C)]
pub(super) struct VertexBlock {
    pub(super) rest: [Slot; 3],
    /// 1/|N_i|.
    pub(super) inverse_count: Slot,
    /// m̃.
    pub(super) mass: Slot,
    /// u at the start of the step.
    pub(super) start: [Slot; 3],
    /// u of the goal, after a pass.
    pub(super) goal: [Slot; 3],
    /// u of the goal before that; only where passes are blended.
    pub(super) before: [Slot; 3],
}

impl RegionBlock {
    /// Regions without vertices: they stay the identity.
    pub(super) const EMPTY: Self = Self {
        moment: [Slot::ZERO; 6],
        inverse_mass: Slot::ZERO,
        centre: [Slot::ZERO; 3],
        stretch: [Slot::ZERO; 6],
        turn: [Slot::ZERO, Slot::ZERO, Slot::ZERO, Slot([1.0; BLOCK])],
    };
}

impl VertexBlock {
    pub(super) const EMPTY: Self = Self {
        rest: [Slot::ZERO; 3],
        inverse_count: Slot::ZERO,
        mass: Slot::ZERO,
        start: [Slot::ZERO; 3],
        goal: [Slot::ZERO; 3],
        before: [Slot::ZERO; 3],
    };
}

dispatched! {
    /// ln T → T − I, in place.
    expand_stretches = expand_stretches_in(blocks: &mut [RegionBlock])
}
dispatched! {
    /// First half: the rotation of every region, and what it publishes. `first` is the number of the first block, `weight` what
    /// each region counts; empty for 1.
    match_regions = match_regions_in(
        blocks: &mut [RegionBlock], first: usize, lists: &Lists, vertices: &[Record], out: &mut [Record], stretched: bool, weight: &[Slot])
}
dispatched! {
    /// Second half: the goal of every vertex, and what it publishes for the next pass, if there is one. `stay` is the share of a
    /// vertex that its regions leave where it is; empty for none.
    place_vertices = place_vertices_in(
        blocks: &mut [VertexBlock], first: usize, lists: &Lists, regions: &[Record], out: Option<&mut [Record]>,
        blend: Blend, stay: &[Slot])
}
dispatched! {
    /// What vertices publish at the start of the step, which is their goal until a pass has found a better one.
    publish_vertices = publish_vertices_in(blocks: &mut [VertexBlock], out: &mut [Record])
}

#[inline(always)]
fn expand_stretches_in<L: Lanes>(blocks: &mut [RegionBlock]) {
    for block in blocks {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let ln_t = six!(K => L::load(&block.stretch[K], at));
            let grown = stretch::exp_minus_identity(ln_t);
            six!(K => grown[K].store(&mut block.stretch[K], at));
        }
    }
}

#[inline(always)]
fn match_regions_in<L: Lanes>(
    blocks: &mut [RegionBlock],
    first: usize,
    lists: &Lists,
    vertices: &[Record],
    out: &mut [Record],
    stretched: bool,
    weight: &[Slot],
) {
    assert!(lists.fit(vertices) && lists.len() >= (first + blocks.len()) * BLOCK && out.len() >= blocks.len() * BLOCK);
    for (number, block) in blocks.iter_mut().enumerate() {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: lists and `out` reach that far, and lists name records that exist (asserted above).
            let sum = unsafe { L::sum_records(vertices, lists, (first + number) * BLOCK + at) };
            let values = match_lanes(block, at, &sum, stretched);
            let values = match weight.get(first + number) {
                Some(weight) => values.map(|value| value * L::load(weight, at)),
                None => values,
            };
            unsafe { L::store_records(values, out.get_unchecked_mut(number * BLOCK + at..)) };
        }
    }
}

/// From Σ m̃ u (oᵀ, 1) to the region's rotation and its record.
#[inline(always)]
fn match_lanes<L: Lanes>(block: &mut RegionBlock, at: usize, sum: &[L; 12], stretched: bool) -> [L; 12] {
    let shift = three!(I => sum[4 * I + 3]);
    let centre = three!(J => L::load(&block.centre[J], at));
    let b = six!(K => L::load(&block.moment[K], at));
    let b: Mat<L> = [[b[0], b[3], b[5]], [b[3], b[1], b[4]], [b[5], b[4], b[2]]];
    // A = B + C, and C is what the body's deformation adds.
    let mut c: Mat<L> = three!(I => three!(J => sum[4 * I + J] - shift[I] * centre[J]));
    let mut a: Mat<L> = three!(I => three!(J => b[I][J] + c[I][J]));
    let t = six!(K => L::load(&block.stretch[K], at));
    let t: Mat<L> = [[t[0], t[3], t[5]], [t[3], t[1], t[4]], [t[5], t[4], t[2]]];
    if stretched {
        // A T = A + A (T − I): the rest region is stretched, T is symmetric.
        let grown = times(&a, &t);
        c = three!(I => three!(J => c[I][J] + grown[I][J]));
        a = three!(I => three!(J => b[I][J] + c[I][J]));
    }
    let twist = [c[2][1] - c[1][2], c[0][2] - c[2][0], c[1][0] - c[0][1]];
    let turn = rotation::nearest(&a, twist, four!(K => L::load(&block.turn[K], at)));
    four!(K => turn[K].store(&mut block.turn[K], at));
    let e = rotation::minus_identity(turn);
    let mut g = e;
    if stretched {
        // R T − I = E + (T − I) + E (T − I).
        let turned = times(&e, &t);
        g = three!(I => three!(J => e[I][J] + (t[I][J] + turned[I][J])));
    }
    let inverse_mass = L::load(&block.inverse_mass, at);
    let [x, y, z] = three!(I => {
        shift[I] * inverse_mass - (g[I][0] * centre[0] + g[I][1] * centre[1] + g[I][2] * centre[2])
    });
    [g[0][0], g[0][1], g[0][2], x, g[1][0], g[1][1], g[1][2], y, g[2][0], g[2][1], g[2][2], z]
}

#[inline(always)]
fn times<L: Lanes>(a: &Mat<L>, b: &Mat<L>) -> Mat<L> {
    three!(I => three!(J => a[I][0] * b[0][J] + a[I][1] * b[1][J] + a[I][2] * b[2][J]))
}

#[inline(always)]
fn place_vertices_in<L: Lanes>(
    blocks: &mut [VertexBlock],
    first: usize,
    lists: &Lists,
    regions: &[Record],
    mut out: Option<&mut [Record]>,
    blend: Blend,
    stay: &[Slot],
) {
    assert!(lists.fit(regions) && lists.len() >= (first + blocks.len()) * BLOCK);
    assert!(out.as_ref().is_none_or(|out| out.len() >= blocks.len() * BLOCK));
    let plain = blend == Blend::PLAIN;
    for (number, block) in blocks.iter_mut().enumerate() {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            // SAFETY: as in `match_regions_in`.
            let sum = unsafe { L::sum_records(regions, lists, (first + number) * BLOCK + at) };
            let rest = three!(J => L::load(&block.rest[J], at));
            let inverse_count = L::load(&block.inverse_count, at);
            let matched = three!(I => {
                let (g, t) = (three!(J => sum[4 * I + J]), sum[4 * I + 3]);
                (g[0] * rest[0] + g[1] * rest[1] + (g[2] * rest[2] + t)) * inverse_count
            });
            let matched = match stay.get(first + number) {
                Some(stay) => three!(I => matched[I] + L::load(&block.goal[I], at) * L::load(stay, at)),
                None => matched,
            };
            let goal = if plain { matched } else { blended(block, at, matched, blend) };
            three!(I => goal[I].store(&mut block.goal[I], at));
            if let Some(out) = &mut out {
                let values = vertex_record(goal, rest, L::load(&block.mass, at));
                unsafe { L::store_records(values, out.get_unchecked_mut(number * BLOCK + at..)) };
            }
        }
    }
}

/// g + carry (g − g before) + reach (F(g) − g), and g is the goal before from then on.
#[inline(always)]
fn blended<L: Lanes>(block: &mut VertexBlock, at: usize, matched: [L; 3], blend: Blend) -> [L; 3] {
    let (carry, reach) = (L::splat(blend.carry), L::splat(blend.reach));
    let last = three!(I => L::load(&block.goal[I], at));
    // The first pass has nothing before it, whatever a step that failed may have left there.
    let before = if blend.carry == 0.0 { last } else { three!(I => L::load(&block.before[I], at)) };
    three!(I => last[I].store(&mut block.before[I], at));
    three!(I => last[I] + ((last[I] - before[I]) * carry + (matched[I] - last[I]) * reach))
}

#[inline(always)]
fn publish_vertices_in<L: Lanes>(blocks: &mut [VertexBlock], out: &mut [Record]) {
    assert!(out.len() >= blocks.len() * BLOCK);
    for (number, block) in blocks.iter_mut().enumerate() {
        for at in (0..BLOCK).step_by(L::WIDTH) {
            let offset = three!(I => L::load(&block.start[I], at));
            three!(I => offset[I].store(&mut block.goal[I], at));
            let rest = three!(I => L::load(&block.rest[I], at));
            let values = vertex_record(offset, rest, L::load(&block.mass, at));
            // SAFETY: `out` reaches that far (asserted above).
            unsafe { L::store_records(values, out.get_unchecked_mut(number * BLOCK + at..)) };
        }
    }
}

/// m̃ u (oᵀ, 1), row by row.
#[inline(always)]
fn vertex_record<L: Lanes>(offset: [L; 3], rest: [L; 3], mass: L) -> [L; 12] {
    let [x, y, z] = three!(I => offset[I] * mass);
    let [a, b, c] = rest;
    [x * a, x * b, x * c, x, y * a, y * b, y * c, y, z * a, z * b, z * c, z]
}
