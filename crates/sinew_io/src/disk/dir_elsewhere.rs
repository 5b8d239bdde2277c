//! Folders and files by path, looked at before they are opened.

use super::{FileRights, is_link, no_folder, refused};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Paths say it all.
pub(super) type Handle = ();

pub(super) fn open_dir(path: &Path) -> io::Result<Handle> {
    if fs::metadata(path)?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

pub(super) fn clone(_: &Handle) -> io::Result<Handle> {
    Ok(())
}

pub(super) fn open_part(_: &Handle, folder: &Path, part: &Path) -> io::Result<Handle> {
    let found = fs::symlink_metadata(folder.join(part))?;
    match found.file_type() {
        kind if kind.is_symlink() => Err(is_link(part)),
        kind if kind.is_dir() => Ok(()),
        _ => Err(no_folder(part)),
    }
}

pub(super) fn make_part(_: &Handle, folder: &Path, part: &Path) -> io::Result<()> {
    fs::create_dir(folder.join(part))
}

pub(super) fn open_to_read(_: &Handle, folder: &Path, part: &Path) -> io::Result<File> {
    open(folder, part, OpenOptions::new().read(true))
}

pub(super) fn open_to_write(_: &Handle, folder: &Path, part: &Path) -> io::Result<File> {
    open(folder, part, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

pub(super) fn open_fresh(_: &Handle, folder: &Path, part: &Path) -> io::Result<File> {
    open(folder, part, OpenOptions::new().read(true).write(true).create_new(true))
}

fn open(folder: &Path, part: &Path, options: &OpenOptions) -> io::Result<File> {
    let path = folder.join(part);
    if let Ok(found) = fs::symlink_metadata(&path)
        && found.file_type().is_symlink()
    {
        return Err(is_link(part));
    }
    regular(options.open(path)?, part)
}

pub(super) fn open_named(path: &Path) -> io::Result<File> {
    regular(File::open(path)?, path)
}

fn regular(file: File, part: &Path) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(file),
        (_, true) => Err(refused(part, "a folder")),
        _ => Err(refused(part, "a device")),
    }
}

pub(super) fn has(_: &Handle, folder: &Path, part: &Path) -> io::Result<bool> {
    Ok(fs::symlink_metadata(folder.join(part)).is_ok())
}

pub(super) fn lock(_: &Handle) -> io::Result<Handle> {
    Ok(())
}

pub(super) fn may_write(_: &Handle, _: &Path, _: &Path) -> io::Result<bool> {
    Ok(true)
}

pub(super) fn rights(_: &Handle, folder: &Path, part: &Path) -> io::Result<Option<FileRights>> {
    match fs::symlink_metadata(folder.join(part)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => Ok(Some(found?)
            .filter(fs::Metadata::is_file)
            .map(|found| FileRights { permissions: found.permissions(), owner: None })),
    }
}

pub(super) fn remove(_: &Handle, folder: &Path, part: &Path) -> io::Result<()> {
    fs::remove_file(folder.join(part))
}

pub(super) fn remove_tree(_: &Handle, folder: &Path, part: &Path) -> io::Result<()> {
    open_part(&(), folder, part)?;
    fs::remove_dir_all(folder.join(part))
}

pub(super) fn rename(_: &Handle, folder: &Path, from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(folder.join(from), folder.join(to))
}

pub(super) fn sync(_: &Handle) -> io::Result<()> {
    Ok(())
}
