//! What implicit steps share, whatever the elastic forces are: block matrices and conjugate gradients, pins, goals, drag
//! and contact as quadratics, and Newton's method over bodies that touch each other.

mod constraints;
mod direct;
mod external;
mod island;
mod matrix;
mod motion;

pub(crate) use constraints::Constraints;
pub(crate) use direct::Direct;
pub(crate) use external::{Predicted, RowTerm};
pub(crate) use island::{Implicit, Islands, Member, NewtonParams};
pub(crate) use matrix::BlockMatrix;
pub(crate) use motion::{Motion, Stuff, damping_factor};

use crate::{BodyState, Contact, Cues};
use serde::{Deserialize, Serialize};

/// How the linear systems of Newton's method are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LinearSolve {
    /// Conjugate gradients, and where they take as long as factoring would, that.
    #[default]
    Auto,
    /// Conjugate gradients with block-Jacobi preconditioning.
    Gradients,
    /// Sparse Cholesky.
    Cholesky,
}

/// What stays the same during one body's step; `B` is the body as its solver has it.
pub(crate) struct Interval<'a, B> {
    pub(crate) body: &'a B,
    pub(crate) start: &'a BodyState,
    pub(crate) cues: &'a Cues,
    pub(crate) contacts: &'a [Contact],
    pub(crate) h: f64,
}

impl<B> Clone for Interval<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Interval<'_, B> {}
