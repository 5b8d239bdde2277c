//! What is wrong with a scene, where, and what would be right; and the one way it is printed.

use crate::conform::MOST_PROBLEMS;
use serde::Serialize;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::sync::Arc;

/// One step of the way to a value in a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    Key(String),
    Index(usize),
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
    /// The value it is about, such as `body[0].solver.iterations`.
    pub path: String,
    /// Bytes of the text it is about.
    pub span: Option<Range<usize>>,
    /// Line and column from 1, columns in characters.
    pub line: Option<u32>,
    pub column: Option<u32>,
}

/// Everything found wrong with a scene. Displays with the lines of the source underlined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneError {
    /// The file, or the name of what was read.
    pub file: String,
    pub problems: Vec<Problem>,
    #[serde(skip)]
    text: Arc<str>,
}

impl Problem {
    pub fn new(path: &[Step], message: impl Into<String>) -> Self {
        let path = path_text(path);
        Self { message: message.into(), help: None, path, span: None, line: None, column: None }
    }

    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn with_span(mut self, span: Option<Range<usize>>) -> Self {
        self.span = span;
        self
    }
}

/// A path as people write it: `body[0].director[1].newton`.
pub fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

impl SceneError {
    /// Problems with their lines and columns counted, in the order of the text.
    pub fn new(file: impl Into<String>, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        // One pass over the text: a file of another kind can have as many problems as lines.
        let mut places = Places::new(text);
        for problem in &mut problems {
            let Some(span) = &problem.span else { continue };
            let (line, column) = places.advance_to(span.start);
            (problem.line, problem.column) = (Some(line), Some(column));
        }
        problems.dedup();
        Self { file: file.into(), problems, text: text.into() }
    }

    /// One problem that is about no place in the text.
    pub fn without_place(file: impl Into<String>, message: impl Into<String>, help: Option<String>) -> Self {
        let problem = Problem { help, ..Problem::new(&[], message) };
        Self { file: file.into(), problems: vec![problem], text: "".into() }
    }
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A file of another kind can have thousands of problems; nobody reads them all.
        const SHOWN: usize = 25;
        for (i, problem) in self.problems.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_char('\n')?;
            }
            render(f, &self.file, &self.text, problem)?;
        }
        match self.problems.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more if self.problems.len() < MOST_PROBLEMS => writeln!(f, "\nand {more} more problems"),
            more => writeln!(f, "\nand {more} more problems at least"),
        }
    }
}

/// `file:line:column: message`, the line, its underline, the help.
fn render(f: &mut fmt::Formatter<'_>, file: &str, text: &str, problem: &Problem) -> fmt::Result {
    match (problem.line, problem.column, &problem.span) {
        (Some(line), Some(column), Some(span)) => {
            writeln!(f, "{file}:{line}:{column}: {}", problem.message)?;
            underline(f, text, line as usize, column as usize, span)?;
        }
        _ if problem.path.is_empty() => writeln!(f, "{file}: {}", problem.message)?,
        _ => writeln!(f, "{file}: {}: {}", problem.path, problem.message)?,
    }
    match &problem.help {
        Some(help) => writeln!(f, "  help: {help}"),
        None => Ok(()),
    }
}

fn underline(f: &mut fmt::Formatter<'_>, text: &str, line: usize, column: usize, span: &Range<usize>) -> fmt::Result {
    /// Lines longer than this are shown only around what is underlined.
    const WIDTH: usize = 110;
    let source: Vec<char> = text.lines().nth(line - 1).unwrap_or("").chars().collect();
    let spanned = text.get(span.clone()).unwrap_or("").lines().next().unwrap_or("").chars().count();
    let start = column - 1;
    let length = spanned.clamp(1, source.len().saturating_sub(start).max(1)).min(WIDTH);
    let first = if source.len() <= WIDTH { 0 } else { start.saturating_sub(WIDTH / 3).min(source.len() - WIDTH) };
    // A tab is shown as one space, so that the underline stays below what it means.
    let shown: String = source.iter().skip(first).take(WIDTH).map(|c| if c.is_control() { ' ' } else { *c }).collect();
    let carets = "^".repeat(length.min(WIDTH.saturating_sub(start - first)).max(1));
    let gutter = line.to_string();
    let blank = " ".repeat(gutter.len());
    writeln!(f, " {gutter} | {}", shown.trim_end())?;
    writeln!(f, " {blank} | {}{carets}", " ".repeat(start - first))
}

/// Lines and columns of rising places.
struct Places<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    column: u32,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    fn advance_to(&mut self, to: usize) -> (u32, u32) {
        let to = (0..=to.min(self.text.len())).rev().find(|i| self.text.is_char_boundary(*i)).unwrap_or(0);
        let passed = &self.text[self.at.min(to)..to];
        match passed.rfind('\n') {
            Some(last) => {
                self.line += passed.matches('\n').count() as u32;
                self.column = passed[last + 1..].chars().count() as u32 + 1;
            }
            None => self.column += passed.chars().count() as u32,
        }
        self.at = self.at.max(to);
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_place_line_underline_and_help() {
        let text = "sinew = 1\n[scene]\nsubstepz = 4\n";
        let start = text.find("substepz").unwrap();
        let problem =
            Problem::new(&[Step::Key("scene".into()), Step::Key("substepz".into())], "unknown key `substepz`")
                .with_help("did you mean `substeps`?")
                .with_span(Some(start..start + 8));
        let error = SceneError::new("wobble.toml", text, vec![problem]);
        assert_eq!(
            error.to_string(),
            "wobble.toml:3:1: unknown key `substepz`\n 3 | substepz = 4\n   | ^^^^^^^^\n  help: did you mean `substeps`?\n"
        );
    }

    #[test]
    fn columns_count_characters_and_long_lines_are_cut_around_the_place() {
        let text = format!("a = \"{}é\" # {}", "x".repeat(300), "y".repeat(300));
        let start = text.find('é').unwrap();
        let error = SceneError::new("t", &text, vec![Problem::new(&[], "bad").with_span(Some(start..start + 2))]);
        let printed = error.to_string();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(error.problems[0].column, Some(306));
        let caret = lines[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[1].chars().nth(caret), Some('é'));
        assert!(lines[1].chars().count() < 130);
    }

    #[test]
    fn a_place_past_the_end_does_not_panic() {
        for at in [0, 3, 4, 99] {
            let error = SceneError::new("t", "é\na", vec![Problem::new(&[], "bad").with_span(Some(at..at + 5))]);
            assert!(error.to_string().contains('^'));
        }
    }
}
