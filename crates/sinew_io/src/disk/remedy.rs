//! What to do about a file that cannot be written or read.

use std::error::Error;
use std::io::{self, ErrorKind};

/// What would help, where the system's error says so.
pub fn remedy(error: &io::Error) -> Option<&'static str> {
    if are_files_used_up(error) {
        return Some("too many files are open: close other programs, or allow more (ulimit -n)");
    }
    Some(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room on the disk, or choose another one",
        ErrorKind::FileTooLarge => {
            "files may not grow so large here (ulimit -f, or the disk's format); choose another disk"
        }
        ErrorKind::ReadOnlyFilesystem => "choose a folder on a disk that can be written to",
        ErrorKind::InvalidFilename => "choose a shorter name",
        ErrorKind::NotADirectory => "a part of the path is a file; choose a folder",
        ErrorKind::NotFound => "make the folder first, or check the path",
        ErrorKind::PermissionDenied => {
            "choose a folder that you may write to, or allow it (chmod u+w, for the file and its folder)"
        }
        ErrorKind::UnexpectedEof => "the file ends too early: another program may have changed it; make it anew",
        ErrorKind::OutOfMemory => "close other programs, or ask for less at once",
        _ => return None,
    })
}

/// The same for the system's error that is behind another, if one is.
pub fn remedy_behind(error: &(dyn Error + 'static)) -> Option<&'static str> {
    let mut error = Some(error);
    while let Some(now) = error {
        if let Some(help) = now.downcast_ref::<io::Error>().and_then(remedy) {
            return Some(help);
        }
        error = now.source();
    }
    None
}

#[cfg(unix)]
fn are_files_used_up(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::MFILE, Errno::NFILE].iter().any(|known| error.raw_os_error() == Some(known.raw_os_error()))
}

#[cfg(not(unix))]
fn are_files_used_up(_: &io::Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn what_the_system_says_decides_what_to_do() {
        for (errno, help) in [
            (Errno::MFILE, "ulimit -n"),
            (Errno::NOSPC, "make room"),
            (Errno::DQUOT, "make room"),
            (Errno::FBIG, "ulimit -f"),
            (Errno::ROFS, "disk that can be written"),
            (Errno::NAMETOOLONG, "shorter name"),
            (Errno::ACCESS, "chmod"),
            (Errno::NOENT, "make the folder"),
        ] {
            let found = remedy(&io::Error::from(errno)).unwrap_or_default();
            assert!(found.contains(help), "{errno:?}: {found}");
        }
    }
}
