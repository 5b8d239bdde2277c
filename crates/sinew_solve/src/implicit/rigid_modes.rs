//! Rigid modes: the six ways a body can move without deforming.
//!
//! Sweeps pass a push on from vertex to vertex, and what all vertices should do alike comes last. Elasticity has no say in it,
//! so that six equations in f64 settle it: inertia and everything from outside, at the present deformation. That makes falls,
//! drag, goals and landings as exact as a converged step, and takes back what unfinished sweeps add to linear and angular momentum.

use sinew_math::{DMat3, DQuat, DVec3, Sym3};

/// A rigid displacement on top of the points of a body, in its frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidTransform {
    pub(crate) turn: DMat3,
    pub(crate) shift: DVec3,
}

/// The most that a body is turned at once, as the length of Cayley's vector (radians, about).
const MOST_TURN: f64 = 0.5;

impl RigidTransform {
    pub(crate) const NONE: Self = Self { turn: DMat3::IDENTITY, shift: DVec3::ZERO };

    /// Where a place goes that has `weight` of the shift.
    pub(crate) fn place(&self, y: DVec3, weight: f64) -> DVec3 {
        self.turn * y + self.shift * weight
    }

    /// Turned by a small angle, then shifted, by a share of `motion`.
    pub(crate) fn then(&self, motion: &Twist, share: f64) -> Self {
        if motion.shift == DVec3::ZERO && motion.spin == DVec3::ZERO {
            return *self;
        }
        let (half, shift) = ((motion.spin * share).clamp_length_max(MOST_TURN) * 0.5, motion.shift * share);
        let turn = DMat3::from_quat(DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize());
        Self { turn: turn * self.turn, shift: turn * self.shift + shift }
    }
}

/// Gradient and matrix of the objective in the six rigid motions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidQuadratic {
    pub(crate) force: DVec3,
    torque: DVec3,
    shift: DMat3,
    /// How shifts change by spins.
    mixed: DMat3,
    spin: DMat3,
    /// Σ a, Σ a y and Σ a y yᵀ of points.
    mass: f64,
    arm: DVec3,
    square: Sym3,
}

impl RigidQuadratic {
    pub(crate) const NOTHING: Self = Self {
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
        shift: DMat3::ZERO,
        mixed: DMat3::ZERO,
        spin: DMat3::ZERO,
        mass: 0.0,
        arm: DVec3::ZERO,
        square: Sym3::ZERO,
    };

    /// Of points whose gradients sum to `force` and `torque`, with the sums Σ a, Σ a y and Σ a y yᵀ.
    pub(crate) fn of_points(force: DVec3, torque: DVec3, mass: f64, arm: DVec3, square: Sym3) -> Self {
        Self { force, torque, mass, arm, square, ..Self::NOTHING }
    }

    /// A point of mass `a` (with 1/h²) at `y` with this gradient.
    #[cfg(test)]
    pub(crate) fn add_mass(&mut self, a: f64, y: DVec3, gradient: DVec3) {
        self.force += gradient;
        self.torque += y.cross(gradient);
        self.mass += a;
        let ay = y * a;
        self.arm += ay;
        let more =
            Sym3 { xx: ay.x * y.x, yy: ay.y * y.y, zz: ay.z * y.z, xy: ay.x * y.y, yz: ay.y * y.z, zx: ay.z * y.x };
        self.square += more;
    }

    /// A row at `y` whose weights sum to `weight`, with the gradient and matrix of what acts on it.
    pub(crate) fn add_row(&mut self, weight: f64, y: DVec3, gradient: DVec3, matrix: Sym3) {
        self.force += gradient * weight;
        self.torque += y.cross(gradient);
        let (matrix, lever) = (matrix.to_mat(), cross(y));
        let moved = matrix * lever;
        self.shift += matrix * (weight * weight);
        self.mixed -= moved * weight;
        self.spin -= lever * moved;
    }

    /// Whether nothing pushes or turns it.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.force == DVec3::ZERO && self.torque == DVec3::ZERO
    }

    /// Newton's step: a shift and a spin.
    pub(crate) fn step(&self) -> Twist {
        if self.is_at_rest() {
            return Twist::NONE;
        }
        self.matrix().solve(self.neg_gradient())
    }

    pub(crate) fn neg_gradient(&self) -> Twist {
        Twist { shift: -self.force, spin: -self.torque }
    }

    pub(crate) fn matrix(&self) -> Matrix {
        let even = |of: f64| DMat3::from_diagonal(DVec3::splat(of));
        let shift = self.shift + even(self.mass);
        let mixed = self.mixed - cross(self.arm);
        let spin = self.spin + even(self.square.trace()) - self.square.to_mat();
        let ease = shift.inverse();
        let carried = mixed.transpose() * ease;
        let left = spin - carried * mixed;
        let trace = left.x_axis.x + left.y_axis.y + left.z_axis.z;
        // A body that is a point or a line cannot be turned.
        let turn = if left.determinant() > 1e-12 * trace * trace * trace { left.inverse() } else { DMat3::ZERO };
        Matrix { shift, mixed, spin, ease, carried, turn }
    }
}

/// A small rigid motion, or what acts on one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Twist {
    pub(crate) shift: DVec3,
    pub(crate) spin: DVec3,
}

impl Twist {
    pub(crate) const NONE: Self = Self { shift: DVec3::ZERO, spin: DVec3::ZERO };

    /// How far a place of the body moves, `arm` from its centre.
    pub(crate) fn at(&self, arm: DVec3) -> DVec3 {
        self.shift + self.spin.cross(arm)
    }

    pub(crate) fn dot(&self, other: &Self) -> f64 {
        self.shift.dot(other.shift) + self.spin.dot(other.spin)
    }

    pub(crate) fn add(&mut self, other: &Self, share: f64) {
        self.shift += other.shift * share;
        self.spin += other.spin * share;
    }
}

/// A rigid body's resistance to motions from where it would go, over h².
#[derive(Debug, Clone, Copy)]
pub(crate) struct RigidInertia {
    mass: f64,
    turning: DMat3,
}

impl RigidInertia {
    pub(crate) fn new(mass: f64, turning: DMat3) -> Self {
        Self { mass, turning }
    }

    pub(crate) fn mass(&self) -> f64 {
        self.mass
    }

    pub(crate) fn energy(&self, motion: &Twist) -> f64 {
        0.5 * (self.mass * motion.shift.length_squared() + motion.spin.dot(self.turning * motion.spin))
    }

    /// Gradient and matrix at a motion.
    pub(crate) fn whole(&self, motion: &Twist) -> RigidQuadratic {
        RigidQuadratic {
            force: motion.shift * self.mass,
            torque: self.turning * motion.spin,
            spin: self.turning,
            mass: self.mass,
            ..RigidQuadratic::NOTHING
        }
    }
}

/// A body's six by six matrix with what it takes to solve with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix {
    shift: DMat3,
    mixed: DMat3,
    spin: DMat3,
    ease: DMat3,
    carried: DMat3,
    turn: DMat3,
}

impl Matrix {
    pub(crate) const NOTHING: Self = Self {
        shift: DMat3::ZERO,
        mixed: DMat3::ZERO,
        spin: DMat3::ZERO,
        ease: DMat3::ZERO,
        carried: DMat3::ZERO,
        turn: DMat3::ZERO,
    };

    pub(crate) fn times(&self, motion: &Twist) -> Twist {
        Twist {
            shift: self.shift * motion.shift + self.mixed * motion.spin,
            spin: self.mixed.transpose() * motion.shift + self.spin * motion.spin,
        }
    }

    pub(crate) fn solve(&self, right: Twist) -> Twist {
        let spin = self.turn * (right.spin - self.carried * right.shift);
        let shift = self.ease * (right.shift - self.mixed * spin);
        if spin.is_finite() && shift.is_finite() { Twist { shift, spin } } else { Twist::NONE }
    }
}

/// [y]×.
pub(super) fn cross(y: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, y.z, -y.y), DVec3::new(-y.z, 0.0, y.x), DVec3::new(y.y, -y.x, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    /// Four masses, one of them held by a spring: after two steps neither force nor torque is left.
    #[test]
    fn two_steps_leave_no_force_and_no_torque() {
        let points = [dvec3(1.0, 0.0, 0.2), dvec3(-0.4, 0.8, 0.0), dvec3(0.0, -0.7, 0.5), dvec3(-0.3, 0.1, -0.9)];
        let mass = [1.0, 2.0, 0.5, 1.5];
        let wanted = [dvec3(0.03, 0.01, 0.0), dvec3(0.0, -0.02, 0.01), dvec3(0.02, 0.0, 0.0), dvec3(0.0, 0.0, 0.04)];
        let spring = Sym3::along(dvec3(0.6, 0.8, 0.0), 30.0);
        let sums = |lift: &RigidTransform| {
            let mut whole = RigidQuadratic::NOTHING;
            for ((y, m), wanted) in points.iter().zip(mass).zip(wanted) {
                let now = lift.place(*y, 1.0);
                whole.add_mass(m, now, (now - *y - wanted) * m);
            }
            let now = lift.place(points[1], 1.0);
            whole.add_row(1.0, now, spring * (now - points[1] - dvec3(0.1, 0.0, 0.0)), spring);
            whole
        };
        let mut lift = RigidTransform::NONE;
        let first = sums(&lift);
        for _ in 0..4 {
            lift = lift.then(&sums(&lift).step(), 1.0);
        }
        let last = sums(&lift);
        assert!(last.force.length() < 1e-6 * first.force.length(), "{} of {}", last.force, first.force);
        assert!(last.torque.length() < 1e-6 * first.torque.length(), "{} of {}", last.torque, first.torque);
    }
}
