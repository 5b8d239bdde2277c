//! Energy never grows but by work done.

use super::{Findings, Law};
use crate::Played;
use sinew_math::{DVec3, libm};

/// Elastic energy counts where it is that of a material; shape matching has none in joule.
fn total_j(played: &Played, tick: usize) -> f64 {
    let gravity = played.facts.gravity.unwrap_or_default();
    let each = played.ticks[tick].iter().zip(&played.facts.bodies).zip(&played.ticks[0]);
    each.map(|((now, body), first)| {
        let elastic_j = if body.solver == "shape" { 0.0 } else { now.elastic_j };
        // Against the start, so that a kilometre from the origin costs no digits.
        now.kinetic_j + elastic_j - body.mass_kg * gravity.dot(now.centre - first.centre)
    })
    .sum()
}

pub(super) fn energy(played: &Played, findings: &mut Findings) {
    let facts = &played.facts;
    let does_no_work = |body: &crate::BodyFacts| body.is_passive() && !body.is_led && !body.has_moving_pin;
    let applies = facts.gravity.is_some()
        && facts.obstacles_are_still
        && !facts.has_wind
        && facts.bodies.iter().all(does_no_work)
        && !played.ticks.is_empty();
    if !applies {
        return;
    }
    let gravity = facts.gravity.unwrap_or_default();
    let first_j = total_j(played, 0);
    let (mut work_j, mut pushed_j) = (0.0, 0.0);
    // A per cent of this is a millimetre a second on a body the size of a hand, and a lift by a thousandth of its size.
    let floor_j: f64 =
        facts.bodies.iter().map(|body| body.mass_kg * body.size_m * (2.5e-4 + 0.1 * gravity.length())).sum();
    let mut fallen_j = vec![0.0f64; facts.bodies.len()];
    for tick in 1..played.ticks.len() {
        for (number, now) in played.ticks[tick].iter().enumerate() {
            work_j += now.work_j;
            pushed_j += now.work_j.abs();
            let fell = gravity.dot(now.centre - played.ticks[0][number].centre) * facts.bodies[number].mass_kg;
            fallen_j[number] = fallen_j[number].max(fell);
        }
        let available_j = first_j.abs() + pushed_j + fallen_j.iter().sum::<f64>() + floor_j;
        let figure = (total_j(played, tick) - first_j - work_j) / available_j;
        let fastest = (0..facts.bodies.len())
            .max_by(|a, b| played.ticks[tick][*a].kinetic_j.total_cmp(&played.ticks[tick][*b].kinetic_j));
        findings.note(Law::Energy, figure, played, fastest.unwrap_or(0), tick);
    }
}

/// A plucked bar's energy falls at least as fast as its damping says.
///
/// A mode of frequency ω that is damped by r on its velocity obeys ẍ + r ẋ + ω² x = 0. With ζ = r/2ω below 1, its energy times e^(r t) goes up and down within a swing between
/// two values whose ratio is (1 + ζ)/(1 − ζ): energy is lost while it moves, not at the ends of its way. From ζ = 1 on it creeps home without a swing, slower than e^(−r t/2), and the law says nothing. ζ is largest for the lowest mode, the first
/// bending of a clamped bar (ω = 3.516 √(E I / ρ A L⁴)), on which stiffness damping β acts as well: ζ = (r + β ω²)/2ω.
pub(super) fn wobble(played: &Played, findings: &mut Findings) {
    let facts = &played.facts;
    let [body] = &facts.bodies[..] else { return };
    let is_plucked = facts.gravity == Some(DVec3::ZERO)
        && facts.obstacle_count == 0
        && !facts.has_medium
        && body.is_passive()
        && !body.is_led
        && !body.has_moving_pin
        && !body.pinned.is_empty()
        && !body.forces.is_empty()
        && body.wobble_per_sec > 0.0
        && body.solver != "shape"
        && body.forces.iter().all(|force| force.newton.value(1e9) == DVec3::ZERO);
    if !is_plucked {
        return;
    }
    let Some(swing) = swing_within(body) else { return };
    let pushed_until = body.forces.iter().map(|force| force.changes_until).fold(f64::NEG_INFINITY, f64::max);
    let Some(start) = (0..played.ticks.len()).find(|&tick| facts.frame_at(tick) >= pushed_until + 1.0) else { return };
    let energy_j = |tick: usize| played.ticks[tick][0].kinetic_j + played.ticks[tick][0].elastic_j;
    let floor_j = 1e-9 * body.mass_kg * body.size_m;
    for tick in start..played.ticks.len() {
        let secs = (tick - start) as f64 * facts.h_secs;
        let due_j = swing * energy_j(start) * libm::exp(-body.wobble_per_sec * secs);
        // Only once it should have lost a good part: before, energy may still go to and fro within a swing.
        if body.wobble_per_sec * secs >= 1.0 {
            findings.note(Law::Wobble, energy_j(tick) / (due_j + floor_j), played, 0, tick);
        }
    }
}

/// By how much energy goes up and down within a swing of a bar's lowest mode, beyond its decay; none for what creeps home or is no bar.
fn swing_within(body: &crate::BodyFacts) -> Option<f64> {
    let bar = body.bar_m?;
    let thin = bar.y.min(bar.z) / 12.0f64.sqrt();
    let omega = 3.516 * (body.young_pa / body.density_kg_m3).sqrt() * thin / (bar.x * bar.x);
    let zeta = (body.wobble_per_sec + body.rayleigh_stiffness_secs * omega * omega) / (2.0 * omega);
    (zeta < 1.0).then(|| (1.0 + zeta) / (1.0 - zeta))
}
