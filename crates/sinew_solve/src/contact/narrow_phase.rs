//! Narrow phase: which vertices of other bodies lie in, or just outside, which cell of a body.
//!
//! Boxes of chunks against boxes of chunks, then the vertices of a chunk against the box of a chunk of cells, and only then
//! cells, sixteen at a time: a point belongs to a cell whose barycentric weights are all above −slack, where slack stands
//! for the margin. Of several cells it goes to the one it lies deepest in, the first of them if they are alike.
//!
//! All others are asked of one body before the next, so that its cells, which are prepared when the first vertex comes near, are still at hand.

use super::boxes::{Bounds, BoxLanes, LANES};
use super::narrow_phase_cells::{CellChunks, DeepestCell, PlacedCells};
use super::placed::Placed;
use super::surface::ContactSurface;
use crate::simd::gather::Gather;
use crate::simd::{Path, dispatched};

/// A body with its fixed and its placed parts.
#[derive(Clone, Copy)]
pub(super) struct NarrowPhaseBody<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
}

/// A vertex of the surface, by its number there, and the cell it lies deepest in.
pub(super) type Found = (u32, DeepestCell);

/// Vertices of other bodies in the cells of one.
#[derive(Debug)]
pub(super) struct NarrowPhase {
    /// Around chunks of its cells, with the margin.
    boxes: Vec<BoxLanes>,
    /// Of all bodies that were asked, and where those of each end.
    found: Vec<Found>,
    ends: Vec<u32>,
}

impl NarrowPhase {
    pub(super) fn new(surface: &ContactSurface) -> Self {
        let groups = surface.cells.len().div_ceil(LANES).div_ceil(LANES);
        Self { boxes: vec![BoxLanes::NOTHING; groups], found: Vec::new(), ends: Vec::new() }
    }

    /// Vertices of `others`, one after another, in the cells of a body. The body itself may be among them: what lies around a vertex is left out then.
    pub(super) fn search<'a>(
        &mut self,
        path: Path,
        cells_of: NarrowPhaseBody<'_>,
        others: impl Iterator<Item = Option<NarrowPhaseBody<'a>>>,
        chunks: &mut CellChunks,
    ) {
        let Self { boxes, found, ends } = self;
        place_boxes(cells_of, boxes);
        found.clear();
        ends.clear();
        let NarrowPhaseBody { surface, placed } = cells_of;
        let mut cells = PlacedCells::new(surface, placed, chunks);
        for other in others {
            if let Some(points) = other {
                let is_self = std::ptr::eq(points.placed, placed);
                vertices_in_cells(path, points, boxes, &mut cells, is_self, found);
            }
            ends.push(found.len() as u32);
        }
    }

    /// Those of the body that was asked as number `asked`, in rising order.
    pub(super) fn found_of(&self, asked: usize) -> &[Found] {
        let first = if asked == 0 { 0 } else { self.ends[asked - 1] as usize };
        &self.found[first..self.ends[asked] as usize]
    }
}

fn place_boxes(NarrowPhaseBody { surface, placed }: NarrowPhaseBody<'_>, boxes: &mut [BoxLanes]) {
    for chunk in 0..surface.cells.len().div_ceil(LANES) {
        let mut whole = Bounds::NOTHING;
        surface.chunk_points(chunk).iter().for_each(|&p| whole.add(placed.points[p as usize]));
        boxes[chunk / LANES].set(chunk % LANES, &whole.grown(placed.margin_m));
    }
}

dispatched! {
    /// Vertices of `points` in cells, in rising order. `is_self` leaves out what lies around the vertex itself.
    vertices_in_cells = vertices_in_cells_in(points: NarrowPhaseBody<'_>, boxes: &[BoxLanes], cells: &mut PlacedCells<'_>, is_self: bool, found: &mut Vec<Found>)
}

#[inline(always)]
fn vertices_in_cells_in<L: Gather>(
    points: NarrowPhaseBody<'_>,
    boxes: &[BoxLanes],
    cells: &mut PlacedCells<'_>,
    is_self: bool,
    found: &mut Vec<Found>,
) {
    let (from, surface) = (points.placed, cells.surface);
    let reach = cells.placed.bounds.grown(cells.placed.margin_m);
    for (number, (vertices, around)) in from.vertices.iter().zip(&from.vertex_boxes).enumerate() {
        if !around.meets(&reach) {
            continue;
        }
        let (mut best, mut with_cell) = ([DeepestCell::NONE; LANES], 0u32);
        for (group, boxes) in boxes.iter().enumerate() {
            let mut near = boxes.meeting::<L>(around);
            while near != 0 {
                let chunk_lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let mut hits = vertices.inside::<L>(&boxes.get(chunk_lane));
                if hits == 0 {
                    continue;
                }
                let chunk = cells.chunk::<L>(group * LANES + chunk_lane);
                while hits != 0 {
                    let lane = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    let may = |cell: usize| !is_self || !surface.is_own(surface.vertices[number * LANES + lane], cell);
                    let best = &mut best[lane];
                    chunk.test_point::<L>(vertices.get(lane), best, may);
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
