//! What only warns: nothing here moves a point or changes a step.
//!
//! Each module names what a body cannot do, by its stiffness, its law of stretch or its solver, in words for people; a step that
//! gave no answer is told by `trouble.rs`.

mod collapse;
mod hard_hits;
mod law_limits;
mod residuals;
mod trouble;

pub(crate) use collapse::warnings as of_collapse;
pub(crate) use hard_hits::is_same as is_same_hit;
pub(crate) use law_limits::warning as of_law;
pub(crate) use residuals::warnings as of_residuals;
pub(crate) use trouble::blame;
pub use trouble::remedy;
