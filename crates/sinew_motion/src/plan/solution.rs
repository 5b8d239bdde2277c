//! What a solve gives: the motion, how it converged, and what is left of every key.

use super::problem::PlannedMotion;
use crate::interpolation::MotionError;
use crate::shape::ShapeError;
use std::sync::atomic::{AtomicBool, Ordering};

/// A planned motion and its report.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSolution {
    pub motion: PlannedMotion,
    pub report: PlanReport,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanReport {
    pub outcome: Outcome,
    pub energies: Energies,
    /// One entry a Newton step.
    pub curve: Vec<StepReport>,
    /// In the order of bodies and of their keys.
    pub keys: Vec<KeyResidual>,
    /// `Σ 3 N T` (Adams et al. 2009, §6.3).
    pub unknowns: usize,
    /// Of them solved for: those of frames that no whole-pose key fixes.
    pub free_unknowns: usize,
    /// Frames of every body.
    pub frames: Vec<usize>,
    /// Least clearance found at 20 times between frames, to an obstacle or another body; none where there is
    /// nothing to hit.
    pub clearance_m: Option<f64>,
}

/// How a solve ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Outcome {
    Converged,
    /// The motion is the best so far.
    #[default]
    Cancelled,
    StepsUsedUp,
    /// Steps no longer lower the energy by more than the tolerance, though none of them was a full one with
    /// the exact Hessian.
    Stalled,
    /// Converged, but these keys are not met, for instance because they contradict each other.
    KeysMissed {
        worst: f64,
    },
    /// Converged, but a body is this deep in an obstacle or in another body: a key is inside, or there is no
    /// room to pass.
    Penetrates {
        depth_m: f64,
    },
}

/// Energies by term, weighted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    pub strain: f64,
    pub volume: f64,
    pub acceleration: f64,
    pub turn: f64,
    pub spin: f64,
    pub obstacles: f64,
    pub bodies: f64,
    /// Penalty and multipliers of point keys; may be negative.
    pub keys: f64,
}

impl Energies {
    pub fn total(&self) -> f64 {
        let Self { strain, volume, acceleration, turn, spin, obstacles, bodies, keys } = self;
        strain + volume + acceleration + turn + spin + obstacles + bodies + keys
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            strain: self.strain + other.strain,
            volume: self.volume + other.volume,
            acceleration: self.acceleration + other.acceleration,
            turn: self.turn + other.turn,
            spin: self.spin + other.spin,
            obstacles: self.obstacles + other.obstacles,
            bodies: self.bodies + other.bodies,
            keys: self.keys + other.keys,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport {
    pub energy: f64,
    /// Largest nodal movement of the step taken, in body sizes.
    pub step: f64,
    /// Share of the Newton step that was taken.
    pub share: f64,
    pub exact: bool,
    /// Iterations of conjugate gradients; zero for a direct solve.
    pub cg: usize,
}

/// How far a key is missed.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyResidual {
    pub body: usize,
    pub key: usize,
    /// Largest miss of a point, m; of a velocity, m/s.
    pub residual: f64,
    /// In body sizes.
    pub relative: f64,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error("there is no body to plan")]
    NoBody,
    #[error("{body} has no key; a plan needs at least one")]
    NoKey { body: String },
    #[error("{body}, key {key}: {problem}")]
    Key { body: String, key: usize, problem: KeyProblem },
    #[error("{body}, guess {guess}: {problem}")]
    Guess { body: String, guess: usize, problem: KeyProblem },
    #[error("{body}: two whole poses at {secs} s; one of them must go")]
    TwoPoses { body: String, secs: f64 },
    #[error("{body}: {source}")]
    Motion { body: String, source: MotionError },
    #[error("the weight of {term} is {value}; it must be a positive number or zero")]
    Weight { term: &'static str, value: f64 },
    #[error("the first guess has no finite energy; keys or obstacles hold numbers beyond any use")]
    NotFinite,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum KeyProblem {
    #[error("its time is not a finite number")]
    Time,
    #[error("it ends before it begins")]
    Interval,
    #[error("it holds a number that is not finite")]
    NotFinite,
    #[error("it gives {found} places for {points} points")]
    Count { points: usize, found: usize },
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("the whole pose at {secs} s already fixes these points")]
    Fixed { secs: f64 },
}

/// Cancelling and watching a solve.
#[derive(Default)]
pub struct SolveControl<'a> {
    /// Read between iterations.
    pub cancel: Option<&'a AtomicBool>,
    /// Called after every step with the current best.
    pub progress: Option<&'a mut dyn FnMut(&Progress<'_>)>,
}

/// Where a solve is.
pub struct Progress<'a> {
    pub stage: &'static str,
    pub step: usize,
    pub energy: f64,
    pub motion: &'a dyn Fn() -> PlannedMotion,
}

impl SolveControl<'_> {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}
