//! Direction changed while the stage runs: charts, fields and weights are edited under a body that goes on moving.

use super::copies::{Extent, copies};
use super::{BuildError, BuildWarning, Built, key_shapes, metaphors, plan, seat_all};
use crate::keys::KeyShelf;
use sinew_direct::muscle::Canvas;
use sinew_scene::Scene;
use sinew_solve::StageState;
use sinew_stage::{DirectorSetup, Skin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A body on a stage as its directors need it.
#[derive(Clone)]
pub struct Seating {
    pub name: String,
    pub canvas: Arc<Canvas>,
    pub skin: Arc<Skin>,
    pub shelf: Arc<KeyShelf>,
    /// All mesh files of the scene, with the BLAKE3 of their bytes.
    pub mesh_hashes: Arc<BTreeMap<String, [u8; 32]>>,
}

impl Seating {
    /// Of every body on a stage that was built, in order.
    pub fn of(built: &Built) -> Vec<Self> {
        let mesh_hashes = Arc::new(built.mesh_hashes.clone());
        let one = |(body, shelf): (&crate::StageBody, &Arc<KeyShelf>)| Self {
            name: body.name.clone(),
            canvas: body.canvas.clone(),
            skin: body.skin.clone(),
            shelf: shelf.clone(),
            mesh_hashes: mesh_hashes.clone(),
        };
        built.stage.bodies().iter().zip(&built.shelves).map(one).collect()
    }
}

/// Gives the bodies of a running stage the directors of an edited scene. Flesh, solvers and the state stay as they are, and
/// a director keeps what it remembers as long as it keeps its name. What else the edit changed is not looked at; the
/// bodies must be the same ones.
pub fn redirect(built: &mut Built, state: &mut StageState, scene: &Scene) -> Result<(), BuildError> {
    let directors = directors(scene, &Seating::of(built))?;
    built.stage.redirect([state], directors);
    Ok(())
}

/// The directors of a scene for bodies that are on a stage already, in the stage's order. What takes time, the painting of
/// fields, is done here: it may be done beside a stage that runs.
pub fn directors(scene: &Scene, on_stage: &[Seating]) -> Result<Vec<Vec<DirectorSetup>>, BuildError> {
    let mut directors: Vec<Option<_>> = on_stage.iter().map(|_| None).collect();
    let find = |name: &str| {
        let known = on_stage.iter().position(|body| body.name == name);
        known.ok_or_else(|| other_bodies(name, "is not on the stage yet"))
    };
    for body in &scene.bodies {
        // Copies have one model, and scattered ones stand where it left them room.
        let first = if body.copies.is_some() { format!("{}-1", body.name) } else { body.name.clone() };
        let Seating { canvas, skin, .. } = &on_stage[find(&first)?];
        for copy in copies(body, Extent::of(canvas.flesh(), &skin.mesh.positions))? {
            let number = find(&copy.name)?;
            directors[number] = Some(seat_all(scene, body, &on_stage[number].canvas, &on_stage[number].shelf, &copy)?);
        }
    }
    if let Some(gone) = directors.iter().position(Option::is_none) {
        return Err(other_bodies(&on_stage[gone].name, "is no longer in the scene"));
    }
    Ok(directors.into_iter().flatten().collect())
}

/// What is wrong with the directors of a scene on bodies that are on a stage already; what cannot be directed at all is an error of [`directors`].
pub fn direction_warnings(scene: &Scene, on_stage: &[Seating]) -> Vec<BuildWarning> {
    let of = |body: &sinew_scene::Body| {
        let first = if body.copies.is_some() { format!("{}-1", body.name) } else { body.name.clone() };
        let seating = on_stage.iter().find(|seating| seating.name == first)?;
        let mut found = metaphors::warnings(scene, &seating.mesh_hashes, body, seating.canvas.flesh()).ok()?;
        found.extend(key_shapes::warnings(scene, body));
        found.extend(plan::warnings(scene, &seating.mesh_hashes, body));
        Some(found)
    };
    scene.bodies.iter().filter_map(of).flatten().collect()
}

fn other_bodies(name: &str, what: &str) -> BuildError {
    BuildError::new(
        format!("body.{name}"),
        format!("body {name:?} {what}"),
        "build the stage anew where bodies come or go",
    )
}
