//! Keys that are hit exactly: which rest shapes bring the simulated body into the shapes of its keys at their frames.
//!
//! A body lags behind its rest shape, swings beyond it, and sags under its weight, so that a rest shape is a guide only. Each performance
//! leaves a difference at every key; adding it to the rest shapes is a fixed-point iteration, whose answer is a rest shape that
//! leaves no difference. Anderson acceleration (Anderson, "Iterative Procedures for Nonlinear Integral Equations", J. ACM 1965; type II,
//! Walker and Ni, SIAM J. Numer. Anal. 2011) learns from earlier differences how the body answers, at all keys together.

use super::reach::value_at;
use super::{RefineError, Refinement, Refiner, Rehearsal, Rehearsed};
use crate::build::key_shapes;
use crate::keys::KeySamples;
use serde_json::json;
use sinew_direct::key_shapes::{ShapeCells, check_shape};
use sinew_math::DVec3;
use sinew_math::dense::solve_symmetric;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_scene::model::KeyShapes;
use sinew_scene::{Command, Direction};
use sinew_solve::Flesh;
use std::sync::Arc;

/// Performances at most.
const MOST_TRIES: usize = 14;
/// An answer that leaves more than this share of the residual is none.
const GAIN: f64 = 0.95;
/// Differences that are learnt from.
const MEMORY: usize = 5;

/// Finds rest shapes for the keys of a director, by its path: `body.ball.director.shape`.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactKeys {
    pub director: String,
    /// How far off is close enough, per cent of the body's size.
    pub within_percent: f64,
}

impl Refiner for ExactKeys {
    fn label(&self) -> String {
        format!("rest shapes for the keys of {}", self.director)
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let mut search = Search::new(self, rehearsal)?;
        let before = search.perform(None)?;
        if before.worst() <= self.within_percent {
            return Err(RefineError::KeysMet { path: self.director.clone(), percent: before.worst() });
        }
        let mut best = before.clone();
        let mut learnt = Learnt::default();
        let mut now = before.clone();
        let mut share = 1.0;
        for _ in 0..MOST_TRIES {
            if best.worst() <= self.within_percent {
                break;
            }
            let step = learnt.step(&now, share, &search.cells);
            let rest = search.possible(&now.rest, &step);
            now = search.perform(Some(rest))?;
            if now.worst() < best.worst() {
                best = now.clone();
            } else if now.worst() > 1.5 * best.worst() {
                // It runs away: shorter steps from the best so far, with nothing learnt.
                (now, share, learnt) = (best.clone(), 0.5 * share, Learnt::default());
            }
        }
        if best.worst() > GAIN * before.worst() {
            let (percent, frame) = search.farthest(&best);
            let runs = search.rehearsal.runs();
            return Err(RefineError::KeysNotHit { path: self.director.clone(), percent, frame, runs });
        }
        Ok(vec![search.refinement(&before, &best, self.within_percent)?])
    }
}

/// A performance: rest shapes at the keys, and what was missing there.
#[derive(Debug, Clone)]
struct Tried {
    rest: Vec<Vec<DVec3>>,
    missing: Vec<Vec<DVec3>>,
    /// Per cent of the body's size.
    residual: Vec<f64>,
}

impl Tried {
    fn worst(&self) -> f64 {
        self.residual.iter().copied().fold(0.0, f64::max)
    }

    fn flat(of: &[Vec<DVec3>]) -> Vec<DVec3> {
        of.iter().flatten().copied().collect()
    }
}

struct Search<'s, 'a> {
    rehearsal: &'s mut Rehearsal<'a>,
    path: String,
    /// The body on the stage.
    body: usize,
    cells: Arc<ShapeCells>,
    flesh: Arc<Flesh>,
    /// Number in the scene, frame and shape of each key that can be hit.
    keys: Vec<(usize, i32, Vec<DVec3>)>,
    first_rest: Vec<Vec<DVec3>>,
    /// What `rest_for` is for each key of the scene.
    marks: Vec<String>,
    last: i32,
    tries: u64,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(of: &ExactKeys, rehearsal: &'s mut Rehearsal<'a>) -> Result<Self, RefineError> {
        let none = || RefineError::NoKeys { path: of.director.clone() };
        let (body_name, shapes) = find_keys(rehearsal, &of.director).ok_or_else(none)?;
        let Rehearsed { built, .. } = rehearsal.prepare()?;
        let bodies = built.stage.bodies();
        let is_it = |name: &str| name == body_name || name == format!("{body_name}-1");
        let body = bodies.iter().position(|body| is_it(&body.name)).ok_or_else(none)?;
        let (flesh, shelf) = (bodies[body].flesh.clone(), &bodies[body].shelf);
        let made = key_shapes::make(&shapes, &flesh, shelf, &of.director)?;
        let clock = built.stage.clock();
        let can_be_hit = |frame: f64| frame.fract() == 0.0 && frame > f64::from(clock.first_frame);
        let is_within = |frame: f64| can_be_hit(frame) && frame <= f64::from(clock.last_frame);
        let chosen: Vec<usize> = (0..shapes.keys.len()).filter(|n| is_within(shapes.keys[*n].frame)).collect();
        let key = |n: &usize| {
            let frame = shapes.keys[*n].frame;
            (*n, frame as i32, made.key_shape(frame))
        };
        let keys: Vec<_> = chosen.iter().map(key).collect();
        let first_rest = keys.iter().map(|(_, frame, _)| made.rest_shape(f64::from(*frame))).collect();
        let last = keys.iter().map(|(_, frame, _)| *frame).max().ok_or_else(none)?;
        let (path, cells) = (of.director.clone(), made.cells());
        let marks = shapes.keys.iter().map(sinew_scene::model::KeyShape::rest_mark).collect();
        Ok(Self { path, body, cells, flesh, keys, first_rest, marks, last, tries: 0, rehearsal })
    }

    /// Performs with these rest shapes at the keys; with none as the scene has them.
    fn perform(&mut self, rest: Option<Vec<Vec<DVec3>>>) -> Result<Tried, RefineError> {
        let is_first = rest.is_none();
        let rest = rest.unwrap_or_else(|| self.first_rest.clone());
        let mut commands = Vec::new();
        let mut lent = Vec::new();
        if !is_first {
            for ((number, ..), shape) in self.keys.iter().zip(&rest) {
                self.tries += 1;
                let name = format!("assets/try-{:032x}.npz", self.tries);
                let path = format!("{}.keys[{number}].rest", self.path);
                commands.push(Command::Set { path, value: json!(name) });
                commands.push(self.mark(*number));
                lent.push((name, Arc::new(shape.clone())));
            }
        }
        self.rehearsal.lend(self.body, &lent);
        let mut seen: Vec<Option<Vec<DVec3>>> = vec![None; self.keys.len()];
        let (keys, body) = (&self.keys, self.body);
        self.rehearsal.perform_watched(&Command::Batch { label: None, commands }, self.last, |frame, state| {
            for ((_, at, _), seen) in keys.iter().zip(&mut seen) {
                if *at == frame {
                    *seen = Some(state.bodies[body].x.clone());
                }
            }
        })?;
        let missing = |wished: &[DVec3], x: &[DVec3]| {
            if x.is_empty() { vec![DVec3::ZERO; wished.len()] } else { difference(&self.cells, wished, x) }
        };
        let pairs = self.keys.iter().zip(seen);
        let missing: Vec<Vec<DVec3>> =
            pairs.map(|((_, _, wished), x)| missing(wished, &x.unwrap_or_default())).collect();
        let residual = missing.iter().map(|by| 100.0 * self.cells.mean_length(by) / self.cells.size_m()).collect();
        Ok(Tried { rest, missing, residual })
    }

    /// Rest shapes changed by as much of the step as leaves every element a rest shape.
    fn possible(&self, rest: &[Vec<DVec3>], step: &[DVec3]) -> Vec<Vec<DVec3>> {
        let points = self.cells.rest().len();
        let changed = |(number, rest): (usize, &Vec<DVec3>)| {
            let by = &step[number * points..(number + 1) * points];
            let at = |share: f64| {
                let moved: Vec<DVec3> = rest.iter().zip(by).map(|(o, by)| *o + *by * share).collect();
                self.cells.without_rigid_motion(&moved)
            };
            let shares = [1.0, 0.5, 0.25, 0.1];
            let fits = |share: &&f64| check_shape(&self.cells, &at(**share)).is_ok();
            shares.iter().find(fits).map_or_else(|| rest.clone(), |share| at(*share))
        };
        rest.iter().enumerate().map(changed).collect()
    }

    /// Says for which key a rest shape is.
    fn mark(&self, number: usize) -> Command {
        let path = format!("{}.keys[{number}].rest_for", self.path);
        Command::Set { path, value: json!(self.marks[number]) }
    }

    /// The largest residual, and at which frame.
    fn farthest(&self, of: &Tried) -> (f64, i32) {
        let all = of.residual.iter().zip(&self.keys).map(|(percent, (_, frame, _))| (*percent, *frame));
        all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }

    fn refinement(&self, before: &Tried, best: &Tried, within_percent: f64) -> Result<Refinement, RefineError> {
        let mut commands = Vec::new();
        let mut assets = Vec::new();
        for ((number, ..), shape) in self.keys.iter().zip(&best.rest) {
            let asset = KeySamples::of(&self.flesh, shape).to_asset().map_err(RefineError::KeyFile)?;
            let path = format!("{}.keys[{number}].rest", self.path);
            commands.push(Command::Set { path, value: json!(asset.name) });
            commands.push(self.mark(*number));
            assets.push(asset);
        }
        let (is_hit, (_, frame)) = (best.worst() <= within_percent, self.farthest(best));
        let mut outcome = Vec::new();
        for (((_, frame, _), was), is) in self.keys.iter().zip(&before.residual).zip(&best.residual) {
            outcome.push((format!("residual at frame {frame} before"), "%".to_owned(), *was));
            outcome.push((format!("residual at frame {frame} after"), "%".to_owned(), *is));
        }
        Ok(Refinement {
            label: format!(
                "{} keys of {}: {:.2} % of its size off at most, {:.2} % before{}",
                self.keys.len(),
                self.path,
                best.worst(),
                before.worst(),
                if is_hit {
                    String::new()
                } else {
                    format!("; not exact: {within_percent} % was asked for, and frame {frame} is farthest off")
                }
            ),
            command: Command::Batch {
                label: Some(if is_hit { "hit keys exactly" } else { "come closer to keys" }.to_owned()),
                commands,
            },
            outcome,
            assets,
        })
    }
}

/// What earlier performances say of the answer to a change.
#[derive(Debug, Default)]
struct Learnt {
    rest: Vec<Vec<DVec3>>,
    missing: Vec<Vec<DVec3>>,
}

impl Learnt {
    /// The next change of all rest shapes.
    fn step(&mut self, now: &Tried, share: f64, cells: &ShapeCells) -> Vec<DVec3> {
        self.rest.push(Tried::flat(&now.rest));
        self.missing.push(Tried::flat(&now.missing));
        if self.rest.len() > MEMORY + 1 {
            self.rest.remove(0);
            self.missing.remove(0);
        }
        let newest = self.rest.len() - 1;
        let missing = &self.missing[newest];
        let difference = |of: &[Vec<DVec3>], n: usize| -> Vec<DVec3> {
            of[n + 1].iter().zip(&of[n]).map(|(a, b)| *a - *b).collect()
        };
        let changes: Vec<Vec<DVec3>> = (0..newest).map(|n| difference(&self.missing, n)).collect();
        let steps: Vec<Vec<DVec3>> = (0..newest).map(|n| difference(&self.rest, n)).collect();
        let mass = cells.mass_kg();
        let dot = |a: &[DVec3], b: &[DVec3]| -> f64 {
            let masses = mass.iter().cycle();
            a.iter().zip(b).zip(masses).map(|((a, b), m)| m * a.dot(*b)).sum()
        };
        let mut gamma: Vec<f64> = changes.iter().map(|change| dot(change, missing)).collect();
        if newest > 0 {
            let mut matrix: Vec<f64> = Vec::with_capacity(newest * newest);
            for a in &changes {
                matrix.extend(changes.iter().map(|b| dot(a, b)));
            }
            let trace: f64 = (0..newest).map(|i| matrix[i * newest + i]).sum();
            (0..newest).for_each(|i| matrix[i * newest + i] += 1e-8 * trace + f64::MIN_POSITIVE);
            solve_symmetric(&matrix, newest, &mut gamma);
        }
        let mut step: Vec<DVec3> = missing.iter().map(|by| *by * share).collect();
        for ((gamma, change), moved) in
            gamma.iter().zip(&changes).zip(&steps).filter(|((gamma, _), _)| gamma.is_finite())
        {
            for ((step, change), moved) in step.iter_mut().zip(change).zip(moved) {
                *step -= (*moved + *change * share) * *gamma;
            }
        }
        step
    }
}

/// What is missing from a body at `x` to the shape, in the shape's own frame.
fn difference(cells: &ShapeCells, wished: &[DVec3], x: &[DVec3]) -> Vec<DVec3> {
    let mass = cells.mass_kg();
    let back = best_fit_rotation(wished, x, mass).inverse();
    let (from, to) = (mass_centre(x, mass), mass_centre(wished, mass));
    x.iter().zip(wished).map(|(x, wished)| *wished - (to + back * (*x - from))).collect()
}

/// The body and the key shapes of a director at a path.
fn find_keys(rehearsal: &Rehearsal<'_>, path: &str) -> Option<(String, KeyShapes)> {
    let scene = rehearsal.document().scene();
    let json = serde_json::to_value(scene).ok()?;
    let name = path.strip_prefix("body.")?.split('.').next()?;
    let wanted = value_at(&json, path)?;
    let body = scene.bodies.iter().find(|body| body.name == name)?;
    let is_it = |director: &&sinew_scene::Director| serde_json::to_value(director).is_ok_and(|own| own == *wanted);
    match &body.directors.iter().find(is_it)?.direction {
        Direction::KeyShapes(shapes) => Some((name.to_owned(), shapes.clone())),
        _ => None,
    }
}
