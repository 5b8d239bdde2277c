//! What a page may ask for.

use super::{ExportFormat, ExportOptions, RenderFormat, RenderOptions};
use serde::{Deserialize, Serialize};
#[cfg(test)]
use ts_rs::TS;

/// What a page may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Play,
    Pause,
    /// One frame on, then pauses; simulates it where all before it is recorded.
    StepForward,
    /// One frame back, then pauses.
    StepBack,
    /// Goes to a frame of the shot; where it is not recorded, the nearest one that is shows.
    Seek {
        frame: i32,
    },
    /// Back to the first frame, forgetting what was recorded.
    Restart,
    /// Whether playing goes on from the first frame after the last.
    Loop {
        on: bool,
    },
    /// Plays between these frames only; the whole shot where they are left out.
    Range {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        first: Option<i32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        last: Option<i32>,
    },
    /// What is recorded, in numbers. Answered by [`Event::History`](super::Event::History).
    History,
    /// This page has drawn a picture that it was sent: another may follow.
    Seen,
    /// Asks to be told when everything that this page asked before is done, the stage that it needs included. Answered by
    /// [`Event::Synced`](super::Event::Synced) with the same `id`, after the picture of it.
    Sync {
        id: u32,
    },
    /// Which body a ray hits. Answered by [`Event::Picked`](super::Event::Picked) with the same `id`.
    Pick {
        id: u32,
        origin: [f64; 3],
        direction: [f64; 3],
        /// What lies in front of this plane, where its normal points to, is not hit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        clip: Option<Plane>,
    },
    /// Holds a body at a point of its rest shape and pulls that point towards a place in the world.
    Drag {
        body: u32,
        at_rest: [f64; 3],
        to: [f64; 3],
    },
    LetGo {
        body: u32,
    },
    /// A tap at a point of the body's rest shape.
    Touch {
        body: u32,
        at_rest: [f64; 3],
    },
    /// Edits the scene: one step of the history.
    Edit {
        #[cfg_attr(test, ts(type = "SceneCommand"))]
        command: sinew_scene::Command,
    },
    /// Begins a gesture of this page, such as a slider that is dragged; previews follow, then one commit or cancel.
    Begin {
        label: String,
    },
    /// What the gesture would do, on the scene as it was when it began; the running stage follows.
    Preview {
        #[cfg_attr(test, ts(type = "SceneCommand"))]
        command: sinew_scene::Command,
    },
    Commit,
    Cancel,
    Undo,
    Redo,
    /// Opens a built-in scene by name, or a scene file of the opened folder.
    Open {
        scene: String,
    },
    Save {
        /// Whether what another program wrote to the file since it was opened may be overwritten; without, the page is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        overwrite: bool,
    },
    /// Saves in the opened folder; a built-in scene becomes a project folder of this name.
    SaveAs {
        file: String,
    },
    /// Which values of a body this page wants to see: a word of `LOOKS`, or none.
    Look {
        body: u32,
        look: Option<String>,
        /// The director whose values these are, by its name; left out, of all together. Where it has none of a kind, of all too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        director: Option<String>,
        /// A field of directions to see besides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        directions: Option<String>,
        /// What its other views show; sections have the values of `look`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(test, ts(optional, as = "Option<Vec<String>>"))]
        beside: Vec<String>,
    },
    /// Which cut through a body this page wants to see: one at a time, given in the world as it is now, and moving with
    /// the flesh from then on. Neither plane nor stroke: no cut.
    Cut {
        body: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        plane: Option<Plane>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        stroke: Option<SectionStroke>,
        /// Instead: along the surface where the layers have this value, 0 to 1; what lies outside of it is taken away. Only while
        /// the page looks at the body's layers, and anew whenever they change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        layer: Option<f64>,
    },
    /// Writes the motion for other programs.
    Export {
        file: String,
        format: ExportFormat,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        options: ExportOptions,
        /// Whether files that are there already may be overwritten; without, the page is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        overwrite: bool,
    },
    /// Makes pictures of the motion.
    Render {
        file: String,
        format: RenderFormat,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        options: RenderOptions,
        /// Whether files that are there already may be overwritten; without, the page is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        overwrite: bool,
    },
    StopJob {
        id: u32,
    },
    /// Builds the scene as it is, however much of the machine that takes.
    BuildAnyway,
    /// On: starts over and keeps the whole run, to be kept as a take.
    Record {
        on: bool,
    },
    /// Keeps what is recorded now under a name.
    KeepTake {
        name: String,
        /// Whether a take of that name may be overwritten; without, the page is asked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
        overwrite: bool,
    },
    /// Shows a take beside the live bodies, or instead of them; none goes back to the live ones alone.
    ShowTake {
        name: Option<String>,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        instead: bool,
    },
    /// Deletes a kept take. It cannot be brought back, so that it is asked for again first ([`Event::Exists`]) unless `sure`.
    DropTake {
        name: String,
        #[serde(default)]
        #[cfg_attr(test, ts(optional, as = "Option<_>"))]
        sure: bool,
    },
    /// Shows what comes next: so many ghosts, so many frames from one to the next; none ends it.
    Ghosts {
        count: u32,
        every: u32,
    },
    /// Finds the force for the goal of a control metaphor or the rest shapes that make key shapes exact, by the director's path, such
    /// as `body.rabbit.director.ear`: a job that ends with one edit.
    Refine {
        director: String,
    },
    /// Shows the key shapes of a body, each at its frame's place; none ends it.
    Keys {
        body: Option<u32>,
    },
    /// Keys a body's shape at a frame: one step of the history.
    Key {
        body: u32,
        frame: i32,
        from: KeyFrom,
        /// The director of key shapes it goes to, by its name; left out, the body's first one, or a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        director: Option<String>,
    },
    /// Keys a body's pose for its plan, with place and turn: one step of the history.
    PlanKey {
        body: u32,
        frame: i32,
        from: KeyFrom,
        /// The plan it goes to, by its director's name; left out, the body's first one, or a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        director: Option<String>,
    },
    /// Gives a body the path that it took in the run: one step of the history.
    KeyPath {
        body: u32,
        /// Frames from one of its keys to the next.
        every: u32,
        /// Whether it keeps the turns, too.
        turns: bool,
    },
    /// Finds the contacts of a body and keys it before, at and after each: a job that ends with one edit.
    KeyContacts {
        body: u32,
        /// Whether the shapes are more than they were.
        exaggerated: bool,
    },
    /// A gesture on a key's shape: what it would do to the shape as it was when the gesture began. The key shows it.
    Sculpt {
        body: u32,
        /// The director of key shapes, by its name.
        director: String,
        frame: f64,
        #[cfg_attr(test, ts(type = "ShapeEdit"))]
        edit: sinew_scene::ShapeEdit,
        /// Grabs the body in the take that is shown instead of the live bodies, or in the one that is edited already: the shape at the frame is
        /// edited, and so many frames before and after it follow. Directions of the edit are the world's then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        width: Option<f64>,
    },
    /// Ends that gesture: one step of the history, or none.
    SculptEnd {
        keep: bool,
    },
    /// Keeps what the person at this machine prefers, for every page and the next studio; no value forgets it.
    Prefer {
        key: String,
        value: Option<String>,
    },
    /// Answers what was found at the start: unsaved work of a run that was cut off.
    Recover {
        keep: bool,
    },
}

/// Where a key's shape comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum KeyFrom {
    /// The body as it is seen at the frame: in the take that is shown instead of the live bodies, or in the run.
    Shown,
    /// The body at rest.
    Rest,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct Plane {
    pub through: [f64; 3],
    pub normal: [f64; 3],
}

/// A line drawn over the body: it is cut along the line, straight on in the direction of sight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(deny_unknown_fields)]
pub struct SectionStroke {
    pub points: Vec<[f64; 3]>,
    pub direction: [f64; 3],
}
