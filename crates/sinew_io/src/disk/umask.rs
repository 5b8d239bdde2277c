//! New files are as private as what they are made of.

use std::path::Path;

/// From now on files that this process makes can be read and written by nobody who cannot do so with `source`: a take holds the text of its scene,
/// an export its shapes. Without a source the user's own umask counts. Files that are replaced keep their rights ([`super::Rights`]).
pub fn as_private_as(source: Option<&Path>) {
    #[cfg(unix)]
    {
        use rustix::fs::Mode;
        use rustix::process::umask;
        use std::os::unix::fs::PermissionsExt;
        use std::sync::{Mutex, PoisonError};
        static OWN: Mutex<Option<Mode>> = Mutex::new(None);
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        let before = *own.get_or_insert_with(|| {
            let before = umask(Mode::empty());
            umask(before);
            before
        });
        let mode =
            source.and_then(|source| std::fs::metadata(source).ok()).map_or(0o777, |found| found.permissions().mode());
        // Whether a file may be run says nothing.
        umask(before | Mode::from_raw_mode(!mode & 0o066));
    }
    #[cfg(not(unix))]
    let _ = source;
}
