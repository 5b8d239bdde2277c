//! A file that appears under its name only once it is whole.
//!
//! Until then it is a *part*, `.sinew-PID-NUMBER.part` beside its destination. A part goes when its writer gives up, when the
//! process is asked to end ([`end_writing`]), and, if it was killed, when the next one writes into the same folder.

use super::faults::{self, Call};
use super::{Dir, DiskFile, Rights};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const PREFIX: &str = ".sinew-";
const SUFFIX: &str = ".part";

/// Parts of this process, by their names, which are all different.
static LIVE: Mutex<BTreeMap<PathBuf, Arc<Dir>>> = Mutex::new(BTreeMap::new());
/// Folders that this process has looked through for parts of others.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Written beside its destination and moved there by [`commit`](Self::commit); dropped before, it leaves no trace.
///
/// The file is locked as long as it is written, so that [`remove_abandoned_parts`] can tell it from one whose writer is gone.
#[derive(Debug)]
pub struct AtomicFile {
    dir: Arc<Dir>,
    part: PathBuf,
    name: PathBuf,
    file: DiskFile,
}

impl AtomicFile {
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let (dir, name) = Dir::of(path.as_ref())?;
        Self::create_in(dir, &name)
    }

    /// For a name of one part in a folder. A link of that name is replaced, not followed. A file that is replaced hands on its
    /// mode and owner; one that is read-only is left alone.
    pub fn create_in(dir: Dir, name: &Path) -> io::Result<Self> {
        faults::check(Call::Create)?;
        let rights = Rights::of(&dir, name)?;
        sweep_once(&dir);
        let dir = Arc::new(dir);
        // A rename is atomic only within one file system, so the temporary file lies in the same folder.
        loop {
            let part = part_name();
            let mut live = lock(&LIVE);
            match dir.fresh(&part) {
                Ok(file) if is_kept(&file) => {
                    live.insert(part.clone(), dir.clone());
                    drop(live);
                    rights.give(&file);
                    return Ok(Self { dir, part, name: name.to_owned(), file: DiskFile::new(file) });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Where it is until it is whole, for another program that writes to it.
    pub fn part_path(&self) -> PathBuf {
        self.dir.path().join(&self.part)
    }

    /// Waits until the data is on the disk and gives the file its name, replacing what had it.
    pub fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        self.dir.rename(&self.part, &self.name)
    }

    /// The same, and the new name outlasts a power cut.
    pub fn commit_and_sync(self) -> io::Result<()> {
        self.file.sync_all()?;
        self.dir.rename(&self.part, &self.name)?;
        self.dir.sync()
    }

    pub fn file(&self) -> &File {
        self.file.file()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // One that was committed has no part any more.
        let _ = self.dir.remove(&self.part);
        lock(&LIVE).remove(&self.part);
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Locks a new part. Whoever looks through the folder just then may have been faster, and is about to remove it or has done so.
fn is_kept(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => has_name(file),
        Err(std::fs::TryLockError::WouldBlock) => false,
        // Where there are no locks nothing is taken for abandoned.
        Err(std::fs::TryLockError::Error(_)) => true,
    }
}

#[cfg(unix)]
fn has_name(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|found| found.nlink() > 0)
}

#[cfg(not(unix))]
fn has_name(_: &File) -> bool {
    true
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every part of this process, which is about to end: whoever begins another waits for that.
pub fn end_writing() {
    let live = lock(&LIVE);
    for (part, dir) in &*live {
        let _ = dir.remove(part);
    }
    std::mem::forget(live);
}

/// Another name for a file that is being written, each time.
pub fn part_name() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("{PREFIX}{:x}-{number:x}{SUFFIX}", std::process::id()))
}

fn sweep_once(dir: &Dir) {
    if lock(&SWEPT).insert(dir.path().to_owned()) {
        remove_abandoned_parts(dir);
    }
}

/// Removes what writers that were killed left in a folder. How many files that were.
pub fn remove_abandoned_parts(dir: &Dir) -> usize {
    /// A folder with more entries is not searched to its end.
    const LOOKED_AT: usize = 10_000;
    let entries = std::fs::read_dir(dir.path()).into_iter().flatten().flatten().take(LOOKED_AT);
    let is_part = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_part(name));
    // The lock is held until the name is gone: its writer may be about to take it.
    let remove = |name: &String| dir.file(name).is_ok_and(|file| file.try_lock().is_ok() && dir.remove(name).is_ok());
    names.filter(remove).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_file_stays_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_has_the_rights_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        AtomicFile::create(&ours).unwrap().commit().unwrap();
        std::fs::write(&plain, "").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }

    #[test]
    fn the_next_writer_in_a_folder_removes_what_killed_ones_left() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".sinew-dead-1.part"), "half").unwrap();
        AtomicFile::create(folder.path().join("a.txt")).unwrap().commit().unwrap();
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.txt"]);
    }

    /// A part is there for a moment before it is locked.
    #[test]
    fn whoever_looks_for_abandoned_parts_takes_none_that_is_just_begun() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    remove_abandoned_parts(&dir);
                }
            });
            let kept = (0..2000).all(|_| {
                let file = AtomicFile::create(folder.path().join("a.txt")).unwrap();
                std::thread::yield_now();
                file.part_path().exists()
            });
            done.store(true, Ordering::Relaxed);
            assert!(kept, "a part went while it was written");
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn parts_of_writers_that_are_gone_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let mut live = AtomicFile::create(folder.path().join("a.txt")).unwrap();
        live.write_all(b"new").unwrap();
        std::fs::write(folder.path().join(".sinew-dead-1.part"), "half").unwrap();
        std::fs::write(folder.path().join(".sinew-notes.txt"), "a user's").unwrap();
        assert_eq!(remove_abandoned_parts(&dir), 1);
        live.commit().unwrap();
        assert_eq!(std::fs::read(folder.path().join("a.txt")).unwrap(), b"new");
        assert!(folder.path().join(".sinew-notes.txt").exists());
    }
}
