//! The rotation part of a region, one per lane: always proper, found from the last one.
//!
//! Maximises `tr(Rᵀ A)` by Newton steps on `R ← R exp[ω]×`, taken as Cayley maps of a quaternion (Zhang, Jacobson,
//! Alexa: "Fast Updates for Least-Squares Rotational Alignment", Eurographics 2021). With `M = RᵀA` the step solves
//! `(tr(M) I − sym M) ω = axl(M − Mᵀ)`. The objective is even about its maximum, so that steps converge cubically and
//! one or two are enough from a warm start. Where the matrix is not safely positive (regions that are flat to a line,
//! crushed or inverted), the step falls back to the gradient with the longest length that cannot overshoot
//! (in the spirit of Müller, Bender, Chentanez, Macklin: "A Robust Method to Extract the Rotational Part of
//! Deformations", MIG 2016), and stays where it is when `A` gives no direction to turn to.
//!
//! Rotations near the identity keep their relative precision: `R − I` is formed without cancellation, and the caller
//! passes the antisymmetric part of `A` by itself. A body that only moves rigidly then gets no spurious pull.

use crate::simd::matrix::{Adjugate, Mat, dot};
use crate::simd::{Lanes, four, three};

/// A unit quaternion per lane, (x, y, z, w).
pub(crate) type Turn<L> = [L; 4];

/// Enough for the gradient steps of a crushed region to make good way within one pass; the next pass goes on.
const MOST_STEPS: usize = 12;
/// A Newton step below this angle (squared) leaves an error of about its cube: less than f32 resolves.
const LAST_NEWTON_RAD2: f32 = 1.6e-5;
/// A gradient step this short (squared) no longer turns anything visibly.
const LAST_GRADIENT_RAD2: f32 = 1.0e-12;
/// Newton is trusted while det H exceeds this share of (tr H)³; for a perfect region it is 1/27.
const SAFE_DETERMINANT: f32 = 3.0e-5;
/// The identity replaces a warm start that fits worse by this share of the trace: it must be far off, then.
const STALE: f32 = 0.1;

/// `R − I`.
#[inline(always)]
pub(crate) fn minus_identity<L: Lanes>([x, y, z, w]: Turn<L>) -> Mat<L> {
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x2 * x, y2 * y, z2 * z);
    let (xy, yz, zx) = (x2 * y, y2 * z, z2 * x);
    let (wx, wy, wz) = (x2 * w, y2 * w, z2 * w);
    [[-(yy + zz), xy - wz, zx + wy], [xy + wz, -(xx + zz), yz - wx], [zx - wy, yz + wx, -(xx + yy)]]
}

/// The rotation nearest to `a`, from `warm`. `twist` is axl(A − Aᵀ), which the caller knows more exactly than `a` does.
#[inline(always)]
pub(crate) fn nearest<L: Lanes>(a: &Mat<L>, twist: [L; 3], warm: Turn<L>) -> Turn<L> {
    let mut q = better_start(a, warm);
    let mut active = L::splat(0.0).below(L::splat(1.0));
    for _ in 0..MOST_STEPS {
        let (turned, size2, newton) = turned_once(a, twist, q, active);
        q = four!(K => L::select(active, turned[K], q[K]));
        let settled = L::either(
            L::both(newton, size2.below(L::splat(LAST_NEWTON_RAD2))),
            size2.below(L::splat(LAST_GRADIENT_RAD2)),
        );
        active = L::both(active, L::not(settled));
        if !L::any(active) {
            break;
        }
    }
    q
}

/// One step of the same, for those who come again: steps converge cubically.
#[inline(always)]
pub(crate) fn nearer<L: Lanes>(a: &Mat<L>, twist: [L; 3], warm: Turn<L>) -> Turn<L> {
    turned_once(a, twist, warm, L::splat(0.0).below(L::splat(1.0))).0
}

/// After one step, how long that was (squared), and where it was Newton's.
#[inline(always)]
fn turned_once<L: Lanes>(a: &Mat<L>, twist: [L; 3], q: Turn<L>, active: L::Mask) -> (Turn<L>, L, L::Mask) {
    let half = L::splat(0.5);
    let e = minus_identity(q);
    let n = three!(I => three!(J => e[0][I] * a[0][J] + e[1][I] * a[1][J] + e[2][I] * a[2][J]));
    let m = three!(I => three!(J => a[I][J] + n[I][J]));
    let torque = [twist[0] + (n[2][1] - n[1][2]), twist[1] + (n[0][2] - n[2][0]), twist[2] + (n[1][0] - n[0][1])];
    let (omega, newton) = step(&m, torque, active);
    let size2 = dot(omega, omega);
    (turn_by(q, three!(I => omega[I] * half)), size2, newton)
}

/// Half a turn away from the answer the torque vanishes too: there a stale warm start would be stuck.
#[inline(always)]
fn better_start<L: Lanes>(a: &Mat<L>, warm: Turn<L>) -> Turn<L> {
    let e = minus_identity(warm);
    let [x, y, z] = three!(I => e[I][0] * a[I][0] + e[I][1] * a[I][1] + e[I][2] * a[I][2]);
    let gain = x + y + z;
    let trace = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
    let stale = gain.below(trace * L::splat(-STALE));
    let identity = [L::splat(0.0), L::splat(0.0), L::splat(0.0), L::splat(1.0)];
    four!(K => L::select(stale, identity[K], warm[K]))
}

/// ω, and where it is a Newton step.
#[inline(always)]
fn step<L: Lanes>(m: &Mat<L>, torque: [L; 3], active: L::Mask) -> ([L; 3], L::Mask) {
    let zero = L::splat(0.0);
    let minus_half = L::splat(-0.5);
    let (h00, h11, h22) = (m[1][1] + m[2][2], m[0][0] + m[2][2], m[0][0] + m[1][1]);
    let h01 = (m[0][1] + m[1][0]) * minus_half;
    let h02 = (m[0][2] + m[2][0]) * minus_half;
    let h12 = (m[1][2] + m[2][1]) * minus_half;
    let adjugate = Adjugate::of([h00, h11, h22], [h01, h02, h12]);
    let det = adjugate.determinant;
    let trace = h00 + h11 + h22;
    let [c00, c11, c22] = adjugate.diagonal;
    // All three invariants positive ⇔ all eigenvalues positive.
    let positive = L::both(zero.below(trace), zero.below(c00 + c11 + c22));
    let newton = L::both(positive, (trace * trace * trace * L::splat(SAFE_DETERMINANT)).below(det));
    let inverse = L::splat(1.0) / L::select(newton, det, L::splat(1.0));
    let turned = adjugate.times(torque);
    let mut omega = three!(I => turned[I] * inverse);
    if L::any(L::both(active, L::not(newton))) {
        // The Frobenius norm bounds the largest eigenvalue, so that a step of 1/norm cannot overshoot.
        let squares = h00 * h00 + h11 * h11 + h22 * h22;
        let mixed = h01 * h01 + h02 * h02 + h12 * h12;
        let reach = L::splat(1.0) / ((squares + mixed + mixed).sqrt() + L::splat(f32::MIN_POSITIVE));
        omega = three!(I => L::select(newton, omega[I], torque[I] * reach));
    }
    (omega, newton)
}

/// `q` times the Cayley map of `half` = ω/2: it turns by less than half a turn however long ω is.
#[inline(always)]
fn turn_by<L: Lanes>([x, y, z, w]: Turn<L>, [a, b, c]: [L; 3]) -> Turn<L> {
    let x1 = x + (w * a + (y * c - z * b));
    let y1 = y + (w * b + (z * a - x * c));
    let z1 = z + (w * c + (x * b - y * a));
    let w1 = w - (x * a + y * b + z * c);
    let unit = L::splat(1.0) / (x1 * x1 + y1 * y1 + (z1 * z1 + w1 * w1)).sqrt();
    [x1 * unit, y1 * unit, z1 * unit, w1 * unit]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{BLOCK, Lanes, Portable, Slot};
    use proptest::prelude::*;
    use sinew_math::rotation::nearest_rotation;
    use sinew_math::{DMat3, DQuat, DVec3};

    fn rotation() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0f64..1.0)
            .prop_filter("long enough to normalise", |q| q.iter().map(|x| x * x).sum::<f64>() > 1e-2)
            .prop_map(|q| DQuat::from_array(q).normalize())
    }

    fn find(a: DMat3, warm: DQuat) -> DQuat {
        let lanes = Portable::splat;
        let m = [0, 1, 2].map(|i| [0, 1, 2].map(|j| lanes(a.col(j)[i] as f32)));
        let twist = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
        let q = nearest(&m, twist, warm.to_array().map(|c| lanes(c as f32)));
        let mut slot = Slot([0.0; BLOCK]);
        DQuat::from_array(q.map(|c| {
            c.store(&mut slot, 0);
            f64::from(slot.0[0])
        }))
    }

    fn fit(a: DMat3, q: DQuat) -> f64 {
        let r = DMat3::from_quat(q);
        r.x_axis.dot(a.x_axis) + r.y_axis.dot(a.y_axis) + r.z_axis.dot(a.z_axis)
    }

    proptest! {
        #[test]
        fn planted_rotation_is_found_from_any_warm_start(
            planted in rotation(), axes in rotation(), warm in rotation(), s in prop::array::uniform3(0.2f64..3.0),
        ) {
            let axes = DMat3::from_quat(axes);
            let a = DMat3::from_quat(planted) * axes * DMat3::from_diagonal(DVec3::from_array(s)) * axes.transpose();
            let mut found = warm;
            // One call may end at its most steps when the warm start is far off; the next pass goes on from there.
            for _ in 0..3 {
                found = find(a, found);
            }
            prop_assert!(found.normalize().dot(planted).abs() > 1.0 - 1e-10, "{found} {planted}");
        }

        /// As long as the best rotation is the only one, it is found also where regions are flat or inverted.
        #[test]
        fn flat_and_inverted_regions_give_the_best_proper_rotation(
            planted in rotation(), axes in rotation(), warm in rotation(), s in prop::array::uniform3(0.2f64..2.0),
            last in -1.0f64..0.1,
        ) {
            let mut s = s;
            s.sort_by(f64::total_cmp);
            s[0] *= last;
            let axes = DMat3::from_quat(axes);
            let a = DMat3::from_quat(planted) * axes * DMat3::from_diagonal(DVec3::from_array(s)) * axes.transpose();
            let mut found = warm;
            for _ in 0..60 {
                found = find(a, found);
            }
            prop_assert!((found.length() - 1.0).abs() < 1e-6);
            let best = fit(a, nearest_rotation(a));
            prop_assert!(fit(a, found) > best - 1e-3 * (s[1] + s[2]), "{} of {best}", fit(a, found));
        }
    }

    #[test]
    fn what_gives_no_direction_keeps_the_rotation_it_had() {
        let warm = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 1.0);
        assert!(find(DMat3::ZERO, warm).dot(warm).abs() > 1.0 - 1e-6);
        // A line along z turned by `warm`: turning about the line itself stays what it was.
        let z = warm * DVec3::Z;
        let line = DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, z);
        assert!(find(line, warm).dot(warm).abs() > 1.0 - 1e-6);
    }

    /// The point of passing R − I and the twist: near the identity the answer is exact to f32 of itself.
    #[test]
    fn tiny_rotations_keep_their_relative_precision() {
        for angle in [1e-3, 1e-6, 1e-9, 1e-12f64] {
            let axis = DVec3::new(1.0, -2.0, 2.0) / 3.0;
            let b = DMat3::from_cols(DVec3::new(2.0, 0.3, 0.1), DVec3::new(0.3, 1.0, -0.2), DVec3::new(0.1, -0.2, 1.5));
            // To first order; what is left out is of second.
            let skew = DMat3::from_cols(axis.cross(DVec3::X), axis.cross(DVec3::Y), axis.cross(DVec3::Z)) * angle;
            let c = skew * b;
            let lanes = Portable::splat;
            let a = [0, 1, 2].map(|i| [0, 1, 2].map(|j| lanes((b.col(j)[i] + c.col(j)[i]) as f32)));
            let twist =
                [c.y_axis.z - c.z_axis.y, c.z_axis.x - c.x_axis.z, c.x_axis.y - c.y_axis.x].map(|t| lanes(t as f32));
            let q = nearest(&a, twist, [0.0, 0.0, 0.0, 1.0].map(lanes));
            let mut slot = Slot([0.0; BLOCK]);
            let q = q.map(|c| {
                c.store(&mut slot, 0);
                f64::from(slot.0[0])
            });
            let off = DVec3::new(q[0], q[1], q[2]).distance(axis * (0.5 * angle));
            assert!(off < angle * (1e-5 + angle), "{off} of {angle}");
        }
    }
}
