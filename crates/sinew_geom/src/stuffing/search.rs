//! The cell size that gives a wanted number of vertices.

use super::{Cells, Filling, Inside, Stuffed, StuffingError, Watch, stuff_with_cells};
use crate::distance::Distance;
use sinew_math::{DVec3, dvec3};

/// How close the count must come.
const WITHIN: f64 = 0.1;
/// Meshes made before giving up on a phase; two or three do for bodies that their cells resolve.
const TRIES: usize = 12;
/// Cell sizes closer than this give the same count.
const SAME_CELL: f64 = 1.000_1;

/// How far off its middle the body may lie on the lattice, in cells. First symmetric; but an upright box on a symmetric
/// lattice gains whole layers on six sides at once, so its counts leap. Off the middle by different parts of a cell along
/// each axis, it gains them one by one.
const PHASES: [DVec3; 2] = [DVec3::ZERO, dvec3(0.06, 0.14, 0.21)];

/// Vertices per volume of a cell inside: a corner and a centre.
const PER_VOLUME: f64 = 2.0;
/// A first look at a body whose volume is unknown takes no more than about this many.
const FIRST_LOOK: f64 = 2000.0;

pub(super) fn stuff_to_count<D: Distance + ?Sized>(
    shape: &D,
    wanted: usize,
    filling: Filling,
    watch: Watch<'_>,
) -> Result<Stuffed, StuffingError> {
    let mut search = Search { shape, filling, wanted: wanted.max(4) as f64, best: None, left: 1.0, watch };
    let mut cell_m = search.first_guess();
    for phase in PHASES {
        cell_m = search.run(cell_m, phase)?;
        if search.is_done() {
            break;
        }
    }
    let best = search.best.ok_or(StuffingError::Nothing { cell_m })?;
    let found = best.mesh.positions.len();
    // A body of a few cells takes what there is.
    const FEW: usize = 60;
    if error(&best, wanted as f64) <= WITHIN || found.abs_diff(wanted) <= FEW {
        return Ok(best);
    }
    Err(StuffingError::Count { wanted, found })
}

struct Search<'a, D: Distance + ?Sized> {
    shape: &'a D,
    filling: Filling,
    wanted: f64,
    best: Option<Stuffed>,
    /// Share of the work that is left, if this try is half of it.
    left: f64,
    watch: Watch<'a>,
}

impl<D: Distance + ?Sized> Search<'_, D> {
    fn first_guess(&self) -> f64 {
        let (low, high) = self.shape.bounds();
        let extent = high - low;
        let volume = extent.max(DVec3::splat(0.02 * extent.max_element())).element_product();
        (volume * PER_VOLUME / self.wanted.min(FIRST_LOOK)).cbrt()
    }

    fn is_done(&self) -> bool {
        self.best.as_ref().is_some_and(|best| error(best, self.wanted) <= WITHIN)
    }

    /// Tries cell sizes between those that gave too few and too many vertices; gives the last.
    fn run(&mut self, mut cell_m: f64, phase: DVec3) -> Result<f64, StuffingError> {
        const NOTHINGS: usize = 5;
        let mut nothings = 0;
        let (mut too_coarse, mut too_fine) = (f64::INFINITY, 0.0f64);
        for _ in 0..TRIES {
            let (left, watch) = (self.left, self.watch);
            let part = |share: f64| watch(1.0 - left * (1.0 - 0.5 * share));
            let cells = Cells { cell_m, phase, filling: self.filling };
            let tried = stuff_with_cells(self.shape, cells, &part);
            self.left = 0.5 * left;
            let (count, next_m) = match tried {
                Ok(stuffed) => {
                    let found =
                        (stuffed.mesh.positions.len() as f64, guess(&stuffed, self.wanted, self.filling.inside));
                    if self.best.as_ref().is_none_or(|best| error(&stuffed, self.wanted) < error(best, self.wanted)) {
                        self.best = Some(stuffed);
                    }
                    found
                }
                // A body that hides from cells this much smaller than its box encloses nothing.
                Err(error @ StuffingError::Nothing { .. }) if self.best.is_none() && nothings == NOTHINGS => {
                    return Err(error);
                }
                Err(StuffingError::Stopped) => return Err(StuffingError::Stopped),
                Err(StuffingError::Nothing { .. }) => {
                    nothings += 1;
                    (0.0, 0.6 * cell_m)
                }
                Err(_) if self.best.is_some() => return Ok(cell_m),
                Err(error) => return Err(error),
            };
            if count < self.wanted {
                too_coarse = too_coarse.min(cell_m);
            } else {
                too_fine = too_fine.max(cell_m);
            }
            if self.is_done() || too_coarse < SAME_CELL * too_fine {
                break;
            }
            let keeps = next_m < too_coarse && next_m > too_fine;
            cell_m = if keeps { next_m } else { (too_coarse * too_fine).sqrt() };
        }
        Ok(cell_m)
    }
}

/// How far the count is off, of what is wanted.
fn error(stuffed: &Stuffed, wanted: f64) -> f64 {
    (stuffed.mesh.positions.len() as f64 / wanted - 1.0).abs()
}

/// Solves count = a/h³ + b/h² for the next cell size, with a from the volume and b from what was found.
fn guess(found: &Stuffed, wanted: f64, inside: Inside) -> f64 {
    let (h, count) = (found.report.cell_m, found.mesh.positions.len() as f64);
    if inside == Inside::Graded {
        // Nearly all lies along the surface; bodies of few cells, which are not graded yet, take one more guess.
        return h * (count / wanted).sqrt();
    }
    let a = PER_VOLUME * found.mesh.volume();
    let b = ((count - a / h.powi(3)) * h * h).max(0.0);
    let mut cell_m = h * (count / wanted).cbrt();
    for _ in 0..20 {
        let value = a / cell_m.powi(3) + b / (cell_m * cell_m) - wanted;
        let slope = -3.0 * a / cell_m.powi(4) - 2.0 * b / cell_m.powi(3);
        cell_m = (cell_m - value / slope).clamp(0.5 * cell_m, 2.0 * cell_m);
    }
    cell_m
}
