//! Edits as values: the same from the page, the command line and tests.

use crate::model::Axis;
use crate::problem::{Problem, SceneError};
use crate::tree::Node;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An edit of a scene. Paths are written as `body.jelly.solver.iterations`: keys, names of bodies, directors and
/// obstacles, and indices from 0 in [ ].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Gives a key or list entry a value; tables on the way are made where they are missing.
    Set { path: String, value: Value },
    /// Takes a key away, so that it has its default again.
    Unset { path: String },
    /// Adds an entry to a list (`body`, `obstacle`, `body.jelly.director`), at the end or in front of `index`; or, with
    /// `name`, a set to `body.jelly.sets`.
    Add {
        to: String,
        value: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Removes a body, director, obstacle, set or list entry.
    Remove { path: String },
    /// Renames a body, director, obstacle or set; directors follow the sets they name.
    Rename { path: String, to: String },
    /// Gives a body the key shapes or the path of another one, or of itself, mirrored along an axis where one is given. A path is
    /// carried from where one body begins to where the other does. A director of the same name is replaced.
    CopyDirector {
        from: String,
        to: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mirror: Option<Axis>,
    },
    /// Puts a key into a curve or chart; a constant becomes a curve. A key that is already there gets the value.
    InsertKey {
        path: String,
        at: f64,
        value: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shape: Option<Value>,
    },
    /// Moves a key along the axis, and in value where one is given.
    MoveKey {
        path: String,
        from: f64,
        to: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<f64>,
    },
    /// Deletes a key; a curve's last one leaves a constant.
    DeleteKey { path: String, at: f64 },
    /// Several edits as one: all of them or none.
    Batch {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
        commands: Vec<Command>,
    },
}

impl Command {
    /// Reads `PATH=VALUE`, the value as in a scene file. A bare word is a text.
    pub fn parse_set(text: &str) -> Result<Self, SceneError> {
        const HELP: &str = "write PATH=VALUE, such as body.jelly.solver.iterations=3";
        let refuse = |message: String| SceneError::without_place("--set", message, Some(HELP.into()));
        let (path, value) = text.split_once('=').ok_or_else(|| refuse(format!("{text:?} has no `=`")))?;
        let (path, value) = (path.trim(), value.trim());
        super::path::split(path).map_err(|problem| refuse(problem.message))?;
        let is_word = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#')
            && value.chars().all(|c| c.is_ascii_alphanumeric() || "_-#".contains(c))
            && !["true", "false", "inf", "nan"].contains(&value);
        let value = if is_word {
            Value::from(value)
        } else {
            let tree = Node::from_toml(&format!("v = {value}")).map_err(|_| refuse(not_a_value(value)))?;
            let entry = tree.entry("v").ok_or_else(|| refuse(not_a_value(value)))?;
            // One value and nothing after it: a line break would smuggle in more keys.
            if !tree.has_one_entry() || !entry.value.is_finite() {
                return Err(refuse(not_a_value(value)));
            }
            entry.value.to_json()
        };
        Ok(Self::Set { path: path.to_owned(), value })
    }

    /// What it does, for the history.
    pub fn label(&self) -> String {
        match self {
            Self::Set { path, .. } => format!("set {path}"),
            Self::Unset { path } => format!("unset {path}"),
            Self::Add { to, name: Some(name), .. } => format!("add {to}.{name}"),
            Self::Add { to, value, .. } => match value.get("name").and_then(Value::as_str) {
                Some(name) => format!("add {to}.{name}"),
                None => format!("add to {to}"),
            },
            Self::Remove { path } => format!("remove {path}"),
            Self::Rename { path, to } => format!("rename {path} to {to}"),
            Self::CopyDirector { from, to, mirror: None } => format!("copy {from} to {to}"),
            Self::CopyDirector { from, to, mirror: Some(_) } => format!("mirror {from} to {to}"),
            Self::InsertKey { path, at, .. } => format!("key {path} at {at}"),
            Self::MoveKey { path, from, to, .. } if from == to => format!("change key {from} of {path}"),
            Self::MoveKey { path, from, to, .. } => format!("move key {from} of {path} to {to}"),
            Self::DeleteKey { path, at } => format!("delete key {at} of {path}"),
            Self::Batch { label: Some(label), .. } => label.clone(),
            Self::Batch { commands, .. } => match commands.first() {
                Some(first) => format!("{} and {} more", first.label(), commands.len() - 1),
                None => "nothing".into(),
            },
        }
    }
}

fn not_a_value(value: &str) -> String {
    let is_number = matches!(value.trim_start_matches(['+', '-']), "inf" | "nan");
    format!("{value:?} is not a value{}", if is_number { ": numbers are finite" } else { "" })
}

/// A problem that is about a command and no place in the text.
pub(super) fn refused(message: impl Into<String>, help: impl Into<String>) -> Problem {
    Problem::new(&[], message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn set_reads_values_as_a_scene_file_would() {
        for (text, value) in [
            ("a.b=3", json!(3)),
            ("a.b = 0.5", json!(0.5)),
            ("a.b=\"x = y\"", json!("x = y")),
            ("a.b=off", json!("off")),
            ("a.b=true", json!(true)),
            ("a.b=[[1, 0.0], [12, 1.0]]", json!([[1, 0.0], [12, 1.0]])),
            ("a.b={ kind = \"fem\" }", json!({ "kind": "fem" })),
            ("a.b=#ff8800", json!("#ff8800")),
        ] {
            assert_eq!(Command::parse_set(text).unwrap(), Command::Set { path: "a.b".into(), value }, "{text}");
        }
    }

    #[test]
    fn set_refuses_what_is_no_path_or_value() {
        for text in ["", "a", "=3", "a b=3", "a=", "a=[1", "a=1\nb=2", "a=nan", "a=[inf]", "a=two words"] {
            let error = Command::parse_set(text).unwrap_err().to_string();
            assert!(error.contains("PATH=VALUE"), "{text:?}: {error}");
        }
    }

    #[test]
    fn commands_travel_as_json() {
        let batch = json!({ "do": "batch", "commands": [
            { "do": "set", "path": "scene.fps", "value": 30 },
            { "do": "move_key", "path": "camera.fov_deg", "from": 1.0, "to": 5.0 },
        ] });
        let command: Command = serde_json::from_value(batch.clone()).unwrap();
        assert_eq!(serde_json::to_value(&command).unwrap(), batch);
        assert!(serde_json::from_value::<Command>(json!({ "do": "set", "path": "a", "valu": 1 })).is_err());
    }
}
