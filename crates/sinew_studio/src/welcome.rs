//! What a page is told about a stage before it sees frames of it.

use crate::protocol::{BodyInfo, CameraInfo, ObstacleInfo, SceneInfo};
use crate::show::{Show, ShownBody};
use crate::wire;
use axum::body::Bytes;
use sinew_solve::Cells;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a page is told of a stage, and what its picks are answered from.
pub(crate) struct Welcome {
    /// Another number for every stage.
    pub(crate) stage: u64,
    pub(crate) scene: SceneInfo,
    pub(crate) models: Vec<Bytes>,
    pub(crate) bodies: Vec<ShownBody>,
}

static NEXT_STAGE: AtomicU64 = AtomicU64::new(1);

impl Welcome {
    pub(crate) fn of(show: &dyn Show) -> Self {
        let bodies = show.bodies().to_vec();
        let mut originals: Vec<usize> = Vec::new();
        let mut infos = Vec::new();
        for (number, body) in bodies.iter().enumerate() {
            let like = |&original: &usize| shares_model(&bodies[original], body);
            let model = originals.iter().position(like).unwrap_or_else(|| {
                originals.push(number);
                originals.len() - 1
            });
            infos.push(body_info(body, model as u32));
        }
        let models =
            originals.iter().enumerate().map(|(i, &body)| wire::model_message(i as u32, &bodies[body])).collect();
        let stage = NEXT_STAGE.fetch_add(1, Ordering::Relaxed);
        Self { stage, scene: scene_info(show, infos, originals.len() as u32), models, bodies }
    }
}

fn shares_model(a: &ShownBody, b: &ShownBody) -> bool {
    Arc::ptr_eq(&a.flesh, &b.flesh) && Arc::ptr_eq(&a.skin, &b.skin)
}

fn body_info(body: &ShownBody, model: u32) -> BodyInfo {
    let (cells, is_shell) = match &body.flesh.cells {
        Cells::Tets(tets) => (tets.len(), false),
        Cells::Shell(triangles) => (triangles.len(), true),
    };
    BodyInfo {
        name: body.name.clone(),
        path: body.path.clone(),
        model,
        solver: body.solver.clone(),
        colour: body.colour,
        points: body.flesh.point_count() as u32,
        cells: cells as u32,
        is_shell,
        mass_kg: body.flesh.total_mass_kg(),
        skin_vertices: body.skin.embedding.len() as u32,
        skin_triangles: body.skin.mesh.triangles.len() as u32,
    }
}

fn scene_info(show: &dyn Show, bodies: Vec<BodyInfo>, model_count: u32) -> SceneInfo {
    let clock = show.clock();
    let camera = show.camera();
    SceneInfo {
        name: show.name().to_owned(),
        fps: [clock.fps.0, clock.fps.1],
        substeps: clock.substeps,
        first_frame: clock.first_frame,
        last_frame: clock.last_frame,
        camera: camera.map(|c| CameraInfo { eye: c.eye, look_at: c.look_at, fov_deg: c.fov_deg }),
        bodies,
        obstacles: obstacle_infos(show),
        model_count,
    }
}

fn obstacle_infos(show: &dyn Show) -> Vec<ObstacleInfo> {
    let named = show.obstacle_names().into_iter().zip(show.obstacles_at(0));
    named
        .map(|(name, obstacle)| ObstacleInfo { path: format!("obstacle.{name}"), name, shape: obstacle.shape.into() })
        .collect()
}
