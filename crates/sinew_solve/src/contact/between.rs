//! Contacts between two bodies, or of one with itself.
//!
//! What meets a solid body is looked up where it is expected (`narrow_phase.rs`, `penetration_exit.rs`, `edges.rs`), what meets a sheet along its way (`sheets.rs`).

use super::Friction;
use super::bodies::{Grip, Near, PlacedBody};
use super::edges::{Crossing, Edges, cross};
use super::narrow_phase::NarrowPhaseBody;
use super::narrow_phase_cells::DeepestCell;
use super::pair::{BodyContact, Spot};
use super::penetration_exit::{Corner, ExitQuery, PenetrationExit, penetration_exit};
use super::placed::{Placed, Prediction};
use super::surface::{ContactSurface, small};
use super::swept_bounds;
use super::untangle::Tangle;
use crate::simd::Path;
use crate::{BodyId, BodyState};
use sinew_math::{DVec3, Vec3A};

/// All bodies over one interval.
pub(super) struct Interval<'a> {
    pub(super) states: &'a [BodyState],
    pub(super) prediction: Prediction,
    pub(super) grip: &'a Grip<'a>,
}

/// What was found for the vertices and edges of one body.
#[derive(Default, Clone)]
pub(super) struct Answers {
    crossings: Vec<Crossing>,
    pub(super) near: Vec<swept_bounds::Near>,
    pub(super) tangle: Tangle,
    pub(super) contacts: Vec<BodyContact>,
}

/// Vertices of one body and cells of another, and the edges of both.
pub(super) struct Between<'a> {
    pub(super) at: &'a Interval<'a>,
    pub(super) bodies: &'a [PlacedBody],
    pub(super) near: &'a [Option<Near>],
    /// Of each body, rising.
    pub(super) neighbours: &'a [Vec<u32>],
    pub(super) vertices: usize,
    pub(super) cells_of: usize,
}

impl Between<'_> {
    pub(super) fn find(&self, path: Path, answers: &mut Answers) {
        let [mine, theirs] = [self.vertices, self.cells_of].map(|body| self.bodies[body].is_sheet());
        let is_first = self.cells_of >= self.vertices;
        match (mine, theirs) {
            (true, true) if is_first => self.between_sheets(path, answers),
            (true, true) => {}
            (false, true) => self.with_sheet(path, answers),
            (true, false) => {
                self.vertices_in_cells(answers);
            }
            (false, false) => {
                let pressed = self.vertices_in_cells(answers);
                if is_first && (!pressed || self.is_fast()) {
                    self.cross(path, answers);
                }
            }
        }
    }

    /// Vertices that meet cells; whether any of them is inside.
    fn vertices_in_cells(&self, answers: &mut Answers) -> bool {
        let [points, cells] = [self.vertices, self.cells_of].map(|body| self.bodies[body].searched());
        let (Some(points), Some(cells), Some(near)) = (points, cells, &self.near[self.cells_of]) else {
            return false;
        };
        let contacts = &mut answers.contacts;
        let first = contacts.len();
        // A body is asked last about itself.
        let asked = &self.neighbours[self.cells_of];
        let found = near.cells.found_of(asked.binary_search(&(self.vertices as u32)).unwrap_or(asked.len()));
        contacts.extend(found.iter().filter_map(|(vertex, best)| self.contact(points, cells, *vertex as usize, *best)));
        contacts[first..].iter().any(|contact| contact.gap_m < 0.0)
    }

    /// Whether they move so fast among the others that edges may cross in a step. Where that is not so and vertices hold two bodies apart already,
    /// edges are left alone: looking at all of them cost a heap of slow worms a third more.
    fn is_fast(&self) -> bool {
        let placed = [self.vertices, self.cells_of].map(|body| self.bodies[body].placed.as_ref());
        let sum = |of: fn(&Placed) -> f32| placed.iter().flatten().map(|placed| of(placed)).sum::<f32>();
        sum(|placed| placed.way_m) > sum(|placed| placed.margin_m)
    }

    /// Edges of both that meet.
    fn cross(&self, path: Path, answers: &mut Answers) {
        let (Some(mine), Some(theirs)) = (self.edges_of(self.vertices), self.edges_of(self.cells_of)) else { return };
        let Answers { crossings, contacts, .. } = answers;
        cross(path, mine, theirs, self.vertices == self.cells_of, crossings);
        contacts.extend(crossings.iter().filter_map(|crossing| self.contact_of_edges(mine, theirs, crossing)));
    }

    fn edges_of(&self, body: usize) -> Option<Edges<'_>> {
        let PlacedBody { fixed, placed } = &self.bodies[body];
        let (surface, placed) = (fixed.surface.as_deref()?, placed.as_ref()?);
        Some(Edges { surface, placed, edges: &self.near[body].as_ref()?.edges })
    }

    fn contact(
        &self,
        points: NarrowPhaseBody<'_>,
        cells: NarrowPhaseBody<'_>,
        number: usize,
        best: DeepestCell,
    ) -> Option<BodyContact> {
        let vertex = points.surface.vertices[number];
        let was_at = |body: usize, v: u32| small(self.at.states[body].x[v as usize] - self.at.prediction.middle);

        let corner = points.surface.is_corner(vertex).then(|| Corner::new(points.surface, points.placed, vertex));
        let seeker = ExitQuery {
            at: points.placed.points[vertex as usize],
            normal: outward(points.surface, points.placed, vertex),
            inside: best.score >= 0.0,
            was_at: was_at(self.vertices, vertex),
            corner_of: corner.as_ref(),
        };
        let was_at = |v: u32| was_at(self.cells_of, v);
        let PenetrationExit { face, weights, normal, distance_m } =
            penetration_exit(cells.surface, cells.placed, &was_at, best.cell as usize, &seeker)?;
        let thickness_m = 0.5 * (points.surface.thickness_m + cells.surface.thickness_m);
        if f64::from(distance_m) > f64::from(cells.placed.margin_m) + thickness_m {
            return None;
        }
        let spots = [
            Spot::of_point(BodyId(self.vertices as u32), vertex),
            Spot::on_face(BodyId(self.cells_of as u32), cells.surface.faces[face as usize], weights.map(f64::from)),
        ];
        Some(self.touch(spots, normal, thickness_m, distance_m))
    }

    fn contact_of_edges(&self, mine: Edges<'_>, theirs: Edges<'_>, crossing: &Crossing) -> Option<BodyContact> {
        let (states, middle) = (self.at.states, self.at.prediction.middle);
        let bodies = [self.vertices, self.cells_of];
        let before = crossing.gap_of(|side, v| small(states[bodies[side]].x[v as usize] - middle));
        if before < Crossing::least_gap_m(mine.surface, theirs.surface) {
            return None;
        }
        Some(self.touch(crossing.spots(bodies), crossing.normal, 0.0, crossing.gap_m))
    }

    /// A contact of two spots, `distance_m` apart along the normal.
    pub(super) fn touch(
        &self,
        [vertex, face]: [Spot; 2],
        normal: Vec3A,
        thickness_m: f64,
        distance_m: f32,
    ) -> BodyContact {
        let (mine, theirs) = (self.grip(&vertex), self.grip(&face));
        let placed = self.bodies[vertex.body.0 as usize].placed.as_ref();
        let at = |dof: usize| placed.map_or(Vec3A::ZERO, |placed| placed.points[dof]).as_dvec3();
        BodyContact {
            vertex,
            face,
            normal: normal.as_dvec3().normalize(),
            thickness_m,
            gap_m: f64::from(distance_m) - thickness_m,
            point: vertex.terms().map(|(dof, weight)| at(dof) * weight).sum::<DVec3>() + self.at.prediction.middle,
            friction: [mine.0, theirs.0],
            along: [mine.1, theirs.1],
        }
    }

    fn grip(&self, spot: &Spot) -> (Friction, DVec3) {
        let body = spot.body.0 as usize;
        let number = |surface: &ContactSurface| surface.surface_number(spot.nearest_dof());
        (self.at.grip)(body, self.bodies[body].fixed.surface.as_deref().map_or(0, number))
    }
}

/// The outward normal of a surface at a vertex, weighted by the faces' areas; zero on a sheet, which has two sides.
pub(super) fn outward(surface: &ContactSurface, placed: &Placed, vertex: u32) -> Vec3A {
    if surface.is_sheet {
        return Vec3A::ZERO;
    }
    let mut sum = Vec3A::ZERO;
    for &face in surface.faces_of(vertex as usize) {
        let corners = surface.faces[face as usize];
        let [a, b, c] = [0, 1, 2].map(|k: usize| placed.points[corners[k] as usize]);
        sum += (b - a).cross(c - a);
    }
    sum.normalize_or_zero()
}
