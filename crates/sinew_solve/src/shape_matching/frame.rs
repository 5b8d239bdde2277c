//! A body's motion as a whole, measured in one sweep: where lanes put their origin, what damping leaves alone, and what
//! momentum is about.

use crate::rigid_body::inverse_inertia;
use crate::simd::Path;
use sinew_math::rotation::{nearest_rotation, outer};
use sinew_math::{DMat3, DQuat, DVec3};

/// Sums over a chunk of points, with d = x − origin.
#[derive(Clone, Copy)]
pub(super) struct FrameSums {
    /// Σ m d and Σ m v.
    place: DVec3,
    momentum: DVec3,
    /// Σ m d × v.
    angular: DVec3,
    /// Σ m d dᵀ.
    spread: DMat3,
    /// Σ m d oᵀ and Σ m v oᵀ.
    place_rest: DMat3,
    momentum_rest: DMat3,
}

/// The body's own rigid place and motion. Lanes see x* = `centre_ahead` + `turn` (o + u), where x* is a little ahead of
/// x, and only u.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) origin: DVec3,
    /// Centre of x, about which momenta are measured, from the origin.
    pub(super) middle: DVec3,
    pub(super) middle_ahead: DVec3,
    pub(super) turn: DMat3,
    pub(super) quat: DQuat,
    /// Inverse of the inertia about the centre, world axes; zero for a body without extent.
    pub(super) inverse_inertia: DMat3,
    /// Velocities after damping are `keep` v + `drift` + `spin` × r.
    pub(super) keep: f64,
    pub(super) drift: DVec3,
    pub(super) spin: DVec3,
    pub(super) ahead_secs: f64,
}

impl FrameSums {
    pub(super) const ZERO: Self = Self {
        place: DVec3::ZERO,
        momentum: DVec3::ZERO,
        angular: DVec3::ZERO,
        spread: DMat3::ZERO,
        place_rest: DMat3::ZERO,
        momentum_rest: DMat3::ZERO,
    };

    /// Sums over the points at `x`, which move with `v`.
    pub(super) fn find(
        &mut self,
        path: Path,
        x: &[DVec3],
        v: &[DVec3],
        rest: &[DVec3],
        mass_kg: &[f64],
        origin: DVec3,
    ) {
        sum_up(path, x, v, rest, mass_kg, origin, self);
    }

    pub(super) fn and(self, other: &Self) -> Self {
        Self {
            place: self.place + other.place,
            momentum: self.momentum + other.momentum,
            angular: self.angular + other.angular,
            spread: self.spread + other.spread,
            place_rest: self.place_rest + other.place_rest,
            momentum_rest: self.momentum_rest + other.momentum_rest,
        }
    }
}

crate::simd::compiled! {
    /// One after another, so that sums are the same whatever the compiler makes of it; wide registers hold all of them.
    sum_up = sum_up_in(
        x: &[DVec3], v: &[DVec3], rest: &[DVec3], mass_kg: &[f64], origin: DVec3, sums: &mut FrameSums)
}

#[inline(always)]
fn sum_up_in(x: &[DVec3], v: &[DVec3], rest: &[DVec3], mass_kg: &[f64], origin: DVec3, into: &mut FrameSums) {
    let mut sums = FrameSums::ZERO;
    for (((x, v), o), m) in x.iter().zip(v).zip(rest).zip(mass_kg) {
        let d = *x - origin;
        let (md, mv) = (d * *m, *v * *m);
        sums.place += md;
        sums.momentum += mv;
        sums.angular += md.cross(*v);
        sums.spread += outer(md, d);
        sums.place_rest += outer(md, *o);
        sums.momentum_rest += outer(mv, *o);
    }
    let FrameSums { place, momentum, angular, spread, place_rest, momentum_rest } = sums;
    (into.place, into.momentum, into.angular) = (place, momentum, angular);
    (into.spread, into.place_rest, into.momentum_rest) = (spread, place_rest, momentum_rest);
}

impl Frame {
    /// Rest positions are about their mass centre (Σ m o = 0), so that neither the body's place nor its drift shows in
    /// sums against them.
    pub(super) fn new(sums: &FrameSums, total_kg: f64, origin: DVec3, keep: f64, ahead_secs: f64, warm: DQuat) -> Self {
        let (middle, velocity) = (sums.place / total_kg, sums.momentum / total_kg);
        let inverse_inertia = inverse_inertia(sums.spread - outer(middle, sums.place));
        let spin = inverse_inertia * (sums.angular - middle.cross(sums.momentum)) * (1.0 - keep);
        let turning = DMat3::from_cols(
            spin.cross(sums.place_rest.x_axis),
            spin.cross(sums.place_rest.y_axis),
            spin.cross(sums.place_rest.z_axis),
        );
        let quat = nearest_from(sums.place_rest + (sums.momentum_rest * keep + turning) * ahead_secs, warm);
        Self {
            origin,
            middle,
            middle_ahead: middle + velocity * ahead_secs,
            turn: DMat3::from_quat(quat),
            quat,
            inverse_inertia,
            keep,
            drift: velocity * (1.0 - keep),
            spin,
            ahead_secs,
        }
    }

    /// A point from the body's centre, and its velocity after damping.
    #[inline(always)]
    pub(super) fn damped(&self, x: DVec3, v: DVec3) -> (DVec3, DVec3) {
        let r = (x - self.origin) - self.middle;
        (r, v * self.keep + self.drift + self.spin.cross(r))
    }
}

/// The rotation nearest to `a`, by the Newton steps of [`super::rotation`] while they are safe, else from scratch. There
/// is only one maximum, so that both ways lead to the same.
fn nearest_from(a: DMat3, warm: DQuat) -> DQuat {
    const MOST_STEPS: usize = 8;
    /// Cubic convergence: after such a step nothing is left that f64 could tell.
    const LAST_STEP_RAD2: f64 = 1e-10;
    const SAFE_DETERMINANT: f64 = 1e-4;
    let mut quat = warm.normalize();
    for _ in 0..MOST_STEPS {
        let m = DMat3::from_quat(quat).transpose() * a;
        let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let h = DMat3::from_diagonal(DVec3::splat(trace)) - (m + m.transpose()) * 0.5;
        let minors = h.x_axis.x * h.y_axis.y + h.y_axis.y * h.z_axis.z + h.z_axis.z * h.x_axis.x
            - (h.x_axis.y * h.x_axis.y + h.y_axis.z * h.y_axis.z + h.z_axis.x * h.z_axis.x);
        if !(trace > 0.0 && minors > 0.0 && h.determinant() > SAFE_DETERMINANT * trace * trace * trace) {
            break;
        }
        let torque = DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x);
        let omega = h.inverse() * torque;
        quat = (quat * DQuat::from_xyzw(0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z, 1.0)).normalize();
        if omega.length_squared() < LAST_STEP_RAD2 {
            return quat;
        }
    }
    nearest_rotation(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quat() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0f64..1.0)
            .prop_filter("long enough to normalise", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-2)
            .prop_map(|q| DQuat::from_array(q).normalize())
    }

    proptest! {
        #[test]
        fn warm_or_not_the_rotation_is_the_same(planted in quat(), axes in quat(), warm in quat(), s in prop::array::uniform3(0.1f64..3.0)) {
            let axes = DMat3::from_quat(axes);
            let a = DMat3::from_quat(planted) * axes * DMat3::from_diagonal(DVec3::from_array(s)) * axes.transpose();
            prop_assert!(nearest_from(a, warm).dot(planted).abs() > 1.0 - 1e-14);
            prop_assert!(nearest_from(a, planted).dot(planted).abs() > 1.0 - 1e-15);
        }
    }

    #[test]
    fn a_warm_start_of_nothing_does_no_harm() {
        let turn = DQuat::from_axis_angle(DVec3::Y, 2.0);
        for warm in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)] {
            assert!(nearest_from(DMat3::from_quat(turn), warm).dot(turn).abs() > 1.0 - 1e-12);
        }
    }
}
