//! Rotations and principal axes of eight matrices at once, in f64.

use crate::simd::double::Doubles;
use crate::simd::matrix::{Adjugate, Mat, dot, trace};
use crate::simd::three;

/// A unit quaternion per lane, (x, y, z, w).
pub(super) type Turn<D> = [D; 4];

/// Warm-started rotations settle in two or three updates.
const ROTATION_UPDATES: usize = 60;
/// Below this turn per update, squared, the answer no longer changes in f64.
const SETTLED_RAD2: f64 = 1e-28;
/// Newton's updates leave about the cube of their turn, because the fit is even about its best: after one below this, squared, f64
/// has no more to find.
const LAST_NEWTON_RAD2: f64 = 1e-11;
/// Jacobi converges quadratically: a handful of sweeps is what a 3×3 matrix takes.
const SWEEPS: usize = 16;
/// Off the diagonal, squared, as a share of what is on it: eigenvalues and axes are exact to fourteen digits then.
const NEGLIGIBLE: f64 = 1e-28;

#[inline(always)]
pub(super) fn product<D: Doubles>(a: &Mat<D>, b: &Mat<D>) -> Mat<D> {
    three!(I => three!(J => a[I][0] * b[0][J] + a[I][1] * b[1][J] + a[I][2] * b[2][J]))
}

/// a bᵀ as a product of matrices.
#[inline(always)]
pub(super) fn product_turned<D: Doubles>(a: &Mat<D>, b: &Mat<D>) -> Mat<D> {
    three!(I => three!(J => dot(a[I], b[J])))
}

/// aᵀ b.
#[inline(always)]
pub(super) fn turned_product<D: Doubles>(a: &Mat<D>, b: &Mat<D>) -> Mat<D> {
    three!(I => three!(J => a[0][I] * b[0][J] + a[1][I] * b[1][J] + a[2][I] * b[2][J]))
}

#[inline(always)]
pub(super) fn transposed<D: Doubles>(m: &Mat<D>) -> Mat<D> {
    three!(I => three!(J => m[J][I]))
}

#[inline(always)]
pub(super) fn matrix_of<D: Doubles>([x, y, z, w]: Turn<D>) -> Mat<D> {
    let one = D::splat(1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x2 * x, y2 * y, z2 * z);
    let (xy, yz, zx) = (x2 * y, y2 * z, z2 * x);
    let (wx, wy, wz) = (x2 * w, y2 * w, z2 * w);
    [[one - (yy + zz), xy - wz, zx + wy], [xy + wz, one - (xx + zz), yz - wx], [zx - wy, yz + wx, one - (xx + yy)]]
}

/// The rotation part of `f`, from `warm`: Newton's steps as in `sinew_math::rotation::nearest_rotation_from`.
#[inline(always)]
pub(super) fn nearest<D: Doubles>(f: &Mat<D>, warm: Turn<D>) -> Turn<D> {
    let (zero, half) = (D::splat(0.0), D::splat(0.5));
    let mut q = warm;
    let mut active = zero.below(D::splat(1.0));
    for _ in 0..ROTATION_UPDATES {
        let m = product_turned(f, &matrix_of(q));
        let torque = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
        let (omega, newton) = newton_step(&m, torque);
        let size2 = dot(omega, omega);
        // False also where it is not a number.
        active = D::both(active, size2.below(D::splat(f64::MAX)));
        let [a, b, c] = three!(I => omega[I] * half);
        let [x, y, z, w] = q;
        let x1 = x + (w * a + (b * z - c * y));
        let y1 = y + (w * b + (c * x - a * z));
        let z1 = z + (w * c + (a * y - b * x));
        let w1 = w - (x * a + y * b + z * c);
        let unit = D::splat(1.0) / (x1 * x1 + y1 * y1 + (z1 * z1 + w1 * w1)).sqrt();
        let turned = [x1 * unit, y1 * unit, z1 * unit, w1 * unit];
        q = [
            D::select(active, turned[0], x),
            D::select(active, turned[1], y),
            D::select(active, turned[2], z),
            D::select(active, turned[3], w),
        ];
        let last = D::both(newton, size2.below(D::splat(LAST_NEWTON_RAD2)));
        active = D::both(active, D::not(last));
        active = D::both(active, D::not(size2.below(D::splat(SETTLED_RAD2))));
        if !D::any(active) {
            break;
        }
    }
    q
}

/// The turn that brings the torque to zero, and where it is Newton's: where the energy is convex; else it is a step down the slope.
#[inline(always)]
fn newton_step<D: Doubles>(m: &Mat<D>, torque: [D; 3]) -> ([D; 3], D::Mask) {
    let (zero, half) = (D::splat(0.0), D::splat(-0.5));
    let grip = trace(m);
    let (h00, h11, h22) = (grip - m[0][0], grip - m[1][1], grip - m[2][2]);
    let h01 = (m[0][1] + m[1][0]) * half;
    let h02 = (m[0][2] + m[2][0]) * half;
    let h12 = (m[1][2] + m[2][1]) * half;
    let adjugate = Adjugate::of([h00, h11, h22], [h01, h02, h12]);
    let det = adjugate.determinant;
    let size = grip.abs();
    // Far from singular, so that a step stays within a turn that Cayley's map still means.
    let safe = (size * grip * grip * D::splat(1e-6)).below(det);
    let newton = D::both(D::both(zero.below(h00), zero.below(adjugate.diagonal[2])), safe);
    let inverse = D::splat(1.0) / D::select(newton, det, D::splat(1.0));
    let slope = D::splat(1.0) / (size + D::splat(f64::MIN_POSITIVE.sqrt()));
    let turned = adjugate.times(torque);
    (three!(I => D::select(newton, turned[I] * inverse, torque[I] * slope)), newton)
}

/// Eigenvalues and eigenvectors (as columns) of symmetric matrices, by cyclic Jacobi rotations.
#[inline(always)]
pub(super) fn eigen<D: Doubles>(m: &Mat<D>) -> ([D; 3], Mat<D>) {
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let mut a = *m;
    let mut q = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
    for _ in 0..SWEEPS {
        let off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        let size = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        // What has settled stays, whoever it is with.
        let active = (size * D::splat(NEGLIGIBLE)).below(off);
        if !D::any(active) {
            break;
        }
        rotate_away::<D, 0, 1, 2>(&mut a, &mut q, active);
        rotate_away::<D, 0, 2, 1>(&mut a, &mut q, active);
        rotate_away::<D, 1, 2, 0>(&mut a, &mut q, active);
    }
    ([a[0][0], a[1][1], a[2][2]], q)
}

/// Turns the axes I and J so that a[I][J] vanishes; K is the third one.
#[inline(always)]
fn rotate_away<D: Doubles, const I: usize, const J: usize, const K: usize>(
    a: &mut Mat<D>,
    q: &mut Mat<D>,
    active: D::Mask,
) {
    let (zero, one) = (D::splat(0.0), D::splat(1.0));
    let off = a[I][J];
    let is_off = D::both(active, zero.below(off.abs()));
    let theta = (a[J][J] - a[I][I]) / (D::select(is_off, off, one) * D::splat(2.0));
    let reach = one / (theta.abs() + (theta * theta + one).sqrt());
    let t = D::select(is_off, D::select(theta.below(zero), -reach, reach), zero);
    let c = one / (t * t + one).sqrt();
    let s = t * c;
    let moved = t * off;
    a[I][I] = a[I][I] - moved;
    a[J][J] = a[J][J] + moved;
    let off = D::select(is_off, zero, off);
    (a[I][J], a[J][I]) = (off, off);
    let (ik, jk) = (a[I][K], a[J][K]);
    let (ik, jk) = (c * ik - s * jk, s * ik + c * jk);
    (a[I][K], a[K][I], a[J][K], a[K][J]) = (ik, ik, jk, jk);
    for row in q {
        let (p, r) = (row[I], row[J]);
        row[I] = c * p - s * r;
        row[J] = s * p + c * r;
    }
}
