//! Contact between bodies: within a sweep, each sees the other where it was when the sweep began.
//!
//! The same springs and friction as in `island.rs`. A contact reaches both bodies with opposite signs, and both may move at once, which
//! is why each counts it twice as stiff as it is ([`super::batch::Batch::spread_within`]).

use super::batch::Batch;
use super::member::{Member, Press};
use super::whole::Whole;
use crate::fem::body::{Interval, contact_stiffness};
use crate::fem::external::STICK_SPEED;
use crate::fem::island::REPAIR;
use crate::{BodyContact, contact::Spot};
use sinew_math::{DMat3, DVec3, Sym3};

/// What stays the same about one contact in an interval.
#[derive(Debug, Clone, Copy)]
struct Pair {
    contact: BodyContact,
    /// How the vertex lay to the face when the interval began.
    start: DVec3,
    /// What of a penetration may stay.
    least: f64,
    stiffness: f64,
}

#[derive(Default)]
pub(super) struct Pairs {
    pairs: Vec<Pair>,
    /// Contacts of each body.
    of: Vec<Vec<u32>>,
    /// Bodies that touch each other are one island, named by its lowest.
    island: Vec<usize>,
}

impl Pairs {
    pub(super) fn begin<'a>(&mut self, bodies: usize, touching: &[BodyContact], at: impl Fn(usize) -> Interval<'a>) {
        self.of.resize(bodies, Vec::new());
        self.of.iter_mut().for_each(Vec::clear);
        self.pairs.clear();
        for (number, contact) in touching.iter().enumerate() {
            let [mine, theirs] = [&contact.vertex, &contact.face].map(|spot| at(spot.body.0 as usize));
            let start = contact.vertex.at(&mine.start.x) - contact.face.at(&theirs.start.x);
            let [a, b] = [(&mine, contact.vertex), (&theirs, contact.face)]
                .map(|(at, spot)| contact_stiffness(at, spot.terms()));
            let least = contact.gap_at(start, DVec3::ZERO).min(0.0) * (1.0 - REPAIR);
            self.pairs.push(Pair { contact: *contact, start, least, stiffness: a * b / (a + b) });
            self.of[contact.vertex.body.0 as usize].push(number as u32);
            if contact.face.body != contact.vertex.body {
                self.of[contact.face.body.0 as usize].push(number as u32);
            }
        }
        self.divide(bodies);
    }

    fn divide(&mut self, bodies: usize) {
        let Self { pairs, island, .. } = self;
        island.clear();
        island.extend(0..bodies);
        loop {
            let mut joined = false;
            for Pair { contact, .. } in &*pairs {
                let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
                let lowest = island[a].min(island[b]);
                joined |= island[a] != lowest || island[b] != lowest;
                (island[a], island[b]) = (lowest, lowest);
            }
            if !joined {
                return;
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn touches(&self, body: usize) -> bool {
        self.of.get(body).is_some_and(|of| !of.is_empty())
    }

    pub(super) fn island_of(&self, body: usize) -> usize {
        self.island[body]
    }

    /// Puts contacts that press into the lanes of both bodies, as they are now; what obstacles put there must be in them.
    pub(super) fn put(&self, members: &[Member], batches: &mut [Batch], h: f64) {
        for pair in &self.pairs {
            let [mine, theirs] = pair.ends().map(|spot| &members[spot.body.0 as usize]);
            let Some(press) = pair.press(
                now(mine, &batches[mine.batch], &pair.contact.vertex)
                    - now(theirs, &batches[theirs.batch], &pair.contact.face),
                h,
            ) else {
                continue;
            };
            // Vertex and face have weights of 1 each.
            for (member, spot, sign) in [(mine, &pair.contact.vertex, 1.0), (theirs, &pair.contact.face, -1.0)] {
                let press = turned(&press, member);
                let terms = spot.terms().map(|(dof, weight)| (member.first_point + dof, weight * sign));
                batches[member.batch].spread_within(terms, &press, 2.0);
            }
        }
    }

    /// Takes what was put there out again.
    pub(super) fn clear(&self, members: &[Member], batches: &mut [Batch]) {
        for pair in &self.pairs {
            for spot in pair.ends() {
                let member = &members[spot.body.0 as usize];
                spot.terms().for_each(|(dof, _)| batches[member.batch].clear_outside(member.first_point + dof));
            }
        }
    }

    /// What other bodies do to the rigid motions of one. A body's contacts with itself do nothing to them.
    pub(super) fn add_to(&self, whole: &mut Whole, body: usize, members: &[Member], batches: &[Batch], h: f64) {
        for &number in &self.of[body] {
            let pair = &self.pairs[number as usize];
            let [mine, theirs] = pair.ends().map(|spot| &members[spot.body.0 as usize]);
            if pair.contact.vertex.body == pair.contact.face.body {
                continue;
            }
            let relative = now(mine, &batches[mine.batch], &pair.contact.vertex)
                - now(theirs, &batches[theirs.batch], &pair.contact.face);
            let Some(press) = pair.press(relative, h) else { continue };
            let is_vertex = pair.contact.vertex.body.0 as usize == body;
            let (spot, sign) = if is_vertex { (&pair.contact.vertex, 1.0) } else { (&pair.contact.face, -1.0) };
            let member = &members[body];
            let y = member.frame.turn.transpose() * (now(member, &batches[member.batch], spot) - member.frame.centre);
            let press = turned(&press, member);
            whole.add_row(1.0, y, press.gradient * sign, press.matrix);
        }
    }
}

impl Pair {
    fn ends(&self) -> [&Spot; 2] {
        [&self.contact.vertex, &self.contact.face]
    }

    /// What the contact does with the vertex at `relative` to the face, if it presses.
    fn press(&self, relative: DVec3, h: f64) -> Option<Press> {
        let gap = self.contact.gap_at(relative, DVec3::ZERO) - self.least;
        if gap >= 0.0 {
            return None;
        }
        let (n, k) = (self.contact.normal, self.stiffness);
        let speed = (relative - self.start) / h;
        let slide = speed - n * speed.dot(n);
        let drag = self.contact.friction_against(slide) * -gap * k / slide.length().max(STICK_SPEED);
        let across = Sym3::from_mat(DMat3::IDENTITY) * (drag / h) + Sym3::along(n, -drag / h);
        Some(Press { gradient: n * (k * gap) + slide * drag, matrix: Sym3::along(n, k) + across })
    }
}

/// Where a spot is in the world.
fn now(member: &Member, batch: &Batch, spot: &Spot) -> DVec3 {
    spot.terms().fold(DVec3::ZERO, |sum, (dof, weight)| {
        let y = member.lift.place(member.rest[dof] + batch.place(member.first_point + dof), 1.0);
        sum + (member.frame.centre + member.frame.turn * y) * weight
    })
}

fn turned(press: &Press, member: &Member) -> Press {
    let back = member.frame.turn.transpose();
    Press { gradient: back * press.gradient, matrix: press.matrix.turned(back) }
}
