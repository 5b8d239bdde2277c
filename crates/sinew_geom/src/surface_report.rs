//! What is wrong with a surface, and where: counts and first places, before anything is made of it.

use crate::TriangleMesh;
use crate::adjacency::components;
use crate::distance::TriangleTree;
use crate::distance::orient::{orient, sides, weld};
use crate::stuffing::Places;
use sinew_math::DVec3;

/// Triangles looked at for crossings; of larger surfaces, a sample spread over all.
const CROSSINGS_LOOKED_AT: usize = 20_000;

/// Nodes of the tree that are looked at for crossings. An ordinary surface takes about fifty to an edge, three million in all;
/// a fan of thousands of triangles, or as many in one spot, would take millions to an edge.
const CROSSING_NODES: u64 = 20_000_000;

/// Faults of a surface. None of them keeps the mesher from making a body of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceReport {
    pub vertices: usize,
    pub triangles: usize,
    /// Parts that share no vertex, doubled vertices counted as one.
    pub pieces: usize,
    /// Loops of edges with one triangle.
    pub holes: usize,
    /// Edges with one triangle.
    pub open_edges: Places,
    /// Edges with three triangles or more.
    pub crowded_edges: Places,
    /// Vertices at the place of an earlier one.
    pub doubled_vertices: Places,
    /// Vertices that no triangle uses.
    pub loose_vertices: Places,
    /// Triangles without area.
    pub flat_triangles: Places,
    /// Edges whose two triangles face opposite ways.
    pub turned_edges: Places,
    /// Triangles to turn so that neighbours face alike, outwards.
    pub turned_triangles: usize,
    /// Triangles that another one cuts; of large surfaces only a sample is looked at.
    pub crossings: Places,
}

impl SurfaceReport {
    pub fn of(mesh: &TriangleMesh) -> Self {
        let mut report = Self { vertices: mesh.positions.len(), triangles: mesh.triangles.len(), ..Self::default() };
        report.look_at_vertices(mesh);
        let oriented = orient(mesh);
        report.turned_triangles = oriented.turned;
        report.pieces = oriented.pieces.iter().max().map_or(0, |last| *last as usize + 1);
        let welded = weld(&mesh.positions);
        let triangles: Vec<[u32; 3]> = mesh
            .triangles
            .iter()
            .map(|t| t.map(|v| welded[v as usize]))
            .filter(|&[a, b, c]| a != b && b != c && c != a)
            .collect();
        report.look_at_edges(&mesh.positions, &triangles);
        report.look_for_crossings(&mesh.positions, &triangles);
        report
    }

    /// Whether the surface encloses a body without any repair.
    pub fn is_clean(&self) -> bool {
        let places = [
            &self.open_edges,
            &self.crowded_edges,
            &self.doubled_vertices,
            &self.loose_vertices,
            &self.flat_triangles,
            &self.turned_edges,
            &self.crossings,
        ];
        self.turned_triangles == 0 && places.iter().all(|places| places.count == 0)
    }

    fn look_at_vertices(&mut self, mesh: &TriangleMesh) {
        /// Area over squared edge below which a triangle has no normal worth the name.
        const FLAT: f64 = 1e-12;
        let mut is_used = vec![false; mesh.positions.len()];
        for (n, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
            let edge_squared = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
            if mesh.area_vector2(n).length() <= FLAT * edge_squared {
                self.flat_triangles.note(a);
            }
            triangle.iter().for_each(|v| is_used[*v as usize] = true);
        }
        for (n, first) in weld(&mesh.positions).into_iter().enumerate() {
            if first as usize != n {
                self.doubled_vertices.note(mesh.positions[n]);
            }
            if !is_used[n] {
                self.loose_vertices.note(mesh.positions[n]);
            }
        }
    }

    fn look_at_edges(&mut self, positions: &[DVec3], triangles: &[[u32; 3]]) {
        let mut open: Vec<[u32; 2]> = Vec::new();
        for same in sides(triangles).chunk_by(|a, b| a.0 == b.0) {
            let [a, b] = same[0].0;
            let middle = 0.5 * (positions[a as usize] + positions[b as usize]);
            match same {
                [_] => {
                    open.push([a, b]);
                    self.open_edges.note(middle);
                }
                [(_, _, up), (_, _, other_up)] => {
                    if up == other_up {
                        self.turned_edges.note(middle);
                    }
                }
                _ => self.crowded_edges.note(middle),
            }
        }
        let loops = components(positions.len(), &open);
        let mut names: Vec<u32> = open.iter().map(|edge| loops[edge[0] as usize]).collect();
        names.sort_unstable();
        names.dedup();
        self.holes = names.len();
    }

    fn look_for_crossings(&mut self, positions: &[DVec3], triangles: &[[u32; 3]]) {
        let mut budget = CROSSING_NODES;
        let tree = TriangleTree::new(positions, triangles);
        let stride = triangles.len().div_ceil(CROSSINGS_LOOKED_AT).max(1);
        for triangle in triangles.iter().step_by(stride) {
            let shares_vertex = |other: u32| triangles[other as usize].iter().any(|v| triangle.contains(v));
            let corners = triangle.map(|v| positions[v as usize]);
            let hit = (0..3).find_map(|n| {
                let (from, to) = (corners[n], corners[(n + 1) % 3]);
                tree.cut_by(from, to, &mut budget, |t| !shares_vertex(t))
            });
            if let Some(place) = hit {
                self.crossings.note(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::capsule;
    use sinew_math::dvec3;

    #[test]
    fn a_clean_surface_has_nothing_to_report() {
        let report = SurfaceReport::of(&capsule(0.5, 0.3, 24));
        assert!(report.is_clean(), "{report:?}");
        assert_eq!((report.pieces, report.holes), (1, 0));
    }

    #[test]
    fn every_kind_of_dirt_is_counted_with_its_place() {
        let clean = capsule(0.5, 0.0, 24);
        let mut dirty = clean.clone();
        let base = clean.positions.len() as u32;
        // A second ball that crosses the first.
        dirty.positions.extend(clean.positions.iter().map(|x| *x + dvec3(0.55, 0.03, 0.01)));
        dirty.triangles.extend(clean.triangles.iter().map(|t| t.map(|v| v + base)));
        // A hole, a turned triangle, a flat one, a doubled and a loose vertex.
        dirty.triangles.remove(100);
        dirty.triangles[40].swap(0, 1);
        dirty.triangles.push([3, 3, 4]);
        let doubled = dirty.positions.len() as u32;
        dirty.positions.push(clean.positions[7]);
        dirty.positions.push(dvec3(9.0, 9.0, 9.0));
        let seven = dirty.triangles.iter().position(|t| t.contains(&7)).unwrap();
        dirty.triangles[seven] = dirty.triangles[seven].map(|v| if v == 7 { doubled } else { v });
        let report = SurfaceReport::of(&dirty);
        assert_eq!((report.pieces, report.holes, report.open_edges.count), (2, 1, 3));
        assert_eq!((report.turned_edges.count, report.turned_triangles), (3, 1));
        assert_eq!((report.flat_triangles.count, report.doubled_vertices.count), (1, 1));
        assert_eq!(report.loose_vertices.first, [dvec3(9.0, 9.0, 9.0)]);
        assert!(report.crossings.count > 10 && !report.is_clean());
        let seam = report.crossings.first[0];
        assert!((seam.length() - 0.5).abs() < 0.02, "{seam}");
    }
}
