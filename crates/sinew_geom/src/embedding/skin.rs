//! Binding a skin to its flesh, along the surface.
//!
//! The nearest flesh is the wrong one where two limbs come close: there the skin of one faces the flesh of the other. So
//! a skin vertex is bound to the nearest boundary only where that boundary faces the way the skin does. From such
//! vertices the binding spreads along the skin's edges, nearest first: each further vertex starts at its neighbour's
//! boundary triangle and walks over the boundary to the place nearest to it, which never crosses a gap.

use super::tet_finder::{Binding, Bound, TetFinder};
use crate::TriangleMesh;
use crate::adjacency::one_rings;
use crate::distance::bvh::nearest_on_triangle;
use crate::distance::orient::orient;
use rayon::prelude::*;
use sinew_math::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Cosine between skin and boundary normals above which they face the same way.
const FACES_ALIKE: f64 = 0.3;
/// Depth, or height over the boundary, in mean boundary edges: deeper the flesh is surely the skin's own, higher surely
/// not near enough to tell.
const CLOSE_EDGES: f64 = 0.75;

pub(crate) fn bind(skin: &TriangleMesh, finder: &TetFinder<'_>) -> Vec<Binding> {
    let oriented = orient(skin);
    let faced = TriangleMesh { positions: oriented.positions, triangles: oriented.triangles };
    let welded = crate::distance::orient::weld(&skin.positions);
    let normals = faced.vertex_normals();
    let normals: Vec<DVec3> = welded.iter().map(|v| normals[*v as usize]).collect();
    let boundary = Boundary::new(finder);
    let mut places: Vec<Place> =
        faced.positions.par_iter().zip(&normals).map(|(x, normal)| boundary.judge(*x, *normal)).collect();
    spread(&faced, &welded, &boundary, &mut places);
    let bound = |(x, place): (&DVec3, &Place)| match place {
        Place::In(bound) => Binding::Tet(*bound),
        Place::Over(triangle) => finder.over(*triangle, *x),
        Place::Unsure => finder.nearest(*x),
    };
    skin.positions.par_iter().zip(&places).map(bound).collect()
}

/// What a skin vertex is bound to.
#[derive(Debug, Clone, Copy)]
enum Place {
    In(Bound),
    /// At this boundary triangle.
    Over(u32),
    Unsure,
}

struct Boundary<'a> {
    finder: &'a TetFinder<'a>,
    normals: Vec<DVec3>,
    /// Triangles at each vertex.
    at_vertex: Vec<Vec<u32>>,
    close_m: f64,
}

impl<'a> Boundary<'a> {
    fn new(finder: &'a TetFinder<'a>) -> Self {
        let positions = &finder.flesh.positions;
        let mut at_vertex = vec![Vec::new(); positions.len()];
        let (mut normals, mut length) = (Vec::with_capacity(finder.boundary.len()), 0.0);
        for (n, triangle) in finder.boundary.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| positions[v as usize]);
            normals.push((b - a).cross(c - a).normalize_or_zero());
            length += a.distance(b) + b.distance(c) + c.distance(a);
            triangle.iter().for_each(|v| at_vertex[*v as usize].push(n as u32));
        }
        let edges = (3 * finder.boundary.len()).max(1) as f64;
        Self { finder, normals, at_vertex, close_m: CLOSE_EDGES * length / edges }
    }

    /// Where a skin vertex belongs, if its surroundings leave no doubt.
    fn judge(&self, point: DVec3, normal: DVec3) -> Place {
        let Some(hit) = self.finder.boundary_tree.nearest(point) else { return Place::Unsure };
        let is_close = hit.distance_squared < self.close_m * self.close_m;
        let faces_alike = self.normals[hit.triangle as usize].dot(normal) > FACES_ALIKE;
        match self.finder.containing(point) {
            Some(bound) if faces_alike || !is_close => Place::In(bound),
            None if faces_alike && is_close => Place::Over(hit.triangle),
            _ => Place::Unsure,
        }
    }

    /// From a boundary triangle over its neighbours to the one nearest to a point, always downhill: by their middles,
    /// which tell the way where several meet the point at one corner, then by themselves.
    fn walk(&self, from: u32, point: DVec3) -> u32 {
        let corners =
            |triangle: u32| self.finder.boundary[triangle as usize].map(|v| self.finder.flesh.positions[v as usize]);
        let near =
            self.downhill(from, |triangle| corners(triangle).iter().sum::<DVec3>().distance_squared(3.0 * point));
        self.downhill(near, |triangle| nearest_on_triangle(corners(triangle), point).distance_squared(point))
    }

    fn downhill(&self, from: u32, distance: impl Fn(u32) -> f64) -> u32 {
        let (mut at, mut best) = (from, distance(from));
        loop {
            let around = self.finder.boundary[at as usize].iter().flat_map(|v| &self.at_vertex[*v as usize]);
            let nearest = around.map(|t| (distance(*t), *t)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            match nearest {
                Some((squared, triangle)) if squared < best => (at, best) = (triangle, squared),
                _ => return at,
            }
        }
    }
}

/// Spreads bindings along the skin to the vertices without one. Pieces of skin that have none at all stay unsure.
fn spread(skin: &TriangleMesh, welded: &[u32], boundary: &Boundary<'_>, places: &mut [Place]) {
    let rings = one_rings(skin.positions.len(), &skin.triangles);
    let mut queue: BinaryHeap<Reverse<Step>> = BinaryHeap::new();
    let push_neighbours =
        |queue: &mut BinaryHeap<Reverse<Step>>, places: &[Place], from: u32, far_m: f64, triangle: u32| {
            for &to in &rings[from as usize] {
                if matches!(places[to as usize], Place::Unsure) {
                    let far_m = far_m + skin.positions[from as usize].distance(skin.positions[to as usize]);
                    queue.push(Reverse(Step { far_m, vertex: to, triangle }));
                }
            }
        };
    let triangle_near = |place: &Place, at: DVec3| match place {
        Place::Over(triangle) => Some(*triangle),
        Place::In(_) => boundary.finder.boundary_tree.nearest(at).map(|hit| hit.triangle),
        Place::Unsure => None,
    };
    for vertex in 0..places.len() {
        let has_unsure = rings[vertex].iter().any(|v| matches!(places[*v as usize], Place::Unsure));
        if has_unsure && let Some(triangle) = triangle_near(&places[vertex], skin.positions[vertex]) {
            push_neighbours(&mut queue, places, vertex as u32, 0.0, triangle);
        }
    }
    while let Some(Reverse(Step { far_m, vertex, triangle })) = queue.pop() {
        if matches!(places[vertex as usize], Place::Unsure) {
            let triangle = boundary.walk(triangle, skin.positions[vertex as usize]);
            places[vertex as usize] = Place::Over(triangle);
            push_neighbours(&mut queue, places, vertex, far_m, triangle);
        }
    }
    // Doubled vertices go where the first of them went.
    for (vertex, first) in welded.iter().enumerate() {
        places[vertex] = places[*first as usize];
    }
}

/// A vertex to reach, nearest along the skin first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    far_m: f64,
    vertex: u32,
    triangle: u32,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.far_m.total_cmp(&other.far_m).then(self.vertex.cmp(&other.vertex)).then(self.triangle.cmp(&other.triangle))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use crate::distance::Shape;
    use crate::primitive::capsule;
    use crate::stuffing::{Fineness, stuff};
    use crate::{Embedding, TriangleMesh};
    use sinew_math::{DVec3, dvec3};

    const GAP_M: f64 = 0.04;

    /// Two legs beside one another, joined at the top, with a skin of each that lies off the flesh: thinner flesh on the
    /// left, thicker flesh on the right, so that the left skin is nearer to the right leg's flesh.
    fn legs() -> (TriangleMesh, crate::TetMesh) {
        let side = 0.3 + 0.5 * GAP_M;
        let flesh = Shape::capsule(dvec3(-side, -1.0, 0.0), dvec3(-side, 1.0, 0.0), 0.24)
            .union(Shape::capsule(dvec3(side, -1.0, 0.0), dvec3(side, 1.0, 0.0), 0.32), 0.0);
        let flesh = stuff(&flesh, Fineness::CellM(0.09)).unwrap().mesh;
        let leg = capsule(0.3, 1.0, 40);
        let mut skin = TriangleMesh::default();
        for x in [-side, side] {
            let base = skin.positions.len() as u32;
            // Rings only at the ends make long triangles; put some along the leg by splitting them.
            skin.positions.extend(leg.positions.iter().map(|p| *p + dvec3(x, 0.0, 0.0)));
            skin.triangles.extend(leg.triangles.iter().map(|t| t.map(|v| v + base)));
        }
        (split_long_edges(skin, 0.15), flesh)
    }

    fn split_long_edges(mut mesh: TriangleMesh, longest_m: f64) -> TriangleMesh {
        loop {
            let mut made: std::collections::HashMap<[u32; 2], u32> = std::collections::HashMap::new();
            let (mut next, mut positions, mut split) = (Vec::new(), mesh.positions.clone(), false);
            for &[a, b, c] in &mesh.triangles {
                let at = |v: u32| mesh.positions[v as usize];
                let sides = [[a, b, c], [b, c, a], [c, a, b]];
                let [p, q, r] = sides
                    .into_iter()
                    .max_by(|s, t| at(s[0]).distance(at(s[1])).total_cmp(&at(t[0]).distance(at(t[1]))))
                    .unwrap();
                if at(p).distance(at(q)) <= longest_m {
                    next.push([a, b, c]);
                    continue;
                }
                split = true;
                let middle = *made.entry([p.min(q), p.max(q)]).or_insert_with(|| {
                    positions.push(0.5 * (at(p) + at(q)));
                    positions.len() as u32 - 1
                });
                next.extend([[p, middle, r], [middle, q, r]]);
            }
            mesh = TriangleMesh { positions, triangles: next };
            if !split {
                return mesh;
            }
        }
    }

    /// How many skin vertices of the left leg move with flesh of the right one.
    fn across(embedding: &Embedding, skin: &TriangleMesh, flesh: &crate::TetMesh) -> usize {
        let moved: Vec<DVec3> = flesh.positions.iter().map(|x| if x.x > 0.0 { *x + DVec3::Z } else { *x }).collect();
        let mut now = Vec::new();
        embedding.apply(&moved, &mut now);
        let is_wrong = |(rest, now): (&DVec3, &DVec3)| (rest.x < 0.0) != ((now.z - rest.z).abs() < 0.5);
        skin.positions.iter().zip(&now).filter(|(rest, now)| is_wrong((rest, now))).count()
    }

    #[test]
    fn skin_between_two_legs_stays_with_its_own() {
        let (skin, flesh) = legs();
        assert_eq!(crate::adjacency::component_count(flesh.positions.len(), &flesh.tets), 2);
        let plain = across(&Embedding::in_tets(&skin.positions, &flesh), &skin, &flesh);
        let along = across(&Embedding::of_skin(&skin, &flesh), &skin, &flesh);
        assert!(plain > 10, "the nearest flesh should be the wrong one somewhere, or this tests nothing: {plain}");
        assert_eq!(along, 0, "of {} vertices", skin.positions.len());
    }

    #[test]
    fn a_skin_is_where_it_was_made() {
        let (skin, flesh) = legs();
        let mut now = Vec::new();
        Embedding::of_skin(&skin, &flesh).apply(&flesh.positions, &mut now);
        for (rest, now) in skin.positions.iter().zip(&now) {
            assert!(rest.distance(*now) < 1e-5, "{rest} {now}");
        }
    }
}
