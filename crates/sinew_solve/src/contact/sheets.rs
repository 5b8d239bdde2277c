//! Contacts with sheets: vertices on their faces, and their edges on edges, found along their way.
//!
//! A sheet has no inside; whatever meets it belongs on the side where it was when the interval began (`ccd.rs`) and keeps half the thickness of both from it.
//! Near is what comes within that and the margin at the beginning or the end, or passes through in between: with all of them, and not only the nearest, layers that lie on
//! each other are held from both sides. Sheets that cross when the interval begins are led out of each other (`untangle.rs`). Vertices and edges of solid bodies go by their
//! flesh (`edges.rs`).

use super::Friction;
use super::between::{Answers, Between, outward};
use super::ccd::{CcdHit, edge_and_edge, vertex_and_face};
use super::edges::on_solid;
use super::pair::{BodyContact, Spot};
use super::swept_bounds::{Moving, edges_near, vertices_near_faces};
use super::tuning::CONTACT;
use super::untangle::{EdgeFaceIntersection, Tangle};
use crate::BodyId;
use crate::simd::Path;
use sinew_math::Vec3A;

impl Between<'_> {
    /// Two sheets, or a sheet and itself.
    pub(super) fn between_sheets(&self, path: Path, answers: &mut Answers) {
        let bodies = [self.vertices, self.cells_of];
        let Some(pair) = SheetPair::new(self, bodies) else { return };
        let Answers { near, tangle, contacts, .. } = answers;
        edges_near(path, pair.sides[0], pair.sides[1], pair.is_self, near);
        tangle.find(pair.sides, near, pair.is_self, pair.thickness_m as f32);
        contacts.extend(tangle.caught.iter().filter_map(|caught| pair.untangle(caught)));
        let side_of_second = usize::from(!pair.is_self);
        contacts.extend(near.iter().filter_map(|&[one, two]| {
            let caught = tangle.has_edge(0, one) || tangle.has_edge(side_of_second, two);
            if caught { None } else { pair.edges(one, two) }
        }));
        vertices_near_faces(path, pair.sides[0], pair.sides[1], pair.is_self, near);
        contacts.extend(near.iter().filter_map(|&[vertex, face]| pair.vertex_on_face(vertex, face, tangle)));
        if !pair.is_self {
            let Some(back) = SheetPair::new(self, [bodies[1], bodies[0]]) else { return };
            vertices_near_faces(path, back.sides[0], back.sides[1], false, near);
            contacts.extend(near.iter().filter_map(|&[vertex, face]| back.vertex_on_face(vertex, face, tangle)));
        }
    }

    /// A solid body and a sheet.
    pub(super) fn with_sheet(&self, path: Path, answers: &mut Answers) {
        let [solid, sheet] = [self.vertices, self.cells_of];
        let Answers { near, tangle, contacts, .. } = answers;
        *tangle = Tangle::default();
        if let Some(pair) = SheetPair::new(self, [solid, sheet]) {
            vertices_near_faces(path, pair.sides[0], pair.sides[1], false, near);
            contacts.extend(near.iter().filter_map(|&[vertex, face]| pair.vertex_on_face(vertex, face, tangle)));
        }
        if let Some(pair) = SheetPair::new(self, [sheet, solid]) {
            edges_near(path, pair.sides[0], pair.sides[1], false, near);
            contacts.extend(near.iter().filter_map(|&[one, two]| pair.edge_on_solid(one, two)));
        }
    }

    fn moving(&self, body: usize) -> Option<Moving<'_>> {
        let (fixed, placed) = (&self.bodies[body].fixed, self.bodies[body].placed.as_ref()?);
        Some(Moving { surface: fixed.surface.as_deref()?, placed, swept: &self.near[body].as_ref()?.swept })
    }
}

/// Two bodies of which one is a sheet, or a sheet and itself.
struct SheetPair<'a> {
    between: &'a Between<'a>,
    bodies: [usize; 2],
    sides: [Moving<'a>; 2],
    is_self: bool,
    thickness_m: f64,
    reach_m: f32,
}

impl<'a> SheetPair<'a> {
    fn new(between: &'a Between<'a>, bodies: [usize; 2]) -> Option<Self> {
        let sides = [between.moving(bodies[0])?, between.moving(bodies[1])?];
        let thickness_m = sides.iter().map(|side| 0.5 * side.surface.thickness_m).sum();
        let reach_m = sides.iter().map(|side| side.placed.half_reach_m(side.surface)).sum();
        Some(Self { between, bodies, sides, is_self: bodies[0] == bodies[1], thickness_m, reach_m })
    }

    /// The number by which a tangle knows a side: that of the body with the lower number is 0.
    fn side_in_tangle(&self, side: usize) -> usize {
        usize::from(self.bodies[side] > self.bodies[1 - side])
    }

    fn vertex_on_face(&self, vertex: u32, face: u32, tangle: &Tangle) -> Option<BodyContact> {
        let [mine, theirs] = &self.sides;
        let vertex = mine.surface.vertices[vertex as usize];
        let corners = theirs.surface.faces[face as usize];
        let ([[p], [p_end]], [[a, b, c], [a_end, b_end, c_end]]) = (mine.ends([vertex]), theirs.ends(corners));
        let CcdHit { weights, normal } = vertex_and_face(&[p, a, b, c], &[p_end, a_end, b_end, c_end], self.reach_m)?;
        if tangle.has_vertex(self.side_in_tangle(0), vertex) {
            return None;
        }
        // Flesh knows which side is out.
        let normal = if outward(mine.surface, mine.placed, vertex).dot(normal) > CONTACT.sheets.inward_cosine {
            -normal
        } else {
            normal
        };
        let spots = [
            Spot::of_point(BodyId(self.bodies[0] as u32), vertex),
            Spot::on_face(BodyId(self.bodies[1] as u32), corners, weights.map(f64::from)),
        ];
        self.contact(spots, normal)
    }

    fn edges(&self, one: u32, two: u32) -> Option<BodyContact> {
        let [mine, theirs] = &self.sides;
        let [one, two] = [mine.surface.edges[one as usize].ends, theirs.surface.edges[two as usize].ends];
        let ([[p, q], [p_end, q_end]], [[r, s], [r_end, s_end]]) = (mine.ends(one), theirs.ends(two));
        let CcdHit { weights, normal } = edge_and_edge(&[p, q, r, s], &[p_end, q_end, r_end, s_end], self.reach_m)?;
        let [first, second] = weights.map(|along| f64::from(along.clamp(0.0, 1.0)));
        let spots = [
            Spot::on_edge(BodyId(self.bodies[0] as u32), one, first),
            Spot::on_edge(BodyId(self.bodies[1] as u32), two, second),
        ];
        self.contact(spots, normal)
    }

    /// An edge of a sheet, the first, and one of a solid body.
    fn edge_on_solid(&self, one: u32, two: u32) -> Option<BodyContact> {
        let [sheet, solid] = &self.sides;
        let (edge, other) = (&sheet.surface.edges[one as usize], &solid.surface.edges[two as usize]);
        let crossing = on_solid(sheet, edge, solid, other)?;
        self.contact(crossing.spots(self.bodies), crossing.normal)
    }

    /// None where they end too far from each other, or lie beside each other in a sheet.
    fn contact(&self, spots: [Spot; 2], normal: Vec3A) -> Option<BodyContact> {
        let distance_m = self.distance_m(&spots, normal, [0, 1]);
        if distance_m > self.reach_m || self.is_self && self.are_beside(&spots) {
            return None;
        }
        Some(self.between.touch(spots, normal, self.thickness_m, distance_m))
    }

    /// How far two spots are expected from each other; `of` says on which sides they are.
    fn distance_m(&self, spots: &[Spot; 2], normal: Vec3A, of: [usize; 2]) -> f32 {
        let expected = |spot: usize| {
            let points = &self.sides[of[spot]].placed.points;
            spots[spot].terms().fold(Vec3A::ZERO, |sum, (dof, weight)| sum + points[dof] * weight as f32)
        };
        normal.dot(expected(0) - expected(1))
    }

    fn are_beside(&self, spots: &[Spot; 2]) -> bool {
        let rest = |side: usize| spots[side].at(&self.sides[side].surface.rest);
        rest(0).distance(rest(1)) < CONTACT.sheets.own_thicknesses * self.thickness_m
    }

    /// Leads an edge out of a triangle.
    fn untangle(&self, caught: &EdgeFaceIntersection) -> Option<BodyContact> {
        let of = if self.is_self { [0, 0] } else { [caught.side, 1 - caught.side] };
        let [edge, face] = of.map(|side| BodyId(self.bodies[side] as u32));
        let way = caught.way_out(&self.sides[of[0]].swept.was, &self.sides[of[1]].swept.was);
        let strength = f64::from(way.length().min(1.0));
        let normal = way.try_normalize()?;
        let spots = [
            Spot::on_edge(edge, caught.edge.ends, f64::from(caught.along)),
            Spot::on_face(face, caught.face, caught.weights.map(f64::from)),
        ];
        let distance_m = self.distance_m(&spots, normal, of);
        let depth_m = CONTACT.sheets.caught_depth * self.thickness_m * strength;
        let friction = [Friction::even(0.0); 2];
        Some(BodyContact { friction, ..self.between.touch(spots, normal, depth_m, distance_m) })
    }
}
