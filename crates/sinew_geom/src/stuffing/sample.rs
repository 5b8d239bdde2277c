//! Values of the signed distance at the lattice points, worked out only near the surface.
//!
//! Blocks of cells are split like an octree until one has no surface within reach of its edges (then all its points
//! take the sign of its middle) or is small enough to ask for each point.

use super::StuffingError;
use super::lattice::Lattice;
use crate::distance::Distance;
use rayon::prelude::*;
use sinew_math::{DVec3, dvec3};

/// Cells along a block's edge: a power of two, coarse enough to leap over empty space, small enough to share out.
const BLOCK: usize = 8;
/// Cells along the edge of a block that is not split any more.
const LEAF: usize = 2;

/// A value that is outside by any measure, in cells.
const FAR_CELLS: f32 = 1.0e3;

/// Signed distances at all points, in cells. Far from the surface only the sign is meaningful. `tell` hears how far it is, and may
/// end it.
pub(super) fn sample<D: Distance + ?Sized>(
    shape: &D,
    lattice: &Lattice,
    tell: &dyn Fn(f64) -> Result<(), StuffingError>,
) -> Result<Vec<f32>, StuffingError> {
    /// Blocks between two words: some hundredths of a second.
    const AT_ONCE: usize = 4096;
    let blocks = lattice.size.map(|n| n.div_ceil(BLOCK));
    let block_at =
        |n: usize| [n % blocks[0] * BLOCK, n / blocks[0] % blocks[1] * BLOCK, n / (blocks[0] * blocks[1]) * BLOCK];
    let count = blocks.iter().product::<usize>();
    let mut filled: Vec<Block> = Vec::with_capacity(count);
    while filled.len() < count {
        let next = filled.len()..(filled.len() + AT_ONCE).min(count);
        filled.par_extend(next.into_par_iter().map(|n| Block::fill(shape, lattice, block_at(n))));
        tell(filled.len() as f64 / count as f64)?;
    }
    let mut values = vec![FAR_CELLS; lattice.point_count()];
    for (n, block) in filled.iter().enumerate() {
        block.copy_to(&mut values, lattice, block_at(n));
    }
    Ok(values)
}

enum Block {
    Uniform(f32),
    Each(Vec<f32>),
}

impl Block {
    fn fill<D: Distance + ?Sized>(shape: &D, lattice: &Lattice, first: [usize; 3]) -> Self {
        let (value, is_clear) = probe(shape, lattice, first, BLOCK);
        if is_clear {
            return Self::Uniform(value);
        }
        let mut values = vec![FAR_CELLS; 2 * BLOCK * BLOCK * BLOCK];
        split(shape, lattice, first, [0; 3], BLOCK, &mut values);
        Self::Each(values)
    }

    fn copy_to(&self, values: &mut [f32], lattice: &Lattice, first: [usize; 3]) {
        for k in first[2]..(first[2] + BLOCK).min(lattice.size[2] - 2).max(first[2]) {
            for j in first[1]..(first[1] + BLOCK).min(lattice.size[1] - 2).max(first[1]) {
                for i in first[0]..(first[0] + BLOCK).min(lattice.size[0] - 2).max(first[0]) {
                    if !lattice.is_inner([i, j, k]) {
                        continue;
                    }
                    let to = lattice.corner_id([i, j, k]);
                    match self {
                        Self::Uniform(value) => values[to..to + 2].fill(*value),
                        Self::Each(own) => {
                            let from = in_block([i - first[0], j - first[1], k - first[2]]);
                            values[to..to + 2].copy_from_slice(&own[from..from + 2]);
                        }
                    }
                }
            }
        }
    }
}

fn in_block([i, j, k]: [usize; 3]) -> usize {
    2 * ((k * BLOCK + j) * BLOCK + i)
}

/// The value in the middle of a block, in cells, and whether every edge at its points is free of surface.
fn probe<D: Distance + ?Sized>(shape: &D, lattice: &Lattice, first: [usize; 3], side: usize) -> (f32, bool) {
    const LONGEST_EDGE: f64 = 1.0;
    let half = 0.5 * (side as f64 - 0.5);
    let middle = lattice.origin + lattice.cell_m * (DVec3::from_array(first.map(|n| n as f64)) + DVec3::splat(half));
    let (value, clear_m) = shape.probe(middle);
    ((value / lattice.cell_m) as f32, clear_m > (3f64.sqrt() * half + LONGEST_EDGE) * lattice.cell_m)
}

/// Fills the eight parts of a block whose place in `values` is `offset`.
fn split<D: Distance + ?Sized>(
    shape: &D,
    lattice: &Lattice,
    first: [usize; 3],
    offset: [usize; 3],
    side: usize,
    values: &mut [f32],
) {
    let half = side / 2;
    for part in 0..8usize {
        let offset: [usize; 3] = std::array::from_fn(|axis| offset[axis] + (part >> axis & 1) * half);
        let at: [usize; 3] = std::array::from_fn(|axis| first[axis] + offset[axis]);
        if (0..3).any(|axis| at[axis] >= lattice.size[axis]) {
            continue;
        }
        if half > LEAF {
            let (value, is_clear) = probe(shape, lattice, at, half);
            if !is_clear {
                split(shape, lattice, first, offset, half, values);
                continue;
            }
            for cell in cells(half) {
                let to = in_block(std::array::from_fn(|axis| offset[axis] + cell[axis]));
                values[to..to + 2].fill(value);
            }
        } else {
            ask_each(shape, lattice, at, offset, values);
        }
    }
}

fn cells(side: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..side * side * side).map(move |n| [n % side, n / side % side, n / (side * side)])
}

fn ask_each<D: Distance + ?Sized>(
    shape: &D,
    lattice: &Lattice,
    first: [usize; 3],
    offset: [usize; 3],
    values: &mut [f32],
) {
    const POINTS: usize = 2 * LEAF * LEAF * LEAF;
    let (mut points, mut found, mut n) = ([DVec3::ZERO; POINTS], [0.0; POINTS], 0);
    for [i, j, k] in cells(LEAF) {
        let cell = dvec3((first[0] + i) as f64, (first[1] + j) as f64, (first[2] + k) as f64);
        points[n] = lattice.origin + lattice.cell_m * cell;
        points[n + 1] = points[n] + DVec3::splat(0.5 * lattice.cell_m);
        n += 2;
    }
    shape.at_each(&points, &mut found);
    for (n, cell) in cells(LEAF).enumerate() {
        let to = in_block(std::array::from_fn(|axis| offset[axis] + cell[axis]));
        for side in 0..2 {
            let value = found[2 * n + side] / lattice.cell_m;
            values[to + side] = if value.is_nan() { FAR_CELLS } else { value as f32 };
        }
    }
}
