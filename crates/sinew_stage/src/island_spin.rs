//! Angular momentum of bodies that collide in the air.
//!
//! Every solver gives a lone free body the angular momentum that it should have. Where bodies touch, contact acts on both with equal and opposite forces, but at places half a step away from where they act, and implicit
//! steps lose spin as they lose swings: two cubes that met off-centre kept 83 % of it. What an island of free bodies lacks in the end is given back as a spin of all of it, which leaves its linear momentum alone.

use crate::StageBody;
use crate::drive::Drive;
use sinew_math::DVec3;
use sinew_solve::contact::IslandMembers;
use sinew_solve::{BodyState, Contact, Cues, RigidBody};

/// One interval as it began, and what was asked in it.
pub(crate) struct IslandSpin<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) before: &'a [BodyState],
    pub(crate) cues: &'a [Cues],
    /// Forces of directors on a body, without those of contact.
    pub(crate) force_n: &'a dyn Fn(usize) -> &'a [DVec3],
    pub(crate) contacts: &'a [Vec<Contact>],
    pub(crate) islands: &'a IslandMembers,
    pub(crate) h_secs: f64,
}

impl IslandSpin<'_> {
    pub(crate) fn restore(&self, after: &mut [BodyState]) {
        for island in self.islands.iter() {
            if island.len() > 1 && island.iter().all(|&body| self.is_free(body)) {
                self.restore_in(island, after);
            }
        }
    }

    /// Whether nothing but forces and other bodies moves a body.
    fn is_free(&self, body: usize) -> bool {
        let drive = Drive::of(&self.bodies[body], &self.cues[body]);
        let is_driven = drive.is_held() || drive.is_pulled() || drive.is_dragged();
        !is_driven && self.contacts[body].is_empty()
    }

    fn restore_in(&self, island: &[usize], after: &mut [BodyState]) {
        let (begun, ended) = (self.motion(island, self.before), self.motion(island, after));
        let wanted =
            angular_momentum(self.bodies, island, self.before, &begun) + self.turned(island, after, &begun, &ended);
        let lacking = wanted - angular_momentum(self.bodies, island, after, &ended);
        let spin = ended.inverse_inertia * lacking;
        for &body in island {
            let BodyState { x, v, .. } = &mut after[body];
            v.iter_mut().zip(x).for_each(|(v, x)| *v += spin.cross(*x - ended.centre));
        }
    }

    fn motion(&self, island: &[usize], states: &[BodyState]) -> RigidBody {
        RigidBody::of_points(island.iter().flat_map(|&body| {
            let BodyState { x, v, .. } = &states[body];
            x.iter().zip(v).zip(&self.bodies[body].flesh.mass_kg).map(|((x, v), mass)| (*x, *v, *mass))
        }))
    }

    /// What outer forces add in the interval, at the arms of its middle.
    fn turned(&self, island: &[usize], after: &[BodyState], begun: &RigidBody, ended: &RigidBody) -> DVec3 {
        let centre = 0.5 * (begun.centre + ended.centre);
        let mut torque = DVec3::ZERO;
        for &body in island {
            let places = self.before[body].x.iter().zip(&after[body].x);
            for ((first, last), force) in places.zip((self.force_n)(body)) {
                torque += (0.5 * (*first + *last) - centre).cross(*force);
            }
        }
        torque * self.h_secs
    }
}

/// About the centre of all of them.
fn angular_momentum(bodies: &[StageBody], island: &[usize], states: &[BodyState], motion: &RigidBody) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for &body in island {
        let points = states[body].x.iter().zip(&states[body].v).zip(&bodies[body].flesh.mass_kg);
        for ((x, v), mass) in points {
            sum += (*x - motion.centre).cross(*v - motion.velocity) * *mass;
        }
    }
    sum
}
