//! Opening the user's browser.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;
use std::process::{Command, Stdio};

/// Asks the desktop to open a file of HTML. An error means that no browser was started; the studio runs all the same.
pub(crate) fn open(page: &Path) -> Result<()> {
    if cfg!(target_os = "linux") && ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none()) {
        return Err(Error::new(ErrorKind::NotFound, "this session has no display"));
    }
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(target_os = "windows") {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let quiet = || Stdio::null();
    Command::new(program).args(before).arg(page).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().map(drop)
}
