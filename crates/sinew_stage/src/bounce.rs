//! Restitution: a body that runs into something leaves it with the share e of the speed it came with.
//!
//! It is asked of the body as a whole (Newton's law of restitution for rigid bodies), in the step in which it arrives: its
//! velocities change by a rigid motion, so that what lands flat from a height h comes back to e² h whatever it is made of and
//! whichever solver moves it. What touches beside its centre spins by that. Flesh that bounces by its own stiffness needs none of this: e = 0 leaves contact to the
//! solver. Between two bodies the impulse is one and the same for both, with the geometric mean of their restitutions. Friction acts in the bounce by Coulomb's law: an impulse that stops the
//! slide of the place that is hit, or as much of it as the impulse along the normal allows.

use crate::StageBody;
use crate::drive::Drive;
use sinew_math::DVec3;
use sinew_solve::contact::CONTACT;
use sinew_solve::{BodyContact, BodyState, Contact, Cues, RigidBody, RigidMotion, move_points};
use std::collections::BTreeMap;

/// Where two surfaces are about to meet, gathered over all contacts of a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Impact {
    weight: f64,
    normal: DVec3,
    point: DVec3,
    surface_velocity: DVec3,
}

impl Impact {
    pub(crate) fn add(&mut self, normal: DVec3, gap_m: f64, point: DVec3, surface_velocity: DVec3) {
        let weight = -gap_m;
        self.weight += weight;
        self.normal += normal * weight;
        self.point += point * weight;
        self.surface_velocity += surface_velocity * weight;
    }

    pub(crate) fn mean(&self) -> Option<(DVec3, DVec3, DVec3)> {
        let normal = self.normal.try_normalize()?;
        Some((normal, self.point / self.weight, self.surface_velocity / self.weight))
    }
}

/// A body as if it were rigid, and what forces add to its velocity in the interval.
pub(crate) struct Rigid {
    body: RigidBody,
    gain: DVec3,
    /// How far it would come by itself. Contacts are where it is expected at the end, and arms are those of there: measured from where it was, a cube
    /// that slides along the ground was hit beside its centre.
    ahead: DVec3,
}

impl Rigid {
    pub(crate) fn of(body: &StageBody, state: &BodyState, cues: &Cues, h_secs: f64) -> Self {
        let rigid = RigidBody::of(&body.flesh.mass_kg, state);
        let gain = cues.force_n.iter().sum::<DVec3>() * (rigid.inverse_mass * h_secs);
        Self { body: rigid, gain, ahead: DVec3::ZERO }
    }

    /// The same with the arms that it has when the interval ends.
    fn at_end(self, h_secs: f64) -> Self {
        Self { ahead: (self.body.velocity + self.gain) * h_secs, ..self }
    }

    /// The same where no impulse moves it.
    pub(crate) fn held(self) -> Self {
        Self { body: self.body.held(), ..self }
    }

    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.body.velocity_at(point - self.ahead)
    }

    /// From its centre to a place of a contact.
    fn arm(&self, point: DVec3) -> DVec3 {
        point - self.ahead - self.body.centre
    }

    /// What an impulse at `point` adds to the velocity there.
    fn gained_at(&self, impulse: DVec3, point: DVec3) -> DVec3 {
        let arm = self.arm(point);
        impulse * self.body.inverse_mass + (self.body.inverse_inertia * arm.cross(impulse)).cross(arm)
    }

    /// How much an impulse along `n` at `point` changes the velocity there, along `n`, per N s.
    pub(crate) fn inverse_mass_along(&self, n: DVec3, point: DVec3) -> f64 {
        self.body.inverse_mass_along(n, self.arm(point))
    }

    /// Takes away what it spins faster than this, rad/s.
    pub(crate) fn spin_at_most(&self, state: &mut BodyState, most: f64) {
        let speed = self.body.spin.length();
        if speed > most {
            let spin = self.body.spin * (most / speed - 1.0);
            let motion = RigidMotion { about: self.body.centre, spin, ..RigidMotion::shift(DVec3::ZERO) };
            move_points(state, &motion);
        }
    }

    pub(crate) fn push(&self, state: &mut BodyState, impulse: DVec3, point: DVec3) {
        let spin = self.body.inverse_inertia * self.arm(point).cross(impulse);
        let dv = impulse * self.body.inverse_mass;
        let motion = RigidMotion { about: self.body.centre, dv, spin, ..RigidMotion::shift(DVec3::ZERO) };
        move_points(state, &motion);
    }
}

/// All contacts of an interval.
pub(crate) struct Arrivals<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) with_obstacles: &'a [Vec<Contact>],
    pub(crate) between_bodies: &'a [BodyContact],
    pub(crate) cues: &'a [Cues],
    pub(crate) h_secs: f64,
    /// The speed at which each body runs into something at most (`approach.rs`).
    pub(crate) most_speed: &'a [f64],
}

impl Arrivals<'_> {
    /// Turns back every body that arrives somewhere in this interval and has a restitution.
    pub(crate) fn bounce(&self, states: &mut [BodyState]) {
        self.slow_down(states);
        if self.bodies.iter().all(|body| body.restitution <= 0.0) {
            return;
        }
        for number in 0..states.len() {
            self.bounce_off_obstacles(number, states);
        }
        self.bounce_off_bodies(states);
    }

    /// Pins and paths decide for themselves where a body goes.
    pub(crate) fn rigid(&self, body: usize, states: &[BodyState]) -> Option<Rigid> {
        let cues = &self.cues[body];
        let is_held = Drive::of(&self.bodies[body], cues).is_held();
        (!is_held).then(|| Rigid::of(&self.bodies[body], &states[body], cues, self.h_secs))
    }

    fn bounce_off_obstacles(&self, number: usize, states: &mut [BodyState]) {
        let restitution = self.bodies[number].restitution;
        if restitution <= 0.0 {
            return;
        }
        let mut impact = Impact::default();
        let closed = || self.with_obstacles[number].iter().filter(|contact| contact.gap_m < 0.0);
        for contact in closed() {
            impact.add(contact.normal, contact.gap_m, contact.point, contact.surface_velocity);
        }
        let (Some((n, point, surface)), Some(rigid)) = (impact.mean(), self.rigid(number, states)) else { return };
        let rigid = rigid.at_end(self.h_secs);
        let approach = -(rigid.velocity_at(point) - surface).dot(n);
        if approach > CONTACT.impact.arrival * -rigid.gain.dot(n) && approach > 0.0 {
            let impulse = n * ((1.0 + restitution) * approach / rigid.inverse_mass_along(n, point));
            let deepest = closed().min_by(|a, b| a.gap_m.total_cmp(&b.gap_m));
            let rubbed = deepest.map_or(DVec3::ZERO, |contact| {
                let slide = across(rigid.velocity_at(point) - surface + rigid.gained_at(impulse, point), n);
                contact.held(stopping(&[&rigid], slide, point), impulse.length())
            });
            rigid.push(&mut states[number], impulse + rubbed, point);
        }
    }

    fn bounce_off_bodies(&self, states: &mut [BodyState]) {
        let mut impacts: BTreeMap<(usize, usize), (Impact, Option<BodyContact>)> = BTreeMap::new();
        for contact in self.between_bodies.iter().filter(|contact| contact.gap_m < 0.0) {
            let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            if self.bodies[a].restitution * self.bodies[b].restitution > 0.0 && a != b {
                let (pair, normal) = if a < b { ((a, b), contact.normal) } else { ((b, a), -contact.normal) };
                let (impact, deepest) = impacts.entry(pair).or_default();
                impact.add(normal, contact.gap_m, contact.point, DVec3::ZERO);
                if deepest.is_none_or(|known| contact.gap_m < known.gap_m) {
                    *deepest = Some(*contact);
                }
            }
        }
        for ((a, b), (impact, deepest)) in impacts {
            let (Some(first), Some(second)) = (self.rigid(a, states), self.rigid(b, states)) else { continue };
            let Some((n, point, _)) = impact.mean() else { continue };
            let [first, second] = [first, second].map(|body| body.at_end(self.h_secs));
            let approach = -(first.velocity_at(point) - second.velocity_at(point)).dot(n);
            if approach > CONTACT.impact.arrival * -(first.gain - second.gain).dot(n) && approach > 0.0 {
                let restitution = (self.bodies[a].restitution * self.bodies[b].restitution).sqrt();
                let inverse_mass = first.inverse_mass_along(n, point) + second.inverse_mass_along(n, point);
                let impulse = n * ((1.0 + restitution) * approach / inverse_mass);
                let rubbed = deepest.map_or(DVec3::ZERO, |contact| {
                    let gained = first.gained_at(impulse, point) - second.gained_at(-impulse, point);
                    let slide = across(first.velocity_at(point) - second.velocity_at(point) + gained, n);
                    let of_vertex = if contact.vertex.body.0 as usize == a { slide } else { -slide };
                    let most = contact.friction_against(of_vertex) * impulse.length();
                    stopping(&[&first, &second], slide, point).clamp_length_max(most)
                });
                first.push(&mut states[a], impulse + rubbed, point);
                second.push(&mut states[b], -impulse - rubbed, point);
            }
        }
    }
}

fn across(v: DVec3, n: DVec3) -> DVec3 {
    v - n * v.dot(n)
}

/// The impulse on the first of some bodies, and its opposite on the second, that stops the slide of one against the other at `point`.
fn stopping(bodies: &[&Rigid], slide: DVec3, point: DVec3) -> DVec3 {
    let Some(along) = slide.try_normalize() else { return DVec3::ZERO };
    slide * (-1.0 / bodies.iter().map(|body| body.inverse_mass_along(along, point)).sum::<f64>())
}
