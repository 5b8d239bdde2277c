//! Long work, what it makes, and takes.

use serde::{Deserialize, Serialize};
#[cfg(test)]
use ts_rs::TS;

/// Where a piece of long work is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct JobInfo {
    pub id: u32,
    pub kind: JobKind,
    /// What it makes, in words.
    pub what: String,
    /// What it does just now.
    pub step: String,
    /// 0 to 1; none where nobody knows.
    pub fraction: Option<f64>,
    pub done: Option<JobDone>,
    /// Why it did not get there.
    pub failed: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct JobDone {
    /// Relative to the opened folder; `GET /files/…` gives them.
    pub files: Vec<String>,
    /// What it added to the scene.
    pub added: Option<AddedPart>,
}

/// A part of the scene that came from a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct AddedPart {
    /// Such as `body.cow`.
    pub path: String,
    /// From corner to corner.
    pub size_m: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Files for other programs, and pictures.
    Export,
    /// Meshes that are brought in.
    Import,
    /// The stage.
    Build,
    /// Finds something for a director.
    Search,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    Glb,
    Usda,
    Mdd,
    Pc2,
    Obj,
    Ply,
    Pvd,
    Npz,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(deny_unknown_fields, default)]
pub struct ExportOptions {
    /// A kept take; left out, the scene is simulated anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<String>,
    /// Instead: what is simulated live, as far as it has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<bool>,
    /// First and last frame, both included; left out, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<[i32; 2]>,
    /// The largest error of a long .glb, as a share of the body's size; left out, 0.001.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Leaves the morphing of normals out of a .glb.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_normals: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(rename_all = "snake_case")]
pub enum RenderFormat {
    Png,
    Gif,
    Apng,
    Mp4,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[cfg_attr(test, ts(optional_fields))]
#[serde(deny_unknown_fields, default)]
pub struct RenderOptions {
    /// A kept take; left out, the scene is simulated anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<String>,
    /// Instead: what is simulated live, as far as it has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<bool>,
    /// First and last frame, both included; left out, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<[i32; 2]>,
    /// Width and height in pixels; left out, 640 by 360.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[u32; 2]>,
    /// The frame of a .png; left out, the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<i32>,
    /// "shaded" or "lines".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// Colours skins by a word of `LOOKS` that is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

/// Kept takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Takes {
    pub names: Vec<TakeInfo>,
    pub shown: Option<String>,
    /// Whether it is shown instead of the live bodies.
    pub instead: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct TakeInfo {
    pub name: String,
    pub frames: u32,
}
