//! What a step tells about itself.

use crate::{BodyId, BodyState, Row};
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// Filled by solvers and the stage in every step; its buffers are reused.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepReport {
    /// How often the interval had to be cut because a solve gave no finite answer.
    pub retries: u32,
    /// Forces of pins on the body, by body and row.
    pub reactions: Vec<Reaction>,
    /// How far a body ended from its path because contact won, metres (the largest of all bodies).
    pub path_residual_m: f64,
    pub warnings: Vec<Warning>,
}

impl StepReport {
    pub fn clear(&mut self) {
        self.retries = 0;
        self.path_residual_m = 0.0;
        self.reactions.clear();
        self.warnings.clear();
    }

    /// What the pins of a solved body feel, or that it has no finite answer.
    pub(crate) fn add_body(
        &mut self,
        body: BodyId,
        state: &BodyState,
        reactions: &[(Row, DVec3)],
    ) -> Result<(), StepError> {
        if let Some(vertex) = state.first_not_finite() {
            return Err(StepError::NotFinite { body, vertex });
        }
        self.reactions.extend(reactions.iter().map(|&(row, force_n)| Reaction { body, row, force_n }));
        Ok(())
    }
}

/// The force with which a pin holds its point, newton. `body` counts within the solver that reports it; the stage
/// turns it into its own numbering.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    pub body: BodyId,
    pub row: Row,
    pub force_n: DVec3,
}

/// Something the user should know, with the body and the step it happened in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    pub body: BodyId,
    pub tick: u64,
    pub what: String,
}

/// Why a step gave no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// From a solver, `body` counts within it; from the stage, within the stage.
    #[error("body {} has a non-finite position or velocity at vertex {vertex}", body.0)]
    NotFinite { body: BodyId, vertex: usize },
    #[error(transparent)]
    Cue(#[from] crate::CueError),
}
