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
    #[error("{} is not a mesh file that is known here: the extension should be one of {known}", path.display())]
    UnknownExtension { path: PathBuf, known: &'static str },
    #[error("{} looks like {found}, not like what its extension says; give it the extension {extension}", path.display())]
    OtherFormat { path: PathBuf, found: &'static str, extension: &'static str },
    #[error(transparent)]
    Npz(#[from] NpzError),
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
        }
    }
}
