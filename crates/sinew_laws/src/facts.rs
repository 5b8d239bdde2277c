//! What a scene says about itself: which laws apply to it, and the outer forces that its bodies feel.

use crate::Case;
use sinew_bake::Stage;
use sinew_direct::muscle::PathLine;
use sinew_math::DVec3;
use sinew_scene::{Axis, Body, Channel3, Direction, Flesh as SceneFlesh, Grown, Model, ObstacleShape, Skin, Solver};
use sinew_scene::{FemElements, FemMethod, FemTime, SpringsMethod, VertexSet};
use sinew_solve::Flesh;

/// A scene as laws see it.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Constant over the shot, or the scene is judged by fewer laws.
    pub gravity: Option<DVec3>,
    pub h_secs: f64,
    pub substeps: u32,
    pub first_frame: i32,
    pub has_medium: bool,
    pub has_wind: bool,
    /// No obstacle moves.
    pub obstacles_are_still: bool,
    /// Its ground: a level plane that does not move, and how high it is.
    pub ground_m: Option<f64>,
    pub obstacle_count: usize,
    /// In the stage's order.
    pub bodies: Vec<BodyFacts>,
}

/// A body as laws see it.
#[derive(Debug, Clone)]
pub struct BodyFacts {
    pub name: String,
    /// Its solver in a word.
    pub solver: &'static str,
    pub mass_kg: f64,
    /// Diagonal of its box at rest.
    pub size_m: f64,
    pub volume_m3: f64,
    pub young_pa: f64,
    pub density_kg_m3: f64,
    pub poisson: f64,
    pub wobble_per_sec: f64,
    pub rayleigh_mass_per_sec: f64,
    pub rayleigh_stiffness_secs: f64,
    /// Sides of a bar; none of another shape.
    pub bar_m: Option<DVec3>,
    pub is_sheet: bool,
    /// Has no turn at the start.
    pub is_upright: bool,
    pub starts_at_rest_shape: bool,
    pub velocity: DVec3,
    pub restitution: f64,
    /// Pins that never move, by the points that they hold.
    pub pinned: Vec<u32>,
    pub has_moving_pin: bool,
    /// Goals, paths and hands: forces from outside that the scene does not give in newton.
    pub is_led: bool,
    /// Muscles and rest shapes that change: work done within.
    pub is_active: bool,
    pub has_changing_material: bool,
    pub forces: Vec<ForceFacts>,
    pub mass_of_point: Vec<f64>,
}

/// A force and the points it acts on, shared by mass.
#[derive(Debug, Clone)]
pub struct ForceFacts {
    pub points: Vec<u32>,
    pub points_kg: f64,
    pub newton: Channel3,
    /// The largest it gets, as written.
    pub most_n: f64,
    /// The last frame at which it changes.
    pub changes_until: f64,
}

impl Facts {
    pub fn of(case: &Case, stage: &Stage) -> Self {
        let scene = &case.scene;
        let clock = stage.clock();
        let is_constant = |channels: &Channel3| channels.0.iter().all(|channel| channel.written_values().len() == 1);
        let first = f64::from(clock.first_frame);
        let ground = scene.obstacles.iter().find(|obstacle| {
            matches!(obstacle.shape, ObstacleShape::Plane)
                && is_constant(&obstacle.at)
                && is_constant(&obstacle.turn)
                && obstacle.turn.value(first) == DVec3::ZERO
        });
        let bodies = stage.bodies().iter().filter_map(|on_stage| {
            let body = scene.body(&on_stage.name)?;
            let is_tugged = case.tugs.iter().any(|tug| tug.body == body.name);
            Some(BodyFacts::of(body, &on_stage.flesh, is_tugged))
        });
        let wind = scene.medium.as_ref().map(|medium| &medium.wind);
        Self {
            gravity: is_constant(&scene.shot.gravity).then(|| scene.shot.gravity.value(first)),
            h_secs: clock.secs(1, 0.0),
            substeps: clock.substeps,
            first_frame: clock.first_frame,
            has_medium: scene.medium.is_some(),
            has_wind: wind.is_some_and(|wind| !(is_constant(wind) && wind.value(first) == DVec3::ZERO)),
            obstacles_are_still: scene.obstacles.iter().all(|o| is_constant(&o.at) && is_constant(&o.turn)),
            ground_m: ground.map(|ground| ground.at.value(first).y),
            obstacle_count: scene.obstacles.len(),
            bodies: bodies.collect(),
        }
    }

    /// The frame number at the end of the interval that leads to a tick.
    pub fn frame_at(&self, tick: usize) -> f64 {
        f64::from(self.first_frame) + tick as f64 / f64::from(self.substeps)
    }
}

impl BodyFacts {
    fn of(body: &Body, flesh: &Flesh, is_tugged: bool) -> Self {
        let values = body.material.values();
        let bar_m = match &body.skin {
            Skin::Model(Model::Bar { size, .. }) => Some(DVec3::from_array(*size) * DVec3::from_array(body.scale.0)),
            _ => None,
        };
        let is_sheet = matches!(body.flesh, SceneFlesh::Grown(Grown::Shell { .. }));
        let mass_kg = flesh.total_mass_kg();
        let mut facts = Self {
            name: body.name.clone(),
            solver: solver_word(&body.solver, is_sheet),
            mass_kg,
            size_m: flesh.size_m(),
            volume_m3: mass_kg / values.density_kg_m3,
            young_pa: values.young_pa,
            density_kg_m3: values.density_kg_m3,
            poisson: values.poisson,
            wobble_per_sec: values.damping.wobble_per_sec,
            rayleigh_mass_per_sec: values.damping.rayleigh_mass_per_sec,
            rayleigh_stiffness_secs: values.damping.rayleigh_stiffness_secs,
            bar_m,
            is_sheet,
            is_upright: body.turn == [0.0; 3],
            starts_at_rest_shape: body.start == sinew_scene::Start::Rest,
            velocity: DVec3::from_array(body.velocity),
            restitution: body.restitution,
            pinned: Vec::new(),
            has_moving_pin: false,
            is_led: is_tugged,
            is_active: false,
            has_changing_material: !body.material.fields.are_none(),
            forces: Vec::new(),
            mass_of_point: flesh.mass_kg.clone(),
        };
        for director in body.directors.iter().filter(|director| !director.mute) {
            facts.add(body, flesh, &director.direction);
        }
        facts
    }

    fn add(&mut self, body: &Body, flesh: &Flesh, direction: &Direction) {
        match direction {
            Direction::Muscle(_) | Direction::RestShape(_) | Direction::KeyShapes(_) => self.is_active = true,
            Direction::Material(_) => self.has_changing_material = true,
            Direction::Goal(_)
            | Direction::Path(_)
            | Direction::TakeEdit(_)
            | Direction::Plan(_)
            | Direction::Metaphor(_) => {
                self.is_led = true;
            }
            Direction::Pin(pin) => {
                let moves = |channels: &Channel3| channels.0.iter().any(|channel| channel.written_values().len() > 1);
                self.has_moving_pin |= moves(&pin.offset) || moves(&pin.turn);
                self.pinned.extend(points_of(body, flesh, &pin.on));
            }
            Direction::Force(force) => {
                let points = points_of(body, flesh, &force.on);
                let most = |channel: &sinew_scene::Channel| {
                    channel.written_values().iter().fold(0.0f64, |most, value| most.max(value.abs()))
                };
                let last = |channel: &sinew_scene::Channel| match &channel.0 {
                    sinew_math::Number::Constant(_) => f64::NEG_INFINITY,
                    sinew_math::Number::Curve(curve) => curve.keys().last().map_or(f64::NEG_INFINITY, |key| key.at),
                };
                let [x, y, z] = force.newton.0.each_ref().map(most);
                self.forces.push(ForceFacts {
                    points_kg: points.iter().map(|&point| flesh.mass_kg[point as usize]).sum(),
                    points,
                    most_n: DVec3::new(x, y, z).length(),
                    changes_until: force.newton.0.iter().map(last).fold(f64::NEG_INFINITY, f64::max),
                    newton: force.newton.clone(),
                });
            }
        }
    }

    /// Feels nothing from outside but gravity, forces in newton and contact.
    pub fn is_free(&self) -> bool {
        self.pinned.is_empty() && !self.has_moving_pin && !self.is_led
    }

    /// Every force that its material and solver exert is given by the scene's numbers: no work is done within.
    pub fn is_passive(&self) -> bool {
        !self.is_active && !self.has_changing_material && self.starts_at_rest_shape
    }

    /// The largest sum of the forces on it.
    pub fn most_force_n(&self) -> f64 {
        self.forces.iter().map(|force| force.most_n).sum()
    }
}

/// The points of a set, as the stage finds them.
fn points_of(body: &Body, flesh: &Flesh, name: &str) -> Vec<u32> {
    let all = || (0..flesh.point_count() as u32).collect();
    let Some(set) = body.sets.get(name) else { return all() };
    let fold = |f: fn(DVec3, DVec3) -> DVec3, from| flesh.rest.iter().fold(from, |so_far, x| f(so_far, *x));
    let (low, high) = (fold(DVec3::min, DVec3::INFINITY), fold(DVec3::max, DVec3::NEG_INFINITY));
    let is_at_side = |x: DVec3, side: Axis, within: f64| {
        let axis = side.index();
        let depth = if side.is_negative() { x[axis] - low[axis] } else { high[axis] - x[axis] };
        depth <= within * (high[axis] - low[axis]) + 1e-9 * (high - low).length()
    };
    let holds = |point: &u32| {
        let x = flesh.rest[*point as usize];
        match set {
            VertexSet::All { all } => *all,
            VertexSet::Side { side, within } => is_at_side(x, *side, *within),
            VertexSet::Box { bounds } => {
                x.cmpge(DVec3::from_array(bounds.min)).all() && x.cmple(DVec3::from_array(bounds.max)).all()
            }
            VertexSet::Sphere { sphere } => x.distance(DVec3::from_array(sphere.centre)) <= sphere.radius,
            VertexSet::Strokes { strokes, radius } => strokes.iter().any(|line| {
                let points = line.0.iter().copied().map(DVec3::from_array).collect();
                PathLine::new(points).is_some_and(|line| line.distance(x) <= *radius)
            }),
            VertexSet::Vertices { vertices } => vertices.contains(&flesh.file_order[*point as usize]),
        }
    };
    (0..flesh.point_count() as u32).filter(holds).collect()
}

/// A solver and what matters of its options, in a word.
fn solver_word(solver: &Solver, is_sheet: bool) -> &'static str {
    match solver {
        Solver::ShapeMatching { .. } => "shape",
        Solver::Fem { method: FemMethod::Descent, .. } => "descent",
        Solver::Fem { time: FemTime::Midpoint, .. } => "midpoint",
        Solver::Fem { elements: FemElements::Smoothed, .. } => "smoothed",
        Solver::Fem { .. } => "newton",
        Solver::Springs { .. } if is_sheet => "sheet",
        Solver::Springs { method: SpringsMethod::Adaptive, .. } => "adaptive",
        Solver::Springs { .. } => "springs",
    }
}
