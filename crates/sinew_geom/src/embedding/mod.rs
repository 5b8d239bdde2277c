//! Flesh → skin: every skin point as a row over the flesh's degrees of freedom.

mod carry;
mod patch;
mod skin;
mod tet_finder;

use crate::distance::TriangleTree;
use crate::{Id, Row, Rows, TetMesh, TriangleMesh};
pub use carry::{CarriedSkin, SkinCarrier};
use patch::Patch;
use rayon::prelude::*;
use sinew_math::DVec3;
use std::collections::HashMap;
use tet_finder::Binding;
pub(crate) use tet_finder::TetFinder;

/// A sparse linear map from flesh to skin positions. Rows sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    pub rows: Rows,
    /// How the rows came about that stand far over the flesh.
    patches: Vec<Patch>,
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
        Self { rows, patches: Vec::new() }
    }

    /// Binds each point to the tet it lies in, or, outside the flesh, to the tets at the nearest place of the boundary. Near gaps between limbs that may be the wrong side: a skin knows better, see [`Embedding::of_skin`].
    pub fn in_tets(points: &[DVec3], flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        let bound: Vec<_> = points.par_iter().map(|point| finder.nearest(*point)).collect();
        Self::of_bindings(&finder, bound)
    }

    /// Binds a skin to the flesh beneath it: points outside the flesh to the tet that is nearest along the skin, not
    /// across a gap.
    pub fn of_skin(skin: &TriangleMesh, flesh: &TetMesh) -> Self {
        let finder = TetFinder::new(flesh);
        Self::of_bindings(&finder, skin::bind(skin, &finder))
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

    fn of_bindings(finder: &TetFinder<'_>, bindings: Vec<Binding>) -> Self {
        let (mut rows, mut patches) = (Rows::default(), Vec::<Patch>::new());
        let mut of_triangle: HashMap<u32, usize> = HashMap::new();
        for binding in bindings {
            match binding {
                Binding::Tet((tet, weights)) => {
                    rows.push(finder.flesh.tets[tet.index()].into_iter().zip(weights.map(|w| w as f32)))
                }
                Binding::Over(over) => {
                    let patch = *of_triangle.entry(over.triangle).or_insert_with(|| {
                        patches.push(Patch::new(finder, over.triangle));
                        patches.len() - 1
                    });
                    let terms = patches[patch].add(rows.len() as u32, over);
                    rows.push(terms.into_iter().map(|(vertex, weight)| (vertex, weight as f32)))
                }
                Binding::Nothing => rows.push([]),
            };
        }
        Self { rows, patches }
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
