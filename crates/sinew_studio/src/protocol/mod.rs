//! The words between page and server, as JSON. The page's TypeScript types are generated from here.
//!
//! [`Command`] is what a page may ask, [`Event`] what it is told. Numbers of a page are checked on entry
//! ([`Command::parse`]): whatever goes further is finite and names a body that exists.

mod check;
mod command;
mod document;
mod event;
mod job;
mod scene;

pub use command::{Command, KeyFrom, Plane, SectionStroke};
pub use document::{DocumentInfo, Gallery, GalleryScene, Level, Notice, NoticeAction};
pub use event::{Event, Hit, MeasureInfo, Transport};
pub use job::{
    AddedPart, ExportFormat, ExportOptions, JobDone, JobInfo, JobKind, RenderFormat, RenderOptions, TakeInfo, Takes,
};
pub use scene::{BodyInfo, CameraInfo, ObstacleInfo, ObstacleShape, SceneInfo};

/// What can be seen of a body. Its place in this list is its number in field messages.
pub const LOOKS: [&str; 15] = [
    "contraction",
    "excitation",
    "layer",
    "amplitude",
    "phase",
    "primary",
    "secondary",
    "tertiary",
    "stiffness",
    "speed",
    "stretch",
    "contact",
    "damping",
    "density",
    "poisson",
];
