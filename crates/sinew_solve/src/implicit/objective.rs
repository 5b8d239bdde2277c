//! One body's implicit step as those that solve it see it, and what they are told about it.

use super::island::Member;
use super::{BodyModel, InitialGuess, Interval, Stiffness, Unknowns};
use crate::{BodyContact, BodyState};
use serde::{Deserialize, Serialize};

/// When Newton's method stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NewtonParams {
    pub(crate) iterations: u32,
    /// Share of the first unbalanced force that counts as none.
    pub(crate) tolerance: f64,
    pub(crate) linear_tolerance: f64,
    pub(crate) linear: LinearSolve,
}

/// How the linear systems of Newton's method are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LinearSolve {
    /// Conjugate gradients, and where they take as long as factoring would, that.
    #[default]
    Auto,
    /// Conjugate gradients, swept in single precision and refined, or with block-Jacobi preconditioning.
    Gradients,
    /// Sparse Cholesky.
    Cholesky,
}

/// One body's implicit step as an island sees it: an objective in the displacement from a prediction, with derivatives.
pub(crate) trait Implicit: Send + Sync + Sized {
    /// What is fixed about it.
    type Body: Sync;

    fn params(body: &Self::Body) -> NewtonParams;
    /// The spring of a contact at a row.
    fn contact_stiffness(at: &Interval<'_, Self::Body>, terms: impl Iterator<Item = (usize, f64)>) -> Stiffness;

    /// Prepares for an interval.
    fn begin(&mut self, at: &Interval<'_, Self::Body>);
    /// Gradient of the body's own objective at its present displacement.
    fn evaluate(&mut self, at: &Interval<'_, Self::Body>);
    /// The same, but only points that pins hold need to be right.
    fn evaluate_at_pins(&mut self, at: &Interval<'_, Self::Body>) {
        self.evaluate(at);
    }
    /// Its Hessian where it was evaluated last, made positive.
    fn assemble(&mut self, at: &Interval<'_, Self::Body>);
    fn objective(&mut self, at: &Interval<'_, Self::Body>) -> f64;
    /// The same where the search will likely go on from: what its gradient needs may be found on the way.
    fn trial_objective(&mut self, at: &Interval<'_, Self::Body>) -> f64 {
        self.objective(at)
    }
    /// Writes the new state. `cues` are those of the interval's end.
    fn finish(&mut self, body: &Self::Body, state: &mut BodyState, cues: &crate::Cues, h: f64);
    /// Writes the new state by the midpoint rule, the interval of `at` being half of the whole; false where the step would gain energy and
    /// nothing is written.
    fn finish_midpoint(&mut self, at: &Interval<'_, Self::Body>, state: &mut BodyState, cues: &crate::Cues) -> bool {
        self.finish(at.body, state, cues, at.h);
        true
    }

    fn model(body: &Self::Body) -> BodyModel<'_>;
    fn unknowns(&self) -> &Unknowns;
    fn unknowns_mut(&mut self) -> &mut Unknowns;
    /// Where the search for the step's answer may begin; where the objective is least, it does.
    fn initial_guesses(at: &Interval<'_, Self::Body>) -> &'static [InitialGuess];
    /// Takes note that the displacement is another.
    fn has_moved(&mut self) {}

    /// Whether a linear solve is taken as it is, as long as nothing touches the body.
    fn needs_no_line_search(_body: &Self::Body) -> bool {
        false
    }

    /// Whether the body steps by the midpoint rule where it touches nothing.
    fn is_midpoint(_body: &Self::Body) -> bool {
        false
    }

    /// Steps bodies that touch each other in a way of its own; false leaves them to Newton's method.
    fn step_together(_members: &mut [Member<'_, Self>], _contacts: &[BodyContact]) -> bool {
        false
    }
}
