//! Bodies that nothing touches: momentum, path and spin.

use super::{Findings, Law};
use crate::Played;
use sinew_math::DVec3;
use std::ops::RangeInclusive;

/// Nearer to anything than this share of its size, or than it moves in three substeps, a body may feel a contact.
const NEAR: f64 = 0.1;
const NEAR_SUBSTEPS: f64 = 3.0;

pub(super) fn momentum(played: &Played, findings: &mut Findings) {
    let Some(gravity) = played.facts.gravity else { return };
    for (number, body) in played.facts.bodies.iter().enumerate() {
        for flight in flights(played, number) {
            let start = *flight.start();
            let (mut given, mut fastest) = (DVec3::ZERO, played.ticks[start][number].fastest_m_s);
            for tick in flight.skip(1) {
                let now = &played.ticks[tick][number];
                let secs = (tick - start) as f64 * played.facts.h_secs;
                given += now.impulse;
                fastest = fastest.max(now.fastest_m_s);
                let due = played.ticks[start][number].momentum + gravity * (body.mass_kg * secs) + given;
                let scale = body.mass_kg * (fastest + gravity.length() * secs) + given.length();
                let figure = (now.momentum - due).length() / scale.max(f64::MIN_POSITIVE);
                findings.note(Law::Momentum, figure, played, number, tick);
            }
        }
    }
}

pub(super) fn path(played: &Played, findings: &mut Findings) {
    let Some(gravity) = played.facts.gravity else { return };
    for (number, body) in played.facts.bodies.iter().enumerate() {
        if !body.forces.is_empty() {
            continue;
        }
        for flight in flights(played, number) {
            let start = &played.ticks[*flight.start()][number];
            let (first, velocity) = (*flight.start(), start.momentum / body.mass_kg);
            for tick in flight.skip(1) {
                let secs = (tick - first) as f64 * played.facts.h_secs;
                let due = start.centre + velocity * secs + gravity * (0.5 * secs * secs);
                let of_scheme = 0.5 * gravity.length() * played.facts.h_secs * secs;
                // Rounding of places far away, of speeds, and of masses that are summed.
                let rounding = 1e-6 * (velocity.length() * secs + gravity.length() * secs * secs + body.size_m * 1e-3)
                    + 1e-13 * start.centre.length();
                let off = (played.ticks[tick][number].centre - due).length();
                findings.note(Law::Path, off / (of_scheme + rounding), played, number, tick);
            }
        }
    }
}

pub(super) fn spin(played: &Played, findings: &mut Findings) {
    for (number, body) in played.facts.bodies.iter().enumerate() {
        // Mass-proportional damping is drag against the world: it slows spin by its own law.
        if body.rayleigh_mass_per_sec > 0.0 {
            continue;
        }
        let pushed_until = body.forces.iter().map(|force| force.changes_until).fold(f64::NEG_INFINITY, f64::max);
        let is_pushed_on = body.forces.iter().any(|force| force.newton.value(1e9) != DVec3::ZERO);
        if is_pushed_on {
            continue;
        }
        for flight in flights(played, number) {
            let Some(first) = flight.clone().find(|&tick| played.facts.frame_at(tick) >= pushed_until) else {
                continue;
            };
            let start = played.ticks[first][number];
            let (mut turned, mut stirring) = (0.0f64, start.stirring_m_s);
            for tick in first + 1..=*flight.end() {
                let now = &played.ticks[tick][number];
                turned += 1.5 * now.spin.length() / now.second_moment.max(f64::MIN_POSITIVE) * played.facts.h_secs;
                stirring = stirring.max(now.stirring_m_s);
                // A body that only wobbles has no spin to speak of: a tenth of what its wobble could carry is the scale then.
                let wobble = 0.1 * (now.second_moment * body.mass_kg).sqrt() * stirring;
                let scale = start.spin.length() * (1.0 + turned) + wobble;
                let floor = 1e-9 * body.mass_kg * body.size_m * (now.fastest_m_s + body.size_m);
                let figure = (now.spin - start.spin).length() / (scale + floor);
                findings.note(Law::Spin, figure, played, number, tick);
            }
        }
    }
}

/// The longest runs of ticks in which a free body is far from everything.
fn flights(played: &Played, number: usize) -> Vec<RangeInclusive<usize>> {
    let body = &played.facts.bodies[number];
    if !body.is_free() || played.facts.has_medium {
        return Vec::new();
    }
    let mut flights: Vec<RangeInclusive<usize>> = Vec::new();
    for tick in 0..played.ticks.len() {
        if !is_alone(played, number, tick) {
            continue;
        }
        match flights.last_mut() {
            Some(flight) if *flight.end() + 1 == tick => *flight = *flight.start()..=tick,
            _ => flights.push(tick..=tick),
        }
    }
    flights.retain(|flight| flight.end() > flight.start());
    flights
}

fn is_alone(played: &Played, number: usize, tick: usize) -> bool {
    let (body, now) = (&played.facts.bodies[number], &played.ticks[tick]);
    let fastest = now.iter().map(|sample| sample.fastest_m_s).fold(0.0, f64::max);
    let gravity = played.facts.gravity.map_or(0.0, DVec3::length);
    let moves_m = (fastest + gravity * played.facts.h_secs) * NEAR_SUBSTEPS * played.facts.h_secs;
    let near_m = NEAR * body.size_m + moves_m;
    let own = &now[number];
    let is_apart = |(other, sample): (usize, &crate::BodySample)| {
        let near_m = near_m + NEAR * played.facts.bodies[other].size_m;
        let gap = (own.box_low - sample.box_high).max(sample.box_low - own.box_high);
        other == number || gap.max_element() > near_m
    };
    own.gap_m > near_m && now.iter().enumerate().all(is_apart)
}
