//! Certificates of what was planned, and what the planner makes of their objections.

use super::{
    Certificate, CertificateError, CertificateOptions, CertifiedBody, CertifiedObstacle, Met, ObstacleTravel,
    SurfaceTree, certify,
};
use crate::interpolation::{BodyMotion, MotionCurve};
use crate::plan::{PlanProblem, PlannedMotion};
use sinew_math::DVec3;

/// How an obstacle of a plan moves. A plan asks its obstacles for distances only, which prove nothing of one
/// that moves.
#[derive(Clone, Copy)]
pub enum ObstacleMotion<'a> {
    Still,
    Moves(&'a (dyn Fn(f64, f64) -> ObstacleTravel + Sync)),
}

/// Proves a plan. `surfaces` has one surface a body, `obstacles` one entry an obstacle of the problem.
pub fn certify_plan(
    problem: &PlanProblem,
    motion: &PlannedMotion,
    surfaces: &[&SurfaceTree],
    obstacles: &[ObstacleMotion<'_>],
    options: &CertificateOptions,
) -> Result<Certificate, CertificateError> {
    let bodies = problem.bodies.len();
    if [motion.bodies.len(), surfaces.len()].iter().any(|count| *count != bodies) {
        return Err(CertificateError::BodyCount { bodies, motions: motion.bodies.len(), surfaces: surfaces.len() });
    }
    let (found, asked) = (obstacles.len(), problem.obstacles.len());
    if found != asked {
        return Err(CertificateError::ObstacleCount { obstacles: asked, motions: found });
    }
    let curve = |(body, motion): (usize, &BodyMotion)| {
        let frame = &problem.bodies[body].shape.frame;
        MotionCurve::new(frame, motion).map_err(|source| CertificateError::Motion { body, source })
    };
    let curves: Vec<MotionCurve> = motion.bodies.iter().enumerate().map(curve).collect::<Result<_, _>>()?;
    let bodies: Vec<CertifiedBody<'_>> =
        curves.iter().zip(surfaces).map(|(curve, surface)| CertifiedBody { surface, curve }).collect();
    let distances: Vec<_> = (problem.obstacles.iter())
        .map(|obstacle| |place: DVec3, secs: f64| obstacle.distance.distance(place, secs).0)
        .collect();
    let obstacles: Vec<CertifiedObstacle<'_>> = (distances.iter().zip(obstacles))
        .map(|(distance, motion)| CertifiedObstacle {
            distance,
            travel: match *motion {
                ObstacleMotion::Still => None,
                ObstacleMotion::Moves(travel) => Some(travel),
            },
        })
        .collect();
    certify(&bodies, &obstacles, options)
}

impl Certificate {
    /// Where contact times are to be added: for both bodies, where two meet.
    pub fn contact_objections(&self) -> Vec<crate::plan::Objection> {
        let bodies = self.objections.iter().flat_map(|objection| {
            let other = if let Met::Body(other) = objection.other { Some(other) } else { None };
            std::iter::once(objection.body).chain(other).map(|body| (body, objection.secs))
        });
        bodies.map(|(body, secs)| crate::plan::Objection { body, secs }).collect()
    }
}
