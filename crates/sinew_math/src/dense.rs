//! Small dense symmetric matrices: systems that need not be positive definite, such as interpolation with side conditions, and
//! eigenvectors.
//!
//! Bunch–Kaufman pivoting and the symmetric eigensolver are `faer`'s, on one thread.

use faer::linalg::solvers::{Lblt, SelfAdjointEigen, SolveCore};
use faer::{Conj, MatMut, MatRef, Side};

/// Solves A X = B for symmetric `a` (`size` × `size`; its lower triangle, column by column, is read) in place of `columns`.
/// Numbers that are not finite come back where A is singular.
///
/// # Panics
/// If the numbers are not a square matrix and whole columns.
pub fn solve_symmetric(a: &[f64], size: usize, columns: &mut [f64]) {
    assert!(a.len() == size * size && columns.len().is_multiple_of(size.max(1)), "not a square system");
    let count = columns.len() / size.max(1);
    let factor = Lblt::new(MatRef::from_column_major_slice(a, size, size), Side::Lower);
    factor.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(columns, size, count));
}

/// Orthonormal eigenvectors of a symmetric matrix (`size` × `size`; its lower triangle, column by column, is read), that of the
/// largest eigenvalue first. None where a number is not finite.
///
/// # Panics
/// If the numbers are not a square matrix.
pub fn symmetric_eigenvectors(a: &[f64], size: usize) -> Option<Vec<Vec<f64>>> {
    assert!(a.len() == size * size, "not a square matrix");
    if a.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let eigen = SelfAdjointEigen::new(MatRef::from_column_major_slice(a, size, size), Side::Lower).ok()?;
    // They come in rising order.
    Some((0..size).rev().map(|k| eigen.U().col(k).iter().copied().collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_indefinite_system_gives_back_the_planted_answer() {
        const N: usize = 30;
        let entry = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            if i >= N - 4 { 0.0 } else { ((i * 37 + j * 101) % 23) as f64 - 11.0 }
        };
        let a: Vec<f64> = (0..N * N).map(|n| entry(n % N, n / N)).collect();
        let planted: Vec<f64> = (0..N).map(|i| i as f64 - 7.0).collect();
        let mut x: Vec<f64> = (0..N).map(|i| (0..N).map(|j| entry(i, j) * planted[j]).sum()).collect();
        solve_symmetric(&a, N, &mut x);
        assert!(x.iter().zip(&planted).all(|(a, b)| (a - b).abs() < 1e-8), "{x:?}");
    }

    #[test]
    fn eigenvectors_are_orthonormal_and_the_strongest_comes_first() {
        const N: usize = 20;
        let entry = |i: usize, j: usize| ((i.min(j) * 37 + i.max(j) * 101) % 23) as f64 - 11.0;
        let a: Vec<f64> = (0..N * N).map(|n| entry(n % N, n / N)).collect();
        let vectors = symmetric_eigenvectors(&a, N).unwrap();
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let mut before = f64::INFINITY;
        for (k, vector) in vectors.iter().enumerate() {
            let image: Vec<f64> = (0..N).map(|i| (0..N).map(|j| entry(i, j) * vector[j]).sum()).collect();
            let value = dot(&image, vector);
            assert!(value <= before + 1e-9, "{k}: {value} after {before}");
            assert!(image.iter().zip(vector).all(|(x, y)| (x - value * y).abs() < 1e-9), "{k} is no eigenvector");
            for (j, other) in vectors.iter().enumerate() {
                assert!((dot(vector, other) - f64::from(u8::from(j == k))).abs() < 1e-12);
            }
            before = value;
        }
        assert_eq!(symmetric_eigenvectors(&[f64::NAN], 1), None);
    }
}
