//! Contacts of all bodies in a substep, and who is told of which.
//!
//! Contacts depend on the state alone, so that directors may look at them and a resumed run sees the same. Those between
//! bodies of one solver are that solver's to solve; what bodies of different solvers do to each other is settled here, as
//! impulses on both that the solvers take as forces.

use super::{BodySetup, StageBody};
use rayon::prelude::*;
use sinew_math::DVec3;
use sinew_solve::contact::{
    BodyContactFinder, ContactSurface, Impulse, Meeting, NearObstacles, TouchingBody, obstacle_distance_m,
};
use sinew_solve::{BodyContact, BodyId, Contact, Cues, Flesh, Friction, Now, Obstacle, StageState};
use std::ops::Range;
use std::sync::Arc;

/// Sweeps over contacts between bodies of different solvers.
const SWEEPS: usize = 8;
/// Share of a penetration that such a contact repairs in a step.
const REPAIR: f64 = 0.2;

pub(super) struct Touch {
    finder: BodyContactFinder,
    groups: Vec<Range<usize>>,
    obstacles: Vec<Vec<Contact>>,
    bodies: Vec<BodyContact>,
    /// Of each group, in its own numbers; empty where there is only one group, whose numbers are the stage's.
    within: Vec<Vec<BodyContact>>,
    across: Vec<BodyContact>,
    given: Vec<(Meeting, Impulse)>,
    /// Friction of each body now.
    rough: Vec<Friction>,
    /// Size of each body, and the distance it keeps from obstacles.
    sizes_m: Vec<(f64, f64)>,
}

impl Touch {
    pub(super) fn new(bodies: &[BodySetup], groups: impl Iterator<Item = Range<usize>>) -> Self {
        let groups: Vec<Range<usize>> = groups.collect();
        let mut surfaces: Vec<(Arc<Flesh>, Option<Arc<ContactSurface>>)> = Vec::new();
        let alone = bodies.len() < 2 && !bodies.iter().any(|body| body.touches_itself);
        let mut touching = |body: &BodySetup| {
            let known = surfaces.iter().find(|(flesh, _)| Arc::ptr_eq(flesh, &body.flesh)).map(|(_, s)| s.clone());
            let surface = known.unwrap_or_else(|| {
                let made = if alone { None } else { ContactSurface::new(&body.flesh).map(Arc::new) };
                surfaces.push((body.flesh.clone(), made.clone()));
                made
            });
            TouchingBody { surface, touches_itself: body.touches_itself }
        };
        Self {
            finder: BodyContactFinder::new(bodies.iter().map(&mut touching).collect()),
            within: vec![Vec::new(); groups.len()],
            groups,
            obstacles: vec![Vec::new(); bodies.len()],
            bodies: Vec::new(),
            across: Vec::new(),
            given: Vec::new(),
            rough: vec![Friction::default(); bodies.len()],
            sizes_m: bodies.iter().map(|body| (body.flesh.size_m(), obstacle_distance_m(&body.flesh))).collect(),
        }
    }

    pub(super) fn with_obstacles(&self) -> &[Vec<Contact>] {
        &self.obstacles
    }

    pub(super) fn between_bodies(&self) -> &[BodyContact] {
        &self.bodies
    }

    /// Contacts between bodies of one group, in its own numbers.
    pub(super) fn within(&self, group: usize) -> &[BodyContact] {
        if self.groups.len() == 1 { &self.bodies } else { &self.within[group] }
    }

    pub(super) fn find(&mut self, bodies: &[StageBody], state: &StageState, obstacles: &[Obstacle], now: &Now) {
        let each = self.obstacles.par_iter_mut().zip(&mut self.rough).zip(&self.sizes_m).zip(bodies).zip(&state.bodies);
        each.for_each(|((((contacts, rough), size_m), body), state)| {
            contacts.clear();
            *rough = body.friction.at(now);
            let along = |surface: usize| body.friction_along.at(surface, &state.x);
            let (size_m, keep_m) = *size_m;
            let (flesh, friction, h_secs) = (&*body.flesh, *rough, now.h_secs);
            let near = NearObstacles { flesh, size_m, keep_m, friction, state, h_secs };
            near.find(obstacles, along, contacts);
        });
        let rough = &self.rough;
        let grip =
            |body: usize, vertex: usize| (rough[body], bodies[body].friction_along.at(vertex, &state.bodies[body].x));
        self.finder.find(&state.bodies, now.h_secs, &grip, &mut self.bodies);
        self.hand_out();
    }

    fn hand_out(&mut self) {
        self.across.clear();
        self.within.iter_mut().for_each(Vec::clear);
        if self.groups.len() == 1 {
            return;
        }
        for contact in &self.bodies {
            let [vertex, face] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            let group = self.groups.iter().position(|group| group.contains(&vertex) && group.contains(&face));
            let Some(group) = group else {
                self.across.push(*contact);
                continue;
            };
            let first = self.groups[group].start as u32;
            let mut own = *contact;
            own.vertex.body = BodyId(own.vertex.body.0 - first);
            own.face.body = BodyId(own.face.body.0 - first);
            self.within[group].push(own);
        }
    }

    /// Impulses between bodies of different solvers, found on the velocities that forces alone would give them, and
    /// handed to both solvers as forces: equal and opposite, so that momentum is kept.
    pub(super) fn push_across(&mut self, bodies: &[StageBody], state: &StageState, cues: &mut [Cues], h_secs: f64) {
        if self.across.is_empty() {
            return;
        }
        let mass = |body: BodyId, dof: usize| bodies[body.0 as usize].flesh.mass_kg[dof];
        self.given.clear();
        for contact in &self.across {
            for spot in [&contact.vertex, &contact.face] {
                let forces = &mut cues[spot.body.0 as usize].force_n;
                let points = bodies[spot.body.0 as usize].flesh.point_count();
                forces.resize(points, DVec3::ZERO);
            }
            let [vertex, face] =
                [&contact.vertex, &contact.face].map(|spot| spot.at(&state.bodies[spot.body.0 as usize].x));
            let gain = [&contact.vertex, &contact.face].map(|spot| spot.inverse_mass(|dof| 1.0 / mass(spot.body, dof)));
            let gap_m = contact.gap_at(vertex, face);
            let meeting = Meeting::new(contact.normal, gain[0] + gain[1], gap_m, h_secs, 0.0);
            self.given.extend(meeting.map(|meeting| {
                let repair = (-gap_m).max(0.0) * REPAIR / h_secs;
                (Meeting { least_speed: meeting.least_speed + repair, ..meeting }, Impulse::default())
            }));
        }
        for _ in 0..SWEEPS {
            for (contact, (meeting, given)) in self.across.iter().zip(&mut self.given) {
                let speed = |spot: &sinew_solve::contact::Spot| {
                    let (state, cues) = (&state.bodies[spot.body.0 as usize], &cues[spot.body.0 as usize]);
                    spot.terms().fold(DVec3::ZERO, |sum, (dof, weight)| {
                        sum + (state.v[dof] + cues.force_n[dof] * (h_secs / mass(spot.body, dof))) * weight
                    })
                };
                let relative = speed(&contact.vertex) - speed(&contact.face);
                let force = given.answer(meeting, relative, |slide| contact.friction_against(slide)) / h_secs;
                for (spot, sign) in [(&contact.vertex, 1.0), (&contact.face, -1.0)] {
                    let forces = &mut cues[spot.body.0 as usize].force_n;
                    spot.terms().for_each(|(dof, weight)| forces[dof] += force * (weight * sign));
                }
            }
        }
    }
}
