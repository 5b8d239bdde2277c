//! How far the bodies of a motion keep from obstacles and from each other, looked at between frames.
//! Evidence, not a proof: that is what certificates are for.

use super::problem::PlanObstacle;
use crate::interpolation::MotionCurve;
use crate::shape::PlanShape;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Times looked at in an interval.
const TIMES: usize = 20;

/// Least distance of samples to obstacles and between inner spheres of bodies; none where there is nothing to
/// hit.
pub(super) fn least_clearance(
    shapes: &[&PlanShape],
    curves: &[MotionCurve],
    obstacles: &[PlanObstacle],
) -> Option<f64> {
    if obstacles.is_empty() && shapes.len() < 2 {
        return None;
    }
    let grid = curves.iter().map(MotionCurve::times_secs).max_by_key(|times| times.len())?;
    let mut all: Vec<f64> = Vec::new();
    for pair in grid.windows(2) {
        all.extend((0..TIMES).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / TIMES as f64));
    }
    all.extend(grid.last());
    let by_time: Vec<f64> = all.par_iter().map(|secs| clearance_at(shapes, curves, obstacles, *secs)).collect();
    Some(by_time.into_iter().fold(f64::INFINITY, f64::min))
}

fn clearance_at(shapes: &[&PlanShape], curves: &[MotionCurve], obstacles: &[PlanObstacle], secs: f64) -> f64 {
    let places: Vec<Vec<DVec3>> = curves.iter().map(|curve| curve.places_at(secs)).collect();
    let mut least = f64::INFINITY;
    for (shape, places) in shapes.iter().zip(&places).filter(|_| !obstacles.is_empty()) {
        for sample in 0..shape.samples.len() {
            let place = shape.samples.place(sample, places);
            least = obstacles.iter().map(|obstacle| obstacle.distance.distance(place, secs).0).fold(least, f64::min);
        }
    }
    if shapes.len() < 2 {
        return least;
    }
    let spheres: Vec<Vec<DVec3>> = (shapes.iter().zip(&places))
        .map(|(shape, places)| (0..shape.spheres.len()).map(|n| shape.spheres.place(n, places)).collect())
        .collect();
    let bounds: Vec<(DVec3, f64)> = (shapes.iter().zip(&spheres))
        .map(|(shape, spheres)| {
            let centre = spheres.iter().fold(DVec3::ZERO, |sum, x| sum + *x) / spheres.len().max(1) as f64;
            let radii = spheres.iter().zip(&shape.spheres.radius_m).map(|(x, r)| x.distance(centre) + r);
            (centre, radii.fold(0.0, f64::max))
        })
        .collect();
    for a in 0..shapes.len() {
        for b in a + 1..shapes.len() {
            if bounds[a].0.distance(bounds[b].0) - bounds[a].1 - bounds[b].1 > least.min(shapes[a].size_m) {
                continue;
            }
            for (p, rp) in spheres[a].iter().zip(&shapes[a].spheres.radius_m) {
                for (q, rq) in spheres[b].iter().zip(&shapes[b].spheres.radius_m) {
                    least = least.min(p.distance(*q) - rp - rq);
                }
            }
        }
    }
    least
}
