//! Where a body is expected at the end of the interval, in the form that searching likes.

use super::boxes::{Bounds, BoxLanes, LANES, PointLanes};
use super::surface::ContactSurface;
use crate::BodyState;
use sinew_math::DVec3;

/// One body over one interval: scratch that is written anew in every step.
#[derive(Debug)]
pub(super) struct Placed {
    /// x + h v in f32 about the middle of the stage.
    pub(super) points: Vec<[f32; 4]>,
    pub(super) vertices: Vec<PointLanes>,
    pub(super) vertex_boxes: Vec<Bounds>,
    /// Boxes of cells, chunk by chunk, and of whole chunks; only chunks that are `near` another body have them.
    pub(super) cells: Vec<BoxLanes>,
    pub(super) cell_boxes: Vec<Bounds>,
    /// Around everything, without margin.
    pub(super) bounds: Bounds,
}

impl Placed {
    pub(super) fn new(surface: &ContactSurface) -> Self {
        let (vertex_chunks, cell_chunks) =
            (surface.vertices.len().div_ceil(LANES), surface.cells.len().div_ceil(LANES));
        Self {
            points: vec![[0.0; 4]; surface.rest.len()],
            vertices: vec![PointLanes::NOWHERE; vertex_chunks],
            vertex_boxes: vec![Bounds::NOTHING; vertex_chunks],
            cells: vec![BoxLanes::NOTHING; cell_chunks],
            cell_boxes: vec![Bounds::NOTHING; cell_chunks],
            bounds: Bounds::NOTHING,
        }
    }

    /// Predicts every point and finds the boxes around chunks of vertices.
    pub(super) fn place(&mut self, surface: &ContactSurface, state: &BodyState, h_secs: f64, middle: DVec3) {
        for ((point, x), v) in self.points.iter_mut().zip(&state.x).zip(&state.v) {
            let p = *x + *v * h_secs - middle;
            *point = [p.x as f32, p.y as f32, p.z as f32, 0.0];
        }
        self.bounds = Bounds::NOTHING;
        let chunks = surface.vertices.chunks(LANES).zip(&mut self.vertices).zip(&mut self.vertex_boxes);
        for ((chunk, lanes), bounds) in chunks {
            *bounds = Bounds::NOTHING;
            for (lane, &vertex) in chunk.iter().enumerate() {
                let p = &self.points[vertex as usize];
                bounds.add(p);
                for axis in 0..3 {
                    lanes.at[axis][lane] = p[axis];
                }
            }
            self.bounds.join(bounds);
        }
    }

    /// Boxes of cells, grown by the margin, where they may meet one of the `others`.
    pub(super) fn box_cells(&mut self, surface: &ContactSurface, others: impl Iterator<Item = Bounds> + Clone) {
        let margin = surface.margin_m as f32;
        for (number, cells) in surface.cells.chunks(LANES).enumerate() {
            let mut whole = Bounds::NOTHING;
            surface.chunk_points(number).iter().for_each(|&p| whole.add(&self.points[p as usize]));
            let whole = whole.grown(margin);
            if !others.clone().any(|other| other.meets(&whole)) {
                self.cell_boxes[number] = Bounds::NOTHING;
                continue;
            }
            self.cell_boxes[number] = whole;
            for (lane, corners) in cells.iter().enumerate() {
                let mut bounds = Bounds::NOTHING;
                corners.iter().for_each(|&corner| bounds.add(&self.points[corner as usize]));
                self.cells[number].set(lane, &bounds.grown(margin));
            }
        }
    }
}
