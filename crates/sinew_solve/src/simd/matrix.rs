//! 3×3 matrices, one per lane, in either precision.

use std::ops::{Add, Mul, Sub};

/// By rows.
pub(crate) type Mat<T> = [[T; 3]; 3];

/// Lanes of f32 or of f64.
pub(crate) trait Ring: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Ring for T {}

#[inline(always)]
pub(crate) fn dot<T: Ring>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<T: Ring>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn times<T: Ring>(m: &Mat<T>, v: [T; 3]) -> [T; 3] {
    three!(I => dot(m[I], v))
}

#[inline(always)]
pub(crate) fn trace<T: Ring>(m: &Mat<T>) -> T {
    m[0][0] + m[1][1] + m[2][2]
}

/// ∂ det/∂m.
#[inline(always)]
pub(crate) fn cofactor<T: Ring>(m: &Mat<T>) -> Mat<T> {
    [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
}

/// A symmetric matrix's inverse times its determinant, and that.
#[derive(Clone, Copy)]
pub(crate) struct Adjugate<T> {
    pub(crate) diagonal: [T; 3],
    /// (0, 1), (0, 2) and (1, 2).
    mixed: [T; 3],
    pub(crate) determinant: T,
}

impl<T: Ring> Adjugate<T> {
    /// Of the matrix with this diagonal and, beside it, (0, 1), (0, 2) and (1, 2).
    #[inline(always)]
    pub(crate) fn of([h00, h11, h22]: [T; 3], [h01, h02, h12]: [T; 3]) -> Self {
        let diagonal = [h11 * h22 - h12 * h12, h00 * h22 - h02 * h02, h00 * h11 - h01 * h01];
        let mixed = [h02 * h12 - h01 * h22, h01 * h12 - h02 * h11, h01 * h02 - h00 * h12];
        Self { diagonal, mixed, determinant: h00 * diagonal[0] + h01 * mixed[0] + h02 * mixed[1] }
    }

    #[inline(always)]
    pub(crate) fn times(&self, v: [T; 3]) -> [T; 3] {
        let ([c00, c11, c22], [c01, c02, c12]) = (self.diagonal, self.mixed);
        [dot([c00, c01, c02], v), dot([c01, c11, c12], v), dot([c02, c12, c22], v)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{DMat3, DVec3};

    #[test]
    fn an_adjugate_is_the_inverse_times_the_determinant() {
        let (diagonal, mixed, v) = ([2.0, -3.0, 0.5], [0.7, -1.1, 0.3], [0.4, 1.3, -2.2]);
        let [[a, b, c], [d, e, f]] = [diagonal, mixed];
        let m = DMat3::from_cols(DVec3::new(a, d, e), DVec3::new(d, b, f), DVec3::new(e, f, c));
        let adjugate = Adjugate::of(diagonal, mixed);
        assert!((adjugate.determinant - m.determinant()).abs() < 1e-12);
        let wanted = m.inverse() * DVec3::from_array(v) * m.determinant();
        assert!(DVec3::from_array(adjugate.times(v)).distance(wanted) < 1e-12);
        let rows = m.to_cols_array_2d();
        let whole = cofactor(&rows);
        assert!((dot(rows[1], whole[1]) - adjugate.determinant).abs() < 1e-12);
        assert!((trace(&whole) - adjugate.diagonal.iter().sum::<f64>()).abs() < 1e-12);
    }
}
