//! Scenes and models that come with sinew. The scenes are the files of `/examples`, so that they can be read, copied
//! and changed.

use crate::schema;
use serde_json::Value;

/// A built-in scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Builtin {
    pub name: &'static str,
    /// One line on what it shows: the file's first comment.
    pub about: &'static str,
    pub toml: &'static str,
}

macro_rules! builtins {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin::from_text($name, include_str!(concat!("../../../examples/", $name, ".toml")))),*]
    };
}

static SCENES: &[Builtin] = builtins![
    "jellyfish",
    "jellyfish-school",
    "worm-crawl",
    "worm-bend",
    "worm-stiffness",
    "worms",
    "snake",
    "heart",
    "bowel",
    "bar-pin",
    "bar-goal",
    "bar-force",
    "bar-stretch",
    "bar-bend",
    "bar-wave",
    "cantilever",
    "bar-rest",
    "bar-path",
    "bounce",
    "hop",
    "letter",
    "crowd-hop",
    "bar-soft",
    "bar-joint",
    "bar-drag",
    "bar-drop",
    "cylinder-bend",
    "cylinder-compress",
    "local-twist",
    "local-stretch",
    "rabbit",
    "dragon",
    "cloth-bend",
    "misaligned",
    "cloth-drape",
    "cloth-drop",
    "lattice-wobble",
    "snail-touch",
    "torture",
    "pile",
];

/// All built-in scenes, the one to open first in front.
pub fn scenes() -> &'static [Builtin] {
    SCENES
}

/// The built-in scene of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// A built-in model, for `skin = { model = … }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinModel {
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
}

/// All built-in models.
pub fn models() -> Vec<BuiltinModel> {
    let kinds = schema::shared()["$defs"]["Model"]["oneOf"].as_array().map_or(&[][..], Vec::as_slice);
    let model = |kind: &'static Value| {
        let name = kind["properties"]["model"]["const"].as_str()?;
        Some(BuiltinModel { name, about: kind["description"].as_str()? })
    };
    kinds.iter().filter_map(model).collect()
}

impl Builtin {
    const fn from_text(name: &'static str, toml: &'static str) -> Self {
        Self { name, about: first_comment(toml), toml }
    }
}

/// What follows `# ` on the first line.
const fn first_comment(toml: &'static str) -> &'static str {
    let bytes = toml.as_bytes();
    assert!(bytes.len() > 2 && bytes[0] == b'#' && bytes[1] == b' ', "a built-in scene begins with a comment");
    let mut end = 2;
    while end < bytes.len() && bytes[end] != b'\n' && bytes[end] != b'\r' {
        end += 1;
    }
    toml.split_at(2).1.split_at(end - 2).0
}
