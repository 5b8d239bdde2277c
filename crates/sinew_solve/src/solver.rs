//! What every solver promises.

use crate::contact::BodyContact;
use crate::{BodyState, Contact, Cues, Flesh, RigidMotion, StepError, StepReport, rigid};

/// Everything asked of a solver's bodies over one interval [t, t+h]; slices are parallel to its bodies.
pub struct StepInput<'a> {
    pub cues: &'a [Cues],
    /// With obstacles.
    pub contacts: &'a [Vec<Contact>],
    /// Between these bodies, and of bodies with themselves; bodies are numbered as this solver has them. What bodies of
    /// other solvers do reaches it as forces.
    pub touching: &'a [BodyContact],
    pub h_secs: f64,
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

    /// Elastic energy in joule of the body in `state` under the rest shape and stretches of `cues`.
    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64;
}
