//! The main directions of a symmetric positive matrix: orthogonal iteration, then Rayleigh–Ritz on what that leaves.
//!
//! Golub, Van Loan, "Matrix Computations", 4th ed., §8.2.4 and §8.5. What is wanted is an orthonormal basis that catches
//! nearly as much as the best one does; whether its columns are eigenvectors to the last digit does not matter here.

use sinew_math::dense::symmetric_eigenvectors;

/// A square or tall matrix of columns.
pub(super) type Columns = Vec<Vec<f64>>;

/// Rounds of the iteration: motion's spectrum falls fast, and four rounds were within 1 % of the best basis.
const ROUNDS: usize = 4;
/// Columns carried beyond those that are wanted, so that the last of them settle too.
const SPARE: usize = 16;

/// At most `count` orthonormal columns that catch the most of `a` (given by rows), the strongest first.
pub(super) fn main_directions(a: &[Vec<f64>], count: usize) -> Columns {
    let n = a.len();
    let width = (count + SPARE).min(n);
    let mut basis = if width == n { unit_columns(n) } else { starting_columns(n, width) };
    if width < n {
        for _ in 0..ROUNDS {
            basis = basis.iter().map(|column| times(a, column)).collect();
            orthonormalise(&mut basis);
        }
    }
    let mut small = Vec::with_capacity(width * width);
    for column in &basis {
        let image = times(a, column);
        small.extend(basis.iter().map(|other| dot(other, &image)));
    }
    let turns = symmetric_eigenvectors(&small, width).unwrap_or_else(|| unit_columns(width));
    let combine = |turn: &Vec<f64>| {
        let mut column = vec![0.0; n];
        for (base, share) in basis.iter().zip(turn) {
            column.iter_mut().zip(base).for_each(|(sum, x)| *sum += share * x);
        }
        column
    };
    turns.iter().take(count.min(n)).map(combine).collect()
}

fn unit_columns(n: usize) -> Columns {
    (0..n).map(|j| (0..n).map(|i| f64::from(u8::from(i == j))).collect()).collect()
}

/// Numbers without a pattern, the same each time (a linear congruential sequence of Knuth's).
fn starting_columns(n: usize, width: usize) -> Columns {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let mut columns: Columns = (0..width).map(|_| (0..n).map(|_| next()).collect()).collect();
    orthonormalise(&mut columns);
    columns
}

/// Gram–Schmidt, each column twice; what lies within the others becomes zero.
fn orthonormalise(columns: &mut Columns) {
    for j in 0..columns.len() {
        let (before, rest) = columns.split_at_mut(j);
        let column = &mut rest[0];
        let length_before = dot(column, column).sqrt();
        for _ in 0..2 {
            for other in before.iter() {
                let share = dot(other, column);
                column.iter_mut().zip(other).for_each(|(x, y)| *x -= share * y);
            }
        }
        let length = dot(column, column).sqrt();
        let scale = if length > 1e-12 * length_before { 1.0 / length } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= scale);
    }
}

fn times(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| dot(row, x)).collect()
}

/// In four sums, which the compiler can keep apart, and in a fixed order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    for (a, b) in a4.iter().zip(b4) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ λ_k q_k q_kᵀ` with planted directions.
    fn planted(n: usize, spectrum: impl Fn(usize) -> f64) -> (Vec<Vec<f64>>, Columns) {
        let directions = starting_columns(n, n);
        let mut a = vec![vec![0.0; n]; n];
        for (k, q) in directions.iter().enumerate() {
            for i in 0..n {
                for j in 0..n {
                    a[i][j] += spectrum(k) * q[i] * q[j];
                }
            }
        }
        (a, directions)
    }

    #[test]
    fn planted_directions_are_found_in_order() {
        let (a, directions) = planted(40, |k| 0.5f64.powi(k as i32));
        let found = main_directions(&a, 12);
        for (found, planted) in found.iter().zip(&directions) {
            assert!((dot(found, planted).abs() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_part_of_a_large_matrix_catches_nearly_all_that_can_be_caught() {
        let (a, _) = planted(120, |k| 0.8f64.powi(k as i32));
        let found = main_directions(&a, 20);
        let caught: f64 = found.iter().map(|column| dot(column, &times(&a, column))).sum();
        let best: f64 = (0..20).map(|k| 0.8f64.powi(k)).sum();
        assert!(caught > 0.999 * best, "{caught} of {best}");
        for i in 0..20 {
            for j in 0..20 {
                assert!((dot(&found[i], &found[j]) - f64::from(u8::from(i == j))).abs() < 1e-9);
            }
        }
    }
}
