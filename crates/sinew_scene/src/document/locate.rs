//! Problems that are found after a scene was read, such as a mesh that is not there, shown at their line all the same.

use super::Document;
use super::path::{find, resolve, resolve_nearest};
use crate::problem::{Problem, SceneError, path_text};
use crate::tree::Node;

impl SceneError {
    /// A problem with the value at `path` (as commands write paths) of the scene `text`. Where that value is not
    /// written down, the nearest one around it is shown.
    pub fn at_path(file: &str, text: &str, path: &str, message: impl Into<String>, help: Option<String>) -> Self {
        let tree = Node::from_toml(text);
        let steps = tree.as_ref().map(|tree| resolve_nearest(tree, path)).unwrap_or_default();
        let span = tree.ok().and_then(|tree| tree.span_of(&steps)).filter(|_| !steps.is_empty());
        let path = if steps.is_empty() { path.to_owned() } else { path_text(&steps) };
        let problem = Problem { help, path, ..Problem::new(&[], message).with_span(span) };
        Self::new(file, text, vec![problem])
    }
}

impl Document {
    /// Whether the value at `path` is written down, and not left to what it is without.
    pub fn is_written(&self, path: &str) -> bool {
        let tree = Node::from_toml(&self.text).ok();
        tree.is_some_and(|tree| resolve(&tree, path).is_ok_and(|steps| find(&tree, &steps).is_some()))
    }

    /// A problem with the value at `path` of this scene.
    pub fn problem_at(&self, path: &str, message: impl Into<String>, help: Option<String>) -> SceneError {
        SceneError::at_path(&self.file, &self.text, path, message, help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "sinew = 1\n[[body]]\nname = \"a\"\nskin = { mesh = \"a.obj\" }\n";

    fn line(path: &str) -> (Option<u32>, String) {
        let error = SceneError::at_path("t.toml", TEXT, path, "not there", None);
        (error.problems[0].line, error.problems[0].path.clone())
    }

    #[test]
    fn what_is_left_out_is_not_written() {
        let text = "sinew = 1\n[[body]]\nname = \"a\"\nskin = { model = \"bar\" }\n";
        let mut document = Document::parse(text, "t.toml").unwrap();
        assert!(document.is_written("body.a.skin.model") && document.is_written("body.a"));
        assert!(!document.is_written("body.a.scale") && !document.is_written("body.b.skin"));
        let set = crate::Command::Set { path: "body.a.scale".into(), value: 1.0.into() };
        document.apply(&set).unwrap();
        assert!(document.is_written("body.a.scale"), "also where it says nothing new");
        document.undo();
        assert!(!document.is_written("body.a.scale"));
    }

    #[test]
    fn p10_a_later_problem_is_shown_at_the_nearest_value_there_is() {
        assert_eq!(line("body.a.skin.mesh"), (Some(4), "body[0].skin.mesh".into()));
        assert_eq!(line("body.a.flesh.kind"), (Some(2), "body[0]".into()));
        assert_eq!(line("body.a.skin.parts[0]"), (Some(4), "body[0].skin".into()));
        assert_eq!(line("body.b.at"), (Some(2), "body".into()));
        assert_eq!(line("camera.eye"), (None, "camera.eye".into()));
    }
}
