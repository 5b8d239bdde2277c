//! What goes to stdout and what to stderr.

use crate::failure::{Failure, shown};
use serde_json::Value;
use std::io::Write;

/// No output may be the file that standard output or standard error goes to.
#[cfg(unix)]
pub(crate) fn note_streams() {
    use std::os::fd::AsFd;
    let note = |what: &'static str, stream: std::io::Result<std::os::fd::OwnedFd>| {
        let Ok(file) = stream.map(std::fs::File::from) else { return };
        if file.metadata().is_ok_and(|found| found.is_file())
            && let Ok(id) = sinew::io::disk::FileId::of_open(&file)
        {
            sinew::io::disk::also_written(what, id);
        }
    };
    note("standard output", std::io::stdout().as_fd().try_clone_to_owned());
    note("standard error", std::io::stderr().as_fd().try_clone_to_owned());
}

#[cfg(not(unix))]
pub(crate) fn note_streams() {}

/// Text for people, or one JSON object for programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub json: bool,
}

impl Output {
    /// The result: the object where JSON was asked for, else the text.
    pub(crate) fn finish(self, object: &Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let line = if self.json { object.to_string() } else { shown(&text(), usize::MAX) };
        match writeln!(std::io::stdout().lock(), "{line}") {
            // A reader that has seen enough (`| head`) is no failure.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| {
                let what = format!("cannot write the outcome to standard output: {error}");
                Failure::new(
                    what,
                    "what was asked for is done, and its files are whole; make room where the output goes",
                )
            }),
        }
    }

    pub(crate) fn fail(self, failure: &Failure) {
        if self.json {
            let _ = writeln!(std::io::stdout().lock(), "{}", failure.to_json());
        }
        let _ = writeln!(std::io::stderr().lock(), "{}", failure.to_text());
    }
}
