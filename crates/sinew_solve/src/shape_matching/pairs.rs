//! What bodies do to each other after matching: one sequence of impulses over all of them.
//!
//! Every contact changes the velocities of a vertex and of a face at once, by opposite impulses, so that their sum of
//! momenta stays what it was; contacts with obstacles take part in the same sweeps, so that stacks stand. The order is the
//! order of contacts, on one thread: the same bits however many there are.

use super::Body;
use super::hold::Moving;
use crate::contact::{Impulse, Meeting};
use crate::{Asked, BodyContact, BodyState};
use sinew_math::DVec3;

/// Sweeps over all contacts of a step.
const SWEEPS: usize = 6;
/// They end early when no velocity changes by more than this share of a body's size in a step.
const SETTLED: f64 = 1e-6;
/// Share of a penetration that is repaired in one step: less than all, because many repair the same one.
const REPAIR: f64 = 0.5;
/// And never more than this share of a body's size: matching turns a jump into speed.
const MOST_REPAIR: f64 = 0.005;

/// Scratch.
#[derive(Default)]
pub(super) struct Pairs {
    entries: Vec<Entry>,
}

/// One contact, ready for sweeping.
struct Entry {
    meeting: Meeting,
    given: Impulse,
    /// Coulomb's coefficient where it is the same in every direction.
    friction: Option<f64>,
    contact: u32,
    bodies: [u32; 2],
    vertex: u32,
    /// 1/m of the vertex.
    vertex_gain: f64,
    face: [u32; 3],
    weights: [f64; 3],
    /// w/m of the face's corners.
    face_gains: [f64; 3],
}

/// Notes which bodies take part.
pub(super) fn mark_touched(bodies: &mut [Body], touching: &[BodyContact]) {
    bodies.iter_mut().for_each(|body| body.touched = false);
    for contact in touching {
        bodies[contact.vertex.body.0 as usize].touched = true;
        bodies[contact.face.body.0 as usize].touched = true;
    }
}

impl Pairs {
    /// Velocities (and pushes) of all bodies that touch, under contacts between them and with obstacles.
    pub(super) fn settle(&mut self, bodies: &mut [Body], states: &mut [BodyState], asked: &Asked<'_>) {
        if asked.touching.is_empty() {
            return;
        }
        self.meet(bodies, states, asked);
        let smallest = bodies.iter().filter(|body| body.touched).map(|body| body.size_m).fold(f64::MAX, f64::min);
        for _ in 0..SWEEPS {
            let mut moved = touch_obstacles(bodies, states, asked);
            for entry in &mut self.entries {
                moved = moved.max(entry.answer(&asked.touching[entry.contact as usize], states));
                entry.push(bodies);
            }
            if moved * asked.h_secs <= SETTLED * smallest {
                break;
            }
        }
    }

    fn meet(&mut self, bodies: &mut [Body], states: &[BodyState], asked: &Asked<'_>) {
        self.entries.clear();
        for (body, state) in bodies.iter_mut().zip(states).filter(|(body, _)| body.touched) {
            body.hold.pushed.clear();
            body.hold.pushed.resize(state.x.len(), DVec3::ZERO);
        }
        for (number, contact) in asked.touching.iter().enumerate() {
            self.entries.extend(Entry::new(number, contact, bodies, states, asked.h_secs));
        }
    }
}

fn touch_obstacles(bodies: &mut [Body], states: &mut [BodyState], asked: &Asked<'_>) -> f64 {
    let mut moved: f64 = 0.0;
    for ((body, state), contacts) in bodies.iter_mut().zip(states).zip(asked.contacts) {
        if body.touched && !contacts.is_empty() {
            let Body { matcher, hold, size_m, .. } = body;
            let mut moving = Moving::new(&matcher.model.flesh, *size_m, state, asked.h_secs);
            moved = moved.max(hold.sweep(&mut moving, contacts));
        }
    }
    moved
}

impl Entry {
    /// None where nothing can move, and for what cannot touch within the interval.
    fn new(number: usize, contact: &BodyContact, bodies: &[Body], states: &[BodyState], h_secs: f64) -> Option<Self> {
        let places = [contact.vertex.body.0, contact.face.body.0];
        let [mine, theirs] = places.map(|place| place as usize);
        let gain = |body: usize, dof: u32| {
            let Body { matcher, hold, .. } = &bodies[body];
            hold.inverse_mass(&matcher.model.flesh, dof as usize)
        };
        let vertex = contact.vertex.dofs[0];
        let (face, weights) = (contact.face.dofs, contact.face.weights);
        let vertex_gain = gain(mine, vertex);
        let face_gains = [0, 1, 2].map(|k: usize| weights[k] * gain(theirs, face[k]));
        let inverse_mass = vertex_gain + (0..3).map(|k| weights[k] * face_gains[k]).sum::<f64>();
        let gap_m = contact.gap_at(states[mine].x[vertex as usize], contact.face.at(&states[theirs].x));
        let even = |friction: &crate::Friction| friction.even_coefficient();
        let friction = even(&contact.friction[0]).zip(even(&contact.friction[1])).map(|(a, b)| (a * b).sqrt());
        let repair_m = (-gap_m * REPAIR).min(MOST_REPAIR * bodies[mine].size_m.min(bodies[theirs].size_m));
        Some(Self {
            meeting: Meeting::new(contact.normal, inverse_mass, gap_m, h_secs, repair_m)?,
            given: Impulse::default(),
            friction,
            contact: number as u32,
            bodies: places,
            vertex,
            vertex_gain,
            face,
            weights,
            face_gains,
        })
    }

    /// Changes both velocities; returns how much the relative one changed.
    #[inline(always)]
    fn answer(&mut self, contact: &BodyContact, states: &mut [BodyState]) -> f64 {
        let [mine, theirs] = self.bodies.map(|body| body as usize);
        let their = &states[theirs].v;
        let face = (0..3).fold(DVec3::ZERO, |sum, k| sum + their[self.face[k] as usize] * self.weights[k]);
        let relative = states[mine].v[self.vertex as usize] - face;
        let even = self.friction;
        let friction = |slide: DVec3| even.unwrap_or_else(|| contact.friction_against(slide));
        let impulse = self.given.answer(&self.meeting, relative, friction);
        if impulse == DVec3::ZERO {
            return 0.0;
        }
        states[mine].v[self.vertex as usize] += impulse * self.vertex_gain;
        let their = &mut states[theirs].v;
        for k in 0..3 {
            their[self.face[k] as usize] -= impulse * self.face_gains[k];
        }
        impulse.length() / self.meeting.mass_kg
    }

    #[inline(always)]
    fn push(&mut self, bodies: &mut [Body]) {
        if self.meeting.push_speed <= 0.0 {
            return;
        }
        let [mine, theirs] = self.bodies.map(|body| body as usize);
        let their = &bodies[theirs].hold.pushed;
        let face = (0..3).fold(DVec3::ZERO, |sum, k| sum + their[self.face[k] as usize] * self.weights[k]);
        let speed = (bodies[mine].hold.pushed[self.vertex as usize] - face).dot(self.meeting.normal);
        let push = self.meeting.normal * self.given.push(&self.meeting, speed);
        bodies[mine].hold.pushed[self.vertex as usize] += push * self.vertex_gain;
        let their = &mut bodies[theirs].hold.pushed;
        for k in 0..3 {
            their[self.face[k] as usize] -= push * self.face_gains[k];
        }
    }
}
