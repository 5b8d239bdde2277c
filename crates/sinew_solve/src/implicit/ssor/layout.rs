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

#[derive(Debug, Clone)]
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
        let colour = colours(matrix);
        let count = colour.iter().max().map_or(0, |&last| last as usize + 1);
        let mut rows_of = vec![Vec::new(); count];
        for (row, &colour) in colour.iter().enumerate() {
            rows_of[colour as usize].push(row as u32);
        }
        let neighbours = neighbours(matrix);
        let mut layout = Self {
            groups: Vec::new(),
            colours: vec![0],
            lower: Vec::new(),
            upper: Vec::new(),
            inverse: Vec::new(),
            row_at: Vec::new(),
            place_of: vec![0; colour.len()],
            lower_source: Vec::new(),
            upper_source: Vec::new(),
        };
        for (of, rows) in rows_of.iter_mut().enumerate() {
            let before = |row: u32| {
                let neighbours = &neighbours[row as usize];
                neighbours.iter().filter(|one| (colour[one.row as usize] as usize) < of).count()
            };
            rows.sort_by_cached_key(|&row| (before(row), neighbours[row as usize].len()));
            for sixteen in rows.chunks(BLOCK) {
                let first = layout.row_at.len();
                for (lane, &row) in sixteen.iter().enumerate() {
                    layout.place_of[row as usize] = (first + lane) as u32;
                }
                layout.row_at.extend((0..BLOCK).map(|lane| sixteen.get(lane).copied().unwrap_or(NOBODY)));
            }
            layout.colours.push(layout.row_at.len() / BLOCK);
        }
        for group in 0..layout.row_at.len() / BLOCK {
            layout.add_group(&neighbours, &colour, group);
        }
        layout
    }

    fn add_group(&mut self, neighbours: &[Vec<Neighbour>], colour: &[u32], group: usize) {
        let rows = &self.row_at[group * BLOCK..][..BLOCK];
        let sides = [true, false].map(|is_lower| {
            let mut sources: Vec<Sources> = Vec::new();
            let mut places: Vec<Numbers> = Vec::new();
            for (lane, &row) in rows.iter().enumerate().filter(|(_, row)| **row != NOBODY) {
                let mut depth = 0;
                for one in &neighbours[row as usize] {
                    if (colour[one.row as usize] < colour[row as usize]) != is_lower {
                        continue;
                    }
                    if depth == sources.len() {
                        sources.push([NO_BLOCK; BLOCK]);
                        // What is nobody's neighbour reads its own group, with a block of zeros.
                        places.push(Numbers(std::array::from_fn(|lane| (group * BLOCK + lane) as u32)));
                    }
                    sources[depth][lane] = one.source;
                    places[depth].0[lane] = self.place_of[one.row as usize];
                    depth += 1;
                }
            }
            (sources, places)
        });
        let [(lower_source, lower), (upper_source, upper)] = sides;
        let none = |at: Numbers| Neighbours { at, block: [Slot::ZERO; 9] };
        let range = |of: &[Neighbours], more: usize| [of.len() as u32, (of.len() + more) as u32];
        self.groups.push(Group { lower: range(&self.lower, lower.len()), upper: range(&self.upper, upper.len()) });
        self.lower.extend(lower.into_iter().map(none));
        self.upper.extend(upper.into_iter().map(none));
        self.lower_source.extend(lower_source);
        self.upper_source.extend(upper_source);
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
fn neighbours(matrix: &BlockMatrix) -> Vec<Vec<Neighbour>> {
    let mut all = vec![Vec::new(); matrix.size()];
    for row in 0..matrix.size() {
        for (slot, &other) in matrix.slots_of(row).zip(matrix.columns_of(row)) {
            if other as usize != row {
                all[row].push(Neighbour { row: other, source: 2 * slot as u32 });
                all[other as usize].push(Neighbour { row: row as u32, source: 2 * slot as u32 + 1 });
            }
        }
    }
    all
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
