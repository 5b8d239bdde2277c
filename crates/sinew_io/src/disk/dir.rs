//! A folder held open. Its files are reached by relative names, part by part, and no link on the way is followed: whoever packed
//! a project cannot make it lead elsewhere.
//!
//! On Unix every part is opened relative to the handle of the one before (`openat` with `O_NOFOLLOW`). Elsewhere paths are
//! looked at before they are opened.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Who may read and write a file, and whose it is where files have owners (user and group).
#[derive(Debug)]
pub(super) struct FileRights {
    pub permissions: std::fs::Permissions,
    pub owner: Option<(u32, u32)>,
}

/// Holds a folder ([`Dir::lock`]).
#[derive(Debug)]
pub struct DirLock(#[expect(dead_code, reason = "the handle holds the lock")] sys::Handle);

#[derive(Debug)]
pub struct Dir {
    path: PathBuf,
    handle: sys::Handle,
}

impl Dir {
    /// The folder itself may be a link: the user named it.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self { path: path.to_owned(), handle: sys::open_dir(path)? })
    }

    /// The folder that a path lies in, and its name there. Links above the name are followed.
    pub fn of(path: &Path) -> io::Result<(Self, PathBuf)> {
        let name = path.file_name().ok_or_else(|| invalid("it names no file"))?;
        Ok((Self::open(path.parent().unwrap_or(Path::new("")))?, PathBuf::from(name)))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { path: self.path.clone(), handle: sys::clone(&self.handle)? })
    }

    /// Opens a regular file to read.
    pub fn file(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.reach(name.as_ref(), sys::open_to_read)
    }

    /// Opens a regular file to read and write. It is made where there is none; what is in it stays.
    pub fn writable(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.reach(name.as_ref(), sys::open_to_write)
    }

    /// Makes a file that was not there.
    pub(super) fn fresh(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.reach(name.as_ref(), sys::open_fresh)
    }

    /// All of a file, if it has at most this many bytes.
    pub fn read(&self, name: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        read_up_to(&self.file(name)?, most)
    }

    /// The same for a name that may lead out of the folder where someone wrote so (`../shared/a.obj`, or from the root on).
    pub fn read_named(&self, name: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
        let name = name.as_ref();
        if is_inside(name) { self.read(name, most) } else { read_regular(self.path.join(name), most) }
    }

    /// A folder in this one.
    pub fn dir(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        let name = name.as_ref();
        let mut dir = self.try_clone()?;
        for part in parts(name)? {
            let handle = sys::open_part(&dir.handle, &dir.path, part)?;
            dir = Self { path: dir.path.join(part), handle };
        }
        Ok(dir)
    }

    /// The same; what is missing on the way is made.
    pub fn make_dir(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        let mut dir = self.try_clone()?;
        for part in parts(name.as_ref())? {
            match sys::make_part(&dir.handle, &dir.path, part) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            dir = dir.dir(part)?;
        }
        Ok(dir)
    }

    /// Makes a folder that was not there. The name has one part.
    pub fn make_new_dir(&self, name: impl AsRef<Path>) -> io::Result<Self> {
        let part = only_part(name.as_ref())?;
        sys::make_part(&self.handle, &self.path, part)?;
        self.dir(part)
    }

    /// Removes a folder of this one with all that is in it. Links in it are removed, not followed. The name has one part.
    pub fn remove_tree(&self, name: impl AsRef<Path>) -> io::Result<()> {
        sys::remove_tree(&self.handle, &self.path, only_part(name.as_ref())?)
    }

    /// Whether a name is taken, be it by a link that leads nowhere.
    pub fn has(&self, name: impl AsRef<Path>) -> bool {
        self.reach(name.as_ref(), sys::has).unwrap_or(false)
    }

    /// Keeps other processes that ask the same out of the folder until what is returned is dropped. It waits for them; on systems that cannot lock
    /// folders it keeps nobody out.
    pub fn lock(&self) -> io::Result<DirLock> {
        Ok(DirLock(sys::lock(&self.handle)?))
    }

    /// Whether the user may write to a file of that name, where there is one. The name has one part.
    pub(super) fn may_write(&self, name: &Path) -> io::Result<bool> {
        sys::may_write(&self.handle, &self.path, only_part(name)?)
    }

    /// Mode and owner of a regular file; none where something else or nothing has the name. The name has one part.
    pub(super) fn rights(&self, name: &Path) -> io::Result<Option<FileRights>> {
        sys::rights(&self.handle, &self.path, only_part(name)?)
    }

    /// Whether a file can be made or replaced under a name without leaving the folder. Folders on the way may be missing.
    pub fn check_place(&self, name: impl AsRef<Path>) -> io::Result<()> {
        let mut dir = self.try_clone()?;
        let parts = parts(name.as_ref())?;
        let (last, before) = parts.split_last().ok_or_else(|| invalid("it names no file"))?;
        for part in before {
            if !dir.has(part) {
                return Ok(());
            }
            dir = dir.dir(part)?;
        }
        if dir.has(last) && dir.dir(last).is_err() { dir.file(last).map(drop) } else { Ok(()) }
    }

    /// Removes a file, or a link itself.
    pub fn remove(&self, name: impl AsRef<Path>) -> io::Result<()> {
        self.reach(name.as_ref(), sys::remove)
    }

    /// Gives a file of this folder another name in it, replacing what had it. Both names have one part.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        super::faults::check(super::faults::Call::Rename)?;
        sys::rename(&self.handle, &self.path, only_part(from.as_ref())?, only_part(to.as_ref())?)
    }

    /// Makes new names last through a power cut, where folders can be synced.
    pub fn sync(&self) -> io::Result<()> {
        sys::sync(&self.handle)
    }

    fn reach<T>(&self, name: &Path, act: impl Fn(&sys::Handle, &Path, &Path) -> io::Result<T>) -> io::Result<T> {
        let parts = parts(name)?;
        let (last, before) = parts.split_last().ok_or_else(|| invalid("it names no file"))?;
        match before {
            [] => act(&self.handle, &self.path, last),
            _ => {
                let dir = self.dir(before.iter().collect::<PathBuf>())?;
                act(&dir.handle, &dir.path, last)
            }
        }
    }
}

/// Opens what the user names, be it by a link: a regular file, or an error at once.
pub fn open_regular(path: impl AsRef<Path>) -> io::Result<File> {
    sys::open_named(path.as_ref())
}

/// All of it, if it has at most this many bytes.
pub fn read_regular(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    read_up_to(&open_regular(path)?, most)
}

fn read_up_to(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {} MB", most >> 20)));
    }
    Ok(bytes)
}

/// Whether a name stays in the folder it is relative to.
pub(crate) fn is_inside(name: &Path) -> bool {
    parts(name).is_ok()
}

fn parts(name: &Path) -> io::Result<Vec<&Path>> {
    let part = |part| match part {
        Component::Normal(part) => Some(Ok(Path::new(part))),
        Component::CurDir => None,
        _ => Some(Err(invalid("it leads out of the folder"))),
    };
    name.components().filter_map(part).collect()
}

fn only_part(name: &Path) -> io::Result<&Path> {
    match parts(name)?[..] {
        [part] => Ok(part),
        _ => Err(invalid("it is no name in the folder")),
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// What stands in the way of a regular file.
fn refused(part: &Path, kind: &str) -> io::Error {
    invalid(&format!("{} is {kind}, not a file", part.display()))
}

fn no_folder(part: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotADirectory, format!("{} is a file, not a folder", part.display()))
}

fn is_link(part: &Path) -> io::Error {
    invalid(&format!(
        "{} is a link, and links in a project are not followed; put the file itself there",
        part.display()
    ))
}

#[cfg(unix)]
#[path = "dir_unix.rs"]
mod sys;

#[cfg(not(unix))]
#[path = "dir_elsewhere.rs"]
mod sys;

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_is_removed_with_its_links_and_not_with_what_they_lead_to() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("victim"), "precious").unwrap();
        let dir = Dir::open(inside.path()).unwrap();
        let made = dir.make_new_dir("project").unwrap();
        assert!(dir.make_new_dir("project").is_err() && dir.make_new_dir("../x").is_err());
        made.make_dir("a/b").unwrap();
        std::fs::write(inside.path().join("project/a/b/file"), "x").unwrap();
        symlink(outside.path(), inside.path().join("project/a/out")).unwrap();
        symlink(outside.path(), inside.path().join("link")).unwrap();
        assert!(dir.remove_tree("link").is_err() && dir.remove_tree("..").is_err());
        dir.remove_tree("project").unwrap();
        assert!(!dir.has("project") && dir.has("link"));
        assert_eq!(std::fs::read(outside.path().join("victim")).unwrap(), b"precious");
    }

    #[test]
    fn links_lead_nowhere_and_pipes_and_devices_are_refused_at_once() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let victim = outside.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        let at = |name: &str| inside.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("sub/own"), "own").unwrap();
        symlink(&victim, at("file")).unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink("/dev/zero", at("endless")).unwrap();
        symlink(outside.path().join("new"), at("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let dir = Dir::open(inside.path()).unwrap();
        assert_eq!(dir.read("sub/own", 10).unwrap(), b"own");
        for name in ["file", "out/victim", "endless", "dangling", "pipe", "sub", "../x", "/etc/passwd", ""] {
            assert!(dir.file(name).is_err(), "{name:?}");
            assert!(dir.writable(name).is_err(), "{name:?}");
        }
        assert!(dir.make_dir("out/deep").is_err() && dir.dir("out").is_err());
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was made outside");
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        // What the user names may be a link to a file, and to nothing else.
        assert!(open_regular(at("file")).is_ok());
        for name in ["endless", "pipe", "sub"] {
            assert!(open_regular(at(name)).is_err(), "{name:?}");
        }
        assert!(dir.read("sub/own", 2).is_err(), "larger than allowed");
    }

    #[test]
    fn folders_are_made_part_by_part_and_files_moved_within_one() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let deep = dir.make_dir("a/b").unwrap();
        deep.writable("x").unwrap();
        assert!(dir.has("a/b/x") && !dir.has("a/b/y"));
        deep.rename("x", "y").unwrap();
        assert!(!dir.has("a/b/x") && dir.has("a/b/y"));
        dir.remove("a/b/y").unwrap();
        assert!(!dir.has("a/b/y"));
        assert!(deep.rename("x", "../y").is_err());
    }
}
