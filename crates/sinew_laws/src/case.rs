//! A case: a scene, what a hand does to it while it runs, and which of its twins it is held against. As text it is a plain scene file; what a
//! scene cannot say stands in comments at its head, `#! key = value`.

use crate::Twin;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sinew_scene::{Scene, Skin};
use std::fmt::Write;
use toml_edit::{DocumentMut, Item};

#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What kind of scene it was drawn as; for tables, no law looks at it.
    pub family: String,
    pub scene: Scene,
    pub tugs: Vec<Tug>,
    pub twin: Option<Twin>,
}

/// A hand that holds a body at a point and pulls it somewhere, from one frame to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tug {
    pub body: String,
    /// In rest coordinates.
    pub at: [f64; 3],
    /// In the world.
    pub to: [f64; 3],
    pub frames: [i32; 2],
}

/// What stands in the comments.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Head {
    family: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    twin: Option<Twin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tug: Vec<Tug>,
}

/// What begins a line of the head.
const MARK: &str = "#! ";

impl Case {
    pub fn from_text(text: &str, file: &str) -> Result<Self> {
        let head: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(MARK)).collect();
        let head: Head = toml::from_str(&head.join("\n")).with_context(|| format!("the head of {file}"))?;
        let scene = Scene::from_toml(text, file)?;
        Ok(Self { family: head.family, scene, tugs: head.tug, twin: head.twin })
    }

    /// Whether it needs files of meshes beside its own.
    pub fn has_meshes(&self) -> bool {
        self.meshes().next().is_some()
    }

    /// The mesh files that it names.
    pub fn meshes(&self) -> impl Iterator<Item = &str> {
        self.scene.bodies.iter().filter_map(|body| match &body.skin {
            Skin::Mesh(skin) => Some(&*skin.mesh),
            _ => None,
        })
    }

    /// A scene file without what a reader can leave out.
    pub fn to_text(&self) -> String {
        let head = Head { family: self.family.clone(), twin: self.twin, tug: self.tugs.clone() };
        let head = toml::to_string(&head).unwrap_or_default();
        let mut text = String::new();
        for line in head.lines().filter(|line| !line.is_empty()) {
            let _ = writeln!(text, "{MARK}{line}");
        }
        text + &lean_toml(&self.scene)
    }
}

/// The scene's TOML with every key left out that is not needed to read the same scene back.
fn lean_toml(scene: &Scene) -> String {
    let full = scene.to_toml();
    let Ok(mut document) = full.parse::<DocumentMut>() else { return full };
    let mut kept = vec![Vec::new()];
    // Tables are looked at before what is in them: a default table goes as a whole.
    while let Some(path) = kept.pop() {
        for key in keys_at(document.as_item(), &path) {
            let mut longer = path.clone();
            longer.push(key);
            let mut without = document.clone();
            remove(without.as_item_mut(), &longer);
            let text = without.to_string();
            let is_the_same = || Scene::from_toml(&text, "").is_ok_and(|read| read == *scene);
            if text != document.to_string() && is_the_same() {
                document = without;
            } else {
                kept.push(longer);
            }
        }
    }
    document.to_string().trim_start().to_owned()
}

/// Keys of a table, or numbers of a list of tables.
fn keys_at(item: &Item, path: &[String]) -> Vec<String> {
    let Some((first, rest)) = path.split_first() else {
        return match item {
            Item::ArrayOfTables(tables) => (0..tables.len()).map(|number| number.to_string()).collect(),
            other => other.as_table_like().map_or_else(Vec::new, |t| t.iter().map(|(key, _)| key.to_owned()).collect()),
        };
    };
    match item {
        Item::ArrayOfTables(tables) => {
            let number: usize = first.parse().unwrap_or(0);
            let Some(table) = tables.get(number) else { return Vec::new() };
            keys_at(&Item::Table(table.clone()), rest)
        }
        other => other.get(first.as_str()).map_or_else(Vec::new, |inner| keys_at(inner, rest)),
    }
}

/// Takes a key out of its table. Members of lists stay: they are never defaults.
fn remove(item: &mut Item, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    if let Item::ArrayOfTables(tables) = item {
        let Some(table) = first.parse().ok().and_then(|number: usize| tables.get_mut(number)) else { return };
        match rest {
            [] => {}
            [key] => drop(table.remove(key)),
            [key, rest @ ..] => {
                if let Some(inner) = table.get_mut(key) {
                    remove(inner, rest);
                }
            }
        }
    } else if let Some(table) = item.as_table_like_mut() {
        match rest {
            [] => drop(table.remove(first)),
            rest => {
                if let Some(inner) = table.get_mut(first) {
                    remove(inner, rest);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_survives_its_text_and_says_no_more_than_needed() {
        let text = "sinew = 1\n[[body]]\nname = \"b\"\nskin = { model = \"bar\" }\nmaterial = { young_pa = 3.0 }\n\
                    [[obstacle]]\nshape = \"plane\"\n";
        let scene = Scene::from_toml(text, "t").unwrap();
        let tug = Tug { body: "b".into(), at: [0.1, 0.0, 0.0], to: [1.0, 2.0, 3.0], frames: [3, 9] };
        let case = Case { family: "hand".into(), scene, tugs: vec![tug], twin: Some(Twin::Moved) };
        let written = case.to_text();
        assert_eq!(Case::from_text(&written, "w").unwrap(), case);
        assert!(!written.contains("camera") && !written.contains("fps"), "{written}");
        assert!(written.contains("young_pa") && !written.contains("preset"), "{written}");
    }
}
