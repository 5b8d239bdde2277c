//! VTK's unstructured grids: legacy files ([`legacy`], ASCII) and XML ([`vtu`], ASCII and base64).
//!
//! Kitware, "VTK File Formats". Tetrahedra are kept, and triangles and quads as the surface; other cells are passed over,
//! unless there is nothing else.

pub mod legacy;
pub mod vtu;
mod xml;

use crate::TetFile;
use sinew_math::DVec3;

const TRIANGLE: u64 = 5;
const QUAD: u64 = 9;
const TETRA: u64 = 10;
/// With nodes on its edges: its corners come first.
const QUADRATIC_TETRA: u64 = 24;

/// Cells by their corners and kinds; the error is for people.
fn grid(positions: Vec<DVec3>, cells: impl Iterator<Item = (u64, Vec<u64>)>) -> Result<TetFile, String> {
    let mut file = TetFile { positions, ..TetFile::default() };
    let vertex_count = file.positions.len() as u64;
    let mut other = None;
    for (cell, (kind, corners)) in cells.enumerate() {
        if let Some(wild) = corners.iter().find(|corner| **corner >= vertex_count) {
            return Err(format!("cell {cell} names point {wild} of {vertex_count}"));
        }
        let corner = |i: usize| corners[i] as u32;
        match (kind, corners.len()) {
            (TETRA, 4) | (QUADRATIC_TETRA, 10) => file.tets.push([0, 1, 2, 3].map(corner)),
            (TRIANGLE, 3) => file.triangles.push([0, 1, 2].map(corner)),
            (QUAD, 4) => file.triangles.extend([[0, 1, 2].map(corner), [0, 2, 3].map(corner)]),
            (TETRA | TRIANGLE | QUAD | QUADRATIC_TETRA, count) => {
                return Err(format!("cell {cell} of type {kind} has {count} corners"));
            }
            _ => other = Some(kind),
        }
    }
    if file.tets.is_empty() && file.triangles.is_empty() {
        let has = other.map_or("no cells".to_owned(), |kind| format!("cells of type {kind} only"));
        return Err(format!("the grid has {has}; tetrahedra (10), triangles (5) and quads (9) are read"));
    }
    Ok(file)
}
