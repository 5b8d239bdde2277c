//! Where bodies may be: within what forces allow, on their side of obstacles, out of each other.

use super::{Findings, Law};
use crate::{BodyFacts, Played};
use sinew_math::DVec3;

pub(super) fn finishes(played: &Played, findings: &mut Findings) {
    let last = played.ticks.len().saturating_sub(1);
    if played.error.is_some() && played.facts.bodies.iter().any(is_torn) {
        return;
    }
    findings.note(Law::Finishes, f64::from(u8::from(played.error.is_some())), played, 0, last);
}

/// A body that is stretched beyond this many of its sizes ends the shot with an error that names it: nothing bears that (decision 0147).
const TEARS_AT: f64 = 1000.0;

/// Whether its forces alone stretch a body so far that the shot must end. Far beyond its length a neo-Hookean bar pulls with the stress μ λ at a stretch λ, so that λ is
/// F / μ A = 2 (1 + ν) F / E A; a force that comes at once makes it swing to twice that.
fn is_torn(body: &BodyFacts) -> bool {
    let section_m2 = body.volume_m3 / body.size_m;
    body.solver != "shape" && 4.0 * (1.0 + body.poisson) * body.most_force_n() > TEARS_AT * body.young_pa * section_m2
}

/// Muscles and rest shapes of generated scenes ask for at most this, on any axis.
const MOST_MUSCLE: f64 = 2.0;
/// Dynamic overshoot and uneven stress, over the plain estimate.
const TO_SPARE: f64 = 3.0;

/// Bodies that start deeper than this share of their size in something are not asked to keep out of it.
const STARTS_OUT: f64 = 1e-3;

pub(super) fn extents(played: &Played, findings: &mut Findings) {
    let (Some(first), facts) = (played.ticks.first(), &played.facts) else { return };
    for (number, body) in facts.bodies.iter().enumerate() {
        // What leads a body may pull it as far as it likes.
        if body.is_led || body.has_moving_pin || facts.has_medium || !body.starts_at_rest_shape {
            continue;
        }
        let mut work_j = 0.0f64;
        for (tick, now) in played.ticks.iter().enumerate() {
            work_j += now[number].work_j.abs();
            let fell_m = (first[number].centre - now[number].centre).length();
            let gravity = facts.gravity.map_or(0.0, DVec3::length);
            // Others may have hit it with all that they have.
            let kinetic_j: f64 = first.iter().map(|sample| sample.kinetic_j).sum();
            let available_j = kinetic_j + work_j + body.mass_kg * gravity * (fell_m + body.size_m);
            let allowed = body.size_m + TO_SPARE * stretch_m(body, available_j, facts.h_secs);
            let allowed = if body.is_active { MOST_MUSCLE * allowed } else { allowed };
            findings.note(Law::Extent, now[number].extent_m / allowed, played, number, tick);
        }
    }
}

/// How far the body may be stretched: by its forces at rest, and by all energy that was available.
fn stretch_m(body: &BodyFacts, available_j: f64, h_secs: f64) -> f64 {
    if body.solver == "shape" {
        // Matching knows no Young's modulus. What a few steps of motion or force do, it undoes.
        let speed = (2.0 * available_j / body.mass_kg).sqrt();
        let pushed: f64 = body.forces.iter().map(|force| force.most_n * h_secs * h_secs / force.points_kg).sum();
        return body.size_m + 10.0 * (speed * h_secs + pushed);
    }
    let section_m2 = body.volume_m3 / body.size_m;
    let by_force = body.most_force_n() / (body.young_pa * section_m2);
    let by_energy = (2.0 * available_j / (body.young_pa * body.volume_m3)).sqrt();
    body.size_m * (0.5 + by_force + by_energy)
}

pub(super) fn sides(played: &Played, findings: &mut Findings) {
    if played.facts.obstacle_count == 0 {
        return;
    }
    for (number, body) in played.facts.bodies.iter().enumerate() {
        // Pins and paths may hold a body inside an obstacle, and one that starts in it has no side that it came from.
        let starts_in = played.ticks.first().is_some_and(|first| first[number].depth_m > STARTS_OUT * body.size_m);
        if starts_in || !body.pinned.is_empty() || body.has_moving_pin || body.is_led {
            continue;
        }
        for (tick, now) in played.ticks.iter().enumerate() {
            findings.note(Law::Side, now[number].depth_m / body.size_m, played, number, tick);
        }
    }
}

pub(super) fn overlaps(played: &Played, findings: &mut Findings) {
    if played.facts.bodies.len() < 2 || played.overlaps.first().is_some_and(|first| first.0 > STARTS_OUT) {
        return;
    }
    for (frame, &(share, body)) in played.overlaps.iter().enumerate() {
        findings.note(Law::Overlap, share, played, body, frame * played.facts.substeps as usize);
    }
}
