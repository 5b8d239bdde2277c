//! What the inertia of a body says about all its rigid motions, from one pass over its points.
//!
//! With y where a point is in the frame, d its way from where inertia would have it, a its mass over h² and g = a d, a lift that takes y to T y + s
//! leaves `½ Σ a |E y + s + d|²`, E = T − I. That and its derivatives are polynomials in E and s whose coefficients are the sums below: steps are
//! looked for among rigid motions without going through the points again. Nothing cancels: everything is small where the lift is.

use crate::implicit::{RigidQuadratic, RigidTransform};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3, Sym3};

#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// Σ a, Σ a y and Σ a y yᵀ.
    mass: f64,
    arm: DVec3,
    square: Sym3,
    /// Σ g and Σ g yᵀ.
    force: DVec3,
    turning: DMat3,
    /// Σ ½ a d².
    objective: f64,
}

impl Moments {
    pub(super) const NOTHING: Self = Self {
        mass: 0.0,
        arm: DVec3::ZERO,
        square: Sym3::ZERO,
        force: DVec3::ZERO,
        turning: DMat3::ZERO,
        objective: 0.0,
    };

    #[inline]
    pub(super) fn add(&mut self, a: f64, y: DVec3, d: DVec3) {
        let (ay, g) = (y * a, d * a);
        self.mass += a;
        self.arm += ay;
        self.square +=
            Sym3 { xx: ay.x * y.x, yy: ay.y * y.y, zz: ay.z * y.z, xy: ay.x * y.y, yz: ay.y * y.z, zx: ay.z * y.x };
        self.force += g;
        self.turning += outer(g, y);
        self.objective += 0.5 * g.dot(d);
    }

    /// The objective of inertia after a lift.
    pub(super) fn objective(&self, rigid: &RigidTransform) -> f64 {
        let (e, s) = (rigid.turn - DMat3::IDENTITY, rigid.shift);
        let stretched = e * self.square.to_mat();
        let turned = contract(&e, &stretched);
        let mixed = s.dot(e * self.arm);
        self.objective
            + s.dot(self.force)
            + contract(&e, &self.turning)
            + 0.5 * (turned + self.mass * s.length_squared())
            + mixed
    }

    /// Gradient and matrix of the same.
    pub(super) fn whole(&self, rigid: &RigidTransform) -> RigidQuadratic {
        let (turn, s) = (rigid.turn, rigid.shift);
        let e = turn - DMat3::IDENTITY;
        let square = self.square.to_mat();
        // Σ of forces G = g + a (E y + s), of arms p = T y + s with a, and of G pᵀ.
        let force = self.force + e * self.arm + s * self.mass;
        let (carried, moved) = (turn * self.arm, e * self.arm);
        let arm = carried + s * self.mass;
        let spread = (self.turning + e * square) * turn.transpose()
            + outer(self.force + moved + s * self.mass, s)
            + outer(s, carried);
        let (x, y, z) = (spread.x_axis, spread.y_axis, spread.z_axis);
        let torque = DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
        let square = turn * square * turn.transpose() + outer(carried, s) + outer(s, arm);
        RigidQuadratic::of_points(force, torque, self.mass, arm, Sym3::from_mat(square))
    }
}

/// Σ aᵢⱼ bᵢⱼ.
fn contract(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implicit::Twist;
    use sinew_math::dvec3;

    /// Against sums over the points themselves.
    #[test]
    fn a_lift_is_weighed_as_point_after_point() {
        let points = [
            (2.0, dvec3(1.0, 0.2, -0.4), dvec3(0.01, 0.03, -0.02)),
            (0.7, dvec3(-0.6, 0.8, 0.1), dvec3(-0.02, 0.01, 0.05)),
            (1.3, dvec3(0.1, -0.9, 0.7), dvec3(0.04, -0.03, 0.0)),
        ];
        let rigid = RigidTransform::NONE
            .then(&Twist { shift: dvec3(0.02, -0.05, 0.01), spin: dvec3(0.1, 0.2, -0.15) }, 1.0)
            .then(&Twist { shift: dvec3(-0.01, 0.02, 0.03), spin: dvec3(-0.05, 0.1, 0.2) }, 0.7);
        let mut moments = Moments::NOTHING;
        let (mut objective, mut whole) = (0.0, RigidQuadratic::NOTHING);
        for (a, y, d) in points {
            moments.add(a, y, d);
            let (place, moved) = (rigid.place(y, 1.0), rigid.place(y, 1.0) - y + d);
            objective += 0.5 * a * moved.length_squared();
            whole.add_mass(a, place, moved * a);
        }
        assert!((moments.objective(&rigid) - objective).abs() < 1e-14, "{} {objective}", moments.objective(&rigid));
        let found = moments.whole(&rigid);
        assert!(found.force.distance(whole.force) < 1e-14);
        let (found, expected) = (found.step(), whole.step());
        assert!(found.shift.distance(expected.shift) < 1e-12 && found.spin.distance(expected.spin) < 1e-12);
    }
}
