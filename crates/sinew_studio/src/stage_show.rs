//! A scene's stage as a show.

use crate::show::{Camera, Show, ShownBody, Sight};
use sinew_bake::{Clock, DirectorSetup, Script, Seating, Stage};
use sinew_math::DVec3;
use sinew_scene::{Channel3, Scene};
use sinew_solve::{BodyId, Cells, Flesh, Input, Look, Memory, Obstacle, Shown, StageState, StepError, StepReport};

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
            colour: body.colour,
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

    /// The bodies on stage as their directors need them.
    pub(crate) fn seating(&self) -> Vec<Seating> {
        Seating::of(&self.stage)
    }

    /// Where tissue lies against something, 1, and 0 elsewhere.
    fn contact(&self, body: u32, flesh: &Flesh) -> Vec<f64> {
        let mut values = vec![0.0; flesh.point_count()];
        let of_obstacles = &self.stage.contacts()[body as usize];
        let rows = of_obstacles.iter().flat_map(|contact| flesh.anchors.terms(contact.at));
        let spots = self.stage.body_contacts().iter().flat_map(|contact| [contact.vertex, contact.face]);
        let own = spots.filter(|spot| spot.body == BodyId(body)).flat_map(|spot| spot.terms());
        rows.chain(own).for_each(|(point, _)| values[point] = 1.0);
        values
    }
}

/// How long the edges at each point are, over their length at rest.
fn stretch(flesh: &Flesh, now: &[DVec3]) -> Vec<f64> {
    let mut lengths = vec![[0.0; 2]; flesh.point_count()];
    let mut add = |cell: &[u32]| {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[i + 1..] {
                let (a, b) = (a as usize, b as usize);
                let (long, rest) = (now[a].distance(now[b]), flesh.rest[a].distance(flesh.rest[b]));
                for point in [a, b] {
                    lengths[point][0] += long;
                    lengths[point][1] += rest;
                }
            }
        }
    };
    match &flesh.cells {
        Cells::Tets(tets) => tets.iter().for_each(|tet| add(tet)),
        Cells::Shell(triangles) => triangles.iter().for_each(|triangle| add(triangle)),
    }
    lengths.iter().map(|[long, rest]| if *rest > 0.0 { long / rest } else { 1.0 }).collect()
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
        Memory::Springs { .. } => "Springs",
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

    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        self.stage.step(state, input)
    }

    fn redirect(&mut self, directors: Vec<Vec<DirectorSetup>>) {
        self.stage.redirect([], directors);
    }

    fn set_script(&mut self, script: Script) {
        self.stage.set_script(script);
    }

    fn stage(&self) -> Option<&Stage> {
        Some(&self.stage)
    }

    fn look(&mut self, look: &str, at: &Sight<'_>) -> Option<Shown> {
        let number = at.body as usize;
        let flesh = self.bodies.get(number)?.flesh.clone();
        let of_directors = Look::ALL.into_iter().find(|known| known.name() == look);
        if let Some(look) = of_directors {
            let notes = at.state.and_then(|state| state.notes.get(number)).map(Vec::as_slice);
            return self.stage.look_of(BodyId(at.body), at.director, look, at.tick, notes);
        }
        let numbers = match look {
            "speed" => at.state?.bodies.get(number)?.v.iter().map(|v| v.length()).collect(),
            "stretch" => stretch(&flesh, at.flesh),
            "contact" if at.is_live => self.contact(at.body, &flesh),
            _ => return None,
        };
        Some(Shown::Numbers(numbers))
    }
}
