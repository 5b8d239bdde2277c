//! Runs a scene over time and records it.
//!
//! [`build()`] makes a [`Stage`] of a scene, [`Stage::step`] advances it, [`bake()`] records it, and a [`take`] is the
//! recording: frames to look at, exact states to go on from.

pub mod assets;
mod bake;
mod build;
mod export_clip;
mod export_npz;
mod goal_stamp;
pub mod keys;
mod own_mesh;
mod penetration;
pub mod plans;
mod playback;
mod preview;
pub mod project;
mod rebake;
pub mod refine;
mod run;
pub mod take;

pub use bake::{Bake, BakeError, Baked, bake, take_header};
pub use build::{
    BuildError, BuildWarning, Built, Seating, Workshop, build, build_with, clock, direction_warnings, directors,
    material_painting, painting, redirect, script,
};
pub use export_clip::{clip_outputs, export_clip};
pub use export_npz::{ExportError, export_npz};
pub use penetration::{Penetration, deepest_penetration, deepest_self_penetration};
pub use playback::{Playback, PlaybackError};
pub use preview::{Ghost, Preview, PreviewAsk, Previewed};
pub use rebake::Rebake;
pub use run::{Performer, Run, RunLimits, Scripts, Staging};
pub use sinew_stage as stage;
pub use sinew_stage::{BodySetup, Clock, DirectorSetup, Forward, FrictionTrack, Method, ObstacleTrack};
pub use sinew_stage::{Script, SetupError, Skin, SkinLooks, Stage, StageBody, StageOutline, World};
