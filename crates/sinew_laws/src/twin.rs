//! Twins: the same scene in another place, another frame, other units, with finer steps or another solver (metamorphic relations; Chen, Cheung, Yiu, 1998).

use crate::{Case, Law};
use serde::{Deserialize, Serialize};
use sinew_direct::Turn;
use sinew_math::{DQuat, DVec3, dvec3, libm};
use sinew_scene::{
    Channel3, Direction, FemMethod, Flesh, Grown, Model, ObstacleShape, Skin, Solver, VertexSet, constant3,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Twin {
    Moved,
    Turned,
    Units,
    Finer,
    OtherSolver,
}

/// Metres that the moved twin is away.
const AWAY: DVec3 = dvec3(1000.0, 0.0, -1000.0);
/// Degrees that the turned twin is turned about the vertical.
const TURN_DEG: f64 = 37.0;
/// Newton steps and tolerance of the solver that descent is held against.
const REFERENCE: (u32, f64) = (30, 1e-6);

impl Twin {
    pub const ALL: [Self; 5] = [Self::Moved, Self::Turned, Self::Units, Self::Finer, Self::OtherSolver];

    /// The law that the twin is held to.
    pub fn law(self) -> Law {
        match self {
            Self::Moved => Law::Moved,
            Self::Turned => Law::Turned,
            Self::Units => Law::Units,
            Self::Finer => Law::Finer,
            Self::OtherSolver => Law::OtherSolver,
        }
    }

    /// The twin's case; none where the scene has something that cannot be told in that way.
    pub fn of(self, case: &Case) -> Option<Case> {
        let mut twin = case.clone();
        match self {
            Self::Moved => moved(&mut twin, AWAY)?,
            Self::Turned => turned(&mut twin)?,
            Self::Units => units(&mut twin, self.scale(case), 2.0)?,
            Self::Finer => twin.scene.shot.substeps = (2 * twin.scene.shot.substeps).min(1000),
            Self::OtherSolver => other_solver(&mut twin)?,
        }
        Some(twin)
    }

    /// Where the twin should have what is at `x`.
    pub fn carry(self, case: &Case, x: DVec3) -> DVec3 {
        match self {
            Self::Moved => x + AWAY,
            Self::Turned => about_vertical() * x,
            Self::Units => x * self.scale(case),
            Self::Finer | Self::OtherSolver => x,
        }
    }

    /// How much larger the twin is.
    pub fn scale(self, case: &Case) -> f64 {
        let is_large =
            case.scene.bodies.iter().any(|body| body.scale.0[0] > 1.0 || DVec3::from_array(body.at).length() > 10.0);
        match self {
            Self::Units if is_large => 0.125,
            Self::Units => 8.0,
            _ => 1.0,
        }
    }
}

fn about_vertical() -> DQuat {
    DQuat::from_rotation_y(TURN_DEG.to_radians())
}

/// Scenes in which places are given in the world by more than bodies, obstacles and hands have no moved twin.
fn has_places(case: &Case) -> bool {
    let names_a_place = |direction: &Direction| match direction {
        Direction::Goal(goal) => goal.to.is_some(),
        Direction::Path(_) | Direction::TakeEdit(_) | Direction::Plan(_) => true,
        _ => false,
    };
    case.scene.bodies.iter().flat_map(|body| &body.directors).any(|director| names_a_place(&director.direction))
}

fn shifted(channels: &Channel3, by: DVec3) -> Option<Channel3> {
    map(channels, |values| values + by)
}

/// A track with every key's value changed; tracks whose three channels have different keys cannot be turned.
fn map(channels: &Channel3, change: impl Fn(DVec3) -> DVec3) -> Option<Channel3> {
    let values = |at: f64| change(channels.value(at)).to_array();
    let mut frames: Vec<f64> = Vec::new();
    for channel in &channels.0 {
        if let sinew_math::Number::Curve(curve) = &channel.0 {
            if curve.wiggle().is_some()
                || curve.outside() != sinew_math::Outside::Hold
                || curve.keys().iter().any(|k| k.to_next != sinew_math::Interpolation::Linear)
            {
                return None;
            }
            frames.extend(curve.keys().iter().map(|key| key.at));
        }
    }
    if frames.is_empty() {
        return Some(constant3(values(0.0)));
    }
    frames.sort_unstable_by(f64::total_cmp);
    frames.dedup();
    let channel = |axis: usize| {
        let keys: Vec<serde_json::Value> = frames.iter().map(|&at| serde_json::json!([at, values(at)[axis]])).collect();
        sinew_scene::Channel::from_json(&serde_json::Value::Array(keys)).ok()
    };
    Some(Channel3([channel(0)?, channel(1)?, channel(2)?]))
}

fn moved(case: &mut Case, by: DVec3) -> Option<()> {
    if has_places(case) {
        return None;
    }
    for body in &mut case.scene.bodies {
        body.at = (DVec3::from_array(body.at) + by).to_array();
    }
    for obstacle in &mut case.scene.obstacles {
        obstacle.at = shifted(&obstacle.at, by)?;
    }
    for tug in &mut case.tugs {
        tug.to = (DVec3::from_array(tug.to) + by).to_array();
    }
    Some(())
}

fn turned(case: &mut Case) -> Option<()> {
    if has_places(case) {
        return None;
    }
    let turn = about_vertical();
    let carry = |x: [f64; 3]| (turn * DVec3::from_array(x)).to_array();
    let scene = &mut case.scene;
    scene.shot.gravity = map(&scene.shot.gravity, |g| turn * g)?;
    if let Some(medium) = &mut scene.medium {
        medium.wind = map(&medium.wind, |wind| turn * wind)?;
    }
    for body in &mut scene.bodies {
        body.at = carry(body.at);
        body.velocity = carry(body.velocity);
        body.turn = degrees(turn * Turn::from_degrees(body.turn.into())).to_array();
        for director in &mut body.directors {
            match &mut director.direction {
                Direction::Force(force) => force.newton = map(&force.newton, |f| turn * f)?,
                Direction::Goal(goal) => goal.offset = goal.offset.as_ref().and_then(|o| map(o, |x| turn * x)),
                Direction::Pin(pin) => {
                    pin.offset = map(&pin.offset, |x| turn * x)?;
                    // A pin's turn is about the world's axes.
                    if pin.turn != Channel3::default() {
                        return None;
                    }
                }
                _ => {}
            }
        }
    }
    for obstacle in &mut scene.obstacles {
        obstacle.at = map(&obstacle.at, |x| turn * x)?;
        let is_still = obstacle.turn.0.iter().all(|channel| channel.written_values().len() == 1);
        if !is_still {
            return None;
        }
        obstacle.turn = map(&obstacle.turn, |t| degrees(turn * Turn::from_degrees(t)))?;
    }
    for tug in &mut case.tugs {
        tug.to = carry(tug.to);
    }
    Some(())
}

/// Angles about x, then y, then z, of a turn.
fn degrees(turn: DQuat) -> DVec3 {
    let m = sinew_math::DMat3::from_quat(turn);
    let y = libm::asin((-m.x_axis.z).clamp(-1.0, 1.0));
    let x = libm::atan2(m.y_axis.z, m.z_axis.z);
    let z = libm::atan2(m.x_axis.y, m.x_axis.x);
    dvec3(x.to_degrees(), y.to_degrees(), z.to_degrees())
}

/// Lengths times `l`, masses times `m`, time as it is: accelerations go with l, stiffness with m / l, forces with m l.
fn units(case: &mut Case, l: f64, m: f64) -> Option<()> {
    let scene = &mut case.scene;
    scene.shot.gravity = map(&scene.shot.gravity, |g| g * l)?;
    if let Some(medium) = &mut scene.medium {
        // Drag goes with the square of speed: N per m² and (m/s)² are kg/m³.
        let times = |channel: &sinew_scene::Channel, by: f64| match channel.written_values()[..] {
            [value] => Some(sinew_scene::Channel::constant(value * by)),
            _ => None,
        };
        medium.normal_drag = times(&medium.normal_drag, m / (l * l * l))?;
        medium.tangential_drag = times(&medium.tangential_drag, m / (l * l * l))?;
        medium.wind = map(&medium.wind, |wind| wind * l)?;
    }
    for body in &mut scene.bodies {
        resize(body, l)?;
        body.at = body.at.map(|x| x * l);
        body.velocity = body.velocity.map(|v| v * l);
        let values = body.material.values();
        body.material.density_kg_m3 = Some(values.density_kg_m3 * m / (l * l * l));
        body.material.young_pa = Some(values.young_pa * m / l);
        for director in &mut body.directors {
            match &mut director.direction {
                Direction::Force(force) => force.newton = map_any(&force.newton, m * l)?,
                Direction::Goal(goal) => {
                    goal.offset = goal.offset.as_ref().and_then(|o| map_any(o, l));
                    goal.to = goal.to.as_ref().and_then(|o| map_any(o, l));
                }
                Direction::Pin(pin) => pin.offset = map_any(&pin.offset, l)?,
                Direction::Path(path) => path.at = map_any(&path.at, l)?,
                Direction::TakeEdit(_) | Direction::Plan(_) => return None,
                _ => {}
            }
        }
        for set in body.sets.values_mut() {
            match set {
                VertexSet::Box { bounds } => {
                    bounds.min = bounds.min.map(|x| x * l);
                    bounds.max = bounds.max.map(|x| x * l);
                }
                VertexSet::Sphere { sphere } => {
                    sphere.centre = sphere.centre.map(|x| x * l);
                    sphere.radius *= l;
                }
                VertexSet::Strokes { strokes, radius } => {
                    strokes.iter_mut().flat_map(|line| &mut line.0).for_each(|x| *x = x.map(|c| c * l));
                    *radius *= l;
                }
                _ => {}
            }
        }
    }
    for obstacle in &mut scene.obstacles {
        obstacle.at = map_any(&obstacle.at, l)?;
        obstacle.shape = match obstacle.shape.clone() {
            ObstacleShape::Plane => ObstacleShape::Plane,
            ObstacleShape::Sphere { radius } => ObstacleShape::Sphere { radius: radius * l },
            ObstacleShape::Box { size } => ObstacleShape::Box { size: size.map(|s| s * l) },
            ObstacleShape::Capsule { radius, length } => {
                ObstacleShape::Capsule { radius: radius * l, length: length * l }
            }
            ObstacleShape::Mesh { mesh, unit, up, scale } => ObstacleShape::Mesh { mesh, unit, up, scale: scale * l },
        };
    }
    for tug in &mut case.tugs {
        tug.at = tug.at.map(|x| x * l);
        tug.to = tug.to.map(|x| x * l);
    }
    Some(())
}

/// A track times a number, whatever its keys.
fn map_any(channels: &Channel3, by: f64) -> Option<Channel3> {
    let times = |channel: &sinew_scene::Channel| match &channel.0 {
        sinew_math::Number::Constant(value) => Some(sinew_scene::Channel::constant(value * by)),
        sinew_math::Number::Curve(curve) => {
            let keys = curve.keys().iter().map(|key| sinew_math::Key { value: key.value * by, ..*key }).collect();
            let scaled = sinew_math::Curve::new(keys, curve.outside()).ok()?;
            let curve = match curve.wiggle() {
                Some(wiggle) => scaled.with_wiggle(wiggle).ok()?,
                None => scaled,
            };
            Some(sinew_scene::Channel(sinew_math::Number::Curve(curve)))
        }
    };
    let [x, y, z] = &channels.0;
    Some(Channel3([times(x)?, times(y)?, times(z)?]))
}

/// A body `l` times as large. Models with lengths of their own are given others, so that what is made of them is the same but larger.
fn resize(body: &mut sinew_scene::Body, l: f64) -> Option<()> {
    if let Flesh::Grown(Grown::Shell { thickness, .. }) = &mut body.flesh {
        *thickness *= l;
    }
    match &mut body.skin {
        Skin::Model(Model::Bar { size, .. }) => *size = size.map(|s| s * l),
        Skin::Model(Model::Cloth { size, .. }) => *size = size.map(|s| s * l),
        Skin::Model(Model::Cylinder { radius, height, .. }) => (*radius, *height) = (*radius * l, *height * l),
        Skin::Model(Model::Ball { radius, .. }) => *radius *= l,
        Skin::Model(Model::Bell { radius, height, thickness, .. }) => {
            (*radius, *height, *thickness) = (*radius * l, *height * l, *thickness * l);
        }
        Skin::Model(Model::Worm { length, radius, .. }) => (*length, *radius) = (*length * l, *radius * l),
        Skin::Model(_) | Skin::Mesh(_) => body.scale.0 = body.scale.0.map(|s| s * l),
        Skin::Parts(_) => return None,
    }
    Some(())
}

fn other_solver(case: &mut Case) -> Option<()> {
    let mut has_descent = false;
    for body in &mut case.scene.bodies {
        if let Solver::Fem { method, newton_iterations, tolerance, .. } = &mut body.solver
            && *method == FemMethod::Descent
        {
            (*method, has_descent) = (FemMethod::Newton, true);
            (*newton_iterations, *tolerance) = REFERENCE;
        }
    }
    has_descent.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_come_back_from_a_turn() {
        let turn = Turn::from_degrees(dvec3(20.0, -50.0, 130.0));
        assert!(degrees(turn).distance(dvec3(20.0, -50.0, 130.0)) < 1e-9);
    }
}
