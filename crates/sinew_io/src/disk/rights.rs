//! Who may read and write a file that is replaced by a new one.

use super::Dir;
use super::dir::FileRights;
use std::fs::File;
use std::io;
use std::path::Path;

/// Mode and owner of a file that is about to be replaced; nothing where there is none.
#[derive(Debug)]
pub struct Rights(Option<FileRights>);

impl Rights {
    /// Of a name of one part in a folder. A file that is read-only is an error: whoever made it so wants it kept. What is no
    /// regular file has no rights to hand on.
    pub fn of(dir: &Dir, name: &Path) -> io::Result<Self> {
        let found = dir.rights(name)?;
        if found.as_ref().is_some_and(|found| found.permissions.readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        if found.is_some() && !dir.may_write(name)? {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only for this user"));
        }
        Ok(Self(found))
    }

    /// Gives them to the new file, as far as the user may: only root gives files away.
    pub fn give(&self, file: &File) {
        let Some(found) = &self.0 else { return };
        #[cfg(unix)]
        if let Some((user, group)) = found.owner {
            use std::os::unix::fs::{MetadataExt, fchown};
            let is_other = file.metadata().is_ok_and(|now| (now.uid(), now.gid()) != (user, group));
            if is_other && fchown(file, Some(user), Some(group)).is_err() {
                let _ = fchown(file, None, Some(group));
            }
        }
        let _ = file.set_permissions(found.permissions.clone());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::AtomicFile;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn a_file_that_is_replaced_hands_on_its_mode_and_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("private");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        // Only root can make a file someone else's.
        let is_root = std::os::unix::fs::chown(&path, Some(65534), Some(65534)).is_ok();
        let mut new = AtomicFile::create(&path).unwrap();
        assert_eq!(new.file().metadata().unwrap().mode() & 0o777, 0o600, "private from its first byte on");
        new.write_all(b"new").unwrap();
        new.commit().unwrap();
        let found = fs::metadata(&path).unwrap();
        assert_eq!(found.mode() & 0o777, 0o600);
        assert!(!is_root || (found.uid(), found.gid()) == (65534, 65534));
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        let refused = AtomicFile::create(&path).unwrap_err();
        assert!(refused.to_string().contains("read-only"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
