//! How a take is edited: frames of it that are made editable, and shapes put there, as commands on the scene's document.

use super::edit::{free_name, rounded};
use super::{KeyError, KeyedBody, motion};
use crate::assets::Assets;
use crate::build::take_edit;
use serde_json::json;
use sinew_direct::take_edit::{EditedTake, Motion};
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::{DQuat, DVec3};
use sinew_scene::model::{TakeEdit, TakeKey};
use sinew_scene::{Body, Command, Direction, Scene};
use std::sync::Arc;

/// A frame of a take that is to be edited.
#[derive(Debug, Clone, Copy)]
pub struct TakeFrame<'a> {
    pub frame: i32,
    /// Frames before and after it that follow.
    pub width: f64,
    /// Where the body was; none goes on with the take that is edited already.
    pub motion: Option<&'a Motion>,
}

/// The command that makes a frame of a take editable, in the body's director of edits or in a new one, whose motion is stored as an asset.
/// What was edited there already stays so, with the new width.
pub fn edit_take(
    scene: &Scene,
    body: KeyedBody<'_>,
    TakeFrame { frame, width, motion }: TakeFrame<'_>,
    assets: &Assets,
) -> Result<Command, KeyError> {
    let of = body.in_scene(scene)?;
    if of.copies.is_some() {
        let what = format!("copies of {} share its directors, and one take would lead all to one place", of.name);
        return Err(KeyError::Edit { what, help: "edit the take of a body without copies" });
    }
    if !(1.0..=1000.0).contains(&width) {
        let what = format!("{width} frames are no width");
        return Err(KeyError::Edit { what, help: "let 1 to 1000 frames follow on each side" });
    }
    let asset = motion.map(|motion| motion::to_asset(motion, body.flesh)).transpose()?;
    let label = format!("edit the take of {} at frame {frame}", of.name);
    let known = take_track(of, None);
    let has_frames = match (&known, motion) {
        (_, Some(motion)) => motion.frames(),
        (Some((_, _, edit)), None) => {
            let motion = body.shelf.motion(&edit.take, body.flesh);
            motion.map_err(|problem| KeyError::Flesh { what: problem.what, help: problem.help })?.frames()
        }
        (None, None) => {
            let what = format!("{} has no edited take", of.name);
            return Err(KeyError::Edit { what, help: "say which take to edit" });
        }
    };
    if frame <= *has_frames.start() || frame > *has_frames.end() {
        let (first, last) = (has_frames.start() + 1, has_frames.end());
        let what = format!("frame {frame} of the take cannot be edited: frames {first} to {last} can");
        return Err(KeyError::Edit { what, help: "at the first frame the body is where the scene puts it" });
    }
    let command = match known {
        Some((path, _, edit)) => {
            if asset.as_ref().is_some_and(|asset| asset.name != edit.take) {
                let what = format!("{path} edits another take of {}", of.name);
                return Err(KeyError::Edit {
                    what,
                    help: "delete that director first, or leave the take out to go on with its own",
                });
            }
            let mut keys = edit.keys.clone();
            match keys.iter_mut().find(|key| key.frame == frame) {
                Some(key) => key.width = width,
                None => keys.push(TakeKey::unchanged(frame, width)),
            }
            Command::Set { path: format!("{path}.keys"), value: json!(keys) }
        }
        None => {
            let Some(asset) = asset else { return Err(KeyError::Edit { what: label, help: "say which take to edit" }) };
            assets.store_asset(&asset)?;
            let keys = [TakeKey::unchanged(frame, width)];
            let value = json!({ "name": free_name(of, "take"), "kind": "take_edit", "take": asset.name, "keys": keys });
            Command::Add { to: format!("body.{}.director", of.name), value, index: None, name: None }
        }
    };
    Ok(Command::Batch { label: Some(label), commands: vec![command] })
}

/// A director of edits by its name, or the first one: its path in the scene, its number and what it edits.
pub(super) fn take_track<'a>(body: &'a Body, director: Option<&str>) -> Option<(String, usize, &'a TakeEdit)> {
    body.directors.iter().enumerate().find_map(|(number, own)| match &own.direction {
        Direction::TakeEdit(edit) if director.is_none_or(|name| own.name_at(number) == name) => {
            let place = own.name.as_ref().map_or_else(|| format!("[{number}]"), |name| format!(".{name}"));
            Some((format!("body.{}.director{place}", body.name), number, edit))
        }
        _ => None,
    })
}

/// An edit at a frame of a take, with the shape it has and the one it is made of.
pub(super) struct EditAt<'a> {
    path: String,
    edit: &'a TakeEdit,
    number: usize,
    flesh: &'a sinew_solve::Flesh,
    edited: Vec<DVec3>,
    take: Vec<DVec3>,
}

/// The edit at a frame of a director; none where the director is no edited take.
pub(super) fn find_edit<'a>(
    scene: &'a Scene,
    body: KeyedBody<'a>,
    director: Option<&str>,
    frame: f64,
) -> Result<Option<EditAt<'a>>, KeyError> {
    let of = body.in_scene(scene)?;
    let Some((path, place, edit)) = take_track(of, director) else { return Ok(None) };
    let number = edit.keys.iter().position(|key| f64::from(key.frame) == frame);
    let number = number.ok_or_else(|| KeyError::NoKey {
        path: path.clone(),
        frame,
        known: edit.keys.iter().map(|key| key.frame.to_string()).collect::<Vec<_>>().join(", "),
    })?;
    let made = made(scene, of, body, place, edit)?;
    let (edited, take) = made.key_shapes(number);
    Ok(Some(EditAt { path, edit, number, flesh: body.flesh, edited, take }))
}

/// The edited take of a body's director of this number.
pub(super) fn made(
    scene: &Scene,
    of: &Body,
    body: KeyedBody<'_>,
    director: usize,
    edit: &TakeEdit,
) -> Result<Arc<EditedTake>, KeyError> {
    let at = format!("body.{}.director[{director}]", of.name);
    let made = take_edit::make(scene, of, edit, body.flesh, body.shelf, &at);
    made.map_err(|error| KeyError::Flesh { what: error.to_string(), help: error.help().unwrap_or_default().to_owned() })
}

impl EditAt<'_> {
    /// The edited shape as it is seen from the take's body: where that is at rest, the edited one is moved and turned against it.
    pub(super) fn shape(&self) -> Vec<DVec3> {
        self.placing().shape(&self.edited)
    }

    /// The command that puts another such shape there.
    pub(super) fn put(
        &self,
        body: KeyedBody<'_>,
        shape: &[DVec3],
        word: &str,
        assets: &Assets,
    ) -> Result<Command, KeyError> {
        let Placing { turn, rest_centre, .. } = self.placing();
        let mass_kg = &self.flesh.mass_kg;
        let own = best_fit_rotation(&self.flesh.rest, shape, mass_kg);
        let shift = turn * (mass_centre(shape, mass_kg) - rest_centre);
        let turned = turn * own * turn.inverse();
        let mut keys = self.edit.keys.clone();
        let key = &mut keys[self.number];
        key.asset = Some(body.store(shape, assets)?);
        key.shift = shift.to_array().map(rounded);
        key.turn = turned.to_array().map(rounded);
        let label = format!("{word} {} at frame {}", self.path, key.frame);
        let set = Command::Set { path: format!("{}.keys", self.path), value: json!(keys) };
        Ok(Command::Batch { label: Some(label), commands: vec![set] })
    }

    fn placing(&self) -> Placing {
        Placing::of(self.flesh, &self.take)
    }
}

/// Where a take has a body.
pub(super) struct Placing {
    pub(super) centre: DVec3,
    pub(super) turn: DQuat,
    rest_centre: DVec3,
}

impl Placing {
    pub(super) fn of(flesh: &sinew_solve::Flesh, take: &[DVec3]) -> Self {
        Self {
            centre: mass_centre(take, &flesh.mass_kg),
            turn: best_fit_rotation(&flesh.rest, take, &flesh.mass_kg),
            rest_centre: mass_centre(&flesh.rest, &flesh.mass_kg),
        }
    }

    /// A shape of the world in the axes of the body at rest.
    pub(super) fn shape(&self, world: &[DVec3]) -> Vec<DVec3> {
        world.iter().map(|x| self.rest_centre + self.turn.inverse() * (*x - self.centre)).collect()
    }
}
