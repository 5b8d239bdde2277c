//! Runs a scene over time: the [`Stage`] steps bodies under their directors, a take keeps what happened.

pub mod stage;

pub use stage::{BodySetup, Clock, DirectorSetup, Method, ObstacleTrack, SetupError, Skin, Stage, StageBody, World};
