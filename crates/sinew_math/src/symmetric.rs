//! Symmetric 3×3 matrices, mostly logarithms of stretches `ln T`.
//!
//! Directors add logarithms and solvers average them, because the mean of logarithms of volume-keeping stretches
//! keeps volume (`tr ln T = 0 ⇔ det T = 1`); the mean of the stretches themselves does not.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Mul};

/// A symmetric matrix by its six entries.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sym3 {
    pub xx: f64,
    pub yy: f64,
    pub zz: f64,
    pub xy: f64,
    pub yz: f64,
    pub zx: f64,
}

impl Sym3 {
    pub const ZERO: Self = Self { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, yz: 0.0, zx: 0.0 };
    pub const IDENTITY: Self = Self { xx: 1.0, yy: 1.0, zz: 1.0, xy: 0.0, yz: 0.0, zx: 0.0 };

    /// `a · d dᵀ`: strength `a` along the unit vector `d`.
    pub fn along(d: DVec3, a: f64) -> Self {
        Self {
            xx: a * d.x * d.x,
            yy: a * d.y * d.y,
            zz: a * d.z * d.z,
            xy: a * d.x * d.y,
            yz: a * d.y * d.z,
            zx: a * d.z * d.x,
        }
    }

    /// The symmetric part of `m`.
    pub fn from_mat(m: DMat3) -> Self {
        let half = |a: f64, b: f64| 0.5 * (a + b);
        Self {
            xx: m.x_axis.x,
            yy: m.y_axis.y,
            zz: m.z_axis.z,
            xy: half(m.x_axis.y, m.y_axis.x),
            yz: half(m.y_axis.z, m.z_axis.y),
            zx: half(m.z_axis.x, m.x_axis.z),
        }
    }

    pub fn to_mat(self) -> DMat3 {
        DMat3::from_cols(
            DVec3::new(self.xx, self.xy, self.zx),
            DVec3::new(self.xy, self.yy, self.yz),
            DVec3::new(self.zx, self.yz, self.zz),
        )
    }

    pub fn trace(self) -> f64 {
        self.xx + self.yy + self.zz
    }

    #[inline]
    pub fn is_finite(self) -> bool {
        // Zero times anything that is not finite is not a number: one comparison for all six.
        let zeros = self * 0.0;
        zeros.xx + zeros.yy + zeros.zz + zeros.xy + zeros.yz + zeros.zx == 0.0
    }

    /// `R S Rᵀ`: the same stretch, turned with the flesh.
    pub fn turned(self, turn: DMat3) -> Self {
        Self::from_mat(turn * self.to_mat() * turn.transpose())
    }

    /// Eigenvalues and orthonormal eigenvectors (as columns), by cyclic Jacobi rotations.
    pub fn eigen(self) -> (DVec3, DMat3) {
        let mut a = [[self.xx, self.xy, self.zx], [self.xy, self.yy, self.yz], [self.zx, self.yz, self.zz]];
        let mut q = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        jacobi(&mut a, &mut q);
        let column = |j: usize| DVec3::new(q[0][j], q[1][j], q[2][j]);
        (DVec3::new(a[0][0], a[1][1], a[2][2]), DMat3::from_cols(column(0), column(1), column(2)))
    }

    fn map_eigenvalues(self, f: impl Fn(f64) -> f64) -> Self {
        let (e, q) = self.eigen();
        Self::along(q.x_axis, f(e.x)) + Self::along(q.y_axis, f(e.y)) + Self::along(q.z_axis, f(e.z))
    }

    /// The stretch whose logarithm this is.
    pub fn exp(self) -> Self {
        self.map_eigenvalues(libm::exp)
    }

    /// The logarithm of a positive definite stretch.
    pub fn ln(self) -> Self {
        self.map_eigenvalues(libm::log)
    }
}

impl Add for Sym3 {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self {
            xx: self.xx + b.xx,
            yy: self.yy + b.yy,
            zz: self.zz + b.zz,
            xy: self.xy + b.xy,
            yz: self.yz + b.yz,
            zx: self.zx + b.zx,
        }
    }
}

impl AddAssign for Sym3 {
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl Mul<f64> for Sym3 {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self { xx: s * self.xx, yy: s * self.yy, zz: s * self.zz, xy: s * self.xy, yz: s * self.yz, zx: s * self.zx }
    }
}

impl Mul<DVec3> for Sym3 {
    type Output = DVec3;
    fn mul(self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.xx * v.x + self.xy * v.y + self.zx * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.zx * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

/// Diagonalises the symmetric `a` in place and gathers the rotations in `q` (columns are eigenvectors).
///
/// Golub and Van Loan, *Matrix Computations*, §8.5: cyclic Jacobi converges quadratically, so that a dozen
/// sweeps are far more than a 3×3 or 4×4 matrix needs.
pub(crate) fn jacobi<const N: usize>(a: &mut [[f64; N]; N], q: &mut [[f64; N]; N]) {
    const SWEEPS: usize = 16;
    for _ in 0..SWEEPS {
        let off: f64 = (0..N).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let size: f64 = (0..N).map(|i| a[i][i] * a[i][i]).sum();
        if off <= f64::EPSILON * f64::EPSILON * size || off == 0.0 {
            return;
        }
        for i in 0..N {
            for j in i + 1..N {
                rotate_away(a, q, i, j);
            }
        }
    }
}

fn rotate_away<const N: usize>(a: &mut [[f64; N]; N], q: &mut [[f64; N]; N], i: usize, j: usize) {
    if a[i][j] == 0.0 {
        return;
    }
    let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        let (p, r) = (row[i], row[j]);
        row[i] = c * p - s * r;
        row[j] = s * p + c * r;
    }
    let (upper, lower) = a.split_at_mut(j);
    for (p, r) in upper[i].iter_mut().zip(&mut lower[0]) {
        (*p, *r) = (c * *p - s * *r, s * *p + c * *r);
    }
    for row in q.iter_mut() {
        let (p, r) = (row[i], row[j]);
        row[i] = c * p - s * r;
        row[j] = s * p + c * r;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(a: Sym3, b: Sym3, tolerance: f64) -> bool {
        let d = a + b * -1.0;
        [d.xx, d.yy, d.zz, d.xy, d.yz, d.zx].iter().all(|x| x.abs() <= tolerance)
    }

    proptest! {
        #[test]
        fn logarithm_undoes_exponential(e in prop::array::uniform6(-1.5f64..1.5)) {
            let s = Sym3 { xx: e[0], yy: e[1], zz: e[2], xy: e[3], yz: e[4], zx: e[5] };
            prop_assert!(near(s.exp().ln(), s, 1e-12));
        }

        #[test]
        fn determinant_of_exponential_is_exponential_of_trace(e in prop::array::uniform6(-1.0f64..1.0)) {
            let s = Sym3 { xx: e[0], yy: e[1], zz: e[2], xy: e[3], yz: e[4], zx: e[5] };
            let det = s.exp().to_mat().determinant();
            prop_assert!((det / s.trace().exp() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn stretch_along_an_axis_has_that_logarithm() {
        let d = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let stretch = Sym3::IDENTITY + Sym3::along(d, 0.5 - 1.0);
        assert!(near(stretch.ln(), Sym3::along(d, (0.5f64).ln()), 1e-14));
    }
}
