//! Why a file could not be read.

use crate::npz::NpzError;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}, line {}: {}", path.display(), error.line, error.what)]
    Line { path: PathBuf, error: LineError },
    #[error("{}, byte {}: {}", path.display(), error.byte, error.what)]
    Byte { path: PathBuf, error: ByteError },
    #[error("{} needs {name:?}, which cannot be read: {why}", path.display())]
    Beside { path: PathBuf, name: String, why: String },
    #[error("{} is not a mesh file that is known here: the extension should be one of {known}", path.display())]
    UnknownExtension { path: PathBuf, known: &'static str },
    #[error("{} looks like {found}, not like what its extension says; give it the extension {extension}", path.display())]
    OtherFormat { path: PathBuf, found: &'static str, extension: &'static str },
    #[error("{}, vertex {vertex}: {coordinate:e} is farther from the origin than anything that can be simulated ({most:e})", path.display())]
    TooFar { path: PathBuf, vertex: usize, coordinate: f64, most: f64 },
    #[error(transparent)]
    Npz(#[from] NpzError),
}

impl ReadError {
    /// What would be right.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Beside { .. } => {
                "put that file where it is named, as a file that you may read, or export the mesh as .glb"
            }
            Self::Open { source, .. } if source.kind() == io::ErrorKind::InvalidInput => {
                "put a regular file there: links in a project, pipes, folders and devices are not read"
            }
            Self::Open { .. } => "check the path, and whether you may read it",
            Self::UnknownExtension { .. } => {
                "export it as .glb, .obj or .ply from the program that made it; .fbx, .blend and other scenes are not read"
            }
            Self::OtherFormat { .. } => "rename the file",
            Self::TooFar { .. } => "check the unit it was exported in, or move it to the origin",
            _ => "repair the file in the program that made it, or export it anew",
        }
    }
}

/// What is wrong with a text, and in which line (from 1 on).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LineError {
    pub line: usize,
    pub what: String,
}

/// What is wrong with binary data, and at which byte (from 0 on).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {byte}: {what}")]
pub struct ByteError {
    pub byte: usize,
    pub what: String,
}

/// Of formats that are text in parts or in one of their variants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    #[error(transparent)]
    Line(#[from] LineError),
    #[error(transparent)]
    Byte(#[from] ByteError),
    /// A file that belongs to this one, and why it is not there.
    #[error("{name:?}: {why}")]
    Beside { name: String, why: String },
}

impl LineError {
    pub(crate) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

impl ByteError {
    pub(crate) fn new(byte: usize, what: impl Into<String>) -> Self {
        Self { byte, what: what.into() }
    }
}

impl FormatError {
    pub(crate) fn of(self, path: &Path) -> ReadError {
        let path = path.to_owned();
        match self {
            Self::Line(error) => ReadError::Line { path, error },
            Self::Byte(error) => ReadError::Byte { path, error },
            Self::Beside { name, why } => ReadError::Beside { path, name, why },
        }
    }
}
