//! The document as a page sees it, and what else could be opened.

use super::Command;
use serde::Serialize;
#[cfg(test)]
use ts_rs::TS;

/// The scene that is being edited. All pages see the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct DocumentInfo {
    /// Grows with every change.
    pub revision: u32,
    pub name: String,
    /// The scene file, relative to the folder; none for a built-in scene that was never saved.
    pub file: Option<String>,
    /// The name of the opened folder; none where nothing can be saved yet.
    pub folder: Option<String>,
    pub unsaved: bool,
    /// Labels of what can be undone, the last step last.
    pub undo: Vec<String>,
    /// Labels of what can be redone, the next step last.
    pub redo: Vec<String>,
    /// The label of the gesture that is under way.
    pub gesture: Option<String>,
    /// The scene as the model has it, defaults filled in.
    #[cfg_attr(test, ts(type = "Json"))]
    pub scene: serde_json::Value,
    /// Whether what is on stage is this scene; until its own stage is made, what is there is of the one before.
    pub staged: bool,
    /// What is being made anew, in words; the stage shows what was until then.
    pub building: Option<String>,
    pub notices: Vec<Notice>,
    /// Whether work on this scene was found that was never saved: [`Command::Recover`](super::Command::Recover) answers.
    pub recovered: bool,
    /// When unsaved work was last kept by itself, seconds since 1970; none where there is none that is not saved.
    pub autosaved_unix_secs: Option<f64>,
}

/// What the user should know about a place in the scene.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Notice {
    pub level: Level,
    /// The place, such as `body.jelly.flesh`.
    pub path: Option<String>,
    pub text: String,
    pub help: Option<String>,
    /// What would help, each with a name for its button.
    pub actions: Vec<NoticeAction>,
}

/// Something that can be done about a notice with one click.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct NoticeAction {
    pub name: String,
    pub command: Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Warning,
    Problem,
}

/// What can be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Gallery {
    pub scenes: Vec<GalleryScene>,
    /// Scene files of the opened folder.
    pub files: Vec<String>,
}

/// A built-in scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct GalleryScene {
    pub name: String,
    pub about: String,
    /// The address of its picture; none where it has none.
    pub picture: Option<String>,
}
