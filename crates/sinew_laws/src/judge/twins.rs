//! The same scene told in another way gives the same answer.

use super::Findings;
use super::statics::still_from;
use crate::play::{Shake, play_shaken};
use crate::{Case, Played, Twin, play};
use anyhow::Result;
use std::path::Path;

pub(super) fn agree(case: &Case, twin: Twin, played: &Played, folder: &Path, findings: &mut Findings) -> Result<()> {
    let Some(other_case) = twin.of(case) else { return Ok(()) };
    // What depends on the step is compared at rest alone.
    if twin == Twin::Finer && still_from(played).is_none() {
        return Ok(());
    }
    // What tumbles depends on every digit; two solvers that both are right within a per cent part ways there.
    let is_smooth = || played.facts.obstacle_count == 0 && played.facts.bodies.len() == 1;
    if twin == Twin::OtherSolver && !is_smooth() && still_from(played).is_none() {
        return Ok(());
    }
    let other = play(&other_case, folder)?;
    findings.has_warned_twin = other.warnings.iter().any(|warning| !super::has_collapsed(warning));
    let law = twin.law();
    let mut nudged: Option<Played> = None;
    let first = if twin == Twin::Finer { played.frames.len().saturating_sub(1) } else { 0 };
    for frame in first..played.frames.len() {
        for number in 0..played.facts.bodies.len() {
            let figure = match other.frames.get(frame) {
                None => f64::INFINITY,
                Some(_) if twin == Twin::OtherSolver => off_in_box(played, &other, frame, number),
                Some(_) => off(case, twin, played, &other, frame, number),
            };
            let figure = match Rounding::of(twin, &played.facts.bodies[number]) {
                Some(rounding) if figure > law.bound() && figure.is_finite() => {
                    let nudged = match &mut nudged {
                        Some(nudged) => nudged,
                        none => none.insert(play_shaken(&nudge(case, rounding.turn_rad), folder, rounding.shake)?),
                    };
                    figure * law.bound() / (law.bound() + SENSITIVE * apart(played, nudged, frame, number))
                }
                _ => figure,
            };
            findings.note(law, figure, played, number, frame * played.facts.substeps as usize);
        }
    }
    Ok(())
}

/// How many times farther than a nudged copy a twin may be: two rounded runs are compared, and each nudge is one of many.
const SENSITIVE: f64 = 3.0;

/// What telling a scene in another way rounds differently; none where nothing is rounded.
///
/// Cloth that crumples and piles that tumble double what is different about every few steps: two runs of the same scene that differ in the last digit part ways, whatever solver plays them. How
/// far is measured, by a third run whose bodies are turned at the start by as much as rounding, and whose points are shaken by as much in every substep: kernels of f32 in a turned frame, places of f64 a kilometre away, roots
/// of f64 in other units (powers of two keep every digit, the root of twice a mass does not). The law allows [`SENSITIVE`] times that.
struct Rounding {
    turn_rad: f64,
    shake: Shake,
}

impl Rounding {
    fn of(twin: Twin, body: &crate::BodyFacts) -> Option<Self> {
        match twin {
            Twin::Turned => Some(Self { turn_rad: 1e-6, shake: Shake::NONE }),
            Twin::Moved => Some(Self { turn_rad: 1e-13 / body.size_m, shake: Shake { by_m: 1e-13, by_share: 0.0 } }),
            Twin::Units => Some(Self { turn_rad: 1e-14, shake: Shake { by_m: 0.0, by_share: f64::EPSILON } }),
            _ => None,
        }
    }
}

/// The scene with its bodies turned a little, each about another axis.
fn nudge(case: &Case, radians: f64) -> Case {
    let mut nudged = case.clone();
    for (number, body) in nudged.scene.bodies.iter_mut().enumerate() {
        body.turn[number % 3] += radians.to_degrees();
    }
    nudged
}

/// Root mean square distance of a body's points in two runs, over its size.
fn apart(one: &Played, other: &Played, frame: usize, number: usize) -> f64 {
    let Some(others) = other.frames.get(frame) else { return 0.0 };
    let (own, others) = (&one.frames[frame][number], &others[number]);
    let squares: f64 = own.iter().zip(others).map(|(x, y)| x.distance_squared(*y)).sum();
    (squares / own.len().max(1) as f64).sqrt() / one.facts.bodies[number].size_m
}

/// How far each body is from where its twin has it, frame by frame: largest of all bodies, over their sizes.
pub(crate) fn off_by_frame(case: &Case, twin: Twin, played: &Played, folder: &Path) -> Result<Vec<f64>> {
    let Some(other_case) = twin.of(case) else { return Ok(Vec::new()) };
    let other = play(&other_case, folder)?;
    let frames = 0..played.frames.len().min(other.frames.len());
    let most = |frame: usize| {
        let bodies = 0..played.facts.bodies.len();
        bodies.map(|number| off(case, twin, played, &other, frame, number)).fold(0.0, f64::max)
    };
    Ok(frames.map(most).collect())
}

/// How far a body has come by a frame. A step is right within a share of the forces, and so is the way: a grain that wind carries over a thousand of its lengths is
/// as well known as one that stays within its own.
fn way_m(played: &Played, frame: usize, number: usize) -> f64 {
    let tick = frame * played.facts.substeps as usize;
    played.ticks[tick][number].centre.distance(played.ticks[0][number].centre)
}

/// Root mean square distance of a body's points from where its twin's are, over its size and the way that it has come.
fn off(case: &Case, twin: Twin, played: &Played, other: &Played, frame: usize, number: usize) -> f64 {
    let body = &played.facts.bodies[number];
    let Some(twin_number) = other.facts.bodies.iter().position(|twin| twin.name == body.name) else {
        return f64::INFINITY;
    };
    let (own, others) = (&played.frames[frame][number], &other.frames[frame][twin_number]);
    if own.len() != others.len() {
        return f64::INFINITY;
    }
    let squares: f64 = own.iter().zip(others).map(|(x, y)| twin.carry(case, *x).distance_squared(*y)).sum();
    (squares / own.len() as f64).sqrt() / ((body.size_m + way_m(played, frame, number)) * twin.scale(case))
}

/// How far centre and box are from the twin's, over the same.
fn off_in_box(played: &Played, other: &Played, frame: usize, number: usize) -> f64 {
    let body = &played.facts.bodies[number];
    let Some(twin_number) = other.facts.bodies.iter().position(|twin| twin.name == body.name) else {
        return f64::INFINITY;
    };
    let tick = frame * played.facts.substeps as usize;
    let (own, twin) = (&played.ticks[tick][number], &other.ticks[tick][twin_number]);
    let ends = own.box_low.distance(twin.box_low).max(own.box_high.distance(twin.box_high));
    own.centre.distance(twin.centre).max(ends) / (body.size_m + way_m(played, frame, number))
}
