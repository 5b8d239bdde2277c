//! The file under a take: appended to by one writer, read at any place by any number of readers.

use super::TakeError;
use sinew_io::Dir;
use sinew_io::disk::DiskFile;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::Path;

/// What a writer needs of a file; tests put a full disk in its place.
pub(super) trait Sink: Send {
    /// Writes all of `bytes` at the end, or fails with any part of them written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Cuts the file to `len` bytes; what follows is appended there.
    fn cut(&mut self, len: u64) -> io::Result<()>;
    /// Returns once all that was appended is on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for DiskFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        Self::cut(self, len)
    }

    fn sync(&mut self) -> io::Result<()> {
        Self::sync(self)
    }
}

/// Opens the file of a take for writing, making it if need be, and keeps other writers out until it is closed.
#[cfg(test)]
pub(super) fn open_for_writing(path: &Path) -> Result<File, TakeError> {
    let (dir, name) = Dir::of(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
    open_in(&dir, &name)
}

/// The same for a name in a folder. Links are not followed.
pub(super) fn open_in(dir: &Dir, name: &Path) -> Result<File, TakeError> {
    let path = dir.path().join(name);
    let fail = |source| TakeError::Open { path: path.clone(), source };
    lock(dir.writable(name).map_err(fail)?, &path)
}

/// Keeps other writers out until the file is closed.
fn lock(file: File, path: &Path) -> Result<File, TakeError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TakeError::InUse { path: path.to_owned() }),
        // Some network file systems know no locks; a take can still be written there.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(file),
        Err(TryLockError::Error(source)) => Err(TakeError::Open { path: path.to_owned(), source }),
    }
}

/// Fills `buffer` from `offset` on, without moving the file's own position.
pub(super) fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
    }
    #[cfg(windows)]
    {
        let mut done = 0;
        while done < buffer.len() {
            match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[done..], offset + done as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
