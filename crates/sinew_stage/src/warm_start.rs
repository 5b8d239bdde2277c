//! Warm start of the coupling between solvers: the forces that contacts would carry if bodies were rigid.
//!
//! Stiff flesh hardly differs from it, and soft flesh is corrected by the first step that is solved. Sheets are moved point by point, which is closer to
//! what they are. Projected Gauss–Seidel on impulses, forward and back in turns, over all contacts of the stage, since what lies on a body of another solver may
//! itself carry others of its own.

use crate::StageBody;
use crate::drive::Drive;
use crate::groups::{Group, inverse_mass};
use sinew_math::DVec3;
use sinew_solve::contact::{CONTACT, Impulse, Meeting, Spot};
use sinew_solve::{BodyContact, BodyState, Cells, Contact, Cues, RigidBody};

/// All bodies as an interval begins.
pub(crate) struct RigidWarmStart<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) groups: &'a [Group],
    pub(crate) states: &'a [BodyState],
    pub(crate) cues: &'a [Cues],
    pub(crate) obstacles: &'a [Vec<Contact>],
    pub(crate) contacts: &'a [BodyContact],
    /// Share of a penetration that is repaired.
    pub(crate) repair: f64,
    pub(crate) h_secs: f64,
}

impl RigidWarmStart<'_> {
    /// The force of each contact between bodies on its vertex; the face takes the opposite.
    pub(crate) fn forces(&self) -> Vec<DVec3> {
        let mut rigid_bodies: Vec<Option<RigidBody>> = (0..self.bodies.len()).map(|body| self.rigid(body)).collect();
        let mut rows = self.rows(&rigid_bodies);
        for sweep in 0..CONTACT.coupling.warm_start_sweeps {
            if sweep % 2 == 0 {
                rows.iter_mut().for_each(|row| row.answer(&mut rigid_bodies));
            } else {
                rows.iter_mut().rev().for_each(|row| row.answer(&mut rigid_bodies));
            }
        }
        let force = |row: &Row<'_>| (row.meeting.normal * row.given.normal + row.given.across) / self.h_secs;
        rows.iter().take(self.contacts.len()).map(force).collect()
    }

    /// None for a sheet, and for a body whose motion is given, which need not be that of a rigid one.
    fn rigid(&self, body: usize) -> Option<RigidBody> {
        let (flesh, state, cues) = (&self.bodies[body].flesh, &self.states[body], &self.cues[body]);
        let drive = Drive::of(&self.bodies[body], cues);
        if matches!(flesh.cells, Cells::Shell(_)) || drive.is_given() {
            return None;
        }
        if drive.is_held() {
            return Some(RigidBody::HELD);
        }
        Some(RigidBody::with_velocities(&flesh.mass_kg, state, |dof| self.velocity(body, dof)))
    }

    /// What a point would have at the end without contact and flesh.
    fn velocity(&self, body: usize, dof: usize) -> DVec3 {
        let (v, StageBody { flesh, is_given, .. }) = (self.states[body].v[dof], &self.bodies[body]);
        if *is_given {
            return v;
        }
        let force = self.cues[body].force_n.get(dof).copied().unwrap_or_default();
        v + force * (self.h_secs / flesh.mass_kg[dof])
    }

    /// Contacts between bodies, in their order, then those with obstacles.
    fn rows(&self, rigid_bodies: &[Option<RigidBody>]) -> Vec<Row<'_>> {
        let between = self.contacts.iter().map(|contact| {
            let spots = [contact.vertex, contact.face];
            let [vertex, face] = spots.map(|spot| spot.at(&self.states[spot.body.0 as usize].x));
            let sides = spots.map(|spot| self.side(&spot, rigid_bodies));
            let inverse_mass = spots.iter().map(|spot| self.points_inverse_mass(spot)).sum();
            self.row(
                contact.normal,
                contact.gap_at(vertex, face),
                inverse_mass,
                sides,
                With::Body(contact),
                rigid_bodies,
            )
        });
        let held = self.obstacles.iter().enumerate().flat_map(|(body, contacts)| {
            contacts.iter().filter_map(move |contact| {
                let dof = self.bodies[body].flesh.anchors.single(contact.at)?;
                let spot = Spot::of_point(sinew_solve::BodyId(body as u32), dof as u32);
                let gap_m = contact.gap_before(self.states[body].x[dof], self.h_secs);
                let still = Side::Point { v: contact.surface_velocity, inverse_mass: 0.0 };
                let sides = [self.side(&spot, rigid_bodies), still];
                Some(self.row(
                    contact.normal,
                    gap_m,
                    self.points_inverse_mass(&spot),
                    sides,
                    With::Obstacle(contact),
                    rigid_bodies,
                ))
            })
        });
        between.chain(held).collect()
    }

    fn side(&self, spot: &Spot, rigid_bodies: &[Option<RigidBody>]) -> Side {
        let body = spot.body.0 as usize;
        if let Some(rigid) = &rigid_bodies[body] {
            return Side::RigidBody { body, arm: spot.at(&self.states[body].x) - rigid.centre };
        }
        let v = spot.terms().map(|(dof, weight)| self.velocity(body, dof) * weight).sum();
        Side::Point { v, inverse_mass: self.points_inverse_mass(spot) }
    }

    /// What an impulse moves a spot by whose points are free.
    fn points_inverse_mass(&self, spot: &Spot) -> f64 {
        inverse_mass(self.groups, spot)
    }

    fn row<'a>(
        &self,
        normal: DVec3,
        gap_m: f64,
        points_inverse_mass: f64,
        sides: [Side; 2],
        with: With<'a>,
        rigid_bodies: &[Option<RigidBody>],
    ) -> Row<'a> {
        let inverse_mass: f64 = sides.iter().map(|side| side.inverse_mass_along(rigid_bodies, normal)).sum();
        let give = CONTACT.coupling.warm_start_compliance * points_inverse_mass;
        let mass_kg = if inverse_mass > 0.0 { 1.0 / (inverse_mass + give) } else { 0.0 };
        let least_speed = (gap_m.min(0.0) * (1.0 - self.repair) - gap_m) / self.h_secs;
        let meeting = Meeting { normal, mass_kg, least_speed, push_speed: 0.0 };
        Row { sides, meeting, give, with, given: Impulse::default() }
    }
}

enum Side {
    RigidBody { body: usize, arm: DVec3 },
    Point { v: DVec3, inverse_mass: f64 },
}

impl Side {
    fn inverse_mass_along(&self, rigid_bodies: &[Option<RigidBody>], along: DVec3) -> f64 {
        match self {
            Self::RigidBody { body, arm } => {
                rigid_bodies[*body].as_ref().map_or(0.0, |rigid| rigid.inverse_mass_along(along, *arm))
            }
            Self::Point { inverse_mass, .. } => *inverse_mass,
        }
    }

    fn velocity(&self, rigid_bodies: &[Option<RigidBody>]) -> DVec3 {
        match self {
            Self::RigidBody { body, arm } => {
                rigid_bodies[*body].as_ref().map_or(DVec3::ZERO, |rigid| rigid.velocity + rigid.spin.cross(*arm))
            }
            Self::Point { v, .. } => *v,
        }
    }

    fn push(&mut self, rigid_bodies: &mut [Option<RigidBody>], impulse: DVec3) {
        match self {
            Self::RigidBody { body, arm } => {
                if let Some(rigid) = &mut rigid_bodies[*body] {
                    rigid.apply_impulse(impulse, *arm);
                }
            }
            Self::Point { v, inverse_mass } => *v += impulse * *inverse_mass,
        }
    }
}

enum With<'a> {
    Body(&'a BodyContact),
    Obstacle(&'a Contact),
}

struct Row<'a> {
    sides: [Side; 2],
    meeting: Meeting,
    /// Speed that an impulse of 1 N s leaves over.
    give: f64,
    with: With<'a>,
    given: Impulse,
}

impl Row<'_> {
    fn answer(&mut self, rigid_bodies: &mut [Option<RigidBody>]) {
        let given = self.meeting.normal * self.given.normal + self.given.across;
        let slide = self.sides[0].velocity(rigid_bodies) - self.sides[1].velocity(rigid_bodies) + given * self.give;
        let impulse = match self.with {
            With::Body(contact) => self.given.answer(&self.meeting, slide, |slide| contact.friction_against(slide)),
            With::Obstacle(contact) => {
                self.given.answer_within(&self.meeting, slide, |wanted, pressed| contact.held(wanted, pressed))
            }
        };
        self.sides[0].push(rigid_bodies, impulse);
        self.sides[1].push(rigid_bodies, -impulse);
    }
}
