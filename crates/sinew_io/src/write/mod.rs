//! Animations for other programs. [`write_clip`] chooses the format by extension; every file appears whole or not at all.
//!
//! | extension | what is written |
//! |-----------|------------------|
//! | `.glb`    | morph targets, all bodies in one file ([`glb`]), with camera and obstacles |
//! | `.usda`   | time-sampled points and normals, all bodies in one file, with camera and obstacles |
//! | `.mdd` `.pc2` | a vertex cache and an `.obj` of the first frame beside it; several bodies: `NAME-BODY` each |
//! | `.obj` `.ply` | one file a frame, `NAME.0001.obj`, all bodies in each |
//! | `.pvd`    | a list of `.vtu` files, which lie in a folder of the same name |

mod files;
pub mod glb;
mod obj;
mod out;
mod ply;
mod pvd;
mod usda;
mod usda_looks;
mod usda_surroundings;
mod vertex_cache;

use crate::clip::{Clip, WriteError};
pub use files::clip_files;
pub use glb::GlbOptions;
pub(crate) use out::Out;
use std::path::{Path, PathBuf};
pub(crate) use usda_surroundings::USD_SURROUNDINGS;

/// What [`write_clip`] is told besides the clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WriteOptions {
    pub glb: GlbOptions,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Written {
    pub files: Vec<PathBuf>,
    /// What a user should know, such as an error bound that was not reached.
    pub notes: Vec<String>,
}

/// The extensions that [`write_clip`] knows.
pub const CLIP_EXTENSIONS: &str = ".glb, .usda, .mdd, .pc2, .obj, .ply, .pvd";

/// Writes a clip as the extension of `path` says.
pub fn write_clip(clip: &mut dyn Clip, path: &Path, options: &WriteOptions) -> Result<Written, WriteError> {
    clip.info().check()?;
    match crate::mesh_file::extension(path).as_str() {
        "glb" => glb::write(clip, path, &options.glb),
        "usda" => usda::write(clip, path),
        "mdd" => vertex_cache::write(clip, path, vertex_cache::Kind::Mdd),
        "pc2" => vertex_cache::write(clip, path, vertex_cache::Kind::Pc2),
        "obj" => obj::write_sequence(clip, path),
        "ply" => ply::write_sequence(clip, path),
        "pvd" => pvd::write(clip, path),
        _ => Err(WriteError::UnknownExtension { path: path.to_owned(), known: CLIP_EXTENSIONS }),
    }
}

/// `folder/NAME.EXT` with something added to the name: `folder/NAMEadded.extension`.
fn beside(path: &Path, added: &str, extension: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}{added}.{extension}"))
}
