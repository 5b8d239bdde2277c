//! Takes for other programs.

use crate::{FilmError, Progress};
use sinew_bake::{ExportError, Playback, clip_outputs, export_clip, export_npz};
use sinew_io::disk::check_outputs;
use sinew_io::{GlbOptions, WriteOptions, Written};
use std::path::Path;

/// What the extension of an export may be.
pub const EXPORT_EXTENSIONS: [&str; 8] = ["glb", "usda", "mdd", "pc2", "obj", "ply", "pvd", "npz"];

#[derive(Debug, Clone, PartialEq)]
pub struct ExportAsked {
    /// The largest error of a long .glb, as a share of the body's size.
    pub bound: f64,
    /// Whether a .glb morphs its normals too.
    pub normals: bool,
    /// Whether files that are there already may be overwritten although nobody named them.
    pub overwrite: bool,
}

impl Default for ExportAsked {
    fn default() -> Self {
        Self { bound: 1e-3, normals: true, overwrite: false }
    }
}

/// Writes every recorded frame as the extension of `path` says.
pub fn export(
    playback: &mut Playback,
    path: &Path,
    asked: &ExportAsked,
    progress: &mut Progress<'_>,
) -> Result<Written, FilmError> {
    let extension = checked(path, asked)?;
    check_outputs(&playback.inputs(), &clip_outputs(playback, path)?, asked.overwrite)?;
    let frames = playback.frames()?.count();
    let bodies = playback.built.stage.bodies().len() as u64;
    let mut done = 0;
    let mut step = |total: u64| {
        done += 1;
        progress(done.min(total), total)
    };
    let written = if extension == "npz" {
        export_npz(playback, path, || step(bodies))
            .map(|()| Written { files: vec![path.to_owned()], notes: Vec::new() })
    } else {
        let glb = GlbOptions { bound: asked.bound, normals: asked.normals, ..GlbOptions::default() };
        let total = bodies * frames as u64 * passes(&extension, frames, &glb);
        export_clip(playback, path, &WriteOptions { glb }, || step(total))
    };
    written.map_err(|error| if matches!(error, ExportError::Stopped) { FilmError::Stopped } else { error.into() })
}

/// The extension of a path that can be written as asked.
fn checked(path: &Path, asked: &ExportAsked) -> Result<String, FilmError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if !EXPORT_EXTENSIONS.contains(&extension.as_str()) {
        let known = EXPORT_EXTENSIONS.map(|e| format!(".{e}")).join(" ");
        return Err(FilmError::Asked {
            what: format!("{} has no extension that sinew writes", path.display()),
            help: format!("the extension chooses the format: {known}"),
        });
    }
    if !asked.bound.is_finite() || asked.bound <= 0.0 {
        let what = format!("a bound of {} is no share of a size", asked.bound);
        return Err(FilmError::Asked { what, help: "give a number above 0, such as 1e-3".into() });
    }
    Ok(extension)
}

/// How often a format asks for each frame of a body, about.
fn passes(extension: &str, frame_count: usize, glb: &GlbOptions) -> u64 {
    match extension {
        "usda" => 2,
        "glb" if frame_count > glb.exact_frames => 2 + u64::from(glb.normals),
        _ => 1,
    }
}
