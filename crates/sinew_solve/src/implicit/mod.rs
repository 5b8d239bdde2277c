//! What implicit steps share, whatever the elastic forces are: block matrices and conjugate gradients, pins, goals, drag
//! and contact as quadratics, and Newton's method over bodies that touch each other.

mod constraints;
mod contact_penalty;
mod direct;
mod external;
mod initial_guess;
mod island;
mod linear;
mod matrix;
mod midpoint;
mod objective;
mod rigid_guess;
mod rigid_modes;
mod rigid_system;
mod slide_trend;
mod ssor;
mod unknowns;

pub(crate) use constraints::{Constraints, share_force};
pub(crate) use contact_penalty::{ContactPenalty, PenaltyForce, Stiffness, carrying_stiffness};
pub(crate) use direct::Direct;
pub(crate) use external::{Predicted, RowTerm};
pub(crate) use initial_guess::InitialGuess;
pub(crate) use island::{Islands, Member};
pub(crate) use matrix::BlockMatrix;
pub(crate) use midpoint::is_free;
pub use objective::LinearSolve;
pub(crate) use objective::{Implicit, NewtonParams};
pub(crate) use rigid_modes::{RigidInertia, RigidQuadratic, RigidTransform, Twist};
pub(crate) use rigid_system::{ContactEnd, ContactTerm, RigidSystem};
pub(crate) use unknowns::{BodyModel, Unknowns, is_even};

use crate::{BodyContact, BodyState, Contact, Cues};
use sinew_math::DVec3;

/// What stays the same during one body's step; `B` is the body as its solver has it.
pub(crate) struct Interval<'a, B> {
    pub(crate) body: &'a B,
    pub(crate) start: &'a BodyState,
    pub(crate) cues: &'a Cues,
    pub(crate) contacts: &'a [Contact],
    /// Its number in the solver, and where bodies touch.
    pub(crate) number: usize,
    pub(crate) touching: &'a [BodyContact],
    pub(crate) h: f64,
}

impl<B> Interval<'_, B> {
    /// The outer forces that turn the body, where nothing else holds, leads or touches it.
    pub(crate) fn turning_forces(&self) -> &[DVec3] {
        let Cues { pins, goals, drag, force_n, .. } = self.cues;
        let is_led = !(pins.is_empty() && goals.is_empty() && drag.is_empty());
        if is_led || !is_free(self.number, self.contacts, self.touching) { &[] } else { force_n }
    }
}

impl<B> Clone for Interval<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Interval<'_, B> {}
