//! What the studio keeps for a while: files on their way in, takes without a project. All of it lies in one folder of the process
//! in the system's temporary folder, which is locked as long as the process lives. What killed studios left is removed when
//! the next one starts.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::{NamedTempFile, TempDir};

const PREFIX: &str = "sinew-";
const LOCK: &str = "lock";

struct Scratch {
    folder: PathBuf,
    /// Held as long as the process lives.
    _lock: File,
}

static SCRATCH: OnceLock<Scratch> = OnceLock::new();

/// The folder of this process.
pub(crate) fn folder() -> io::Result<&'static Path> {
    if SCRATCH.get().is_none() {
        let made = make(&std::env::temp_dir())?;
        // Another thread may have been first.
        if let Err(extra) = SCRATCH.set(made) {
            let _ = fs::remove_dir_all(&extra.folder);
        }
    }
    SCRATCH.get().map(|scratch| scratch.folder.as_path()).ok_or_else(|| io::Error::other("no temporary folder"))
}

/// A file in it that is gone when dropped.
pub(crate) fn file(suffix: &str) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().suffix(suffix).tempfile_in(folder()?)
}

/// Removes the folder of this process: it is about to end.
pub(crate) fn clear() {
    if let Some(scratch) = SCRATCH.get() {
        let _ = fs::remove_dir_all(&scratch.folder);
    }
}

/// Removes what processes that are gone left. How many folders those were.
pub(crate) fn sweep() -> usize {
    sweep_in(&std::env::temp_dir())
}

fn make(temporary: &Path) -> io::Result<Scratch> {
    /// Whoever sweeps just then may have been faster with the lock.
    const TRIES: u32 = 20;
    for _ in 0..TRIES {
        let made: TempDir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(temporary)?;
        let lock = File::create_new(made.path().join(LOCK))?;
        if lock.try_lock().is_ok() && made.path().join(LOCK).exists() {
            return Ok(Scratch { folder: made.keep(), _lock: lock });
        }
    }
    Err(io::Error::other("no temporary folder could be locked"))
}

fn sweep_in(temporary: &Path) -> usize {
    let entries = fs::read_dir(temporary).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    // The lock is held until the folder is gone: whoever made it may be about to take it.
    let remove = |entry: &fs::DirEntry| {
        lock_of(&entry.path()).is_some_and(|lock| lock.try_lock().is_ok() && fs::remove_dir_all(entry.path()).is_ok())
    };
    ours.filter(is_folder).filter(remove).count()
}

/// The lock of a folder. Those of other users cannot be opened.
fn lock_of(folder: &Path) -> Option<File> {
    let is_file = folder.join(LOCK).symlink_metadata().is_ok_and(|found| found.is_file());
    let lock = || OpenOptions::new().read(true).write(true).open(folder.join(LOCK)).ok();
    if is_file { lock() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_and_what_is_not_goes() {
        let temporary = tempfile::tempdir().unwrap();
        let live = make(temporary.path()).unwrap();
        let dead = temporary.path().join("sinew-dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::write(dead.join("half.take"), "x").unwrap();
        let foreign = temporary.path().join("sinew-notes");
        fs::create_dir(&foreign).unwrap();
        assert_eq!(sweep_in(temporary.path()), 1);
        assert!(live.folder.exists() && !dead.exists() && foreign.exists());
    }
}
