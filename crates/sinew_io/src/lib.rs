//! Files in and out, without any notion of simulation.
//!
//! Meshes: [`read_surface`] and [`read_tets`] choose the format by extension ([`obj`], [`off`], [`medit`], [`gmsh`]). Everything
//! a reader allocates is bounded by the size of the file, whatever counts the file claims, and every error names the
//! line. Arrays: [`npz`]. [`AtomicFile`] is how all of sinew's own files appear: whole, or not at all.

mod atomic;
mod base64;
mod bytes;
pub mod cache;
pub mod clip;
mod error;
pub mod gltf;
pub mod gmsh;
pub mod medit;
mod mesh_file;
pub mod npz;
pub mod obj;
pub mod off;
mod sniff;
mod text;
mod triangulate;
pub mod write;

pub use atomic::AtomicFile;
pub use cache::{Cache, read_cache};
pub use clip::{Clip, ClipBody, ClipFlesh, ClipInfo, WriteError};
pub use error::{ByteError, FormatError, LineError, ReadError};
pub use mesh_file::{
    Repairs, SurfaceFile, TET_FILES, TetFile, VertexSet, holds_tets, read_surface, read_tets, write_tets,
};
pub use write::{GlbOptions, WriteOptions, Written, write_clip};
