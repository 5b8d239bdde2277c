//! A take that is recorded anew stays what it was until the new one is whole: that one is written beside it and takes its
//! name at the end.

use super::TakeError;
use super::disk::open_in;
use sinew_io::Dir;
use sinew_io::disk::{FileId, Rights, part_name};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What the take beside is called: `NAME.take.rebake`.
const BESIDE: &str = "rebake";

/// Ends with the new take under the name of the old one.
pub(super) struct Swap {
    dir: Dir,
    part: PathBuf,
    name: PathBuf,
    /// The old take, locked: nobody else writes it meanwhile.
    old: Option<File>,
    /// Whether a new take that did not get whole stays, to be gone on with.
    is_resumable: bool,
    is_done: bool,
}

impl Swap {
    /// Beside a take that is recorded anew; what was recorded stays there if the recording is cut off.
    pub(super) fn rebake(dir: Dir, name: &Path, old: File) -> Result<(Self, File), TakeError> {
        let part = rebake_path(name);
        let rights = rights(&dir, name)?;
        let file = open_in(&dir, &part)?;
        if is_shared(&file) {
            return Err(TakeError::SharedPart { path: dir.path().join(&part) });
        }
        rights.give(&file);
        Ok((Self { dir, part, name: name.to_owned(), old: Some(old), is_resumable: true, is_done: false }, file))
    }

    /// The new take appears whole or not at all.
    pub(super) fn atomic(dir: Dir, name: &Path) -> Result<(Self, File), TakeError> {
        let part = part_name();
        let rights = rights(&dir, name)?;
        // Nobody else may be at it, and nobody comes to it before the new one is there. A link of that name is replaced, not followed.
        let old = if dir.file(name).is_ok() { Some(open_in(&dir, name)?) } else { None };
        let file = open_in(&dir, &part)?;
        rights.give(&file);
        Ok((Self { dir, part, name: name.to_owned(), old, is_resumable: false, is_done: false }, file))
    }

    /// Where the new take is written.
    pub(super) fn part_path(&self) -> PathBuf {
        self.dir.path().join(&self.part)
    }

    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }

    /// Gives the new take the name, unless that belongs to another file by now.
    pub(super) fn finish(mut self) -> Result<(), TakeError> {
        let path = self.path();
        if let Some(old) = &self.old
            && let (Ok(old), Ok(there)) = (FileId::of_open(old), FileId::of(&path))
            && there.exists()
            && old != there
        {
            return Err(TakeError::Overwritten { path });
        }
        let unwritten =
            |source| TakeError::Write { path: path.clone(), what: "the new take's name".to_owned(), source };
        self.take_name().map_err(unwritten)
    }

    fn take_name(&mut self) -> io::Result<()> {
        self.dir.rename(&self.part, &self.name)?;
        self.is_done = true;
        self.dir.sync()
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        if !self.is_done && !self.is_resumable {
            let _ = self.dir.remove(&self.part);
        }
    }
}

/// Who may read and write the take that is replaced.
fn rights(dir: &Dir, name: &Path) -> Result<Rights, TakeError> {
    Rights::of(dir, name).map_err(|source| TakeError::Open { path: dir.path().join(name), source })
}

/// Whether a file has another name too: writing it would change that file.
fn is_shared(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|found| found.nlink() > 1)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Where a take that is recorded anew grows: `NAME.take.rebake`.
pub fn rebake_path(name: &Path) -> PathBuf {
    let mut beside = name.as_os_str().to_owned();
    beside.push(".");
    beside.push(BESIDE);
    PathBuf::from(beside)
}
