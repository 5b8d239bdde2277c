//! Turns over time: a curve through quaternion keys, smooth at any spacing of them.
//!
//! Kim, Kim, Shin, "A General Construction Scheme for Unit Quaternion Curves with Simple High Order
//! Derivatives", SIGGRAPH 1995: the cubic Hermite curve in cumulative form, `q(t) = q₀ exp(ω₁ β₁) exp(ω₂ β₂)
//! exp(ω₃ β₃)` with the cumulative Bernstein polynomials βᵢ. It starts at one key with its angular velocity
//! and ends at the next with that one's, so that neighbouring segments, which share both, join with a
//! continuous velocity (C¹) however unequal they are in length. SQUAD does that for equal lengths only.
//!
//! | here | meaning | unit |
//! |------|---------|------|
//! | `spin` | angular velocity at a key, in the axes of the body there | rad per unit of the axis |
//!
//! The spin of a key is the mean of the turns to its neighbours, each by its own length, weighted by the
//! other's length (Catmull–Rom on unequal spacing); at the ends it is that of the only neighbour. Between
//! keys the shorter way is taken: less than half a turn.
//!
//! `web/src/document/rotationCurve.ts` evaluates the same curve; both are held to `rotationCurve.golden.json`
//! beside it.

use crate::curve::CurveError;
use crate::libm::{acos, atan2, cos, sin};
use glam::{DQuat, DVec3};

/// Keys in rising order, at least one. Before the first and after the last it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct RotationCurve {
    keys: Vec<RotationKey>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct RotationKey {
    at: f64,
    turn: DQuat,
    spin: DVec3,
}

impl RotationCurve {
    /// Turns at places of the axis; they are normalised.
    pub fn new(keys: &[(f64, DQuat)]) -> Result<Self, CurveError> {
        if keys.is_empty() {
            return Err(CurveError::Empty);
        }
        for (key, (at, turn)) in keys.iter().enumerate() {
            if !at.is_finite() || !turn.is_finite() || turn.length_squared() < 1e-12 {
                return Err(CurveError::NotFinite { key });
            }
            if key > 0 && keys[key - 1].0 >= *at {
                return Err(CurveError::NotRising { key });
            }
        }
        let mut near: Vec<RotationKey> = Vec::with_capacity(keys.len());
        for (at, turn) in keys {
            let turn = turn.normalize();
            let is_far = near.last().is_some_and(|last| last.turn.dot(turn) < 0.0);
            near.push(RotationKey { at: *at, turn: if is_far { -turn } else { turn }, spin: DVec3::ZERO });
        }
        let rate = |a: &RotationKey, b: &RotationKey| log(a.turn.inverse() * b.turn) / (b.at - a.at);
        let spins: Vec<DVec3> = (0..near.len())
            .map(|key| {
                let before =
                    key.checked_sub(1).map(|before| (rate(&near[before], &near[key]), near[key].at - near[before].at));
                let after = near.get(key + 1).map(|after| (rate(&near[key], after), after.at - near[key].at));
                match (before, after) {
                    (Some((a, length_a)), Some((b, length_b))) => (a * length_b + b * length_a) / (length_a + length_b),
                    (Some((rate, _)), None) | (None, Some((rate, _))) => rate,
                    (None, None) => DVec3::ZERO,
                }
            })
            .collect();
        near.iter_mut().zip(spins).for_each(|(key, spin)| key.spin = spin);
        Ok(Self { keys: near })
    }

    /// The turn at a place of the axis.
    pub fn turn(&self, at: f64) -> DQuat {
        self.turn_and_spin(at).0
    }

    /// The turn, and its angular velocity in the fixed axes, radians per unit of the axis.
    pub fn turn_and_spin(&self, at: f64) -> (DQuat, DVec3) {
        let after = self.keys.partition_point(|key| key.at <= at);
        match (after.checked_sub(1).map(|before| &self.keys[before]), self.keys.get(after)) {
            (Some(a), Some(b)) => between(a, b, at),
            (Some(last), None) => (last.turn, DVec3::ZERO),
            (None, first) => (first.map_or(DQuat::IDENTITY, |key| key.turn), DVec3::ZERO),
        }
    }
}

/// The Hermite segment from one key to the next.
fn between(a: &RotationKey, b: &RotationKey, at: f64) -> (DQuat, DVec3) {
    let length = b.at - a.at;
    let t = (at - a.at) / length;
    let (first, last) = (a.spin * (length / 3.0), b.spin * (length / 3.0));
    // What the two outer turns leave for the middle one.
    let middle = log(exp(-first) * a.turn.inverse() * b.turn * exp(-last));
    let s = 1.0 - t;
    let [b1, b2, b3] = [1.0 - s * s * s, t * t * (3.0 - 2.0 * t), t * t * t];
    let [d1, d2, d3] = [3.0 * s * s, 6.0 * t * s, 3.0 * t * t];
    let (q1, q2, q3) = (exp(first * b1), exp(middle * b2), exp(last * b3));
    let turn = a.turn * q1 * q2 * q3;
    // Each factor turns about an axis that it leaves alone; those before it carry that axis along.
    let (r1, r2) = (a.turn, a.turn * q1);
    let spin = (r1 * first * d1 + r2 * middle * d2 + (r2 * q2) * last * d3) / length;
    (turn.normalize(), spin)
}

/// The turn by a vector's length about its direction.
pub fn exp(v: DVec3) -> DQuat {
    let angle = v.length();
    // sin(a/2)/a, by its series where a is small.
    let share = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { sin(0.5 * angle) / angle };
    let xyz = v * share;
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, cos(0.5 * angle))
}

/// The inverse of [`exp`], the shorter way.
pub fn log(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let xyz = DVec3::new(turn.x, turn.y, turn.z);
    let sine = xyz.length();
    // a/sin(a/2), by its series where a is small.
    let share = if sine < 1e-6 { 2.0 + sine * sine / 3.0 } else { 2.0 * atan2(sine, turn.w) / sine };
    xyz * share
}

/// The angle of a turn, radians from 0 to π.
pub fn turn_angle(turn: DQuat) -> f64 {
    2.0 * acos(turn.w.abs().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DMat3;

    fn about(axis: DVec3, angle: f64) -> DQuat {
        DQuat::from_axis_angle(axis.normalize(), angle)
    }

    /// Keys at very unequal distances, with turns of up to 170 degrees between them, one given as its
    /// negative.
    fn keys() -> Vec<(f64, DQuat)> {
        vec![
            (1.0, about(DVec3::new(1.0, 2.0, -1.0), 0.3)),
            (2.0, -about(DVec3::new(0.0, 1.0, 0.2), 2.0)),
            (12.0, about(DVec3::new(1.0, -0.3, 0.5), 1.1)),
            (12.5, about(DVec3::new(1.0, -0.3, 0.6), 1.4)),
            (40.0, about(DVec3::new(-1.0, 0.4, 2.0), 2.9)),
        ]
    }

    #[test]
    fn it_passes_through_its_keys_and_its_velocity_has_no_jumps() {
        let curve = RotationCurve::new(&keys()).unwrap();
        for (at, turn) in keys() {
            assert!(turn_angle(curve.turn(at).inverse() * turn) < 1e-7, "at {at}");
        }
        for at in [2.0, 12.0, 12.5] {
            let (before, after) = (curve.turn_and_spin(at - 1e-9).1, curve.turn_and_spin(at).1);
            assert!(before.distance(after) < 1e-6 * after.length(), "at {at}: {before} {after}");
        }
    }

    #[test]
    fn spin_is_the_derivative_of_the_turn() {
        let curve = RotationCurve::new(&keys()).unwrap();
        for at in [1.3, 1.9, 5.0, 11.0, 12.2, 30.0] {
            let d = 1e-5;
            let [a, b] = [at - d, at + d].map(|at| DMat3::from_quat(curve.turn(at)));
            let (turn, spin) = curve.turn_and_spin(at);
            let rate = (b - a) * (0.5 / d) * DMat3::from_quat(turn).transpose();
            let by_differences = DVec3::new(rate.y_axis.z, rate.z_axis.x, rate.x_axis.y);
            assert!(by_differences.distance(spin) < 1e-6, "at {at}: {by_differences} {spin}");
        }
    }

    #[test]
    fn an_even_spin_stays_even_at_any_spacing() {
        let axis = DVec3::new(0.3, -1.0, 0.4).normalize();
        let even: Vec<(f64, DQuat)> = [0.0, 0.5, 3.0, 3.1, 7.0].map(|at| (at, about(axis, 0.4 * at))).into();
        let curve = RotationCurve::new(&even).unwrap();
        for step in 0..=70 {
            let at = 0.1 * f64::from(step);
            assert!(turn_angle(curve.turn(at).inverse() * about(axis, 0.4 * at)) < 1e-7, "at {at}");
        }
    }

    #[test]
    fn it_holds_outside_its_keys_and_refuses_what_is_no_curve() {
        let curve = RotationCurve::new(&keys()).unwrap();
        let (before, still) = curve.turn_and_spin(-5.0);
        assert!(turn_angle(before.inverse() * keys()[0].1) < 1e-7 && still == DVec3::ZERO);
        assert_eq!(curve.turn_and_spin(99.0).1, DVec3::ZERO);
        let one = RotationCurve::new(&[(3.0, DQuat::IDENTITY)]).unwrap();
        assert_eq!(one.turn_and_spin(7.0), (DQuat::IDENTITY, DVec3::ZERO));
        assert_eq!(RotationCurve::new(&[]), Err(CurveError::Empty));
        let twice = [(1.0, DQuat::IDENTITY), (1.0, DQuat::IDENTITY)];
        assert_eq!(RotationCurve::new(&twice), Err(CurveError::NotRising { key: 1 }));
        let nothing = [(1.0, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0))];
        assert_eq!(RotationCurve::new(&nothing), Err(CurveError::NotFinite { key: 0 }));
    }

    /// What the page is held to. `SINEW_BLESS=1` writes it.
    #[test]
    fn the_golden_samples_are_those_of_this_curve() {
        let curve = RotationCurve::new(&keys()).unwrap();
        let row = |at: f64, turn: DQuat| format!("[{at:?}, {:?}]", turn.to_array());
        let list = |rows: Vec<String>| rows.join(",\n    ");
        let samples: Vec<f64> = (0..=80).map(|n| 0.5 * f64::from(n) + 0.25).collect();
        let text = format!(
            "{{\n  \"keys\": [\n    {}\n  ],\n  \"samples\": [\n    {}\n  ]\n}}\n",
            list(keys().into_iter().map(|(at, turn)| row(at, turn)).collect()),
            list(samples.into_iter().map(|at| row(at, curve.turn(at))).collect()),
        );
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/document/rotationCurve.golden.json");
        if std::env::var_os("SINEW_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "cargo xtask bless writes it");
    }
}
