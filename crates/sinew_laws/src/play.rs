//! Runs a case on one thread and measures it after every substep.

use crate::inside::deepest_cell;
use crate::sides::{Sides, deepest_in_obstacles};
use crate::{Case, Facts, Random};
use anyhow::{Result, anyhow, ensure};
use sinew_bake::{Stage, build, deepest_penetration};
use sinew_math::{DVec3, dvec3};
use sinew_solve::{BodyId, BodyState, Cues, Input, StageState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What came of a case.
pub struct Played {
    pub facts: Facts,
    /// By tick, then by body in the stage's order; tick 0 is the start.
    pub ticks: Vec<Vec<BodySample>>,
    /// Places of all points at every frame, by body.
    pub frames: Vec<Vec<Vec<DVec3>>>,
    /// How deep one body is in another at each frame, as a share of the smaller one's size, and the bodies.
    pub overlaps: Vec<(f64, usize)>,
    /// What the stage warned of, in words.
    pub warnings: Vec<String>,
    /// Why it ended early.
    pub error: Option<String>,
}

/// One body after one substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodySample {
    pub centre: DVec3,
    /// kg m/s.
    pub momentum: DVec3,
    /// About its own centre, kg m²/s.
    pub spin: DVec3,
    pub kinetic_j: f64,
    pub elastic_j: f64,
    /// The longest side of the box around it.
    pub extent_m: f64,
    pub fastest_m_s: f64,
    /// What the scene's forces did in this substep: impulse and work.
    pub impulse: DVec3,
    pub work_j: f64,
    /// Least distance of its surface from any obstacle (infinite without one).
    pub gap_m: f64,
    /// How deep any of its surface is in an obstacle or behind one that it came from the other side of.
    pub depth_m: f64,
    /// Corners of the box around it.
    pub box_low: DVec3,
    pub box_high: DVec3,
    /// Σ m r² about its centre: three times its mean mass moment, over two.
    pub second_moment: f64,
    /// Fastest motion against its own mean velocity.
    pub stirring_m_s: f64,
}

/// Plays a case whose mesh files lie in `folder`. Only a scene that cannot be built is an error.
pub fn play(case: &Case, folder: &Path) -> Result<Played> {
    play_shaken(case, folder, Shake::NONE)
}

/// How far points are moved at random after every substep, in the way that rounding moves them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shake {
    pub(crate) by_m: f64,
    /// As a share of a point's distance from the origin.
    pub(crate) by_share: f64,
}

impl Shake {
    pub(crate) const NONE: Self = Self { by_m: 0.0, by_share: 0.0 };

    fn apply(self, state: &mut StageState) {
        if self == Self::NONE {
            return;
        }
        let mut random = Random::new(state.tick);
        for x in state.bodies.iter_mut().flat_map(|body| &mut body.x) {
            let most = self.by_m + self.by_share * x.length();
            let mut step = || most * (2.0 * random.share() - 1.0);
            *x += dvec3(step(), step(), step());
        }
    }
}

/// The same with points that are shaken.
pub(crate) fn play_shaken(case: &Case, folder: &Path, shake: Shake) -> Result<Played> {
    let mut stage = build(&case.scene, folder, 1).map_err(|error| anyhow!("{error}"))?.stage;
    let facts = Facts::of(case, &stage);
    ensure!(facts.bodies.len() == stage.bodies().len(), "copies of bodies cannot be judged; write each of them out");
    let mut played = Played {
        facts,
        ticks: Vec::new(),
        frames: Vec::new(),
        overlaps: Vec::new(),
        warnings: Vec::new(),
        error: None,
    };
    let ran = catch_unwind(AssertUnwindSafe(|| run(case, &mut stage, shake, &mut played)));
    if let Err(panic) = ran {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        played.error = Some(format!("panic: {}", text.unwrap_or_default()));
    }
    Ok(played)
}

fn run(case: &Case, stage: &mut Stage, shake: Shake, played: &mut Played) {
    let clock = stage.clock();
    let mut state = stage.first_state();
    let mut sides = Sides::of(stage, &state);
    measure(stage, &state, None, &mut sides, played);
    let pool = stage.pool();
    while state.tick < clock.tick_of(clock.last_frame) {
        let before = state.clone();
        let input = hand_at(case, stage, state.tick);
        let report = pool.install(|| match stage.step(&mut state, &input) {
            Ok(report) => Ok(report.warnings.iter().map(|warning| warning.what.clone()).collect::<Vec<_>>()),
            Err(error) => Err(error.to_string()),
        });
        match report {
            Ok(warnings) => played.warnings.extend(warnings),
            Err(error) => {
                played.error = Some(error);
                return;
            }
        }
        shake.apply(&mut state);
        measure(stage, &state, Some(&before), &mut sides, played);
        if is_wild(played) {
            return;
        }
    }
}

/// A body so far gone that the rest of the shot tells nothing and takes long.
fn is_wild(played: &Played) -> bool {
    let Some(now) = played.ticks.last() else { return false };
    now.iter().zip(&played.facts.bodies).any(|(sample, body)| sample.extent_m > 1e6 * body.size_m)
}

/// What the hand does at the start of a tick.
fn hand_at(case: &Case, stage: &Stage, tick: u64) -> Vec<Input> {
    let clock = stage.clock();
    let mut inputs = Vec::new();
    for tug in &case.tugs {
        let Some(number) = stage.bodies().iter().position(|body| body.name == tug.body) else { continue };
        let body = BodyId(number as u32);
        if tick == clock.tick_of(tug.frames[0]) {
            inputs.push(Input::Drag { body, at_rest: tug.at.into(), to: tug.to.into() });
        } else if tick == clock.tick_of(tug.frames[1]) {
            inputs.push(Input::LetGo { body });
        }
    }
    inputs
}

fn measure(stage: &Stage, state: &StageState, before: Option<&StageState>, sides: &mut Sides, played: &mut Played) {
    let obstacles = stage.obstacles_at(state.tick);
    let frame = played.facts.frame_at(state.tick as usize);
    let mut samples = Vec::new();
    for (number, now) in state.bodies.iter().enumerate() {
        let flesh = &stage.bodies()[number].flesh;
        let mut sample = mechanics(&flesh.mass_kg, now);
        sample.elastic_j = stage.energy(BodyId(number as u32), now, &Cues::default());
        (sample.gap_m, sample.depth_m) = deepest_in_obstacles(flesh, now, &obstacles);
        sample.depth_m = sample.depth_m.max(sides.follow(number, flesh, now, &obstacles));
        if let Some(before) = before {
            for force in &played.facts.bodies[number].forces {
                let newton = force.newton.value(frame);
                for &point in &force.points {
                    let point = point as usize;
                    let share = flesh.mass_kg[point] / force.points_kg;
                    sample.work_j += share * newton.dot(now.x[point] - before.bodies[number].x[point]);
                }
                sample.impulse += newton * played.facts.h_secs;
            }
        }
        samples.push(sample);
    }
    played.ticks.push(samples);
    if stage.clock().frame_at(state.tick).is_some() {
        played.frames.push(state.bodies.iter().map(|body| body.x.clone()).collect());
        played.overlaps.push(overlap(stage, state, played));
    }
}

/// How far one body is in another: the depth of its deepest vertex or middle of a cell, over the smaller one's size.
fn overlap(stage: &Stage, state: &StageState, played: &Played) -> (f64, usize) {
    let size = |body: usize| played.facts.bodies[body].size_m;
    let vertex =
        deepest_penetration(stage, state).map(|found| (found.depth_m, found.body.0 as usize, found.other.0 as usize));
    let share = |(depth_m, body, other): (f64, usize, usize)| (depth_m / size(body).min(size(other)), body);
    let [vertex, cell] = [vertex, deepest_cell(stage, state)].map(|found| found.map_or((0.0, 0), share));
    if cell.0 > vertex.0 { cell } else { vertex }
}

fn mechanics(mass_kg: &[f64], state: &BodyState) -> BodySample {
    let points = || state.x.iter().zip(&state.v).zip(mass_kg);
    let total: f64 = mass_kg.iter().sum();
    // About a point of the body, so that a kilometre from the origin costs no digits.
    let near = state.x.first().copied().unwrap_or_default();
    let centre = points().map(|((x, _), m)| (*x - near) * *m).sum::<DVec3>() / total + near;
    let momentum: DVec3 = points().map(|((_, v), m)| *v * *m).sum();
    let velocity = momentum / total;
    let low = state.x.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = state.x.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    BodySample {
        centre,
        momentum,
        spin: points().map(|((x, v), m)| (*x - centre).cross(*v - velocity) * *m).sum(),
        kinetic_j: points().map(|((_, v), m)| 0.5 * m * v.length_squared()).sum(),
        elastic_j: 0.0,
        extent_m: (high - low).max_element(),
        fastest_m_s: state.v.iter().map(|v| v.length()).fold(0.0, f64::max),
        impulse: DVec3::ZERO,
        work_j: 0.0,
        gap_m: f64::INFINITY,
        depth_m: 0.0,
        box_low: low,
        box_high: high,
        second_moment: points().map(|((x, _), m)| m * x.distance_squared(centre)).sum(),
        stirring_m_s: state.v.iter().map(|v| v.distance(velocity)).fold(0.0, f64::max),
    }
}
