//! Files that a job makes: written where nobody else can write, then put in their places.
//!
//! Writers go by paths, and a job takes long: a folder of the project may have become a link to somewhere else meanwhile. What is
//! put in its place goes there by handles, so that no link is followed, and what is there already is looked for again.

use super::jobs::Failed;
use crate::scratch;
use sinew_io::{AtomicFile, Dir};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(super) struct Delivery {
    /// Gone when dropped.
    workshop: tempfile::TempDir,
    /// Where the named file is written.
    path: PathBuf,
    /// The folder that files are put into, by its name in the opened one.
    folder: PathBuf,
}

impl Delivery {
    /// For a file of this name in the opened folder, and those that are written beside it.
    pub(super) fn new(name: &str) -> Result<Self, Failed> {
        let name = Path::new(name);
        let workshop = scratch::folder()
            .and_then(|folder| tempfile::Builder::new().prefix("made-").tempdir_in(folder))
            .map_err(|error| format!("no room for the files: {error}"))?;
        let path = workshop.path().join(name.file_name().unwrap_or_default());
        Ok(Self { workshop, path, folder: name.parent().map(Path::to_owned).unwrap_or_default() })
    }

    /// Where to write the named file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A sentence without the way to the temporary folder.
    pub(super) fn without_path(&self, why: &str) -> Failed {
        let way = self.workshop.path().join("");
        why.replace(&*way.to_string_lossy(), "")
    }

    /// Puts everything that was written in its place. The names of `made` in the opened folder.
    pub(super) fn deliver(self, home: &Dir, overwrite: bool, made: &[PathBuf]) -> Result<Vec<String>, Failed> {
        let mut all = Vec::new();
        list(self.workshop.path(), Path::new(""), &mut all).map_err(|error| error.to_string())?;
        let cannot = |file: &Path, error: &io::Error| format!("cannot write {}: {error}", file.display());
        let target = home.make_dir(&self.folder).map_err(|error| cannot(&self.folder, &error))?;
        if let Some(taken) = all.iter().find(|file| !overwrite && target.has(file)) {
            return Err(format!(
                "{} came to be there meanwhile, and nothing is overwritten unasked; export again",
                self.folder.join(taken).display()
            ));
        }
        for file in &all {
            put(&self.workshop.path().join(file), &target, file).map_err(|error| cannot(file, &error))?;
        }
        let name = |file: &PathBuf| {
            let file = self.folder.join(file.strip_prefix(self.workshop.path()).ok()?);
            Some(file.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"))
        };
        Ok(made.iter().filter_map(name).collect())
    }
}

/// Every file below a folder, by its name there, in order.
fn list(root: &Path, below: &Path, all: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(root.join(below))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = below.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => list(root, &name, all)?,
            false => all.push(name),
        }
    }
    Ok(())
}

fn put(from: &Path, target: &Dir, name: &Path) -> io::Result<()> {
    let folder = target.make_dir(name.parent().unwrap_or(Path::new("")))?;
    let mut new = AtomicFile::create_in(folder, Path::new(name.file_name().unwrap_or_default()))?;
    io::copy(&mut File::open(from)?, &mut new)?;
    new.commit()
}
