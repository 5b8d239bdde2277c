//! Vectors and turns over frames, made of numbers.

use sinew_math::{DQuat, DVec3, Number};
use sinew_solve::Now;

/// A vector whose components are numbers over frames.
#[derive(Debug, Clone, PartialEq)]
pub struct Track3(pub [Number; 3]);

impl Track3 {
    pub fn constant(value: DVec3) -> Self {
        Self(value.to_array().map(Number::Constant))
    }

    /// Value at the end of the interval, and its rate per second.
    pub fn at(&self, now: &Now) -> (DVec3, DVec3) {
        let pairs = [0, 1, 2].map(|i: usize| self.0[i].value_and_slope(now.end_frame));
        (DVec3::from_array(pairs.map(|p| p.0)), DVec3::from_array(pairs.map(|p| p.1)) * now.frames_per_sec)
    }
}

/// A turn by angles about x, then y, then z (degrees, about fixed axes).
#[derive(Debug, Clone, PartialEq)]
pub struct Turn(pub Track3);

impl Turn {
    /// The turn from fixed angles.
    pub fn from_degrees(degrees: DVec3) -> DQuat {
        let [x, y, z] = degrees.to_array().map(f64::to_radians);
        DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
    }

    /// The turn at the end of the interval, and its spin in radians per second.
    pub fn at(&self, now: &Now) -> (DQuat, DVec3) {
        let (degrees, rates) = self.0.at(now);
        let [_, y, z] = degrees.to_array().map(f64::to_radians);
        let [dx, dy, dz] = rates.to_array().map(f64::to_radians);
        // ω = ż ẑ + Rz (ẏ ŷ + Ry ẋ x̂), for R = Rz Ry Rx.
        let (rz, ry) = (DQuat::from_rotation_z(z), DQuat::from_rotation_y(y));
        (Self::from_degrees(degrees), DVec3::Z * dz + rz * (DVec3::Y * dy + ry * (DVec3::X * dx)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sinew_math::{Curve, DMat3, Outside};
    use sinew_solve::{BodyId, BodyState, Flesh, Seen};

    /// A body that touches nothing, under implicit Euler.
    pub(crate) fn seen_alone<'a>(flesh: &'a Flesh, state: &'a BodyState) -> Seen<'a> {
        Seen { body: BodyId(0), flesh, state, contacts: &[], body_contacts: &[], input: &[], force_arm: 1.0 }
    }

    pub(crate) fn now_at(frame: f64) -> Now {
        let h_secs = 1.0 / 96.0;
        Now { tick: 0, start_secs: frame / 24.0, h_secs, end_frame: frame, frames_per_sec: 24.0, tick_secs: h_secs }
    }

    #[test]
    fn spin_is_the_derivative_of_the_turn() {
        let ramp = |to: f64| Number::Curve(Curve::linear(&[(0.0, 0.0), (24.0, to)], Outside::Hold).unwrap());
        let turn = Turn(Track3([ramp(90.0), ramp(-50.0), ramp(130.0)]));
        let (r, spin) = turn.at(&now_at(7.0));
        let d = 1e-5;
        let (a, b) = (DMat3::from_quat(turn.at(&now_at(7.0 - d)).0), DMat3::from_quat(turn.at(&now_at(7.0 + d)).0));
        let rate = (b - a) * (24.0 / (2.0 * d)) * DMat3::from_quat(r).transpose();
        let from_matrix = DVec3::new(rate.y_axis.z, rate.z_axis.x, rate.x_axis.y);
        assert!(from_matrix.distance(spin) < 1e-6, "{from_matrix} {spin}");
    }
}
