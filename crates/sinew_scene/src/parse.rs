//! From text to a checked scene.

use crate::model::Scene;
use crate::problem::{Problem, SceneError};
use crate::tree::Node;

impl Scene {
    /// Reads a scene from TOML. `file` is what problems call the text.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, SceneError> {
        let read = || {
            let tree = Node::from_toml(text).map_err(|problem| vec![problem])?;
            from_tree(&tree)
        };
        read().map_err(|problems| SceneError::new(file, text, problems))
    }
}

pub(crate) fn from_tree(tree: &Node) -> Result<Scene, Vec<Problem>> {
    serde_json::from_value(tree.to_json()).map_err(|error| vec![Problem::new(&[], error.to_string())])
}
