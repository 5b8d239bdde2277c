//! Direction changed while the stage runs: charts, fields and weights are edited under a body that goes on moving.

use super::copies::{Extent, copies};
use super::{BuildError, seat_all};
use crate::stage::Stage;
use sinew_scene::Scene;
use sinew_solve::StageState;

/// Gives the bodies of a running stage the directors of an edited scene. Flesh, solvers and the state stay as they are, and
/// a director keeps what it remembers as long as it keeps its name. What else the edit changed is not looked at; the
/// bodies must be the same ones.
pub fn redirect(stage: &mut Stage, state: &mut StageState, scene: &Scene) -> Result<(), BuildError> {
    let mut directors: Vec<Option<_>> = stage.bodies().iter().map(|_| None).collect();
    for body in &scene.bodies {
        // Copies have one model, and scattered ones stand where it left them room.
        let first = if body.copies.is_some() { format!("{}-1", body.name) } else { body.name.clone() };
        let model = stage.bodies().iter().find(|on_stage| on_stage.name == first);
        let model = model.ok_or_else(|| other_bodies(&first, "is not on the stage yet"))?;
        for copy in copies(body, Extent::of(&model.flesh, &model.skin.mesh.positions))? {
            let known = stage.bodies().iter().position(|on_stage| on_stage.name == copy.name);
            let number = known.ok_or_else(|| other_bodies(&copy.name, "is not on the stage yet"))?;
            let canvas = &stage.bodies()[number].canvas;
            directors[number] = Some(seat_all(scene, body, canvas, &copy)?);
        }
    }
    if let Some(gone) = directors.iter().position(Option::is_none) {
        return Err(other_bodies(&stage.bodies()[gone].name, "is no longer in the scene"));
    }
    stage.redirect(state, directors.into_iter().flatten().collect());
    Ok(())
}

fn other_bodies(name: &str, what: &str) -> BuildError {
    BuildError::new(
        format!("body.{name}"),
        format!("body {name:?} {what}"),
        "build the stage anew where bodies come or go",
    )
}
