//! Runs a scene over time and records it.
//!
//! [`build()`] makes a [`Stage`] of a scene, [`Stage::step`] advances it, [`bake()`] records it, and a [`take`] is the
//! recording: frames to look at, exact states to go on from.

mod bake;
mod build;
mod export_clip;
mod export_npz;
mod own_mesh;
mod penetration;
mod playback;
pub mod project;
pub mod stage;
pub mod take;
mod trail;

pub use bake::{Bake, BakeError, Baked, bake};
pub use build::{
    BuildError, BuildWarning, Built, Seating, Workshop, build, build_with, clock, directors, material_painting,
    painting, redirect,
};
pub use export_clip::{clip_outputs, export_clip};
pub use export_npz::{ExportError, export_npz};
pub use penetration::{Penetration, deepest_penetration, deepest_self_penetration};
pub use playback::{Playback, PlaybackError};
pub use stage::{BodySetup, Clock, DirectorSetup, Forward, FrictionTrack, Method, ObstacleTrack};
pub use stage::{SetupError, Skin, SkinLooks, Stage, StageBody, World};
