//! A buffered file that knows its path, for errors, and appears only when it is whole.

use crate::AtomicFile;
use crate::clip::WriteError;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Out {
    path: PathBuf,
    file: BufWriter<AtomicFile>,
    scratch: Vec<u8>,
}

impl Out {
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let file = AtomicFile::create(path).map_err(|source| WriteError::Write { path: path.to_owned(), source })?;
        Ok(Self { path: path.to_owned(), file: BufWriter::with_capacity(1 << 18, file), scratch: Vec::new() })
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(bytes).map_err(|source| WriteError::Write { path: self.path.clone(), source })
    }

    pub(crate) fn text(&mut self, text: fmt::Arguments<'_>) -> Result<(), WriteError> {
        self.file.write_fmt(text).map_err(|source| WriteError::Write { path: self.path.clone(), source })
    }

    /// Numbers of four bytes in the order that `to_bytes` puts them.
    pub(crate) fn words<T: Copy>(
        &mut self,
        numbers: impl IntoIterator<Item = T>,
        to_bytes: impl Fn(T) -> [u8; 4],
    ) -> Result<(), WriteError> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.extend(numbers.into_iter().flat_map(to_bytes));
        let written = self.bytes(&scratch);
        self.scratch = scratch;
        written
    }

    pub(crate) fn commit(self) -> Result<PathBuf, WriteError> {
        let Self { path, file, .. } = self;
        match file.into_inner().map_err(io::IntoInnerError::into_error).and_then(AtomicFile::commit) {
            Ok(()) => Ok(path),
            Err(source) => Err(WriteError::Write { path, source }),
        }
    }
}
