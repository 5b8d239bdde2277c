//! Block-sparse symmetric matrices with 3×3 blocks, of which the lower triangle is stored, and conjugate gradients on them.
//!
//! Everything is summed in a fixed order, so that any number of threads gives the same bits.

use crate::StopFlag;
use crate::solver::is_set;
use rayon::prelude::*;
use sinew_math::{DMat3, DVec3};

/// Rows per parallel piece: a row costs about 100 ns, so that a piece is worth handing over.
const PIECE: usize = 512;

/// Compressed block rows of the lower triangle over the neighbour structure of a mesh, diagonal included.
#[derive(Debug, Clone, Default)]
pub(crate) struct BlockMatrix {
    start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<DMat3>,
}

impl BlockMatrix {
    pub(crate) fn new(one_rings: &[Vec<u32>]) -> Self {
        let mut matrix = Self::default();
        matrix.rebuild(
            one_rings
                .iter()
                .enumerate()
                .map(|(i, ring)| ring.iter().copied().take_while(move |&j| (j as usize) < i).chain([i as u32])),
        );
        matrix
    }

    /// A matrix of zeros whose rows have these columns, each in order and up to its own, in the memory of this one.
    pub(crate) fn rebuild<R: Iterator<Item = u32>>(&mut self, rows: impl Iterator<Item = R>) {
        let Self { start, column, value } = self;
        start.clear();
        column.clear();
        start.push(0);
        for row in rows {
            column.extend(row);
            start.push(column.len() as u32);
        }
        value.clear();
        value.resize(column.len(), DMat3::ZERO);
    }

    fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// Where block (i, j) is stored, relative to the start of row i; none where j > i, or where there is none.
    pub(crate) fn slot(&self, i: usize, j: u32) -> Option<u32> {
        self.column[self.row(i)].binary_search(&j).ok().map(|at| at as u32)
    }

    /// Rebuilds every row with `fill(row, blocks)`; blocks come zeroed.
    pub(crate) fn fill_rows(&mut self, fill: impl Fn(usize, &mut [DMat3]) + Sync) {
        let rows = self.size();
        let start = std::mem::take(&mut self.start);
        split(&mut self.value, &start, PIECE).into_par_iter().enumerate().for_each(|(number, piece)| {
            let first = number * PIECE;
            let base = start[first] as usize;
            for i in first..rows.min(first + PIECE) {
                let row = &mut piece[start[i] as usize - base..start[i + 1] as usize - base];
                row.fill(DMat3::ZERO);
                fill(i, row);
            }
        });
        self.start = start;
    }

    /// The blocks of so many rows after so many rows.
    pub(crate) fn split_rows(&mut self, rows: usize) -> Vec<&mut [DMat3]> {
        split(&mut self.value, &self.start, rows)
    }

    /// Sets the blocks of another matrix whose first row and column are these here, and zeros beside them.
    pub(crate) fn set_rows(&mut self, first: usize, other: &Self) {
        for i in 0..other.size() {
            let row = self.row(first + i);
            let (columns, values) = (&self.column[row.clone()], &mut self.value[row]);
            let mut theirs = other.blocks_of(i).peekable();
            for (column, value) in columns.iter().zip(values) {
                let same = theirs.next_if(|(of, _)| of + first as u32 == *column);
                *value = same.map_or(DMat3::ZERO, |(_, block)| *block);
            }
        }
    }

    /// Where the diagonal block is: the last one of its row.
    fn diagonal_at(&self, i: usize) -> usize {
        self.start[i + 1] as usize - 1
    }

    pub(crate) fn diagonal_mut(&mut self, i: usize) -> &mut DMat3 {
        let at = self.diagonal_at(i);
        &mut self.value[at]
    }

    /// Block (i, j) of the lower triangle; none where there is none.
    pub(crate) fn block_mut(&mut self, i: usize, j: usize) -> Option<&mut DMat3> {
        let at = self.row(i).start + self.slot(i, j as u32)? as usize;
        self.value.get_mut(at)
    }

    /// Blocks of row i up to the diagonal with their columns, in order.
    pub(crate) fn blocks_of(&self, i: usize) -> impl Iterator<Item = (u32, &DMat3)> {
        self.column[self.row(i)].iter().copied().zip(&self.value[self.row(i)])
    }

    /// Columns of row i up to its own, in order.
    pub(crate) fn columns_of(&self, i: usize) -> &[u32] {
        &self.column[self.row(i)]
    }

    /// Where the blocks of row i are among [`Self::values`].
    pub(crate) fn slots_of(&self, i: usize) -> std::ops::Range<usize> {
        self.row(i)
    }

    pub(crate) fn values(&self) -> &[DMat3] {
        &self.value
    }

    pub(crate) fn size(&self) -> usize {
        self.start.len() - 1
    }

    pub(crate) fn diagonal(&self, i: usize) -> DMat3 {
        self.value[self.diagonal_at(i)]
    }

    pub(crate) fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        y.fill(DVec3::ZERO);
        for i in 0..self.size() {
            let (before, last) = (self.start[i] as usize..self.diagonal_at(i), self.diagonal_at(i));
            let mine = x[i];
            let mut sum = self.value[last] * mine;
            for (block, &j) in self.value[before.clone()].iter().zip(&self.column[before]) {
                sum += *block * x[j as usize];
                y[j as usize] += block.transpose_mul_vec3(mine);
            }
            y[i] += sum;
        }
    }
}

/// The blocks of so many rows after so many rows.
fn split<'a>(value: &'a mut [DMat3], start: &[u32], rows: usize) -> Vec<&'a mut [DMat3]> {
    let mut pieces = Vec::with_capacity(start.len().div_ceil(rows));
    let mut rest = value;
    for first in (0..start.len() - 1).step_by(rows) {
        let last = (first + rows).min(start.len() - 1);
        let (piece, tail) = rest.split_at_mut((start[last] - start[first]) as usize);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// Σ aᵢ·bᵢ over fixed blocks, in order: the same bits from one thread or many.
pub(crate) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.chunks(PIECE).zip(b.chunks(PIECE)).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>()).sum()
}

/// Buffers of [`solve`], kept between calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct CgScratch {
    residual: Vec<DVec3>,
    preconditioned: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    inverse_diagonal: Vec<DMat3>,
}

impl CgScratch {
    /// Two of the buffers, for whoever looks at a residual before [`solve`] is needed.
    pub(crate) fn residual_and_image(&mut self, n: usize) -> (&mut [DVec3], &mut [DVec3]) {
        let Self { residual, image, .. } = self;
        residual.resize(n, DVec3::ZERO);
        image.resize(n, DVec3::ZERO);
        (residual, image)
    }
}

/// A linear system A x = b on the subspace that `project` leaves.
pub(crate) struct System<'a> {
    /// `image = A · direction`.
    pub multiply: &'a dyn Fn(&[DVec3], &mut [DVec3]),
    pub precondition: Preconditioner<'a>,
    pub project: &'a dyn Fn(&mut [DVec3]),
    /// Abandons the solve.
    pub stop: Option<&'a StopFlag>,
}

/// What comes near the inverse of A.
pub(crate) enum Preconditioner<'a> {
    /// Diagonal blocks of A, about.
    Diagonal(&'a dyn Fn(usize) -> DMat3),
    /// Turns a vector into A⁻¹ times it, about.
    Inverse(&'a dyn Fn(&mut [DVec3])),
}

/// Preconditioned conjugate gradients, projected as in Ascher and Boxerman, "On the modified conjugate gradient method in cloth
/// simulation" (The Visual Computer 2003). Returns whether the residual came down to `tolerance` of what it was within `most` iterations;
/// `x` is the best there is by then.
pub(crate) fn solve(
    system: &System<'_>,
    b: &[DVec3],
    x: &mut [DVec3],
    tolerance: f64,
    most: usize,
    scratch: &mut CgScratch,
) -> bool {
    let n = b.len();
    let CgScratch { residual, preconditioned, direction, image, inverse_diagonal } = scratch;
    for buffer in [&mut *residual, &mut *preconditioned, &mut *direction, &mut *image] {
        buffer.resize(n, DVec3::ZERO);
    }
    inverse_diagonal.clear();
    if let Preconditioner::Diagonal(diagonal) = &system.precondition {
        inverse_diagonal.extend((0..n).map(|i| diagonal(i).inverse()));
    }
    x.fill(DVec3::ZERO);
    residual.copy_from_slice(b);
    (system.project)(residual);
    let precondition = |residual: &[DVec3], out: &mut [DVec3]| {
        match &system.precondition {
            Preconditioner::Diagonal(_) => {
                for ((out, r), inverse) in out.iter_mut().zip(residual).zip(inverse_diagonal.iter()) {
                    *out = *inverse * *r;
                }
            }
            Preconditioner::Inverse(inverse) => {
                out.copy_from_slice(residual);
                inverse(out);
            }
        }
        (system.project)(out);
    };
    precondition(residual, preconditioned);
    direction.copy_from_slice(preconditioned);
    let mut rz = dot(residual, preconditioned);
    let goal = rz * tolerance * tolerance;
    for _ in 0..most {
        if is_set(system.stop) {
            return false;
        }
        if rz.is_nan() || rz <= goal || rz <= f64::MIN_POSITIVE {
            return !rz.is_nan();
        }
        (system.multiply)(direction, image);
        (system.project)(image);
        let curvature = dot(direction, image);
        if curvature <= 0.0 {
            return false;
        }
        let step = rz / curvature;
        for i in 0..n {
            x[i] += direction[i] * step;
            residual[i] -= image[i] * step;
        }
        precondition(residual, preconditioned);
        let rz_next = dot(residual, preconditioned);
        let keep = rz_next / rz;
        rz = rz_next;
        for (d, z) in direction.iter_mut().zip(preconditioned.iter()) {
            *d = *z + *d * keep;
        }
    }
    rz <= goal
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn conjugate_gradients_find_a_planted_solution() {
        let rings: Vec<Vec<u32>> =
            (0..50u32).map(|i| [i.wrapping_sub(1), i + 1].into_iter().filter(|&j| j < 50).collect()).collect();
        let mut matrix = BlockMatrix::new(&rings);
        let slots: Vec<u32> = (0..50).map(|i| matrix.slot(i, i as u32).unwrap()).collect();
        matrix.fill_rows(|i, row| {
            row.fill(DMat3::from_diagonal(dvec3(-1.0, -0.5, -0.2)));
            row[slots[i] as usize] = DMat3::from_cols(dvec3(3.0, 0.5, 0.0), dvec3(0.5, 2.0, 0.1), dvec3(0.0, 0.1, 1.0));
        });
        let planted: Vec<DVec3> = (0..50).map(|i| dvec3(f64::from(i), 1.0 - f64::from(i), 0.5)).collect();
        let mut b = vec![DVec3::ZERO; 50];
        matrix.multiply(&planted, &mut b);
        let mut x = vec![DVec3::ZERO; 50];
        let system = System {
            multiply: &|direction, image| matrix.multiply(direction, image),
            precondition: Preconditioner::Diagonal(&|i| matrix.diagonal(i)),
            project: &|_| {},
            stop: None,
        };
        assert!(solve(&system, &b, &mut x, 1e-12, 500, &mut CgScratch::default()));
        assert!(x.iter().zip(&planted).all(|(x, p)| x.distance(*p) < 1e-8));
    }

    /// Two chains after each other with a block between them: products are those of both, and nothing is left of what stood there before.
    #[test]
    fn rows_of_another_matrix_take_their_place_beside_blocks_of_ones_own() {
        let block = |i: u32, j: u32| DMat3::from_diagonal(dvec3(f64::from(i + 1), f64::from(j + 2), 3.0));
        let mut chain = BlockMatrix::new(&[vec![1], vec![0, 2], vec![1]]);
        let own: Vec<Vec<u32>> = (0..3).map(|i| chain.columns_of(i).to_vec()).collect();
        chain.fill_rows(|i, row| row.iter_mut().zip(&own[i]).for_each(|(at, &j)| *at = block(i as u32, j)));
        let mut joint = BlockMatrix::default();
        let rows: [&[u32]; 6] = [&[0], &[0, 1], &[1, 2], &[1, 3], &[3, 4], &[2, 4, 5]];
        joint.rebuild(rows.iter().map(|row| row.iter().copied()));
        let x: Vec<DVec3> = (0..6).map(|i| dvec3(f64::from(i), 1.0, -0.5 * f64::from(i))).collect();
        let mut wanted = vec![DVec3::ZERO; 6];
        chain.multiply(&x[..3], &mut wanted[..3]);
        chain.multiply(&x[3..], &mut wanted[3..]);
        for _ in 0..2 {
            joint.set_rows(0, &chain);
            joint.set_rows(3, &chain);
            let mut image = vec![DVec3::ZERO; 6];
            joint.multiply(&x, &mut image);
            assert_eq!(image, wanted);
            *joint.block_mut(5, 2).unwrap() = DMat3::IDENTITY;
            joint.multiply(&x, &mut image);
            assert_eq!([image[5] - wanted[5], image[2] - wanted[2]], [x[2], x[5]]);
        }
    }
}
