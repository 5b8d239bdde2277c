//! Which vertices of one body lie in, or just outside, which cell of another.
//!
//! Boxes of chunks against boxes of chunks, then boxes of cells against the vertices of a chunk, sixteen at a time, and
//! only then the exact test: a point belongs to a cell whose barycentric weights are all above −slack, where slack
//! stands for the margin. Of several cells it goes to the one it lies deepest in.

use super::boxes::{Bounds, LANES, set_bits};
use super::placed::Placed;
use super::surface::ContactSurface;
use crate::shape_matching::passes::{Path, compiled};
use sinew_math::Vec3A;

/// The best cell for a vertex so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    /// The smallest of weight/slack: at or above 0 inside, −1 at the margin.
    pub(super) score: f32,
    pub(super) cell: u32,
}

impl Best {
    const NONE: Self = Self { score: f32::NEG_INFINITY, cell: u32::MAX };
}

/// Scratch of searching one body's vertices in others.
#[derive(Debug)]
pub(super) struct Search {
    best: Vec<Best>,
    /// Vertices with a cell, as found.
    found: Vec<u32>,
    near_chunks: Vec<u32>,
}

/// A body with its fixed and its placed part.
#[derive(Clone, Copy)]
pub(super) struct Searched<'a> {
    pub(super) surface: &'a ContactSurface,
    pub(super) placed: &'a Placed,
}

impl Search {
    pub(super) fn new(surface: &ContactSurface) -> Self {
        let padded = surface.vertices.len().next_multiple_of(LANES);
        Self { best: vec![Best::NONE; padded], found: Vec::new(), near_chunks: Vec::new() }
    }

    /// Vertices of `points` in cells of `cells`, in rising order, each handed to `hit` with its best cell.
    /// `is_self` leaves out what lies around the vertex itself.
    pub(super) fn run(
        &mut self,
        path: Path,
        points: Searched<'_>,
        cells: Searched<'_>,
        is_self: bool,
        mut hit: impl FnMut(usize, Best),
    ) {
        if is_self {
            self.search_self(points);
        } else {
            search(path, self, points, cells);
        }
        self.found.sort_unstable();
        for &vertex in &self.found {
            hit(vertex as usize, self.best[vertex as usize]);
            self.best[vertex as usize] = Best::NONE;
        }
        self.found.clear();
    }

    #[inline(always)]
    fn look_at(&mut self, vertex: usize, cell: usize, weights: &CellWeights, at: Vec3A) {
        let score = weights.score(at);
        let best = &mut self.best[vertex];
        if score >= -1.0 && score > best.score {
            if best.cell == u32::MAX {
                self.found.push(vertex as u32);
            }
            *best = Best { score, cell: cell as u32 };
        }
    }

    fn search_self(&mut self, body: Searched<'_>) {
        let Searched { surface, placed } = body;
        for (number, (vertices, around)) in placed.vertices.iter().zip(&placed.vertex_boxes).enumerate() {
            for (chunk, whole) in placed.cell_boxes.iter().enumerate() {
                if !whole.meets(around) {
                    continue;
                }
                for lane in set_bits(placed.cells[chunk].meeting(around)) {
                    let cell = chunk * LANES + lane;
                    let hits = vertices.inside(&placed.cells[chunk].get(lane));
                    if hits == 0 {
                        continue;
                    }
                    let Some(weights) = CellWeights::new(surface, placed, cell) else { continue };
                    for lane in set_bits(hits) {
                        let vertex = number * LANES + lane;
                        if vertex < surface.vertices.len() && !surface.is_own(surface.vertices[vertex], cell) {
                            self.look_at(vertex, cell, &weights, vertices.get(lane));
                        }
                    }
                }
            }
        }
    }
}

compiled! {
    /// All vertices against all cells of another body.
    search = search_in(search: &mut Search, points: Searched<'_>, cells: Searched<'_>)
}

#[inline(always)]
fn search_in(search: &mut Search, points: Searched<'_>, cells: Searched<'_>) {
    let from = points.placed;
    let Searched { surface, placed } = cells;
    let reach: Bounds = from.bounds;
    search.near_chunks.clear();
    for (chunk, bounds) in placed.cell_boxes.iter().enumerate() {
        if bounds.meets(&reach) {
            search.near_chunks.push(chunk as u32);
        }
    }
    for (number, (vertices, around)) in from.vertices.iter().zip(&from.vertex_boxes).enumerate() {
        for k in 0..search.near_chunks.len() {
            let chunk = search.near_chunks[k] as usize;
            if !placed.cell_boxes[chunk].meets(around) {
                continue;
            }
            for lane in set_bits(placed.cells[chunk].meeting(around)) {
                let hits = vertices.inside(&placed.cells[chunk].get(lane));
                if hits == 0 {
                    continue;
                }
                let cell = chunk * LANES + lane;
                let Some(weights) = CellWeights::new(surface, placed, cell) else { continue };
                for lane in set_bits(hits) {
                    search.look_at(number * LANES + lane, cell, &weights, vertices.get(lane));
                }
            }
        }
    }
}

/// What turns a point into its barycentric weights in a cell.
struct CellWeights {
    origin: Vec3A,
    /// Rows of the inverse of the edge matrix; for a sheet the last one measures height in margins.
    rows: [Vec3A; 3],
    /// Height over margin, by corner.
    per_slack: [f32; 4],
    is_sheet: bool,
}

impl CellWeights {
    /// None for a cell that is flat or inside out: it has no inside to speak of.
    #[inline(always)]
    fn new(surface: &ContactSurface, placed: &Placed, cell: usize) -> Option<Self> {
        let corners = surface.cells[cell];
        let [origin, a, b, c] = [0, 1, 2, 3].map(|k: usize| placed.points[corners[k] as usize]);
        let (a, b, c) = (a - origin, b - origin, c - origin);
        let normal = a.cross(b);
        let (heights, per_margin) = (surface.heights[cell], 1.0 / placed.margin_m);
        let per_slack = [0, 1, 2, 3].map(|k: usize| heights[k] * per_margin);
        if surface.is_sheet {
            let area2 = normal.length_squared();
            let scale = 1.0 / area2;
            let rows = [b.cross(normal) * scale, normal.cross(a) * scale, normal * (per_margin / area2.sqrt())];
            return (area2 > 0.0).then_some(Self { origin, rows, per_slack, is_sheet: true });
        }
        let volume = normal.dot(c);
        let scale = 1.0 / volume;
        let rows = [b.cross(c) * scale, c.cross(a) * scale, normal * scale];
        (volume > 0.0).then_some(Self { origin, rows, per_slack, is_sheet: false })
    }

    /// The smallest of weight/slack.
    #[inline(always)]
    fn score(&self, at: Vec3A) -> f32 {
        let d = at - self.origin;
        let [p, q, r] = [self.rows[0].dot(d), self.rows[1].dot(d), self.rows[2].dot(d)];
        let [of_origin, of_p, of_q, of_r] = self.per_slack;
        if self.is_sheet {
            // Within the triangle, or just beside it, and not too far above or below.
            let beside = (p * of_p).min(q * of_q).min((1.0 - p - q) * of_origin);
            return beside.min(-r.abs());
        }
        (p * of_p).min(q * of_q).min(r * of_r).min((1.0 - p - q - r) * of_origin)
    }
}
