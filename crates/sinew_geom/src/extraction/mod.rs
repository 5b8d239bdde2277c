//! The surface of a signed distance as triangles, for skins at any resolution.
//!
//! A dual method: each cubic cell that the surface passes through gets a vertex, each cut edge of the grid a quad
//! (Gibson, "Constrained Elastic Surface Nets", MICCAI 1998). Cells with several sheets of surface get a vertex for each,
//! by the cases of marching cubes (Nielson, "Dual Marching Cubes", Visualization 2004). Vertices are then moved onto the
//! zero level along the distance's slope and spread evenly over it.
//!
//! Guarantees, on every input: closed, every edge with two triangles that face the same way, one fan around every vertex.
//! Nielson's nets are manifolds but for one case; there the nearest grid corner is taken out of the body (`take_apart`).
//!
//! Limits: sharp edges are blunted over a cell; what is thinner than a cell may be lost or fall into pieces, of which small
//! ones are left out. Where the body is not resolved, triangles may cross one another.

mod blocks;
mod cases;
mod net;
mod relax;
mod specks;

use crate::TriangleMesh;
use crate::distance::Distance;
use crate::stuffing::Fineness;
use blocks::{BLOCKS_MAX, Blocks, Grid, SIDE};
use net::Net;
use sinew_math::DVec3;

/// A skin, and the outward normal at each vertex: the slope of the distance, not a mean of triangles.
#[derive(Debug, Clone, PartialEq)]
pub struct Extracted {
    pub mesh: TriangleMesh,
    pub normals: Vec<DVec3>,
    pub cell_m: f64,
    /// Grid corners that were taken out of the body to keep its surface a manifold.
    pub taken_out: usize,
    /// Crumbs of what is thinner than a cell, which were left out.
    pub specks: usize,
}

/// Why a surface could not be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ExtractionError {
    #[error("the body has no size: its box goes from {low} to {high}")]
    NoSize { low: DVec3, high: DVec3 },
    #[error("a cell of {cell_m} m is not a size; it should be a positive number")]
    CellSize { cell_m: f64 },
    #[error("cells of {cell_m:e} m need more than {} of them near the surface; make them larger", BLOCKS_MAX * SIDE * SIDE * SIDE)]
    TooFine { cell_m: f64 },
    #[error("the body has no surface at cells of {cell_m:e} m: it is thinner than a cell, or encloses nothing")]
    Nothing { cell_m: f64 },
    #[error("no cell size gives about {wanted} vertices; the nearest gives {found}")]
    Count { wanted: usize, found: usize },
}

/// Draws the surface of a body. The same input gives the same surface at any number of threads.
pub fn extract<D: Distance + ?Sized>(shape: &D, fineness: Fineness) -> Result<Extracted, ExtractionError> {
    let (low, high) = shape.bounds();
    let extent = high - low;
    if !extent.is_finite() || extent.min_element() < 0.0 || extent.max_element() <= 0.0 {
        return Err(ExtractionError::NoSize { low, high });
    }
    match fineness {
        Fineness::CellM(cell_m) => draw(shape, sample(shape, cell_m)?),
        Fineness::Vertices(wanted) => draw_about(shape, wanted),
    }
}

fn draw<D: Distance + ?Sized>(shape: &D, mut blocks: Blocks) -> Result<Extracted, ExtractionError> {
    let taken_out = net::take_apart(&mut blocks);
    let mut net = Net::of(&blocks);
    if net.quads.is_empty() {
        return Err(ExtractionError::Nothing { cell_m: blocks.grid.cell_m });
    }
    let mut normals = relax::relax(shape, &blocks, &mut net);
    let triangles = net.triangles();
    let mut mesh = TriangleMesh { positions: net.positions, triangles };
    let specks = specks::drop_specks(&mut mesh, &mut normals, blocks.grid.cell_m);
    Ok(Extracted { mesh, normals, cell_m: blocks.grid.cell_m, taken_out, specks })
}

/// Draws with about so many vertices: more are asked for while crumbs take too many of them away.
fn draw_about<D: Distance + ?Sized>(shape: &D, wanted: usize) -> Result<Extracted, ExtractionError> {
    const ROUNDS: usize = 8;
    let off = |drawn: &Extracted| (drawn.mesh.positions.len() as f64 / wanted.max(1) as f64 - 1.0).abs();
    let mut best = draw(shape, search(shape, wanted)?)?;
    let mut asked = wanted as f64;
    let mut found = best.mesh.positions.len();
    for _ in 1..ROUNDS {
        if best.specks == 0 || off(&best) <= CLOSE {
            break;
        }
        asked *= wanted as f64 / found as f64;
        // Cells of that count may not be had at all: what there is stays.
        let Ok(drawn) = search(shape, asked.ceil() as usize).and_then(|blocks| draw(shape, blocks)) else { break };
        found = drawn.mesh.positions.len();
        if off(&drawn) < off(&best) {
            best = drawn;
        }
    }
    Ok(best)
}

fn sample<D: Distance + ?Sized>(shape: &D, cell_m: f64) -> Result<Blocks, ExtractionError> {
    if !(cell_m.is_finite() && cell_m > 0.0) {
        return Err(ExtractionError::CellSize { cell_m });
    }
    let (low, high) = shape.bounds();
    let grid = Grid::around(low, high, cell_m).ok_or(ExtractionError::TooFine { cell_m })?;
    Blocks::near(shape, grid).ok_or(ExtractionError::TooFine { cell_m })
}

/// How close the count must come, and how close is close enough to stop.
const WITHIN: f64 = 0.1;
const CLOSE: f64 = 0.03;
const TRIES: usize = 10;
/// A first look takes about this many.
const FIRST_LOOK: f64 = 3000.0;

/// Counts grow with one over the cell's square, so each try tells the next cell size.
fn search<D: Distance + ?Sized>(shape: &D, wanted: usize) -> Result<Blocks, ExtractionError> {
    let wanted_count = wanted.max(8) as f64;
    let (low, high) = shape.bounds();
    let extent = (high - low).max(DVec3::splat(0.02 * (high - low).max_element()));
    let area = 2.0 * (extent.x * extent.y + extent.y * extent.z + extent.z * extent.x);
    let mut cell_m = (area / wanted_count.min(FIRST_LOOK)).sqrt();
    let mut best: Option<(f64, usize, Blocks)> = None;
    for _ in 0..TRIES {
        let blocks = match sample(shape, cell_m) {
            Err(_) if best.is_some() => break,
            other => other?,
        };
        let count = net::vertex_count(&blocks);
        let off = (count as f64 / wanted_count - 1.0).abs();
        let last_m = cell_m;
        // Nothing was found: look again with much smaller cells.
        cell_m *= if count == 0 { 0.5 } else { (count as f64 / wanted_count).sqrt() };
        if best.as_ref().is_none_or(|(best_off, _, _)| off < *best_off) && count > 0 {
            best = Some((off, count, blocks));
        }
        if off <= CLOSE || (cell_m / last_m - 1.0).abs() < 1e-4 {
            break;
        }
    }
    const FEW: usize = 30;
    match best {
        None => Err(ExtractionError::Nothing { cell_m }),
        Some((off, found, _)) if off > WITHIN && found.abs_diff(wanted) > FEW => {
            Err(ExtractionError::Count { wanted, found })
        }
        Some((_, _, blocks)) => Ok(blocks),
    }
}
