//! Forces without a net force or torque (CM-27, CM-36): the rigid part is taken off, so that a free body neither drifts nor spins.

use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;
use sinew_solve::RigidBody;

/// Force and torque of forces on points at `x`, the torque about the mass centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Net {
    pub force_n: DVec3,
    pub torque_nm: DVec3,
    /// Σ|f|.
    pub total_n: f64,
}

impl Net {
    pub fn of(x: &[DVec3], mass_kg: &[f64], forces: impl Iterator<Item = (usize, DVec3)>) -> Self {
        let centre = mass_centre(x, mass_kg);
        let none = Self { force_n: DVec3::ZERO, torque_nm: DVec3::ZERO, total_n: 0.0 };
        forces.fold(none, |net, (i, force)| Self {
            force_n: net.force_n + force,
            torque_nm: net.torque_nm + (x[i] - centre).cross(force),
            total_n: net.total_n + force.length(),
        })
    }
}

/// What each point must be given, f_i = −m_i (a + b × r_i), for the net force and torque to vanish. `b` solves `I b = τ`; a body without extent across
/// an axis (a straight line of points) has no inertia about it and gets none.
pub fn balancing(x: &[DVec3], mass_kg: &[f64], net: &Net) -> Vec<DVec3> {
    let RigidBody { centre, inverse_mass, inverse_inertia, .. } = at_rest(x, mass_kg);
    let (a, b) = (net.force_n * inverse_mass, inverse_inertia * net.torque_nm);
    x.iter().zip(mass_kg).map(|(x, m)| (a + b.cross(*x - centre)) * -m).collect()
}

fn at_rest(x: &[DVec3], mass_kg: &[f64]) -> RigidBody {
    RigidBody::of_points(x.iter().zip(mass_kg).map(|(x, m)| (*x, DVec3::ZERO, *m)))
}
