//! Contacts with sheets: vertices on their faces, and their edges on edges, found along their way.
//!
//! A sheet has no inside; whatever meets it belongs on the side where it was when the interval began (`passing.rs`) and keeps half the thickness of both from it.
//! Near is what comes within that and the margin at the beginning or the end, or passes through in between: with all of them, and not only the nearest, layers that lie on
//! each other are held from both sides. A sheet's edge on that of a solid body goes by the flesh of the latter (`edges.rs`).

use super::between::{Answers, Between};
use super::edges::on_solid;
use super::pair::{BodyContact, Spot};
use super::passing::{Met, edge_and_edge, vertex_and_face};
use super::swept::{Moving, edges_near, vertices_near_faces};
use crate::BodyId;
use crate::shape_matching::passes::Path;
use sinew_math::{DVec3, Vec3A};

/// What lies nearer to each other on a sheet at rest than this many thicknesses cannot keep one.
const OWN: f64 = 1.5;

impl Between<'_> {
    pub(super) fn on_faces_of_sheet(&self, path: Path, answers: &mut Answers) {
        let (Some(mine), Some(theirs)) = (self.moving(self.vertices), self.moving(self.cells_of)) else { return };
        let Answers { near, contacts, .. } = answers;
        vertices_near_faces(path, mine, theirs, self.is_self(), near);
        let pair = SheetPair::new(self, mine, theirs);
        contacts.extend(near.iter().filter_map(|&[vertex, face]| {
            let vertex = mine.surface.vertices[vertex as usize];
            let corners = theirs.surface.faces[face as usize];
            let ([[p], [p_end]], [[a, b, c], [a_end, b_end, c_end]]) = (mine.ends([vertex]), theirs.ends(corners));
            let Met { weights, normal } = vertex_and_face(&[p, a, b, c], &[p_end, a_end, b_end, c_end], pair.reach_m)?;
            let spots = [
                Spot::of_point(BodyId(self.vertices as u32), vertex),
                Spot::on_face(BodyId(self.cells_of as u32), corners, weights.map(f64::from)),
            ];
            pair.contact(spots, normal)
        }));
    }

    pub(super) fn on_edges_of_sheet(&self, path: Path, answers: &mut Answers) {
        // The sheet first, if only one is.
        let [one, two] = if self.bodies[self.vertices].is_sheet() {
            [self.vertices, self.cells_of]
        } else {
            [self.cells_of, self.vertices]
        };
        let (Some(mine), Some(theirs)) = (self.moving(one), self.moving(two)) else { return };
        let Answers { near, contacts, .. } = answers;
        edges_near(path, mine, theirs, self.is_self(), near);
        let pair = SheetPair::new(self, mine, theirs);
        contacts.extend(near.iter().filter_map(|&[edge, other]| {
            let (edge, other) = (&mine.surface.edges[edge as usize], &theirs.surface.edges[other as usize]);
            if !theirs.surface.is_sheet {
                let crossing = on_solid(&mine, edge, &theirs, other)?;
                return pair.contact(crossing.spots([one, two]), crossing.normal);
            }
            let ([[p, q], [p_end, q_end]], [[r, s], [r_end, s_end]]) = (mine.ends(edge.ends), theirs.ends(other.ends));
            let Met { weights, normal } = edge_and_edge(&[p, q, r, s], &[p_end, q_end, r_end, s_end], pair.reach_m)?;
            let [first, second] = weights.map(|along| f64::from(along.clamp(0.0, 1.0)));
            let spots = [
                Spot::on_edge(BodyId(one as u32), edge.ends, first),
                Spot::on_edge(BodyId(two as u32), other.ends, second),
            ];
            pair.contact(spots, normal)
        }));
    }

    fn moving(&self, body: usize) -> Option<Moving<'_>> {
        let (fixed, placed) = (&self.bodies[body].fixed, self.bodies[body].placed.as_ref()?);
        Some(Moving { surface: fixed.surface.as_deref()?, placed, ways: &self.near[body].as_ref()?.ways })
    }

    fn is_self(&self) -> bool {
        self.vertices == self.cells_of
    }
}

/// Two bodies of which one is a sheet, or a sheet and itself.
struct SheetPair<'a> {
    between: &'a Between<'a>,
    sides: [Moving<'a>; 2],
    thickness_m: f64,
    reach_m: f32,
}

impl<'a> SheetPair<'a> {
    fn new(between: &'a Between<'a>, mine: Moving<'a>, theirs: Moving<'a>) -> Self {
        let sides = [mine, theirs];
        let thickness_m = sides.iter().map(|side| 0.5 * side.surface.thickness_m).sum();
        let reach_m = sides.iter().map(|side| side.placed.half_reach_m(side.surface)).sum();
        Self { between, sides, thickness_m, reach_m }
    }

    /// None where they end too far from each other, or lie beside each other in a sheet.
    fn contact(&self, spots: [Spot; 2], normal: Vec3A) -> Option<BodyContact> {
        let expected = |side: usize| {
            let points = &self.sides[side].placed.points;
            spots[side].terms().fold(Vec3A::ZERO, |sum, (dof, weight)| sum + points[dof] * weight as f32)
        };
        let distance_m = normal.dot(expected(0) - expected(1));
        if distance_m > self.reach_m || self.between.is_self() && self.are_beside(&spots) {
            return None;
        }
        Some(self.between.touch(spots, normal, self.thickness_m, distance_m))
    }

    fn are_beside(&self, spots: &[Spot; 2]) -> bool {
        let rest = |side: usize| spots[side].at(&self.sides[side].surface.rest);
        let away: DVec3 = rest(0) - rest(1);
        away.length() < OWN * self.thickness_m
    }
}
