//! Wobble dies away; what the body does as a whole does not.
//!
//! Müller, Heidelberger, Hennix, Ratcliff: "Position Based Dynamics", VRIPhys 2006, §3.5: velocities are drawn towards
//! the rigid motion that carries the body's momenta. A body that hangs from pins cannot move off as a whole: there the
//! rigid motion is the one that its pins leave free (swinging about a single pin goes on, bouncing dies away).
//!
//! Velocities beyond rigid fall by e^(−rate t). A swing has half of its energy in its velocity: its amplitude falls by e^(−rate t/2).

use crate::{BodyState, Cues, Damping, Flesh, Pin, RigidBody};
use sinew_math::{DVec3, libm};

/// All pins together count this many times the body when its rigid motion is measured.
const PIN_WEIGHT: f64 = 1e6;

/// What a material's damping by mass does in `h_secs`: Rayleigh's and that of wobble are the same law. Returns the impulse that pins take up.
pub(crate) fn damp_by_mass(flesh: &Flesh, damping: &Damping, cues: &Cues, h_secs: f64, state: &mut BodyState) -> DVec3 {
    let rate = (damping.wobble_per_sec + damping.rayleigh_mass_per_sec) * h_secs;
    if rate <= 0.0 {
        return DVec3::ZERO;
    }
    let even = libm::exp(-rate);
    let keep = |i: usize| if cues.damping.is_empty() { even } else { libm::exp(-rate * damping_factor(cues, i)) };
    damp(flesh, &cues.pins, state, !cues.damping.is_empty(), keep)
}

/// How much more, or less, a point is damped than its material.
pub(crate) fn damping_factor(cues: &Cues, point: usize) -> f64 {
    cues.damping.get(point).copied().unwrap_or(1.0)
}

/// `v ← v_rigid + keep (v − v_rigid)`. With `uneven`, `keep` differs from point to point, and the momentum that this
/// would add or take is put back. In a body with pins it is theirs: returns the impulse that they take up, N s.
pub(crate) fn damp(
    flesh: &Flesh,
    pins: &[Pin],
    state: &mut BodyState,
    uneven: bool,
    keep: impl Fn(usize) -> f64,
) -> DVec3 {
    let before = rigid_motion(flesh, pins, state);
    let impulse = draw_towards(&before, state, &flesh.mass_kg, &keep);
    if !pins.is_empty() {
        return impulse;
    }
    if uneven {
        let after = rigid_motion(flesh, pins, state);
        let (velocity, spin) = (before.velocity - after.velocity, before.spin - after.spin);
        let lost = RigidBody { velocity, spin, ..before };
        for (v, x) in state.v.iter_mut().zip(&state.x) {
            *v += lost.velocity_at(*x);
        }
    }
    DVec3::ZERO
}

/// The energy of velocities beyond the rigid motion, joule.
pub(crate) fn kinetic_energy(flesh: &Flesh, pins: &[Pin], state: &BodyState) -> f64 {
    let rigid = rigid_motion(flesh, pins, state);
    let points = state.x.iter().zip(&state.v).zip(&flesh.mass_kg);
    points.map(|((x, v), m)| 0.5 * m * (*v - rigid.velocity_at(*x)).length_squared()).sum()
}

fn draw_towards(rigid: &RigidBody, state: &mut BodyState, mass_kg: &[f64], keep: impl Fn(usize) -> f64) -> DVec3 {
    let mut impulse = DVec3::ZERO;
    for (i, ((v, x), m)) in state.v.iter_mut().zip(&state.x).zip(mass_kg).enumerate() {
        let as_whole = rigid.velocity_at(*x);
        let change = (*v - as_whole) * (keep(i) - 1.0);
        *v += change;
        impulse += change * *m;
    }
    impulse
}

/// What a pin counts when a body's rigid motion is measured: so much that rigid motions are those that pins leave free.
pub(crate) fn pin_weight_kg(flesh: &Flesh, pins: &[Pin]) -> f64 {
    if pins.is_empty() { 0.0 } else { PIN_WEIGHT * flesh.total_mass_kg() / pins.len() as f64 }
}

/// The rigid motion nearest to all velocities, weighted by mass; pins count far more than flesh.
fn rigid_motion(flesh: &Flesh, pins: &[Pin], state: &BodyState) -> RigidBody {
    let pin_kg = pin_weight_kg(flesh, pins);
    let free = state.x.iter().zip(&state.v).zip(&flesh.mass_kg).map(|((x, v), m)| (*x - state.origin, *v, *m));
    let held = pins.iter().map(|pin| (flesh.anchors.at(pin.at, &state.x) - state.origin, pin.velocity, pin_kg));
    let about_origin = RigidBody::of_points(free.chain(held));
    RigidBody { centre: state.origin + about_origin.centre, ..about_origin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, Row, damp_wobble};
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    fn wobbling() -> (Flesh, BodyState) {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [6, 2, 2]), 1000.0).unwrap();
        let wave = |x: &DVec3| dvec3(0.1, 0.2, 0.3) + dvec3(0.3, -0.2, 1.0).cross(*x) + dvec3(x.y, x.x * x.x, -x.z);
        let v = flesh.rest.iter().map(wave).collect();
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let mut state = BodyState { origin: DVec3::ZERO, x: flesh.rest.clone(), v, memory };
        state.recentre(&flesh.mass_kg);
        (flesh, state)
    }

    fn momenta(flesh: &Flesh, state: &BodyState) -> (DVec3, DVec3) {
        let each = state.x.iter().zip(&state.v).zip(&flesh.mass_kg);
        each.fold((DVec3::ZERO, DVec3::ZERO), |(p, l), ((x, v), m)| (p + *v * *m, l + x.cross(*v) * *m))
    }

    #[test]
    fn a_free_body_is_damped_like_every_other_solver_does() {
        let (flesh, mut ours) = wobbling();
        let mut theirs = ours.clone();
        damp(&flesh, &[], &mut ours, false, |_| 0.4);
        damp_wobble(&flesh.mass_kg, &mut theirs, |_| 0.4);
        assert!(ours.v.iter().zip(&theirs.v).all(|(a, b)| a.distance(*b) < 1e-12));
    }

    #[test]
    fn painted_damping_keeps_momentum() {
        let (flesh, mut state) = wobbling();
        let before = momenta(&flesh, &state);
        damp(&flesh, &[], &mut state, true, |i| if i % 3 == 0 { 0.1 } else { 0.9 });
        let after = momenta(&flesh, &state);
        assert!(before.0.distance(after.0) < 1e-11 && before.1.distance(after.1) < 1e-11);
    }

    #[test]
    fn one_pin_leaves_swinging_free_and_many_pins_nothing() {
        let (flesh, mut state) = wobbling();
        let pin = |point: usize| Pin { at: Row(point as u32), to: flesh.rest[point], velocity: DVec3::ZERO };
        let swing = |x: DVec3| dvec3(0.0, 0.0, 2.0).cross(x - flesh.rest[5]);
        state.v = flesh.rest.iter().map(|x| swing(*x)).collect();
        damp(&flesh, &[pin(5)], &mut state, false, |_| 0.0);
        assert!(flesh.rest.iter().zip(&state.v).all(|(x, v)| v.distance(swing(*x)) < 1e-4));
        state.v = vec![DVec3::Y; flesh.point_count()];
        damp(&flesh, &[pin(0), pin(9), pin(30)], &mut state, false, |_| 0.5);
        assert!(state.v.iter().all(|v| v.distance(DVec3::Y * 0.5) < 1e-4));
    }
}
