//! A scene's stage as a show.

use crate::show::{Camera, Show, ShownBody, Sight};
use sinew_bake::{Clock, DirectorSetup, Script, Stage};
use sinew_scene::{Channel3, Scene};
use sinew_solve::{BodyId, FieldQuery, FieldValues, Flesh, Input, Obstacle, StageState, StepError, StepReport};

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
        let bodies = stage.bodies().iter().map(|body| ShownBody {
            name: body.name.clone(),
            path: path_of(scene, &body.name),
            flesh: body.flesh.clone(),
            skin: body.skin.clone(),
            colour: body.colour,
            solver: body.method.title().to_owned(),
        });
        let obstacle_name = |(place, obstacle): (usize, &sinew_scene::Obstacle)| obstacle.name_at(place);
        Self {
            name: name.into(),
            bodies: bodies.collect(),
            obstacle_names: scene.obstacles.iter().enumerate().map(obstacle_name).collect(),
            camera: Some(first_view(&scene.camera, stage.clock().first_frame)),
            stage,
        }
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

/// A copy `jelly-3` is made from the body `jelly`.
fn path_of(scene: &Scene, name: &str) -> String {
    let source = scene.bodies.iter().find(|body| body.has_copy(name)).map_or(name, |body| &body.name);
    format!("body.{source}")
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

    fn look(&mut self, look: &str, at: &Sight<'_>) -> Option<FieldValues> {
        let number = at.body as usize;
        let flesh = self.bodies.get(number)?.flesh.clone();
        let of_directors = FieldQuery::ALL.into_iter().find(|known| known.name() == look);
        if let Some(look) = of_directors {
            let director_states = at.state.and_then(|state| state.director_states.get(number)).map(Vec::as_slice);
            return self.stage.field_of(BodyId(at.body), at.director, look, at.tick, director_states);
        }
        let numbers = match look {
            "speed" => at.state?.bodies.get(number)?.v.iter().map(|v| v.length()).collect(),
            "stretch" => flesh.stretch(at.flesh),
            "contact" if at.is_live => self.contact(at.body, &flesh),
            _ => return None,
        };
        Some(FieldValues::Numbers(numbers))
    }
}
