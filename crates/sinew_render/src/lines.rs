//! Edges worth drawing: outlines, borders, creases, and the mesh itself where it is coarse enough to read.
//!
//! Each edge becomes a thin rectangle on the picture, a little nearer than the surface it lies on, so that the
//! rasteriser hides what is behind and smooths what is drawn.

use crate::camera::View;
use crate::frame::{Frame, Shown};
use crate::normals::area_vectors;
use crate::project::{Primitive, Source, touches_picture};
use sinew_math::libm::cos;
use sinew_math::{DVec3, dvec3};

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Outline,
    Crease,
    Mesh,
}

/// Lines lie this share of their distance before the surface.
const BEFORE: f64 = 1.5e-3;
/// Where edges are shorter than the first of these on average (in pixels at 360 lines), the mesh is not drawn, as it
/// would only be a grey tone; from the second on it is drawn in full. In between its lines grow from nothing, so that
/// a body coming closer does not pop.
const READABLE_MESH_PX: [f64; 2] = [5.0, 11.0];
const OUTLINE_PX: f64 = 1.6;
/// How much of half its width an outline is moved outwards.
const OUTSIDE_SHARE: f64 = 0.7;
const CREASE_PX: f64 = 1.1;
const MESH_PX: f64 = 0.55;

pub(crate) fn primitives(frame: &Frame, view: &View) -> Vec<Primitive> {
    // One pixel wide at 360 lines, and as wide on the page at any other size.
    let unit_px = (view.height / 360.0).max(0.75);
    let mut primitives = Vec::new();
    for mesh in &frame.meshes {
        let areas = area_vectors(mesh);
        let edges = edges(mesh);
        let sharp = cos(mesh.crease_deg.clamp(0.0, 180.0).to_radians());
        let mesh_px = MESH_PX * readable(mean_length_px(mesh, &edges, view) / unit_px);
        for edge in &edges {
            let ends = edge.ends.map(|v| mesh.positions[v as usize]);
            let ink = edge.ink(&areas, view.eye - ends[0], sharp);
            let width_px = match ink {
                Ink::Outline => OUTLINE_PX,
                Ink::Crease => CREASE_PX,
                Ink::Mesh => mesh_px,
            };
            if width_px > 0.0 {
                let inner = (ink == Ink::Outline).then(|| edge.inner_point(mesh, &areas, view.eye));
                push_line(&mut primitives, view, ends, inner, (ink, unit_px * width_px));
            }
        }
    }
    primitives
}

fn mean_length_px(mesh: &Shown, edges: &[Edge], view: &View) -> f64 {
    let (mut total, mut count) = (0.0, 0.0);
    for edge in edges {
        let [from, to] = edge.ends.map(|v| view.to_eye(mesh.positions[v as usize]));
        let ahead = 0.5 * (from.z + to.z);
        if ahead > view.near_m() {
            total += view.focal_px * (to - from).length() / ahead;
            count += 1.0;
        }
    }
    if count > 0.0 { total / count } else { 0.0 }
}

fn readable(length_px: f64) -> f64 {
    let [none, full] = READABLE_MESH_PX;
    ((length_px - none) / (full - none)).clamp(0.0, 1.0)
}

/// A line between two points; one with a surface on its `inner` side lies mostly outside it, because a round surface
/// comes nearer so quickly within its outline that it would hide that half.
fn push_line(
    primitives: &mut Vec<Primitive>,
    view: &View,
    ends: [DVec3; 2],
    inner: Option<DVec3>,
    (ink, width_px): (Ink, f64),
) {
    let Some(ends) = clipped(ends.map(|end| view.to_eye(end)), view.near_m()) else { return };
    let [from, to] = ends.map(|end| {
        let screen = view.project(end);
        dvec3(screen.x, screen.y, screen.z * (1.0 + BEFORE))
    });
    let along = dvec3(to.x - from.x, to.y - from.y, 0.0);
    let Some(along_unit) = along.try_normalize() else { return };
    // Half a width longer at both ends closes the joints of a polyline.
    let cap = along_unit * (0.5 * width_px);
    let side = dvec3(-cap.y, cap.x, 0.0);
    let inner = inner.map(|point| view.to_eye(point)).filter(|point| point.z >= view.near_m());
    let outwards = inner.map_or(0.0, |point| if (view.project(point) - from).dot(side) > 0.0 { -1.0 } else { 1.0 });
    let shift = side * (OUTSIDE_SHARE * outwards);
    let corners = [from - cap - side, from - cap + side, to + cap + side, to + cap - side].map(|c| c + shift);
    for pick in [[0, 1, 2], [0, 2, 3]] {
        let corners = pick.map(|i| corners[i]);
        if touches_picture(view, &corners) {
            primitives.push(Primitive { corners, source: Source::Ink(ink) });
        }
    }
}

/// The part of a segment that lies before the near plane.
fn clipped(in_eye: [DVec3; 2], near: f64) -> Option<[DVec3; 2]> {
    let [from, to] = in_eye;
    let cut = || from + (to - from) * ((near - from.z) / (to.z - from.z));
    match (from.z >= near, to.z >= near) {
        (true, true) => Some(in_eye),
        (true, false) => Some([from, cut()]),
        (false, true) => Some([cut(), to]),
        (false, false) => None,
    }
}

struct Edge {
    ends: [u32; 2],
    first: u32,
    /// The triangle on the other side, where there is exactly one.
    second: Option<u32>,
}

impl Edge {
    /// A point of the triangle beside this edge that is seen.
    fn inner_point(&self, mesh: &Shown, areas: &[DVec3], eye: DVec3) -> DVec3 {
        let to_eye = eye - mesh.positions[self.ends[0] as usize];
        let seen = self.second.filter(|second| areas[*second as usize].dot(to_eye) > 0.0).unwrap_or(self.first);
        mesh.triangles[seen as usize].map(|v| mesh.positions[v as usize]).into_iter().sum::<DVec3>() / 3.0
    }

    fn ink(&self, areas: &[DVec3], to_eye: DVec3, sharp: f64) -> Ink {
        let Some(second) = self.second else { return Ink::Outline };
        let (a, b) = (areas[self.first as usize], areas[second as usize]);
        if (a.dot(to_eye) > 0.0) != (b.dot(to_eye) > 0.0) {
            Ink::Outline
        } else if a.dot(b) < sharp * a.length() * b.length() {
            Ink::Crease
        } else {
            Ink::Mesh
        }
    }
}

/// Every edge once, in the order of its vertices.
fn edges(mesh: &Shown) -> Vec<Edge> {
    let mut sides = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, [a, b, c]) in mesh.triangles.iter().enumerate() {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            sides.push(([*from.min(to), *from.max(to)], t as u32));
        }
    }
    sides.sort_unstable();
    let edge = |same: &[([u32; 2], u32)]| Edge {
        ends: same[0].0,
        first: same[0].1,
        second: if same.len() == 2 { Some(same[1].1) } else { None },
    };
    sides.chunk_by(|a, b| a.0 == b.0).map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paint, Rgb};
    use sinew_geom::{TriangleMesh, structured};

    #[test]
    fn a_box_seen_from_a_corner_has_its_nine_visible_edges_as_feature_lines() {
        let tets = structured::bar(DVec3::ONE, [1, 1, 1]);
        let triangles = tets.boundary();
        let mesh = TriangleMesh::new(tets.positions, triangles).unwrap();
        let shown = Shown::mesh(&mesh, Paint::Flat(Rgb(0, 0, 0)));
        let areas = area_vectors(&shown);
        let eye = dvec3(4.0, 5.0, 6.0);
        let count = |ink: Ink| {
            let inks = edges(&shown).into_iter().map(|e| e.ink(&areas, eye - mesh.positions[e.ends[0] as usize], 0.8));
            inks.filter(|i| *i == ink).count()
        };
        // Six edges around the outline, three towards the eye and three hidden, six diagonals.
        assert_eq!((count(Ink::Outline), count(Ink::Crease), count(Ink::Mesh)), (6, 6, 6));
    }

    #[test]
    fn a_border_is_an_outline() {
        let mesh = structured::cloth(1.0, 1.0, [1, 1]);
        let shown = Shown::mesh(&mesh, Paint::Flat(Rgb(0, 0, 0)));
        assert_eq!(edges(&shown).iter().filter(|edge| edge.second.is_none()).count(), 4);
    }
}
