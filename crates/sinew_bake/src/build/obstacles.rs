//! The obstacles of a scene with their motion, those from mesh files read and made ready.

use super::mesh_file::{Meshes, Surface, unwatched};
use super::workshop::Workshop;
use super::{BuildError, track3};
use sinew_direct::Turn;
use sinew_math::DVec3;
use sinew_scene::{MeshSkin, Obstacle, ObstacleShape, Scene};
use sinew_solve::contact::{MeshShape, Shape};
use sinew_stage::ObstacleTrack;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Meshes that were made ready lately, by what was asked for and the hash of the file's bytes.
#[derive(Default)]
pub(super) struct MeshShapes(Vec<(MeshKey, Arc<MeshShape>)>);

type MeshKey = (String, [u8; 32]);

/// The obstacles in their order. Hashes of the files they are read from go to `hashes`.
pub(super) fn tracks(
    scene: &Scene,
    folder: &Path,
    workshop: &mut Workshop,
    hashes: &mut BTreeMap<String, [u8; 32]>,
) -> Result<Vec<ObstacleTrack>, BuildError> {
    let mut made = MeshShapes::default();
    let mut tracks = Vec::new();
    for (number, obstacle) in scene.obstacles.iter().enumerate() {
        let name = obstacle.name_at(number);
        let at = format!("obstacle[{number}].mesh");
        let shape = shape(obstacle, folder, &at, (&workshop.obstacles, &mut made), hashes)?;
        tracks.push(ObstacleTrack {
            name,
            shape,
            at: track3(&obstacle.at),
            turn: Turn(track3(&obstacle.turn)),
            roughness: obstacle.friction.0.clone(),
        });
    }
    // Those that are no longer asked for are forgotten.
    workshop.obstacles = made;
    Ok(tracks)
}

fn shape(
    obstacle: &Obstacle,
    folder: &Path,
    at: &str,
    (known, made): (&MeshShapes, &mut MeshShapes),
    hashes: &mut BTreeMap<String, [u8; 32]>,
) -> Result<Shape, BuildError> {
    Ok(match &obstacle.shape {
        ObstacleShape::Plane => Shape::Plane,
        ObstacleShape::Sphere { radius } => Shape::Sphere { radius_m: *radius },
        ObstacleShape::Box { size } => Shape::Box { half_m: DVec3::from_array(*size) * 0.5 },
        ObstacleShape::Capsule { radius, length } => Shape::Capsule { half_length_m: 0.5 * length, radius_m: *radius },
        ObstacleShape::Mesh { mesh, unit, up, scale } => {
            let file = MeshSkin { mesh: mesh.clone(), unit: *unit, up: *up };
            let mut meshes = Meshes::in_folder(folder, unwatched());
            let surface = meshes.surface(&file, at)?;
            let (read, _) = meshes.into_parts();
            let key = (format!("{file:?} {scale:?}"), read.get(mesh).copied().unwrap_or_default());
            hashes.extend(read);
            let found = known.0.iter().chain(&made.0).find(|(known, _)| *known == key).map(|(_, shape)| shape.clone());
            let shape = match found {
                Some(shape) => shape,
                None => Arc::new(ready(surface, *scale, mesh, at)?),
            };
            made.0.push((key, shape.clone()));
            Shape::Mesh(shape)
        }
    })
}

fn ready(surface: Surface, scale: f64, file: &str, at: &str) -> Result<MeshShape, BuildError> {
    let Surface::Triangles(mut surface, _) = surface else {
        let what = format!("{file} holds tetrahedra, and an obstacle is made of a surface");
        return Err(BuildError::new(at, what, "give a surface, such as an OBJ, PLY, STL or glTF file"));
    };
    surface.positions.iter_mut().for_each(|x| *x *= scale);
    if surface.triangles.is_empty() {
        return Err(BuildError::new(at, format!("{file} has no triangles"), "export it with its faces"));
    }
    Ok(MeshShape::new(surface))
}
