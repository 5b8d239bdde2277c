//! One vertex for every sheet of surface in a cell, one quad for every cut edge of the grid.

use super::blocks::{Block, Blocks, SIDE};
use super::cases::{self, Case, NONE};
use rayon::prelude::*;
use sinew_math::{DVec3, dvec3};

/// A net of quads, counter-clockwise seen from outside.
pub(super) struct Net {
    pub positions: Vec<DVec3>,
    pub quads: Vec<[u32; 4]>,
    /// How many vertices each block has.
    pub in_block: Vec<usize>,
}

/// The cells of one block: how the surface passes, and the first of each cell's vertices.
struct Cells {
    case: Vec<u8>,
    first: Vec<u32>,
}

fn in_block([i, j, k]: [usize; 3]) -> usize {
    (k * SIDE + j) * SIDE + i
}

fn locals() -> impl Iterator<Item = [usize; 3]> {
    (0..SIDE * SIDE * SIDE).map(|n| [n % SIDE, n / SIDE % SIDE, n / (SIDE * SIDE)])
}

fn corner_of(cell: [usize; 3], corner: usize) -> [usize; 3] {
    std::array::from_fn(|axis| cell[axis] + (corner >> axis & 1))
}

fn case_at(block: &Block, cell: [usize; 3]) -> u8 {
    (0..8).map(|corner| u8::from(block.values[Block::corner(corner_of(cell, corner))] < 0.0) << corner).sum()
}

/// The number of vertices the net will have.
pub(super) fn vertex_count(blocks: &Blocks) -> usize {
    let table = cases::all();
    let count =
        |block: &Block| locals().map(|cell| table[case_at(block, cell) as usize].sheet_count as usize).sum::<usize>();
    blocks.list.par_iter().map(count).sum()
}

/// Sends corners outside until no two sheets meet across a face twice; gives how many were sent.
///
/// That is the one way in which such a net is no manifold: a face whose four edges are cut, by one sheet on each side,
/// gives the same two vertices two edges. Every round leaves fewer corners inside, so there is a last one.
pub(super) fn take_apart(blocks: &mut Blocks) -> usize {
    let table = cases::all();
    let mut sent = 0;
    loop {
        let found = |block: &Block| {
            let guilty = locals().flat_map(|cell| (0..3).map(move |axis| (cell, axis)));
            guilty.filter_map(|(cell, axis)| guilty_corner(blocks, &table, block, cell, axis)).collect::<Vec<_>>()
        };
        let mut corners: Vec<[u32; 3]> = blocks.list.par_iter().flat_map_iter(found).collect();
        corners.sort_unstable();
        corners.dedup();
        if corners.is_empty() {
            return sent;
        }
        sent += corners.len();
        corners.into_iter().for_each(|corner| blocks.put_outside(corner));
    }
}

/// The inside corner nearest to the surface on the upper face of a cell along an axis, where two sheets meet twice there.
fn guilty_corner(blocks: &Blocks, table: &[Case], block: &Block, cell: [usize; 3], axis: usize) -> Option<[u32; 3]> {
    let case = case_at(block, cell);
    let corners = cases::face_corners(axis, 1);
    let is_one = |case: u8, corners: [usize; 4]| {
        let sheets = cases::face_edges(corners).map(|edge| table[case as usize].sheet_of_edge[edge]);
        sheets.iter().all(|sheet| *sheet == sheets[0])
    };
    if !cases::is_ambiguous(case, corners) || !is_one(case, corners) {
        return None;
    }
    let mut next = grid_cell(block, cell);
    next[axis] += 1;
    let (other, local) = blocks.find(next)?;
    if !is_one(case_at(&blocks.list[other], local), cases::face_corners(axis, 0)) {
        return None;
    }
    let value = |corner: &usize| block.values[Block::corner(corner_of(cell, *corner))];
    let inside = corners.into_iter().filter(|corner| case >> corner & 1 == 1);
    let nearest = inside.max_by(|a, b| value(a).total_cmp(&value(b)).then(b.cmp(a)))?;
    let base = grid_cell(block, cell);
    Some(std::array::from_fn(|axis| base[axis] + (nearest >> axis & 1) as u32))
}

fn grid_cell(block: &Block, cell: [usize; 3]) -> [u32; 3] {
    std::array::from_fn(|axis| block.at[axis] * SIDE as u32 + cell[axis] as u32)
}

impl Net {
    pub(super) fn of(blocks: &Blocks) -> Self {
        let table = cases::all();
        let mut cells: Vec<Cells> = blocks.list.par_iter().map(|block| number(block, &table)).collect();
        let (mut base, mut in_block) = (0, Vec::with_capacity(cells.len()));
        for cells in &mut cells {
            let own: usize = cells.case.iter().map(|case| table[*case as usize].sheet_count as usize).sum();
            cells.first.iter_mut().for_each(|first| *first += base);
            base += own as u32;
            in_block.push(own);
        }
        let positions = blocks.list.par_iter().flat_map_iter(|block| places(blocks, block, &table)).collect();
        let quads = (0..blocks.list.len())
            .into_par_iter()
            .flat_map_iter(|block| quads_of(blocks, &cells, block, &table))
            .collect();
        Self { positions, quads, in_block }
    }

    /// Each quad as two triangles, cut along its shorter diagonal.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        let cut = |&[a, b, c, d]: &[u32; 4]| {
            let apart = |v: u32, w: u32| self.positions[v as usize].distance_squared(self.positions[w as usize]);
            if apart(a, c) <= apart(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        };
        self.quads.iter().flat_map(cut).collect()
    }
}

fn number(block: &Block, table: &[Case]) -> Cells {
    let mut cells =
        Cells { case: Vec::with_capacity(SIDE * SIDE * SIDE), first: Vec::with_capacity(SIDE * SIDE * SIDE) };
    let mut next = 0;
    for cell in locals() {
        let case = case_at(block, cell);
        cells.case.push(case);
        cells.first.push(next);
        next += u32::from(table[case as usize].sheet_count);
    }
    cells
}

/// For each sheet the mean of the places where it cuts edges.
fn places(blocks: &Blocks, block: &Block, table: &[Case]) -> Vec<DVec3> {
    let mut found = Vec::new();
    for cell in locals() {
        let case = &table[case_at(block, cell) as usize];
        for sheet in 0..case.sheet_count {
            let (mut sum, mut count) = (DVec3::ZERO, 0.0);
            for edge in (0..12).filter(|edge| case.sheet_of_edge[*edge] == sheet) {
                let ends = [cases::edge_start(edge), cases::edge_end(edge)].map(|corner| corner_of(cell, corner));
                let [a, b] = ends.map(|end| f64::from(block.values[Block::corner(end)]));
                let [p, q] = ends.map(|end| dvec3(end[0] as f64, end[1] as f64, end[2] as f64));
                sum += p.lerp(q, a / (a - b));
                count += 1.0;
            }
            let base = grid_cell(block, [0; 3]).map(f64::from);
            found.push(blocks.grid.place(DVec3::from_array(base) + sum / count));
        }
    }
    found
}

/// A quad around each cut edge that begins at a corner of the block's cells.
fn quads_of(blocks: &Blocks, cells: &[Cells], block: usize, table: &[Case]) -> Vec<[u32; 4]> {
    let own = &blocks.list[block];
    let mut quads = Vec::new();
    for cell in locals() {
        let begins_inside = own.values[Block::corner(cell)] < 0.0;
        for axis in 0..3 {
            let mut end = cell;
            end[axis] += 1;
            if (own.values[Block::corner(end)] < 0.0) == begins_inside {
                continue;
            }
            // Around the edge, counter-clockwise seen from where it ends.
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let around = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v): (usize, usize)| {
                let mut at = grid_cell(own, cell);
                at[b] = at[b].wrapping_sub(1 - u as u32);
                at[c] = at[c].wrapping_sub(1 - v as u32);
                let edge = 4 * axis + (1 - u) + 2 * (1 - v);
                let (block, local) = blocks.find(at)?;
                let n = in_block(local);
                let sheet = table[cells[block].case[n] as usize].sheet_of_edge[edge];
                (sheet != NONE).then(|| cells[block].first[n] + u32::from(sheet))
            });
            if let [Some(p), Some(q), Some(r), Some(s)] = around {
                quads.push(if begins_inside { [p, q, r, s] } else { [s, r, q, p] });
            }
        }
    }
    quads
}
