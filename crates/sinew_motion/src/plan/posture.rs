//! One frame of a body in its own axes: rotation by shape matching, and how it answers to movements of nodes.
//!
//! The rotation `R` maximises `tr(Rᵀ A)` of the moment `A = Σ yᵢ gᵢᵀ`. With nodal movements `z = Rᵀ δy` in
//! the body's axes, it turns by
//!
//! `ω = K⁻¹ Σ gᵢ × zᵢ`,  `K = tr(S) I − S`,  `S = Rᵀ A`,
//!
//! and places in the body's axes `p = Rᵀ (y − c)` move by `z − Σ b z + p × ω`. Everything here follows from
//! those two lines.

use crate::interpolation::BodyFrame;
use sinew_math::{DMat3, DQuat, DVec3};

/// A frame of a motion in the body's axes.
#[derive(Debug, Clone)]
pub(super) struct Posture {
    pub turn: DQuat,
    pub r: DMat3,
    pub centre: DVec3,
    /// `p`.
    pub places: Vec<DVec3>,
    /// `S`, symmetric.
    pub stretch: DMat3,
    /// `K⁻¹`, symmetric.
    pub turning: DMat3,
}

impl Posture {
    pub(super) fn new(frame: &BodyFrame, y: &[DVec3]) -> Self {
        let moment = frame.moment(y);
        let turn = frame.rotation(y);
        let r = DMat3::from_quat(turn);
        let back = r.transpose();
        let centre = frame.centre(y);
        let raw = back * moment;
        let stretch = (raw + raw.transpose()) * 0.5;
        let trace = stretch.x_axis.x + stretch.y_axis.y + stretch.z_axis.z;
        let mut k = DMat3::from_diagonal(DVec3::splat(trace)) - stretch;
        // A crushed body has no rotation; a little of the rest shape's keeps numbers finite.
        let rest: f64 = frame.rest.iter().zip(&frame.moment_weights).map(|(x, g)| x.dot(*g)).sum();
        if k.determinant() < 1e-4 * rest * rest * rest {
            k += DMat3::from_diagonal(DVec3::splat(0.1 * rest));
        }
        let places = y.iter().map(|y| back * (*y - centre)).collect();
        Self { turn, r, centre, places, stretch, turning: k.inverse() }
    }

    /// `∂ω/∂z` as a column triple for every node.
    pub(super) fn turning_by_node(&self, frame: &BodyFrame) -> Vec<DMat3> {
        frame.moment_weights.iter().map(|g| self.turning * cross(*g)).collect()
    }
}

/// `[v]×`.
pub(super) fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}

/// Inverse right Jacobian of the exponential map: `d log(E exp ω) = J ω`. That of movements on the other side
/// is its transpose.
pub(super) fn inverse_jacobian(theta: DVec3) -> DMat3 {
    let angle = theta.length();
    let share = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        let half = 0.5 * angle;
        (1.0 - half * sinew_math::libm::cos(half) / sinew_math::libm::sin(half)) / (angle * angle)
    };
    let k = cross(theta);
    DMat3::IDENTITY + k * 0.5 + k * k * share
}
