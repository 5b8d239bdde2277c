//! What must be at rest is, and a pulled bar is as long as Hooke says.

use super::{Findings, Law};
use crate::{BodyFacts, Facts, Played};
use sinew_math::{DVec3, libm};

/// With a larger strain than this under its load, a body is not judged: it may buckle or flow.
const MOST_STRAIN: f64 = 0.1;
/// The share of the shot at its end in which a body must be still.
const LAST: f64 = 0.25;

pub(super) fn stillness(played: &Played, findings: &mut Findings) {
    let Some(from) = still_from(played) else { return };
    for (number, body) in played.facts.bodies.iter().enumerate() {
        let scale = (body.size_m / 0.2).sqrt();
        for tick in from..played.ticks.len() {
            findings.note(Law::Still, played.ticks[tick][number].fastest_m_s / scale, played, number, tick);
        }
    }
}

/// The tick from which nothing in the scene has a reason to move; none where that cannot be said.
pub(super) fn still_from(played: &Played) -> Option<usize> {
    let facts = &played.facts;
    let gravity = facts.gravity?;
    let is_down = gravity.x == 0.0 && gravity.z == 0.0 && gravity.y <= 0.0;
    if !is_down || !facts.obstacles_are_still || facts.has_wind || facts.has_medium || played.ticks.is_empty() {
        return None;
    }
    let mut settled_secs = 0.0f64;
    for number in 0..facts.bodies.len() {
        let load = load_of(played, number, -gravity.y)?;
        settled_secs = settled_secs.max(load.settled_secs(&facts.bodies[number], facts)?);
    }
    let last = played.ticks.len() - 1;
    let settled = (settled_secs / facts.h_secs).ceil() as usize;
    let from = settled.max((last as f64 * (1.0 - LAST)).ceil() as usize);
    (from + 4 <= last && settled as f64 <= (1.0 - LAST) * last as f64).then_some(from)
}

/// What a body has to carry, and since when.
struct Load {
    /// How far its points are from where they will rest.
    sag_m: f64,
    gravity: f64,
    since_secs: f64,
    /// Its lowest frequency over that of waves across its size; 0 where it may be anything.
    lowest: f64,
}

impl Load {
    /// When its motion has died away by its own damping: e^(−r t) on speeds, half of that asked for.
    fn settled_secs(&self, body: &BodyFacts, facts: &Facts) -> Option<f64> {
        // A body that is let go has its whole sag to fall or spring back over.
        let stiff_rate = (body.young_pa / body.density_kg_m3).sqrt() / body.size_m;
        let by_spring = self.sag_m * if body.solver == "shape" { 1.0 / facts.h_secs } else { stiff_rate };
        let speed = 3.0 * (2.0 * self.gravity * self.sag_m).sqrt().max(by_spring);
        let goal = 3e-4 * (body.size_m / 0.2).sqrt();
        if speed <= goal {
            return Some(self.since_secs);
        }
        let rate = 0.5 * (body.wobble_per_sec + decay_per_sec(body.rayleigh_stiffness_secs, self.lowest * stiff_rate));
        (rate > 0.0).then(|| self.since_secs + libm::log(speed / goal) / rate)
    }
}

/// How fast a mode of angular frequency ω and all above it die by stiffness damping β: λ² + β ω² λ + ω² = 0. A swing loses β ω² / 2 per second. What
/// is damped beyond that creeps: with 1/β, however stiff it is.
fn decay_per_sec(beta_secs: f64, omega: f64) -> f64 {
    if beta_secs <= 0.0 {
        return 0.0;
    }
    (0.5 * beta_secs * omega * omega).min(1.0 / beta_secs)
}

/// The load of a body that is held or stands, if its shape and stiffness say that it comes to rest.
fn load_of(played: &Played, number: usize, gravity: f64) -> Option<Load> {
    let (facts, body) = (&played.facts, &played.facts.bodies[number]);
    let is_calm = body.is_passive() && !body.is_led && !body.has_moving_pin && body.velocity == DVec3::ZERO;
    if !is_calm || body.is_sheet {
        return None;
    }
    let since_frame = body.forces.iter().map(|force| force.changes_until).fold(f64::from(facts.first_frame), f64::max);
    let since_secs = (since_frame - f64::from(facts.first_frame)) * f64::from(facts.substeps) * facts.h_secs;
    let is_shape = body.solver == "shape";
    let (sag_m, lowest) = if !body.pinned.is_empty() {
        match along(body).filter(|_| gravity == 0.0) {
            Some(strain) if strain <= MOST_STRAIN && !is_shape => (strain * body.size_m, 1.5),
            Some(_) => return None,
            None => (hangs(body, gravity)?, 0.0),
        }
    } else if !body.forces.is_empty() {
        return None;
    } else if gravity == 0.0 && facts.obstacle_count == 0 && facts.bodies.len() == 1 {
        (0.0, 0.0)
    } else {
        (stands(played, number, gravity)?, if is_shape { 0.0 } else { 0.5 })
    };
    Some(Load { sag_m, gravity, since_secs, lowest })
}

/// How far a bar that stands on the ground, or flat on another, sinks under all that is on it.
fn stands(played: &Played, number: usize, gravity: f64) -> Option<f64> {
    let (facts, first) = (&played.facts, &played.ticks[0]);
    let (body, sample) = (&facts.bodies[number], &first[number]);
    let bar = body.bar_m.filter(|_| body.is_upright)?;
    let ground = facts.ground_m.filter(|_| facts.obstacle_count == 1)?;
    let width = bar.x.min(bar.z);
    // Every body of the scene is part of one column or none: all stand one on the other.
    let mut order: Vec<usize> = (0..facts.bodies.len()).collect();
    order.sort_by(|a, b| first[*a].box_low.y.total_cmp(&first[*b].box_low.y));
    let mut top = (ground, DVec3::splat(f64::INFINITY), first[order[0]].centre);
    for &other in &order {
        let (sides, low) = (facts.bodies[other].bar_m?, first[other].box_low.y);
        let off = (first[other].centre - top.2).abs();
        let is_on = (low - top.0).abs() <= 1e-3 * facts.bodies[other].size_m && facts.bodies[other].is_upright;
        let is_borne =
            off.x <= 0.1 * sides.x && off.z <= 0.1 * sides.z && sides.x <= 1.01 * top.1.x && sides.z <= 1.01 * top.1.z;
        if !is_on || !is_borne {
            return None;
        }
        top = (first[other].box_high.y, sides, first[other].centre);
    }
    let above: f64 =
        facts.bodies.iter().zip(first).filter(|(_, s)| s.box_low.y >= sample.box_low.y).map(|(b, _)| b.mass_kg).sum();
    let height = top.0 - sample.box_low.y;
    let strain = above * gravity / (bar.x * bar.z * body.young_pa);
    // Greenhill (1881): a column buckles where 12 · load · height² exceeds 7.8 E times the square of its width; a fifth of that here.
    let slender = 12.0 * strain * height * height / (7.837 * width * width);
    let is_stiff = body.solver == "shape" || (strain <= MOST_STRAIN && slender <= 0.2);
    (is_stiff && height <= 5.0 * width && bar.y <= 2.0 * width)
        .then_some(if body.solver == "shape" { 0.01 } else { strain } * height)
}

/// How far a pinned bar sags under its weight and what pulls it aside.
fn hangs(body: &BodyFacts, gravity: f64) -> Option<f64> {
    let bar = body.bar_m?;
    if body.solver == "shape" {
        return None;
    }
    let (length, thin) = (bar.max_element(), bar.min_element());
    let forces: f64 = body.most_force_n();
    let weight = body.mass_kg * gravity;
    // A clamped beam: δ = P L³ / 3 E I, and F L / E A along it. I = A t²/12 at the least.
    let section = body.volume_m3 / length;
    let bends = 4.0 * (weight + forces) * length * length / (body.young_pa * section * thin * thin);
    (bends <= MOST_STRAIN).then_some(length * bends)
}

/// The strain F / E A of a bar along x whose one end is held and whose other is pulled outwards; none of another scene.
fn along(body: &BodyFacts) -> Option<f64> {
    let bar = body.bar_m.filter(|bar| body.is_upright && bar.x >= 3.0 * bar.y.max(bar.z))?;
    let [force] = &body.forces[..] else { return None };
    let newton = force.newton.value(1e9);
    (newton.x > 0.0 && newton.y == 0.0 && newton.z == 0.0).then(|| newton.x / (bar.y * bar.z * body.young_pa))
}

/// A bar of fewer points has no middle.
const FEWEST_POINTS: usize = 24;

pub(super) fn stretch(played: &Played, findings: &mut Findings) {
    if played.facts.gravity != Some(DVec3::ZERO) || played.facts.obstacle_count > 0 || still_from(played).is_none() {
        return;
    }
    for (number, body) in played.facts.bodies.iter().enumerate() {
        let (Some(strain), Some(bar)) = (along(body), body.bar_m) else { continue };
        // Near the incompressible, few linear cells lock; one cell alone is all clamped end.
        if body.mass_of_point.len() < FEWEST_POINTS
            || !(1e-4..=0.05).contains(&strain)
            || !(0.0..=0.4).contains(&body.poisson)
        {
            continue;
        }
        let (Some(first), Some(last)) = (played.frames.first(), played.frames.last()) else { continue };
        let points = &body.forces[0].points;
        let moved = |frame: &Vec<Vec<DVec3>>| -> f64 {
            let each = points.iter().map(|&point| frame[number][point as usize].x * body.mass_of_point[point as usize]);
            each.sum::<f64>() / body.forces[0].points_kg
        };
        let due = strain * bar.x;
        let figure = ((moved(last) - moved(first)) / due - 1.0).abs();
        findings.note(Law::Stretch, figure, played, number, played.ticks.len() - 1);
    }
}
