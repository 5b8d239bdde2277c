//! Scene directors become running ones.

use super::painting::{no_answer, painting};
use super::{BuildError, Copied, Placed, key_shapes, metaphors, plan, sets, take_edit, track3};
use crate::keys::KeyShelf;
use sinew_direct::muscle::{Beat, Canvas, Charts, Muscle, Response, VolumeMode};
use sinew_direct::{
    CarriedPath, Force, GoalTo, Held, MaterialOver, Path, PathTurn, PinTo, Planned, RestShape, TakeEdit, Track3, Turn,
};
use sinew_math::{DQuat, DVec3, Number, RotationCurve};
use sinew_scene::model;
use sinew_scene::{Amplitude, Body, Channel3, ContactRule, Direction, Scene, Stimulus, Volume};
use sinew_solve::{Director, Flesh, Row};
use sinew_stage::DirectorSetup;
use std::sync::Arc;

/// The body's own directors in the scene's order, without the muted ones.
pub(super) fn seat(
    scene: &Scene,
    body: &Body,
    canvas: &Canvas,
    shelf: &KeyShelf,
    copy: &Copied,
) -> Result<Vec<DirectorSetup>, BuildError> {
    let mut seated = Vec::new();
    for (number, director) in body.directors.iter().enumerate().filter(|(_, director)| !director.mute) {
        let name = director.name_at(number);
        let (flesh, placed, ahead, copy) = (canvas.flesh(), copy.placed, copy.ahead, copy.number);
        let place = Place { scene, body, flesh, canvas, shelf, placed, ahead, copy, name: &name, number };
        seated.push(DirectorSetup {
            director: place.make(&director.direction)?,
            weight: director.weight.0.clone(),
            name,
        });
    }
    Ok(seated)
}

/// A path of the scene; `at` is its place there.
pub(crate) fn path_of(path: &model::Path, at: &str) -> Result<Path, BuildError> {
    let keys: Vec<(f64, DQuat)> = path.turns.iter().map(|key| (key.frame, DQuat::from_array(key.turn))).collect();
    let curve = (!keys.is_empty()).then(|| RotationCurve::new(&keys)).transpose().map_err(|error| {
        BuildError::new(format!("{at}.turns"), error.to_string(), "give every key a frame of its own and a turn")
    })?;
    let angles = || path.turn.as_ref().map(|turn| PathTurn::Angles(Turn(track3(turn))));
    Ok(Path {
        at: track3(&path.at),
        turn: curve.map(PathTurn::Curve).or_else(angles),
        strength: path.strength.0.clone(),
        yields_to_contact: path.contact == ContactRule::Wins,
        mean_rotation: path.paper,
    })
}

/// Where a director sits.
struct Place<'a> {
    scene: &'a Scene,
    body: &'a Body,
    flesh: &'a Flesh,
    canvas: &'a Canvas,
    shelf: &'a KeyShelf,
    placed: Placed,
    /// Cycles by which its muscles are ahead.
    ahead: f64,
    /// Which copy of the body, from 0.
    copy: usize,
    name: &'a str,
    /// Its number on the body.
    number: usize,
}

impl Place<'_> {
    fn make(&self, direction: &Direction) -> Result<Box<dyn Director>, BuildError> {
        Ok(match direction {
            Direction::Muscle(muscle) => Box::new(self.muscle(muscle)?),
            Direction::RestShape(shape) => Box::new(self.rest_shape(shape)?),
            Direction::KeyShapes(shapes) => {
                let at = format!("body.{}.director[{}]", self.body.name, self.number);
                Box::new(key_shapes::make(shapes, self.flesh, self.shelf, &at)?)
            }
            Direction::TakeEdit(edit) => {
                let at = format!("body.{}.director[{}]", self.body.name, self.number);
                let take = take_edit::make(self.scene, self.body, edit, self.flesh, self.shelf, &at)?;
                Box::new(TakeEdit::new(take, edit.contact == ContactRule::Wins))
            }
            Direction::Plan(model) => {
                let at = format!("body.{}.director[{}]", self.body.name, self.number);
                let (body, flesh, shelf, placed, copy) = (self.body, self.flesh, self.shelf, self.placed, self.copy);
                let seat = plan::PlanSeat { body, flesh, shelf, placed, copy, at: &at };
                Box::new(Planned::new(
                    Arc::new(seat.planned(self.scene, model)?),
                    model.secondary.0.clone(),
                    track3(&self.scene.shot.gravity),
                ))
            }
            Direction::Force(force) => {
                let on = self.points(&force.on)?.into_iter().map(Row).collect();
                Box::new(Force { on, newton: track3(&force.newton) })
            }
            Direction::Goal(goal) => Box::new(self.goal(goal)?),
            Direction::Pin(pin) => {
                Box::new(PinTo { held: self.held(&pin.on, track3(&pin.offset), track3(&pin.turn))? })
            }
            Direction::Path(path) => {
                let at = format!("body.{}.director[{}]", self.body.name, self.number);
                let path = path_of(path, &at)?;
                let (from, own) =
                    (DVec3::from_array(self.body.at), Turn::from_degrees(DVec3::from_array(self.body.turn)));
                if self.body.copies.is_none() {
                    return Ok(Box::new(path));
                }
                Box::new(CarriedPath { path, from, to: self.placed.at, turn: self.placed.turn * own.inverse() })
            }
            Direction::Metaphor(metaphor) => {
                let strength = metaphors::strength(self.scene, self.body, self.flesh);
                Box::new(metaphors::make(self.body, self.name, metaphor, self.flesh, &strength)?)
            }
            Direction::Material(change) => Box::new(MaterialOver {
                points: self.points(change.on.as_deref().unwrap_or(model::ALL))?,
                point_count: self.flesh.point_count(),
                stiffness: change.stiffness.0.clone(),
                damping: change.damping.0.clone(),
            }),
        })
    }

    fn points(&self, set: &str) -> Result<Vec<u32>, BuildError> {
        sets::points(self.body, self.flesh, set, &format!("director.{}", self.name))
    }

    fn held(&self, set: &str, shift: Track3, turn: Track3) -> Result<Held, BuildError> {
        let start = |point: u32| (Row(point), self.placed.world(self.flesh.rest[point as usize]));
        Ok(Held::new(self.points(set)?.into_iter().map(start).collect(), shift, Turn(turn)))
    }

    fn goal(&self, goal: &model::Goal) -> Result<GoalTo, BuildError> {
        let points = self.points(&goal.on)?;
        let shift = match (&goal.to, &goal.offset) {
            (Some(to), _) => {
                let places = points.iter().map(|&p| self.placed.world(self.flesh.rest[p as usize]));
                from(to, places.sum::<DVec3>() / points.len() as f64)
            }
            (None, Some(offset)) => track3(offset),
            (None, None) => Track3::constant(DVec3::ZERO),
        };
        let held = self.held(&goal.on, shift, Track3::constant(DVec3::ZERO))?;
        Ok(GoalTo { held, settle_secs: goal.settle.0.clone() })
    }

    fn rest_shape(&self, shape: &model::RestShape) -> Result<RestShape, BuildError> {
        let (axis, about) = (shape.along.direction(), shape.bend_about.direction());
        if shape.along.index() == shape.bend_about.index() {
            return Err(BuildError::new(
                format!("body.{}.director.{}.bend_about", self.body.name, self.name),
                "a body cannot be bent about its own long axis",
                "choose an axis across `along`, or use twist_deg",
            ));
        }
        Ok(RestShape {
            points: self.points(shape.on.as_deref().unwrap_or(model::ALL))?,
            scale: track3(&shape.scale),
            twist_deg: shape.twist_deg.0.clone(),
            bend_deg: shape.bend_deg.0.clone(),
            axis,
            bend_to: about.cross(axis),
        })
    }

    fn muscle(&self, muscle: &model::Muscle) -> Result<Muscle, BuildError> {
        let chart = |chart: &Option<model::Chart>| chart.as_ref().map(|chart| chart.0.clone());
        let charts = Charts {
            primary: muscle.primary.0.clone(),
            secondary: chart(&muscle.secondary),
            tertiary: chart(&muscle.tertiary),
            volume: match muscle.volume {
                Volume::Both => VolumeMode::Both,
                Volume::Secondary => VolumeMode::SecondaryOnly,
                Volume::Off => VolumeMode::Off,
            },
            beat: Beat::new(muscle.period.0.clone()),
            rate_limit: muscle.rate_limit,
        };
        let gain = match &muscle.amplitude {
            Amplitude::Even(value) => value.0.clone(),
            Amplitude::Field(_) => Number::Constant(1.0),
        };
        let speed = muscle.phase.is_some().then(|| muscle.speed.0.clone());
        let at = || format!("body.{}.director.{}", self.body.name, self.name);
        let made = self.canvas.muscle(charts, &painting(muscle), speed).map_err(|error| no_answer(at(), error))?;
        let made = made.with_gain(gain).ahead_by(self.ahead);
        Ok(match &muscle.respond {
            Some(respond) => made.responding(response(respond), self.flesh, muscle.speed.0.clone()),
            None => made,
        })
    }
}

fn response(respond: &model::Respond) -> Response {
    Response {
        to_touch: respond.to.contains(&Stimulus::Touch),
        to_contact: respond.to.contains(&Stimulus::Contact),
        damping: respond.damping,
        refractory_secs: respond.refractory,
        touches: respond.touches.iter().map(|touch| (touch.frame, DVec3::from_array(touch.at))).collect(),
    }
}

/// A track of world positions as offsets from where the set starts.
fn from(to: &Channel3, start: DVec3) -> Track3 {
    let offset = |number: &Number, by: f64| match number {
        Number::Constant(value) => Number::Constant(value - by),
        Number::Curve(curve) => Number::Curve(curve.shifted(-by)),
    };
    Track3([0, 1, 2].map(|i: usize| offset(&to.0[i].0, start[i])))
}
