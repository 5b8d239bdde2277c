//! A scene's stage as a show.

use crate::show::{Camera, Show, ShownBody};
use sinew_bake::{Clock, Stage};
use sinew_scene::{Channel3, Scene};
use sinew_solve::{Input, Memory, Obstacle, StageState, StepError, Warning};

pub struct StageShow {
    name: String,
    stage: Stage,
    bodies: Vec<ShownBody>,
    obstacle_names: Vec<String>,
    camera: Option<Camera>,
}

impl StageShow {
    /// The stage that was built of `scene`, under the name the page shows.
    pub fn new(name: impl Into<String>, scene: &Scene, stage: Stage) -> Self {
        let states = stage.first_state().bodies;
        let bodies = stage.bodies().iter().zip(&states).map(|(body, state)| ShownBody {
            name: body.name.clone(),
            path: path_of(scene, &body.name),
            flesh: body.flesh.clone(),
            skin: body.skin.clone(),
            solver: method_of(&state.memory).to_owned(),
        });
        let obstacle_name = |(i, obstacle): (usize, &sinew_scene::Obstacle)| {
            obstacle.name.clone().unwrap_or_else(|| format!("obstacle-{}", i + 1))
        };
        Self {
            name: name.into(),
            bodies: bodies.collect(),
            obstacle_names: scene.obstacles.iter().enumerate().map(obstacle_name).collect(),
            camera: Some(first_view(&scene.camera, stage.clock().first_frame)),
            stage,
        }
    }
}

/// A copy `jelly-3` is made from the body `jelly`.
fn path_of(scene: &Scene, name: &str) -> String {
    let is_copy_of = |body: &&sinew_scene::Body| {
        let number = name.strip_prefix(body.name.as_str()).and_then(|rest| rest.strip_prefix('-'));
        body.copies.is_some() && number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let source = scene.bodies.iter().find(is_copy_of).map_or(name, |body| &body.name);
    format!("body.{source}")
}

fn method_of(memory: &Memory) -> &'static str {
    match memory {
        Memory::ShapeMatching { .. } => "Shape matching",
        Memory::Fem { .. } => "FEM",
    }
}

/// The scene's camera at its first frame.
fn first_view(camera: &sinew_scene::Camera, first_frame: i32) -> Camera {
    let frame = f64::from(first_frame);
    let point = |channel: &Channel3| channel.value(frame).to_array();
    Camera { eye: point(&camera.eye), look_at: point(&camera.look_at), fov_deg: camera.fov_deg_at(frame) }
}

impl Show for StageShow {
    fn name(&self) -> &str {
        &self.name
    }

    fn clock(&self) -> Clock {
        self.stage.clock()
    }

    fn bodies(&self) -> &[ShownBody] {
        &self.bodies
    }

    fn obstacle_names(&self) -> Vec<String> {
        self.obstacle_names.clone()
    }

    fn obstacles_at(&self, tick: u64) -> Vec<Obstacle> {
        self.stage.obstacles_at(tick)
    }

    fn camera(&self) -> Option<Camera> {
        self.camera
    }

    fn first_state(&self) -> StageState {
        self.stage.first_state()
    }

    fn step(&mut self, state: &mut StageState, input: &[Input], warnings: &mut Vec<Warning>) -> Result<(), StepError> {
        let report = self.stage.step(state, input)?;
        warnings.extend(report.warnings.iter().cloned());
        Ok(())
    }
}
