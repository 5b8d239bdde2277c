//! Folders and files by handle.

use super::{FileRights, invalid, is_link, no_folder, refused};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub(super) type Handle = OwnedFd;

/// Pipes without a writer would wait for one, and a terminal could become ours.
const NEVER_WAIT: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY).union(OFlags::CLOEXEC);
/// As any new file: the user's umask decides.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);
const NEW_FOLDER: Mode = Mode::from_raw_mode(0o777);

pub(super) fn open_dir(path: &Path) -> io::Result<Handle> {
    Ok(fs::openat(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

pub(super) fn clone(handle: &Handle) -> io::Result<Handle> {
    handle.try_clone()
}

pub(super) fn open_part(at: &Handle, _: &Path, part: &Path) -> io::Result<Handle> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    fs::openat(at, part, flags, Mode::empty()).map_err(|error| explained(at, part, error))
}

pub(super) fn make_part(at: &Handle, _: &Path, part: &Path) -> io::Result<()> {
    Ok(fs::mkdirat(at, part, NEW_FOLDER)?)
}

pub(super) fn open_to_read(at: &Handle, _: &Path, part: &Path) -> io::Result<File> {
    open(at, part, OFlags::RDONLY)
}

pub(super) fn open_to_write(at: &Handle, _: &Path, part: &Path) -> io::Result<File> {
    open(at, part, OFlags::RDWR | OFlags::CREATE)
}

pub(super) fn open_fresh(at: &Handle, _: &Path, part: &Path) -> io::Result<File> {
    open(at, part, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)
}

fn open(at: &Handle, part: &Path, flags: OFlags) -> io::Result<File> {
    // Opening alone can do something to a device, so its kind is asked first; and again of what was really opened.
    if let Ok(found) = fs::statat(at, part, AtFlags::SYMLINK_NOFOLLOW) {
        check_kind(part, FileType::from_raw_mode(found.st_mode))?;
    }
    let opened = fs::openat(at, part, flags | OFlags::NOFOLLOW | NEVER_WAIT, NEW_FILE);
    regular(opened.map_err(|error| explained(at, part, error))?, part)
}

pub(super) fn open_named(path: &Path) -> io::Result<File> {
    let found = fs::statat(CWD, path, AtFlags::empty())?;
    check_kind(path, FileType::from_raw_mode(found.st_mode))?;
    regular(fs::openat(CWD, path, OFlags::RDONLY | NEVER_WAIT, Mode::empty())?, path)
}

fn regular(opened: OwnedFd, part: &Path) -> io::Result<File> {
    check_kind(part, FileType::from_raw_mode(fs::fstat(&opened)?.st_mode))?;
    Ok(File::from(opened))
}

fn check_kind(part: &Path, kind: FileType) -> io::Result<()> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => Err(is_link(part)),
        FileType::Directory => Err(refused(part, "a folder")),
        FileType::Fifo => Err(refused(part, "a pipe")),
        FileType::Socket => Err(refused(part, "a socket")),
        _ => Err(refused(part, "a device")),
    }
}

/// The system says "too many links" or "no folder" of what is a link.
fn explained(at: &Handle, part: &Path, error: Errno) -> io::Error {
    let found = fs::statat(at, part, AtFlags::SYMLINK_NOFOLLOW).map(|found| FileType::from_raw_mode(found.st_mode));
    match (error, found) {
        (Errno::LOOP | Errno::NOTDIR, Ok(FileType::Symlink)) => is_link(part),
        (Errno::LOOP, _) => invalid("it is a link"),
        (Errno::NOTDIR, Ok(_)) => no_folder(part),
        _ => error.into(),
    }
}

pub(super) fn has(at: &Handle, _: &Path, part: &Path) -> io::Result<bool> {
    Ok(fs::statat(at, part, AtFlags::SYMLINK_NOFOLLOW).is_ok())
}

/// A lock belongs to what was opened, and lasts until its last copy is closed: so the folder is opened once more.
pub(super) fn lock(at: &Handle) -> io::Result<Handle> {
    let own = fs::openat(at, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    match fs::flock(&own, fs::FlockOperation::LockExclusive) {
        // Some network file systems know none.
        Ok(()) | Err(Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => Ok(own),
        Err(error) => Err(error.into()),
    }
}

/// What is no file there can be replaced as far as the folder allows it.
pub(super) fn may_write(at: &Handle, _: &Path, part: &Path) -> io::Result<bool> {
    match fs::accessat(at, part, fs::Access::WRITE_OK, AtFlags::EACCESS) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn rights(at: &Handle, _: &Path, part: &Path) -> io::Result<Option<FileRights>> {
    let found = match fs::statat(at, part, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(None),
        found => found?,
    };
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    let permissions = std::fs::Permissions::from_mode(found.st_mode & 0o7777);
    Ok(is_file.then_some(FileRights { permissions, owner: Some((found.st_uid, found.st_gid)) }))
}

pub(super) fn remove(at: &Handle, _: &Path, part: &Path) -> io::Result<()> {
    Ok(fs::unlinkat(at, part, AtFlags::empty())?)
}

pub(super) fn remove_tree(at: &Handle, path: &Path, part: &Path) -> io::Result<()> {
    let inside = open_part(at, path, part)?;
    for entry in fs::Dir::read_from(&inside)? {
        let entry = entry?;
        let name = Path::new(std::ffi::OsStr::from_bytes(entry.file_name().to_bytes()));
        if name == Path::new(".") || name == Path::new("..") {
            continue;
        }
        match fs::unlinkat(&inside, name, AtFlags::empty()) {
            Err(Errno::ISDIR | Errno::PERM) => remove_tree(&inside, path, name)?,
            removed => removed?,
        }
    }
    Ok(fs::unlinkat(at, part, AtFlags::REMOVEDIR)?)
}

pub(super) fn rename(at: &Handle, _: &Path, from: &Path, to: &Path) -> io::Result<()> {
    Ok(fs::renameat(at, from, at, to)?)
}

pub(super) fn sync(at: &Handle) -> io::Result<()> {
    Ok(fs::fsync(at)?)
}
