//! What is asked of a plan: bodies with keys, obstacles, weights.

use crate::energy::Elastic;
use crate::interpolation::{BodyMotion, DetailFrame};
use crate::shape::PlanShape;
use sinew_math::{DQuat, DVec3};
use std::sync::Arc;

/// One or several bodies between their keys.
#[derive(Clone)]
pub struct PlanProblem {
    pub bodies: Vec<PlanBody>,
    pub obstacles: Vec<PlanObstacle>,
    pub weights: PlanWeights,
    pub options: PlanOptions,
}

/// A body and what is keyed of it.
#[derive(Clone)]
pub struct PlanBody {
    pub name: String,
    pub shape: Arc<PlanShape>,
    /// Constraints, in any order.
    pub keys: Vec<PlanKey>,
    /// Poses that the first guess passes through; no constraints (Adams et al. 2009, §6.3).
    pub guesses: Vec<(f64, Pose)>,
    pub frames: Frames,
    /// Frames at which the acceleration is free and the velocity may jump.
    pub breaks_secs: Vec<f64>,
}

/// Where a body's frames are in time. Keys, guesses and breaks are always frames.
#[derive(Debug, Clone, PartialEq)]
pub enum Frames {
    /// These times too.
    At(Vec<f64>),
    /// About this many in all, set where they are farthest apart.
    Even(usize),
    /// Begin with the keys and insert where the error is largest, up to so many.
    Adaptive { most: usize },
}

/// One constraint on a body.
#[derive(Debug, Clone)]
pub enum PlanKey {
    /// The whole pose at a time, met exactly.
    Pose { at_secs: f64, pose: Pose },
    /// Points of the body at places, at a time or over an interval (`from_secs ..= to_secs`).
    Points { from_secs: f64, to_secs: f64, rest: Vec<DVec3>, places: PointPlaces },
    /// Velocity of points at a time, metres a second; without points, of the whole body.
    Velocity { at_secs: f64, rest: Vec<DVec3>, velocity: Vec<DVec3> },
}

/// Where keyed points shall be.
#[derive(Debug, Clone, PartialEq)]
pub enum PointPlaces {
    At(Vec<DVec3>),
    /// Where the first guess has them when the interval begins.
    Stay,
}

/// A whole pose of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Pose {
    /// The rest shape, its centre of mass at a place, turned about it.
    Rigid { at: DVec3, turn: DQuat },
    /// Nodal places `x + u`.
    Nodes(Vec<DVec3>),
    /// Points of the body (rest places) and their displacements; the result is then turned about the origin
    /// of rest places and moved by `at`.
    Samples { rest: Vec<DVec3>, displacement: Vec<DVec3>, at: DVec3, turn: DQuat },
}

/// A signed distance that may move: positive outside.
pub trait Obstacle: Send + Sync {
    /// Distance to the surface, negative inside, and its gradient, which points away from the obstacle.
    fn distance(&self, point: DVec3, secs: f64) -> (f64, DVec3);

    /// A box that the obstacle never leaves, if it has one; the paths of bodies are looked for around it.
    fn bounds(&self) -> Option<(DVec3, DVec3)> {
        None
    }
}

/// An obstacle with its name for reports.
#[derive(Clone)]
pub struct PlanObstacle {
    pub name: String,
    pub distance: Arc<dyn Obstacle>,
}

/// How much each term counts. Times are in seconds; lengths count relative to the body's size.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanWeights {
    /// A mean over the body, per second.
    pub elastic: Elastic,
    /// Mean square acceleration in body sizes, s⁴.
    pub acceleration: f64,
    /// Factors of the acceleration weight over time, linear between, held outside.
    pub acceleration_over_time: Vec<(f64, f64)>,
    /// Frame of the acceleration energy. In the world's, turning costs; in the body's, only `turn` and `spin`
    /// charge it.
    pub acceleration_frame: DetailFrame,
    /// |ω|² against tumbling, as a factor of the acceleration weight; about 20 is needed to have an effect.
    pub turn: f64,
    /// Change of angular velocity weighted with the body's radius of gyration, as a factor of the
    /// acceleration weight.
    pub spin: f64,
    /// Stiffness of contacts between bodies.
    pub contact: f64,
    /// Stiffness of contacts with obstacles. A thin wall is only as strong as the few samples in it.
    pub obstacle: f64,
}

impl Default for PlanWeights {
    fn default() -> Self {
        Self {
            elastic: Elastic::default(),
            acceleration: 1e-3,
            acceleration_over_time: Vec::new(),
            acceleration_frame: DetailFrame::Body,
            turn: 20.0,
            spin: 1.0,
            contact: 1e4,
            obstacle: 4e5,
        }
    }
}

/// When to stop, and how contacts are taken.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanOptions {
    /// Converged: a full step lowers the energy by less than this share.
    pub tolerance: f64,
    pub most_steps: usize,
    /// Point keys are met to this share of the body's size.
    pub key_tolerance: f64,
    /// Distance kept from obstacles and other bodies, m; none takes 3 % of the size.
    pub clearance_m: Option<f64>,
    /// Contact times a frame interval: obstacles.
    pub obstacle_times: usize,
    /// Contact times a frame interval: other bodies.
    pub body_times: usize,
    /// Error at which adaptive frames stop: excess of mean strain energy between frames.
    pub frame_tolerance: f64,
    /// Chooses noise of crowd paths.
    pub seed: u64,
    /// Further contact times, where a certificate objected: body and time.
    pub extra_contact_times: Vec<(usize, f64)>,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-4,
            most_steps: 300,
            key_tolerance: 1e-4,
            clearance_m: None,
            obstacle_times: 3,
            body_times: 7,
            frame_tolerance: 0.02,
            seed: 0,
            extra_contact_times: Vec::new(),
        }
    }
}

/// Motions of all bodies, in the order of the problem.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct PlannedMotion {
    pub bodies: Vec<BodyMotion>,
}

/// Place and turn at a time in seconds.
pub type RigidMotion = dyn Fn(f64) -> (DVec3, DQuat) + Send + Sync;

/// A rigid obstacle given by a signed distance at rest, fixed or carried by a function of time.
pub struct CarriedDistance<D> {
    pub distance: D,
    /// Place and turn at a time; none stands still.
    pub motion: Option<Arc<RigidMotion>>,
}

impl<D: sinew_geom::distance::Distance + Send> Obstacle for CarriedDistance<D> {
    fn distance(&self, point: DVec3, secs: f64) -> (f64, DVec3) {
        let (at, turn) = self.motion.as_ref().map_or((DVec3::ZERO, DQuat::IDENTITY), |motion| motion(secs));
        let local = turn.conjugate() * (point - at);
        let value = self.distance.at(local);
        let (low, high) = self.distance.bounds();
        let step = 1e-5 * low.distance(high).clamp(1e-3, 1e3);
        let slope = |axis: DVec3| {
            (self.distance.at(local + axis * step) - self.distance.at(local - axis * step)) / (2.0 * step)
        };
        (value, turn * DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)))
    }

    fn bounds(&self) -> Option<(DVec3, DVec3)> {
        self.motion.is_none().then(|| self.distance.bounds())
    }
}
