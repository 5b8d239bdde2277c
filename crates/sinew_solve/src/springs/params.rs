//! What a user may choose about the spring solver.

use serde::{Deserialize, Serialize};

/// How springs are stepped through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SpringsMethod {
    /// Implicit Euler: one step, stable at any stiffness, which damps what is faster than the step.
    #[default]
    Implicit,
    /// Runge–Kutta of second order in as many inner steps as the error asks for.
    Adaptive,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpringsParams {
    pub method: SpringsMethod,
    /// Implicit: most Newton iterations in a step.
    pub newton_iterations: u32,
    /// Implicit: Newton stops when the unbalanced force has fallen to this share of what it was.
    pub newton_tolerance: f64,
    /// Adaptive: how far a point may end a step from the exact path, as a share of the mean spring's length.
    pub error_tolerance: f64,
    /// Sheets: stiffness of springs along the diagonals of their squares, as a share of what an even sheet would have.
    /// Woven cloth shears easily.
    pub shear: f64,
    /// Sheets: stiffness of springs across folds, as a share of the same.
    pub bend: f64,
    /// Tetrahedra: also join the corners opposite each inner face, which take half of the stiffness.
    pub opposite: bool,
}

impl Default for SpringsParams {
    fn default() -> Self {
        Self {
            method: SpringsMethod::Implicit,
            newton_iterations: 8,
            newton_tolerance: 1e-4,
            error_tolerance: 1e-4,
            shear: 1.0,
            bend: 0.1,
            opposite: false,
        }
    }
}
