//! Flesh → skin: every skin point hangs on the flesh by a row of weights.
//!
//! On tets, the weighted sum of flesh points alone would show every tet as a facet. So each flesh vertex k, with place X_k
//! at rest and x_k now, brings the gradient F_k of the motion around it ([`Stretches`]). A skin point that rests at X hangs
//! on a place p of the flesh, p = Σ b_k X_k: on itself where it lies in a tet, else on the nearest place of the boundary.
//! It is at
//!
//! x = Σ b_k (x_k + ½ F_k (p − X_k)) + Σ b_k F_k (X − p).
//!
//! The error of a linear interpolation at p is ½ Σ b_k H(d_k, d_k), d_k = X_k − p, with the second derivatives H of the
//! motion; that of the tangents x_k − F_k d_k is the same with a minus sign. Their mean, which the first sum is, has
//! neither: it follows quadratic motions where F does. It is the same from both sides of a face, since it hangs on the corners
//! of that alone, and its slopes hardly differ. All of it is linear in the flesh, affine motions are followed exactly,
//! and an inverted tet can do no more harm than its vertices' places do.

mod carry;
mod skin;
mod smooth;
mod stretch;
mod tet_finder;

use crate::distance::TriangleTree;
use crate::{Id, Row, Rows, TetMesh, TriangleMesh};
pub use carry::{CarriedSkin, SkinCarrier};
use rayon::prelude::*;
use sinew_math::DVec3;
pub(crate) use skin::bind;
pub use smooth::SmoothMap;
pub use stretch::Stretches;
pub(crate) use tet_finder::{Binding, TetFinder};

/// A sparse linear map from flesh to skin positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    /// The place of the flesh that each skin point hangs on. Rows sum to 1.
    pub rows: Rows,
    /// On tets; elsewhere skin points are where their rows are.
    smooth: Option<SmoothMap>,
}

impl Embedding {
    /// The skin's vertices are these vertices of the flesh.
    pub fn of_vertices(vertices: &[u32]) -> Self {
        let mut rows = Rows::default();
        for &vertex in vertices {
            rows.push([(vertex, 1.0)]);
        }
        Self::of_rows(rows)
    }

    /// The skin's vertices are these sums of the flesh's degrees of freedom.
    pub fn of_rows(rows: Rows) -> Self {
        Self { rows, smooth: None }
    }

    /// Binds each point to the tet it lies in, or, outside the flesh, to the tets at the nearest place of the boundary. Near gaps between limbs that may be the wrong side: a skin knows better, see [`Embedding::of_skin`].
    pub fn in_tets(points: &[DVec3], flesh: &TetMesh) -> Self {
        let rows = Self::rows_in_tets(points, flesh);
        Self { smooth: Some(SmoothMap::new(points, &rows, flesh)), rows }
    }

    /// The rows of [`Embedding::in_tets`] alone: for values on points, not for their motion.
    pub fn rows_in_tets(points: &[DVec3], flesh: &TetMesh) -> Rows {
        let finder = TetFinder::new(flesh);
        let bound: Vec<_> = points.par_iter().map(|point| finder.nearest(*point)).collect();
        rows_of(&finder, bound)
    }

    /// Binds a skin to the flesh beneath it: points outside the flesh to the tet that is nearest along the skin, not
    /// across a gap.
    pub fn of_skin(skin: &TriangleMesh, flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        let rows = rows_of(&finder, bind(skin, &finder));
        Self { smooth: Some(SmoothMap::new(&skin.positions, &rows, flesh)), rows }
    }

    /// Binds each point to the nearest place of a sheet.
    pub fn in_triangles(points: &[DVec3], positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let tree = TriangleTree::new(positions, triangles);
        let mut rows = Rows::default();
        for point in points {
            let Some(hit) = tree.nearest(*point) else { continue };
            let corners = triangles[hit.triangle as usize];
            let weights = barycentric(corners.map(|v| positions[v as usize]), hit.place);
            rows.push(corners.into_iter().zip(weights.map(|weight| weight as f32)));
        }
        Self::of_rows(rows)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What makes it smooth; none where skin points are where their rows are.
    pub fn smooth(&self) -> Option<&SmoothMap> {
        self.smooth.as_ref()
    }

    /// Skin positions where the flesh is at `flesh`.
    pub fn apply(&self, flesh: &[DVec3], skin: &mut Vec<DVec3>) {
        skin.clear();
        match &self.smooth {
            Some(smooth) => smooth.apply(&self.rows, flesh, skin),
            None => skin.extend((0..self.rows.len()).map(|row| self.rows.at(Row(row as u32), flesh))),
        }
    }

    /// The flesh points that a skin point is the sum of, all told.
    pub fn terms(&self, point: usize) -> Vec<(usize, f64)> {
        let row = self.rows.terms(Row(point as u32));
        match &self.smooth {
            Some(smooth) => smooth.terms(point, row),
            None => row.collect(),
        }
    }
}

fn rows_of(finder: &TetFinder<'_>, bindings: Vec<Binding>) -> Rows {
    let mut rows = Rows::default();
    for binding in bindings {
        match binding {
            Binding::Tet((tet, weights)) => {
                rows.push(finder.flesh.tets[tet.index()].into_iter().zip(weights.map(|w| w as f32)))
            }
            Binding::Over(corners, shares) => rows.push(corners.into_iter().zip(shares.map(|w| w as f32))),
            Binding::Nothing => rows.push([]),
        };
    }
    rows
}

/// Weights of a triangle's corners at a place on it, by shares of its area; the first corner's where it has none.
pub(crate) fn barycentric([a, b, c]: [DVec3; 3], place: DVec3) -> [f64; 3] {
    let whole = (b - a).cross(c - a);
    let twice = whole.length_squared();
    if twice == 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let share = |p: DVec3, q: DVec3| (p - place).cross(q - place).dot(whole) / twice;
    let (of_b, of_c) = (share(c, a), share(a, b));
    [1.0 - of_b - of_c, of_b, of_c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structured::bar;
    use sinew_math::dvec3;

    #[test]
    fn skin_follows_any_affine_motion_of_its_flesh() {
        let flesh = bar(dvec3(1.0, 0.3, 0.2), [5, 2, 2]);
        let points = [dvec3(0.11, 0.05, 0.02), dvec3(-0.4, 0.1, -0.09), dvec3(0.2, 0.25, 0.0), dvec3(0.7, 0.3, 0.4)];
        let skin = Embedding::in_tets(&points, &flesh);
        let moved = |x: DVec3| dvec3(1.2 * x.x + 0.3 * x.y, x.y - 0.5 * x.z, 2.0 * x.z + 1.0);
        let flesh_now: Vec<DVec3> = flesh.positions.iter().map(|x| moved(*x)).collect();
        let mut now = Vec::new();
        skin.apply(&flesh_now, &mut now);
        for (point, now) in points.iter().zip(&now) {
            assert!(now.distance(moved(*point)) < 1e-6, "{point} went to {now}");
        }
    }

    #[test]
    fn a_finer_skin_follows_any_affine_motion_of_its_sheet() {
        let sheet = crate::structured::cloth(1.0, 0.6, [5, 3]);
        let skin = crate::structured::cloth(1.0, 0.6, [17, 11]);
        let bound = Embedding::in_triangles(&skin.positions, &sheet.positions, &sheet.triangles);
        let moved = |x: DVec3| dvec3(1.2 * x.x + 0.3 * x.z, x.x - 0.5 * x.z, 2.0 * x.z + 1.0);
        let now: Vec<DVec3> = sheet.positions.iter().map(|x| moved(*x)).collect();
        let mut followed = Vec::new();
        bound.apply(&now, &mut followed);
        assert_eq!(followed.len(), skin.positions.len());
        for (x, now) in skin.positions.iter().zip(&followed) {
            assert!(now.distance(moved(*x)) < 1e-6, "{x} went to {now}");
        }
    }
}
