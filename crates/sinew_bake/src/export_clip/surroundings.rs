//! Camera and obstacles of a scene, for formats that hold them.

use crate::playback::Playback;
use sinew_geom::{TriangleMesh, primitive};
use sinew_io::clip::{ClipCamera, ClipPose, ClipProp};
use sinew_math::{DMat3, DQuat, DVec3, dvec3};
use sinew_solve::{Obstacle, Shape};
use std::ops::RangeInclusive;

/// As pictures show them: a little grey.
const COLOUR: [f32; 3] = [0.42, 0.44, 0.48];

pub(super) fn camera(playback: &Playback, frames: RangeInclusive<i32>) -> ClipCamera {
    let camera = &playback.scene.camera;
    let mut made = ClipCamera::default();
    for frame in frames.map(f64::from) {
        let (eye, target) = (camera.eye.value(frame), camera.look_at.value(frame));
        let back = (eye - target).try_normalize().unwrap_or(DVec3::Z);
        // Straight down or up there is no upright picture; any will do.
        let side = DVec3::Y.cross(back).try_normalize().unwrap_or(DVec3::X);
        let turn = DQuat::from_mat3(&DMat3::from_cols(side, back.cross(side), back));
        made.poses.push(pose(eye, turn));
        made.fov_y_deg.push(camera.fov_deg_at(frame) as f32);
    }
    made
}

pub(super) fn props(playback: &Playback, frames: RangeInclusive<i32>) -> Vec<ClipProp> {
    let stage = &playback.built.stage;
    let placed: Vec<Vec<Obstacle>> = frames.map(|frame| stage.obstacles_at(stage.clock().tick_of(frame))).collect();
    let Some(first) = placed.first() else { return Vec::new() };
    let mut taken: Vec<String> = stage.bodies().iter().map(|body| body.name.clone()).collect();
    let size_m = bodies_size_m(playback);
    let prop = |(number, obstacle): (usize, &Obstacle)| {
        let named = playback.scene.obstacles.get(number).and_then(|obstacle| obstacle.name.clone());
        let name = free_name(named.unwrap_or_else(|| format!("obstacle-{}", number + 1)), &taken);
        taken.push(name.clone());
        let TriangleMesh { positions, triangles } = mesh_of(&obstacle.shape, size_m);
        let positions = positions.iter().map(|x| x.to_array().map(|c| c as f32)).collect();
        let poses = placed.iter().map(|at| pose(at[number].at, at[number].turn)).collect();
        ClipProp { name, positions, triangles, colour: COLOUR, poses }
    };
    first.iter().enumerate().map(prop).collect()
}

fn pose(at: DVec3, turn: DQuat) -> ClipPose {
    ClipPose { at: at.to_array().map(|c| c as f32), turn: turn.to_array().map(|c| c as f32) }
}

fn bodies_size_m(playback: &Playback) -> f64 {
    let size = |body: &crate::StageBody| {
        let bounds = |(low, high): (DVec3, DVec3), x: &DVec3| (low.min(*x), high.max(*x));
        let (low, high) = body.flesh.rest.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), bounds);
        (high - low).length()
    };
    playback.built.stage.bodies().iter().map(size).fold(1e-3, f64::max)
}

/// A plane has no end; of it there is a square, ten times the largest body to each side.
fn mesh_of(shape: &Shape, size_m: f64) -> TriangleMesh {
    match shape {
        Shape::Plane => {
            let r = 10.0 * size_m;
            let positions = vec![dvec3(-r, 0.0, -r), dvec3(-r, 0.0, r), dvec3(r, 0.0, r), dvec3(r, 0.0, -r)];
            TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }
        }
        Shape::Sphere { radius_m } => primitive::capsule(*radius_m, 0.0, 48),
        Shape::Capsule { half_length_m, radius_m } => primitive::capsule(*radius_m, *half_length_m, 48),
        Shape::Box { half_m } => primitive::cuboid(*half_m),
        Shape::Mesh(mesh) => mesh.mesh().clone(),
    }
}

/// `box`, or `box-2` where a body or another obstacle has that name.
fn free_name(name: String, taken: &[String]) -> String {
    let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
    names.find(|name| !taken.contains(name)).unwrap_or(name)
}
