//! Edges worth drawing: outlines, borders, creases, and the mesh itself where it is coarse enough to read.
//!
//! Each edge becomes a thin rectangle on the picture, a little nearer than the surface it lies on, so that the
//! rasteriser hides what is behind and smooths what is drawn.

use crate::camera::View;
use crate::frame::{Frame, Shown};
use crate::normals::area_vectors;
use crate::project::{Primitive, Source};
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
/// Mesh edges shorter than this many line widths would fill the surface with grey.
const SHORTEST_MESH_EDGE: f64 = 9.0;

pub(crate) fn primitives(frame: &Frame, view: &View) -> Vec<Primitive> {
    // One pixel wide at 360 lines, and as wide on the page at any other size.
    let unit_px = (view.height / 360.0).max(0.75);
    let mut primitives = Vec::new();
    for mesh in &frame.meshes {
        let areas = area_vectors(mesh);
        let sharp = cos(mesh.crease_deg.clamp(0.0, 180.0).to_radians());
        for edge in edges(mesh) {
            let ends = edge.ends.map(|v| mesh.positions[v as usize]);
            let ink = edge.ink(&areas, view.eye - ends[0], sharp);
            let width_px = unit_px
                * match ink {
                    Ink::Outline => 1.6,
                    Ink::Crease => 1.1,
                    Ink::Mesh => 0.55,
                };
            push_line(&mut primitives, view, ends, ink, width_px);
        }
    }
    primitives
}

fn push_line(primitives: &mut Vec<Primitive>, view: &View, ends: [DVec3; 2], ink: Ink, width_px: f64) {
    let Some(ends) = clipped(ends.map(|end| view.to_eye(end)), view.near_m()) else { return };
    let [from, to] = ends.map(|end| {
        let screen = view.project(end);
        dvec3(screen.x, screen.y, screen.z * (1.0 + BEFORE))
    });
    let along = dvec3(to.x - from.x, to.y - from.y, 0.0);
    let Some(along_unit) = along.try_normalize() else { return };
    if ink == Ink::Mesh && along.length() < SHORTEST_MESH_EDGE * width_px {
        return;
    }
    // Half a width longer at both ends closes the joints of a polyline.
    let cap = along_unit * (0.5 * width_px);
    let side = dvec3(-cap.y, cap.x, 0.0);
    let corners = [from - cap - side, from - cap + side, to + cap + side, to + cap - side];
    for pick in [[0, 1, 2], [0, 2, 3]] {
        primitives.push(Primitive { corners: pick.map(|i| corners[i]), source: Source::Ink(ink) });
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
