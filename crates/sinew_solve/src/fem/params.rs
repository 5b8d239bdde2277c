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
}

impl Default for FemParams {
    fn default() -> Self {
        Self { newton_iterations: 8, tolerance: 1e-6, linear_tolerance: 1e-2 }
    }
}
