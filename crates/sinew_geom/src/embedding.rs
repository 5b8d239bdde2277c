//! Flesh → skin: every skin point as a row over the flesh's degrees of freedom.

use crate::{Row, Rows, TetMesh};
use sinew_math::{DMat3, DVec3};

/// A sparse linear map from flesh to skin positions. Rows sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    pub rows: Rows,
}

impl Embedding {
    /// The skin's vertices are these vertices of the flesh.
    pub fn of_vertices(vertices: &[u32]) -> Self {
        let mut rows = Rows::default();
        for &vertex in vertices {
            rows.push([(vertex, 1.0)]);
        }
        Self { rows }
    }

    /// Binds each point to the tet it lies in, or, outside the flesh, to the nearest one by extrapolation.
    ///
    /// Nearest means least negative barycentric weight scaled by the tet's size, which is the distance to its
    /// planes; near gaps between limbs it may choose the wrong side.
    pub fn in_tets(points: &[DVec3], flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        let mut rows = Rows::default();
        for point in points {
            let (tet, weights) = finder.find(*point);
            rows.push(flesh.tets[tet].into_iter().zip(weights.map(|w| w as f32)));
        }
        Self { rows }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Skin positions where the flesh is at `flesh`.
    pub fn apply(&self, flesh: &[DVec3], skin: &mut Vec<DVec3>) {
        skin.clear();
        skin.extend((0..self.rows.len()).map(|row| self.rows.at(Row(row as u32), flesh)));
    }
}

struct TetFinder<'a> {
    flesh: &'a TetMesh,
    inverse_edges: Vec<DMat3>,
    height_m: Vec<f64>,
    centre: Vec<DVec3>,
    reach_m: Vec<f64>,
}

impl<'a> TetFinder<'a> {
    fn new(flesh: &'a TetMesh) -> Self {
        let edges: Vec<DMat3> = (0..flesh.tets.len()).map(|tet| flesh.edge_matrix(tet)).collect();
        let corners = |tet: &[u32; 4]| tet.map(|v| flesh.positions[v as usize]);
        let centre: Vec<DVec3> = flesh.tets.iter().map(|tet| corners(tet).iter().sum::<DVec3>() / 4.0).collect();
        let reach = flesh
            .tets
            .iter()
            .zip(&centre)
            .map(|(tet, c)| corners(tet).iter().map(|x| x.distance(*c)).fold(0.0, f64::max));
        Self {
            flesh,
            inverse_edges: edges.iter().map(DMat3::inverse).collect(),
            height_m: edges.iter().map(|e| e.determinant().abs().cbrt()).collect(),
            reach_m: reach.collect(),
            centre,
        }
    }

    /// The tet that holds `point` best, and the point's barycentric weights in it.
    fn find(&self, point: DVec3) -> (usize, [f64; 4]) {
        let mut best = (f64::INFINITY, 0, [0.0; 4]);
        for tet in 0..self.centre.len() {
            if self.centre[tet].distance(point) - self.reach_m[tet] > best.0 {
                continue;
            }
            let weights = self.barycentric(tet, point);
            let outside_m = weights.iter().fold(0.0, |out: f64, w| out.max(-w)) * self.height_m[tet];
            if outside_m < best.0 {
                best = (outside_m, tet, weights);
            }
        }
        (best.1, best.2)
    }

    fn barycentric(&self, tet: usize, point: DVec3) -> [f64; 4] {
        let local = self.inverse_edges[tet] * (point - self.flesh.positions[self.flesh.tets[tet][0] as usize]);
        [1.0 - local.x - local.y - local.z, local.x, local.y, local.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn skin_follows_any_affine_motion_of_its_flesh() {
        let flesh = bar(dvec3(1.0, 0.3, 0.2), [5, 2, 2]);
        let points = [dvec3(0.11, 0.05, 0.02), dvec3(-0.4, 0.1, -0.09), dvec3(0.2, 0.25, 0.0)];
        let skin = Embedding::in_tets(&points, &flesh);
        let moved = |x: DVec3| dvec3(1.2 * x.x + 0.3 * x.y, x.y - 0.5 * x.z, 2.0 * x.z + 1.0);
        let flesh_now: Vec<DVec3> = flesh.positions.iter().map(|x| moved(*x)).collect();
        let mut now = Vec::new();
        skin.apply(&flesh_now, &mut now);
        for (point, now) in points.iter().zip(&now) {
            assert!(now.distance(moved(*point)) < 1e-6, "{point} went to {now}");
        }
    }
}
