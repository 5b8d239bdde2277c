//! The optimisation problem of a plan: frames, weights and constraints of all bodies, its energy and
//! derivatives.

use super::body_energy::{self, BodyGradient, BodyTerms, FreeFrames, Stencil};
use super::contacts::{Clearance, SphereContact, loads_of, obstacle_loads, sphere_contacts};
use super::keys::{KeyRow, ResolvedKeys, is_same, key_rows, pose_at};
use super::points::{self, ContactTime, PointLoad};
use super::posture::Posture;
use super::problem::{PlanBody, PlanObstacle, PlanProblem};
use super::solution::Energies;
use crate::block_banded::BlockBanded;
use crate::energy::Curvature;
use crate::interpolation::BodyMotion;
use crate::shape::PlanShape;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Nodal places: body, frame, node.
pub(super) type Places = Vec<Vec<Vec<DVec3>>>;

pub(super) struct System<'a> {
    pub bodies: Vec<BodySystem<'a>>,
    pub obstacles: &'a [PlanObstacle],
    pub clearance: Clearance,
    /// What obstacles are thickened by, m.
    pub thickening_m: f64,
    /// Penalty of point keys.
    pub key_penalty: f64,
    /// Unit of steps, m.
    pub size_m: f64,
}

pub(super) struct BodySystem<'a> {
    pub shape: &'a PlanShape,
    pub times_secs: Vec<f64>,
    pub terms: BodyTerms,
    pub free: FreeFrames,
    pub band: usize,
    pub rows: Vec<KeyRow>,
    pub obstacle_times: Vec<ContactTime>,
    pub body_times: Vec<ContactTime>,
    pub breaks: Vec<usize>,
}

impl<'a> BodySystem<'a> {
    pub(super) fn new(
        problem: &'a PlanProblem,
        number: usize,
        keys: &ResolvedKeys,
        times_secs: Vec<f64>,
        guess: &[Vec<DVec3>],
    ) -> Self {
        let body = &problem.bodies[number];
        let shape: &PlanShape = &body.shape;
        let fixed: Vec<bool> = times_secs.iter().map(|secs| pose_at(keys, *secs).is_some()).collect();
        let last = times_secs.len() - 1;
        let is_break = |secs: &f64| body.breaks_secs.iter().any(|b| is_same(*b, *secs));
        let breaks = (1..last).filter(|frame| is_break(&times_secs[*frame])).collect::<Vec<_>>();
        let terms = terms(problem, body, &times_secs, &breaks);
        let has_contacts = !problem.obstacles.is_empty() || problem.bodies.len() > 1;
        let rows = key_rows(shape, keys, &times_secs, &fixed, guess);
        let extra: Vec<f64> = problem
            .options
            .extra_contact_times
            .iter()
            .filter(|(body, _)| *body == number)
            .map(|(_, secs)| *secs)
            .collect();
        let obstacle_times = match problem.obstacles.is_empty() {
            true => Vec::new(),
            false => contact_times(&times_secs, &times_secs, problem.options.obstacle_times, &extra),
        };
        Self {
            shape,
            terms,
            free: FreeFrames::new(&fixed),
            band: if has_contacts { 3 } else { 2 },
            rows,
            obstacle_times,
            body_times: Vec::new(),
            breaks,
            times_secs,
        }
    }

    pub(super) fn unknowns(&self) -> usize {
        3 * self.shape.node_count() * self.free.frames.len()
    }

    pub(super) fn motion(&self, y: &[Vec<DVec3>]) -> BodyMotion {
        let rest = &self.shape.nodes.rest;
        let displacements = y.iter().map(|y| y.iter().zip(rest).map(|(y, x)| *y - *x).collect()).collect();
        BodyMotion { times_secs: self.times_secs.clone(), displacements, breaks: self.breaks.clone() }
    }
}

/// `count` times in each interval of `grid`, its start included, and its very end.
pub(super) fn contact_times(times_secs: &[f64], grid: &[f64], count: usize, extra: &[f64]) -> Vec<ContactTime> {
    let count = count.max(1);
    let mut all: Vec<f64> = Vec::new();
    for pair in grid.windows(2) {
        all.extend((0..count).map(|n| pair[0] + (pair[1] - pair[0]) * n as f64 / count as f64));
    }
    all.extend(grid.last());
    all.extend(extra);
    all.sort_by(f64::total_cmp);
    all.dedup();
    let share = |n: usize| {
        let (before, after) = (all[n.saturating_sub(1)], all[(n + 1).min(all.len() - 1)]);
        0.5 * (after - before)
    };
    (0..all.len()).map(|n| ContactTime::new(times_secs, all[n], share(n).max(1e-9))).collect()
}

fn terms(problem: &PlanProblem, body: &PlanBody, times: &[f64], breaks: &[usize]) -> BodyTerms {
    let weights = &problem.weights;
    let (count, shape) = (times.len(), &body.shape);
    let span = |n: usize| times[n + 1] - times[n];
    let share = (0..count)
        .map(|frame| match count {
            1 => 1.0,
            _ => {
                let before = if frame > 0 { span(frame - 1) } else { 0.0 };
                let after = if frame + 1 < count { span(frame) } else { 0.0 };
                0.5 * (before + after)
            }
        })
        .collect();
    let square = 1.0 / (shape.size_m * shape.size_m);
    let gyration = shape.gyration_m * shape.gyration_m * square;
    let stencils = (1..count.saturating_sub(1)).filter(|frame| !breaks.contains(frame)).map(|frame| {
        let (before, after) = (span(frame - 1), span(frame));
        let both = before + after;
        let factors = [2.0 / (before * both), -2.0 / (before * after), 2.0 / (after * both)];
        let own = weights.acceleration * over_time(&weights.acceleration_over_time, times[frame]);
        let tau = 0.5 * both;
        // Δω / τ, squared, times τ.
        let spin = own * weights.spin * gyration / tau;
        Stencil { frame, weight: own * tau * square, spin, factors, spans: [before, after] }
    });
    let stencils = stencils.collect();
    let turn = (0..count.saturating_sub(1)).map(|n| weights.acceleration * weights.turn * gyration / span(n)).collect();
    BodyTerms { elastic: weights.elastic, share, stencils, turn, frame: weights.acceleration_frame }
}

fn over_time(factors: &[(f64, f64)], secs: f64) -> f64 {
    let after = factors.partition_point(|(at, _)| *at <= secs);
    match (after.checked_sub(1).map(|n| factors[n]), factors.get(after)) {
        (Some((a, from)), Some((b, to))) => from + (to - from) * (secs - a) / (b - a),
        (Some((_, value)), None) => value,
        (None, Some((_, value))) => *value,
        (None, None) => 1.0,
    }
}

/// Derivatives at a point.
pub(super) struct Linearised {
    pub energies: Energies,
    pub bodies: Vec<BodyGradient>,
    pub obstacle_loads: Vec<Vec<PointLoad>>,
    pub contacts: Vec<SphereContact>,
}

impl System<'_> {
    pub(super) fn energies(&self, y: &Places) -> Energies {
        let own: Vec<Energies> = (self.bodies.par_iter().zip(y)).map(|(body, y)| self.own_energies(body, y)).collect();
        let mut sum = own.iter().fold(Energies::default(), |sum, own| sum.plus(own));
        sum.bodies = self.sphere_contacts(y).0;
        sum
    }

    fn own_energies(&self, body: &BodySystem<'_>, y: &[Vec<DVec3>]) -> Energies {
        let mut sum = body_energy::energies(body.shape, &body.terms, y);
        sum.obstacles = self.obstacle_loads(body, y).0;
        sum.keys = body.rows.iter().map(|row| self.row_energy(row, y)).sum();
        sum
    }

    fn row_energy(&self, row: &KeyRow, y: &[Vec<DVec3>]) -> f64 {
        let gap = row.gap(y);
        row.multiplier.dot(gap) + 0.5 * self.key_penalty * row.strength * gap.length_squared()
    }

    fn obstacle_loads(&self, body: &BodySystem<'_>, y: &[Vec<DVec3>]) -> (f64, Vec<PointLoad>) {
        let lift = |_| self.thickening_m;
        obstacle_loads(body.shape, &body.obstacle_times, self.obstacles, y, self.clearance, &lift)
    }

    fn sphere_contacts(&self, y: &Places) -> (f64, Vec<SphereContact>) {
        if self.bodies.len() < 2 {
            return (0.0, Vec::new());
        }
        let shapes: Vec<&PlanShape> = self.bodies.iter().map(|body| body.shape).collect();
        let times: Vec<Vec<ContactTime>> = self.bodies.iter().map(|body| body.body_times.clone()).collect();
        sphere_contacts(&shapes, &times, y, self.clearance)
    }

    /// Energies and gradient.
    pub(super) fn linearise(&self, y: &Places) -> Linearised {
        let (pair_energy, contacts) = self.sphere_contacts(y);
        let found: Vec<(BodyGradient, Vec<PointLoad>)> = (self.bodies.par_iter().zip(y).enumerate())
            .map(|(number, (body, y))| {
                let mut at = body_energy::gradient(body.shape, &body.terms, y);
                let (energy, loads) = self.obstacle_loads(body, y);
                at.energies.obstacles = energy;
                let samples = &body.shape.samples;
                points::add_gradient(samples, &body.obstacle_times, &loads, &at.postures, &mut at.gradient);
                let touching = loads_of(&contacts, number);
                let spheres = &body.shape.spheres;
                points::add_gradient(spheres, &body.body_times, &touching, &at.postures, &mut at.gradient);
                for row in &body.rows {
                    at.energies.keys += self.row_energy(row, y);
                    let force = row.multiplier + row.gap(y) * (self.key_penalty * row.strength);
                    for (frame, w) in &row.frames {
                        let force = at.postures[*frame].r.transpose() * force * *w;
                        for (g, c) in at.gradient[*frame].iter_mut().zip(&row.coefficients) {
                            *g += force * *c;
                        }
                    }
                }
                (at, loads)
            })
            .collect();
        let mut energies = found.iter().fold(Energies::default(), |sum, (at, _)| sum.plus(&at.energies));
        energies.bodies = pair_energy;
        let (bodies, obstacle_loads) = found.into_iter().unzip();
        Linearised { energies, bodies, obstacle_loads, contacts }
    }

    /// Hessians of the bodies; what couples different bodies is left to [`super::newton`].
    pub(super) fn hessians(&self, at: &Linearised, curvature: Curvature) -> Vec<BlockBanded> {
        (self.bodies.par_iter().enumerate())
            .map(|(number, body)| {
                let gradient = &at.bodies[number];
                let postures = &gradient.postures;
                let mut matrix =
                    body_energy::hessian(body.shape, &body.terms, gradient, &body.free, curvature, body.band);
                let loads = &at.obstacle_loads[number];
                let samples = &body.shape.samples;
                points::add_hessian(samples, &body.obstacle_times, loads, postures, &body.free, &mut matrix, body.band);
                let touching = loads_of(&at.contacts, number);
                let spheres = &body.shape.spheres;
                points::add_hessian(spheres, &body.body_times, &touching, postures, &body.free, &mut matrix, body.band);
                for row in &body.rows {
                    self.add_row(body, row, postures, &mut matrix);
                }
                matrix
            })
            .collect()
    }

    fn add_row(&self, body: &BodySystem<'_>, row: &KeyRow, postures: &[Posture], matrix: &mut BlockBanded) {
        let size = matrix.size();
        let stride = (body.band + 1) * size;
        for (earlier, w0) in &row.frames {
            let Some(column) = body.free.position[*earlier] else { continue };
            for (later, w1) in &row.frames {
                let Some(position) = body.free.position[*later].filter(|_| later >= earlier) else { continue };
                let scale = self.key_penalty * row.strength * w0 * w1;
                let between = postures[*later].r.transpose() * postures[*earlier].r * scale;
                let panel = &mut matrix.panel_mut(column)[(position - column) * size..];
                for (b, cb) in row.coefficients.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                    let start = if later == earlier { b } else { 0 };
                    for (a, ca) in row.coefficients.iter().enumerate().skip(start).filter(|(_, c)| **c != 0.0) {
                        for s in 0..3 {
                            let e = between.col(s) * (ca * cb);
                            let target = &mut panel[(3 * b + s) * stride + 3 * a..][..3];
                            target[0] += e.x;
                            target[1] += e.y;
                            target[2] += e.z;
                        }
                    }
                }
            }
        }
    }
}
