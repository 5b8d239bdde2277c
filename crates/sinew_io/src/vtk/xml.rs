//! As much of XML as VTK files use: elements with attributes and text, walked through from the front.

use crate::LineError;

pub(super) struct Xml<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

pub(super) enum Event<'a> {
    Open(Element<'a>),
    Close(&'a str),
}

/// A tag that was opened; one without content (`<a/>`) is never closed.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    attributes: &'a str,
    pub(super) line: usize,
}

impl<'a> Xml<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The next tag; comments, declarations and text are passed over.
    pub(super) fn next(&mut self) -> Result<Option<Event<'a>>, LineError> {
        loop {
            if !self.skip_to(b"<") {
                return Ok(None);
            }
            let rest = &self.bytes[self.at..];
            let line = self.line;
            if rest.starts_with(b"<!--") {
                if !self.skip_to(b"-->") {
                    return Err(LineError::new(line, "a comment that does not end"));
                }
            } else if rest.starts_with(b"<?") || rest.starts_with(b"<!") {
                self.skip_to(b">");
            } else {
                return self.tag(line).map(Some);
            }
        }
    }

    /// The text from here to the next tag, and the line where it begins.
    pub(super) fn text(&mut self) -> (&'a [u8], usize) {
        let (from, line) = (self.at, self.line);
        self.skip_to(b"<");
        (&self.bytes[from..self.at], line)
    }

    fn tag(&mut self, line: usize) -> Result<Event<'a>, LineError> {
        let from = self.at + 1;
        let broken = || LineError::new(line, "a tag that does not end, or is not text");
        let length = end_of_tag(&self.bytes[from..]).ok_or_else(broken)?;
        let inside = std::str::from_utf8(&self.bytes[from..from + length]).map_err(|_| broken())?;
        self.line += inside.matches('\n').count();
        self.at = from + length + 1;
        if let Some(name) = inside.strip_prefix('/') {
            return Ok(Event::Close(name.trim()));
        }
        let inside = inside.trim_end_matches('/');
        let (name, attributes) = inside.split_at(inside.find(char::is_whitespace).unwrap_or(inside.len()));
        Ok(Event::Open(Element { name, attributes, line }))
    }

    /// Moves to the next place of `mark`; to the end where there is none.
    fn skip_to(&mut self, mark: &[u8]) -> bool {
        let rest = &self.bytes[self.at..];
        let found = rest.windows(mark.len()).position(|window| window == mark);
        let skipped = &rest[..found.unwrap_or(rest.len())];
        self.line += skipped.iter().filter(|byte| **byte == b'\n').count();
        self.at += skipped.len();
        found.is_some()
    }
}

/// The length of a tag up to its `>`, which may stand in quotes before.
fn end_of_tag(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    bytes.iter().position(|&byte| {
        match quote {
            Some(open) if byte == open => quote = None,
            None if byte == b'"' || byte == b'\'' => quote = Some(byte),
            _ => {}
        }
        byte == b'>' && quote.is_none()
    })
}

impl<'a> Element<'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        loop {
            let (key, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| *c == '"' || *c == '\'')?;
            let (value, left) = after[1..].split_once(quote)?;
            if key.trim() == name {
                return Some(value);
            }
            rest = left;
        }
    }

    pub(super) fn need(&self, name: &str) -> Result<&'a str, LineError> {
        let missing = || LineError::new(self.line, format!("<{}> has no {name}", self.name));
        self.attribute(name).ok_or_else(missing)
    }
}
