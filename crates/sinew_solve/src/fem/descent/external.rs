//! External terms: goals, drag and contact with obstacles, on single points and on the body's rigid modes.

use super::batch::Batch;
use super::member::{Member, place_of};
use super::moments::Moments;
use crate::fem::body::{FemScratch, Interval};
use crate::implicit::{ContactPenalty, Implicit, PenaltyForce, Predicted, RigidQuadratic};
use crate::simd::gather::Point;
use crate::{Contact, Row};
use sinew_math::DVec3;

/// A contact with an obstacle in the frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObstacleContact {
    /// Where its row is when u = 0.
    base: DVec3,
    spring: ContactPenalty,
}

impl Member {
    pub(super) fn prepare_smooth(&mut self, at: &Interval<'_>) {
        let predicted = Predicted { flesh: &self.setup.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        predicted.smooth_terms(at.cues, &mut self.smooth);
        let back = self.frame.turn.transpose();
        for term in &mut self.smooth {
            term.matrix = term.matrix.turned(back);
            term.pull = back * term.pull;
        }
    }

    pub(super) fn prepare_contacts(&mut self, at: &Interval<'_>) {
        let Self { obstacle_contacts, setup, frame, rest, .. } = self;
        let anchors = &setup.flesh.anchors;
        obstacle_contacts.clear();
        obstacle_contacts.extend(at.contacts.iter().map(|contact| {
            let weight: f64 = anchors.terms(contact.at).map(|(_, w)| w).sum();
            let (start, h) = (anchors.at(contact.at, &at.start.x), at.h);
            let stiffness = FemScratch::contact_stiffness(at, anchors.terms(contact.at));
            let still = start + contact.surface_velocity * h;
            let velocity = anchors.at(contact.at, &at.start.v) - contact.surface_velocity;
            ObstacleContact {
                base: frame.turn * anchors.at(contact.at, rest) + frame.centre * weight,
                spring: ContactPenalty::new(contact.normal, still, stiffness, contact.gap_before(start, h), velocity),
            }
        }));
    }

    /// Outer forces alone lead the first guess no deeper into an obstacle than it is, or would be without them, and friction holds it by as much: what lies on
    /// something begins where it lies, what slides where it will be, and sweeps have nothing to undo.
    pub(super) fn limit_guess(&self, at: &Interval<'_>, batch: &mut Batch) {
        let (anchors, turn, first) = (&self.setup.flesh.anchors, self.frame.turn, self.first_point);
        for (contact, touching) in at.contacts.iter().zip(&self.obstacle_contacts) {
            let terms = anchors.terms(contact.at);
            let moved = terms.clone().fold(DVec3::ZERO, |sum, (i, w)| sum + batch.place(first + i) * w);
            let free = anchors.at(contact.at, &at.start.x) + anchors.at(contact.at, &at.start.v) * at.h;
            let deeper = contact.gap_at(free).min(0.0) - contact.gap_at(touching.base + turn * moved);
            let square: f64 = terms.clone().map(|(_, w)| w * w).sum();
            if deeper > 0.0 && square > 0.0 {
                let slid = touching.base + turn * moved - touching.spring.still;
                let across = slid - contact.normal * slid.dot(contact.normal);
                let rubbed = contact.held(-across, deeper);
                let back = turn.transpose() * (contact.normal * deeper + rubbed) / square;
                for (i, w) in terms.filter(|(i, _)| !self.constraints.is_pinned(*i)) {
                    batch.set_place(first + i, batch.place(first + i) + back * w);
                }
            }
        }
    }

    /// Friction goes by what presses now, until it is looked at again.
    pub(super) fn update_normal_forces(&mut self, at: &Interval<'_>, batch: &Batch) {
        self.for_each_gap(at, batch, ContactPenalty::update_normal_force);
    }

    /// The same before a sweep.
    pub(super) fn keep_active(&mut self, at: &Interval<'_>, batch: &Batch) {
        self.for_each_gap(at, batch, ContactPenalty::keep_active);
    }

    /// Contacts that press now are counted on in the next step, wherever that begins.
    pub(super) fn assume_active(&mut self, at: &Interval<'_>, batch: &Batch) {
        self.for_each_gap(at, batch, ContactPenalty::assume_active);
    }

    fn for_each_gap(&mut self, at: &Interval<'_>, batch: &Batch, tell: impl Fn(&mut ContactPenalty, f64)) {
        let Self { obstacle_contacts, setup, frame, rest, rigid, first_point, .. } = self;
        let anchors = &setup.flesh.anchors;
        let u = |i: usize| rigid.place(rest[i] + batch.place(*first_point + i), 1.0) - rest[i];
        for (contact, touching) in at.contacts.iter().zip(obstacle_contacts) {
            let moved = anchors.terms(contact.at).fold(DVec3::ZERO, |sum, (dof, weight)| sum + u(dof) * weight);
            tell(&mut touching.spring, contact.gap_at(touching.base + frame.turn * moved));
        }
    }

    /// Every contact with obstacles that presses: its row, what it does in the world, and where it is in the frame (o + u).
    fn presses(&self, at: &Interval<'_>, u: impl Fn(usize) -> DVec3, mut found: impl FnMut(Row, &PenaltyForce, DVec3)) {
        let (anchors, turn) = (&self.setup.flesh.anchors, self.frame.turn);
        for (contact, touching) in at.contacts.iter().zip(&self.obstacle_contacts) {
            let moved = anchors.terms(contact.at).fold(DVec3::ZERO, |sum, (dof, weight)| sum + u(dof) * weight);
            if let Some(penalty) = touching.penalty(contact, touching.base + turn * moved, at.h) {
                found(contact.at, &penalty, anchors.at(contact.at, &self.rest) + moved);
            }
        }
    }

    /// Puts contact and terms on several points into the lanes, as they are now.
    pub(super) fn put_external(&mut self, at: &Interval<'_>, batch: &mut Batch) {
        let (first, anchors) = (self.first_point, &self.setup.flesh.anchors);
        for contact in at.contacts {
            anchors.terms(contact.at).for_each(|(dof, _)| batch.clear_external(first + dof));
        }
        let several = || self.smooth.iter().filter(|term| anchors.single(term.at).is_none());
        for term in several() {
            anchors.terms(term.at).for_each(|(dof, _)| batch.clear_external(first + dof));
        }
        let mut pressing = 0;
        for term in several() {
            let q = anchors
                .terms(term.at)
                .fold(DVec3::ZERO, |sum, (i, w)| sum + (batch.place(first + i) - self.ahead[i]) * w);
            let penalty =
                PenaltyForce { gradient: term.gradient(q), matrix: term.matrix, bound: term.matrix, energy: 0.0 };
            batch.spread(anchors.terms(term.at).map(|(dof, w)| (first + dof, w)), &penalty);
        }
        // Collected first: lanes are read while all are found.
        let mut found = std::mem::take(&mut batch.found);
        found.clear();
        let back = self.frame.turn.transpose();
        self.presses(at, |i| batch.place(first + i), |row, penalty, _| found.push((row, penalty.turned(back))));
        for (row, penalty) in &found {
            pressing += 1;
            batch.spread(anchors.terms(*row).map(|(dof, w)| (first + dof, w)), penalty);
        }
        batch.found = found;
        self.pressing = pressing;
    }

    /// Sums up what inertia says about the body's rigid motions where its points are now; whoever moves them has to ask again.
    pub(super) fn weigh(&mut self, at: &Interval<'_>, points: &[Point], slots: &[u32]) {
        let mut moments = Moments::NOTHING;
        for (i, (rest, ahead)) in self.rest.iter().zip(&self.ahead).enumerate() {
            let u = place_of(points, slots, i);
            moments.add(self.inertia(at, i), *rest + u, u - *ahead);
        }
        self.moments = moments;
    }

    /// Gradient and matrix of the objective in rigid motions, at the places that were weighed with `lift` on top. Other bodies are
    /// not in it.
    pub(super) fn whole(&self, at: &Interval<'_>, points: &[Point], slots: &[u32]) -> RigidQuadratic {
        let rigid = self.rigid;
        let place = |i: usize| rigid.place(self.rest[i] + place_of(points, slots, i), 1.0);
        let mut whole = self.moments.whole(&rigid);
        let anchors = &self.setup.flesh.anchors;
        for term in &self.smooth {
            let (mut y, mut q, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
            for (i, w) in anchors.terms(term.at) {
                y += place(i) * w;
                q += (place(i) - self.rest[i] - self.ahead[i]) * w;
                weight += w;
            }
            whole.add_row(weight, y, term.gradient(q), term.matrix);
        }
        let weight = |row: Row| anchors.terms(row).map(|(_, w)| w).sum();
        let (u, back) = (|i: usize| place(i) - self.rest[i], self.frame.turn.transpose());
        self.presses(at, u, |row, penalty, y| {
            let penalty = penalty.turned(back);
            whole.add_row(weight(row), y, penalty.gradient, penalty.matrix);
        });
        whole
    }

    /// The part of the objective that rigid motions change, at the places that were weighed with `lift` on top. Other bodies are not in it.
    pub(super) fn objective(&self, at: &Interval<'_>, points: &[Point], slots: &[u32]) -> f64 {
        let u = |i: usize| self.rigid.place(self.rest[i] + place_of(points, slots, i), 1.0) - self.rest[i];
        let mut objective = self.moments.objective(&self.rigid);
        let anchors = &self.setup.flesh.anchors;
        for term in &self.smooth {
            let q = |(i, w): (usize, f64)| (u(i) - self.ahead[i]) * w;
            objective += term.energy(anchors.terms(term.at).map(q).sum());
        }
        self.presses(at, u, |_, penalty, _| objective += penalty.energy);
        objective
    }
}

impl ObstacleContact {
    /// What the contact does with its row at `x`, if anything.
    fn penalty(&self, contact: &Contact, x: DVec3, h: f64) -> Option<PenaltyForce> {
        self.spring.evaluate(x, contact.gap_at(x), h, |slide, pressed, least| contact.rub(slide, pressed, least))
    }
}
