//! Narrow phase: the cells of a placed body, sixteen at a time, as points of other bodies see them.
//!
//! How deep a point lies in a cell is the smallest of four affine functions: its barycentric weights, each divided by the
//! weight that stands for the margin. Sixteen cells at once answer a point in some dozen instructions, so that no box of a
//! single cell is needed; only boxes around chunks of cells are, and cells are prepared only in chunks that a vertex of another
//! body comes near.

use super::boxes::LANES;
use super::placed::Placed;
use super::surface::ContactSurface;
use crate::simd::gather::{Gather, Numbers, Point};
use crate::simd::{Lanes, Slot};
use sinew_math::Vec3A;

/// The best cell for a vertex so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeepestCell {
    /// The smallest of weight/slack: at or above 0 inside, −1 at the margin.
    pub(super) score: f32,
    pub(super) cell: u32,
}

impl DeepestCell {
    pub(super) const NONE: Self = Self { score: f32::NEG_INFINITY, cell: u32::MAX };
}

/// Sixteen cells: by corner, the weight of a point over the slack, as factors of x, y, z and 1.
#[derive(Debug, Clone)]
pub(super) struct CellLanes {
    of_corner: [[Slot; 4]; 4],
}

/// Chunks of cells as they are wanted. Scratch that bodies take one after another, so that it stays in the cache.
#[derive(Debug, Default)]
pub(super) struct CellChunks {
    lanes: Vec<CellLanes>,
    is_filled: Vec<bool>,
}

/// The cells of one body over one interval.
pub(super) struct PlacedCells<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
    chunks: &'a mut CellChunks,
    /// What lanes are about.
    middle: Vec3A,
}

/// One chunk of them.
pub(super) struct CellChunk<'a> {
    number: usize,
    lanes: &'a CellLanes,
    middle: Vec3A,
}

impl<'a> PlacedCells<'a> {
    pub(super) fn new(surface: &'a ContactSurface, placed: &'a Placed, chunks: &'a mut CellChunks) -> Self {
        let count = surface.cells.len().div_ceil(LANES);
        if chunks.lanes.len() < count {
            chunks.lanes.resize(count, CellLanes::NOWHERE);
        }
        chunks.is_filled.clear();
        chunks.is_filled.resize(count, false);
        Self { surface, placed, chunks, middle: 0.5 * (placed.bounds.low + placed.bounds.high) }
    }

    /// A chunk, which is filled in when it is first asked for.
    #[inline(always)]
    pub(super) fn chunk<L: Gather>(&mut self, number: usize) -> CellChunk<'_> {
        let CellChunks { lanes, is_filled } = &mut *self.chunks;
        let lanes = &mut lanes[number];
        if !std::mem::replace(&mut is_filled[number], true) {
            let corners = Corners {
                points: self.placed.for_lanes(self.surface),
                numbers: &self.surface.cell_corners[number],
                middle: self.middle,
            };
            let slacks = Slacks { heights: &self.surface.heights[number], margin_m: self.placed.margin_m };
            fill::<L>(lanes, &corners, &slacks);
        }
        CellChunk { number, lanes, middle: self.middle }
    }
}

impl CellChunk<'_> {
    /// Improves on `best` with the cells of the chunk for a point `at`; `may` says which cells count.
    #[inline(always)]
    pub(super) fn test_point<L: Lanes>(&self, at: Vec3A, best: &mut DeepestCell, may: impl Fn(usize) -> bool) {
        let at = at - self.middle;
        let floor = if best.score > -1.0 { best.score } else { -1.0 };
        let cells = &self.lanes.of_corner;
        let (x, y, z) = (L::splat(at.x), L::splat(at.y), L::splat(at.z));
        let mut scores = Slot::ZERO;
        for from in (0..LANES).step_by(L::WIDTH) {
            let weight = |k: usize| {
                let [a, b, c, d] = &cells[k];
                (L::load(a, from) * x + L::load(b, from) * y) + (L::load(c, from) * z + L::load(d, from))
            };
            let score = weight(0).least(weight(1)).least(weight(2).least(weight(3)));
            let mut bits = L::bits(L::not(score.below(L::splat(floor))));
            if bits == 0 {
                continue;
            }
            score.store(&mut scores, from);
            while bits != 0 {
                let lane = from + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let cell = self.number * LANES + lane;
                if scores.0[lane] > best.score && may(cell) {
                    *best = DeepestCell { score: scores.0[lane], cell: cell as u32 };
                }
            }
        }
    }
}

/// What turns weights into scores.
pub(super) struct Slacks<'a> {
    /// Heights of a cell's corners at rest, metres, by corner.
    heights: &'a [Slot; 4],
    margin_m: f32,
}

impl CellLanes {
    /// Cells that no point is in.
    const NOWHERE: Self =
        Self { of_corner: [[Slot::ZERO, Slot::ZERO, Slot::ZERO, Slot([f32::NEG_INFINITY; LANES])]; 4] };
}

/// Corners of sixteen cells.
struct Corners<'a> {
    /// All that the numbers name.
    points: &'a [Point],
    /// By corner. Lanes without a cell name the same point four times.
    numbers: &'a [Numbers; 4],
    middle: Vec3A,
}

impl Corners<'_> {
    #[inline(always)]
    fn load<L: Gather>(&self, corner: usize, at: usize) -> Vec3L<L> {
        // SAFETY: a surface names points that it has, and `for_lanes` gives all of these.
        let [x, y, z] = unsafe { L::gather(self.points, &self.numbers[corner], at) };
        let middle = Vec3L(L::splat(self.middle.x), L::splat(self.middle.y), L::splat(self.middle.z));
        Vec3L(x, y, z).minus(middle)
    }
}

/// Cells as functions of a point. Those that are flat or inside out have no inside to speak of.
#[inline(always)]
fn fill<L: Gather>(cells: &mut CellLanes, corners: &Corners<'_>, slacks: &Slacks<'_>) {
    let none = L::splat(0.0);
    for at in (0..LANES).step_by(L::WIDTH) {
        let load = |k: usize| corners.load::<L>(k, at);
        let origin = load(0);
        let (a, b, c) = (load(1).minus(origin), load(2).minus(origin), load(3).minus(origin));
        let per_slack = |k: usize| L::load(&slacks.heights[k], at) / L::splat(slacks.margin_m);
        let normal = a.cross(b);
        let size = normal.dot(c);
        let scale = L::splat(1.0) / size;
        let (p, q, r) = (b.cross(c).times(scale), c.cross(a).times(scale), normal.times(scale));
        let zero = p.plus(q).plus(r);
        let is_cell = none.below(size);
        let rows = [zero.times(-per_slack(0)), p.times(per_slack(1)), q.times(per_slack(2)), r.times(per_slack(3))];
        for (k, (row, slots)) in rows.into_iter().zip(&mut cells.of_corner).enumerate() {
            let constant = -row.dot(origin);
            let constant = if k == 0 { constant + per_slack(0) } else { constant };
            let [x, y, z, one] = slots;
            L::select(is_cell, row.0, none).store(x, at);
            L::select(is_cell, row.1, none).store(y, at);
            L::select(is_cell, row.2, none).store(z, at);
            L::select(is_cell, constant, L::splat(f32::NEG_INFINITY)).store(one, at);
        }
    }
}

/// A vector in each lane.
#[derive(Clone, Copy)]
struct Vec3L<L>(L, L, L);

impl<L: Lanes> Vec3L<L> {
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1, self.2 + b.2)
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1, self.2 - b.2)
    }
    #[inline(always)]
    fn times(self, factor: L) -> Self {
        Self(self.0 * factor, self.1 * factor, self.2 * factor)
    }
    #[inline(always)]
    fn dot(self, b: Self) -> L {
        self.0 * b.0 + self.1 * b.1 + self.2 * b.2
    }
    #[inline(always)]
    fn cross(self, b: Self) -> Self {
        Self(self.1 * b.2 - self.2 * b.1, self.2 * b.0 - self.0 * b.2, self.0 * b.1 - self.1 * b.0)
    }
}
