//! Untangling: sheets that cross when an interval begins are led out of each other by intersection contour minimisation.
//!
//! Where two sheets cross they share a curve, and to part they need only make it shorter: no side has to be known (Volino, Magnenat-Thalmann, "Resolving surface
//! collisions through intersection contour minimization", SIGGRAPH 2006, §3). The curve's pieces end where an edge crosses a triangle. With E the edge's direction, N the
//! triangle's normal and Rᵢ the unit direction in which the curve goes on into the edge's i-th face, moving the edge against the triangle by d moves that end by
//! d − (d·N)/(E·N) E, and the curve becomes shorter by G·d:
//!
//! `G = Σᵢ (Rᵢ − (E·Rᵢ)/(E·N) N)`.
//!
//! So much is a contact like any other: between the edge and the triangle, along G, deep by some thicknesses and without friction. Whatever else would hold these edges
//! and their ends apart is left out meanwhile, since it does not know which side it should be.
//!
//! Departures: all of it acts through contact and none on velocities; G is the derivative of the length, of which only the direction and whether it is small count.
//!
//! Limits: a sheet that lies right across another has a straight curve, of which only the ends go, along it: that takes long.

use super::ccd::weights_in_plane;
use super::edges::Edge;
use super::swept_bounds::{Moving, Near};
use super::tuning::CONTACT;
use sinew_math::Vec3A;

/// An edge of one side through a triangle of the other (of the same sheet, where it crosses itself).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EdgeFaceIntersection {
    /// The side of the edge, 0 or 1.
    pub(super) side: usize,
    /// Its number.
    pub(super) number: u32,
    pub(super) edge: Edge,
    pub(super) face: [u32; 3],
    pub(super) along: f32,
    pub(super) weights: [f32; 3],
}

/// All that is caught between two sheets, or in one.
#[derive(Debug, Default, Clone)]
pub(super) struct Tangle {
    pub(super) caught: Vec<EdgeFaceIntersection>,
    /// Edges that are, and their ends, by side; sorted.
    edges: Vec<(usize, u32)>,
    vertices: Vec<(usize, u32)>,
}

impl Tangle {
    /// Looks at edges that are near each other: what goes through a triangle passes near one of its edges.
    pub(super) fn find(&mut self, sides: [Moving<'_>; 2], near: &[Near], is_self: bool, thickness_m: f32) {
        let Self { caught, edges, vertices } = self;
        caught.clear();
        for pair in near {
            for side in 0..2 {
                let (mine, theirs) = (&sides[side], &sides[1 - side]);
                let edge = mine.surface.edges[pair[side] as usize];
                let ends = edge.ends.map(|v| mine.swept.was[v as usize]);
                for face in theirs.surface.edges[pair[1 - side] as usize].faces() {
                    let corners = face.map(|v| theirs.swept.was[v as usize]);
                    let Some((along, weights)) = crosses(ends, &corners, CONTACT.sheets.min_height * thickness_m)
                    else {
                        continue;
                    };
                    if is_self && edge.ends.iter().any(|v| face.contains(v)) {
                        continue;
                    }
                    let number = pair[side];
                    caught.push(EdgeFaceIntersection {
                        side: if is_self { 0 } else { side },
                        number,
                        edge,
                        face,
                        along,
                        weights,
                    });
                }
            }
        }
        // Each was met at up to three edges of its triangle.
        caught.sort_unstable_by_key(EdgeFaceIntersection::key);
        caught.dedup_by_key(|one| one.key());
        edges.clear();
        edges.extend(caught.iter().map(|one| (one.side, one.number)));
        vertices.clear();
        vertices.extend(caught.iter().flat_map(|one| one.edge.ends.map(|v| (one.side, v))));
        vertices.sort_unstable();
    }

    pub(super) fn has_edge(&self, side: usize, number: u32) -> bool {
        self.edges.binary_search(&(side, number)).is_ok()
    }

    pub(super) fn has_vertex(&self, side: usize, vertex: u32) -> bool {
        self.vertices.binary_search(&(side, vertex)).is_ok()
    }
}

impl EdgeFaceIntersection {
    fn key(&self) -> (usize, u32, [u32; 3]) {
        let mut face = self.face;
        face.sort_unstable();
        (self.side, self.number, face)
    }

    /// G: which way the edge must go against the triangle, its length 1 at the end of a curve and 0 in the middle of a straight one.
    /// `of_edge` and `of_face` are where points of the edge's sheet and of the triangle's are.
    pub(super) fn way_out(&self, of_edge: &[Vec3A], of_face: &[Vec3A]) -> Vec3A {
        let [a, b, c] = self.face.map(|v| of_face[v as usize]);
        let [p, q] = self.edge.ends.map(|v| of_edge[v as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let along = (q - p).normalize_or_zero();
        let rise = along.dot(normal);
        let rise =
            if rise.abs() < CONTACT.sheets.min_rise_sine { CONTACT.sheets.min_rise_sine.copysign(rise) } else { rise };
        let mut sum = Vec3A::ZERO;
        for [_, _, corner] in self.edge.faces() {
            let into = of_edge[corner as usize] - p;
            let line = normal.cross(along.cross(into)).normalize_or_zero();
            // Into the face, that is to the same side of the edge within it.
            let aside = into - along * along.dot(into);
            let line = if line.dot(aside) < 0.0 { -line } else { line };
            sum += line - normal * (along.dot(line) / rise);
        }
        sum
    }
}

/// Where an edge goes through a triangle: how far along it, and the triangle's weights there.
#[inline(always)]
fn crosses([p, q]: [Vec3A; 2], corners: &[Vec3A; 3], least_m: f32) -> Option<(f32, [f32; 3])> {
    let &[a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let [over, under] = [normal.dot(p - a), normal.dot(q - a)];
    if over * under >= 0.0 {
        return None;
    }
    let size = normal.length_squared();
    let least = over.abs().min(under.abs());
    if least * least <= least_m * least_m * size {
        return None;
    }
    let along = over / (over - under);
    let weights = weights_in_plane(p.lerp(q, along), corners, normal, size);
    weights.iter().all(|weight| *weight >= 0.0).then_some((along, weights))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tent whose tip is under a triangle: all edges that go through it are led back up, wherever the tip is.
    #[test]
    fn what_pokes_through_is_led_back() {
        let around = [(1.0, 0.0), (0.5, 0.87), (-0.5, 0.87), (-1.0, 0.0), (-0.5, -0.87), (0.5, -0.87)];
        for tip in [Vec3A::new(0.0, -0.2, 0.0), Vec3A::new(0.2, -0.3, -0.1)] {
            let tent: Vec<Vec3A> = [tip].into_iter().chain(around.map(|(x, z)| Vec3A::new(x, 0.5, z))).collect();
            let floor = [Vec3A::new(-3.0, 0.0, -2.0), Vec3A::new(0.0, 0.0, 4.0), Vec3A::new(3.0, 0.0, -2.0)];
            for k in 0..6u32 {
                let edge = Edge::new([0, 1 + k], [1 + (k + 1) % 6, 1 + (k + 5) % 6]);
                let ends = edge.ends.map(|v| tent[v as usize]);
                let (along, weights) = crosses(ends, &floor, 1e-3).unwrap();
                let caught = EdgeFaceIntersection { side: 0, number: k, edge, face: [0, 1, 2], along, weights };
                let way = caught.way_out(&tent, &floor);
                assert!(way.y > 0.3 && way.y > 0.3 * way.length(), "edge {k} is led along {way}");
                // G is the derivative of the curve's length: two pieces of it end at this edge.
                let length = |moved: Vec3A| {
                    let at = |v: u32| tent[v as usize] + if v == 0 || v == 1 + k { moved } else { Vec3A::ZERO };
                    let on_floor = |v: u32| {
                        let (p, q) = (at(0), at(v));
                        p.lerp(q, p.y / (p.y - q.y))
                    };
                    let here = on_floor(1 + k);
                    let fixed = |v: u32| {
                        let (p, q) = (tip, tent[v as usize]);
                        p.lerp(q, p.y / (p.y - q.y))
                    };
                    here.distance(fixed(1 + (k + 1) % 6)) + here.distance(fixed(1 + (k + 5) % 6))
                };
                for axis in [Vec3A::X, Vec3A::Y, Vec3A::Z] {
                    let slope = (length(axis * 1e-2) - length(axis * -1e-2)) / 2e-2;
                    assert!(
                        (slope + way.dot(axis)).abs() < 0.02 * way.length(),
                        "edge {k}: {slope} along {axis}, not {way}"
                    );
                }
            }
        }
    }

    #[test]
    fn flat_sheets_are_not_caught() {
        let floor = [Vec3A::ZERO, Vec3A::new(0.0, 1e-7, 1.0), Vec3A::new(1.0, 0.0, 0.0)];
        let in_plane = [Vec3A::new(0.3, 2e-7, -0.2), Vec3A::new(0.3, -2e-7, 0.9)];
        assert!(crosses(in_plane, &floor, 1e-5).is_none());
        assert!(crosses([Vec3A::new(0.3, 0.1, 0.2), Vec3A::new(0.3, -0.1, 0.2)], &floor, 1e-5).is_some());
    }
}
