//! What implicit steps share, whatever the elastic forces are: block matrices and conjugate gradients, pins, goals, drag
//! and contact as quadratics, and Newton's method over bodies that touch each other.

mod begin;
mod constraints;
mod direct;
mod external;
mod island;
mod linear;
mod matrix;
mod midpoint;
mod motion;
mod objective;
mod press;
mod rigid;
mod ssor;
mod together;

pub(crate) use begin::Beginning;
pub(crate) use constraints::{Constraints, share_force};
pub(crate) use direct::Direct;
pub(crate) use external::{Predicted, RowTerm};
pub(crate) use island::{Islands, Member};
pub(crate) use matrix::BlockMatrix;
pub(crate) use midpoint::is_free;
pub(crate) use motion::{Motion, Stuff, damping_factor, is_even};
pub use objective::LinearSolve;
pub(crate) use objective::{Implicit, NewtonParams};
pub(crate) use press::{ContactSpring, Press, Stiffness, carrying_stiffness};
pub(crate) use rigid::{Inertia, Lift, Rigid, Whole};
pub(crate) use together::{End, Joint, Together};

use crate::{BodyState, Contact, Cues};

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
