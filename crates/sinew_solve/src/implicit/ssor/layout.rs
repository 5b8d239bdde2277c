//! A block matrix as the sweeps read it: rows in colours, sixteen rows of a colour side by side.
//!
//! No two rows of a colour are neighbours, so that all of one colour can be swept at once. Within a colour rows with as many
//! neighbours before and behind them stand together, because the longest row of sixteen decides what all of them cost.

use crate::implicit::BlockMatrix;
use crate::simd::blocks::{Columns, NO_BLOCK, Sources, TakeBlocks};
use crate::simd::gather::Numbers;
use crate::simd::{BLOCK, Slot};
use crate::simd::{Path, compiled, dispatched};

/// Of a lane that is no row.
const NOBODY: u32 = u32::MAX;

/// One neighbour of each of sixteen rows: where it stands, and the block, row by row.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Neighbours {
    pub(super) at: Numbers,
    pub(super) block: [Slot; 9],
}

/// Which of the neighbours belong to sixteen rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) lower: [u32; 2],
    pub(super) upper: [u32; 2],
}

/// Sixteen inverse diagonal blocks: xx, yy, zz, xy, yz, zx. Zero for what does not move.
pub(super) type Inverses = [Slot; 6];

#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    pub(super) groups: Vec<Group>,
    /// Groups of each colour: from here to the next.
    pub(super) colours: Vec<usize>,
    pub(super) lower: Vec<Neighbours>,
    pub(super) upper: Vec<Neighbours>,
    pub(super) inverse: Vec<Inverses>,
    /// Row of each place, and place of each row.
    pub(super) row_at: Vec<u32>,
    pub(super) place_of: Vec<u32>,
    /// For each lane of `lower` and `upper`, which block of the matrix.
    lower_source: Vec<Sources>,
    upper_source: Vec<Sources>,
}

impl Layout {
    pub(crate) fn new(matrix: &BlockMatrix) -> Self {
        let mut layout = Self::default();
        layout.rebuild(matrix);
        layout
    }

    /// The same as a new one, in the memory of this one.
    pub(crate) fn rebuild(&mut self, matrix: &BlockMatrix) {
        self.clear();
        let colour = colours(matrix);
        let neighbours = NeighbourLists::new(matrix);
        self.place_rows(&neighbours, &colour);
        for group in 0..self.row_at.len() / BLOCK {
            self.add_group(&neighbours, &colour, group);
        }
    }

    fn clear(&mut self) {
        let Self { groups, colours, lower, upper, inverse, row_at, place_of, lower_source, upper_source } = self;
        groups.clear();
        colours.clear();
        inverse.clear();
        row_at.clear();
        place_of.clear();
        lower.clear();
        upper.clear();
        lower_source.clear();
        upper_source.clear();
    }

    /// Gives each row its place: colour after colour, sixteen of about the same length side by side.
    fn place_rows(&mut self, neighbours: &NeighbourLists, colour: &[u32]) {
        let count = colour.iter().max().map_or(0, |&last| last as usize + 1);
        let mut rows_of = vec![Vec::new(); count];
        for (row, &colour) in colour.iter().enumerate() {
            rows_of[colour as usize].push(row as u32);
        }
        self.colours.push(0);
        self.place_of.resize(colour.len(), 0);
        for (of, rows) in rows_of.iter_mut().enumerate() {
            let before =
                |row: u32| neighbours.of(row).iter().filter(|one| (colour[one.row as usize] as usize) < of).count();
            rows.sort_by_cached_key(|&row| (before(row), neighbours.of(row).len()));
            for sixteen in rows.chunks(BLOCK) {
                let first = self.row_at.len();
                for (lane, &row) in sixteen.iter().enumerate() {
                    self.place_of[row as usize] = (first + lane) as u32;
                }
                self.row_at.extend((0..BLOCK).map(|lane| sixteen.get(lane).copied().unwrap_or(NOBODY)));
            }
            self.colours.push(self.row_at.len() / BLOCK);
        }
    }

    fn add_group(&mut self, neighbours: &NeighbourLists, colour: &[u32], group: usize) {
        let Self { row_at, place_of, lower, upper, lower_source, upper_source, .. } = self;
        let rows = &row_at[group * BLOCK..][..BLOCK];
        let add_side = |is_lower: bool, to: &mut Vec<Neighbours>, source: &mut Vec<Sources>| {
            let first = to.len();
            for (lane, &row) in rows.iter().enumerate().filter(|(_, row)| **row != NOBODY) {
                let mut at = first;
                for one in neighbours.of(row) {
                    if (colour[one.row as usize] < colour[row as usize]) != is_lower {
                        continue;
                    }
                    if at == to.len() {
                        // What is nobody's neighbour reads its own group, with a block of zeros.
                        let own = Numbers(std::array::from_fn(|lane| (group * BLOCK + lane) as u32));
                        to.push(Neighbours { at: own, block: [Slot::ZERO; 9] });
                        source.push([NO_BLOCK; BLOCK]);
                    }
                    source[at][lane] = one.source;
                    to[at].at.0[lane] = place_of[one.row as usize];
                    at += 1;
                }
            }
            [first as u32, to.len() as u32]
        };
        let lower = add_side(true, lower, lower_source);
        let upper = add_side(false, upper, upper_source);
        self.groups.push(Group { lower, upper });
        self.inverse.push([Slot::ZERO; 6]);
    }

    /// How many places there are, nobody's included.
    pub(crate) fn places(&self) -> usize {
        self.row_at.len()
    }

    /// Where a row stands.
    pub(crate) fn place_of(&self, row: usize) -> usize {
        self.place_of[row] as usize
    }

    /// Takes the numbers of the matrix; what is pinned does not move.
    pub(crate) fn fill(&mut self, matrix: &BlockMatrix, is_pinned: impl Fn(usize) -> bool) {
        let (path, value) = (Path::best(), bytemuck::cast_slice(matrix.values()));
        take_all(path, value, &self.lower_source, &mut self.lower);
        take_all(path, value, &self.upper_source, &mut self.upper);
        for (sixteen, inverse) in self.row_at.chunks(BLOCK).zip(&mut self.inverse) {
            let mut diagonal = [[0.0; BLOCK]; 6];
            for (lane, &row) in sixteen.iter().enumerate() {
                if row != NOBODY && !is_pinned(row as usize) {
                    let [[xx, xy, zx], [_, yy, yz], [_, _, zz]] = matrix.diagonal(row as usize).to_cols_array_2d();
                    for (slot, value) in diagonal.iter_mut().zip([xx, yy, zz, xy, yz, zx]) {
                        slot[lane] = value;
                    }
                }
            }
            invert(path, &diagonal, inverse);
        }
    }
}

dispatched! {
    take_all = take_all_in(blocks: &[Columns], sources: &[Sources], to: &mut [Neighbours])
}

#[inline(always)]
fn take_all_in<L: TakeBlocks>(blocks: &[Columns], sources: &[Sources], to: &mut [Neighbours]) {
    for (number, (here, to)) in sources.iter().zip(to).enumerate() {
        if let Some(soon) = sources.get(number + AHEAD) {
            soon.iter().for_each(|&source| fetch(blocks, source as usize / 2));
        }
        L::take_blocks(blocks, here, &mut to.block);
    }
}

compiled! {
    /// Inverses of symmetric blocks; zero where there is nothing.
    invert = invert_plain(of: &[[f64; BLOCK]; 6], to: &mut Inverses)
}

#[inline(always)]
fn invert_plain(of: &[[f64; BLOCK]; 6], to: &mut Inverses) {
    let mut found = [[0.0f32; BLOCK]; 6];
    for lane in 0..BLOCK {
        let [xx, yy, zz, xy, yz, zx] = [of[0][lane], of[1][lane], of[2][lane], of[3][lane], of[4][lane], of[5][lane]];
        let (a, b, c) = (yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx);
        let whole = xx * a + xy * b + zx * c;
        let share = if whole == 0.0 { 0.0 } else { 1.0 / whole };
        found[0][lane] = (a * share) as f32;
        found[1][lane] = ((xx * zz - zx * zx) * share) as f32;
        found[2][lane] = ((xx * yy - xy * xy) * share) as f32;
        found[3][lane] = (b * share) as f32;
        found[4][lane] = ((xy * zx - xx * yz) * share) as f32;
        found[5][lane] = (c * share) as f32;
    }
    for (to, found) in to.iter_mut().zip(found) {
        *to = Slot(found);
    }
}

/// Blocks of neighbours that are asked for from memory before they are needed: rows of a colour are far apart in the matrix.
const AHEAD: usize = 3;

/// Asks for a block that will be needed soon.
#[inline(always)]
fn fetch(blocks: &[Columns], block: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(block) = blocks.get(block) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let first = std::ptr::from_ref(block).cast::<i8>();
        // SAFETY: asking changes nothing, and both addresses lie within the block.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(first.add(64));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (blocks, block);
}

/// Another row that a row has a block with, and which block, as `Layout` says it.
#[derive(Clone, Copy)]
struct Neighbour {
    row: u32,
    source: u32,
}

/// Neighbours of all rows on both sides of the diagonal, in order.
struct NeighbourLists {
    start: Vec<u32>,
    all: Vec<Neighbour>,
}

impl NeighbourLists {
    fn new(matrix: &BlockMatrix) -> Self {
        let each = |f: &mut dyn FnMut(usize, usize, usize)| {
            for row in 0..matrix.size() {
                for (slot, &other) in matrix.slots_of(row).zip(matrix.columns_of(row)) {
                    if other as usize != row {
                        f(row, other as usize, slot);
                    }
                }
            }
        };
        let mut start = vec![0; matrix.size() + 1];
        each(&mut |row, other, _| {
            start[row + 1] += 1;
            start[other + 1] += 1;
        });
        for row in 0..matrix.size() {
            start[row + 1] += start[row];
        }
        let mut all = vec![Neighbour { row: 0, source: 0 }; start[matrix.size()] as usize];
        let mut next = start.clone();
        let mut add = |to: usize, one: Neighbour| {
            all[next[to] as usize] = one;
            next[to] += 1;
        };
        each(&mut |row, other, slot| {
            add(row, Neighbour { row: other as u32, source: 2 * slot as u32 });
            add(other, Neighbour { row: row as u32, source: 2 * slot as u32 + 1 });
        });
        Self { start, all }
    }

    fn of(&self, row: u32) -> &[Neighbour] {
        &self.all[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }
}

/// A colour for each row, other than its neighbours': the first that is free, row after row.
fn colours(matrix: &BlockMatrix) -> Vec<u32> {
    let mut colour = vec![NOBODY; matrix.size()];
    let mut taken: Vec<usize> = Vec::new();
    for row in 0..colour.len() {
        // Neighbours behind it have no colour yet.
        for &other in matrix.columns_of(row) {
            if let Some(at) = Some(colour[other as usize]).filter(|&colour| colour != NOBODY) {
                taken.resize(taken.len().max(at as usize + 1), NOBODY as usize);
                taken[at as usize] = row;
            }
        }
        colour[row] = taken.iter().position(|&by| by != row).unwrap_or(taken.len()) as u32;
    }
    colour
}
