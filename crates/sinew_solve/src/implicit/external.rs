//! What acts on rows from outside: goals, drag and contact, as quadratics in the displacement from the prediction.
//!
//! With q the row's displacement, each term has the gradient `A q − b`, so that goals and drag are implicit and need
//! no step size of their own. Contact is a stiff one-sided spring with friction
//! (`contact_penalty.rs`), by its tangent at the last iterate.

use super::contact_penalty::{ContactPenalty, PenaltyForce, Stiffness};
use crate::{BodyState, Contact, Cues, Flesh, Row};
use sinew_math::{DVec3, Sym3};

#[derive(Debug, Clone, Copy)]
pub(crate) struct RowTerm {
    pub at: Row,
    pub matrix: Sym3,
    pub pull: DVec3,
}

impl RowTerm {
    pub(crate) fn energy(&self, q: DVec3) -> f64 {
        0.5 * q.dot(self.matrix * q) - self.pull.dot(q)
    }

    pub(crate) fn gradient(&self, q: DVec3) -> DVec3 {
        self.matrix * q - self.pull
    }
}

/// Where the prediction would take the body: the origin of displacements.
pub(crate) struct Predicted<'a> {
    pub flesh: &'a Flesh,
    pub start: &'a BodyState,
    pub x: &'a [DVec3],
    pub h_secs: f64,
}

impl Predicted<'_> {
    /// Goals and drag.
    pub(crate) fn smooth_terms(&self, cues: &Cues, out: &mut Vec<RowTerm>) {
        let h = self.h_secs;
        out.clear();
        for goal in &cues.goals {
            let mass =
                1.0 / self.flesh.anchors.terms(goal.at).map(|(dof, w)| w * w / self.flesh.mass_kg[dof]).sum::<f64>();
            let (k, c) = (mass / (goal.settle_secs * goal.settle_secs), 2.0 * mass / goal.settle_secs);
            let (start, predicted) = (self.row_start(goal.at), self.row(goal.at));
            let pull = (goal.to - predicted) * k + (start + goal.velocity * h - predicted) * (c / h);
            out.push(RowTerm { at: goal.at, matrix: Sym3::IDENTITY * (k + c / h), pull });
        }
        for drag in &cues.drag {
            let predicted_v = (self.row(drag.at) - self.row_start(drag.at)) / h;
            out.push(RowTerm {
                at: drag.at,
                matrix: drag.matrix * (1.0 / h),
                pull: drag.matrix * (drag.wind - predicted_v),
            });
        }
    }

    /// Contacts with obstacles as springs of `stiffness(row)`.
    pub(crate) fn contact_springs(
        &self,
        contacts: &[Contact],
        stiffness: impl Fn(Row) -> Stiffness,
        out: &mut Vec<ContactPenalty>,
    ) {
        out.clear();
        out.extend(contacts.iter().map(|contact| {
            let (start, h) = (self.row_start(contact.at), self.h_secs);
            let still = start - self.row(contact.at) + contact.surface_velocity * h;
            let velocity = self.flesh.anchors.at(contact.at, &self.start.v) - contact.surface_velocity;
            ContactPenalty::new(contact.normal, still, stiffness(contact.at), contact.gap_before(start, h), velocity)
        }));
    }

    /// Those that press at displacement `moved`; friction goes by that from now on. `is_near` as in [`ContactPenalty::follow_slide`].
    pub(crate) fn contact_terms(
        &self,
        contacts: &[Contact],
        springs: &mut [ContactPenalty],
        moved: &[DVec3],
        is_near: bool,
        out: &mut Vec<RowTerm>,
    ) {
        out.clear();
        for (contact, spring) in contacts.iter().zip(springs) {
            let q = self.flesh.anchors.at(contact.at, moved);
            spring.relax_normal_force(self.gap_at(contact, q));
            spring.follow_slide(q, self.h_secs, is_near);
            if let Some(PenaltyForce { gradient, matrix, .. }) = self.penalty(contact, spring, q) {
                out.push(RowTerm { at: contact.at, matrix, pull: matrix * q - gradient });
            }
        }
    }

    /// What contacts add to the objective.
    pub(crate) fn contact_energy(&self, contacts: &[Contact], springs: &[ContactPenalty], moved: &[DVec3]) -> f64 {
        let energy = |(contact, spring): (&Contact, &ContactPenalty)| {
            self.penalty(contact, spring, self.flesh.anchors.at(contact.at, moved))
                .map_or(0.0, |penalty| penalty.energy)
        };
        contacts.iter().zip(springs).map(energy).sum()
    }

    /// What a contact does when its row is at displacement `q`.
    fn penalty(&self, contact: &Contact, spring: &ContactPenalty, q: DVec3) -> Option<PenaltyForce> {
        let rub = |slide, pressed, least| contact.rub(slide, pressed, least);
        spring.evaluate(q, self.gap_at(contact, q), self.h_secs, rub)
    }

    /// The gap of a contact when its row is at displacement `q`: as a sum of small numbers, so that it keeps its digits a kilometre from the origin.
    fn gap_at(&self, contact: &Contact, q: DVec3) -> f64 {
        contact.gap_at(self.row(contact.at)) + contact.normal.dot(q)
    }

    fn row(&self, at: Row) -> DVec3 {
        self.flesh.anchors.at(at, self.x)
    }

    fn row_start(&self, at: Row) -> DVec3 {
        self.flesh.anchors.at(at, &self.start.x)
    }
}
