//! Narrow phase: which vertices of one body lie in, or just outside, which cell of another.
//!
//! Boxes of chunks against boxes of chunks, then the vertices of a chunk against the box of a chunk of cells, and only then
//! cells, sixteen at a time: a point belongs to a cell whose barycentric weights are all above −slack, where slack stands
//! for the margin. Of several cells it goes to the one it lies deepest in, the first of them if they are alike.

use super::boxes::LANES;
use super::narrow_phase_cells::{DeepestCell, PlacedCells};
use super::placed::Placed;
use super::surface::ContactSurface;
use crate::simd::Lanes;
use crate::simd::dispatched;

/// A body with its fixed and its placed parts.
#[derive(Clone, Copy)]
pub(super) struct NarrowPhaseBody<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
    pub(super) cells: &'a PlacedCells,
}

/// A vertex of the surface, by its number there, and the cell it lies deepest in.
pub(super) type Found = (u32, DeepestCell);

dispatched! {
    /// Vertices of `points` in cells of `cells`, in rising order. `is_self` leaves out what lies around the vertex itself.
    vertices_in_cells = vertices_in_cells_in(points: NarrowPhaseBody<'_>, cells: NarrowPhaseBody<'_>, is_self: bool, found: &mut Vec<Found>)
}

#[inline(always)]
fn vertices_in_cells_in<L: Lanes>(
    points: NarrowPhaseBody<'_>,
    cells: NarrowPhaseBody<'_>,
    is_self: bool,
    found: &mut Vec<Found>,
) {
    found.clear();
    let (from, surface) = (points.placed, cells.surface);
    let reach = cells.placed.bounds.grown(cells.placed.margin_m);
    for (number, (vertices, around)) in from.vertices.iter().zip(&from.vertex_boxes).enumerate() {
        if !around.meets(&reach) {
            continue;
        }
        let (mut best, mut with_cell) = ([DeepestCell::NONE; LANES], 0u32);
        for (group, boxes) in cells.cells.boxes.iter().enumerate() {
            let mut near = boxes.meeting::<L>(around);
            while near != 0 {
                let chunk_lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let mut hits = vertices.inside::<L>(&boxes.get(chunk_lane));
                while hits != 0 {
                    let lane = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    let may = |cell: usize| !is_self || !surface.is_own(surface.vertices[number * LANES + lane], cell);
                    let best = &mut best[lane];
                    cells.cells.test_point::<L>(group * LANES + chunk_lane, vertices.get(lane), best, may);
                    with_cell |= u32::from(best.cell != u32::MAX) << lane;
                }
            }
        }
        while with_cell != 0 {
            let lane = with_cell.trailing_zeros() as usize;
            with_cell &= with_cell - 1;
            found.push(((number * LANES + lane) as u32, best[lane]));
        }
    }
}
