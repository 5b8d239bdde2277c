//! Nearest rotations: the rotation part of a 3×3 matrix, always proper (det = +1).
//!
//! Horn, "Closed-form solution of absolute orientation using unit quaternions", JOSA A 1987: the rotation that
//! maximises `tr(Rᵀ A)` is the eigenvector of a symmetric 4×4 matrix to its largest eigenvalue. Unlike the polar
//! decomposition it never returns a reflection, and flat or inverted matrices need no special case.
//!
//! Müller, Bender, Chentanez, Macklin, "A Robust Method to Extract the Rotational Part of Deformations",
//! MIG 2016: a warm-started iteration, continuous in time, for inner loops. Their step `ω = τ / |tr S|` converges
//! slowly where S is far from round; here it is Newton's, `ω = (tr(S) I − S)⁻¹ τ`, wherever that matrix is positive.

use crate::Sym3;
use crate::symmetric::jacobi;
use glam::{DMat3, DQuat, DVec3};

/// The rotation `R` that maximises `tr(Rᵀ A)`; the identity where `A` is zero.
pub fn nearest_rotation(a: DMat3) -> DQuat {
    let m = |row: usize, column: usize| a.col(column)[row];
    let [xx, yy, zz] = [m(0, 0), m(1, 1), m(2, 2)];
    // Horn's N, for A = Σ (now)(rest)ᵀ; order of the quaternion here is (w, x, y, z).
    let (wx, wy, wz) = (m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
    let (xy, yz, zx) = (m(0, 1) + m(1, 0), m(1, 2) + m(2, 1), m(2, 0) + m(0, 2));
    let mut n = [
        [xx + yy + zz, wx, wy, wz],
        [wx, xx - yy - zz, xy, zx],
        [wy, xy, yy - xx - zz, yz],
        [wz, zx, yz, zz - xx - yy],
    ];
    let mut q = [[0.0; 4]; 4];
    for (i, row) in q.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    jacobi(&mut n, &mut q);
    let best = (0..4).fold(0, |best, j| if n[j][j] > n[best][best] { j } else { best });
    let turn = DQuat::from_xyzw(q[1][best], q[2][best], q[3][best], q[0][best]);
    (if turn.w < 0.0 { -turn } else { turn }).normalize()
}

/// The rotation part of `a` found from `warm` by at most `iterations` updates. Stays where it is when `a` gives no
/// direction to turn to (zero, or balanced), so that a flat or crushed region keeps the rotation it had.
pub fn nearest_rotation_from(a: DMat3, warm: DQuat, iterations: usize) -> DQuat {
    /// Below this turn per update the answer no longer changes in f64.
    const SETTLED_RAD: f64 = 1e-14;
    let mut turn = warm;
    for _ in 0..iterations {
        let m = a * DMat3::from_quat(turn).transpose();
        let torque = DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x);
        let omega = newton_step(Sym3::from_mat(m), torque);
        let angle2 = omega.length_squared();
        if angle2.is_nan() || angle2 < SETTLED_RAD * SETTLED_RAD {
            break;
        }
        // The Cayley transform of ω: the same turn to second order, without trigonometry.
        turn = (DQuat::from_xyzw(0.5 * omega.x, 0.5 * omega.y, 0.5 * omega.z, 1.0) * turn).normalize();
    }
    turn
}

/// The turn that brings the torque to zero: Newton's where the energy is convex, else a step down the slope.
fn newton_step(stretch: Sym3, torque: DVec3) -> DVec3 {
    let grip = stretch.trace();
    let hessian = (Sym3::IDENTITY * grip + stretch * -1.0).to_mat();
    let (first, second, third) = (
        hessian.x_axis.x,
        hessian.x_axis.x * hessian.y_axis.y - hessian.x_axis.y * hessian.x_axis.y,
        hessian.determinant(),
    );
    // Far from singular, so that a step stays within a turn that Cayley's map still means.
    let positive = first > 0.0 && second > 0.0 && third > 1e-6 * grip.abs() * grip * grip;
    if positive { hessian.inverse() * torque } else { torque / (grip.abs() + f64::MIN_POSITIVE.sqrt()) }
}

/// The rotation of a body: the best fit of `rest` to `now` about their mass centres.
pub fn best_fit_rotation(rest: &[DVec3], now: &[DVec3], mass: &[f64]) -> DQuat {
    let (rest_centre, now_centre) = (mass_centre(rest, mass), mass_centre(now, mass));
    let mut a = DMat3::ZERO;
    let weight = weight_among(mass);
    for ((x0, x), m) in rest.iter().zip(now).zip(mass) {
        a += outer((*x - now_centre) * weight(*m), *x0 - rest_centre);
    }
    nearest_rotation(a)
}

/// Mass centre, summed in vertex order so that it has the same bits every time. Where masses are infinite it
/// is that of the points that have one, each counting alike: beside them no other mass counts.
pub fn mass_centre(x: &[DVec3], mass: &[f64]) -> DVec3 {
    let weight = weight_among(mass);
    let total: f64 = mass.iter().map(|m| weight(*m)).sum();
    x.iter().zip(mass).fold(DVec3::ZERO, |sum, (x, m)| sum + *x * weight(*m)) / total
}

/// What a mass counts in a mean: itself, as long as none is infinite.
fn weight_among(mass: &[f64]) -> impl Fn(f64) -> f64 + use<> {
    let is_any_infinite = mass.iter().sum::<f64>() == f64::INFINITY;
    move |mass| if is_any_infinite { f64::from(u8::from(mass == f64::INFINITY)) } else { mass }
}

/// `a bᵀ`.
#[inline]
pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sym3;
    use proptest::prelude::*;

    #[test]
    fn points_of_infinite_mass_are_the_centre_and_the_turn_of_all() {
        let turn = DQuat::from_rotation_z(0.7);
        let rest = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(9.0)];
        let mut now = rest.map(|x| turn * x + DVec3::X);
        now[4] = DVec3::splat(-50.0);
        let mass = [f64::INFINITY, f64::INFINITY, f64::INFINITY, f64::INFINITY, 2.0];
        assert!(mass_centre(&rest, &mass).distance(DVec3::splat(0.25)) < 1e-15);
        assert!(best_fit_rotation(&rest, &now, &mass).angle_between(turn) < 1e-7);
    }

    fn rotation() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0f64..1.0)
            .prop_filter("long enough to normalise", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-2)
            .prop_map(|q| DQuat::from_array(q).normalize())
    }

    fn stretch() -> impl Strategy<Value = Sym3> {
        (rotation(), prop::array::uniform3(0.2f64..3.0)).prop_map(|(q, s)| {
            let r = DMat3::from_quat(q);
            Sym3::along(r.x_axis, s[0]) + Sym3::along(r.y_axis, s[1]) + Sym3::along(r.z_axis, s[2])
        })
    }

    fn gap(a: DQuat, b: DQuat) -> f64 {
        (DMat3::from_quat(a) - DMat3::from_quat(b)).to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    proptest! {
        #[test]
        fn planted_rotation_is_found(planted in rotation(), s in stretch()) {
            let a = DMat3::from_quat(planted) * s.to_mat();
            prop_assert!(gap(nearest_rotation(a), planted) < 1e-10);
            let warm = planted * DQuat::from_axis_angle(DVec3::Y, 0.4);
            prop_assert!(gap(nearest_rotation_from(a, warm, 100), planted) < 1e-9);
        }

        #[test]
        fn inverted_and_flat_matrices_give_proper_rotations(q in rotation(), s in prop::array::uniform3(-2.0f64..2.0)) {
            for flat in [s, [s[0], s[1], 0.0], [s[0], 0.0, 0.0], [0.0; 3]] {
                let a = DMat3::from_quat(q) * DMat3::from_diagonal(DVec3::from_array(flat));
                let r = DMat3::from_quat(nearest_rotation(a));
                prop_assert!((r.determinant() - 1.0).abs() < 1e-10);
            }
        }
    }
}
