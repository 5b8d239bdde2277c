//! Symmetric positive definite systems of equal dense blocks near the diagonal: one block a frame, coupled to
//! the next few.
//!
//! Right-looking Cholesky by block columns. A column of blocks is stored as one dense panel, so that its
//! factor is one small Cholesky, one triangular solve and `band` products, all `faer`'s on one thread. Time
//! and memory grow linearly with the number of frames: about `(band + 1)²` products of `size³` each.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltRegularization, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par, Spec};

/// The lower triangle of a matrix of `count` × `count` blocks of `size` × `size`, of which those up to `band`
/// below the diagonal may differ from zero.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockBanded {
    size: usize,
    count: usize,
    band: usize,
    /// Panels of `(band + 1) · size` rows and `size` columns, column by column.
    panels: Vec<f64>,
}

/// The matrix is not positive definite; shows in this block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite (block {block})")]
pub struct NotPositive {
    pub block: usize,
}

impl BlockBanded {
    pub fn new(size: usize, count: usize, band: usize) -> Self {
        Self { size, count, band, panels: vec![0.0; count * (band + 1) * size * size] }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn count(&self) -> usize {
        self.count
    }

    fn rows(&self) -> usize {
        (self.band + 1) * self.size
    }

    fn panel_len(&self) -> usize {
        self.rows() * self.size
    }

    /// A block column: `(band + 1) · size` rows from the diagonal block down, column by column. Only the
    /// lower triangle of the diagonal block is read.
    pub fn panel(&self, column: usize) -> &[f64] {
        &self.panels[column * self.panel_len()..(column + 1) * self.panel_len()]
    }

    pub fn panel_mut(&mut self, column: usize) -> &mut [f64] {
        let len = self.panel_len();
        &mut self.panels[column * len..(column + 1) * len]
    }

    /// Block columns one after another, to be filled side by side.
    pub fn panels_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        let len = self.panel_len().max(1);
        self.panels.chunks_exact_mut(len)
    }

    pub fn add_to_diagonal(&mut self, shift: f64) {
        let (rows, size) = (self.rows(), self.size);
        for panel in self.panels_mut() {
            for n in 0..size {
                panel[n * rows + n] += shift;
            }
        }
    }

    /// Largest diagonal entry.
    pub fn largest_diagonal(&self) -> f64 {
        let (rows, size) = (self.rows(), self.size);
        let panels = self.panels.chunks_exact(self.panel_len().max(1));
        panels.flat_map(|panel| (0..size).map(move |n| panel[n * rows + n])).fold(0.0, f64::max)
    }

    /// `A x`.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        let (size, rows) = (self.size, self.rows());
        let mut y = vec![0.0; x.len()];
        for column in 0..self.count {
            let panel = self.panel(column);
            let reach = rows.min((self.count - column) * size);
            let start = column * size;
            for c in 0..size {
                let entries = &panel[c * rows..c * rows + reach];
                let xc = x[start + c];
                let mut sum = entries[c] * xc;
                for r in c + 1..reach {
                    y[start + r] += entries[r] * xc;
                    sum += entries[r] * x[start + r];
                }
                y[start + c] += sum;
            }
        }
        y
    }

    /// Factors the matrix in place.
    pub fn factor(mut self) -> Result<BlockBandedFactor, NotPositive> {
        let (size, rows, len) = (self.size, self.rows(), self.panel_len());
        let scratch = cholesky_in_place_scratch::<f64>(size, Par::Seq, Spec::default());
        let mut buffer = MemBuffer::new(scratch);
        for column in 0..self.count {
            let (head, tail) = self.panels.split_at_mut((column + 1) * len);
            let panel = MatMut::from_column_major_slice_mut(&mut head[column * len..], rows, size);
            let reach = self.band.min(self.count - 1 - column);
            let (mut diagonal, below) = panel.split_at_row_mut(size);
            let mut below = below.subrows_mut(0, reach * size);
            let stack = MemStack::new(&mut buffer);
            cholesky_in_place(diagonal.rb_mut(), LltRegularization::default(), Par::Seq, stack, Spec::default())
                .map_err(|_| NotPositive { block: column })?;
            solve_lower_triangular_in_place(diagonal.rb(), below.rb_mut().transpose_mut(), Par::Seq);
            for k in 1..=reach {
                let target = &mut tail[(k - 1) * len..k * len];
                let target = MatMut::from_column_major_slice_mut(target, rows, size);
                let (target_diagonal, target_below) = target.split_at_row_mut(size);
                let left = below.rb().subrows((k - 1) * size, size);
                triangular_matmul(
                    target_diagonal,
                    BlockStructure::TriangularLower,
                    Accum::Add,
                    left,
                    BlockStructure::Rectangular,
                    left.transpose(),
                    BlockStructure::Rectangular,
                    -1.0,
                    Par::Seq,
                );
                let under = (reach - k) * size;
                if under > 0 {
                    let lower = below.rb().subrows(k * size, under);
                    matmul(target_below.subrows_mut(0, under), Accum::Add, lower, left.transpose(), -1.0, Par::Seq);
                }
            }
        }
        Ok(BlockBandedFactor { factor: self })
    }
}

/// L of A = L Lᵀ.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockBandedFactor {
    factor: BlockBanded,
}

impl BlockBandedFactor {
    /// Solves A x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        let BlockBanded { size, count, band, .. } = self.factor;
        let rows = self.factor.rows();
        let panel = |column: usize| MatRef::from_column_major_slice(self.factor.panel(column), rows, size);
        for column in 0..count {
            let reach = band.min(count - 1 - column) * size;
            let (own, rest) = x[column * size..].split_at_mut(size);
            let own = MatMut::from_column_major_slice_mut(own, size, 1);
            let mut own = own;
            solve_lower_triangular_in_place(panel(column).subrows(0, size), own.rb_mut(), Par::Seq);
            if reach > 0 {
                let below = MatMut::from_column_major_slice_mut(&mut rest[..reach], reach, 1);
                matmul(below, Accum::Add, panel(column).subrows(size, reach), own.rb(), -1.0, Par::Seq);
            }
        }
        for column in (0..count).rev() {
            let reach = band.min(count - 1 - column) * size;
            let (own, rest) = x[column * size..].split_at_mut(size);
            let mut own = MatMut::from_column_major_slice_mut(own, size, 1);
            if reach > 0 {
                let below = MatRef::from_column_major_slice(&rest[..reach], reach, 1);
                let upper = panel(column).subrows(size, reach).transpose();
                matmul(own.rb_mut(), Accum::Add, upper, below, -1.0, Par::Seq);
            }
            solve_upper_triangular_in_place(panel(column).subrows(0, size).transpose(), own.rb_mut(), Par::Seq);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(size: usize, count: usize, band: usize) -> BlockBanded {
        let mut a = BlockBanded::new(size, count, band);
        let rows = a.rows();
        for column in 0..count {
            for (n, entry) in a.panel_mut(column).iter_mut().enumerate() {
                let (c, r) = (n / rows, n % rows);
                let noise = ((r * 37 + c * 101 + column * 13) % 23) as f64 / 23.0 - 0.5;
                *entry = if r == c { (2 * rows) as f64 } else { noise };
            }
        }
        a
    }

    #[test]
    fn a_planted_answer_is_found_for_any_band() {
        for (size, count, band) in [(5, 7, 2), (6, 4, 3), (9, 1, 2), (3, 2, 3), (4, 6, 0)] {
            let a = planted(size, count, band);
            let x: Vec<f64> = (0..size * count).map(|n| (n as f64 * 0.7).sin()).collect();
            let mut b = a.times(&x);
            a.factor().unwrap().solve(&mut b);
            assert!(x.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-12), "{size} {count} {band}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_names_its_block() {
        let mut a = planted(4, 5, 2);
        let rows = a.rows();
        a.panel_mut(3)[2 * rows + 2] = -1.0;
        assert_eq!(a.factor(), Err(NotPositive { block: 3 }));
    }
}
