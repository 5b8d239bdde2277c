//! Points that stand far over the flesh: each moves with its foot on a boundary triangle, and with the mean stretch of the
//! flesh around that.
//!
//! The stretch is the linear map that fits the motion of the vertices around best, in the sense of least squares: with
//! p their places at rest about their mean and M = Σ p pᵀ it is L = Σ x gᵀ, g = M⁻¹ p. All points over a triangle share it.

use super::tet_finder::{Over, TetFinder};
use sinew_math::{DMat3, DVec3};

/// What carries the points over one boundary triangle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Patch {
    pub corners: [u32; 3],
    /// Vertices around, each with its g.
    vertices: Vec<(u32, DVec3)>,
    /// The points over it.
    pub points: Vec<PatchPoint>,
}

/// A row of the embedding that stands over a patch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PatchPoint {
    pub row: u32,
    pub shares: [f64; 3],
    pub arm: DVec3,
}

impl Patch {
    pub(super) fn new(finder: &TetFinder<'_>, triangle: u32) -> Self {
        let corners = finder.boundary[triangle as usize];
        let around = finder.around(corners);
        let place = |v: &u32| finder.flesh.positions[*v as usize];
        let centre = around.iter().map(place).sum::<DVec3>() / around.len() as f64;
        let moments = around.iter().fold(DMat3::ZERO, |sum, v| {
            let x = place(v) - centre;
            sum + DMat3::from_cols(x * x.x, x * x.y, x * x.z)
        });
        let inverse = moments.inverse();
        let vertices = around.iter().map(|v| (*v, inverse * (place(v) - centre))).collect();
        Self { corners, vertices, points: Vec::new() }
    }

    /// Adds the point of a row; gives its weights, vertices in rising order.
    pub(super) fn add(&mut self, row: u32, Over { shares, arm, .. }: Over) -> Vec<(u32, f64)> {
        self.points.push(PatchPoint { row, shares, arm });
        let mut terms: Vec<(u32, f64)> = self.corners.into_iter().zip(shares).collect();
        terms.extend(self.vertices.iter().map(|(vertex, g)| (*vertex, g.dot(arm))));
        // Stable, so that sums have the same order and bits every time.
        terms.sort_by_key(|term| term.0);
        let sum = |same: &[(u32, f64)]| (same[0].0, same.iter().map(|term| term.1).sum());
        terms.chunk_by(|a, b| a.0 == b.0).map(sum).collect()
    }

    /// L where the flesh is at `flesh`.
    pub(super) fn stretch(&self, flesh: &[DVec3]) -> DMat3 {
        self.vertices.iter().fold(DMat3::ZERO, |sum, (vertex, g)| {
            let x = flesh[*vertex as usize];
            sum + DMat3::from_cols(x * g.x, x * g.y, x * g.z)
        })
    }
}
