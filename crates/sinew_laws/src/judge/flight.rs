//! Bodies that nothing touches, alone and together: momentum, path and spin.

use super::{Findings, Law};
use crate::{BodyFacts, Played};
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

/// Momentum and angular momentum of all bodies together, which may touch each other and nothing else.
pub(super) fn together(played: &Played, findings: &mut Findings) {
    let facts = &played.facts;
    let is_of_this_kind = |body: &BodyFacts| body.is_free() && body.forces.is_empty();
    let (Some(gravity), true) = (facts.gravity, facts.bodies.len() > 1 && facts.bodies.iter().all(is_of_this_kind))
    else {
        return;
    };
    let is_clear = |tick: usize| (0..facts.bodies.len()).all(|number| is_far_from_obstacles(played, number, tick));
    for flight in runs(played, is_clear) {
        let first = *flight.start();
        let start = Whole::of(played, first);
        let (mut turned, mut scale, mut fastest) = (0.0f64, start.spin_scale, start.fastest_m_s);
        for tick in first + 1..=*flight.end() {
            let now = Whole::of(played, tick);
            let secs = (tick - first) as f64 * facts.h_secs;
            fastest = fastest.max(now.fastest_m_s);
            let due = start.momentum + gravity * (start.mass_kg * secs);
            let momentum_scale = start.mass_kg * (fastest + gravity.length() * secs);
            let figure = (now.momentum - due).length() / momentum_scale.max(f64::MIN_POSITIVE);
            findings.note(Law::Momentum, figure, played, 0, tick);
            turned += now.radians_per_sec * facts.h_secs;
            scale = scale.max(now.spin_scale);
            let figure = (now.spin - start.spin).length() / (scale * (1.0 + turned) + now.spin_floor);
            findings.note(Law::Spin, figure, played, 0, tick);
        }
    }
}

/// All bodies of a scene as one.
struct Whole {
    mass_kg: f64,
    momentum: DVec3,
    fastest_m_s: f64,
    /// About the common centre.
    spin: DVec3,
    /// What its bodies hold each, without regard to how it adds up.
    spin_scale: f64,
    /// What rounding alone may change.
    spin_floor: f64,
    /// Of the body that turns fastest.
    radians_per_sec: f64,
}

impl Whole {
    fn of(played: &Played, tick: usize) -> Self {
        let (bodies, samples) = (&played.facts.bodies, &played.ticks[tick]);
        let mass_kg = bodies.iter().map(|body| body.mass_kg).sum::<f64>();
        let momentum = samples.iter().map(|sample| sample.momentum).sum::<DVec3>();
        let weighed = samples.iter().zip(bodies).map(|(sample, body)| sample.centre * body.mass_kg);
        let (centre, velocity) = (weighed.sum::<DVec3>() / mass_kg, momentum / mass_kg);
        let mut whole = Self {
            mass_kg,
            momentum,
            fastest_m_s: 0.0,
            spin: DVec3::ZERO,
            spin_scale: 0.0,
            spin_floor: 0.0,
            radians_per_sec: 0.0,
        };
        for (sample, body) in samples.iter().zip(bodies) {
            let orbit = (sample.centre - centre).cross(sample.momentum - velocity * body.mass_kg);
            let radians_per_sec = 1.5 * sample.spin.length() / sample.second_moment.max(f64::MIN_POSITIVE);
            let wobble = 0.1 * (sample.second_moment * body.mass_kg).sqrt() * sample.stirring_m_s;
            whole.fastest_m_s = whole.fastest_m_s.max(sample.fastest_m_s);
            whole.spin += sample.spin + orbit;
            whole.spin_scale += sample.spin.length() + orbit.length() + wobble;
            whole.spin_floor += 1e-9 * body.mass_kg * body.size_m * (sample.fastest_m_s + body.size_m);
            whole.radians_per_sec = whole.radians_per_sec.max(radians_per_sec);
        }
        whole
    }
}

/// The longest runs of ticks in which a free body is far from everything.
fn flights(played: &Played, number: usize) -> Vec<RangeInclusive<usize>> {
    if !played.facts.bodies[number].is_free() {
        return Vec::new();
    }
    runs(played, |tick| is_alone(played, number, tick))
}

/// The longest runs of ticks, in empty space, in which something holds.
fn runs(played: &Played, holds: impl Fn(usize) -> bool) -> Vec<RangeInclusive<usize>> {
    let mut flights: Vec<RangeInclusive<usize>> = Vec::new();
    if played.facts.has_medium {
        return flights;
    }
    for tick in 0..played.ticks.len() {
        if !holds(tick) {
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
    let (near_m, now) = (near_m(played, number, tick), &played.ticks[tick]);
    let own = &now[number];
    let is_apart = |(other, sample): (usize, &crate::BodySample)| {
        let near_m = near_m + NEAR * played.facts.bodies[other].size_m;
        let gap = (own.box_low - sample.box_high).max(sample.box_low - own.box_high);
        other == number || gap.max_element() > near_m
    };
    is_far_from_obstacles(played, number, tick) && now.iter().enumerate().all(is_apart)
}

fn is_far_from_obstacles(played: &Played, number: usize, tick: usize) -> bool {
    played.ticks[tick][number].gap_m > near_m(played, number, tick)
}

/// Nearer than this a body may feel a contact.
fn near_m(played: &Played, number: usize, tick: usize) -> f64 {
    let fastest = played.ticks[tick].iter().map(|sample| sample.fastest_m_s).fold(0.0, f64::max);
    let gravity = played.facts.gravity.map_or(0.0, DVec3::length);
    let moves_m = (fastest + gravity * played.facts.h_secs) * NEAR_SUBSTEPS * played.facts.h_secs;
    NEAR * played.facts.bodies[number].size_m + moves_m
}
