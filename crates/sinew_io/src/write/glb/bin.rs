//! The buffer of a GLB: spooled to a file of its own, because the JSON that goes before it states its numbers' bounds.

use super::super::Out;
use super::check_size;
use crate::clip::{WriteError, bounds};
use crate::disk::DiskFile;
use serde_json::{Value, json};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;

pub(super) struct Bin {
    path: PathBuf,
    file: BufWriter<DiskFile>,
    pub(super) byte_count: u64,
    pub(super) accessors: Vec<Value>,
    pub(super) views: Vec<Value>,
}

impl Bin {
    /// Spools beside the file that is to be, where there is room for it if there is for that.
    pub(super) fn create(path: &Path) -> Result<Self, WriteError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        match tempfile::tempfile_in(folder) {
            Ok(file) => Ok(Self {
                path: path.to_owned(),
                file: BufWriter::with_capacity(1 << 18, DiskFile::new(file)),
                byte_count: 0,
                accessors: Vec::new(),
                views: Vec::new(),
            }),
            Err(source) => Err(WriteError::Write { path: path.to_owned(), source }),
        }
    }

    /// Whether this much more still fits.
    pub(super) fn reserve(&self, bytes: u64, reduce: &str) -> Result<(), WriteError> {
        check_size(&self.path, self.byte_count + bytes, reduce)
    }

    /// Positions carry their bounds; normals need none.
    pub(super) fn vectors(&mut self, vectors: &[[f32; 3]], with_bounds: bool) -> Result<usize, WriteError> {
        let mut accessor = json!({ "componentType": FLOAT, "count": vectors.len(), "type": "VEC3" });
        if with_bounds {
            let [low, high] = bounds(vectors);
            (accessor["min"], accessor["max"]) = (json!(low), json!(high));
        }
        self.floats(vectors.as_flattened(), accessor, Some(ARRAY_BUFFER))
    }

    pub(super) fn uvs(&mut self, uvs: &[[f32; 2]]) -> Result<usize, WriteError> {
        let accessor = json!({ "componentType": FLOAT, "count": uvs.len(), "type": "VEC2" });
        self.floats(uvs.as_flattened(), accessor, Some(ARRAY_BUFFER))
    }

    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> Result<usize, WriteError> {
        let corners = triangles.as_flattened();
        let accessor = json!({ "componentType": UNSIGNED_INT, "count": corners.len(), "type": "SCALAR" });
        self.words(corners.iter().map(|corner| corner.to_le_bytes()), accessor, Some(ELEMENT_ARRAY_BUFFER))
    }

    /// Times (with bounds) and weights.
    pub(super) fn scalars(&mut self, numbers: &[f32], with_bounds: bool) -> Result<usize, WriteError> {
        let mut accessor = json!({ "componentType": FLOAT, "count": numbers.len(), "type": "SCALAR" });
        if with_bounds {
            let (low, high) =
                numbers.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
            (accessor["min"], accessor["max"]) = (json!([low]), json!([high]));
        }
        self.floats(numbers, accessor, None)
    }

    /// Keys of an animation: translations or rotations.
    pub(super) fn keys<const N: usize>(&mut self, keys: &[[f32; N]]) -> Result<usize, WriteError> {
        let accessor = json!({ "componentType": FLOAT, "count": keys.len(), "type": format!("VEC{N}") });
        self.floats(keys.as_flattened(), accessor, None)
    }

    fn floats(&mut self, numbers: &[f32], accessor: Value, target: Option<u32>) -> Result<usize, WriteError> {
        self.words(numbers.iter().map(|number| number.to_le_bytes()), accessor, target)
    }

    fn words(
        &mut self,
        words: impl ExactSizeIterator<Item = [u8; 4]>,
        mut accessor: Value,
        target: Option<u32>,
    ) -> Result<usize, WriteError> {
        let bytes = 4 * words.len() as u64;
        self.reserve(bytes, "export fewer frames or bodies, or coarser skins")?;
        accessor["bufferView"] = json!(self.views.len());
        let mut view = json!({ "buffer": 0, "byteOffset": self.byte_count, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.accessors.push(accessor);
        self.byte_count += bytes;
        let path = &self.path;
        let mut write = |word: [u8; 4]| self.file.write_all(&word);
        for word in words {
            write(word).map_err(|source| WriteError::Write { path: path.clone(), source })?;
        }
        Ok(self.accessors.len() - 1)
    }

    /// A picture file; gives its view.
    pub(super) fn image(&mut self, bytes: &[u8]) -> Result<usize, WriteError> {
        self.reserve(bytes.len() as u64 + 3, "export without large textures")?;
        self.views.push(json!({ "buffer": 0, "byteOffset": self.byte_count, "byteLength": bytes.len() }));
        // What comes next begins at a multiple of four.
        let padding = &[0; 3][..bytes.len().next_multiple_of(4) - bytes.len()];
        let written = self.file.write_all(bytes).and_then(|()| self.file.write_all(padding));
        written.map_err(|source| WriteError::Write { path: self.path.clone(), source })?;
        self.byte_count += (bytes.len() + padding.len()) as u64;
        Ok(self.views.len() - 1)
    }

    pub(super) fn copy_to(self, out: &mut Out) -> Result<(), WriteError> {
        let Self { path, file, byte_count, .. } = self;
        let failed = |source: io::Error| WriteError::Write { path: path.clone(), source };
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error).map_err(failed)?;
        file.rewind().map_err(failed)?;
        let mut piece = vec![0; 1 << 18];
        let mut left = byte_count as usize;
        while left > 0 {
            let now = left.min(piece.len());
            file.read_exact(&mut piece[..now]).map_err(failed)?;
            out.bytes(&piece[..now])?;
            left -= now;
        }
        Ok(())
    }
}
