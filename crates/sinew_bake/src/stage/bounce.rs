//! Restitution: a body that runs into something leaves it with the share e of the speed it came with.
//!
//! It is asked of the body as a whole (Newton's law of restitution for rigid bodies), in the step in which it arrives: its
//! velocities change by a rigid motion, so that a ball dropped from a height h comes back to e² h whatever it is made of and
//! whichever solver moves it. Flesh that bounces by its own stiffness needs none of this: e = 0 leaves contact to the
//! solver. Between two bodies the impulse is one and the same for both, with the geometric mean of their restitutions.

use super::StageBody;
use sinew_math::rotation::{mass_centre, outer};
use sinew_math::{DMat3, DVec3};
use sinew_solve::{BodyContact, BodyState, Contact, Cues, RigidMotion, move_points};
use std::collections::BTreeMap;

/// What lies on something approaches it by what forces add in a step; only this many times that is an arrival.
const ARRIVAL: f64 = 2.5;

/// Where two surfaces are about to meet, gathered over all contacts of a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Impact {
    weight: f64,
    normal: DVec3,
    point: DVec3,
    surface_velocity: DVec3,
}

impl Impact {
    pub(super) fn add(&mut self, normal: DVec3, gap_m: f64, point: DVec3, surface_velocity: DVec3) {
        let weight = -gap_m;
        self.weight += weight;
        self.normal += normal * weight;
        self.point += point * weight;
        self.surface_velocity += surface_velocity * weight;
    }

    pub(super) fn mean(&self) -> Option<(DVec3, DVec3, DVec3)> {
        let normal = self.normal.try_normalize()?;
        Some((normal, self.point / self.weight, self.surface_velocity / self.weight))
    }
}

/// A body as if it were rigid.
pub(super) struct Rigid {
    centre: DVec3,
    velocity: DVec3,
    spin: DVec3,
    inverse_mass: f64,
    inverse_inertia: DMat3,
    /// What forces add to its speed in the interval.
    gain: DVec3,
}

impl Rigid {
    pub(super) fn of(body: &StageBody, state: &BodyState, cues: &Cues, h_secs: f64) -> Self {
        let mass_kg = &body.flesh.mass_kg;
        let (centre, velocity) = (mass_centre(&state.x, mass_kg), mass_centre(&state.v, mass_kg));
        let (mut spread, mut angular) = (DMat3::ZERO, DVec3::ZERO);
        for ((x, v), mass) in state.x.iter().zip(&state.v).zip(mass_kg) {
            let r = *x - centre;
            spread += outer(r, r) * *mass;
            angular += r.cross(*v - velocity) * *mass;
        }
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        let usable = inertia.determinant() > 1e-12 * trace * trace * trace;
        let inverse_inertia = if usable { inertia.inverse() } else { DMat3::ZERO };
        let inverse_mass = 1.0 / mass_kg.iter().sum::<f64>();
        let gain = cues.force_n.iter().sum::<DVec3>() * (inverse_mass * h_secs);
        Self { centre, velocity, spin: inverse_inertia * angular, inverse_mass, inverse_inertia, gain }
    }

    /// The same where no impulse moves it.
    pub(super) fn held(self) -> Self {
        Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, ..self }
    }

    pub(super) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.centre)
    }

    /// How much an impulse along `n` at `point` changes the velocity there, along `n`, per N s.
    pub(super) fn inverse_mass_along(&self, n: DVec3, point: DVec3) -> f64 {
        let r = point - self.centre;
        self.inverse_mass + n.dot((self.inverse_inertia * r.cross(n)).cross(r))
    }

    /// Takes away what it spins faster than this, rad/s.
    pub(super) fn spin_at_most(&self, state: &mut BodyState, most: f64) {
        let speed = self.spin.length();
        if speed > most {
            let spin = self.spin * (most / speed - 1.0);
            let motion = RigidMotion { about: self.centre, spin, ..RigidMotion::shift(DVec3::ZERO) };
            move_points(state, &motion);
        }
    }

    pub(super) fn push(&self, state: &mut BodyState, impulse: DVec3, point: DVec3) {
        let spin = self.inverse_inertia * (point - self.centre).cross(impulse);
        let dv = impulse * self.inverse_mass;
        let motion = RigidMotion { about: self.centre, dv, spin, ..RigidMotion::shift(DVec3::ZERO) };
        move_points(state, &motion);
    }
}

/// All contacts of an interval.
pub(super) struct Arrivals<'a> {
    pub(super) bodies: &'a [StageBody],
    pub(super) with_obstacles: &'a [Vec<Contact>],
    pub(super) between_bodies: &'a [BodyContact],
    pub(super) cues: &'a [Cues],
    pub(super) h_secs: f64,
    /// The speed at which each body runs into something at most (`approach.rs`).
    pub(super) most_speed: &'a [f64],
}

impl Arrivals<'_> {
    /// Turns back every body that arrives somewhere in this interval and has a restitution.
    pub(super) fn bounce(&self, states: &mut [BodyState]) {
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
    pub(super) fn rigid(&self, body: usize, states: &[BodyState]) -> Option<Rigid> {
        let cues = &self.cues[body];
        let free = cues.pins.is_empty() && cues.path.is_none();
        free.then(|| Rigid::of(&self.bodies[body], &states[body], cues, self.h_secs))
    }

    fn bounce_off_obstacles(&self, number: usize, states: &mut [BodyState]) {
        let restitution = self.bodies[number].restitution;
        let mut impact = Impact::default();
        for contact in self.with_obstacles[number].iter().filter(|contact| contact.gap_m < 0.0) {
            impact.add(contact.normal, contact.gap_m, contact.point, contact.surface_velocity);
        }
        if restitution <= 0.0 {
            return;
        }
        let (Some((n, point, surface)), Some(rigid)) = (impact.mean(), self.rigid(number, states)) else { return };
        let approach = -(rigid.velocity_at(point) - surface).dot(n);
        if approach > ARRIVAL * -rigid.gain.dot(n) && approach > 0.0 {
            let impulse = n * ((1.0 + restitution) * approach / rigid.inverse_mass_along(n, point));
            rigid.push(&mut states[number], impulse, point);
        }
    }

    fn bounce_off_bodies(&self, states: &mut [BodyState]) {
        let mut impacts: BTreeMap<(usize, usize), Impact> = BTreeMap::new();
        for contact in self.between_bodies.iter().filter(|contact| contact.gap_m < 0.0) {
            let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
            if self.bodies[a].restitution * self.bodies[b].restitution > 0.0 && a != b {
                let (pair, normal) = if a < b { ((a, b), contact.normal) } else { ((b, a), -contact.normal) };
                impacts.entry(pair).or_default().add(normal, contact.gap_m, contact.point, DVec3::ZERO);
            }
        }
        for ((a, b), impact) in impacts {
            let (Some(first), Some(second)) = (self.rigid(a, states), self.rigid(b, states)) else { continue };
            let Some((n, point, _)) = impact.mean() else { continue };
            let approach = -(first.velocity_at(point) - second.velocity_at(point)).dot(n);
            if approach > ARRIVAL * -(first.gain - second.gain).dot(n) && approach > 0.0 {
                let restitution = (self.bodies[a].restitution * self.bodies[b].restitution).sqrt();
                let inverse_mass = first.inverse_mass_along(n, point) + second.inverse_mass_along(n, point);
                let impulse = n * ((1.0 + restitution) * approach / inverse_mass);
                first.push(&mut states[a], impulse, point);
                second.push(&mut states[b], -impulse, point);
            }
        }
    }
}
