//! Key shapes of a body as they are looked at: each with its place in the scene and where the body should be then.

use super::take::{Placing, made};
use crate::Seating;
use crate::build::{BuildError, directors::path_of, key_shapes::shape_of};
use sinew_math::{DQuat, DVec3};
use sinew_scene::{Body, Direction, Scene};
use std::sync::Arc;

/// A key shape that can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownKey {
    /// The director's place in its body's list, and its name.
    pub director: usize,
    pub name: String,
    /// The key's place in the director's list.
    pub key: usize,
    pub frame: f64,
    /// In the flesh's order, without its rigid part; an edited take's is as it is seen from where the take has the body.
    pub shape: Arc<Vec<DVec3>>,
    pub place: KeyPlace,
}

/// Where the body's path has it at a key's frame; what is none is as the body was seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KeyPlace {
    pub centre: Option<DVec3>,
    pub turn: Option<DQuat>,
    /// Where a path that does not act then would have the centre: the likeliest place as long as nobody has seen the body there.
    pub idle_centre: Option<DVec3>,
}

/// The keys of all of a body's tracks, edits of takes among them, in the scene's order.
pub fn shown_keys(scene: &Scene, body: &Body, seating: &Seating) -> Result<Vec<ShownKey>, BuildError> {
    let flesh = seating.canvas.flesh();
    let mut shown = Vec::new();
    for (director, own) in body.directors.iter().enumerate() {
        if let Direction::TakeEdit(edit) = &own.direction {
            let made = made(scene, body, seating.into(), director, edit);
            let at = format!("body.{}.director[{director}]", body.name);
            let made = made.map_err(|error| BuildError::new(at, error.to_string(), error.help()))?;
            for (key, model) in edit.keys.iter().enumerate() {
                let (edited, take) = made.key_shapes(key);
                let placing = Placing::of(flesh, &take);
                let place = KeyPlace { centre: Some(placing.centre), turn: Some(placing.turn), idle_centre: None };
                let (name, frame) = (own.name_at(director), f64::from(model.frame));
                let shape = Arc::new(placing.shape(&edited));
                shown.push(ShownKey { director, name, key, frame, shape, place });
            }
            continue;
        }
        let Direction::KeyShapes(shapes) = &own.direction else { continue };
        for (key, model) in shapes.keys.iter().enumerate() {
            let at = format!("body.{}.director[{director}].keys[{key}]", body.name);
            let shape = shape_of(model, flesh, &seating.shelf, &at)?;
            let shape = shape.unwrap_or_else(|| Arc::new(flesh.rest.clone()));
            let (frame, place) = (model.frame, place_at(body, model.frame)?);
            shown.push(ShownKey { director, name: own.name_at(director), key, frame, shape, place });
        }
    }
    Ok(shown)
}

/// Where the first path that acts at a frame has the body, else where the first one would.
fn place_at(body: &Body, frame: f64) -> Result<KeyPlace, BuildError> {
    let mut idle_centre = None;
    for (number, own) in body.directors.iter().enumerate().filter(|(_, own)| !own.mute) {
        let Direction::Path(model) = &own.direction else { continue };
        let path = path_of(model, &format!("body.{}.director[{number}]", body.name))?;
        let (centre, turn) = path.place(frame);
        if model.strength.0.value(frame) > 0.0 {
            return Ok(KeyPlace { centre: Some(centre), turn, idle_centre: None });
        }
        idle_centre = idle_centre.or(Some(centre));
    }
    Ok(KeyPlace { idle_centre, ..KeyPlace::default() })
}
