//! Whether a scene of the right shape also makes sense: names that exist, ranges that agree, kinds that fit.

mod body;
mod copies;
mod director;
mod event;
mod paint;
mod place;
mod plan;
mod world;

use crate::model::Scene;
use crate::problem::{Problem, Step};
use place::Place;

/// Everything that makes no sense, each with the way to the value it is about.
pub(crate) fn check(scene: &Scene) -> Vec<(Vec<Step>, Problem)> {
    let mut found = Vec::new();
    let top = Place::top();
    world::check_shot(&scene.shot, &top.key("scene"), &mut found);
    body::check_bodies(&scene.bodies, &top.key("body"), &mut found);
    world::check_obstacles(&scene.obstacles, &top.key("obstacle"), &mut found);
    world::check_camera(&scene.camera, &top.key("camera"), &mut found);
    world::check_light(&scene.light, &top.key("light"), &mut found);
    found
}
