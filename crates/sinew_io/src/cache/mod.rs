//! Vertex caches: animations of meshes that keep their vertices, from MDD, PC2, NPZ, GLB and USDA.
//!
//! A file may hold several, a body each. Frames that a file gives as sums (morph targets) are put together when asked for,
//! so that what is held is bounded by the file.

mod glb;
mod npz;
mod points;
mod usda;
mod usda_tokens;

use crate::{Dir, ReadError, mesh_file, sniff};
pub use glb::MorphMotion;
use std::path::Path;

/// One body's animation.
#[derive(Debug, Clone, PartialEq)]
pub struct Cache {
    /// Empty where the file gives none.
    pub name: String,
    pub vertex_count: usize,
    /// Empty where the file holds points alone.
    pub triangles: Vec<[u32; 3]>,
    /// Ascending, in seconds; the file's own start.
    pub times_secs: Vec<f64>,
    /// The number of the first frame on the timeline, where the file says it.
    pub first_frame: Option<i32>,
    pub motion: CacheMotion,
}

#[derive(Debug, Clone, PartialEq)]
pub enum CacheMotion {
    Frames(Vec<Vec<[f32; 3]>>),
    Morph(Box<MorphMotion>),
}

impl Cache {
    pub fn frame_count(&self) -> usize {
        self.times_secs.len()
    }

    /// World positions in a frame (counted from 0); the last one for all that come after.
    pub fn frame(&self, frame: usize, out: &mut Vec<[f32; 3]>) {
        out.clear();
        match &self.motion {
            CacheMotion::Frames(frames) => {
                if let Some(points) = frames.get(frame).or(frames.last()) {
                    out.extend_from_slice(points);
                }
            }
            CacheMotion::Morph(motion) => motion.points(self.times_secs.get(frame).or(self.times_secs.last()), out),
        }
    }
}

/// What [`read_cache`] knows.
pub const CACHE_EXTENSIONS: &str = ".mdd, .pc2, .npz, .glb, .gltf, .usda";

/// Reads the animations of a file.
pub fn read_cache(path: impl AsRef<Path>) -> Result<Vec<Cache>, ReadError> {
    let path = path.as_ref();
    let extension = mesh_file::extension(path);
    if extension == "npz" {
        return npz::read(path);
    }
    if !CACHE_EXTENSIONS.split(", ").any(|known| known.strip_prefix('.') == Some(&extension)) {
        return Err(ReadError::UnknownExtension { path: path.to_owned(), known: CACHE_EXTENSIONS });
    }
    let bytes = crate::disk::read_regular(path, mesh_file::LARGEST_BYTES)
        .map_err(|source| ReadError::Open { path: path.to_owned(), source })?;
    if let Some(other) = sniff::other_format(&bytes, &extension) {
        let (found, extension) = (other.name, other.extensions[0]);
        return Err(ReadError::OtherFormat { path: path.to_owned(), found, extension });
    }
    let read = match extension.as_str() {
        "mdd" => points::parse_mdd(&bytes).map(|cache| vec![cache]).map_err(Into::into),
        "pc2" => points::parse_pc2(&bytes).map(|cache| vec![cache]).map_err(Into::into),
        "usda" => usda::parse(&bytes).map_err(Into::into),
        _ => glb::parse(&bytes, Dir::of(path).ok().map(|(dir, _)| dir).as_ref()),
    };
    read.map_err(|error| error.of(path))
}

/// Parsers of bytes at hand, without files beside them.
pub mod parse {
    use super::Cache;
    use crate::{ByteError, FormatError, LineError};

    pub fn mdd(bytes: &[u8]) -> Result<Cache, ByteError> {
        super::points::parse_mdd(bytes)
    }

    pub fn pc2(bytes: &[u8]) -> Result<Cache, ByteError> {
        super::points::parse_pc2(bytes)
    }

    pub fn usda(bytes: &[u8]) -> Result<Vec<Cache>, LineError> {
        super::usda::parse(bytes)
    }

    pub fn glb(bytes: &[u8]) -> Result<Vec<Cache>, FormatError> {
        super::glb::parse(bytes, None)
    }
}
