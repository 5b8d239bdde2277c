//! The one renderer of errors: what, why, and what would be right.

use serde_json::{Value, json};
use sinew::bake::keys::KeyError;
use sinew::bake::project::ProjectError;
use sinew::bake::take::TakeError;
use sinew::bake::{BakeError, BuildError, PlaybackError};
use sinew::film::FilmError;
use sinew::io::ReadError;
use sinew::io::disk::{OutputError, remedy_behind};
use sinew::scene::SceneError;
use std::error::Error;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    causes: Vec<String>,
    help: Option<String>,
    /// Problems of a scene, with their places.
    problems: Option<Value>,
    wrong_usage: bool,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            causes: Vec::new(),
            help: Some(help.into()),
            problems: None,
            wrong_usage: false,
        }
    }

    /// The command line itself was wrong.
    pub(crate) fn usage(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { wrong_usage: true, ..Self::new(message, help) }
    }

    /// The same, said of a file.
    pub(crate) fn of_file(self, file: &str) -> Self {
        Self { message: format!("{file}: {}", self.message), ..self }
    }

    /// The same, as a fault of the command line.
    pub(crate) fn of_usage(self) -> Self {
        Self { wrong_usage: true, ..self }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        if self.wrong_usage { 2 } else { 1 }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": self.message, "causes": self.causes, "help": self.help, "problems": self.problems })
    }

    pub(crate) fn to_text(&self) -> String {
        const MOST_CHARS: usize = 4000;
        let mut text = format!("error: {}", shown(self.message.trim_end(), MOST_CHARS));
        for cause in &self.causes {
            text.push_str(&format!("\n  because: {}", shown(cause, MOST_CHARS)));
        }
        if let Some(help) = &self.help {
            text.push_str(&format!("\n  help: {}", shown(help, MOST_CHARS)));
        }
        text
    }
}

/// Text as a terminal may have it: files can hold control characters, which are shown as escapes, and names without end.
pub(crate) fn shown(text: &str, most_chars: usize) -> String {
    let mut shown = String::new();
    for (number, letter) in text.chars().enumerate() {
        if number == most_chars {
            shown.push('…');
            break;
        }
        match letter {
            '\n' | '\t' => shown.push(letter),
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown
}

impl<E: Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let error: &(dyn Error + 'static) = &error;
        let message = error.to_string();
        let mut causes = Vec::new();
        let mut below = error.source();
        while let Some(cause) = below {
            let text = cause.to_string();
            if !message.contains(&text) {
                causes.push(text);
            }
            below = cause.source();
        }
        let problems = error.downcast_ref::<SceneError>().and_then(|error| serde_json::to_value(&error.problems).ok());
        let wrong_usage = matches!(error.downcast_ref(), Some(FilmError::Asked { .. }));
        Self { message, causes, help: help_of(error), problems, wrong_usage }
    }
}

fn help_of(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<OutputError>() {
        return Some(error.help().to_owned());
    }
    if let Some(error) = error.downcast_ref::<ProjectError>() {
        return error.help().map(str::to_owned);
    }
    if let Some(error) = error.downcast_ref::<FilmError>() {
        return error.help().map(str::to_owned);
    }
    if let Some(error) = error.downcast_ref::<ReadError>() {
        return Some(error.help().to_owned());
    }
    if let Some(error) = error.downcast_ref::<KeyError>() {
        return Some(error.help().to_owned());
    }
    let help = None
        .or_else(|| error.downcast_ref::<BuildError>().and_then(BuildError::help))
        .or_else(|| error.downcast_ref::<BakeError>().and_then(BakeError::help))
        .or_else(|| error.downcast_ref::<PlaybackError>().and_then(PlaybackError::help))
        .or_else(|| error.downcast_ref::<TakeError>().and_then(TakeError::help))
        .or_else(|| remedy_behind(error));
    help.map(str::to_owned)
}
