//! What no step may end with, whatever its solver says: numbers that are not finite, a body torn apart, energy out of nothing.
//!
//! A step that does is taken back and tried again in shorter intervals (`Stage::step`); where that does not help, the run
//! ends with an error that names the body.

use super::{Group, StageBody};
use sinew_math::DVec3;
use sinew_solve::{BodyContact, BodyId, BodyState, Contact, Cues, StepError};

/// The most that flesh may be stretched, in sizes of the body. Rubber tears at ten.
const MOST_STRETCH: f64 = 1000.0;
/// Kinetic energy that grows by less than this factor in a step is not looked into: elastic energy that is let go does that.
const SUSPICIOUS_GROWTH: f64 = 16.0;
/// Total energy may grow by this factor on top of the work done: contact is a stiff spring whose energy is not counted.
const MOST_GROWTH: f64 = 2.0;
/// A motion that is never looked into: body sizes per second.
const CALM_SIZES_PER_SEC: f64 = 0.5;
/// What is pressed deeper than this share of its size is pushed out, which gives it energy.
const PRESSED_DEPTH: f64 = 0.01;

/// One interval, as it began and ended, and what was asked in it.
pub(super) struct Guard<'a> {
    pub(super) bodies: &'a [StageBody],
    pub(super) groups: &'a [Group],
    pub(super) before: &'a [BodyState],
    pub(super) after: &'a [BodyState],
    pub(super) cues: &'a [Cues],
    pub(super) contacts: &'a [Vec<Contact>],
    pub(super) touching: &'a [BodyContact],
}

impl Guard<'_> {
    pub(super) fn check(&self) -> Result<(), StepError> {
        for (i, after) in self.after.iter().enumerate() {
            let body = BodyId(i as u32);
            if let Some(vertex) = after.first_not_finite() {
                return Err(StepError::NotFinite { body, vertex });
            }
            let (size_m, times) = (self.bodies[i].size_m, extent_m(&after.x) / self.bodies[i].size_m);
            if times > MOST_STRETCH && times > extent_m(&self.before[i].x) / size_m {
                return Err(StepError::TornApart { body, times });
            }
            if let Some(joule) = self.gained(i) {
                return Err(StepError::EnergyGained { body, joule });
            }
        }
        Ok(())
    }

    /// Energy that a body has gained and that nothing put into it.
    fn gained(&self, i: usize) -> Option<f64> {
        let (flesh, size_m) = (&self.bodies[i].flesh, self.bodies[i].size_m);
        let calm = 0.5 * flesh.total_mass_kg() * (CALM_SIZES_PER_SEC * size_m).powi(2);
        let [before, after] = [&self.before[i], &self.after[i]];
        let [kinetic_before, kinetic] = [before, after].map(|state| kinetic_j(&flesh.mass_kg, state));
        let worked = |(n, force): (usize, &DVec3)| force.dot(after.x[n] - before.x[n]);
        let work: f64 = self.cues[i].force_n.iter().enumerate().map(worked).sum::<f64>().abs();
        if kinetic <= SUSPICIOUS_GROWTH * (kinetic_before + work) + calm || !self.is_left_to_forces(i) {
            return None;
        }
        let group = self.groups.iter().find(|group| group.bodies.contains(&i))?;
        let [elastic_before, elastic] = [before, after].map(|state| group.energy_j(i, state, &self.cues[i]));
        let given = kinetic_before + elastic_before + work;
        let gained = kinetic + elastic - given;
        (gained > (MOST_GROWTH - 1.0) * given + calm).then_some(gained)
    }

    /// Whether nothing but given forces and obstacles that stand still can do work on a body.
    fn is_left_to_forces(&self, i: usize) -> bool {
        let (cues, body) = (&self.cues[i], BodyId(i as u32));
        let is_driven = !cues.goals.is_empty()
            || !cues.pins.is_empty()
            || !cues.drag.is_empty()
            || !cues.log_stretch.is_empty()
            || !cues.rest_offset.is_empty()
            || cues.path.is_some()
            || cues.reshape.is_some();
        let pressed_m = -PRESSED_DEPTH * self.bodies[i].size_m;
        let x = &self.before[i].x;
        let pushes = |contact: &Contact| {
            let gap_m = contact.gap_at(self.bodies[i].flesh.anchors.at(contact.at, x));
            contact.surface_velocity != DVec3::ZERO || gap_m < pressed_m
        };
        let touches = |contact: &BodyContact| contact.vertex.body == body || contact.face.body == body;
        !is_driven && !self.contacts[i].iter().any(pushes) && !self.touching.iter().any(touches)
    }
}

/// The diagonal of the box about all points.
fn extent_m(x: &[DVec3]) -> f64 {
    let low = x.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = x.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    (high - low).length()
}

fn kinetic_j(mass_kg: &[f64], state: &BodyState) -> f64 {
    mass_kg.iter().zip(&state.v).map(|(mass, v)| 0.5 * mass * v.length_squared()).sum()
}
