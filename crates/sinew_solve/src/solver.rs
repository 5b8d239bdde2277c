//! What every solver promises.

use crate::contact::{BodyContact, Spot};
use crate::{BodyState, Contact, Cues, Flesh, RigidMotion, StepError, StepReport, StopFlag, rigid};

/// Everything asked of a solver's bodies over one interval [t, t+h]; slices are parallel to its bodies.
pub struct StepInput<'a> {
    pub cues: &'a [Cues],
    /// With obstacles.
    pub contacts: &'a [Vec<Contact>],
    /// Between these bodies, and of bodies with themselves; bodies are numbered as this solver has them. What bodies of
    /// other solvers do reaches it as forces.
    pub touching: &'a [BodyContact],
    pub h_secs: f64,
    /// Read between iterations: once it is set the step ends with [`StepError::Stopped`]. It never changes an
    /// answer.
    pub stop: Option<&'a StopFlag>,
}

impl StepInput<'_> {
    /// An error once the step is to be abandoned.
    pub(crate) fn check_stop(&self) -> Result<(), StepError> {
        if is_set(self.stop) { Err(StepError::Stopped) } else { Ok(()) }
    }
}

/// Whether there is a flag, and it is set.
pub(crate) fn is_set(stop: Option<&StopFlag>) -> bool {
    stop.is_some_and(StopFlag::is_set)
}

/// Moves all bodies of one method, so that a hundred small ones fill the lanes.
///
/// No clock, no timeline, no files; interactive solvers allocate nothing once warm. The same inputs give the same bits, whatever the
/// thread pool it is called in. `tests/contract.rs` of `sinew_bake` holds every solver to this.
pub trait Solver: Send {
    fn body_count(&self) -> usize;

    fn flesh(&self, body: usize) -> &Flesh;

    /// The body at rest in its own frame, with warm starts to match.
    fn rest_state(&self, body: usize) -> BodyState;

    /// Advances `bodies` by `input.h_secs`. On an error the states are unspecified: the stage puts them back.
    fn step(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError>;

    /// Carries positions, velocities and all memory along: afterwards the body was always there.
    fn move_rigidly(&self, state: &mut BodyState, motion: &RigidMotion) {
        rigid::move_points(state, motion);
        state.memory.turn(motion.turn);
    }

    /// How easily an impulse moves a row of a contact, 1/kg: what an impulse of 1 N s at the row's points, by
    /// their weights, adds to the row's velocity. Zero where nothing moves it, as on a body whose motion is
    /// given. `body` is the solver's number; that of `row` is the stage's, and not read. Here every point has
    /// its own mass.
    fn inverse_mass(&self, body: usize, row: &Spot) -> f64 {
        let mass_kg = &self.flesh(body).mass_kg;
        row.inverse_mass(|dof| 1.0 / mass_kg[dof])
    }

    /// Elastic energy in joule of the body in `state` under the rest shape and stretches of `cues`.
    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64;
}
