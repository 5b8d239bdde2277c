//! A running scene: bodies under directors, contact and solvers, step by step.
//!
//! [`Stage::new`] takes bodies as they are set up, with their flesh, solvers and directors; [`Stage::step`] is the life of one
//! substep. A stage knows no files, no scenes and no takes.

mod approach;
mod bounce;
mod clock;
mod contact_energy;
mod contacts;
mod coupling;
mod diagnose;
mod direction;
mod drive;
mod driven_in;
mod forward;
#[cfg(test)]
mod given_tests;
mod gravity;
mod groups;
mod guard;
mod island_spin;
mod path;
mod pressed;
mod reshape;
mod rigid_load;
mod script;
mod setup;
mod slow_down;
mod stage;
mod state_transfer;
mod warm_start;

pub use clock::Clock;
pub use diagnose::remedy;
pub use forward::Forward;
pub use gravity::GRAVITY;
pub use script::Script;
pub use setup::{BodySetup, DirectorSetup, FrictionTrack, Method, ObstacleTrack, SetupError, Skin, SkinLooks, World};
pub use stage::{Stage, StageBody};
pub use state_transfer::StageOutline;
