//! What contacts would carry if bodies were rigid: where the search for forces between solvers begins.
//!
//! Stiff flesh hardly differs from it, and soft flesh is corrected by the first step that is solved. Sheets are moved point by point, which is closer to
//! what they are. Projected Gauss–Seidel on impulses, forward and back in turns, over all contacts of the stage, since what lies on a body of another solver may
//! itself carry others of its own.

use super::StageBody;
use sinew_math::{DMat3, DVec3};
use sinew_solve::contact::{Impulse, Meeting, Spot};
use sinew_solve::{BodyContact, BodyState, Cells, Contact, Cues};

const SWEEPS: usize = 40;
/// Contacts give way by this share of what free points would, so that a face carries a load with all its vertices and not with the first three.
const GIVE: f64 = 0.02;

/// All bodies as an interval begins.
pub(super) struct Standing<'a> {
    pub(super) bodies: &'a [StageBody],
    pub(super) states: &'a [BodyState],
    pub(super) cues: &'a [Cues],
    pub(super) obstacles: &'a [Vec<Contact>],
    pub(super) contacts: &'a [BodyContact],
    /// Share of a penetration that is repaired.
    pub(super) repair: f64,
    pub(super) h_secs: f64,
}

impl Standing<'_> {
    /// The force of each contact between bodies on its vertex; the face takes the opposite.
    pub(super) fn loads(&self) -> Vec<DVec3> {
        let mut wholes: Vec<Option<Whole>> = (0..self.bodies.len()).map(|body| self.whole(body)).collect();
        let mut rows = self.rows(&wholes);
        for sweep in 0..SWEEPS {
            if sweep % 2 == 0 {
                rows.iter_mut().for_each(|row| row.answer(&mut wholes));
            } else {
                rows.iter_mut().rev().for_each(|row| row.answer(&mut wholes));
            }
        }
        let force = |row: &Row<'_>| (row.meeting.normal * row.given.normal + row.given.across) / self.h_secs;
        rows.iter().take(self.contacts.len()).map(force).collect()
    }

    /// None for a sheet.
    fn whole(&self, body: usize) -> Option<Whole> {
        let (flesh, state, cues) = (&self.bodies[body].flesh, &self.states[body], &self.cues[body]);
        if matches!(flesh.cells, Cells::Shell(_)) {
            return None;
        }
        if !cues.pins.is_empty() || cues.path.is_some() {
            return Some(Whole::HELD);
        }
        let centre = sinew_math::rotation::mass_centre(&state.x, &flesh.mass_kg);
        let (mut momentum, mut turning, mut inertia) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
        for (dof, (x, &mass)) in state.x.iter().zip(&flesh.mass_kg).enumerate() {
            let (arm, push) = (*x - centre, self.velocity(body, dof) * mass);
            momentum += push;
            turning += arm.cross(push);
            let square = DMat3::from_diagonal(DVec3::splat(arm.length_squared()));
            inertia += (square - sinew_math::rotation::outer(arm, arm)) * mass;
        }
        let ease = 1.0 / flesh.total_mass_kg();
        let turn = if inertia.determinant() > 0.0 { inertia.inverse() } else { DMat3::ZERO };
        Some(Whole { centre, ease, turn, v: momentum * ease, spin: turn * turning })
    }

    /// What a point would have at the end without contact and flesh.
    fn velocity(&self, body: usize, dof: usize) -> DVec3 {
        let force = self.cues[body].force_n.get(dof).copied().unwrap_or_default();
        self.states[body].v[dof] + force * (self.h_secs / self.bodies[body].flesh.mass_kg[dof])
    }

    /// Contacts between bodies, in their order, then those with obstacles.
    fn rows(&self, wholes: &[Option<Whole>]) -> Vec<Row<'_>> {
        let between = self.contacts.iter().map(|contact| {
            let spots = [contact.vertex, contact.face];
            let [vertex, face] = spots.map(|spot| spot.at(&self.states[spot.body.0 as usize].x));
            let sides = spots.map(|spot| self.side(&spot, wholes));
            let ease = spots.iter().map(|spot| self.points_ease(spot)).sum();
            self.row(contact.normal, contact.gap_at(vertex, face), ease, sides, With::Body(contact), wholes)
        });
        let held = self.obstacles.iter().enumerate().flat_map(|(body, contacts)| {
            contacts.iter().filter_map(move |contact| {
                let dof = self.bodies[body].flesh.anchors.single(contact.at)?;
                let spot = Spot::of_point(sinew_solve::BodyId(body as u32), dof as u32);
                let gap_m = contact.gap_before(self.states[body].x[dof], self.h_secs);
                let still = Side::Point { v: contact.surface_velocity, ease: 0.0 };
                let sides = [self.side(&spot, wholes), still];
                Some(self.row(contact.normal, gap_m, self.points_ease(&spot), sides, With::Obstacle(contact), wholes))
            })
        });
        between.chain(held).collect()
    }

    fn side(&self, spot: &Spot, wholes: &[Option<Whole>]) -> Side {
        let body = spot.body.0 as usize;
        if let Some(whole) = &wholes[body] {
            return Side::Whole { body, arm: spot.at(&self.states[body].x) - whole.centre };
        }
        let v = spot.terms().map(|(dof, weight)| self.velocity(body, dof) * weight).sum();
        Side::Point { v, ease: self.points_ease(spot) }
    }

    /// What an impulse moves a spot by whose points are free.
    fn points_ease(&self, spot: &Spot) -> f64 {
        spot.inverse_mass(|dof| 1.0 / self.bodies[spot.body.0 as usize].flesh.mass_kg[dof])
    }

    fn row<'a>(
        &self,
        normal: DVec3,
        gap_m: f64,
        points_ease: f64,
        sides: [Side; 2],
        with: With<'a>,
        wholes: &[Option<Whole>],
    ) -> Row<'a> {
        let ease: f64 = sides.iter().map(|side| side.ease(wholes, normal)).sum();
        let give = GIVE * points_ease;
        let mass_kg = if ease > 0.0 { 1.0 / (ease + give) } else { 0.0 };
        let least_speed = (gap_m.min(0.0) * (1.0 - self.repair) - gap_m) / self.h_secs;
        let meeting = Meeting { normal, mass_kg, least_speed, push_speed: 0.0 };
        Row { sides, meeting, give, with, given: Impulse::default() }
    }
}

/// A body as if it were rigid.
struct Whole {
    centre: DVec3,
    /// 1/mass, and the inverse of its inertia.
    ease: f64,
    turn: DMat3,
    v: DVec3,
    spin: DVec3,
}

impl Whole {
    const HELD: Self = Self { centre: DVec3::ZERO, ease: 0.0, turn: DMat3::ZERO, v: DVec3::ZERO, spin: DVec3::ZERO };
}

enum Side {
    Whole { body: usize, arm: DVec3 },
    Point { v: DVec3, ease: f64 },
}

impl Side {
    fn ease(&self, wholes: &[Option<Whole>], along: DVec3) -> f64 {
        match self {
            Self::Whole { body, arm } => wholes[*body]
                .as_ref()
                .map_or(0.0, |whole| whole.ease + (whole.turn * arm.cross(along)).cross(*arm).dot(along)),
            Self::Point { ease, .. } => *ease,
        }
    }

    fn velocity(&self, wholes: &[Option<Whole>]) -> DVec3 {
        match self {
            Self::Whole { body, arm } => {
                wholes[*body].as_ref().map_or(DVec3::ZERO, |whole| whole.v + whole.spin.cross(*arm))
            }
            Self::Point { v, .. } => *v,
        }
    }

    fn push(&mut self, wholes: &mut [Option<Whole>], impulse: DVec3) {
        match self {
            Self::Whole { body, arm } => {
                if let Some(whole) = &mut wholes[*body] {
                    whole.v += impulse * whole.ease;
                    whole.spin += whole.turn * arm.cross(impulse);
                }
            }
            Self::Point { v, ease } => *v += impulse * *ease,
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
    fn answer(&mut self, wholes: &mut [Option<Whole>]) {
        let given = self.meeting.normal * self.given.normal + self.given.across;
        let slide = self.sides[0].velocity(wholes) - self.sides[1].velocity(wholes) + given * self.give;
        let impulse = match self.with {
            With::Body(contact) => self.given.answer(&self.meeting, slide, |slide| contact.friction_against(slide)),
            With::Obstacle(contact) => {
                self.given.answer_within(&self.meeting, slide, |wanted, pressed| contact.held(wanted, pressed))
            }
        };
        self.sides[0].push(wholes, impulse);
        self.sides[1].push(wholes, -impulse);
    }
}
