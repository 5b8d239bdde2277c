//! A scene that is being edited: the user's own text, the scene it means, and the history of edits.
//!
//! The rules are numbered in `SPEC.md` (D, E, U) and quoted by the tests.

mod change;
mod command;
mod copy;
mod edit;
mod file;
mod keys;
mod locate;
mod overwrite;
mod path;

pub use change::TextChange;
pub use command::Command;
pub use file::{write_atomically, write_in};

use crate::model::Scene;
use crate::parse::{Parsed, parse, parse_with_tree};
use crate::problem::{Problem, SceneError};
use crate::tree::Node;
use file::Place;
use std::path::PathBuf;
use toml_edit::DocumentMut;

/// An open scene.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    scene: Scene,
    /// What problems call the text.
    file: String,
    path: Option<PathBuf>,
    /// Where it is saved without following links; none where the user named a file.
    place: Option<Place>,
    saved: Option<String>,
    /// The steps that brought an older file to the present version.
    migrated: Vec<&'static str>,
    undo: Vec<Edit>,
    redo: Vec<Edit>,
    gesture: Option<Gesture>,
}

/// One step of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub label: String,
    pub change: TextChange,
}

/// A drag that is under way: nothing is recorded before it ends.
#[derive(Debug, Clone)]
struct Gesture {
    label: String,
    before: String,
    scene_before: Scene,
}

impl Document {
    /// Reads a scene. `file` is what problems call the text.
    pub fn parse(text: &str, file: &str) -> Result<Self, SceneError> {
        let Parsed { scene, migrated } = parse(text, file)?;
        let (text, migrated) = migrated.map_or((text.to_owned(), Vec::new()), |done| (done.text, done.steps));
        Ok(Self {
            text,
            scene,
            file: file.to_owned(),
            path: None,
            place: None,
            saved: None,
            migrated,
            undo: Vec::new(),
            redo: Vec::new(),
            gesture: None,
        })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The names of the steps that brought an older file to the present version.
    pub fn migrated(&self) -> &[&'static str] {
        &self.migrated
    }

    /// Carries out a command as one step of the history. Where the scene would no longer be valid, nothing changes.
    pub fn apply(&mut self, command: &Command) -> Result<Edit, SceneError> {
        if let Some(gesture) = &self.gesture {
            let message = format!("{:?} is still under way", gesture.label);
            return Err(self.refuse("commit or cancel it first", message));
        }
        let (text, scene) = self.edited(&self.text, command)?;
        let edit = Edit { label: command.label(), change: TextChange::between(&self.text, &text) };
        (self.text, self.scene) = (text, scene);
        self.record(edit.clone());
        Ok(edit)
    }

    /// Puts another text in the place of this one, as one step of the history.
    pub fn replace(&mut self, label: &str, text: &str) -> Result<(), SceneError> {
        if let Some(gesture) = &self.gesture {
            let message = format!("{:?} is still under way", gesture.label);
            return Err(self.refuse("commit or cancel it first", message));
        }
        let Parsed { scene, migrated } = parse(text, &self.file)?;
        let text = migrated.map_or_else(|| text.to_owned(), |done| done.text);
        let edit = Edit { label: label.to_owned(), change: TextChange::between(&self.text, &text) };
        (self.text, self.scene) = (text, scene);
        self.record(edit);
        Ok(())
    }

    /// Begins a gesture: previews follow, then one commit or cancel.
    pub fn begin(&mut self, label: &str) -> Result<(), SceneError> {
        if let Some(gesture) = &self.gesture {
            let message = format!("{:?} is still under way", gesture.label);
            return Err(self.refuse("commit or cancel it first", message));
        }
        self.gesture =
            Some(Gesture { label: label.into(), before: self.text.clone(), scene_before: self.scene.clone() });
        Ok(())
    }

    /// Shows what a command would do to the scene as it was when the gesture began. A refused one leaves the last
    /// preview in place.
    pub fn preview(&mut self, command: &Command) -> Result<(), SceneError> {
        let Some(gesture) = &self.gesture else { return Err(self.no_gesture()) };
        let (text, scene) = self.edited(&gesture.before, command)?;
        (self.text, self.scene) = (text, scene);
        Ok(())
    }

    /// Ends the gesture with what was last previewed: one step of the history, or none if nothing changed.
    pub fn commit(&mut self) -> Result<Option<Edit>, SceneError> {
        let Some(gesture) = self.gesture.take() else { return Err(self.no_gesture()) };
        let edit = Edit { label: gesture.label, change: TextChange::between(&gesture.before, &self.text) };
        self.record(edit.clone());
        Ok((!edit.change.is_nothing()).then_some(edit))
    }

    /// Ends the gesture and leaves everything as it was before.
    pub fn cancel(&mut self) -> Result<(), SceneError> {
        let Some(gesture) = self.gesture.take() else { return Err(self.no_gesture()) };
        (self.text, self.scene) = (gesture.before, gesture.scene_before);
        Ok(())
    }

    /// Takes the last step back; its label, or none where there is nothing to undo (or a gesture is under way).
    pub fn undo(&mut self) -> Option<String> {
        self.travel(true)
    }

    /// Takes an undone step again.
    pub fn redo(&mut self) -> Option<String> {
        self.travel(false)
    }

    /// Labels of what can be undone, the last step last.
    pub fn undo_labels(&self) -> impl Iterator<Item = &str> {
        self.undo.iter().map(|edit| edit.label.as_str())
    }

    /// Labels of what can be redone, the next step last.
    pub fn redo_labels(&self) -> impl Iterator<Item = &str> {
        self.redo.iter().map(|edit| edit.label.as_str())
    }

    fn travel(&mut self, back: bool) -> Option<String> {
        if self.gesture.is_some() {
            return None;
        }
        let edit = if back { self.undo.last() } else { self.redo.last() }?.clone();
        let text = if back { edit.change.undone(&self.text) } else { edit.change.redone(&self.text) };
        // Every text of the history was valid when it was made.
        let scene = parse(&text, &self.file).ok()?.scene;
        (self.text, self.scene) = (text, scene);
        let (from, to) = if back { (&mut self.undo, &mut self.redo) } else { (&mut self.redo, &mut self.undo) };
        to.extend(from.pop());
        Some(edit.label)
    }

    fn record(&mut self, edit: Edit) {
        if !edit.change.is_nothing() {
            self.undo.push(edit);
            self.redo.clear();
        }
    }

    /// What `command` makes of `text`, checked.
    fn edited(&self, text: &str, command: &Command) -> Result<(String, Scene), SceneError> {
        let refuse = |problem: Problem| SceneError::new(&self.file, "", vec![problem]);
        let mut document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| refuse(Problem::new(&[], error.message())))?;
        edit::edit(&mut document, command).map_err(refuse)?;
        let edited = with_line_ends_of(text, document.to_string());
        let (parsed, written) = parse_with_tree(&edited, &self.file)?;
        // What was written must be what was meant, whatever way the user's tables are laid out.
        // (JSON compares tables whatever the order of their keys, which headers may change.)
        let meant = Node::from_document(&document).to_json();
        if written.to_json() != meant {
            let help = "write the tables around it with headers of their own, in order";
            return Err(refuse(Problem::new(&[], "this edit does not fit the layout of the file").with_help(help)));
        }
        Ok((edited, parsed.scene))
    }

    fn no_gesture(&self) -> SceneError {
        self.refuse("begin one first", "no gesture is under way".into())
    }

    fn refuse(&self, help: &str, message: String) -> SceneError {
        SceneError::without_place(&self.file, message, Some(help.into()))
    }
}

/// The writer ends lines with \n; a file that ended them with \r\n keeps doing so.
fn with_line_ends_of(original: &str, text: String) -> String {
    if original.contains("\r\n") { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text }
}
