//! Spherical cubics through turns (SQUAD), an alternative to [`RotationCurve`](sinew_math::RotationCurve).
//!
//! Shoemake, "Animating rotation with quaternion curves", 1985; Adams et al. 2009, App. A, with these
//! corrections: the outer slerp starts at the curve through the keys, `S(p,a,b,q,α) = S⁰(S⁰(p,q,α),
//! S⁰(a,b,α), 2α(1−α))`; the derivative of `W^β` accounts for `W` and `W'` not commuting; and inner controls
//! take the lengths of both neighbouring segments into account, without which the angular velocity jumps at
//! frames that are not equally spaced.

use sinew_math::libm::{cos, sin};
use sinew_math::rotation_curve::{exp, log};
use sinew_math::{DQuat, DVec3};

/// A curve through turns at rising times.
#[derive(Debug, Clone, PartialEq)]
pub struct SquadCurve {
    times: Vec<f64>,
    turns: Vec<DQuat>,
    /// Controls after and before each key.
    outgoing: Vec<DQuat>,
    incoming: Vec<DQuat>,
}

impl SquadCurve {
    /// Keys must be unit turns at rising times, at least one.
    pub fn new(keys: &[(f64, DQuat)]) -> Self {
        let times: Vec<f64> = keys.iter().map(|key| key.0).collect();
        let mut turns: Vec<DQuat> = Vec::with_capacity(keys.len());
        for (_, turn) in keys {
            let is_far = turns.last().is_some_and(|last| last.dot(*turn) < 0.0);
            turns.push(if is_far { -*turn } else { *turn });
        }
        let (mut outgoing, mut incoming) = (turns.clone(), turns.clone());
        for j in 1..keys.len().saturating_sub(1) {
            let (before, after) = (times[j] - times[j - 1], times[j + 1] - times[j]);
            let forward = log(turns[j].conjugate() * turns[j + 1]);
            let backward = log(turns[j].conjugate() * turns[j - 1]);
            let rate = (forward * (before / after) - backward * (after / before)) / (before + after);
            outgoing[j] = turns[j] * exp((rate * after - forward) * 0.5);
            incoming[j] = turns[j] * exp((-backward - rate * before) * 0.5);
        }
        Self { times, turns, outgoing, incoming }
    }

    /// The turn, and its angular velocity in the fixed axes. It holds outside its keys.
    pub fn turn_and_spin(&self, at: f64) -> (DQuat, DVec3) {
        let after = self.times.partition_point(|time| *time <= at);
        if after == 0 || after == self.times.len() {
            return (self.turns[after.saturating_sub(1)], DVec3::ZERO);
        }
        let from = after - 1;
        let h = self.times[after] - self.times[from];
        let alpha = (at - self.times[from]) / h;
        let (turn, rate) = squad(self.turns[from], self.outgoing[from], self.incoming[after], self.turns[after], alpha);
        // ω = 2 Q̇ Q⁻¹ (Eq. 34).
        let spin = rate * turn.conjugate();
        (turn.normalize(), DVec3::new(spin.x, spin.y, spin.z) * (2.0 / h))
    }
}

/// S and dS/dα.
fn squad(p: DQuat, a: DQuat, b: DQuat, q: DQuat, alpha: f64) -> (DQuat, DQuat) {
    let (u, du) = slerp(p, q, alpha);
    let (v, dv) = slerp(a, b, alpha);
    let (beta, dbeta) = (2.0 * alpha * (1.0 - alpha), 2.0 - 4.0 * alpha);
    let inverse = u.conjugate();
    let w = inverse * v;
    let dw = inverse * dv - inverse * du * inverse * v;
    let (w, dw) = if w.w < 0.0 { (-w, -dw) } else { (w, dw) };
    let (power, dpower) = power(w, dw, beta, dbeta);
    (u * power, du * power + u * dpower)
}

/// S⁰ and its derivative, the shorter way.
fn slerp(p: DQuat, q: DQuat, alpha: f64) -> (DQuat, DQuat) {
    let way = log(p.conjugate() * q);
    let at = p * exp(way * alpha);
    (at, at * DQuat::from_xyzw(0.5 * way.x, 0.5 * way.y, 0.5 * way.z, 0.0))
}

/// W^β and its derivative, for W = [cos θ, n sin θ].
fn power(w: DQuat, dw: DQuat, beta: f64, dbeta: f64) -> (DQuat, DQuat) {
    let (xyz, dxyz) = (DVec3::new(w.x, w.y, w.z), DVec3::new(dw.x, dw.y, dw.z));
    let theta = 0.5 * log(w).length();
    let sine = xyz.length();
    if sine < 1e-9 {
        // W^β ≈ [1, β v]; its derivative follows.
        let (value, rate) = (xyz * beta, dxyz * beta + xyz * dbeta);
        let unit = DQuat::from_xyzw(value.x, value.y, value.z, 1.0);
        return (unit.normalize(), DQuat::from_xyzw(rate.x, rate.y, rate.z, 0.0));
    }
    let n = xyz / sine;
    let dtheta = dxyz.dot(n) * w.w - dw.w * sine;
    let dn = (dxyz - n * n.dot(dxyz)) / sine;
    let (s, c) = (sin(beta * theta), cos(beta * theta));
    let turned = dbeta * theta + beta * dtheta;
    let rate = n * (c * turned) + dn * s;
    (DQuat::from_xyzw(n.x * s, n.y * s, n.z * s, c), DQuat::from_xyzw(rate.x, rate.y, rate.z, -s * turned))
}
