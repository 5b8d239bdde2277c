//! What a step tells about itself.

use crate::{BodyId, BodyState, Measure, Row};
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
    /// How far from equilibrium implicit steps ended, by body.
    pub residuals: Vec<Residual>,
    /// What directors measured at the end of the step.
    pub measures: Vec<Measure>,
    pub warnings: Vec<Warning>,
}

impl StepReport {
    pub fn clear(&mut self) {
        self.retries = 0;
        self.path_residual_m = 0.0;
        self.reactions.clear();
        self.residuals.clear();
        self.measures.clear();
        self.warnings.clear();
    }

    /// What the pins of a solved body feel and how far from equilibrium it is, or that it has no finite answer.
    pub(crate) fn add_body(
        &mut self,
        body: BodyId,
        state: &BodyState,
        reactions: &[(Row, DVec3)],
        residual: f64,
    ) -> Result<(), StepError> {
        if let Some(vertex) = state.first_not_finite() {
            return Err(StepError::NotFinite { body, vertex });
        }
        self.reactions.extend(reactions.iter().map(|&(row, force_n)| Reaction { body, row, force_n }));
        self.residuals.push(Residual { body, share: residual });
        Ok(())
    }
}

/// How far from equilibrium a body's implicit step ended: the norm of the forces that do not balance, as a share of those that
/// moved it. `body` counts as in [`Reaction`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    pub body: BodyId,
    pub share: f64,
}

impl Residual {
    /// From here on the user is told: what one sees is no longer what the material would do.
    pub const FAR: f64 = 0.3;
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
    #[error("body {} is stretched to {:.3e} times its size: what pulls at it is more than its material bears", body.0, times)]
    TornApart { body: BodyId, times: f64 },
    #[error("body {} has gained {joule:.3e} J that nothing put into it: the step is too long for it", body.0)]
    EnergyGained { body: BodyId, joule: f64 },
    #[error(transparent)]
    Cue(#[from] crate::CueError),
    /// Not a fault: somebody asked for it ([`crate::StopFlag`]).
    #[error("it was stopped")]
    Stopped,
}
