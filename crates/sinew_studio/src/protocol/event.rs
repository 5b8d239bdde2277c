//! What the server tells a page.

use super::{Command, DocumentInfo, Gallery, JobInfo, SceneInfo, Takes};
use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// What the server tells a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// First of all messages, and again whenever the stage was made anew; the models follow as binary ones.
    Welcome {
        wire_version: u8,
        scene: SceneInfo,
    },
    Document(DocumentInfo),
    Gallery(Gallery),
    Transport(Transport),
    Picked {
        id: u32,
        hit: Option<Hit>,
    },
    /// What the page asked before is done, and the picture of it was sent.
    Synced {
        id: u32,
    },
    /// What is recorded, in numbers: what a step took at each frame from `first` on, and how high each body was.
    History {
        first: i32,
        step_ms: Vec<f32>,
        heights_m: Vec<Vec<f64>>,
    },
    Job(JobInfo),
    Takes(Takes),
    /// What a page asked for would overwrite these files (of the opened folder), or overwrite or delete this take. Nothing was
    /// done; `again` does it.
    Exists {
        files: Vec<String>,
        again: Command,
    },
    /// A message could not be obeyed; the connection goes on.
    Refused {
        what: String,
        help: Option<String>,
        /// The place in the scene it is about.
        path: Option<String>,
    },
}

/// Where in time the show is. The newest one counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Transport {
    pub playing: bool,
    pub looping: bool,
    /// The playhead: any frame of the shot, simulated or not.
    pub frame: i32,
    /// The recorded frame nearest to it, which is shown.
    pub shown: i32,
    /// Recorded frames, both ends included.
    pub recorded_from: i32,
    pub recorded_to: i32,
    /// Recorded frames from here on show the scene as it was before an edit.
    pub stale_from: Option<i32>,
    /// Whether the shown take has a frame here, which is seen instead of what was simulated.
    pub of_take: bool,
    /// First and last frame that are played.
    pub range: [i32; 2],
    /// Whether the run is being recorded as a take.
    pub recording: bool,
    /// Why the stage could not go on, if it could not.
    pub problem: Option<String>,
    /// The last thing the stage warned of since the start.
    pub warning: Option<String>,
    /// What directors measured at the shown frame.
    pub measures: Vec<MeasureInfo>,
}

/// A number that a director measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct MeasureInfo {
    pub body: u32,
    /// The director's name; empty for what the stage itself measures.
    pub director: String,
    pub name: String,
    pub unit: String,
    pub value: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Hit {
    pub body: u32,
    /// The point in the body's rest shape, metres.
    pub at_rest: [f64; 3],
    /// The point in the world now.
    pub at: [f64; 3],
}
