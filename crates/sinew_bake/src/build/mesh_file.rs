//! Mesh files of a scene: read once, converted to metres and Y up, remembered by their hash.

use super::BuildError;
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_scene::MeshSkin;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Reads mesh files relative to one folder and keeps their hashes for the take.
pub(super) struct Meshes {
    folder: PathBuf,
    hashes: BTreeMap<String, [u8; 32]>,
}

/// What a skin's file gives to look at.
pub(super) enum Surface {
    Triangles(TriangleMesh),
    /// The file holds tetrahedra: their boundary is the skin.
    OfTets,
}

impl Meshes {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), hashes: BTreeMap::new() }
    }

    pub(super) fn hashes(self) -> BTreeMap<String, [u8; 32]> {
        self.hashes
    }

    pub(super) fn tets(&mut self, _file: &MeshSkin, at: &str) -> Result<TetMesh, BuildError> {
        Err(BuildError::new(at, "mesh files", "x"))
    }

    pub(super) fn surface(&mut self, _file: &MeshSkin, at: &str) -> Result<Surface, BuildError> {
        Err(BuildError::new(at, "mesh files", "x"))
    }
}
