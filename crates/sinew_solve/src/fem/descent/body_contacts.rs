//! Contact between bodies: within a sweep, each sees the other where it was when the sweep began.
//!
//! The same springs and friction as in `island.rs`. A contact reaches both bodies with opposite signs, and both may move at once, which
//! is why each counts it twice as stiff as it is ([`super::batch::Batch::spread_within`]).

use super::batch::Batch;
use super::member::Member;
use crate::contact::{CONTACT, IslandMap, Spot};
use crate::fem::body::{FemScratch, Interval};
use crate::implicit::{ContactEnd, ContactPenalty, ContactTerm, Implicit, PenaltyForce};
use crate::{BodyContact, BodyState};
use sinew_math::DVec3;

/// What stays the same about one contact in an interval.
#[derive(Debug, Clone, Copy)]
struct Pair {
    contact: BodyContact,
    spring: ContactPenalty,
    /// The vertex relative to the face when normal forces were last updated.
    relative: DVec3,
    /// The gap when the last sweep began, if it was open then.
    open_m: Option<f64>,
    /// Whether that sweep closed it.
    is_closed_anew: bool,
}

#[derive(Default)]
pub(super) struct BodyContacts {
    body_contacts: Vec<Pair>,
    /// Contacts of each body.
    of: Vec<Vec<u32>>,
    islands: IslandMap,
}

impl BodyContacts {
    pub(super) fn begin<'a>(&mut self, bodies: usize, touching: &[BodyContact], at: impl Fn(usize) -> Interval<'a>) {
        self.of.resize(bodies, Vec::new());
        self.of.iter_mut().for_each(Vec::clear);
        self.body_contacts.clear();
        for (number, contact) in touching.iter().enumerate() {
            let [mine, theirs] = [&contact.vertex, &contact.face].map(|spot| at(spot.body.0 as usize));
            let start = contact.vertex.at(&mine.start.x) - contact.face.at(&theirs.start.x);
            let [a, b] = [(&mine, contact.vertex), (&theirs, contact.face)]
                .map(|(at, spot)| FemScratch::contact_stiffness(at, spot.terms()));
            let first_gap = contact.gap_at(start, DVec3::ZERO);
            let velocity = contact.vertex.at(&mine.start.v) - contact.face.at(&theirs.start.v);
            let carrying =
                if contact.vertex.body == contact.face.body { 1.0 } else { CONTACT.penalty.descent_stiffness };
            let stiffness = a.with(b).times(carrying);
            let spring = ContactPenalty::between(contact.normal, start, stiffness, first_gap, velocity, mine.h);
            self.body_contacts.push(Pair {
                contact: *contact,
                spring,
                relative: start,
                open_m: None,
                is_closed_anew: false,
            });
            self.of[contact.vertex.body.0 as usize].push(number as u32);
            if contact.face.body != contact.vertex.body {
                self.of[contact.face.body.0 as usize].push(number as u32);
            }
        }
        self.islands.find(bodies, touching, |_| true);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.body_contacts.is_empty()
    }

    pub(super) fn touches(&self, body: usize) -> bool {
        self.of.get(body).is_some_and(|of| !of.is_empty())
    }

    pub(super) fn island_of(&self, body: usize) -> usize {
        self.islands.of(body)
    }

    /// The same as [`Member::keep_up`] for two bodies, each of which gives way by half.
    pub(super) fn limit_guess(&self, members: &[Member], states: &[BodyState], batches: &mut [Batch], h: f64) {
        for pair in &self.body_contacts {
            let contact = &pair.contact;
            let [vertex, face] = pair.ends().map(|spot| {
                let state = &states[spot.body.0 as usize];
                spot.at(&state.x) + spot.at(&state.v) * h
            });
            let now = contact.gap_at(pair.find_relative(members, batches), DVec3::ZERO);
            let deeper = contact.gap_at(vertex, face).min(0.0) - now;
            if deeper <= 0.0 {
                continue;
            }
            for (spot, sign) in [(&contact.vertex, 0.5), (&contact.face, -0.5)] {
                let member = &members[spot.body.0 as usize];
                let square: f64 = spot.terms().map(|(_, w)| w * w).sum();
                let back = member.frame.turn.transpose() * contact.normal * (deeper * sign / square);
                for (i, w) in spot.terms().filter(|(i, _)| !member.constraints.is_pinned(*i)) {
                    let (batch, point) = (&mut batches[member.batch], member.first_point + i);
                    batch.set_place(point, batch.place(point) + back * w);
                }
            }
        }
    }

    /// Friction goes by the normal forces of now, until they are updated again.
    pub(super) fn update_normal_forces(&mut self, members: &[Member], batches: &[Batch]) {
        for pair in &mut self.body_contacts {
            let gap_m = pair.update_relative(members, batches);
            pair.spring.reset_normal_force(gap_m);
        }
    }

    /// The same before a sweep, and the active set: a contact whose normal force is larger than what opens its gap stays in it, and what the last sweep closed joins it.
    pub(super) fn keep_active(&mut self, members: &[Member], batches: &[Batch]) {
        for pair in &mut self.body_contacts {
            let gap_m = pair.update_relative(members, batches);
            let is_active = std::mem::take(&mut pair.is_closed_anew) || pair.spring.still_presses(gap_m);
            pair.spring.reset_normal_force(gap_m);
            pair.spring.set_assumed_active(is_active);
        }
    }

    /// Contacts that press now are counted on in the next step, wherever that begins.
    pub(super) fn assume_active(&mut self, members: &[Member], batches: &[Batch]) {
        for pair in &mut self.body_contacts {
            pair.spring.assume_active(pair.contact.gap_at(pair.find_relative(members, batches), DVec3::ZERO));
        }
    }

    /// Puts contacts that press into the lanes of both bodies, as they were when normal forces were last updated; what obstacles put there must be in them.
    pub(super) fn put(&mut self, members: &[Member], batches: &mut [Batch], h: f64) {
        for pair in &mut self.body_contacts {
            let Some(penalty) = pair.penalty(pair.relative, h) else {
                pair.open_m = Some(pair.contact.gap_at(pair.relative, DVec3::ZERO));
                continue;
            };
            pair.open_m = None;
            let [mine, theirs] = pair.ends().map(|spot| &members[spot.body.0 as usize]);
            // Vertex and face have weights of 1 each.
            for (member, spot, sign) in [(mine, &pair.contact.vertex, 1.0), (theirs, &pair.contact.face, -1.0)] {
                let penalty = penalty.turned(member.frame.turn.transpose());
                let terms = spot.terms().map(|(dof, weight)| (member.first_point + dof, weight * sign));
                batches[member.batch].spread_within(terms, &penalty, 2.0);
            }
        }
    }

    /// Contacts that a sweep has closed without knowing of them: both sides are taken back to where they touch, each by its share of the way. Their springs are hundreds of times as stiff as
    /// flesh. What fell in by a tenth of a millimetre was pushed out again with the whole body by the rigid modes, sweep after sweep: a block that landed on another was stopped within a third of the way.
    pub(super) fn take_back(&mut self, members: &[Member], batches: &mut [Batch]) {
        for pair in &mut self.body_contacts {
            let Some(open_m) = pair.open_m else { continue };
            let gap_m = pair.contact.gap_at(pair.find_relative(members, batches), DVec3::ZERO);
            if gap_m >= open_m.min(0.0) {
                continue;
            }
            pair.is_closed_anew = true;
            let share = (gap_m / (gap_m - open_m.max(0.0))).min(1.0);
            for spot in pair.ends() {
                let member = &members[spot.body.0 as usize];
                let normal = member.frame.turn.transpose() * pair.contact.normal;
                let batch = &mut batches[member.batch];
                for (i, _) in spot.terms().filter(|(i, w)| *w != 0.0 && !member.constraints.is_pinned(*i)) {
                    let point = member.first_point + i;
                    let back = normal * (normal.dot(batch.swept_by(point)) * share);
                    batch.set_place(point, batch.place(point) - back);
                }
            }
        }
    }

    /// Takes what was put there out again.
    pub(super) fn clear(&self, members: &[Member], batches: &mut [Batch]) {
        for pair in &self.body_contacts {
            for spot in pair.ends() {
                let member = &members[spot.body.0 as usize];
                spot.terms().for_each(|(dof, _)| batches[member.batch].clear_external(member.first_point + dof));
            }
        }
    }

    /// What contacts that press do to the rigid motions of both bodies. `place` says which of those that take part a body is.
    pub(super) fn join(
        &self,
        members: &[Member],
        batches: &[Batch],
        h: f64,
        place: impl Fn(usize) -> Option<usize>,
        joints: &mut Vec<ContactTerm>,
    ) {
        for pair in &self.body_contacts {
            if pair.contact.vertex.body == pair.contact.face.body {
                continue; // a body's contacts with itself do nothing to its rigid motions
            }
            let Some(penalty) = pair.penalty(pair.find_relative(members, batches), h) else { continue };
            let end = |(spot, sign): (&Spot, f64)| {
                let member = &members[spot.body.0 as usize];
                let turn = member.frame.turn;
                let y = turn.transpose() * (now(member, &batches[member.batch], spot) - member.frame.centre);
                ContactEnd { body: place(spot.body.0 as usize), y, turn, sign }
            };
            joints.push(ContactTerm {
                ends: [(&pair.contact.vertex, 1.0), (&pair.contact.face, -1.0)].map(end),
                penalty,
            });
        }
    }

    /// Adds what contacts add to the objective, by island.
    pub(super) fn add_objective(&self, members: &[Member], batches: &[Batch], h: f64, objective: &mut [f64]) {
        for pair in &self.body_contacts {
            if let Some(penalty) = pair.penalty(pair.find_relative(members, batches), h) {
                objective[self.islands.of(pair.contact.vertex.body.0 as usize)] += penalty.energy;
            }
        }
    }
}

impl Pair {
    /// Takes over where vertex and face are now; answers the gap there.
    fn update_relative(&mut self, members: &[Member], batches: &[Batch]) -> f64 {
        self.relative = self.find_relative(members, batches);
        self.contact.gap_at(self.relative, DVec3::ZERO)
    }

    /// Where the vertex is from the face.
    fn find_relative(&self, members: &[Member], batches: &[Batch]) -> DVec3 {
        let [vertex, face] = self.ends().map(|spot| {
            let member = &members[spot.body.0 as usize];
            now(member, &batches[member.batch], spot)
        });
        vertex - face
    }

    fn ends(&self) -> [&Spot; 2] {
        [&self.contact.vertex, &self.contact.face]
    }

    /// What the contact does with the vertex at `relative` to the face, if anything.
    fn penalty(&self, relative: DVec3, h: f64) -> Option<PenaltyForce> {
        let contact = &self.contact;
        let gap = contact.gap_at(relative, DVec3::ZERO);
        self.spring.evaluate(relative, gap, h, |slide, pressed, least| contact.rub(slide, pressed, least))
    }
}

/// Where a spot is in the world.
fn now(member: &Member, batch: &Batch, spot: &Spot) -> DVec3 {
    spot.terms().fold(DVec3::ZERO, |sum, (dof, weight)| {
        let y = member.rigid.place(member.rest[dof] + batch.place(member.first_point + dof), 1.0);
        sum + (member.frame.centre + member.frame.turn * y) * weight
    })
}
