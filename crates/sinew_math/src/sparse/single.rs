//! A factor in single precision for vectors in space, as often as a hand moves: half of the memory that a solve reads, which is what
//! it takes its time for, and three right-hand sides at once.
//!
//! The matrix is factored in double precision and its factor rounded. Solutions are good to about 1e-6 of their length times the
//! root of the condition number: enough where each solve corrects what the one before left.
//!
//! L is kept by supernodes, columns that share their rows: a dense triangle, and a dense block below it. Loops run over rows of
//! a block, compiled for what the machine has; every version does the same operations in the same order.

use super::{FactorError, SymmetricMatrix};
use crate::DVec3;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::{Par, Side};

/// Sums are of this many parts, so that they can run side by side.
const LANES: usize = 16;

/// A factored matrix for right-hand sides of vectors.
#[derive(Debug, Clone)]
pub struct SingleFactor {
    /// The row of the matrix that each row of the factor is.
    order: Vec<u32>,
    nodes: Vec<Supernode>,
    rows: Vec<u32>,
    values: Vec<f32>,
    tallest: usize,
}

/// Columns `start..start + width`. Their values: 1/diagonal, the strict lower triangle of a square, and `height` rows below.
#[derive(Debug, Clone, Copy)]
struct Supernode {
    start: usize,
    width: usize,
    height: usize,
    rows_at: usize,
    values_at: usize,
}

impl SingleFactor {
    pub fn new(matrix: &SymmetricMatrix) -> Result<Self, FactorError> {
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..CholeskySymbolicParams::default()
        };
        let symbolic = factorize_symbolic_cholesky(matrix.pattern(), Side::Lower, SymmetricOrdering::Amd, params)
            .map_err(|_| FactorError::OutOfMemory)?;
        let values = factored(&symbolic, matrix)?;
        let order = match symbolic.perm() {
            Some(perm) => perm.arrays().0.to_vec(),
            None => (0..matrix.size() as u32).collect(),
        };
        let mut own = Self { order, nodes: Vec::new(), rows: Vec::new(), values: Vec::new(), tallest: 0 };
        let SymbolicCholeskyRaw::Supernodal(raw) = symbolic.raw() else {
            own.push_diagonal(&values);
            return Ok(own);
        };
        let llt = SupernodalLltRef::<u32, f64>::new(raw, &values);
        for number in 0..raw.n_supernodes() {
            let node = llt.supernode(number);
            let (block, width, height) = (node.val(), node.val().ncols(), node.pattern().len());
            own.nodes.push(Supernode {
                start: node.start(),
                width,
                height,
                rows_at: own.rows.len(),
                values_at: own.values.len(),
            });
            own.tallest = own.tallest.max(height);
            own.rows.extend_from_slice(node.pattern());
            own.values.extend((0..width).map(|column| (1.0 / block[(column, column)]) as f32));
            for column in 0..width {
                own.values.extend((0..width).map(|row| if row > column { block[(row, column)] as f32 } else { 0.0 }));
            }
            for column in 0..width {
                own.values.extend((width..width + height).map(|row| block[(row, column)] as f32));
            }
        }
        Ok(own)
    }

    /// The solution for vectors on the right-hand side.
    pub fn solve(&self, right: &[DVec3]) -> Vec<DVec3> {
        assert_eq!(right.len(), self.order.len(), "one vector for each row");
        // Scaled, so that no size of numbers is lost.
        let scale = right.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max);
        if scale == 0.0 || !scale.is_finite() {
            return right.to_vec();
        }
        let plane = |axis: usize| -> Vec<f32> {
            self.order.iter().map(|row| (right[*row as usize][axis] / scale) as f32).collect()
        };
        let mut x = [plane(0), plane(1), plane(2)];
        solve_planes(self, &mut x);
        let mut out = vec![DVec3::ZERO; right.len()];
        let [x, y, z] = &x;
        for (((row, x), y), z) in self.order.iter().zip(x).zip(y).zip(z) {
            out[*row as usize] = DVec3::new(f64::from(*x), f64::from(*y), f64::from(*z)) * scale;
        }
        out
    }

    /// A factor without entries below its diagonal, for which there are no supernodes: points that hang on nothing that moves.
    fn push_diagonal(&mut self, diagonal: &[f64]) {
        for (start, value) in diagonal.iter().enumerate() {
            self.nodes.push(Supernode { start, width: 1, height: 0, rows_at: 0, values_at: self.values.len() });
            self.values.extend([(1.0 / value) as f32, 0.0]);
        }
    }
}

fn factored(symbolic: &SymbolicCholesky<u32>, matrix: &SymmetricMatrix) -> Result<Vec<f64>, FactorError> {
    let of = SparseColMatRef::new(matrix.pattern(), matrix.values.as_slice());
    let mut values = vec![0.0; symbolic.len_val()];
    let need = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
    let mut memory = MemBuffer::try_new(need).map_err(|_| FactorError::OutOfMemory)?;
    let stack = MemStack::new(&mut memory);
    let done = symbolic.factorize_numeric_llt::<f64>(
        &mut values,
        of,
        Side::Lower,
        Default::default(),
        Par::Seq,
        stack,
        Default::default(),
    );
    match done {
        Err(LltError::NonPositivePivot { index }) => Err(FactorError::NotPositive { pivot: index }),
        Ok(_) => Ok(values),
    }
}

fn solve_planes(factor: &SingleFactor, x: &mut [Vec<f32>; 3]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has it.
            return unsafe { wide(factor, x) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has it.
            return unsafe { half(factor, x) };
        }
    }
    run(factor, x);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn wide(factor: &SingleFactor, x: &mut [Vec<f32>; 3]) {
    run(factor, x);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn half(factor: &SingleFactor, x: &mut [Vec<f32>; 3]) {
    run(factor, x);
}

/// L y = b, then Lᵀ x = y.
#[inline(always)]
fn run(factor: &SingleFactor, x: &mut [Vec<f32>; 3]) {
    let mut below = [vec![0.0; factor.tallest], vec![0.0; factor.tallest], vec![0.0; factor.tallest]];
    for node in &factor.nodes {
        forward(node, factor, x, &mut below);
    }
    for node in factor.nodes.iter().rev() {
        backward(node, factor, x, &mut below);
    }
}

/// The parts of a supernode's values: 1/diagonal, the triangle, the block below.
#[inline(always)]
fn parts<'a>(node: &Supernode, factor: &'a SingleFactor) -> (&'a [f32], &'a [f32], &'a [f32], &'a [u32]) {
    let Supernode { width, height, rows_at, values_at, .. } = *node;
    let (diagonal, rest) = factor.values[values_at..values_at + width * (1 + width + height)].split_at(width);
    let (triangle, block) = rest.split_at(width * width);
    (diagonal, triangle, block, &factor.rows[rows_at..rows_at + height])
}

#[inline(always)]
fn forward(node: &Supernode, factor: &SingleFactor, x: &mut [Vec<f32>; 3], below: &mut [Vec<f32>; 3]) {
    let Supernode { start, width, height, .. } = *node;
    let (diagonal, triangle, block, rows) = parts(node, factor);
    for (x, below) in x.iter_mut().zip(below) {
        let top = &mut x[start..start + width];
        for column in 0..width {
            let value = top[column] * diagonal[column];
            top[column] = value;
            let below = &triangle[column * width..(column + 1) * width];
            for row in column + 1..width {
                top[row] -= below[row] * value;
            }
        }
        let below = &mut below[..height];
        below.fill(0.0);
        let mut column = 0;
        // Four columns at once: what is below is read and written a quarter as often.
        while column + 4 <= width {
            let four = &block[column * height..(column + 4) * height];
            let (ab, cd) = four.split_at(2 * height);
            let ((a, b), (c, d)) = (ab.split_at(height), cd.split_at(height));
            let [p, q, r, s] = [top[column], top[column + 1], top[column + 2], top[column + 3]];
            for row in 0..height {
                below[row] += (a[row] * p + b[row] * q) + (c[row] * r + d[row] * s);
            }
            column += 4;
        }
        for column in column..width {
            let (one, value) = (&block[column * height..(column + 1) * height], top[column]);
            for row in 0..height {
                below[row] += one[row] * value;
            }
        }
        for (row, below) in rows.iter().zip(below) {
            x[*row as usize] -= *below;
        }
    }
}

#[inline(always)]
fn backward(node: &Supernode, factor: &SingleFactor, x: &mut [Vec<f32>; 3], below: &mut [Vec<f32>; 3]) {
    let Supernode { start, width, height, .. } = *node;
    let (diagonal, triangle, block, rows) = parts(node, factor);
    for (x, below) in x.iter_mut().zip(below.iter_mut()) {
        for (below, row) in below.iter_mut().zip(rows) {
            *below = x[*row as usize];
        }
    }
    let [p, q, r] = below;
    let (p, q, r) = (&p[..height], &q[..height], &r[..height]);
    for column in 0..width {
        let sums = dot3(&block[column * height..(column + 1) * height], p, q, r);
        for (x, sum) in x.iter_mut().zip(sums) {
            x[start + column] -= sum;
        }
    }
    for x in x {
        let top = &mut x[start..start + width];
        for column in (0..width).rev() {
            let below = &triangle[column * width..(column + 1) * width];
            let mut value = top[column];
            for row in column + 1..width {
                value -= below[row] * top[row];
            }
            top[column] = value * diagonal[column];
        }
    }
}

/// Products of one list with three others, in parts that run side by side.
#[inline(always)]
fn dot3(of: &[f32], p: &[f32], q: &[f32], r: &[f32]) -> [f32; 3] {
    let mut sums = [[0.0f32; LANES]; 3];
    let whole = of.len() / LANES * LANES;
    let mut at = 0;
    while at < whole {
        let (of, p, q, r) = (&of[at..at + LANES], &p[at..at + LANES], &q[at..at + LANES], &r[at..at + LANES]);
        for lane in 0..LANES {
            sums[0][lane] += of[lane] * p[lane];
            sums[1][lane] += of[lane] * q[lane];
            sums[2][lane] += of[lane] * r[lane];
        }
        at += LANES;
    }
    let mut out = [0.0f32; 3];
    for (out, lanes) in out.iter_mut().zip(&sums) {
        for lane in lanes {
            *out += *lane;
        }
    }
    for at in whole..of.len() {
        out[0] += of[at] * p[at];
        out[1] += of[at] * q[at];
        out[2] += of[at] * r[at];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Laplacian of a grid in space, with a little mass.
    fn grid(side: u32) -> SymmetricMatrix {
        let at = |i: u32, j: u32, k: u32| (k * side + j) * side + i;
        let mut entries = Vec::new();
        for k in 0..side {
            for j in 0..side {
                for i in 0..side {
                    let own = at(i, j, k);
                    entries.push((own, own, 0.05));
                    let to = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                    for (i, j, k) in to.into_iter().filter(|(i, j, k)| i.max(j).max(k) < &side) {
                        let other = at(i, j, k);
                        entries.extend([(own, own, 1.0), (other, other, 1.0), (own, other, -1.0)]);
                    }
                }
            }
        }
        SymmetricMatrix::from_entries((side * side * side) as usize, entries)
    }

    #[test]
    fn vectors_are_solved_for_to_single_precision() {
        for side in [1, 2, 5, 12] {
            let matrix = grid(side);
            let planted: Vec<DVec3> = (0..matrix.size())
                .map(|i| DVec3::new((i * 7919 % 101) as f64 - 50.0, (i * 31 % 17) as f64, -3.0 * (i % 5) as f64))
                .collect();
            let axis = |axis: usize| matrix.times(&planted.iter().map(|v| v[axis]).collect::<Vec<_>>());
            let [x, y, z] = [axis(0), axis(1), axis(2)];
            let right: Vec<DVec3> = (0..matrix.size()).map(|i| DVec3::new(x[i], y[i], z[i])).collect();
            for scale in [1.0, 1e-30, 1e30] {
                let scaled: Vec<DVec3> = right.iter().map(|v| *v * scale).collect();
                let found = SingleFactor::new(&matrix).unwrap().solve(&scaled);
                let worst = found.iter().zip(&planted).map(|(a, b)| (*a / scale).distance(*b)).fold(0.0, f64::max);
                assert!(worst < 1e-3, "side {side}: {worst:e}");
            }
        }
    }

    /// What each version of the loops gives is the same to the bit.
    #[test]
    fn every_machine_gives_the_same_bits() {
        let matrix = grid(9);
        let factor = SingleFactor::new(&matrix).unwrap();
        let start: Vec<f32> = (0..matrix.size()).map(|i| (i * 37 % 23) as f32 - 11.0).collect();
        let (mut plain, mut dispatched) =
            ([start.clone(), start.clone(), start.clone()], [start.clone(), start.clone(), start]);
        run(&factor, &mut plain);
        solve_planes(&factor, &mut dispatched);
        assert_eq!(plain, dispatched);
    }

    #[test]
    fn what_cannot_be_factored_says_why() {
        let matrix = SymmetricMatrix::from_entries(2, [(0, 0, 1.0), (1, 1, -1.0)]);
        assert!(matches!(SingleFactor::new(&matrix), Err(FactorError::NotPositive { .. })));
    }
}
