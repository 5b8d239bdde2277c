//! Words, strings and signs of a USDA layer, each with its line.

use crate::LineError;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// A name with its namespaces and fields (`points.timeSamples`), or a keyword.
    Word(&'a str),
    Number(f64),
    /// Between quotes, escapes left as they are.
    Text(&'a str),
    /// `@asset@` or `</path>`.
    Other,
    Sign(u8),
}

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Of the token that was read last.
    pub(super) line: usize,
    next_line: usize,
    peeked: Option<Option<(Token<'a>, usize)>>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, next_line: 1, peeked: None }
    }

    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, LineError> {
        let read = match self.peeked.take() {
            Some(peeked) => peeked,
            None => self.read()?,
        };
        Ok(read.map(|(token, line)| {
            self.line = line;
            token
        }))
    }

    /// The next token and its line, left in place.
    pub(super) fn peek(&mut self) -> Result<Option<(Token<'a>, usize)>, LineError> {
        match self.peeked {
            Some(peeked) => Ok(peeked),
            None => {
                let read = self.read()?;
                self.peeked = Some(read);
                Ok(read)
            }
        }
    }

    /// The next token, which must be there.
    pub(super) fn need(&mut self, what: &str) -> Result<Token<'a>, LineError> {
        self.next()?.ok_or_else(|| LineError::new(self.line, format!("the file ends where {what} should stand")))
    }

    pub(super) fn expect(&mut self, sign: u8, what: &str) -> Result<(), LineError> {
        match self.need(what)? {
            Token::Sign(found) if found == sign => Ok(()),
            found => Err(LineError::new(self.line, format!("expected {:?} for {what}, found {found:?}", sign as char))),
        }
    }

    /// Passes over one value: a bracketed whole, or a single token.
    pub(super) fn skip_value(&mut self) -> Result<(), LineError> {
        let mut depth = 0usize;
        loop {
            match self.need("a value")? {
                Token::Sign(b'(' | b'[' | b'{') => depth += 1,
                Token::Sign(b')' | b']' | b'}') => {
                    let unopened = || LineError::new(self.line, "a bracket is closed that was not opened");
                    depth = depth.checked_sub(1).ok_or_else(unopened)?;
                }
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn read(&mut self) -> Result<Option<(Token<'a>, usize)>, LineError> {
        self.skip_blank();
        let line = self.next_line;
        let Some(&first) = self.bytes.get(self.at) else { return Ok(None) };
        let token = match first {
            b'"' | b'\'' => Token::Text(self.quoted(first)?),
            b'@' => self.until(b'@')?,
            b'<' => self.until(b'>')?,
            b'0'..=b'9' | b'-' | b'+' | b'.' => self.number()?,
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                Token::Word(self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.')))
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'=' | b',' | b';' | b':' | b'&' => {
                self.at += 1;
                Token::Sign(first)
            }
            _ => return Err(LineError::new(line, format!("a byte {first:#04x} that has no meaning here"))),
        };
        Ok(Some((token, line)))
    }

    fn skip_blank(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.next_line += 1,
                b'#' => {
                    let rest = &self.bytes[self.at..];
                    self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn run(&mut self, belongs: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
        self.at += length;
        // Only ASCII belongs to any of the runs.
        std::str::from_utf8(&rest[..length]).unwrap_or_default()
    }

    fn number(&mut self) -> Result<Token<'a>, LineError> {
        let text = self.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        crate::text::number(text, self.next_line).map(Token::Number)
    }

    /// Between one or three quotes.
    fn quoted(&mut self, quote: u8) -> Result<&'a str, LineError> {
        let line = self.next_line;
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        let marks = if triple { 3 } else { 1 };
        let from = self.at + marks;
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            if byte == b'\\' {
                at += 2;
                continue;
            }
            if byte == quote && (!triple || self.bytes[at..].starts_with(&[quote; 3])) {
                let inside = &self.bytes[from..at];
                self.next_line += inside.iter().filter(|byte| **byte == b'\n').count();
                self.at = at + marks;
                return std::str::from_utf8(inside).map_err(|_| LineError::new(line, "a string that is not UTF-8"));
            }
            at += 1;
        }
        Err(LineError::new(line, "a string that does not end"))
    }

    fn until(&mut self, end: u8) -> Result<Token<'a>, LineError> {
        let rest = &self.bytes[self.at + 1..];
        let length = rest.iter().position(|byte| *byte == end || *byte == b'\n').filter(|at| rest[*at] == end);
        let length = length.ok_or_else(|| LineError::new(self.next_line, format!("{:?} is missing", end as char)))?;
        self.at += length + 2;
        Ok(Token::Other)
    }
}
