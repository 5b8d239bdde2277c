//! Files in and out, without any notion of simulation.
//!
//! Meshes: [`read_surface`] and [`read_tets`] choose the format by extension ([`obj`], [`off`], [`stl`], [`ply`], [`gltf`];
//! [`medit`], [`gmsh`], [`tetgen`], [`vtk`]). Animations: a [`Clip`] is written by [`write_clip`], vertex caches are read by
//! [`read_cache`]. Everything a reader allocates is bounded by the size of the file, whatever counts the file claims, and
//! every error names the line or byte. Arrays: [`npz`]. [`disk`] is how files are opened and written: a received project cannot
//! lead elsewhere, and files appear whole or not at all.

mod base64;
mod bytes;
pub mod cache;
pub mod clip;
mod colours;
pub mod disk;
mod error;
pub mod gltf;
pub mod gmsh;
pub mod gmsh_binary;
mod inflate;
mod looks;
pub mod medit;
mod mesh_file;
mod mtl;
pub mod npz;
mod number_type;
pub mod obj;
pub mod off;
pub mod ply;
mod sniff;
pub mod stl;
pub mod tetgen;
mod text;
mod triangulate;
pub mod vtk;
pub mod write;

pub use cache::{Cache, read_cache};
pub use clip::{Clip, ClipBody, ClipFlesh, ClipInfo, WriteError};
pub use disk::{AtomicFile, Dir};
pub use error::{ByteError, FormatError, LineError, ReadError};
pub use looks::{Alpha, Image, Joint, Looks, Material, MissingPicture, NO_MATERIAL, Rig, TextureUse, is_worth};
pub use mesh_file::{
    Repairs, SURFACE_EXTENSIONS, SurfaceFile, TET_EXTENSIONS, TET_FILES, TetFile, VertexSet, holds_tets, mesh_files,
    read_surface, read_surface_in, read_tets, read_tets_in, write_tets,
};
pub use write::{GlbOptions, WriteOptions, Written, clip_files, write_clip};
