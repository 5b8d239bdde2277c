//! Sparse symmetric positive definite systems, factored as A = L Lᵀ.
//!
//! Three stages, because they are repeated at different rates: [`Analysis`] looks at where entries are (once per mesh), its
//! [`Analysis::factor`] at their values (when those change), and [`Factor::solve`] at right-hand sides. Orders by approximate minimum
//! degree and factors by supernodes, both `faer`'s, which only this module and `dense` know of. One thread, so that the same
//! machine always gives the same bits.

mod single;

pub use single::SingleFactor;

use faer::linalg::solvers::SolveCore;
use faer::sparse::linalg::LltError;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Side};

/// A symmetric matrix by the entries of its lower triangle, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct SymmetricMatrix {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

/// Why a matrix could not be factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorError {
    /// The matrix is not positive definite; shows at this pivot of the reordered matrix.
    NotPositive {
        pivot: usize,
    },
    /// Entries are elsewhere than those the analysis saw.
    OtherPattern,
    OutOfMemory,
}

impl std::fmt::Display for FactorError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotPositive { pivot } => write!(f, "the matrix is not positive definite (pivot {pivot})"),
            Self::OtherPattern => write!(f, "the matrix has entries elsewhere than the analysed one"),
            Self::OutOfMemory => write!(f, "the factor of the matrix does not fit into memory"),
        }
    }
}

impl std::error::Error for FactorError {}

impl SymmetricMatrix {
    /// From entries (row, column, value), each pair once, on whichever side; values at the same place add up. Diagonal entries
    /// are always there. Indices must be below `size`.
    pub fn from_entries(size: usize, entries: impl IntoIterator<Item = (u32, u32, f64)>) -> Self {
        let lower = entries.into_iter().map(|(r, c, value)| (r.min(c), r.max(c), value));
        let mut entries: Vec<(u32, u32, f64)> = lower.chain((0..size as u32).map(|i| (i, i, 0.0))).collect();
        // Stable, so that sums have the same order and bits every time.
        entries.sort_by_key(|(column, row, _)| (*column, *row));
        let mut matrix = Self { starts: vec![0; size + 1], rows: Vec::new(), values: Vec::new() };
        for same in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            matrix.rows.push(same[0].1);
            matrix.values.push(same.iter().map(|entry| entry.2).sum());
            matrix.starts[same[0].0 as usize + 1] += 1;
        }
        for column in 0..size {
            matrix.starts[column + 1] += matrix.starts[column];
        }
        matrix
    }

    /// The sum with more entries, which may lie elsewhere.
    pub fn plus(&self, more: impl IntoIterator<Item = (u32, u32, f64)>) -> Self {
        let own = (0..self.size()).flat_map(|column| {
            let range = self.starts[column] as usize..self.starts[column + 1] as usize;
            range.map(move |at| (self.rows[at], column as u32, self.values[at]))
        });
        Self::from_entries(self.size(), own.chain(more))
    }

    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// Entries stored, of the lower triangle.
    pub fn entry_count(&self) -> usize {
        self.rows.len()
    }

    /// Where the entry of this pair is stored, if the pattern has it: an index into [`Self::values_mut`].
    pub fn slot(&self, a: u32, b: u32) -> Option<usize> {
        let (column, row) = (a.min(b) as usize, a.max(b));
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        self.rows[range.clone()].binary_search(&row).ok().map(|at| range.start + at)
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// A x.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.size()];
        for column in 0..self.size() {
            for at in self.starts[column] as usize..self.starts[column + 1] as usize {
                let (row, value) = (self.rows[at] as usize, self.values[at]);
                out[row] += value * x[column];
                if row != column {
                    out[column] += value * x[row];
                }
            }
        }
        out
    }

    fn pattern(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_checked(self.size(), self.size(), &self.starts, None, &self.rows)
    }
}

/// The order of elimination and the places of the factor's entries, for all matrices of one pattern.
#[derive(Debug, Clone)]
pub struct Analysis {
    symbolic: SymbolicLlt<u32>,
    size: usize,
    entry_count: usize,
}

impl Analysis {
    pub fn new(matrix: &SymmetricMatrix) -> Result<Self, FactorError> {
        let symbolic = SymbolicLlt::try_new(matrix.pattern(), Side::Lower).map_err(|_| FactorError::OutOfMemory)?;
        Ok(Self { symbolic, size: matrix.size(), entry_count: matrix.entry_count() })
    }

    /// Factors a matrix of the analysed pattern.
    pub fn factor(&self, matrix: &SymmetricMatrix) -> Result<Factor, FactorError> {
        if (matrix.size(), matrix.entry_count()) != (self.size, self.entry_count) {
            return Err(FactorError::OtherPattern);
        }
        let values = SparseColMatRef::new(matrix.pattern(), matrix.values.as_slice());
        let llt = Llt::try_new_with_symbolic(self.symbolic.clone(), values, Side::Lower);
        llt.map(|llt| Factor { llt, size: self.size }).map_err(|error| match error {
            LltError::Numeric(error) => {
                let faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index } = error;
                FactorError::NotPositive { pivot: index }
            }
            LltError::Generic(_) => FactorError::OutOfMemory,
        })
    }
}

/// A factored matrix.
#[derive(Debug, Clone)]
pub struct Factor {
    llt: Llt<u32, f64>,
    size: usize,
}

impl Factor {
    /// Turns right-hand sides, one column of numbers after the other, into solutions.
    ///
    /// # Panics
    /// If the numbers are not whole columns.
    pub fn solve(&self, columns: &mut [f64]) {
        assert!(
            columns.len().is_multiple_of(self.size.max(1)),
            "{} numbers in columns of {}",
            columns.len(),
            self.size
        );
        let count = columns.len() / self.size.max(1);
        self.llt.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(columns, self.size, count));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A grid's Laplacian plus a little mass: positive definite.
    fn grid(side: u32, mass: f64) -> SymmetricMatrix {
        let at = |i: u32, j: u32| j * side + i;
        let mut entries = Vec::new();
        for j in 0..side {
            for i in 0..side {
                entries.push((at(i, j), at(i, j), mass));
                for to in
                    [(i + 1 < side).then(|| at(i + 1, j)), (j + 1 < side).then(|| at(i, j + 1))].into_iter().flatten()
                {
                    entries.extend([(at(i, j), at(i, j), 1.0), (to, to, 1.0), (at(i, j), to, -1.0)]);
                }
            }
        }
        SymmetricMatrix::from_entries((side * side) as usize, entries)
    }

    #[test]
    fn one_analysis_serves_every_matrix_of_the_pattern() {
        let analysis = Analysis::new(&grid(40, 1.0)).unwrap();
        for mass in [1.0, 0.01, 7.0] {
            let matrix = grid(40, mass);
            let planted: Vec<f64> = (0..2 * matrix.size()).map(|i| ((i * 7919) % 101) as f64 - 50.0).collect();
            let mut columns: Vec<f64> = planted.chunks(matrix.size()).flat_map(|x| matrix.times(x)).collect();
            analysis.factor(&matrix).unwrap().solve(&mut columns);
            let worst = columns.iter().zip(&planted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{worst:e}");
        }
    }

    #[test]
    fn what_cannot_be_factored_says_why() {
        let analysis = Analysis::new(&grid(4, 1.0)).unwrap();
        assert!(matches!(analysis.factor(&grid(4, -3.0)), Err(FactorError::NotPositive { .. })));
        assert_eq!(analysis.factor(&grid(5, 1.0)).unwrap_err(), FactorError::OtherPattern);
    }

    proptest! {
        /// A = B Bᵀ + I of random sparse B.
        #[test]
        fn random_systems_give_back_the_planted_answer(
            b in prop::collection::vec((0u32..12, 0u32..12, -1.0f64..1.0), 0..40),
            planted in prop::collection::vec(-5.0f64..5.0, 12),
        ) {
            let mut entries: Vec<(u32, u32, f64)> = (0..12).map(|i| (i, i, 1.0)).collect();
            for (r, k, v) in &b {
                for (c, l, w) in &b {
                    // Each pair of the symmetric product once.
                    if k == l && r >= c {
                        entries.push((*r, *c, v * w));
                    }
                }
            }
            let matrix = SymmetricMatrix::from_entries(12, entries);
            let mut x = matrix.times(&planted);
            Analysis::new(&matrix).unwrap().factor(&matrix).unwrap().solve(&mut x);
            for (a, b) in x.iter().zip(&planted) {
                prop_assert!((a - b).abs() < 1e-9);
            }
        }
    }
}
