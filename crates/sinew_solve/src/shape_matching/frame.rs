//! A body's motion as a whole, measured in one sweep: where lanes put their origin, what damping leaves alone, and what
//! momentum is about.

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

    pub(super) fn of(x: &[DVec3], v: &[DVec3], rest: &[DVec3], mass_kg: &[f64], origin: DVec3) -> Self {
        let mut sums = Self::ZERO;
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
        sums
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

impl Frame {
    /// Rest positions are about their mass centre (Σ m o = 0), so that neither the body's place nor its drift shows in
    /// sums against them.
    pub(super) fn new(sums: &FrameSums, total_kg: f64, origin: DVec3, keep: f64, ahead_secs: f64) -> Self {
        let (middle, velocity) = (sums.place / total_kg, sums.momentum / total_kg);
        let inverse_inertia = inverse_inertia(sums.spread - outer(middle, sums.place));
        let spin = inverse_inertia * (sums.angular - middle.cross(sums.momentum)) * (1.0 - keep);
        let turning = DMat3::from_cols(
            spin.cross(sums.place_rest.x_axis),
            spin.cross(sums.place_rest.y_axis),
            spin.cross(sums.place_rest.z_axis),
        );
        let quat = nearest_rotation(sums.place_rest + (sums.momentum_rest * keep + turning) * ahead_secs);
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

/// The inverse of the inertia that belongs to Σ m r rᵀ; zero where the body is a point or a line and an axis has none.
pub(super) fn inverse_inertia(spread: DMat3) -> DMat3 {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
    if inertia.determinant() > 1e-12 * trace * trace * trace { inertia.inverse() } else { DMat3::ZERO }
}
