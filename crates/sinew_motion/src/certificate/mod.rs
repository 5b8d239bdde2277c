//! Proof that planned motions hit nothing, between frames too: no triangle of a body's surface enters an
//! obstacle or crosses another body.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas, "Meshless Shape and Motion Design for Multiple Deformable
//! Objects", CGF 2009, §6.2 checks nodes at frames (Eq. 23–24) and proves nothing. Here an interval of time
//! is bisected until the clearance in its middle exceeds what can be travelled within it:
//!
//! - A vertex of the surface is at `c(t) + R(t) a(t)`. `c` and `a = Σ Φᵢ (xᵢ − c0 + d̂ᵢ)` are cubics within
//!   the hulls of their Bézier points, and the angular velocity of `R` has a bound in closed form ([`path`]).
//! - Triangles are kept in a tree. Distances between vertices do not depend on `R` and `c`, so that a cluster
//!   of triangles has one radius about one of its vertices for a whole frame interval ([`surface`]).
//! - A cluster is clear of an obstacle if the distance of its vertex exceeds its radius and its travel
//!   ([`field`]); two clusters are clear of each other if the distance of their vertices does ([`pair`]). At
//!   the leaves are triangles, which are cut smaller before a field, and measured against each other exactly.
//!
//! What is proven: the surface is the boundary of the flesh (or another one that is given), flat between the
//! places of its vertices, which is what is drawn and what collides. Departure: the surface is not looked for
//! with f⁻¹ from samples, which proves nothing between samples.
//!
//! Limits. An obstacle's distance must change by no more than a metre a metre. What slides along a flat
//! obstacle at a hundredth of its size needs a million tests a frame interval; the clearance of plans, some
//! hundredths, needs thousands. A body is not tested against itself. An obstacle that is inside a body from
//! the beginning touches no surface and is not found. Obstacles are proven between a body's first and last
//! frame. Turns follow [`sinew_math::RotationCurve`]; motions with others are refused.

mod depth;
mod field;
mod of_plan;
mod pair;
mod path;
mod surface;
mod triangle_gap;

pub use of_plan::{ObstacleMotion, certify_plan};
pub use surface::SurfaceTree;

use crate::interpolation::{MotionCurve, MotionError};
use path::BodyPath;
use rayon::prelude::*;
use sinew_math::DVec3;

/// A body whose motion is to be proven.
#[derive(Clone, Copy)]
pub struct CertifiedBody<'a> {
    pub surface: &'a SurfaceTree,
    pub curve: &'a MotionCurve,
}

/// An obstacle as a signed distance.
#[derive(Clone, Copy)]
pub struct CertifiedObstacle<'a> {
    /// Distance of a place at a time: negative inside, and at no place more than the distance to the surface.
    pub distance: &'a (dyn Fn(DVec3, f64) -> f64 + Sync),
    /// How far it moves; none stands still.
    pub travel: Option<&'a (dyn Fn(f64, f64) -> ObstacleTravel + Sync)>,
}

/// A bound on the movement of a rigid obstacle within an interval, away from where it is in the middle of it:
/// any point `p` of it stays within `shift_m + angle_rad |p − about|`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ObstacleTravel {
    pub shift_m: f64,
    pub angle_rad: f64,
    pub about: DVec3,
}

/// How fine a proof may become.
#[derive(Debug, Clone, PartialEq)]
pub struct CertificateOptions {
    /// Penetration less deep than this share of a body's size is no penetration, so that bodies may touch.
    pub tolerance: f64,
    /// Frame intervals are halved so many times at most.
    pub most_halvings: u32,
    /// Tests for one body and obstacle, or two bodies, in one frame interval, at most.
    pub most_tests: u32,
}

impl Default for CertificateOptions {
    fn default() -> Self {
        Self { tolerance: 1e-4, most_halvings: 16, most_tests: 1_000_000 }
    }
}

/// What a body meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Met {
    Obstacle(usize),
    Body(usize),
}

/// A time at which a body is in something else, or near it and no proof was found: at most one for each frame
/// interval and each pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objection {
    pub secs: f64,
    pub body: usize,
    pub other: Met,
    /// How deep the surface is inside an obstacle, or a vertex in another body; zero where only edges of
    /// bodies cross.
    pub depth_m: f64,
    /// Neither a penetration nor its absence was found.
    pub undecided: bool,
}

/// What was found, in the order of bodies, of what they meet, and of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Certificate {
    /// None: the motion is certified.
    pub objections: Vec<Objection>,
    /// Tests of clusters and triangles.
    pub tests: u64,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CertificateError {
    #[error("{bodies} bodies, but motions of {motions} and surfaces of {surfaces}; each body needs one of both")]
    BodyCount { bodies: usize, motions: usize, surfaces: usize },
    #[error("{obstacles} obstacles, but the motions of {motions}; each obstacle needs one, even if it stands still")]
    ObstacleCount { obstacles: usize, motions: usize },
    #[error("body {body}: {source}")]
    Motion { body: usize, source: MotionError },
    #[error("body {body} has a surface for {surface} nodes, and a motion of {motion}")]
    NodeCount { body: usize, surface: usize, motion: usize },
    #[error("the turns of body {body} do not follow the cumulative rotation curve at {secs} s; only that has a bound")]
    OtherTurnCurve { body: usize, secs: f64 },
    #[error("the distance of obstacle {obstacle} is not a number at {place} at {secs} s")]
    NotANumber { obstacle: usize, place: DVec3, secs: f64 },
}

/// How one interval of one pair ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Clear,
    Hit { secs: f64, depth_m: f64 },
    Undecided { secs: f64 },
}

impl Certificate {
    pub fn is_certified(&self) -> bool {
        self.objections.is_empty()
    }

    /// Of what was found in each interval, and the tests that it took.
    fn of(parts: Vec<(Option<Objection>, u32)>) -> Self {
        let tests = parts.iter().map(|(_, tests)| u64::from(*tests)).sum();
        Self { objections: parts.into_iter().filter_map(|(objection, _)| objection).collect(), tests }
    }
}

/// Proves that bodies stay out of obstacles and of each other, or says where they do not.
pub fn certify(
    bodies: &[CertifiedBody<'_>],
    obstacles: &[CertifiedObstacle<'_>],
    options: &CertificateOptions,
) -> Result<Certificate, CertificateError> {
    let paths: Vec<BodyPath<'_>> =
        bodies.par_iter().enumerate().map(|(number, body)| BodyPath::new(number, body)).collect::<Result<_, _>>()?;
    let mut tasks: Vec<(usize, Met)> = Vec::new();
    for body in 0..bodies.len() {
        tasks.extend((0..obstacles.len()).map(|obstacle| (body, Met::Obstacle(obstacle))));
        tasks.extend((body + 1..bodies.len()).map(|other| (body, Met::Body(other))));
    }
    let found: Vec<Certificate> = tasks
        .par_iter()
        .map(|(body, other)| match *other {
            Met::Obstacle(number) => field::certify(&paths, *body, number, &obstacles[number], options),
            Met::Body(number) => Ok(pair::certify(&paths, [*body, number], options)),
        })
        .collect::<Result<_, _>>()?;
    let tests = found.iter().map(|part| part.tests).sum();
    Ok(Certificate { objections: found.into_iter().flat_map(|part| part.objections).collect(), tests })
}
