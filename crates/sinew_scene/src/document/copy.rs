//! Key shapes and paths copied from body to body, as they are or mirrored.
//!
//! A path is carried from where one body begins to where the other does: `x ↦ at_b + M (x − at_a)`. A mirror M along an axis turns
//! about what goes along that axis, and of turns what goes about the others. A key's shape is mirrored where it is read (`mirror`).

use super::Command;
use super::command::refused;
use super::edit::edit;
use super::path::{find, resolve};
use crate::model::Axis;
use crate::problem::{Problem, Step};
use crate::tree::Node;
use serde_json::{Value as Json, json};
use toml_edit::DocumentMut;

/// Gives the body at `to` the director at `from`; one of its name there is replaced.
pub(super) fn copy_director(
    document: &mut DocumentMut,
    from: &str,
    to: &str,
    mirror: Option<Axis>,
) -> Result<(), Problem> {
    let tree = Node::from_document(document);
    let steps = resolve(&tree, from)?;
    let is_director = matches!(&steps[..], [Step::Key(body), Step::Index(_), Step::Key(director), Step::Index(_)] if body == "body" && director == "director");
    if !is_director {
        return Err(refused(format!("{from} is no director of a body"), "name one, such as body.ball.director.shape"));
    }
    let target = resolve(&tree, to)?;
    if !matches!(&target[..], [Step::Key(body), Step::Index(_)] if body == "body") {
        return Err(refused(format!("{to} is no body"), "name one, such as body.ball"));
    }
    let mut director = find(&tree, &steps).map(Node::to_json).unwrap_or_default();
    let way = Way { from: start(&tree, &steps[..2]), to: start(&tree, &target), mirror };
    match director["kind"].as_str() {
        Some("key_shapes") => mirror_keys(&mut director, from, mirror)?,
        Some("path") => way.carry(&mut director),
        kind => {
            let what = format!("{from} is a {} director", kind.unwrap_or("nameless"));
            return Err(refused(what, "key shapes and paths are copied; add another one to the body instead"));
        }
    }
    if let Some(name) = director["name"].as_str()
        && resolve(&tree, &format!("{to}.director.{name}")).is_ok()
    {
        edit(document, &Command::Remove { path: format!("{to}.director.{name}") })?;
    }
    edit(document, &Command::Add { to: format!("{to}.director"), value: director, index: None, name: None })
}

/// Where a body begins.
fn start(tree: &Node, body: &[Step]) -> [f64; 3] {
    let at = find(tree, &[body, &[Step::Key("at".to_owned())]].concat()).map(Node::to_json).unwrap_or_default();
    [0, 1, 2].map(|axis: usize| at[axis].as_f64().unwrap_or(0.0))
}

/// Rest shapes and the leads that go with them were found for one body and one run; the copy has none.
fn mirror_keys(director: &mut Json, from: &str, mirror: Option<Axis>) -> Result<(), Problem> {
    for (number, key) in director["keys"].as_array_mut().into_iter().flatten().enumerate() {
        let Some(key) = key.as_object_mut() else { continue };
        if key.remove("rest").is_some() {
            key.remove("lead");
        }
        key.remove("rest_for");
        let Some(mirror) = mirror else { continue };
        match key.remove("mirror") {
            None => drop(key.insert("mirror".to_owned(), json!(AXES[mirror.index()]))),
            Some(known) if known == json!(AXES[mirror.index()]) => {}
            Some(known) => {
                let what = format!("{from}.keys[{number}] is mirrored along {known} already");
                return Err(refused(what, "mirror it along the same axis again, or edit its shape"));
            }
        }
    }
    Ok(())
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// From one body's places to another's.
struct Way {
    from: [f64; 3],
    to: [f64; 3],
    mirror: Option<Axis>,
}

impl Way {
    fn carry(&self, director: &mut Json) {
        let mirrored = self.mirror.map(Axis::index);
        let at = director["at"].as_array_mut().into_iter().flatten();
        for (axis, channel) in at.enumerate().take(3) {
            let factor = if mirrored == Some(axis) { -1.0 } else { 1.0 };
            map_channel(channel, factor, self.to[axis] - factor * self.from[axis]);
        }
        let Some(mirrored) = mirrored else { return };
        for (axis, channel) in director["turn"].as_array_mut().into_iter().flatten().enumerate() {
            map_channel(channel, if axis == mirrored { 1.0 } else { -1.0 }, 0.0);
        }
        for key in director["turns"].as_array_mut().into_iter().flatten() {
            for (axis, part) in key["turn"].as_array_mut().into_iter().flatten().enumerate().take(3) {
                map_channel(part, if axis == mirrored { 1.0 } else { -1.0 }, 0.0);
            }
        }
    }
}

/// v ↦ factor v + by, of a constant or of all keys of a curve, with their handles.
fn map_channel(channel: &mut Json, factor: f64, by: f64) {
    // A place is written to a thousandth of a millimetre.
    let moved = |value: f64, by: f64| json!(((factor * value + by) * 1e6).round() / 1e6 + 0.0);
    match channel {
        Json::Number(number) => *channel = moved(number.as_f64().unwrap_or(0.0), by),
        Json::Object(table) => drop(table.get_mut("keys").map(|keys| map_channel(keys, factor, by))),
        Json::Array(keys) => {
            for key in keys.iter_mut().filter_map(Json::as_array_mut) {
                if let Some(value) = key.get(1).and_then(Json::as_f64) {
                    key[1] = moved(value, by);
                }
                let handles = key.get_mut(2).and_then(Json::as_object_mut).into_iter().flatten();
                for rise in handles.filter_map(|(_, handle)| handle.get_mut(1)) {
                    *rise = moved(rise.as_f64().unwrap_or(0.0), 0.0);
                }
            }
        }
        _ => {}
    }
}
