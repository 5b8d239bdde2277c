//! Flesh → skin: every skin point as a row over the flesh's degrees of freedom.

mod skin;
mod tet_finder;

use crate::{Row, Rows, TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::DVec3;
use tet_finder::TetFinder;

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

    /// Binds each point to the tet it lies in, or, outside the flesh, extrapolates from a tet at the nearest place of the
    /// boundary. Near gaps between limbs that may be the wrong side: a skin knows better, see [`Embedding::of_skin`].
    pub fn in_tets(points: &[DVec3], flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        let bound: Vec<_> = points.par_iter().map(|point| finder.nearest(*point)).collect();
        Self::of_tets(flesh, &bound)
    }

    /// Binds a skin to the flesh beneath it: points outside the flesh to the tet that is nearest along the skin, not
    /// across a gap.
    pub fn of_skin(skin: &TriangleMesh, flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        Self::of_tets(flesh, &skin::bind(skin, &finder))
    }

    fn of_tets(flesh: &TetMesh, bound: &[(u32, [f64; 4])]) -> Self {
        let mut rows = Rows::default();
        for (tet, weights) in bound {
            rows.push(flesh.tets[*tet as usize].into_iter().zip(weights.map(|w| w as f32)));
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
