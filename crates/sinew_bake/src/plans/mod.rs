//! Plans of a project: the files that hold them, what they were found for, and how they are solved.
//!
//! A plan is stored as the places of the flesh's points at its frames, not as nodes: so it needs no nodes to
//! be played, and it is carried over when the flesh is made anew.

mod file;
mod obstacle;
mod solve;
mod stamp;

pub use file::{PlanFile, PlanFileError, PlanFrames};
pub(crate) use solve::prepare;
pub use solve::{PlanGroup, PlanTrouble, Planned, groups};
pub(crate) use stamp::plan_stamp;
