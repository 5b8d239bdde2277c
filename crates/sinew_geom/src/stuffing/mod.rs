//! Fills a signed distance with tetrahedra by isosurface stuffing.
//!
//! Labelle, Shewchuk. "Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral Angles". SIGGRAPH 2007. Cited
//! below as [LS07]. A lattice of congruent tets is laid over the body; lattice points near the surface move onto it, and
//! every tet is replaced by the part of it that is inside, from a small table.
//!
//! Guarantees, on every input: dihedral angles within [`ANGLE_MIN_DEG`] and [`ANGLE_MAX_DEG`], positive volumes, a
//! boundary that is a closed manifold.
//!
//! Departures: [LS07] proves a manifold boundary only for smooth surfaces that the lattice resolves, and a moved point may
//! still meet cut points and other moved points of an ill-resolved surface at bad angles. Both faults need a point on the
//! surface. So after stuffing the guilty ones are sent back to where they were, with the cut points around them held at
//! the nearest place that keeps the angles, and the body is stuffed again. That ends: every round has fewer points on
//! the surface, and without any, angles keep the bounds (tested over all stencils) and the boundary is the one of
//! marching tetrahedra, which is a manifold.
//!
//! Limits: sharp edges of the body are blunted over one cell. What is thinner than a cell may be lost or fall into
//! pieces, and gaps narrower than one may close; landmarks of the surface that are lost are reported.
//! [`stuff_keeping_thin_parts`] keeps what is thinner, with flatter tets there.

mod angles;
mod assemble;
mod crumbs;
mod graded;
mod lattice;
mod report;
mod sample;
mod search;
mod stencil;
mod thin;
mod warp;

use crate::TetMesh;
use crate::distance::Distance;
use crate::manifold::faults;
use assemble::Pieces;
use graded::Leaves;
use lattice::{LONG, Lattice, POINTS_MAX};
pub use report::{Places, StuffingNote, StuffingReport};
use sinew_math::DVec3;
use std::ops::ControlFlow;
use stencil::{Label, Stencils};
use thin::{Thickened, ThinParts};
use warp::Warped;

/// No dihedral angle of a mesh made here is smaller.
pub const ANGLE_MIN_DEG: f64 = 10.7;
/// No dihedral angle of a mesh made here is larger.
pub const ANGLE_MAX_DEG: f64 = 164.8;

/// How close to a lattice point, as a share of the edge, the surface may cut a long or a short edge before the point is
/// moved onto it: the values of [LS07] for its best smallest angle.
const SNAP_LONG: f64 = 0.24999;
const SNAP_SHORT: f64 = 0.41189;

fn snap_share(neighbour: usize) -> f64 {
    if neighbour < LONG { SNAP_LONG } else { SNAP_SHORT }
}

/// How fine the mesh should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fineness {
    /// About this many vertices, within 10 % where the shape allows.
    Vertices(usize),
    /// The edge of a lattice cell: the long edges of tets inside.
    CellM(f64),
}

/// What the body is filled with away from its surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inside {
    /// Tets of one size.
    #[default]
    Even,
    /// Tets that grow with the depth: fewer for the same surface. The angles keep the same bounds.
    Graded,
}

/// Tetrahedra of a body, and what had to be done or left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuffed {
    pub mesh: TetMesh,
    pub report: StuffingReport,
}

/// Why a body could not be filled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StuffingError {
    #[error("the body has no size: its box goes from {low} to {high}")]
    NoSize { low: DVec3, high: DVec3 },
    #[error("a cell of {cell_m} m is not a size; it should be a positive number")]
    CellSize { cell_m: f64 },
    #[error("cells of {cell_m:.3e} m need more than {POINTS_MAX} lattice points for this body; make them larger")]
    TooFine { cell_m: f64 },
    #[error("nothing of the body is left at cells of {cell_m:.3e} m: it is thinner than a cell, or encloses nothing")]
    Nothing { cell_m: f64 },
    #[error("no cell size gives about {wanted} vertices; the nearest gives {found}")]
    Count { wanted: usize, found: usize },
    #[error("it was stopped")]
    Stopped,
}

/// Told how far the work is, from 0 to 1, and says whether it goes on.
pub type Watch<'a> = &'a dyn Fn(f64) -> ControlFlow<()>;

/// Goes on, or ends as stopped.
fn tell(watch: Watch<'_>, share: f64) -> Result<(), StuffingError> {
    match watch(share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(StuffingError::Stopped),
    }
}

/// Fills a body with tets of one size. The same input gives the same mesh at any number of threads.
pub fn stuff<D: Distance + ?Sized>(shape: &D, fineness: Fineness) -> Result<Stuffed, StuffingError> {
    stuff_inside(shape, fineness, Inside::Even)
}

/// Fills a body, `inside` as asked.
pub fn stuff_inside<D: Distance + ?Sized>(
    shape: &D,
    fineness: Fineness,
    inside: Inside,
) -> Result<Stuffed, StuffingError> {
    stuff_watched(shape, fineness, inside, &|_| ControlFlow::Continue(()))
}

/// The same, saying how far it is: numbers that rise from 0 to 1; it ends when `watch` breaks. How many meshes it takes to come to a wanted count is not
/// known before, so that each try is half of what is left.
pub fn stuff_watched<D: Distance + ?Sized>(
    shape: &D,
    fineness: Fineness,
    inside: Inside,
    watch: Watch<'_>,
) -> Result<Stuffed, StuffingError> {
    stuff_as(shape, fineness, Filling { inside, keeps_thin_parts: false }, watch)
}

/// The same, with at least one chain of tets in limbs, tails and ears that are thinner than a cell. Their angles are not bounded.
pub fn stuff_keeping_thin_parts<D: Distance + ?Sized>(
    shape: &D,
    fineness: Fineness,
    inside: Inside,
    watch: Watch<'_>,
) -> Result<Stuffed, StuffingError> {
    stuff_as(shape, fineness, Filling { inside, keeps_thin_parts: true }, watch)
}

/// What a body is filled with.
#[derive(Debug, Clone, Copy)]
struct Filling {
    inside: Inside,
    keeps_thin_parts: bool,
}

fn stuff_as<D: Distance + ?Sized>(
    shape: &D,
    fineness: Fineness,
    filling: Filling,
    watch: Watch<'_>,
) -> Result<Stuffed, StuffingError> {
    let (low, high) = shape.bounds();
    let extent = high - low;
    if !extent.is_finite() || extent.min_element() < 0.0 || extent.max_element() <= 0.0 {
        return Err(StuffingError::NoSize { low, high });
    }
    tell(watch, 0.0)?;
    let stuffed = match fineness {
        Fineness::CellM(cell_m) => stuff_with_cells(shape, Cells { cell_m, phase: DVec3::ZERO, filling }, watch),
        Fineness::Vertices(wanted) => search::stuff_to_count(shape, wanted, filling, watch),
    }?;
    tell(watch, 1.0)?;
    Ok(stuffed)
}

/// One way to lay the lattice.
#[derive(Debug, Clone, Copy)]
struct Cells {
    cell_m: f64,
    /// How far the body's middle lies off the lattice's own, in cells.
    phase: DVec3,
    filling: Filling,
}

/// Shares of the work that are done when distances are known, when points are moved, and when no fault is left.
const SAMPLED: f64 = 0.5;
const MOVED: f64 = 0.7;
const STUFFED: f64 = 0.95;

fn stuff_with_cells<D: Distance + ?Sized>(shape: &D, cells: Cells, watch: Watch<'_>) -> Result<Stuffed, StuffingError> {
    let Cells { cell_m, filling, .. } = cells;
    if !(cell_m.is_finite() && cell_m > 0.0) {
        return Err(StuffingError::CellSize { cell_m });
    }
    if !filling.keeps_thin_parts {
        return stuff_lattice(shape, cells, watch);
    }
    let mut best: Option<(usize, Stuffed)> = None;
    // Each try is half of what is left, as how many it takes is not known before.
    let mut left = 1.0;
    for ball_cells in thin::BALL_CELLS {
        let part = |share: f64| watch(1.0 - left * (1.0 - 0.5 * share));
        let thin = ThinParts::of(shape, cell_m, ball_cells);
        if thin.is_empty() {
            return stuff_lattice(shape, cells, watch);
        }
        let tried = stuff_lattice(&Thickened { shape, thin: &thin }, cells, &part);
        left *= 0.5;
        let mut stuffed = match tried {
            // Thicker balls may hold something.
            Err(StuffingError::Nothing { .. }) => continue,
            stuffed => stuffed?,
        };
        let missed = thin.missed(&stuffed.mesh) + stuffed.report.crumbs.count;
        thin.fit(shape, &mut stuffed.mesh);
        if best.as_ref().is_none_or(|(fewest, _)| missed < *fewest) {
            best = Some((missed, stuffed));
        }
        if missed == 0 {
            break;
        }
    }
    best.map(|(_, stuffed)| stuffed).ok_or(StuffingError::Nothing { cell_m })
}

fn stuff_lattice<D: Distance + ?Sized>(shape: &D, cells: Cells, watch: Watch<'_>) -> Result<Stuffed, StuffingError> {
    let Cells { cell_m, phase, filling } = cells;
    let (low, high) = shape.bounds();
    let lattice = Lattice::around(low, high, cell_m, phase).ok_or(StuffingError::TooFine { cell_m })?;
    let values = sample::sample(shape, &lattice, &|share| tell(watch, SAMPLED * share))?;
    let mut warped = Warped::new(shape, lattice, values);
    tell(watch, MOVED)?;
    // Leaves lie so deep that sending points of the surface back does not change them.
    let leaves = (filling.inside == Inside::Graded).then(|| Leaves::of(&warped.lattice, &warped.labels));
    let mut report = StuffingReport { cell_m, ..StuffingReport::default() };
    let pieces = without_faults(&mut warped, leaves.as_ref(), &mut report, watch)?;
    tell(watch, STUFFED)?;
    if pieces.tets.is_empty() {
        return Err(StuffingError::Nothing { cell_m });
    }
    note_lost_landmarks(shape, &warped, &mut report);
    let mesh = crumbs::without(pieces.into_mesh(&warped), &mut report);
    Ok(Stuffed { mesh, report })
}

/// Stuffs, sends guilty points back and stuffs again until no fault is left.
fn without_faults<D: Distance + ?Sized>(
    warped: &mut Warped<'_, D>,
    leaves: Option<&Leaves>,
    report: &mut StuffingReport,
    watch: Watch<'_>,
) -> Result<Pieces, StuffingError> {
    let stencils = Stencils::new();
    loop {
        let pieces = Pieces::of(warped, &stencils, leaves);
        let pinches = pinch_points(&pieces, warped);
        let blunt = angles::guilty_points(&pieces, warped);
        if pinches.is_empty() && blunt.is_empty() {
            return Ok(pieces.with_leaves(leaves, &warped.lattice));
        }
        report.rounds += 1;
        tell(watch, MOVED)?;
        for (points, places) in [(&pinches, &mut report.pinches), (&blunt, &mut report.blunted)] {
            for &point in points {
                places.note(warped.lattice.place(point));
                warped.send_back(point);
            }
        }
    }
}

/// One lattice point for every vertex or edge where the boundary is no manifold.
fn pinch_points<D: Distance + ?Sized>(pieces: &Pieces, warped: &Warped<'_, D>) -> Vec<usize> {
    let found = faults(&pieces.boundary);
    let on_surface = |code: &u32| Pieces::lattice_point(*code).filter(|p| warped.labels[*p] == Label::On);
    let easiest = |codes: &[u32]| {
        let points = codes.iter().filter_map(on_surface);
        points.max_by(|a, b| warped.moved_share(*a).total_cmp(&warped.moved_share(*b)).then(b.cmp(a)))
    };
    let mut points: Vec<usize> = found
        .edges
        .iter()
        .filter_map(|edge| easiest(edge))
        .chain(found.vertices.iter().filter_map(|vertex| easiest(&[*vertex])))
        .collect();
    debug_assert!(found.is_empty() || !points.is_empty(), "a pinch without a point on the surface");
    points.sort_unstable();
    points.dedup();
    points
}

fn note_lost_landmarks<D: Distance + ?Sized>(shape: &D, warped: &Warped<'_, D>, report: &mut StuffingReport) {
    let landmarks = shape.landmarks();
    let piece_count = landmarks.iter().map(|(_, piece)| *piece as usize + 1).max().unwrap_or(0);
    report.pieces = piece_count;
    let mut is_kept = vec![false; piece_count];
    for (place, piece) in landmarks {
        match warped.is_deep(place) {
            Some(Label::Outside) => report.lost.note(place),
            Some(_) => {
                is_kept[piece as usize] = true;
                // Where surfaces cross, what lies inside the body is no gap.
                let nearby = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| 0.05 * report.cell_m * axis);
                if nearby.iter().any(|step| shape.at(place + *step) > 0.0 || shape.at(place - *step) > 0.0) {
                    report.filled.note(place);
                }
            }
            None => is_kept[piece as usize] = true,
        }
    }
    report.lost_pieces = is_kept.iter().filter(|kept| !**kept).count();
}
