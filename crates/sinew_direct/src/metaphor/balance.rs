//! Forces without a net force or torque (CM-27, CM-36): the rigid part is taken off, so that a free body neither drifts nor spins.

use sinew_math::{DMat3, DVec3};

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
    let centre = mass_centre(x, mass_kg);
    let total_kg: f64 = mass_kg.iter().sum();
    let mut inertia = DMat3::ZERO;
    for (x, m) in x.iter().zip(mass_kg) {
        let r = *x - centre;
        inertia += (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer(r)) * *m;
    }
    let a = net.force_n / total_kg;
    let b = if inertia.determinant().abs() > 0.0 { inertia.inverse() * net.torque_nm } else { DVec3::ZERO };
    x.iter().zip(mass_kg).map(|(x, m)| (a + b.cross(*x - centre)) * -m).collect()
}

fn outer(r: DVec3) -> DMat3 {
    DMat3::from_cols(r * r.x, r * r.y, r * r.z)
}

fn mass_centre(x: &[DVec3], mass_kg: &[f64]) -> DVec3 {
    x.iter().zip(mass_kg).map(|(x, m)| *x * *m).sum::<DVec3>() / mass_kg.iter().sum::<f64>()
}
