//! What a user may choose about the FEM solver.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FemParams {
    /// Most Newton iterations in a step; one gives the classic linearised step.
    pub newton_iterations: u32,
    /// Newton stops when the unbalanced force has fallen to this share of what it was.
    pub tolerance: f64,
    /// Each linear solve stops when its residual has fallen to this share.
    pub linear_tolerance: f64,
    pub method: FemMethod,
}

/// How the minimum that is a step of implicit Euler is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FemMethod {
    /// All points at once: converges to the answer, for final quality.
    #[default]
    Newton,
    /// One point at a time: stable with any number of sweeps over all points, softer with few of them.
    Descent { iterations: u32 },
}

impl FemMethod {
    pub const DESCENT_ITERATIONS: u32 = 10;
}

impl Default for FemParams {
    fn default() -> Self {
        Self { newton_iterations: 8, tolerance: 1e-6, linear_tolerance: 1e-2, method: FemMethod::Newton }
    }
}
