//! The motion a solve begins with.
//!
//! Whole poses and guesses, interpolated as a motion is: rotations by shape matching. Interpolating places
//! linearly instead would crush a body that turns by 180 degrees, and a crushed body has no rotation.

use super::keys::{ResolvedKeys, is_same, pose_at};
use super::problem::PointPlaces;
use crate::interpolation::{BodyMotion, MotionCurve, MotionError};
use crate::shape::PlanShape;
use sinew_math::{DQuat, DVec3};

/// Nodal places at the given times.
pub(super) fn first_guess(
    shape: &PlanShape,
    keys: &ResolvedKeys,
    times_secs: &[f64],
) -> Result<Vec<Vec<DVec3>>, MotionError> {
    let mut anchors: Vec<(f64, Vec<DVec3>)> =
        keys.poses.iter().chain(&keys.guesses).map(|pose| (pose.secs, pose.places.clone())).collect();
    anchors.sort_by(|a, b| a.0.total_cmp(&b.0));
    anchors.dedup_by(|b, a| is_same(a.0, b.0));
    let base = sampled(shape, &anchors, times_secs)?;
    let shifted = shifted_to_points(shape, keys, &anchors, &base)?;
    if shifted.len() == anchors.len() { Ok(base) } else { sampled(shape, &shifted, times_secs) }
}

/// Adds poses at the times of point keys, carried so that the keyed points are at their places in the mean.
fn shifted_to_points(
    shape: &PlanShape,
    keys: &ResolvedKeys,
    anchors: &[(f64, Vec<DVec3>)],
    base: &[Vec<DVec3>],
) -> Result<Vec<(f64, Vec<DVec3>)>, MotionError> {
    let mut all = anchors.to_vec();
    for points in &keys.points {
        let PointPlaces::At(places) = &points.places else { continue };
        for secs in [points.from_secs, points.to_secs] {
            if places.is_empty() || all.iter().any(|(at, _)| is_same(*at, secs)) {
                continue;
            }
            let now = match anchors.is_empty() {
                true => base.first().cloned().unwrap_or_default(),
                false => sampled(shape, anchors, &[secs])?.swap_remove(0),
            };
            let rows = points.functions.rows().zip(places);
            let shift = rows.fold(DVec3::ZERO, |sum, (row, place)| sum + *place - row.sum(&now)) / places.len() as f64;
            all.push((secs, now.into_iter().map(|y| y + shift).collect()));
        }
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(all)
}

/// Interpolates poses; the rest shape where there is none.
fn sampled(
    shape: &PlanShape,
    anchors: &[(f64, Vec<DVec3>)],
    times_secs: &[f64],
) -> Result<Vec<Vec<DVec3>>, MotionError> {
    if anchors.is_empty() {
        return Ok(vec![shape.rigid_pose(shape.frame.rest_centre, DQuat::IDENTITY); times_secs.len()]);
    }
    let motion = BodyMotion {
        times_secs: anchors.iter().map(|(secs, _)| *secs).collect(),
        displacements: anchors.iter().map(|(_, y)| displacements(shape, y)).collect(),
        breaks: Vec::new(),
    };
    let curve = MotionCurve::new(&shape.frame, &motion)?;
    Ok(times_secs.iter().map(|secs| curve.places_at(*secs)).collect())
}

/// Nodal places of a motion at the given times, with whole poses put in where they are keyed.
pub(super) fn resampled(
    shape: &PlanShape,
    keys: &ResolvedKeys,
    motion: &BodyMotion,
    times_secs: &[f64],
) -> Result<Vec<Vec<DVec3>>, MotionError> {
    let curve = MotionCurve::new(&shape.frame, motion)?;
    let place = |secs: &f64| match pose_at(keys, *secs) {
        Some(pose) => pose.places.clone(),
        None => curve.places_at(*secs),
    };
    Ok(times_secs.iter().map(place).collect())
}

pub(super) fn displacements(shape: &PlanShape, places: &[DVec3]) -> Vec<DVec3> {
    places.iter().zip(&shape.nodes.rest).map(|(y, x)| *y - *x).collect()
}
