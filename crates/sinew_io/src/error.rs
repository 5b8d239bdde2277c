//! Why a file could not be read.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("{}, line {}: {}", path.display(), error.line, error.what)]
    Line { path: PathBuf, error: LineError },
    #[error("{} is not a mesh file that is known here: the extension should be one of {known}", path.display())]
    UnknownExtension { path: PathBuf, known: &'static str },
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} is not a mesh file that is known here: the extension should be one of {known}", path.display())]
    UnknownExtension { path: PathBuf, known: &'static str },
}

/// What is wrong with a text, and in which line (from 1 on).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct LineError {
    pub line: usize,
    pub what: String,
}

impl LineError {
    pub(crate) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}
