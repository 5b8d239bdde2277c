//! Small dense symmetric systems that need not be positive definite, such as interpolation with side conditions.
//!
//! Bunch–Kaufman pivoting, `faer`'s, on one thread.

use faer::linalg::solvers::{Lblt, SolveCore};
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
}
