//! Keys of a body as its frames and constraints.
//!
//! Whole poses fix frames, which are then no unknowns. Points and velocities are linear in nodal places:
//! their rows are made orthonormal (right singular vectors of the rows of a frame), so that near-dependent
//! samples neither stall the multipliers nor blow up, and are met by an augmented Lagrangian. What
//! contradicts within a frame is met in the least squares sense and shows in the residual.

use super::problem::{Frames, PlanBody, PlanKey, PointPlaces, Pose};
use super::solution::{KeyProblem, KeyResidual, PlanError};
use crate::interpolation::{BodyMotion, MotionCurve, tangent_weights};
use crate::shape::{PlanShape, ShapeError};
use sinew_geom::meshless::ShapeFunctions;
use sinew_math::DVec3;

/// Times closer than this are one frame.
const SAME_SECS: f64 = 1e-6;

/// A whole pose at a time, as nodal places.
#[derive(Debug, Clone)]
pub(super) struct PoseAt {
    pub secs: f64,
    pub places: Vec<DVec3>,
}

/// Keyed points, with their shape functions.
#[derive(Debug, Clone)]
pub(super) struct KeyedPoints {
    pub key: usize,
    pub from_secs: f64,
    pub to_secs: f64,
    pub functions: ShapeFunctions,
    pub places: PointPlaces,
}

#[derive(Debug, Clone)]
pub(super) struct KeyedVelocity {
    pub key: usize,
    pub at_secs: f64,
    /// Without rows: the centre of mass.
    pub functions: Option<ShapeFunctions>,
    pub velocity: Vec<DVec3>,
}

/// Keys of one body, checked.
#[derive(Debug, Clone)]
pub(super) struct ResolvedKeys {
    /// Rising.
    pub poses: Vec<PoseAt>,
    pub pose_keys: Vec<(usize, f64)>,
    pub guesses: Vec<PoseAt>,
    pub points: Vec<KeyedPoints>,
    pub velocities: Vec<KeyedVelocity>,
    /// All times that must be frames, rising.
    pub times: Vec<f64>,
}

impl ResolvedKeys {
    pub(super) fn new(body: &PlanBody) -> Result<Self, PlanError> {
        let mut own = Self {
            poses: Vec::new(),
            pose_keys: Vec::new(),
            guesses: Vec::new(),
            points: Vec::new(),
            velocities: Vec::new(),
            times: Vec::new(),
        };
        if body.keys.is_empty() {
            return Err(PlanError::NoKey { body: body.name.clone() });
        }
        for (key, given) in body.keys.iter().enumerate() {
            let wrong = |problem| PlanError::Key { body: body.name.clone(), key, problem };
            own.add(&body.shape, key, given).map_err(wrong)?;
        }
        for (guess, (secs, pose)) in body.guesses.iter().enumerate() {
            let wrong = |problem| PlanError::Guess { body: body.name.clone(), guess, problem };
            if !secs.is_finite() {
                return Err(wrong(KeyProblem::Time));
            }
            let places = nodal_places(&body.shape, pose).map_err(|problem| wrong(problem.into()))?;
            own.guesses.push(PoseAt { secs: *secs, places });
            own.times.push(*secs);
        }
        own.poses.sort_by(|a, b| a.secs.total_cmp(&b.secs));
        if let Some(pair) = own.poses.windows(2).find(|pair| pair[1].secs - pair[0].secs < SAME_SECS) {
            return Err(PlanError::TwoPoses { body: body.name.clone(), secs: pair[0].secs });
        }
        own.times.sort_by(f64::total_cmp);
        let (first, last) = (own.times[0], own.times[own.times.len() - 1]);
        let inside = |secs: &&f64| **secs > first && **secs < last;
        own.times.extend(body.breaks_secs.iter().filter(inside));
        if let Frames::At(times) = &body.frames {
            own.times.extend(times.iter().filter(inside));
        }
        own.times.sort_by(f64::total_cmp);
        own.times.dedup_by(|b, a| *b - *a < SAME_SECS);
        if let Frames::Even(count) = body.frames {
            fill_evenly(&mut own.times, count);
        }
        Ok(own)
    }

    fn add(&mut self, shape: &PlanShape, key: usize, given: &PlanKey) -> Result<(), KeyProblem> {
        match given {
            PlanKey::Pose { at_secs, pose } => {
                finite_time(&[*at_secs])?;
                self.poses.push(PoseAt { secs: *at_secs, places: nodal_places(shape, pose)? });
                self.pose_keys.push((key, *at_secs));
                self.times.push(*at_secs);
            }
            PlanKey::Points { from_secs, to_secs, rest, places } => {
                finite_time(&[*from_secs, *to_secs])?;
                if to_secs < from_secs {
                    return Err(KeyProblem::Interval);
                }
                if let PointPlaces::At(places) = places {
                    check_points(rest, places)?;
                }
                let functions = shape.nodes.functions_at(rest).map_err(ShapeError::from)?;
                self.points.push(KeyedPoints {
                    key,
                    from_secs: *from_secs,
                    to_secs: *to_secs,
                    functions,
                    places: places.clone(),
                });
                self.times.extend([*from_secs, *to_secs]);
            }
            PlanKey::Velocity { at_secs, rest, velocity } => {
                finite_time(&[*at_secs])?;
                let whole = rest.is_empty();
                if whole && velocity.len() != 1 {
                    return Err(KeyProblem::Count { points: 1, found: velocity.len() });
                }
                if !whole {
                    check_points(rest, velocity)?;
                } else if !velocity[0].is_finite() {
                    return Err(KeyProblem::NotFinite);
                }
                let functions =
                    if whole { None } else { Some(shape.nodes.functions_at(rest).map_err(ShapeError::from)?) };
                self.velocities.push(KeyedVelocity { key, at_secs: *at_secs, functions, velocity: velocity.clone() });
                self.times.push(*at_secs);
            }
        }
        Ok(())
    }
}

fn finite_time(times: &[f64]) -> Result<(), KeyProblem> {
    if times.iter().all(|time| time.is_finite()) { Ok(()) } else { Err(KeyProblem::Time) }
}

fn check_points(rest: &[DVec3], values: &[DVec3]) -> Result<(), KeyProblem> {
    if rest.len() != values.len() {
        return Err(KeyProblem::Count { points: rest.len(), found: values.len() });
    }
    if rest.iter().chain(values).any(|x| !x.is_finite()) {
        return Err(KeyProblem::NotFinite);
    }
    Ok(())
}

/// Halves the longest gap until there are so many times.
fn fill_evenly(times: &mut Vec<f64>, count: usize) {
    while times.len() < count && times.len() > 1 {
        let gap = |n: usize| times[n + 1] - times[n];
        // Gaps as long as the first longest, within rounding, are halved from the front.
        let longest = (0..times.len() - 1).fold(0, |best, n| if gap(n) > gap(best) * (1.0 + 1e-9) { n } else { best });
        times.insert(longest + 1, 0.5 * (times[longest] + times[longest + 1]));
    }
}

/// Nodal places of a pose.
pub(super) fn nodal_places(shape: &PlanShape, pose: &Pose) -> Result<Vec<DVec3>, ShapeError> {
    let places = match pose {
        Pose::Rigid { at, turn } => shape.rigid_pose(*at, turn.normalize()),
        Pose::Nodes(places) => {
            if places.len() != shape.node_count() {
                return Err(ShapeError::PlaceCount { points: shape.node_count(), places: places.len() });
            }
            places.clone()
        }
        Pose::Samples { rest, displacement, at, turn } => {
            if rest.len() != displacement.len() {
                return Err(ShapeError::PlaceCount { points: rest.len(), places: displacement.len() });
            }
            let turn = turn.normalize();
            let places: Vec<DVec3> = rest.iter().zip(displacement).map(|(x, u)| *at + turn * (*x + *u)).collect();
            shape.fit_pose(rest, &places)?
        }
    };
    match places.iter().position(|x| !x.is_finite()) {
        Some(place) => Err(ShapeError::NotFinite { place }),
        None => Ok(places),
    }
}

/// A linear constraint: `Σ_f w_f Σᵢ cᵢ y_{f,i}` shall be `target`.
#[derive(Debug, Clone)]
pub(super) struct KeyRow {
    /// Frames and weights.
    pub frames: Vec<(usize, f64)>,
    /// One coefficient a node.
    pub coefficients: Vec<f64>,
    pub target: DVec3,
    pub multiplier: DVec3,
    /// Share of the penalty: less than 1 for directions that the given points hardly see.
    pub strength: f64,
    /// For a velocity: the nonlinear part of it that was put into the target, per second of `span`.
    velocity: Option<(DVec3, f64, usize)>,
}

impl KeyRow {
    pub(super) fn gap(&self, y: &[Vec<DVec3>]) -> DVec3 {
        let now = self.frames.iter().fold(DVec3::ZERO, |sum, (frame, w)| {
            sum + self.coefficients.iter().zip(&y[*frame]).fold(DVec3::ZERO, |sum, (c, y)| sum + *y * *c) * *w
        });
        now - self.target
    }
}

/// Rows of all point and velocity keys of a body.
pub(super) fn key_rows(
    shape: &PlanShape,
    keys: &ResolvedKeys,
    times_secs: &[f64],
    fixed: &[bool],
    guess: &[Vec<DVec3>],
) -> Vec<KeyRow> {
    let mut rows = Vec::new();
    for (frame, secs) in times_secs.iter().enumerate() {
        let here = keys.points.iter().filter(|k| k.from_secs - SAME_SECS <= *secs && *secs <= k.to_secs + SAME_SECS);
        let mut constraints: Vec<(Vec<(usize, f64)>, DVec3)> = Vec::new();
        for points in here.filter(|_| !fixed[frame]) {
            let places = point_places(points, times_secs, guess);
            for (point, place) in places.iter().enumerate() {
                let row = points.functions.row(point);
                let terms = row.nodes.iter().zip(row.values).map(|(node, value)| (*node as usize, *value)).collect();
                constraints.push((terms, *place));
            }
        }
        for (coefficients, target, strength) in orthonormal_rows(shape.node_count(), &constraints) {
            rows.push(KeyRow {
                frames: vec![(frame, 1.0)],
                coefficients,
                target,
                multiplier: DVec3::ZERO,
                strength,
                velocity: None,
            });
        }
        rows.extend(velocity_rows(shape, keys, times_secs, frame));
    }
    rows
}

fn velocity_rows(shape: &PlanShape, keys: &ResolvedKeys, times_secs: &[f64], frame: usize) -> Vec<KeyRow> {
    let mut rows = Vec::new();
    if times_secs.len() < 2 {
        return rows;
    }
    let here = keys.velocities.iter().filter(|k| (k.at_secs - times_secs[frame]).abs() < SAME_SECS);
    let mut constraints: Vec<(Vec<(usize, f64)>, DVec3)> = Vec::new();
    for keyed in here {
        match &keyed.functions {
            None => {
                let terms = shape.frame.centre_weights.iter().copied().enumerate().collect();
                constraints.push((terms, keyed.velocity[0]));
            }
            Some(functions) => {
                for (point, velocity) in keyed.velocity.iter().enumerate() {
                    let row = functions.row(point);
                    let terms = row.nodes.iter().zip(row.values).map(|(n, v)| (*n as usize, *v)).collect();
                    constraints.push((terms, *velocity));
                }
            }
        }
    }
    let weights = tangent_weights(times_secs, frame);
    // In lengths, so that rows are as steep as those of places.
    let span = 1.0 / weights.iter().map(|w| w.abs()).fold(0.0, f64::max);
    let frames: Vec<(usize, f64)> =
        (0..3).filter(|n| weights[*n] != 0.0).map(|n| (frame + n - 1, weights[n] * span)).collect();
    for (coefficients, velocity, strength) in orthonormal_rows(shape.node_count(), &constraints) {
        rows.push(KeyRow {
            frames: frames.clone(),
            coefficients,
            target: velocity * span,
            multiplier: DVec3::ZERO,
            strength,
            velocity: Some((velocity, span, frame)),
        });
    }
    rows
}

/// Sets targets of velocity rows so that the velocity of the interpolated motion, which turns, becomes the
/// one that is asked for.
pub(super) fn correct_velocities(rows: &mut [KeyRow], times_secs: &[f64], y: &[Vec<DVec3>], curve: &MotionCurve) {
    for row in rows {
        let Some((velocity, span, frame)) = row.velocity else { continue };
        let moving = curve.velocities_at(times_secs[frame]);
        let true_rate = row.coefficients.iter().zip(&moving).fold(DVec3::ZERO, |sum, (c, v)| sum + *v * *c);
        row.target = DVec3::ZERO;
        let linear_rate = row.gap(y) / span;
        row.target = (velocity - (true_rate - linear_rate)) * span;
    }
}

fn point_places(points: &KeyedPoints, times_secs: &[f64], guess: &[Vec<DVec3>]) -> Vec<DVec3> {
    match &points.places {
        PointPlaces::At(places) => places.clone(),
        PointPlaces::Stay => {
            let away = |frame: &usize| (times_secs[*frame] - points.from_secs).abs();
            let frame = (0..times_secs.len()).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0);
            points.functions.rows().map(|row| row.sum(&guess[frame])).collect()
        }
    }
}

/// Orthonormal rows that span the given ones, with their targets in the least squares sense, and the share of
/// the penalty. Near-dependent points see some directions by a small singular value only. An error of theirs
/// would be blown up there, so that such directions are held as softly as the points themselves would.
fn orthonormal_rows(nodes: usize, constraints: &[(Vec<(usize, f64)>, DVec3)]) -> Vec<(Vec<f64>, DVec3, f64)> {
    /// Squared singular values below this share of the largest are rounding.
    const LEAST: f64 = 1e-10;
    /// Below this share the penalty falls with them.
    const FULL: f64 = 1e-3;
    if constraints.is_empty() {
        return Vec::new();
    }
    let mut square = vec![0.0; nodes * nodes];
    let mut right = vec![DVec3::ZERO; nodes];
    for (terms, target) in constraints {
        for (a, va) in terms {
            right[*a] += *target * *va;
            for (b, vb) in terms {
                square[a * nodes + b] += va * vb;
            }
        }
    }
    let Some(vectors) = sinew_math::dense::symmetric_eigenvectors(&square, nodes) else { return Vec::new() };
    let strength = |v: &[f64]| -> f64 {
        (0..nodes).map(|a| v[a] * (0..nodes).map(|b| square[a * nodes + b] * v[b]).sum::<f64>()).sum()
    };
    let strongest = vectors.first().map_or(0.0, |v| strength(v));
    let mut rows = Vec::new();
    for vector in vectors.into_iter().take(constraints.len()) {
        let lambda = strength(&vector);
        if lambda > LEAST * strongest && lambda > 0.0 {
            let target = vector.iter().zip(&right).fold(DVec3::ZERO, |sum, (c, t)| sum + *t * *c) / lambda;
            rows.push((vector, target, (lambda / (FULL * strongest)).min(1.0)));
        }
    }
    rows
}

/// What is left of every key of a body.
pub(super) fn residuals(
    shape: &PlanShape,
    body: usize,
    keys: &ResolvedKeys,
    motion: &BodyMotion,
    guess: &[Vec<DVec3>],
    curve: &MotionCurve,
) -> Vec<KeyResidual> {
    let times = &motion.times_secs;
    let y: Vec<Vec<DVec3>> =
        motion.displacements.iter().map(|u| shape.nodes.rest.iter().zip(u).map(|(x, u)| *x + *u).collect()).collect();
    let mut found: Vec<KeyResidual> = Vec::new();
    let mut push = |key: usize, residual: f64| {
        found.push(KeyResidual { body, key, residual, relative: residual / shape.size_m });
    };
    for ((key, secs), pose) in keys.pose_keys.iter().map(|(key, secs)| {
        let pose = keys.poses.iter().find(|pose| pose.secs == *secs);
        ((*key, *secs), pose)
    }) {
        let now = curve.places_at(secs);
        let miss =
            pose.map_or(0.0, |pose| now.iter().zip(&pose.places).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max));
        push(key, miss);
    }
    for points in &keys.points {
        let places = point_places(points, times, guess);
        let mut worst = 0.0f64;
        for (frame, secs) in times.iter().enumerate() {
            if points.from_secs - SAME_SECS <= *secs && *secs <= points.to_secs + SAME_SECS {
                for (row, place) in points.functions.rows().zip(&places) {
                    worst = worst.max(row.sum(&y[frame]).distance(*place));
                }
            }
        }
        push(points.key, worst);
    }
    for keyed in &keys.velocities {
        let moving = curve.velocities_at(keyed.at_secs);
        let worst = match &keyed.functions {
            None => shape.frame.centre(&moving).distance(keyed.velocity[0]),
            Some(functions) => {
                let rates = functions.rows().zip(&keyed.velocity);
                rates.map(|(row, v)| row.sum(&moving).distance(*v)).fold(0.0, f64::max)
            }
        };
        push(keyed.key, worst);
    }
    found.sort_by_key(|residual| residual.key);
    found
}

/// Whether a frame is at one of the whole poses, and which.
pub(super) fn pose_at(keys: &ResolvedKeys, secs: f64) -> Option<&PoseAt> {
    keys.poses.iter().find(|pose| (pose.secs - secs).abs() < SAME_SECS)
}

/// Whether two times are one frame.
pub(super) fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() < SAME_SECS
}
