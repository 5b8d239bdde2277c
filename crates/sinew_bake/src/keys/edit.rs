//! How a scene gets keys: commands on its document, and the assets that they name.

use super::{KeyFileError, KeySamples, KeyShelf};
use crate::assets::{AssetError, Assets};
use crate::{Built, Seating};
use serde_json::{Value, json};
use sinew_direct::key_shapes::{KeyTrouble, ShapeCells, Unfolded, check_shape, unfold};
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::{DQuat, DVec3};
use sinew_scene::model::{KeyShape, KeyShapes};
use sinew_scene::{Command, Direction, Scene};
use sinew_solve::Flesh;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a key could not be made.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error("there is no body {body:?}; there are {known}")]
    NoBody { body: String, known: String },
    #[error("{} is no shape of body {body:?}: {what}", file.display())]
    OtherTopology { file: PathBuf, body: String, what: String },
    #[error("{} is no shape of body {body:?}: {trouble}", file.display())]
    FoldedMesh { file: PathBuf, body: String, trouble: KeyTrouble },
    #[error("that shape is no key: {0}")]
    Trouble(#[from] KeyTrouble),
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error(transparent)]
    Asset(#[from] AssetError),
    #[error("{what}")]
    Flesh { what: String, help: String },
    #[error("body {body:?} has no key shapes{director}")]
    NoTrack { body: String, director: String },
    #[error("{path} has no key at frame {frame}; it has them at {known}")]
    NoKey { path: String, frame: f64, known: String },
    #[error("{what}")]
    Edit { what: String, help: &'static str },
}

impl KeyError {
    /// What would be right.
    pub fn help(&self) -> &str {
        match self {
            Self::NoBody { .. } => "name one of them with --body",
            Self::OtherTopology { .. } => {
                "export the body's skin or tetrahedra with sinew, change where its vertices are and nothing else, and give that file"
            }
            Self::FoldedMesh { .. } => {
                "deform the mesh less where it is thin, or give the flesh another number of vertices (flesh.vertices) and export the mesh anew"
            }
            Self::Trouble(_) => "choose another frame, or a shape that is not folded through itself",
            Self::File(_) => "make room in the temporary folder",
            Self::Asset(error) => error.help(),
            Self::Flesh { help, .. } => help,
            Self::NoTrack { .. } => "key its shape first, or name another director",
            Self::NoKey { .. } => "name one of those frames, or key the shape there first",
            Self::Edit { help, .. } => help,
        }
    }
}

/// A body that is given keys: on a stage, or seated for one.
#[derive(Debug, Clone, Copy)]
pub struct KeyedBody<'a> {
    pub name: &'a str,
    pub flesh: &'a Flesh,
    pub shelf: &'a KeyShelf,
}

impl<'a> KeyedBody<'a> {
    /// A body of a stage that was built, by its number there.
    pub fn on_stage(built: &'a Built, number: usize) -> Option<Self> {
        let (body, shelf) = built.stage.bodies().get(number).zip(built.shelves.get(number))?;
        Some(Self { name: &body.name, flesh: &body.flesh, shelf })
    }
}

impl<'a> From<&'a Seating> for KeyedBody<'a> {
    fn from(body: &'a Seating) -> Self {
        Self { name: &body.name, flesh: body.canvas.flesh(), shelf: &body.shelf }
    }
}

impl KeyedBody<'_> {
    /// The body in the scene: its own, or the one it is a copy of.
    pub fn in_scene<'s>(&self, scene: &'s Scene) -> Result<&'s sinew_scene::Body, KeyError> {
        let found = scene.bodies.iter().find(|own| own.name == self.name || own.has_copy(self.name));
        found.ok_or_else(|| KeyError::NoBody {
            body: self.name.to_owned(),
            known: scene.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// Checks a shape, takes its rigid part off and stores it. The name of the asset.
    pub fn store(&self, shape: &[DVec3], assets: &Assets) -> Result<String, KeyError> {
        let cells = self.cells()?;
        check_shape(&cells, shape)?;
        let asset = KeySamples::of(self.flesh, &cells.without_rigid_motion(shape)).to_asset()?;
        assets.store_asset(&asset)?;
        Ok(asset.name)
    }

    /// The flesh made ready for shapes.
    pub(super) fn cells(&self) -> Result<Arc<ShapeCells>, KeyError> {
        let cells = self.shelf.cells(self.flesh);
        cells.map_err(|problem| KeyError::Flesh { what: problem.what, help: problem.help })
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

/// Stores a key's shape as an asset and gives the command that puts the key into a track of key shapes: the named director, or the
/// body's first one, or a new one, which begins with the body at rest at the first frame. A key at its frame is replaced.
pub fn key_command(
    scene: &Scene,
    body: KeyedBody<'_>,
    director: Option<&str>,
    key: NewKey,
    assets: &Assets,
) -> Result<Command, KeyError> {
    let scene_body = body.in_scene(scene)?;
    let mut folds = String::new();
    let shape = key.shape.map(|shape| unfold(&*body.cells()?, &shape).map_err(KeyError::from)).transpose()?;
    let asset = shape.map(|(shape, mended)| {
        if let Some(Unfolded { count, of, .. }) = mended {
            folds = format!(" ({count} of {of} elements were inside out there and are unfolded)");
        }
        body.store(&shape, assets)
    });
    let asset = asset.transpose()?;
    let made = KeyShape { name: key.name, asset, ..KeyShape::rest_at(key.frame) };
    let first = f64::from(scene.shot.frames[0]);
    let is_new = track(scene_body, director).is_none();
    let begin = (is_new && first < key.frame).then(|| KeyShape::rest_at(first));
    let keys = begin.into_iter().chain([made]).collect();
    Ok(put_keys(scene_body, director, keys, &format!("key shape of {} at frame {}{folds}", scene_body.name, key.frame)))
}

/// The command that puts keys into a track of key shapes: the named director, or the body's first one, or a new one. Keys at their
/// frames are replaced, and leave their names to those that have none.
pub fn put_keys(body: &sinew_scene::Body, director: Option<&str>, new: Vec<KeyShape>, label: &str) -> Command {
    let command = match track(body, director) {
        Some((path, shapes)) => {
            let mut new = new;
            for key in new.iter_mut().filter(|key| key.name.is_none()) {
                let replaced = shapes.keys.iter().find(|other| other.frame == key.frame);
                key.name = replaced.and_then(|other| other.name.clone());
            }
            let is_replaced = |key: &KeyShape| new.iter().any(|other| other.frame == key.frame);
            let mut keys: Vec<KeyShape> = shapes.keys.iter().filter(|key| !is_replaced(key)).cloned().collect();
            keys.extend(new);
            keys.sort_by(|a, b| a.frame.total_cmp(&b.frame));
            Command::Set { path: format!("{path}.keys"), value: json!(keys) }
        }
        None => {
            let value = json!({ "name": free_name(body, "shape"), "kind": "key_shapes", "keys": new });
            Command::Add { to: format!("body.{}.director", body.name), value, index: None, name: None }
        }
    };
    Command::Batch { label: Some(label.to_owned()), commands: vec![command] }
}

/// A track of key shapes by its director's name, or the first one: its path in the scene, and its keys.
pub fn track<'a>(body: &'a sinew_scene::Body, director: Option<&str>) -> Option<(String, &'a KeyShapes)> {
    body.directors.iter().enumerate().find_map(|(number, own)| match &own.direction {
        Direction::KeyShapes(shapes) if director.is_none_or(|name| own.name_at(number) == name) => {
            let place = own.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
            Some((format!("body.{}.director{place}", body.name), shapes))
        }
        _ => None,
    })
}

/// The command that gives a body a path along which it was seen: places and turns at frames, as keys that can be moved.
pub fn path_command(scene_body: &sinew_scene::Body, flesh: &Flesh, seen: &[(i32, Vec<DVec3>)], turns: bool) -> Command {
    let mass = &flesh.mass_kg;
    let centres: Vec<(i32, DVec3)> = seen.iter().map(|(frame, x)| (*frame, mass_centre(x, mass))).collect();
    let mut last = DQuat::IDENTITY;
    let turned = seen.iter().map(|(frame, x)| {
        let turn = best_fit_rotation(&flesh.rest, x, mass);
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

pub(super) fn free_name(body: &sinew_scene::Body, wish: &str) -> String {
    let is_taken = |name: &str| body.directors.iter().enumerate().any(|(place, other)| other.name_at(place) == name);
    let numbered = (2..).map(|number| format!("{wish}-{number}"));
    let mut names = std::iter::once(wish.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| wish.to_owned())
}

/// To six digits after the point: a thousandth of a millimetre.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}
