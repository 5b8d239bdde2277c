//! What a user may choose about the FEM solver.

use crate::implicit::LinearSolve;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FemParams {
    /// Most Newton iterations in a step; one gives the classic linearised step, whose linear solve goes as far as `tolerance`.
    pub newton_iterations: u32,
    /// Newton stops when the unbalanced force has fallen to this share of what it was.
    pub tolerance: f64,
    /// How elements are made of tetrahedra.
    pub smoothing: Smoothing,
    pub time: TimeScheme,
    /// Each linear solve stops when its residual has fallen to this share.
    pub linear_tolerance: f64,
    pub method: FemMethod,
    /// Descent: sweeps may leave this share of the forces unbalanced; where they leave more, Newton's method goes on. Infinite: sweeps
    /// alone, as in the paper.
    pub sweep_tolerance: f64,
    pub linear: LinearSolve,
}

impl Default for FemParams {
    fn default() -> Self {
        Self {
            newton_iterations: 8,
            tolerance: 1e-6,
            linear_tolerance: 1e-2,
            linear: LinearSolve::Auto,
            smoothing: Smoothing::None,
            method: FemMethod::Newton,
            sweep_tolerance: 2e-3,
            time: TimeScheme::Euler,
        }
    }
}

/// How elements are made of tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Smoothing {
    /// Each tetrahedron is one: quick, too stiff in bending where flesh is few cells thick.
    #[default]
    None,
    /// Edges with the tetrahedra about them: true to beams with few cells, several times the work.
    Edges,
}

/// How a step goes through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TimeScheme {
    /// Implicit Euler: first order, calm at any step.
    #[default]
    Euler,
    /// Implicit midpoint: second order, keeps the energy of small swings. In steps in which something is touched, not where it is only near, it is Euler,
    /// which does not throw back.
    Midpoint,
}

/// How the minimum that is a step of implicit Euler is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FemMethod {
    /// All points at once: converges to the answer, for final quality.
    #[default]
    Newton,
    /// One point at a time, in sweeps over all of them; where these do not come close enough, Newton's method goes on. Elements
    /// are tetrahedra, and steps are Euler's.
    Descent { iterations: u32 },
}

impl FemMethod {
    pub const DESCENT_ITERATIONS: u32 = 10;
}
