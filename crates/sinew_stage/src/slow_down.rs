//! Impacts too fast for flesh: the speed beyond what a body can take is lost, as in a plastic impact of rigid bodies.
//!
//! The limit is each body's own (`approach.rs`). Velocities change by a rigid motion, by an impulse at the mean place of contact along the mean normal, equal and opposite
//! where two bodies meet; energy only falls. Spin that an obstacle gives is bounded likewise. What is left of the impact is the solver's. Sheets are not slowed down: they have no
//! inside that could pass through their surface.

use crate::bounce::{Arrivals, Impact, Rigid};
use sinew_math::DVec3;
use sinew_solve::{BodyState, Contact, Other};
use std::collections::BTreeMap;

impl Arrivals<'_> {
    /// Slows down every body that arrives faster than it can take.
    pub(crate) fn slow_down(&self, states: &mut [BodyState]) {
        for number in 0..states.len() {
            self.slow_on_obstacles(number, states);
        }
        self.slow_on_bodies(states);
    }

    fn slow_on_obstacles(&self, number: usize, states: &mut [BodyState]) {
        let (most, flesh) = (self.most_speed[number], &self.bodies[number].flesh);
        let arriving = || self.with_obstacles[number].iter().filter(|contact| contact.gap_m < 0.0);
        let speed = |contact: &Contact| {
            (contact.surface_velocity - flesh.anchors.at(contact.at, &states[number].v)).dot(contact.normal)
        };
        if self.bodies[number].restitution > 0.0 || !arriving().any(|contact| speed(contact) > most) {
            return;
        }
        let mut impacts: BTreeMap<u32, Impact> = BTreeMap::new();
        for contact in arriving() {
            if let Other::Obstacle(obstacle) = contact.other {
                let impact = impacts.entry(obstacle).or_default();
                impact.add(contact.normal, contact.gap_m, contact.point, contact.surface_velocity);
            }
        }
        for impact in impacts.values() {
            let Some((n, point, surface)) = impact.mean() else { continue };
            let Some(rigid) = self.rigid(number, states) else { return };
            let approach = -(rigid.velocity_at(point) - surface).dot(n);
            if approach > most {
                rigid.push(&mut states[number], n * ((approach - most) / rigid.inverse_mass_along(n, point)), point);
                self.slow_spin(number, states);
            }
        }
    }

    /// What lands on a corner would turn what it loses into spin that no flesh could hold together: its rim turns no faster than the body may arrive.
    fn slow_spin(&self, number: usize, states: &mut [BodyState]) {
        let Some(rigid) = self.rigid(number, states) else { return };
        let most = self.most_speed[number] / (0.5 * self.bodies[number].flesh.size_m());
        rigid.spin_at_most(&mut states[number], most);
    }

    fn slow_on_bodies(&self, states: &mut [BodyState]) {
        let mut impacts: BTreeMap<(usize, usize), Impact> = BTreeMap::new();
        for contact in self.between_bodies.iter().filter(|contact| contact.gap_m < 0.0) {
            let [a, b] = [contact.vertex, contact.face].map(|spot| spot.body.0 as usize);
            let velocity = contact.vertex.at(&states[a].v) - contact.face.at(&states[b].v);
            let pair = (a.min(b), a.max(b));
            let bounces = self.bodies[a].restitution * self.bodies[b].restitution > 0.0;
            if a == b || bounces || -velocity.dot(contact.normal) <= self.most_between(pair) {
                continue;
            }
            let normal = if a < b { contact.normal } else { -contact.normal };
            impacts.entry(pair).or_default().add(normal, contact.gap_m, contact.point, DVec3::ZERO);
        }
        for ((a, b), impact) in impacts {
            let Some((n, point, _)) = impact.mean() else { continue };
            let [first, second] = [a, b].map(|body| self.rigid_or_held(body, states));
            let approach = -(first.velocity_at(point) - second.velocity_at(point)).dot(n);
            let (most, inverse_mass) =
                (self.most_between((a, b)), first.inverse_mass_along(n, point) + second.inverse_mass_along(n, point));
            if approach > most && inverse_mass > 0.0 {
                let impulse = n * ((approach - most) / inverse_mass);
                first.push(&mut states[a], impulse, point);
                second.push(&mut states[b], -impulse, point);
            }
        }
    }

    /// The softer one decides.
    fn most_between(&self, (a, b): (usize, usize)) -> f64 {
        let [a, b] = [self.most_speed[a], self.most_speed[b]];
        if a.is_finite() && b.is_finite() { a.min(b) } else { f64::INFINITY }
    }

    /// A body that pins or a path hold takes any impulse.
    fn rigid_or_held(&self, body: usize, states: &[BodyState]) -> Rigid {
        self.rigid(body, states)
            .unwrap_or_else(|| Rigid::of(&self.bodies[body], &states[body], &self.cues[body], self.h_secs).held())
    }
}
