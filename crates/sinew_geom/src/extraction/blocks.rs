//! Values of a signed distance at the corners of cubic cells, kept only in blocks near the surface.

use crate::distance::Distance;
use rayon::prelude::*;
use sinew_math::{DVec3, dvec3};
use std::collections::HashMap;

/// Cells along a block's edge.
pub(super) const SIDE: usize = 4;
const CORNERS: usize = SIDE + 1;
/// Most blocks near a surface: enough for some thirty million vertices.
pub(super) const BLOCKS_MAX: usize = 1_500_000;
/// Cells of the grid around the body that stay empty.
const MARGIN: f64 = 2.0;

/// The grid of all cells; most of them are never looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub origin: DVec3,
    pub cell_m: f64,
    /// Blocks along each axis.
    pub size: [u32; 3],
}

/// One block: where it is, in blocks, and the values at its corners, in cells.
pub(super) struct Block {
    pub at: [u32; 3],
    pub values: Vec<f32>,
    /// What matters of the shape nearby.
    pub part: Option<Box<dyn Distance + Send>>,
}

pub(super) struct Blocks {
    pub grid: Grid,
    pub list: Vec<Block>,
    index: HashMap<[u32; 3], u32>,
}

impl Grid {
    /// `None` where that takes more cells than there are numbers for.
    pub(super) fn around(low: DVec3, high: DVec3, cell_m: f64) -> Option<Self> {
        let cells = ((high - low) / cell_m + DVec3::splat(2.0 * MARGIN)).ceil();
        let blocks = (cells / SIDE as f64).ceil();
        let fits = blocks.max_element() * (SIDE as f64) < f64::from(1u32 << 20);
        let size = blocks.to_array().map(|n| n as u32);
        let origin = 0.5 * (low + high) - 0.5 * cell_m * SIDE as f64 * blocks;
        fits.then_some(Self { origin, cell_m, size })
    }

    pub(super) fn place(&self, cell: DVec3) -> DVec3 {
        self.origin + self.cell_m * cell
    }

    /// The middle of a cube of `side` blocks.
    pub(super) fn middle(&self, at: [u32; 3], side: u32) -> DVec3 {
        let cells = |n: u32| SIDE as f64 * (f64::from(n) + 0.5 * f64::from(side));
        self.place(dvec3(cells(at[0]), cells(at[1]), cells(at[2])))
    }

    /// How far from a block's middle its part of the shape is valid: vertices may wander off by a few cells.
    pub(super) fn part_reach_m(&self) -> f64 {
        self.reach_m(1) + 2.0 * self.cell_m
    }

    /// Half the diagonal of a cube of `side` blocks.
    fn reach_m(&self, side: u32) -> f64 {
        0.5 * 3f64.sqrt() * SIDE as f64 * f64::from(side) * self.cell_m
    }
}

impl Block {
    pub(super) fn corner([i, j, k]: [usize; 3]) -> usize {
        (k * CORNERS + j) * CORNERS + i
    }

    fn fill<D: Distance + ?Sized>(shape: &D, grid: &Grid, at: [u32; 3]) -> Self {
        let first = dvec3(f64::from(at[0]), f64::from(at[1]), f64::from(at[2])) * SIDE as f64;
        let mut points = Vec::with_capacity(CORNERS * CORNERS * CORNERS);
        for k in 0..CORNERS {
            for j in 0..CORNERS {
                points.extend((0..CORNERS).map(|i| grid.place(first + dvec3(i as f64, j as f64, k as f64))));
            }
        }
        let mut found = vec![0.0; points.len()];
        let part = shape.near(grid.middle(at, 1), grid.part_reach_m());
        match &part {
            Some(part) => part.at_each(&points, &mut found),
            None => shape.at_each(&points, &mut found),
        }
        // What is no number is outside, and so is the grid's own hull, whatever the shape says there.
        let last = grid.size.map(|n| n * SIDE as u32);
        let is_hull = |n: usize| {
            let local = [n % CORNERS, n / CORNERS % CORNERS, n / (CORNERS * CORNERS)];
            let corner = |axis: usize| at[axis] * SIDE as u32 + local[axis] as u32;
            (0..3).any(|axis| corner(axis) == 0 || corner(axis) == last[axis])
        };
        let in_cells = |(n, value): (usize, &f64)| {
            let value = (value / grid.cell_m) as f32;
            if value.is_nan() || value < 0.0 && is_hull(n) { 1.0 } else { value }
        };
        Self { at, values: found.iter().enumerate().map(in_cells).collect(), part }
    }

    fn has_surface(&self) -> bool {
        let is_inside = self.values[0] < 0.0;
        self.values.iter().any(|value| (*value < 0.0) != is_inside)
    }
}

impl Blocks {
    /// The blocks that the surface passes through; `None` where there are too many.
    pub(super) fn near<D: Distance + ?Sized>(shape: &D, grid: Grid) -> Option<Self> {
        let longest = grid.size.iter().copied().max().unwrap_or(1);
        let mut list = descend(shape, &grid, [0; 3], longest.next_power_of_two())?;
        list.sort_unstable_by_key(|block| [block.at[2], block.at[1], block.at[0]]);
        let index = list.iter().enumerate().map(|(n, block)| (block.at, n as u32)).collect();
        Some(Self { grid, list, index })
    }

    /// The block and the cell in it, of a cell given by its place in the grid.
    pub(super) fn find(&self, cell: [u32; 3]) -> Option<(usize, [usize; 3])> {
        const SIDE: u32 = self::SIDE as u32;
        let block = self.index.get(&cell.map(|n| n / SIDE))?;
        Some((*block as usize, cell.map(|n| (n % SIDE) as usize)))
    }

    /// Makes a corner of the grid an outside one, in every block that has it.
    pub(super) fn put_outside(&mut self, corner: [u32; 3]) {
        const JUST_OUTSIDE: f32 = 1e-3;
        const SIDE: u32 = self::SIDE as u32;
        for n in 0..8u32 {
            let back: [u32; 3] = std::array::from_fn(|axis| n >> axis & 1);
            let is_on_edge =
                (0..3).all(|axis| back[axis] == 0 || corner[axis].is_multiple_of(SIDE) && corner[axis] > 0);
            let at: [u32; 3] = std::array::from_fn(|axis| (corner[axis] / SIDE).wrapping_sub(back[axis]));
            if is_on_edge && (0..3).all(|axis| at[axis] < self.grid.size[axis]) {
                let block = self.find_or_fill(at);
                let local = std::array::from_fn(|axis| (corner[axis] - at[axis] * SIDE) as usize);
                self.list[block].values[Block::corner(local)] = JUST_OUTSIDE;
            }
        }
    }

    /// The block at a place. One that is not there but has a corner inside is inside as a whole.
    fn find_or_fill(&mut self, at: [u32; 3]) -> usize {
        const INSIDE: f32 = -1.0;
        let next = self.list.len();
        let block = *self.index.entry(at).or_insert(next as u32) as usize;
        if block == next {
            self.list.push(Block { at, values: vec![INSIDE; CORNERS * CORNERS * CORNERS], part: None });
        }
        block
    }
}

/// Splits a cube of blocks like an octree where the surface may be near, with less and less of the shape to ask.
fn descend<D: Distance + ?Sized>(shape: &D, grid: &Grid, at: [u32; 3], side: u32) -> Option<Vec<Block>> {
    let is_in_grid = (0..3).all(|axis| at[axis] < grid.size[axis]);
    let (middle, reach_m) = (grid.middle(at, side), grid.reach_m(side));
    if !is_in_grid || shape.probe(middle).1 > 1.01 * reach_m {
        return Some(Vec::new());
    }
    if side == 1 {
        let block = Block::fill(shape, grid, at);
        return Some(if block.has_surface() { vec![block] } else { Vec::new() });
    }
    let part = shape.near(middle, reach_m + 2.0 * grid.cell_m);
    let half = side / 2;
    let into = |n: u32| {
        let at = std::array::from_fn(|axis| at[axis] + (n >> axis & 1) * half);
        match &part {
            Some(part) => descend(part.as_ref(), grid, at, half),
            None => descend(shape, grid, at, half),
        }
    };
    let parts: Vec<Vec<Block>> = (0..8u32).into_par_iter().map(into).collect::<Option<_>>()?;
    let found: Vec<Block> = parts.into_iter().flatten().collect();
    (found.len() <= BLOCKS_MAX).then_some(found)
}
