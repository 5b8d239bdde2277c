//! Distance from points, measured inside a mesh: through the tetrahedra of a body or over the triangles of a sheet, around
//! gaps and holes.
//!
//! Kimmel, Sethian. "Computing Geodesic Paths on Manifolds". PNAS 1998 (fast marching on triangles), with the virtual sources
//! of Novotni, Klein. "Computing Geodesic Distances on Triangular Meshes". WSCG 2002, in three dimensions: from the
//! distances of a face's three corners, the source is the point that has these distances from them, on the far side of the
//! face. If the straight line from there to the fourth corner passes through the face, its length is that corner's
//! distance. So lines of sight are exact, and only what lies in the shadow of a gap is approximate.
//!
//! | here    | meaning                                                        |
//! |---------|----------------------------------------------------------------|
//! | `known` | corners of a cell and their distances                          |
//! | `foot`  | the virtual source dropped onto the face or edge               |
//! | `depth` | how far behind the face or edge it lies                        |
//!
//! Departures: vertices are opened again when a shorter way is found, so that obtuse cells need no splitting. A line that
//! misses the face takes its edges instead, unfolded about them, and at last their ends.
//!
//! Limits: behind a bend the wave seems to come from farther off than the bend, which is accurate to first order in the size of cells.

use super::MaterialPoint;
use super::nearest_first::NearestFirst;
use crate::adjacency::boundary_triangles;
use crate::distance::bvh::nearest_on_triangle;
use crate::{TetMesh, TriangleMesh};
use sinew_math::{DMat3, DVec3};

/// Distance of every vertex from the nearest of `sources`, inside the mesh; infinite where nothing connects them.
/// A source outside the mesh counts as the place of its surface that is nearest.
pub fn mesh_distance(mesh: &TetMesh, sources: &[DVec3]) -> Vec<f64> {
    MeshDistance::in_tets(mesh).from_points(sources)
}

/// A mesh made ready to be measured many times.
#[derive(Debug, Clone)]
pub struct MeshDistance {
    positions: Vec<DVec3>,
    cells: Cells,
    /// Cells at each vertex, one vertex after the other.
    first: Vec<u32>,
    at_vertex: Vec<u32>,
    surface: Vec<[u32; 3]>,
    /// Of the cells at each vertex.
    longest_edge_m: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Cells {
    Tets(Vec<[u32; 4]>),
    Triangles(Vec<[u32; 3]>),
}

/// A corner whose distance is known.
#[derive(Debug, Clone, Copy)]
struct Known {
    place: DVec3,
    distance: f64,
}

impl MeshDistance {
    /// Distances through the inside of a body.
    pub fn in_tets(mesh: &TetMesh) -> Self {
        let (first, at_vertex) = around_vertices(mesh.positions.len(), &mesh.tets);
        let surface = boundary_triangles(&mesh.tets);
        let longest_edge_m = longest_edges(&mesh.positions, &mesh.tets);
        let (positions, cells) = (mesh.positions.clone(), Cells::Tets(mesh.tets.clone()));
        Self { positions, cells, first, at_vertex, surface, longest_edge_m }
    }

    /// Distances over a sheet.
    pub fn on_sheet(sheet: &TriangleMesh) -> Self {
        let (first, at_vertex) = around_vertices(sheet.positions.len(), &sheet.triangles);
        let (positions, surface) = (sheet.positions.clone(), sheet.triangles.clone());
        let longest_edge_m = longest_edges(&positions, &surface);
        Self { positions, cells: Cells::Triangles(surface.clone()), first, at_vertex, surface, longest_edge_m }
    }

    /// Distance of every vertex from the nearest of `sources`; infinite where nothing connects them.
    pub fn from_points(&self, sources: &[DVec3]) -> Vec<f64> {
        let mut front = NearestFirst::new(self.positions.len());
        for source in sources {
            let (cell, place) = self.cell_at(*source);
            for &vertex in cell {
                front.lower(vertex, self.positions[vertex as usize].distance(place));
            }
        }
        self.march(&mut front, f64::INFINITY, None);
        front.distance
    }

    /// The vertices that are farther than `reach_m` from all of `places`, in their order. The march ends at the reach: what lies beyond
    /// it is not measured.
    pub fn beyond(&self, places: &[MaterialPoint], reach_m: f64) -> Vec<u32> {
        let mut front = NearestFirst::new(self.positions.len());
        for source in places {
            let place = source.place(&self.positions);
            for vertex in source.corners() {
                front.lower(vertex, self.positions[vertex as usize].distance(place));
            }
        }
        self.march(&mut front, reach_m, None);
        (0..front.distance.len() as u32).filter(|vertex| front.distance[*vertex as usize] > reach_m).collect()
    }

    /// Distances from a place in or on the cell of `corners` at all corners of the cells that have a point
    /// within `reach_m` of it, and at some beyond. In the order of vertices. The march ends there.
    pub(crate) fn within(&self, corners: &[u32], place: DVec3, reach_m: f64) -> Vec<(u32, f64)> {
        let mut front = NearestFirst::new(self.positions.len());
        for &vertex in corners {
            front.lower(vertex, self.positions[vertex as usize].distance(place));
        }
        self.march(&mut front, reach_m, Some(place));
        let reached = (0..).zip(&front.distance).zip(&self.longest_edge_m);
        let is_reached = |distance: f64, edge_m: f64| distance.is_finite() && distance <= reach_m + edge_m;
        let known = reached.filter(|((_, distance), edge_m)| is_reached(**distance, **edge_m));
        known.map(|((vertex, distance), _)| (vertex, *distance)).collect()
    }

    /// Lets the nearest tell their neighbours, one after the other, as far as `reach_m`. Of an `only` source
    /// it is known that nothing is nearer than the straight line, so that vertices which see it are done.
    fn march(&self, front: &mut NearestFirst, reach_m: f64, only: Option<DVec3>) {
        /// Relative excess over the straight line that is rounding.
        const STRAIGHT: f64 = 1e-7;
        let seen_m = |vertex: u32| {
            only.map_or(0.0, |source| (1.0 + STRAIGHT) * source.distance(self.positions[vertex as usize]))
        };
        // A cell that has a point within reach has its corners within its longest edge of there.
        let beyond_m = |vertex: u32| if only.is_some() { self.longest_edge_m[vertex as usize] } else { 0.0 };
        while let Some(vertex) = front.next() {
            if front.distance[vertex as usize] > reach_m + beyond_m(vertex) {
                continue;
            }
            let range = self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize;
            for &cell in &self.at_vertex[range] {
                self.spread(self.corners(cell), vertex, front, &seen_m);
            }
        }
    }

    /// Offers every other corner of a cell the ways that lead through `from`, but those that are as near as
    /// can be. Within the shadow of a bend, what is nearer than `from` is not opened again: the error is of
    /// first order there anyway.
    fn spread(&self, corners: &[u32], from: u32, front: &mut NearestFirst, seen_m: &impl Fn(u32) -> f64) {
        /// A way that is longer than the straight line by this factor leads around a bend.
        const SHADED: f64 = 1.02;
        for &to in corners {
            let before = front.distance[to as usize];
            let is_shaded = |v: u32| seen_m(v) > 0.0 && front.distance[v as usize] > SHADED * seen_m(v);
            let is_nearer = before <= front.distance[from as usize];
            if to == from || before <= seen_m(to) || (is_nearer && is_shaded(from) && is_shaded(to)) {
                continue;
            }
            let place = self.positions[to as usize];
            let known = |v: u32| Known { place: self.positions[v as usize], distance: front.distance[v as usize] };
            let start = known(from);
            let mut others = [start; 2];
            let mut count = 0;
            for other in corners.iter().filter(|v| **v != from && **v != to).map(|v| known(*v)) {
                if other.distance < f64::INFINITY {
                    others[count] = other;
                    count += 1;
                }
            }
            let others = &others[..count];
            let face = if let [b, c] = others { through_face([start, *b, *c], place) } else { None };
            let way = face.unwrap_or_else(|| {
                let edges = others.iter().filter_map(|other| through_edge([start, *other], place));
                edges.fold(start.distance + start.place.distance(place), f64::min)
            });
            front.lower(to, way);
        }
    }

    fn corners(&self, cell: u32) -> &[u32] {
        match &self.cells {
            Cells::Tets(tets) => &tets[cell as usize],
            Cells::Triangles(triangles) => &triangles[cell as usize],
        }
    }

    /// The cell a point lies in and the point; or the surface triangle nearest to it, and the place there.
    fn cell_at(&self, point: DVec3) -> (&[u32], DVec3) {
        if let Cells::Tets(tets) = &self.cells
            && let Some(tet) = tets.iter().find(|tet| self.holds(tet, point))
        {
            return (tet, point);
        }
        let place = |triangle: &[u32; 3]| nearest_on_triangle(triangle.map(|v| self.positions[v as usize]), point);
        let away = |triangle: &[u32; 3]| place(triangle).distance_squared(point);
        match self.surface.iter().min_by(|a, b| away(a).total_cmp(&away(b))) {
            Some(triangle) => (triangle, place(triangle)),
            None => (&[], point),
        }
    }

    fn holds(&self, tet: &[u32; 4], point: DVec3) -> bool {
        let [a, b, c, d] = tet.map(|v| self.positions[v as usize]);
        let (low, high) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        if point.cmplt(low).any() || point.cmpgt(high).any() {
            return false;
        }
        let local = DMat3::from_cols(b - a, c - a, d - a).inverse() * (point - a);
        local.min_element() >= -ON_EDGE && local.element_sum() <= 1.0 + ON_EDGE
    }
}

/// Shares of a face or edge by which a line may miss it: those that pass through an edge belong to both its sides.
const ON_EDGE: f64 = 1e-9;

/// The length of the straight line from the virtual source of three corners to `to`, if it passes through their face.
fn through_face([a, b, c]: [Known; 3], to: DVec3) -> Option<f64> {
    let (ab, ac) = (b.place - a.place, c.place - a.place);
    let (bb, bc, cc) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
    let det = bb * cc - bc * bc;
    let solve = |right_b: f64, right_c: f64| ((cc * right_b - bc * right_c) / det, (bb * right_c - bc * right_b) / det);
    // |s − a|² minus |s − b|² and |s − c|² are linear in the foot, as shares of ab and ac.
    let squared = a.distance * a.distance;
    let foot = solve(0.5 * (squared + bb - b.distance * b.distance), 0.5 * (squared + cc - c.distance * c.distance));
    let depth = depth(squared - (ab * foot.0 + ac * foot.1).length_squared(), squared)?;
    let arm = to - a.place;
    let under = solve(arm.dot(ab), arm.dot(ac));
    let height = (arm - ab * under.0 - ac * under.1).length();
    let share = if depth > 0.0 { depth / (depth + height) } else { 0.0 };
    let (u, v) = (foot.0 + share * (under.0 - foot.0), foot.1 + share * (under.1 - foot.1));
    let inside = u >= -ON_EDGE && v >= -ON_EDGE && u + v <= 1.0 + ON_EDGE;
    let sideways = ab * (under.0 - foot.0) + ac * (under.1 - foot.1);
    inside.then(|| (sideways.length_squared() + (depth + height) * (depth + height)).sqrt())
}

/// The same through an edge, with the face beyond it unfolded into the plane of edge and source.
fn through_edge([a, b]: [Known; 2], to: DVec3) -> Option<f64> {
    let edge = b.place - a.place;
    let length = edge.length();
    let squared = a.distance * a.distance;
    let foot = 0.5 * (squared + length * length - b.distance * b.distance) / length;
    let depth = depth(squared - foot * foot, squared)?;
    let arm = to - a.place;
    let under = arm.dot(edge) / length;
    let height = (arm.length_squared() - under * under).max(0.0).sqrt();
    let share = if depth > 0.0 { depth / (depth + height) } else { 0.0 };
    let crossing = foot + share * (under - foot);
    let inside = (-ON_EDGE * length..=(1.0 + ON_EDGE) * length).contains(&crossing);
    inside.then(|| ((under - foot) * (under - foot) + (depth + height) * (depth + height)).sqrt())
}

/// The root of a squared depth; none where distances contradict one another by more than rounding, as where two waves meet.
fn depth(squared: f64, scale: f64) -> Option<f64> {
    const ROUNDING: f64 = 1e-9;
    (squared >= -ROUNDING * scale).then(|| squared.max(0.0).sqrt())
}

/// For each vertex the longest edge of its cells.
fn longest_edges<const K: usize>(positions: &[DVec3], cells: &[[u32; K]]) -> Vec<f64> {
    let mut longest_m = vec![0.0f64; positions.len()];
    for cell in cells {
        let lengths = (0..K).flat_map(|a| (0..a).map(move |b| (a, b)));
        let places = cell.map(|v| positions[v as usize]);
        let most = lengths.map(|(a, b)| places[a].distance(places[b])).fold(0.0, f64::max);
        cell.iter().for_each(|v| longest_m[*v as usize] = longest_m[*v as usize].max(most));
    }
    longest_m
}

/// For each vertex its cells: where they start, and the cells themselves.
fn around_vertices<const K: usize>(vertex_count: usize, cells: &[[u32; K]]) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0u32; vertex_count + 1];
    cells.iter().flatten().for_each(|v| first[*v as usize + 1] += 1);
    for v in 0..vertex_count {
        first[v + 1] += first[v];
    }
    let mut next = first.clone();
    let mut around = vec![0; K * cells.len()];
    for (n, cell) in cells.iter().enumerate() {
        for &v in cell {
            around[next[v as usize] as usize] = n as u32;
            next[v as usize] += 1;
        }
    }
    (first, around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Shape;
    use crate::field::SmoothField;
    use crate::structured::{bar, cloth};
    use crate::stuffing::{Fineness, stuff};
    use sinew_math::dvec3;

    #[test]
    fn lines_of_sight_in_convex_bodies_are_exact() {
        let ball = stuff(&Shape::sphere(0.7), Fineness::CellM(0.15)).unwrap().mesh;
        for (mesh, source) in [
            (bar(dvec3(2.0, 0.6, 0.5), [12, 4, 3]), dvec3(-0.83, 0.11, 0.07)),
            (bar(dvec3(2.0, 0.6, 0.5), [12, 4, 3]), dvec3(-1.0, -0.3, 0.25)),
            (ball.clone(), dvec3(0.2, -0.1, 0.5)),
        ] {
            let distance = mesh_distance(&mesh, &[source]);
            let errors = distance.iter().zip(&mesh.positions).map(|(d, x)| (d - x.distance(source)).abs());
            let worst = errors.fold(0.0, f64::max);
            assert!(worst < 1e-7, "{worst:e} m off");
        }
    }

    #[test]
    fn marches_from_one_place_agree_with_those_from_any_number() {
        for (mesh, is_convex) in [(bar(dvec3(2.0, 0.6, 0.5), [12, 4, 3]), true), (slotted(4), false)] {
            let (source, reach_m) = (0, 0.8);
            let place = mesh.positions[source as usize];
            let measure = MeshDistance::in_tets(&mesh);
            let all = measure.from_points(&[place]);
            let within = measure.within(&[source], place, reach_m);
            let missed = (0..all.len() as u32).filter(|v| within.binary_search_by_key(v, |(known, _)| *known).is_err());
            assert!(missed.clone().count() > 50 && missed.clone().all(|v| all[v as usize] > reach_m));
            for (vertex, distance) in within {
                let (exact, straight) = (all[vertex as usize], place.distance(mesh.positions[vertex as usize]));
                let seen = exact <= straight * (1.0 + 1e-7);
                assert!(!is_convex || seen);
                assert!((distance - exact).abs() <= exact * if seen { 1e-6 } else { 0.01 }, "{distance} for {exact}");
            }
        }
    }

    #[test]
    fn several_sources_give_the_nearest() {
        let mesh = bar(dvec3(2.0, 0.6, 0.5), [12, 4, 3]);
        let sources = [dvec3(-0.9, 0.0, 0.0), dvec3(0.7, 0.2, -0.2)];
        for (d, x) in mesh_distance(&mesh, &sources).iter().zip(&mesh.positions) {
            let exact = sources.iter().map(|s| s.distance(*x)).fold(f64::INFINITY, f64::min);
            // Where the two waves meet, a face may see both.
            assert!((d - exact).abs() < 0.02, "{d} for {exact}");
        }
    }

    /// A plate with a slot cut into it from above. In its plane the shortest way from one side of the slot to the other
    /// bends at the slot's two lower corners.
    fn slotted(cells: usize) -> TetMesh {
        let whole = bar(dvec3(1.0, 1.0, 0.125), [8 * cells, 8 * cells, cells]);
        let tets = whole.tets.iter().filter(|tet| {
            let centre: DVec3 = tet.iter().map(|v| whole.positions[*v as usize]).sum::<DVec3>() / 4.0;
            centre.x.abs() > 0.125 || centre.y < -0.25
        });
        let tets: Vec<[u32; 4]> = tets.copied().collect();
        let mut used: Vec<u32> = tets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: u32| used.binary_search(&v).unwrap() as u32;
        TetMesh {
            positions: used.iter().map(|v| whole.positions[*v as usize]).collect(),
            tets: tets.iter().map(|tet| tet.map(place)).collect(),
        }
    }

    #[test]
    fn distances_go_around_a_gap_and_converge() {
        let (left, right) = (dvec3(-0.25, 0.5, 0.0), dvec3(0.25, 0.5, 0.0));
        let corner = |side: f64| dvec3(side * 0.125, -0.25, 0.0);
        let exact = left.distance(corner(-1.0)) + 0.25 + corner(1.0).distance(right);
        let errors = [2, 4].map(|cells| {
            let mesh = slotted(cells);
            let distance = mesh_distance(&mesh, &[left]);
            let there = mesh.positions.iter().position(|x| x.distance(right) < 1e-9).unwrap();
            distance[there] / exact - 1.0
        });
        println!("{errors:?}");
        assert!(
            errors[0].abs() < 0.02 && errors[1].abs() < 0.01 && errors[1].abs() < 0.7 * errors[0].abs(),
            "{errors:?}"
        );
    }

    #[test]
    fn what_lies_beyond_a_reach_is_what_is_measured_to_be_farther() {
        let mesh = slotted(2);
        let sources = [dvec3(-0.25, 0.5, 0.0), dvec3(-0.4, -0.31, 0.03)];
        let measure = MeshDistance::in_tets(&mesh);
        let places = SmoothField::in_tets(&mesh).unwrap().places(&sources);
        for reach_m in [0.05, 0.3, 0.9, 3.0] {
            let distance = measure.from_points(&sources);
            let farther: Vec<u32> = (0..distance.len() as u32).filter(|v| distance[*v as usize] > reach_m).collect();
            assert_eq!(measure.beyond(&places, reach_m), farther, "{reach_m} m");
        }
        assert_eq!(measure.beyond(&[], 1.0).len(), mesh.positions.len());
    }

    #[test]
    fn what_is_not_connected_is_infinitely_far() {
        let mut mesh = bar(DVec3::ONE, [2, 2, 2]);
        let other = bar(DVec3::ONE, [1, 1, 1]);
        let base = mesh.positions.len() as u32;
        mesh.positions.extend(other.positions.iter().map(|x| *x + DVec3::X * 1.01));
        mesh.tets.extend(other.tets.iter().map(|tet| tet.map(|v| v + base)));
        let distance = mesh_distance(&mesh, &[DVec3::ZERO]);
        let (near, far) = distance.split_at(base as usize);
        assert!(near.iter().all(|d| *d < 1.0) && far.iter().all(|d| *d == f64::INFINITY));
        assert!(mesh_distance(&mesh, &[]).iter().all(|d| *d == f64::INFINITY));
    }

    #[test]
    fn a_source_beside_the_mesh_starts_at_its_surface() {
        let sheet = cloth(2.0, 1.0, [20, 10]);
        let distance = MeshDistance::on_sheet(&sheet).from_points(&[dvec3(-0.3, 0.5, 0.1)]);
        for (d, x) in distance.iter().zip(&sheet.positions) {
            assert!((d - x.distance(dvec3(-0.3, 0.0, 0.1))).abs() < 1e-7);
        }
    }
}
