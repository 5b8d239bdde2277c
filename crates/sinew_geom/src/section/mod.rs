//! Flesh cut open: the part on one side of a surface, closed by a cap.
//!
//! The cutting surface is where a number per vertex passes zero: [`Cut::plane`] and [`Cut::stroke`] make such numbers, and any field less a level
//! cuts along that layer. Marching tetrahedra (Doi, Koide. "An Efficient Method of Triangulating Equi-Valued Surfaces". IEICE 1991): the surface
//! crosses each tet in a triangle or a quad. What is kept is the side of negative numbers.
//!
//! Every point of a section lies on an edge of the mesh, as a share between its two ends. So one section of the moving
//! body carries its place at rest, any field, and its place in the next frame.
//!
//! Limits: inside a tet the surface is flat; a stroke's corners are as sharp as the mesh is fine.

mod plane_cap;

pub use plane_cap::plane_cap;

use crate::TetMesh;
use crate::adjacency::boundary_triangles;
use sinew_math::{DVec2, DVec3, dvec2};
use std::collections::HashMap;

/// A section: points on edges of the mesh, and triangles over them, counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    pub points: Vec<CutPoint>,
    /// What is left of the body's own surface.
    pub skin: Vec<[u32; 3]>,
    /// The cut.
    pub cap: Vec<[u32; 3]>,
}

/// A point on an edge of the mesh: `share` of the way from the first end to the second. A vertex has two equal ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutPoint {
    pub ends: [u32; 2],
    pub share: f64,
}

/// How a stroke on the screen goes through the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sweep {
    /// Along one direction everywhere.
    Along(DVec3),
    /// Away from the eye.
    From(DVec3),
}

/// Numbers per vertex that pass zero at a surface.
pub struct Cut;

impl Cut {
    /// Keeps what lies behind a plane, whose normal points to what is taken away.
    pub fn plane(positions: &[DVec3], through: DVec3, normal: DVec3) -> Vec<f64> {
        let normal = normal.normalize_or(DVec3::Y);
        positions.iter().map(|x| (*x - through).dot(normal)).collect()
    }

    /// Takes away what lies to the left of a stroke as it is drawn, seen in the direction of the sweep with the cut's plane
    /// through all depths. The stroke goes on straight beyond its ends. None for strokes without length.
    pub fn stroke(positions: &[DVec3], stroke: &[DVec3], sweep: Sweep) -> Option<Vec<f64>> {
        let middle = stroke.iter().sum::<DVec3>() / stroke.len() as f64;
        let (eye, view) = match sweep {
            Sweep::Along(view) => (None, view.try_normalize()?),
            Sweep::From(eye) => (Some(eye), (middle - eye).try_normalize()?),
        };
        let right = view.any_orthonormal_vector();
        let up = right.cross(view);
        let flat = |x: DVec3| match eye {
            None => (dvec2(x.dot(right), x.dot(up)), 1.0),
            Some(eye) => {
                // What lies behind the eye would be seen upside down; it is pushed in front, far to the side.
                let depth = (x - eye).dot(view).max(1e-6 * (middle - eye).length());
                (dvec2((x - eye).dot(right), (x - eye).dot(up)) / depth, depth)
            }
        };
        let mut line: Vec<DVec2> = stroke.iter().map(|x| flat(*x).0).collect();
        line.dedup();
        if line.len() < 2 || !line.iter().all(|p| p.is_finite()) {
            return None;
        }
        let side = |x: &DVec3| {
            let (place, depth) = flat(*x);
            left_of(&line, place) * depth
        };
        Some(positions.iter().map(side).collect())
    }
}

/// Signed distance from a line that goes on beyond its ends, positive to the left.
fn left_of(line: &[DVec2], place: DVec2) -> f64 {
    let last = line.len() - 2;
    let mut nearest = (f64::INFINITY, 0.0);
    for (n, ends) in line.windows(2).enumerate() {
        let along = ends[1] - ends[0];
        let length = along.length();
        let share = (place - ends[0]).dot(along) / (length * length);
        let low = if n == 0 { f64::NEG_INFINITY } else { 0.0 };
        let high = if n == last { f64::INFINITY } else { 1.0 };
        let foot = ends[0] + along * share.clamp(low, high);
        let distance = place.distance(foot);
        // At a bend both segments are equally near; the one that sees the place more from the side decides.
        let sideways = along.perp_dot(place - foot) / length;
        if (distance, -sideways.abs()) < nearest_key(nearest) {
            nearest = (distance, sideways);
        }
    }
    if nearest.1 < 0.0 { -nearest.0 } else { nearest.0 }
}

fn nearest_key((distance, sideways): (f64, f64)) -> (f64, f64) {
    // A hair, so that rounding does not decide between two segments at a bend.
    (distance * (1.0 + 1e-12), -sideways.abs())
}

impl Section {
    /// The part of `mesh` where `side` is negative, closed by a cap. One number per vertex.
    pub fn new(mesh: &TetMesh, side: &[f64]) -> Self {
        let mut making = Making { section: Self::default(), numbers: HashMap::new(), side };
        for triangle in boundary_triangles(&mesh.tets) {
            making.clip(triangle);
        }
        for tet in &mesh.tets {
            making.cap(*tet);
        }
        making.section
    }

    /// The part of a surface where `side` is negative, with nothing to close it: a skin, whose flesh is cut by [`plane_cap`].
    pub fn of_surface(triangles: &[[u32; 3]], side: &[f64]) -> Self {
        let mut making = Making { section: Self::default(), numbers: HashMap::new(), side };
        triangles.iter().for_each(|triangle| making.clip(*triangle));
        making.section
    }

    /// A field's values at the points.
    pub fn values(&self, field: &[f64]) -> Vec<f64> {
        self.points.iter().map(|p| between(field[p.ends[0] as usize], field[p.ends[1] as usize], p.share)).collect()
    }

    /// Where the points are when the mesh's vertices are at `positions`: at rest, or as the body is now.
    pub fn positions(&self, positions: &[DVec3]) -> Vec<DVec3> {
        self.points.iter().map(|p| positions[p.ends[0] as usize].lerp(positions[p.ends[1] as usize], p.share)).collect()
    }

    /// A point on a triangle of the section, by its corners' weights, as a sum of the mesh's vertices.
    pub fn terms(&self, triangle: [u32; 3], weights: [f64; 3]) -> Vec<(u32, f64)> {
        let ends = triangle.into_iter().zip(weights).flat_map(|(corner, weight)| {
            let CutPoint { ends: [a, b], share } = self.points[corner as usize];
            [(a, weight * (1.0 - share)), (b, weight * share)]
        });
        ends.filter(|(_, weight)| *weight != 0.0).collect()
    }
}

fn between(a: f64, b: f64, share: f64) -> f64 {
    a + (b - a) * share
}

struct Making<'a> {
    section: Section,
    numbers: HashMap<[u32; 2], u32>,
    side: &'a [f64],
}

impl Making<'_> {
    fn is_kept(&self, vertex: u32) -> bool {
        self.side[vertex as usize] < 0.0
    }

    fn vertex(&mut self, vertex: u32) -> u32 {
        self.point([vertex; 2], 0.0)
    }

    /// Where the surface crosses an edge. A vertex on the surface is that vertex for all of its edges.
    fn crossing(&mut self, kept: u32, gone: u32) -> u32 {
        let (a, b) = (kept.min(gone), kept.max(gone));
        let [from, to] = [a, b].map(|v| self.side[v as usize]);
        if self.side[gone as usize] == 0.0 { self.vertex(gone) } else { self.point([a, b], from / (from - to)) }
    }

    fn point(&mut self, ends: [u32; 2], share: f64) -> u32 {
        let next = self.section.points.len() as u32;
        *self.numbers.entry(ends).or_insert_with(|| {
            self.section.points.push(CutPoint { ends, share });
            next
        })
    }

    /// The part of a surface triangle that is kept.
    fn clip(&mut self, [a, b, c]: [u32; 3]) {
        let kept = [a, b, c].map(|v| self.is_kept(v));
        let corners = match kept {
            [true, true, true] => vec![self.vertex(a), self.vertex(b), self.vertex(c)],
            [false, false, false] => return,
            _ => {
                // Turned so that the first corner differs from the other two.
                let lone = (0..3).find(|&i| kept[i] != kept[(i + 1) % 3] && kept[i] != kept[(i + 2) % 3]).unwrap_or(0);
                let [p, q, r] = [0, 1, 2].map(|i| [a, b, c][(lone + i) % 3]);
                if kept[lone] {
                    vec![self.vertex(p), self.crossing(p, q), self.crossing(p, r)]
                } else {
                    vec![self.crossing(q, p), self.vertex(q), self.vertex(r), self.crossing(r, p)]
                }
            }
        };
        fan(&corners, &mut self.section.skin);
    }

    /// The piece of the surface inside a tet, facing what is taken away.
    fn cap(&mut self, tet: [u32; 4]) {
        let (kept, gone): (Vec<usize>, Vec<usize>) = (0..4).partition(|&i| self.is_kept(tet[i]));
        let corners = match (&kept[..], &gone[..]) {
            ([v], _) => {
                let [x, y, z] = OPPOSITE[*v].map(|i| tet[i]);
                let v = tet[*v];
                vec![self.crossing(v, x), self.crossing(v, y), self.crossing(v, z)]
            }
            (_, [v]) => {
                let [x, y, z] = OPPOSITE[*v].map(|i| tet[i]);
                let v = tet[*v];
                vec![self.crossing(z, v), self.crossing(y, v), self.crossing(x, v)]
            }
            ([p, q], [r, s]) => {
                // Both pairs rise, so that (p, q, r, s) is an odd order of the corners for 0 with 2 and 1 with 3 alone.
                let even = q - p != 2;
                let [p, q, r, s] = [p, q, r, s].map(|i| tet[*i]);
                let (r, s) = if even { (r, s) } else { (s, r) };
                vec![self.crossing(p, r), self.crossing(p, s), self.crossing(q, s), self.crossing(q, r)]
            }
            _ => return,
        };
        fan(&corners, &mut self.section.cap);
    }
}

/// Corners opposite to each corner of a tet, counter-clockwise seen from outside.
const OPPOSITE: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Triangles of a convex polygon; those that shrank to an edge are left out.
fn fan(corners: &[u32], triangles: &mut Vec<[u32; 3]>) {
    for pair in corners[1..].windows(2) {
        let [a, b, c] = [corners[0], pair[0], pair[1]];
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Shape;
    use crate::structured::bar;
    use crate::stuffing::{Fineness, stuff};
    use crate::{TriangleMesh, manifold};
    use sinew_math::dvec3;
    use std::f64::consts::PI;

    fn area(positions: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
        TriangleMesh { positions: positions.to_vec(), triangles: triangles.to_vec() }.area()
    }

    /// Volume inside, by the divergence theorem; only right for closed surfaces that face outward.
    fn volume(section: &Section, positions: &[DVec3]) -> f64 {
        let x = section.positions(positions);
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| x[v as usize]);
            a.dot(b.cross(c))
        };
        section.skin.iter().chain(&section.cap).map(six).sum::<f64>() / 6.0
    }

    fn is_closed(section: &Section) {
        let whole: Vec<[u32; 3]> = section.skin.iter().chain(&section.cap).copied().collect();
        assert!(manifold::faults(&whole).is_empty(), "{:?}", manifold::faults(&whole));
    }

    #[test]
    fn a_cut_bar_has_its_exact_area_and_both_parts_its_volume() {
        let mesh = bar(dvec3(2.0, 0.5, 0.4), [16, 4, 3]);
        let slanted = dvec3(1.0, 1.0, 0.0).normalize();
        for (through, normal, exact) in [
            (dvec3(0.03, 0.0, 0.0), DVec3::X, 0.2),
            (dvec3(0.0, 0.0, 0.0), DVec3::X, 0.2), // through vertices
            (dvec3(0.1, 0.02, 0.0), slanted, 0.2 * 2.0f64.sqrt()),
            (dvec3(0.0, 0.1, 0.0), DVec3::NEG_Y, 0.8),
        ] {
            let side = Cut::plane(&mesh.positions, through, normal);
            let kept = Section::new(&mesh, &side);
            let x = kept.positions(&mesh.positions);
            assert!((area(&x, &kept.cap) - exact).abs() < 1e-12, "{normal}: {}", area(&x, &kept.cap));
            for cap in &kept.cap {
                let [a, b, c] = cap.map(|v| x[v as usize]);
                assert!((b - a).cross(c - a).dot(normal) > -1e-15 && (a - through).dot(normal).abs() < 1e-12);
            }
            is_closed(&kept);
            let gone = Section::new(&mesh, &side.iter().map(|s| -s).collect::<Vec<_>>());
            let sum = volume(&kept, &mesh.positions) + volume(&gone, &mesh.positions);
            assert!((sum - 0.4).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn a_cut_ball_shows_a_disk() {
        let mesh = stuff(&Shape::sphere(1.0), Fineness::CellM(0.1)).unwrap().mesh;
        let section = Section::new(&mesh, &Cut::plane(&mesh.positions, dvec3(0.0, 0.31, 0.0), DVec3::Y));
        let exact = PI * (1.0 - 0.31 * 0.31);
        let disk = area(&section.positions(&mesh.positions), &section.cap);
        assert!((disk / exact - 1.0).abs() < 0.01, "{disk} for {exact}");
        is_closed(&section);
    }

    /// A linear field is interpolated exactly, and a cut of the moved body knows where its points were at rest.
    #[test]
    fn fields_and_rest_places_ride_on_the_cut_of_a_moved_body() {
        let mesh = bar(dvec3(2.0, 0.5, 0.4), [16, 4, 3]);
        let bend = |x: DVec3| dvec3(x.x, x.y + 0.3 * x.x * x.x, x.z) + DVec3::splat(5.0);
        let now: Vec<DVec3> = mesh.positions.iter().map(|x| bend(*x)).collect();
        let field: Vec<f64> = mesh.positions.iter().map(|x| 1.0 + x.dot(dvec3(0.2, 3.0, -1.0))).collect();
        let section = Section::new(&mesh, &Cut::plane(&now, dvec3(5.3, 5.0, 5.0), dvec3(1.0, 0.2, 0.0)));
        let (rest, values) = (section.positions(&mesh.positions), section.values(&field));
        for (x, value) in rest.iter().zip(values) {
            assert!((value - (1.0 + x.dot(dvec3(0.2, 3.0, -1.0)))).abs() < 1e-12);
        }
        // Paint in the middle of a cap triangle lands where its corners' rest places say.
        let triangle = section.cap[3];
        let terms = section.terms(triangle, [0.2, 0.3, 0.5]);
        let place: DVec3 = terms.iter().map(|(v, w)| mesh.positions[*v as usize] * *w).sum();
        let [a, b, c] = triangle.map(|v| rest[v as usize]);
        assert!(place.distance(a * 0.2 + b * 0.3 + c * 0.5) < 1e-12);
        is_closed(&section);
    }

    #[test]
    fn a_straight_stroke_cuts_like_a_plane_and_a_bent_one_is_closed() {
        let mesh = bar(dvec3(2.0, 0.5, 0.4), [16, 4, 3]);
        let stroke = [dvec3(0.1, -1.0, 3.0), dvec3(0.1, 1.0, 3.0)];
        let area_of = |sweep: Sweep| {
            let section = Section::new(&mesh, &Cut::stroke(&mesh.positions, &stroke, sweep).unwrap());
            is_closed(&section);
            (area(&section.positions(&mesh.positions), &section.cap), volume(&section, &mesh.positions))
        };
        // Drawn upwards and looked at along −z: left is −x, so that the right part stays.
        let (cap, kept) = area_of(Sweep::Along(DVec3::NEG_Z));
        assert!((cap - 0.2).abs() < 1e-12 && (kept - 0.18).abs() < 1e-12, "{cap} {kept}");
        // From an eye at x = 0.1 the swept surface is the same plane.
        let (cap, kept) = area_of(Sweep::From(dvec3(0.1, 0.0, 5.0)));
        assert!((cap - 0.2).abs() < 1e-9 && (kept - 0.18).abs() < 1e-9, "{cap} {kept}");
        let bent = [dvec3(-0.5, 1.0, 0.0), dvec3(-0.3, 0.05, 0.0), dvec3(0.3, -0.05, 0.0), dvec3(0.4, 1.0, 0.0)];
        let section = Section::new(&mesh, &Cut::stroke(&mesh.positions, &bent, Sweep::Along(DVec3::NEG_Z)).unwrap());
        is_closed(&section);
        assert!(Cut::stroke(&mesh.positions, &[DVec3::ONE; 3], Sweep::Along(DVec3::Z)).is_none());
    }

    #[test]
    fn a_cut_that_misses_keeps_all_or_nothing() {
        let mesh = bar(DVec3::ONE, [2, 2, 2]);
        let all = Section::new(&mesh, &vec![-1.0; mesh.positions.len()]);
        assert!(all.cap.is_empty() && (volume(&all, &mesh.positions) - 1.0).abs() < 1e-12);
        assert_eq!(Section::new(&mesh, &vec![1.0; mesh.positions.len()]), Section::default());
    }
}
