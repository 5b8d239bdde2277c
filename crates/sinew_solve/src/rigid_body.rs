//! A body as if it were rigid: its mass properties, the motion that carries its momenta, and what an impulse does to it.
//!
//! Damping, restitution, warm starts and contact between whole bodies all ask for this; it is summed here only.

use crate::BodyState;
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};

/// The rigid motion with the linear and angular momentum of some points, and the inverses of their mass and inertia.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidBody {
    /// Centre of mass.
    pub centre: DVec3,
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
    /// 1/kg; zero for a body that no impulse moves.
    pub inverse_mass: f64,
    /// About the centre, in world axes; zero where the points are one point or a line.
    pub inverse_inertia: DMat3,
}

impl RigidBody {
    /// A body that stands still and that no impulse moves.
    pub const HELD: Self = Self {
        centre: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
    };

    pub fn of(mass_kg: &[f64], state: &BodyState) -> Self {
        Self::with_velocities(mass_kg, state, |i| state.v[i])
    }

    /// The same, with other velocities than those of the state.
    pub fn with_velocities(mass_kg: &[f64], state: &BodyState, velocity: impl Fn(usize) -> DVec3) -> Self {
        // Places from the body's origin keep their digits far from the world's.
        let points = state.x.iter().zip(mass_kg).enumerate().map(|(i, (x, m))| (*x - state.origin, velocity(i), *m));
        let about_origin = Self::of_points(points);
        Self { centre: state.origin + about_origin.centre, ..about_origin }
    }

    /// Of points by place, velocity and mass. Sums run in their order, twice; without mass it is
    /// [`Self::HELD`]. Points of infinite mass carry all others along: the body moves as they do, and no
    /// impulse moves it.
    pub fn of_points(points: impl Iterator<Item = (DVec3, DVec3, f64)> + Clone) -> Self {
        let mass: f64 = points.clone().map(|(_, _, m)| m).sum();
        if mass == f64::INFINITY {
            return Self::of_mass(points.filter(|(_, _, m)| *m == f64::INFINITY).map(|(x, v, _)| (x, v, 1.0))).held();
        }
        Self::of_mass(points)
    }

    /// Of points whose masses are finite.
    fn of_mass(points: impl Iterator<Item = (DVec3, DVec3, f64)> + Clone) -> Self {
        let (mut mass, mut place, mut momentum) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for (x, v, m) in points.clone() {
            (mass, place, momentum) = (mass + m, place + x * m, momentum + v * m);
        }
        if mass <= 0.0 {
            return Self::HELD;
        }
        let (centre, velocity) = (place / mass, momentum / mass);
        let (mut angular, mut spread) = (DVec3::ZERO, DMat3::ZERO);
        for (x, v, m) in points {
            let r = x - centre;
            angular += r.cross(v - velocity) * m;
            spread += outer(r * m, r);
        }
        let inverse_inertia = inverse_inertia(spread);
        Self { centre, velocity, spin: inverse_inertia * angular, inverse_mass: 1.0 / mass, inverse_inertia }
    }

    /// With the same motion, but moved by no impulse.
    pub fn held(self) -> Self {
        Self { inverse_mass: 0.0, inverse_inertia: DMat3::ZERO, ..self }
    }

    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.centre)
    }

    /// How much an impulse along `n` changes the velocity along `n` at `arm` from the centre, 1/kg.
    pub fn inverse_mass_along(&self, n: DVec3, arm: DVec3) -> f64 {
        self.inverse_mass + n.dot((self.inverse_inertia * arm.cross(n)).cross(arm))
    }

    /// An impulse, N s, at `arm` from the centre.
    pub fn apply_impulse(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.spin += self.inverse_inertia * arm.cross(impulse);
    }
}

/// The inverse of the inertia that belongs to Σ m r rᵀ; zero where the body is a point or a line and an axis has none.
pub fn inverse_inertia(spread: DMat3) -> DMat3 {
    let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
    if inertia.determinant() > 1e-12 * trace * trace * trace { inertia.inverse() } else { DMat3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// The corners of a box of mass 8 m: I = diag(y² + z², …) 8 m about its centre.
    #[test]
    fn a_box_of_points_has_its_inertia_and_motion() {
        let (half, spin, velocity) = (dvec3(1.0, 2.0, 3.0), dvec3(0.3, -0.5, 0.7), dvec3(1.0, 0.0, -2.0));
        let at = dvec3(10.0, -4.0, 1.0);
        let corner = |n: u32| half * dvec3(sign(n & 1), sign(n >> 1 & 1), sign(n >> 2 & 1));
        let points = (0..8).map(|n| (at + corner(n), velocity + spin.cross(corner(n)), 0.25));
        let body = RigidBody::of_points(points);
        assert!(body.centre.distance(at) < 1e-14 && body.velocity.distance(velocity) < 1e-14);
        assert!(body.spin.distance(spin) < 1e-14 && (body.inverse_mass - 0.5).abs() < 1e-15);
        let wanted = dvec3(13.0, 10.0, 5.0) * 2.0;
        let found = body.inverse_inertia * wanted;
        assert!(found.distance(DVec3::ONE) < 1e-14, "{found}");
    }

    #[test]
    fn an_impulse_changes_the_velocity_where_it_acts_as_foretold() {
        let points = [dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 2.0, 0.0), dvec3(0.3, 0.1, 1.0)];
        let mut body = RigidBody::of_points(points.iter().enumerate().map(|(n, x)| (*x, DVec3::ZERO, 1.0 + n as f64)));
        let (n, arm) = (dvec3(1.0, 2.0, -2.0) / 3.0, dvec3(0.4, -0.3, 0.2));
        let foretold = body.inverse_mass_along(n, arm);
        body.apply_impulse(n * 3.0, arm);
        assert!((body.velocity_at(body.centre + arm).dot(n) - 3.0 * foretold).abs() < 1e-14);
    }

    #[test]
    fn points_of_infinite_mass_carry_the_others_and_no_impulse_moves_them() {
        let (spin, velocity) = (dvec3(0.3, -0.5, 0.7), dvec3(1.0, 0.0, -2.0));
        let given = [dvec3(0.0, 0.0, 0.0), dvec3(2.0, 0.0, 0.0), dvec3(0.0, 2.0, 0.0), dvec3(0.0, 0.0, 2.0)];
        let centre = dvec3(0.5, 0.5, 0.5);
        let heavy = given.iter().map(|x| (*x, velocity + spin.cross(*x - centre), f64::INFINITY));
        let light = std::iter::once((dvec3(9.0, 9.0, 9.0), DVec3::ZERO, 3.0));
        let mut body = RigidBody::of_points(heavy.chain(light));
        assert!(body.centre.distance(centre) < 1e-14 && body.velocity.distance(velocity) < 1e-14);
        assert!(body.spin.distance(spin) < 1e-14, "{}", body.spin);
        assert_eq!(body.inverse_mass_along(DVec3::X, dvec3(0.3, 1.0, 0.0)), 0.0);
        let before = body;
        body.apply_impulse(dvec3(1e9, 0.0, 0.0), dvec3(0.0, 1.0, 0.0));
        assert_eq!(body, before);
    }

    #[test]
    fn lines_and_nothing_are_not_turned() {
        let line = RigidBody::of_points((0..5).map(|n| (DVec3::X * f64::from(n), DVec3::Y * f64::from(n), 1.0)));
        assert_eq!((line.spin, line.inverse_inertia), (DVec3::ZERO, DMat3::ZERO));
        assert_eq!(RigidBody::of_points(std::iter::empty()), RigidBody::HELD);
    }

    fn sign(bit: u32) -> f64 {
        if bit == 1 { 1.0 } else { -1.0 }
    }
}
