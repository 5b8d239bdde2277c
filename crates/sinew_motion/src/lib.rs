//! Meshless shape and motion design: poses of one body under handles, and motions of several between keys.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas, "Meshless Shape and Motion Design for Multiple Deformable
//! Objects", Computer Graphics Forum 2009. Start with [`PlanShape::over`], which prepares a body of tets;
//! [`pose`] moves it by handles, [`plan`] solves for a motion, and [`interpolation`] evaluates one at any
//! time. [`energy`] has the terms and their derivatives. No stage, no files: what a director or a page makes
//! of a plan is theirs.

pub mod block_banded;
pub mod certificate;
pub mod energy;
pub mod interpolation;
pub mod plan;
pub mod pose;
mod shape;

pub use interpolation::{BodyFrame, BodyMotion, DetailFrame, MotionCurve, MotionError, TurnCurve};
pub use plan::{
    PlanBody, PlanError, PlanKey, PlanObstacle, PlanOptions, PlanProblem, PlanSolution, PlanWeights, PlannedMotion,
    Pose, SolveControl, solve,
};
pub use shape::{BodyPoints, PlanShape, ShapeError, ShapeOptions};
