//! The same scene told in another way gives the same answer.

use super::Findings;
use super::statics::still_from;
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
    findings.has_warned_twin = !other.warnings.is_empty();
    let law = twin.law();
    let first = if twin == Twin::Finer { played.frames.len().saturating_sub(1) } else { 0 };
    for frame in first..played.frames.len() {
        for number in 0..played.facts.bodies.len() {
            let figure = match other.frames.get(frame) {
                None => f64::INFINITY,
                Some(_) if twin == Twin::OtherSolver => off_in_box(played, &other, frame, number),
                Some(_) => off(case, twin, played, &other, frame, number),
            };
            findings.note(law, figure, played, number, frame * played.facts.substeps as usize);
        }
    }
    Ok(())
}

/// Root mean square distance of a body's points from where its twin's are, over its size.
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
    (squares / own.len() as f64).sqrt() / (body.size_m * twin.scale(case))
}

/// How far centre and box are from the twin's, over the body's size.
fn off_in_box(played: &Played, other: &Played, frame: usize, number: usize) -> f64 {
    let body = &played.facts.bodies[number];
    let Some(twin_number) = other.facts.bodies.iter().position(|twin| twin.name == body.name) else {
        return f64::INFINITY;
    };
    let tick = frame * played.facts.substeps as usize;
    let (own, twin) = (&played.ticks[tick][number], &other.ticks[tick][twin_number]);
    let ends = own.box_low.distance(twin.box_low).max(own.box_high.distance(twin.box_high));
    own.centre.distance(twin.centre).max(ends) / body.size_m
}
