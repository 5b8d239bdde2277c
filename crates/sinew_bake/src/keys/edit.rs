//! How a scene gets keys: commands on its document, and the assets that they name.

use super::{KeyFileError, KeySamples};
use crate::StageBody;
use crate::assets::{AssetError, Assets};
use serde_json::{Value, json};
use sinew_direct::key_shapes::{KeyTrouble, ShapeCells, check_shape};
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::sparse::FactorError;
use sinew_math::{DQuat, DVec3};
use sinew_scene::model::KeyShape;
use sinew_scene::{Command, Direction, Scene};
use std::path::PathBuf;

/// Why a key could not be made.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("there is no body {body:?}; there are {known}")]
    NoBody { body: String, known: String },
    #[error("{} is no shape of body {body:?}: {what}", file.display())]
    OtherTopology { file: PathBuf, body: String, what: String },
    #[error("that shape is no key: {0}")]
    Trouble(#[from] KeyTrouble),
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error(transparent)]
    Asset(#[from] AssetError),
    #[error("its flesh takes no key shapes: {0}")]
    Flesh(#[from] FactorError),
}

impl KeyError {
    /// What would be right.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoBody { .. } => "name one of them with --body",
            Self::OtherTopology { .. } => {
                "export the body's skin or tetrahedra with sinew, change where its vertices are and nothing else, and give that file"
            }
            Self::Trouble(_) => "choose another frame, or a shape that is not folded through itself",
            Self::File(_) => "make room in the temporary folder",
            Self::Asset(error) => error.help(),
            Self::Flesh(_) => "repair the mesh: it has flat or doubled elements",
        }
    }
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewKey {
    pub frame: f64,
    pub name: Option<String>,
    /// In the flesh's order, anywhere in the world; none is the body at rest.
    pub shape: Option<Vec<DVec3>>,
}

/// Stores a key's shape as an asset and gives the command that puts the key into the body's first track of key shapes, or into a
/// new one. A key at its frame is replaced.
pub fn key_command(scene: &Scene, body: &StageBody, key: NewKey, assets: &Assets) -> Result<Command, KeyError> {
    let scene_body = scene.bodies.iter().find(|own| own.name == body.name || own.has_copy(&body.name));
    let scene_body = scene_body.ok_or_else(|| KeyError::NoBody {
        body: body.name.clone(),
        known: scene.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    let asset = key.shape.map(|shape| store(body, &shape, assets)).transpose()?;
    let made = KeyShape { name: key.name, asset, ..KeyShape::rest_at(key.frame) };
    Ok(put_keys(scene_body, vec![made], &format!("key shape of {} at frame {}", scene_body.name, key.frame)))
}

/// The command that puts keys into a body's first track of key shapes, or into a new one. Keys at their frames are replaced.
pub fn put_keys(body: &sinew_scene::Body, new: Vec<KeyShape>, label: &str) -> Command {
    let track = body.directors.iter().enumerate().find_map(|(number, director)| match &director.direction {
        Direction::KeyShapes(shapes) => Some((number, director, shapes)),
        _ => None,
    });
    let command = match track {
        Some((number, director, shapes)) => {
            let is_replaced = |key: &KeyShape| new.iter().any(|other| other.frame == key.frame);
            let mut keys: Vec<KeyShape> = shapes.keys.iter().filter(|key| !is_replaced(key)).cloned().collect();
            keys.extend(new);
            keys.sort_by(|a, b| a.frame.total_cmp(&b.frame));
            let place = director.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
            Command::Set { path: format!("body.{}.director{place}.keys", body.name), value: json!(keys) }
        }
        None => {
            let value = json!({ "name": free_name(body, "shape"), "kind": "key_shapes", "keys": new });
            Command::Add { to: format!("body.{}.director", body.name), value, index: None, name: None }
        }
    };
    Command::Batch { label: Some(label.to_owned()), commands: vec![command] }
}

/// Checks a shape, takes its rigid part off and stores it.
fn store(body: &StageBody, shape: &[DVec3], assets: &Assets) -> Result<String, KeyError> {
    let cells = ShapeCells::new(&body.flesh)?;
    check_shape(&cells, shape)?;
    let samples = KeySamples::of(&body.flesh, &cells.without_rigid_motion(shape));
    let asset = samples.to_asset()?;
    assets.store_asset(&asset)?;
    Ok(asset.name)
}

/// The command that gives a body a path along which it was seen: places and turns at frames, as keys that can be moved.
pub fn path_command(
    scene_body: &sinew_scene::Body,
    body: &StageBody,
    seen: &[(i32, Vec<DVec3>)],
    turns: bool,
) -> Command {
    let mass = &body.flesh.mass_kg;
    let centres: Vec<(i32, DVec3)> = seen.iter().map(|(frame, x)| (*frame, mass_centre(x, mass))).collect();
    let mut last = DQuat::IDENTITY;
    let turned = seen.iter().map(|(frame, x)| {
        let turn = best_fit_rotation(&body.flesh.rest, x, mass);
        last = if last.dot(turn) < 0.0 { -turn } else { turn };
        (*frame, last)
    });
    let turned: Vec<(i32, DQuat)> = turned.collect();
    let channel = |axis: usize| {
        let keys = centres.iter().map(|(frame, x)| json!([frame, rounded(x[axis]), "smooth"]));
        json!({ "keys": keys.collect::<Vec<Value>>() })
    };
    let mut value = json!({
        "name": free_name(scene_body, "path"),
        "kind": "path",
        "at": [channel(0), channel(1), channel(2)],
    });
    if turns {
        let keys = turned.iter().map(|(frame, turn)| json!({ "frame": frame, "turn": turn.to_array().map(rounded) }));
        value["turns"] = json!(keys.collect::<Vec<Value>>());
    }
    let to = format!("body.{}.director", scene_body.name);
    let add = Command::Add { to, value, index: None, name: None };
    Command::Batch { label: Some(format!("path of {} from a take", scene_body.name)), commands: vec![add] }
}

fn free_name(body: &sinew_scene::Body, wish: &str) -> String {
    let is_taken = |name: &str| body.directors.iter().enumerate().any(|(place, other)| other.name_at(place) == name);
    let numbered = (2..).map(|number| format!("{wish}-{number}"));
    let mut names = std::iter::once(wish.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| wish.to_owned())
}

/// To six digits after the point: a thousandth of a millimetre.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}
