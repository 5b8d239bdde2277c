//! A file that appears under its name only once it is whole.

use super::faults::{self, Call};
use super::{Dir, DiskFile};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &str = ".sinew-";
const SUFFIX: &str = ".part";

/// Written beside its destination and moved there by [`commit`](Self::commit); dropped before, it leaves no trace.
///
/// The file is locked as long as it is written, so that [`remove_abandoned_parts`] can tell it from one whose writer is gone.
#[derive(Debug)]
pub struct AtomicFile {
    dir: Dir,
    part: PathBuf,
    name: PathBuf,
    file: DiskFile,
    is_committed: bool,
}

impl AtomicFile {
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        let (dir, name) = Dir::of(path.as_ref())?;
        Self::create_in(dir, &name)
    }

    /// For a name of one part in a folder. A link of that name is replaced, not followed.
    pub fn create_in(dir: Dir, name: &Path) -> io::Result<Self> {
        faults::check(Call::Create)?;
        // A rename is atomic only within one file system, so the temporary file lies in the same folder.
        loop {
            let part = part_name();
            match dir.fresh(&part) {
                Ok(file) => {
                    // Where there are no locks nothing is taken for abandoned.
                    let _ = file.try_lock();
                    let (name, file) = (name.to_owned(), DiskFile::new(file));
                    return Ok(Self { dir, part, name, file, is_committed: false });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until the data is on the disk and gives the file its name, replacing what had it.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        self.dir.rename(&self.part, &self.name)?;
        self.is_committed = true;
        Ok(())
    }

    /// The same, and the new name outlasts a power cut.
    pub fn commit_and_sync(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        self.dir.rename(&self.part, &self.name)?;
        self.is_committed = true;
        self.dir.sync()
    }

    pub fn file(&self) -> &File {
        self.file.file()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = self.dir.remove(&self.part);
        }
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

/// Another name for a file that is being written, each time.
pub fn part_name() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("{PREFIX}{:x}-{number:x}{SUFFIX}", std::process::id()))
}

/// Removes what writers that were killed left in a folder. How many files that were.
pub fn remove_abandoned_parts(dir: &Dir) -> usize {
    /// A folder with more entries is not searched to its end.
    const LOOKED_AT: usize = 10_000;
    let entries = std::fs::read_dir(dir.path()).into_iter().flatten().flatten().take(LOOKED_AT);
    let is_part = |name: &str| name.starts_with(PREFIX) && name.ends_with(SUFFIX);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_part(name));
    names.filter(|name| dir.file(name).is_ok_and(|file| file.try_lock().is_ok()) && dir.remove(name).is_ok()).count()
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
    fn parts_of_writers_that_are_gone_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        std::fs::write(folder.path().join(".sinew-dead-1.part"), "half").unwrap();
        std::fs::write(folder.path().join(".sinew-notes.txt"), "a user's").unwrap();
        let mut live = AtomicFile::create(folder.path().join("a.txt")).unwrap();
        live.write_all(b"new").unwrap();
        assert_eq!(remove_abandoned_parts(&dir), 1);
        live.commit().unwrap();
        assert_eq!(std::fs::read(folder.path().join("a.txt")).unwrap(), b"new");
        assert!(folder.path().join(".sinew-notes.txt").exists());
    }
}
