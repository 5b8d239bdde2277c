//! Contact inside the inner steps of Runge–Kutta: after each of them, what has got into something is put back, loses its approach
//! and rubs within Coulomb's bound of what stopped it. Friction acts all through an inner step: what it adds to velocity it adds by half to the way
//! of that step, so that what sticks does not creep by what it falls in each.
//!
//! Contacts are found once per interval (planes that move with their obstacle, vertices against faces); a few sweeps over them let impulses
//! pass from body to body. What an interval begins with inside an obstacle comes out little by little.

use super::body::SpringsScratch;
use crate::BodyContact;
use crate::contact::{Impulse, Meeting};
use crate::implicit::Member;
use sinew_math::DVec3;

/// Sweeps over contacts between bodies; obstacles alone need one.
const SWEEPS: usize = 4;
/// Share of a penetration that is repaired in one interval.
const REPAIR: f64 = 0.25;

/// An inner step that has been taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed {
    /// How long it took, and how much of the interval is gone by then.
    pub(super) delta_secs: f64,
    pub(super) gone_secs: f64,
}

impl Passed {
    /// Mass times the way that an impulse makes which acts evenly all through the inner step.
    fn way(&self, impulse: DVec3) -> DVec3 {
        impulse * (0.5 * self.delta_secs)
    }
}

/// Lets all contacts answer after an inner step.
pub(super) fn answer_contacts(members: &mut [Member<'_, SpringsScratch>], contacts: &[BodyContact], passed: Passed) {
    if contacts.is_empty() {
        members.iter_mut().for_each(|member| with_obstacles(member, passed));
        return;
    }
    let mut given = vec![Impulse::default(); contacts.len()];
    for _ in 0..SWEEPS {
        for (contact, given) in contacts.iter().zip(&mut given) {
            between_bodies(members, contact, given, passed);
        }
        members.iter_mut().for_each(|member| with_obstacles(member, passed));
    }
}

fn with_obstacles(member: &mut Member<'_, SpringsScratch>, passed: Passed) {
    let (at, scratch) = member.split();
    let (flesh, inner) = (&at.body.flesh, &mut scratch.inner);
    for contact in at.contacts {
        let first_gap_m = contact.gap_before(flesh.anchors.at(contact.at, &at.start.x), at.h);
        let allowed = first_gap_m.min(0.0) * (1.0 - REPAIR * passed.gone_secs / at.h);
        // Planes are those of the interval's end; until then they come nearer.
        let there = flesh.anchors.at(contact.at, &inner.x) + contact.surface_velocity * (at.h - passed.gone_secs);
        let gap_m = contact.gap_at(there) - allowed;
        if gap_m >= 0.0 {
            continue;
        }
        let gain: f64 = flesh.anchors.terms(contact.at).map(|(dof, w)| w * w / flesh.mass_kg[dof]).sum();
        let Some(meeting) = Meeting::new(contact.normal, gain, 0.0, at.h, 0.0) else { continue };
        let relative = flesh.anchors.at(contact.at, &inner.v) - contact.surface_velocity;
        let impulse =
            Impulse::default().answer_within(&meeting, relative, |wanted, pressed| contact.held(wanted, pressed));
        let push = contact.normal * (-gap_m / gain) + passed.way(across(impulse, contact.normal));
        for (dof, weight) in flesh.anchors.terms(contact.at) {
            inner.v[dof] += impulse * (weight / flesh.mass_kg[dof]);
            inner.x[dof] += push * (weight / flesh.mass_kg[dof]);
            inner.impulses[dof] += impulse * weight;
        }
    }
}

fn between_bodies(
    members: &mut [Member<'_, SpringsScratch>],
    contact: &BodyContact,
    given: &mut Impulse,
    passed: Passed,
) {
    let number = |body: u32| members.partition_point(|member| member.number < body as usize);
    let [mine, theirs] = [contact.vertex, contact.face].map(|spot| number(spot.body.0));
    let (vertex, face) = (&members[mine], &members[theirs]);
    let gap_between =
        |of_vertex: &[DVec3], of_face: &[DVec3]| contact.gap_at(contact.vertex.at(of_vertex), contact.face.at(of_face));
    let allowed = gap_between(&vertex.state.x, &face.state.x).min(0.0) * (1.0 - REPAIR * passed.gone_secs / vertex.h);
    let gap_m = gap_between(&vertex.scratch.inner.x, &face.scratch.inner.x) - allowed;
    if gap_m >= 0.0 && given.normal == 0.0 {
        return;
    }
    let gain = contact.vertex.inverse_mass(|dof| 1.0 / vertex.body.flesh.mass_kg[dof])
        + contact.face.inverse_mass(|dof| 1.0 / face.body.flesh.mass_kg[dof]);
    let Some(meeting) = Meeting::new(contact.normal, gain, 0.0, vertex.h, 0.0) else { return };
    let relative = contact.vertex.at(&vertex.scratch.inner.v) - contact.face.at(&face.scratch.inner.v);
    let impulse = given.answer(&meeting, relative, |slide| contact.friction_against(slide));
    let push = contact.normal * ((-gap_m).max(0.0) / gain) + passed.way(across(impulse, contact.normal));
    for (number, spot, sign) in [(mine, &contact.vertex, 1.0), (theirs, &contact.face, -1.0)] {
        let member = &mut members[number];
        let (mass, inner) = (&member.body.flesh.mass_kg, &mut member.scratch.inner);
        for (dof, weight) in spot.terms() {
            inner.v[dof] += impulse * (weight * sign / mass[dof]);
            inner.x[dof] += push * (weight * sign / mass[dof]);
            inner.impulses[dof] += impulse * (weight * sign);
        }
    }
}

/// The part of an impulse that rubs.
fn across(impulse: DVec3, normal: DVec3) -> DVec3 {
    impulse - normal * impulse.dot(normal)
}
