//! From text to a checked scene: syntax, version, shape, types, meaning, in that order.

use crate::check::check;
use crate::conform::conform;
use crate::migrations::{self, Migrated};
use crate::model::Scene;
use crate::problem::{Problem, SceneError};
use crate::schema;
use crate::tree::Node;
use serde_json::Value;

/// A scene that was read, and what was done to its text where it was of an older version.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub scene: Scene,
    pub migrated: Option<Migrated>,
}

impl Scene {
    /// Reads a scene from TOML. `file` is what problems call the text.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, SceneError> {
        parse(text, file).map(|parsed| parsed.scene)
    }

    /// Reads a scene from JSON of the same shape.
    pub fn from_json(value: &Value) -> Result<Self, SceneError> {
        let tree = Node::from_json(value);
        let version = migrations::to_present("", &tree).map_err(|problem| vec![problem]);
        let read = version.and_then(|_| from_tree(&tree));
        read.map_err(|problems| SceneError::new("scene", "", without_spans(problems)))
    }

    /// The scene as JSON.
    pub fn to_json(&self) -> Value {
        // Only maps with keys that are no texts cannot be JSON, and a scene has none.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

pub(crate) fn parse(text: &str, file: &str) -> Result<Parsed, SceneError> {
    parse_with_tree(text, file).map(|(parsed, _)| parsed)
}

/// The scene, and the tree it was read from.
pub(crate) fn parse_with_tree(text: &str, file: &str) -> Result<(Parsed, Node), SceneError> {
    let refuse = |text: &str, problems: Vec<Problem>| SceneError::new(file, text, problems);
    let tree = Node::from_toml(text).map_err(|problem| refuse(text, vec![problem]))?;
    let migrated = migrations::to_present(text, &tree).map_err(|problem| refuse(text, vec![problem]))?;
    let Some(migrated) = migrated else {
        let scene = from_tree(&tree).map_err(|problems| refuse(text, problems))?;
        return Ok((Parsed { scene, migrated: None }, tree));
    };
    // From here on problems are shown in the new text: it is what the rules of this version are about.
    let tree = Node::from_toml(&migrated.text).map_err(|problem| refuse(&migrated.text, vec![problem]))?;
    let scene = from_tree(&tree).map_err(|problems| refuse(&migrated.text, problems))?;
    Ok((Parsed { scene, migrated: Some(migrated) }, tree))
}

fn from_tree(tree: &Node) -> Result<Scene, Vec<Problem>> {
    let problems = conform(tree, schema::shared());
    if !problems.is_empty() {
        return Err(problems);
    }
    let scene: Scene = serde_json::from_value(tree.to_json())
        .map_err(|error| vec![Problem::new(&[], error.to_string()).with_span(tree.span.clone())])?;
    let problems = check(&scene);
    if problems.is_empty() {
        return Ok(scene);
    }
    Err(problems.into_iter().map(|(path, problem)| problem.with_span(tree.span_of(&path))).collect())
}

fn without_spans(problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().map(|problem| problem.with_span(None)).collect()
}
