//! How the browser gets in without the token in a list of processes: it is given the path of a file that only this user can read.
//! The file leads on to an address that works once.

use std::io::{self, Write};
use std::path::PathBuf;
use tempfile::TempPath;

/// Makes the file; gone when dropped. Its rights are the owner's alone.
pub(crate) fn file(address: &str) -> io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("sinew-open-").suffix(".html");
    let mut file = match readable_folder() {
        Some(folder) => builder.tempfile_in(folder)?,
        None => builder.tempfile_in(crate::scratch::folder()?)?,
    };
    writeln!(
        file,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={address}\"><title>sinew studio</title>\
         <p><a href=\"{address}\">Open the studio</a></p></html>"
    )?;
    file.flush()?;
    Ok(file.into_temp_path())
}

/// Browsers in snaps see nothing of the temporary folder and no hidden files, but what lies in the user's home.
fn readable_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)?;
    (std::path::Path::new("/snap").is_dir() && home.is_dir()).then_some(home)
}
