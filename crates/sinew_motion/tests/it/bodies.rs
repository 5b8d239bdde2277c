//! Bodies and plans that tests share.

use sinew_geom::TetMesh;
use sinew_geom::meshless::MeshlessOptions;
use sinew_geom::structured::bar;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::plan::Frames;
use sinew_motion::*;
use std::sync::Arc;

pub(crate) fn bar_mesh() -> TetMesh {
    bar(dvec3(1.0, 0.3, 0.25), [10, 3, 3])
}

pub(crate) fn bar_shape(nodes: usize) -> Arc<PlanShape> {
    let meshless = MeshlessOptions { nodes, ..MeshlessOptions::default() };
    let options = ShapeOptions { meshless, samples: 600, spheres: 30, ..ShapeOptions::default() };
    Arc::new(PlanShape::over(&bar_mesh(), &options).unwrap())
}

pub(crate) fn rigid(secs: f64, at: DVec3, turn: DQuat) -> PlanKey {
    PlanKey::Pose { at_secs: secs, pose: Pose::Rigid { at, turn } }
}

pub(crate) fn body(shape: &Arc<PlanShape>, keys: Vec<PlanKey>, frames: Frames) -> PlanBody {
    PlanBody { name: "bar".into(), shape: shape.clone(), keys, guesses: Vec::new(), frames, breaks_secs: Vec::new() }
}

pub(crate) fn problem(bodies: Vec<PlanBody>) -> PlanProblem {
    PlanProblem { bodies, obstacles: Vec::new(), weights: PlanWeights::default(), options: PlanOptions::default() }
}

/// Nodal places of the bar bent about z by an angle over its length, then turned and carried.
pub(crate) fn bent(shape: &PlanShape, angle: f64, at: DVec3, turn: DQuat) -> Vec<DVec3> {
    let mesh = bar_mesh();
    let radius = 1.0 / angle;
    let places: Vec<DVec3> = mesh
        .positions
        .iter()
        .map(|x| {
            let p = *x - shape.frame.rest_centre;
            let (s, c) = ((angle * p.x).sin(), (angle * p.x).cos());
            at + turn * dvec3((radius - p.y) * s, radius - (radius - p.y) * c, p.z)
        })
        .collect();
    shape.fit_pose(&mesh.positions, &places).unwrap()
}
