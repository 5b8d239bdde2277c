//! What acts on rows from outside: goals, drag and contact, as quadratics in the displacement from the prediction.
//!
//! With q the row's displacement, each term has the gradient `A q − b`, so that goals and drag are implicit and need
//! no step size of their own. Contact is a stiff one-sided spring; friction is Coulomb's with the normal force and slide of
//! the last iterate (lagged), smoothed below a speed that nobody sees.

use crate::{BodyState, Contact, Cues, Flesh, Row};
use sinew_math::{DVec3, Sym3};

/// Below this sliding speed friction is viscous, metres per second.
pub(crate) const STICK_SPEED: f64 = 1e-4;

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

    /// Contacts that press at displacement `moved`, with springs of `stiffness(row)` N/m.
    pub(crate) fn contact_terms(
        &self,
        contacts: &[Contact],
        moved: &[DVec3],
        stiffness: impl Fn(Row) -> f64,
        out: &mut Vec<RowTerm>,
    ) {
        out.clear();
        for contact in contacts {
            let predicted = self.row(contact.at);
            let q = self.flesh.anchors.at(contact.at, moved);
            let gap = contact.gap_at(predicted + q);
            if gap >= 0.0 {
                continue;
            }
            let k = stiffness(contact.at);
            let n = contact.normal;
            out.push(RowTerm { at: contact.at, matrix: Sym3::along(n, k), pull: n * (-k * contact.gap_at(predicted)) });
            let start = self.row_start(contact.at);
            let relative = (predicted + q - start) / self.h_secs - contact.surface_velocity;
            let slide = relative - n * relative.dot(n);
            let matrix = contact.drag(slide, -gap * k, STICK_SPEED) * (1.0 / self.h_secs);
            let still = start + contact.surface_velocity * self.h_secs - predicted;
            out.push(RowTerm { at: contact.at, matrix, pull: matrix * still });
        }
    }

    fn row(&self, at: Row) -> DVec3 {
        self.flesh.anchors.at(at, self.x)
    }

    fn row_start(&self, at: Row) -> DVec3 {
        self.flesh.anchors.at(at, &self.start.x)
    }
}
