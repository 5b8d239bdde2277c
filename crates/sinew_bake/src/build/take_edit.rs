//! Edited takes of the scene become running ones.

use super::{BuildError, clock, material, metaphors, method};
use crate::keys::KeyShelf;
use sinew_direct::take_edit::{EditedTake, KeyAt, TakeEditTrouble, TakeKey};
use sinew_math::{DQuat, DVec3};
use sinew_scene::{Body, Scene, model};
use sinew_solve::fem::{FemParams, TimeScheme};
use sinew_solve::{Flesh, Material};
use sinew_stage::Method;
use std::sync::Arc;

/// The edited take of a director; `at` is its place in the scene.
pub(crate) fn make(
    scene: &Scene,
    body: &Body,
    of: &model::TakeEdit,
    flesh: &Flesh,
    shelf: &KeyShelf,
    at: &str,
) -> Result<Arc<EditedTake>, BuildError> {
    // The body's stiffness as it is simulated: shape matching has one of its own.
    let young_pa = metaphors::strength(scene, body, flesh).young_pa;
    let mut material = Material { young_pa, ..material(body) };
    // Implicit Euler damps a swing as Rayleigh damping by the step's length would.
    let is_euler = matches!(method(body), Ok(Method::Fem(FemParams { time: TimeScheme::Euler, .. })));
    if is_euler {
        material.damping.rayleigh_stiffness_secs += clock(scene).secs(1, 0.0);
    }
    let frames_per_sec = clock(scene).frames_per_sec();
    let made_of = format!("{of:?} {material:?} {frames_per_sec}");
    shelf.take(made_of, || {
        let cells = shelf.cells(flesh).map_err(|problem| BuildError::new(at, problem.what, problem.help))?;
        let motion = shelf.motion(&of.take, flesh);
        let motion = motion.map_err(|problem| BuildError::new(format!("{at}.take"), problem.what, problem.help))?;
        let mut keys = Vec::new();
        for (number, key) in of.keys.iter().enumerate() {
            let place = format!("{at}.keys[{number}].asset");
            let shape = key.asset.as_deref().map(|name| shelf.shape(name, flesh)).transpose();
            let shape = shape.map_err(|problem| BuildError::new(place, problem.what, problem.help))?;
            let (shift, turn) = (DVec3::from_array(key.shift), DQuat::from_array(key.turn).normalize());
            let shape = KeyAt::Take { shape, shift, turn };
            keys.push(TakeKey { frame: key.frame, width: key.width, shape, swings: key.swings });
        }
        EditedTake::new(cells, motion, keys, material, frames_per_sec).map_err(|trouble| {
            let help = match &trouble {
                TakeEditTrouble::NoFrame { .. } => "edit a frame that the take has",
                TakeEditTrouble::FirstFrame { .. } => "edit a later frame, or put the body elsewhere",
                TakeEditTrouble::Shape { .. } | TakeEditTrouble::OtherBody { .. } => {
                    "delete the director, bake the scene again and edit that take"
                }
            };
            BuildError::new(format!("{at}.keys"), trouble.to_string(), help)
        })
    })
}
