//! The smoothest field on a mesh that passes through given values: it knows the material, not the space around it, so that
//! two limbs that lie side by side do not see each other.
//!
//! Minimises ∫|∇²f|² over the body plus penalties on the constraints. Smoothness is measured as in interior penalty methods
//! (Brenner, Sung. "C⁰ Interior Penalty Methods for Fourth Order Elliptic Boundary Value Problems". J. Sci. Comput. 2005): a piecewise linear
//! f has no second derivatives but kinks, and the kink across a facet over the distance between the cells' centres is the
//! second derivative there.
//!
//! | here      | meaning                                                               | unit  |
//! |-----------|-----------------------------------------------------------------------|-------|
//! | `kink`    | jump of the slope across a facet, as weights of the vertices around    | 1/m   |
//! | `size_m`  | root of the body's measure (cube root of volume, root of area)         | m     |
//! | `TENSION` | share of ∫\|∇f\|²: decides slopes that no constraint decides           | –     |
//! | `REST`    | share of ∫f²: decides values where nothing is connected to any constraint | – |
//!
//! Unlike the Laplacian's (with its free boundary), this energy is zero for linear fields and only for them, so that the
//! gradient keeps its length and direction up to the surface; and unlike a harmonic field's, its point constraints do not
//! shrink to spikes on finer meshes.
//!
//! The pattern of the matrix does not depend on constraints, which lie within cells: it is analysed once per mesh, and one
//! more stroke costs one numeric factorisation. Vector fields share it.
//!
//! Limits: on meshes with all facets in few directions, smoothness is measured in these directions only. Constraints are met to
//! about a thousandth of their spread, and contradicting ones at their mean; several in one cell may contradict each other.

use crate::distance::TriangleTree;
use crate::embedding::{TetFinder, barycentric};
use crate::{TetMesh, TriangleMesh};
use sinew_math::DVec3;
use sinew_math::sparse::{Analysis, FactorError, SymmetricMatrix};

const TENSION: f64 = 1e-5;
const REST: f64 = 1e-9;
/// Against an energy of order 1 for a field that turns once over the body.
const PENALTY: f64 = 1e5;

/// A mesh made ready for fields: its energy matrix, analysed.
#[derive(Debug, Clone)]
pub struct SmoothField {
    mesh: Mesh,
    energy: SymmetricMatrix,
    analysis: Analysis,
}

#[derive(Debug, Clone)]
enum Mesh {
    Tets(Box<TetFinder<'static>>),
    Sheet(TriangleMesh),
}

/// A material point as a weighted sum of the vertices of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialPoint {
    vertices: [u32; 4],
    weights: [f64; 4],
}

impl MaterialPoint {
    /// The vertices with their weights, which sum to 1.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + Clone {
        let terms = self.vertices.into_iter().zip(self.weights);
        terms.filter(|(_, weight)| *weight != 0.0).map(|(vertex, weight)| (vertex as usize, weight))
    }

    /// A field's value there.
    pub fn value(&self, field: &[f64]) -> f64 {
        self.terms().map(|(vertex, weight)| weight * field[vertex]).sum()
    }

    /// Where it is while the vertices are at `positions`.
    pub(super) fn place(&self, positions: &[DVec3]) -> DVec3 {
        self.terms().map(|(vertex, weight)| positions[vertex] * weight).sum()
    }

    /// The corners of its cell; those of a triangle with one of them twice.
    pub(super) fn corners(&self) -> [u32; 4] {
        self.vertices
    }

    /// A vertex of the mesh.
    pub fn vertex(vertex: u32) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0] }
    }
}

impl SmoothField {
    pub fn in_tets(mesh: &TetMesh) -> Result<Self, FactorError> {
        let energy = energy(&mesh.positions, &mesh.tets, tet_slopes);
        let analysis = Analysis::new(&energy)?;
        Ok(Self { mesh: Mesh::Tets(Box::new(TetFinder::owning(mesh.clone()))), energy, analysis })
    }

    pub fn on_sheet(sheet: &TriangleMesh) -> Result<Self, FactorError> {
        let energy = energy(&sheet.positions, &sheet.triangles, triangle_slopes);
        let analysis = Analysis::new(&energy)?;
        Ok(Self { mesh: Mesh::Sheet(sheet.clone()), energy, analysis })
    }

    pub fn vertex_count(&self) -> usize {
        self.energy.size()
    }

    /// Where points lie in the material; those outside count as the place of the surface that is nearest.
    pub fn places(&self, points: &[DVec3]) -> Vec<MaterialPoint> {
        match &self.mesh {
            Mesh::Tets(finder) => {
                let mesh = &finder.flesh;
                let place = |point: &DVec3| match finder.containing(*point) {
                    Some((tet, weights)) => {
                        MaterialPoint { vertices: mesh.corners(tet).map(|vertex| vertex.0), weights }
                    }
                    None => on_surface(&mesh.positions, &finder.boundary, &finder.boundary_tree, *point),
                };
                points.iter().map(place).collect()
            }
            Mesh::Sheet(sheet) => {
                let tree = TriangleTree::new(&sheet.positions, &sheet.triangles);
                points.iter().map(|point| on_surface(&sheet.positions, &sheet.triangles, &tree, *point)).collect()
            }
        }
    }

    /// Fields through `values[k]` at `places[k]`, `N` of them over the same places. Without places all are zero.
    pub fn through<const N: usize>(
        &self,
        places: &[MaterialPoint],
        values: &[[f64; N]],
    ) -> Result<[Vec<f64>; N], FactorError> {
        let size = self.vertex_count();
        let mut matrix = self.energy.clone();
        let mut right = vec![0.0; N * size];
        for (place, value) in places.iter().zip(values) {
            for (a, weight_a) in place.terms() {
                for (b, weight_b) in place.terms().filter(|(b, _)| *b >= a) {
                    let slot = matrix.slot(a as u32, b as u32).ok_or(FactorError::OtherPattern)?;
                    matrix.values_mut()[slot] += PENALTY * weight_a * weight_b;
                }
                for (n, value) in value.iter().enumerate() {
                    right[n * size + a] += PENALTY * weight_a * value;
                }
            }
        }
        self.analysis.factor(&matrix)?.solve(&mut right);
        Ok(std::array::from_fn(|n| right[n * size..(n + 1) * size].to_vec()))
    }
}

fn on_surface(positions: &[DVec3], triangles: &[[u32; 3]], tree: &TriangleTree, point: DVec3) -> MaterialPoint {
    let Some(hit) = tree.nearest(point) else { return MaterialPoint::vertex(0) };
    let [a, b, c] = triangles[hit.triangle as usize];
    let [wa, wb, wc] = barycentric([a, b, c].map(|v| positions[v as usize]), hit.place);
    MaterialPoint { vertices: [a, b, c, a], weights: [wa, wb, wc, 0.0] }
}

/// Slopes of the hat functions of a cell's corners, and the cell's measure.
pub(super) type Slopes<const K: usize> = ([DVec3; K], f64);

pub(super) fn tet_slopes([a, b, c, d]: [DVec3; 4]) -> Slopes<4> {
    let volume6 = (b - a).dot((c - a).cross(d - a));
    let slope = |p: DVec3, q: DVec3, r: DVec3| (q - p).cross(r - p) / volume6;
    // Each points from the opposite face, seen from outside clockwise, to its corner.
    ([slope(b, d, c), slope(a, c, d), slope(a, d, b), slope(a, b, c)], volume6 / 6.0)
}

pub(super) fn triangle_slopes([a, b, c]: [DVec3; 3]) -> Slopes<3> {
    let normal = (b - a).cross(c - a);
    let squared = normal.length_squared().max(f64::MIN_POSITIVE);
    let slope = |from: DVec3, to: DVec3| normal.cross(to - from) / squared;
    ([slope(b, c), slope(c, a), slope(a, b)], 0.5 * squared.sqrt())
}

/// The matrix of size⁴/measure (∫|∇²f|² + TENSION/size² ∫|∇f|² + REST/size⁴ ∫f²), without units.
fn energy<const K: usize>(
    positions: &[DVec3],
    cells: &[[u32; K]],
    slopes: impl Fn([DVec3; K]) -> Slopes<K>,
) -> SymmetricMatrix {
    let dimensions = (K - 1) as f64;
    let slopes: Vec<Slopes<K>> = cells.iter().map(|cell| slopes(cell.map(|v| positions[v as usize]))).collect();
    let measure: f64 = slopes.iter().map(|s| s.1).sum();
    let size2 = sinew_math::libm::pow(measure, 2.0 / dimensions);
    let scale = size2 * size2 / measure;
    // Vertices without a cell have a value too.
    let mut entries: Vec<(u32, u32, f64)> = (0..positions.len() as u32).map(|v| (v, v, REST)).collect();
    for (cell, (slope, measure)) in cells.iter().zip(&slopes) {
        for i in 0..K {
            entries.push((cell[i], cell[i], measure / (dimensions + 1.0) * REST / (size2 * size2) * scale));
            for j in 0..=i {
                entries.push((cell[i], cell[j], measure * slope[i].dot(slope[j]) * TENSION / size2 * scale));
            }
        }
    }
    for [(cell, corner), (other, other_corner)] in facets(cells) {
        let mut kink: Vec<(u32, f64)> = Vec::with_capacity(2 * K);
        let mut apart_m = 0.0;
        let mut facet = f64::INFINITY;
        for (cell, corner) in [(cell, corner), (other, other_corner)] {
            let (slope, measure) = &slopes[cell];
            let steep = slope[corner].length();
            apart_m += 1.0 / (steep * (dimensions + 1.0));
            facet = facet.min(dimensions * measure * steep);
            kink.extend((0..K).map(|i| (cells[cell][i], -slope[i].dot(slope[corner]) / steep)));
        }
        // The corners of the facet stand in both cells.
        kink.sort_by_key(|term| term.0);
        let kink: Vec<(u32, f64)> =
            kink.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|term| term.1).sum())).collect();
        for (i, a) in kink.iter().enumerate() {
            entries.extend(kink[..=i].iter().map(|b| (a.0, b.0, scale * facet / apart_m * a.1 * b.1)));
        }
    }
    SymmetricMatrix::from_entries(positions.len(), entries)
}

/// Facets between two cells: each as its cells, and which corner of the cell lies opposite.
fn facets<const K: usize>(cells: &[[u32; K]]) -> Vec<[(usize, usize); 2]> {
    let mut sides: Vec<([u32; K], usize, usize)> = Vec::with_capacity(K * cells.len());
    for (n, cell) in cells.iter().enumerate() {
        for corner in 0..K {
            let mut facet = *cell;
            facet[corner] = u32::MAX;
            facet.sort_unstable();
            sides.push((facet, n, corner));
        }
    }
    sides.sort_unstable();
    let pairs = sides.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() >= 2);
    pairs.flat_map(|same| same.windows(2).map(|pair| [(pair[0].1, pair[0].2), (pair[1].1, pair[1].2)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Shape;
    use crate::structured::{bar, cloth};
    use crate::stuffing::{Fineness, stuff};
    use sinew_math::{dvec3, libm::sin};

    fn linear(x: DVec3) -> f64 {
        0.3 + x.dot(dvec3(0.4, -0.7, 0.2))
    }

    #[test]
    fn linear_fields_are_reproduced_from_a_few_points() {
        let ball = stuff(&Shape::sphere(0.5), Fineness::Vertices(400)).unwrap().mesh;
        for mesh in [ball, bar(dvec3(1.0, 0.4, 0.3), [10, 4, 3])] {
            let points = [
                dvec3(0.1, 0.05, 0.1),
                dvec3(-0.3, 0.1, 0.0),
                dvec3(0.2, -0.15, 0.1),
                dvec3(0.0, 0.1, -0.12),
                dvec3(0.3, 0.0, 0.0),
            ];
            let prepared = SmoothField::in_tets(&mesh).unwrap();
            let [field] = prepared.through(&prepared.places(&points), &points.map(|x| [linear(x)])).unwrap();
            let errors = field.iter().zip(&mesh.positions).map(|(f, x)| (f - linear(*x)).abs());
            let worst = errors.fold(0.0, f64::max);
            assert!(worst < 1e-4, "{worst:e}");
        }
    }

    #[test]
    fn constraints_are_met_and_the_field_is_smooth_between() {
        let mesh = bar(dvec3(1.0, 0.3, 0.3), [20, 6, 6]);
        let wave = |x: DVec3| sin(4.0 * x.x);
        let points: Vec<DVec3> = (0..21).map(|i| dvec3(f64::from(i) * 0.05 - 0.5, 0.11, 0.04)).collect();
        let prepared = SmoothField::in_tets(&mesh).unwrap();
        let places = prepared.places(&points);
        let [field] = prepared.through(&places, &points.iter().map(|x| [wave(*x)]).collect::<Vec<_>>()).unwrap();
        for (place, x) in places.iter().zip(&points) {
            assert!((place.value(&field) - wave(*x)).abs() < 5e-3, "{x}");
        }
        // The values were given on a line; away from it the field goes on across the bar.
        let worst = field.iter().zip(&mesh.positions).map(|(f, x)| (f - wave(*x)).abs()).fold(0.0, f64::max);
        assert!(worst < 0.2, "{worst}");
    }

    /// Two prongs a hand's breadth apart in space and far apart in the material: painting one leaves the other alone.
    #[test]
    fn limbs_that_lie_side_by_side_do_not_see_each_other() {
        let whole = bar(dvec3(0.5, 1.0, 0.2), [10, 20, 4]);
        let is_prong = |x: DVec3| x.y > -0.3;
        let keep = |tet: &&[u32; 4]| {
            let centre = tet.iter().map(|v| whole.positions[*v as usize]).sum::<DVec3>() / 4.0;
            !is_prong(centre) || centre.x.abs() > 0.05
        };
        let tets: Vec<[u32; 4]> = whole.tets.iter().filter(keep).copied().collect();
        let mesh = TetMesh { positions: whole.positions.clone(), tets };
        let prepared = SmoothField::in_tets(&mesh).unwrap();
        let down = |x: f64| (0..10).map(move |i| dvec3(x, 0.5 - 0.03 * f64::from(i), 0.0));
        let painted: Vec<DVec3> = down(-0.06).chain(down(-0.2)).collect();
        let base = [dvec3(-0.2, -0.45, 0.0), dvec3(0.2, -0.45, 0.0), dvec3(0.0, -0.45, 0.1)];
        let points: Vec<DVec3> = painted.iter().copied().chain(base).chain(down(0.2)).collect();
        let values: Vec<[f64; 1]> = (0..points.len()).map(|i| [if i < painted.len() { 1.0 } else { 0.0 }]).collect();
        let [field] = prepared.through(&prepared.places(&points), &values).unwrap();
        let across = prepared.places(&[dvec3(0.06, 0.4, 0.0), dvec3(0.06, 0.2, 0.0)]);
        let worst = across.iter().map(|place| place.value(&field).abs()).fold(0.0, f64::max);
        assert!(worst < 0.12, "{worst} on the other prong, 0.12 m away");
        let rbf = crate::field::Rbf::through(&points, &values, 0.0).unwrap();
        assert!(rbf.value(dvec3(0.06, 0.4, 0.0))[0] > 0.4, "a field of space alone leaks");
    }

    #[test]
    fn a_sheet_has_fields_too() {
        let sheet = cloth(1.0, 1.0, [12, 12]);
        let prepared = SmoothField::on_sheet(&sheet).unwrap();
        let points = [dvec3(-0.4, 0.0, -0.4), dvec3(0.4, 0.0, -0.3), dvec3(0.1, 0.0, 0.4), dvec3(0.0, 0.0, 0.0)];
        let [field] = prepared.through(&prepared.places(&points), &points.map(|x| [linear(x)])).unwrap();
        let worst = field.iter().zip(&sheet.positions).map(|(f, x)| (f - linear(*x)).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-4, "{worst:e}");
    }

    #[test]
    fn few_constraints_and_none_still_give_a_field() {
        let prepared = SmoothField::in_tets(&bar(DVec3::ONE, [3, 3, 3])).unwrap();
        let [field] = prepared.through(&prepared.places(&[DVec3::ZERO]), &[[0.7]]).unwrap();
        assert!(field.iter().all(|f| (f - 0.7).abs() < 1e-3), "{field:?}");
        let [field] = prepared.through::<1>(&[], &[]).unwrap();
        assert!(field.iter().all(|f| *f == 0.0));
    }
}
