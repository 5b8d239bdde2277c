//! What goes to stdout and what to stderr.

use crate::failure::Failure;
use serde_json::Value;
use std::io::Write;

/// Text for people, or one JSON object for programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub json: bool,
}

impl Output {
    /// The result: the object where JSON was asked for, else the text.
    pub(crate) fn finish(self, object: &Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let line = if self.json { object.to_string() } else { text() };
        match writeln!(std::io::stdout().lock(), "{line}") {
            // A reader that has seen enough (`| head`) is no failure.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }

    pub(crate) fn fail(self, failure: &Failure) {
        if self.json {
            let _ = writeln!(std::io::stdout().lock(), "{}", failure.to_json());
        }
        let _ = writeln!(std::io::stderr().lock(), "{}", failure.to_text());
    }
}
