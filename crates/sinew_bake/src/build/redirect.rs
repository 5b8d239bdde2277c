//! Direction changed while the stage runs: charts, fields and weights are edited under a body that goes on moving.

use super::{BuildError, Placed, placements, seat_all};
use crate::stage::{DirectorSetup, Stage};
use sinew_direct::muscle::Canvas;
use sinew_scene::Scene;
use sinew_solve::StageState;
use std::sync::Arc;

/// Gives the bodies of a running stage the directors of an edited scene. Flesh, solvers and the state stay as they are, and
/// a director keeps what it remembers as long as it keeps its name. What else the edit changed is not looked at; the
/// bodies must be the same ones.
pub fn redirect(stage: &mut Stage, state: &mut StageState, scene: &Scene) -> Result<(), BuildError> {
    let canvases: Vec<_> = stage.bodies().iter().map(|body| (body.name.clone(), body.canvas.clone())).collect();
    let directors = directors(scene, &canvases)?;
    stage.redirect([state], directors);
    Ok(())
}

/// The directors of a scene for bodies that are on a stage already, given by name and canvas in the stage's order. What
/// takes time, the painting of fields, is done here: it may be done beside a stage that runs.
pub fn directors(scene: &Scene, canvases: &[(String, Arc<Canvas>)]) -> Result<Vec<Vec<DirectorSetup>>, BuildError> {
    let mut directors: Vec<Option<_>> = canvases.iter().map(|_| None).collect();
    for body in &scene.bodies {
        for (name, at, turn) in placements(body) {
            let known = canvases.iter().position(|(on_stage, _)| *on_stage == name);
            let number = known.ok_or_else(|| other_bodies(&name, "is not on the stage yet"))?;
            directors[number] = Some(seat_all(scene, body, &canvases[number].1, Placed { at, turn })?);
        }
    }
    if let Some(gone) = directors.iter().position(Option::is_none) {
        return Err(other_bodies(&canvases[gone].0, "is no longer in the scene"));
    }
    Ok(directors.into_iter().flatten().collect())
}

fn other_bodies(name: &str, what: &str) -> BuildError {
    BuildError::new(
        format!("body.{name}"),
        format!("body {name:?} {what}"),
        "build the stage anew where bodies come or go",
    )
}
