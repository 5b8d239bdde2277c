//! The cell size that gives a wanted number of vertices.

use super::{Stuffed, StuffingError, stuff_with_cells};
use crate::distance::Distance;

/// How close the count must come.
const WITHIN: f64 = 0.1;
/// Meshes made before giving up; two or three do for bodies that their cells resolve.
const TRIES: usize = 16;

/// Vertices per cell volume inside, and per cell face on the surface, of a stuffed ball: with them the first guess is
/// mostly good enough.
const PER_VOLUME: f64 = 2.0;
const PER_AREA: f64 = 1.0;

pub(super) fn stuff_to_count<D: Distance + ?Sized>(shape: &D, wanted: usize) -> Result<Stuffed, StuffingError> {
    let (low, high) = shape.bounds();
    let extent = high - low;
    let wanted_count = wanted.max(4) as f64;
    // A first look with few cells gives volume and area, and with them a good guess.
    let box_volume = extent.max(0.02 * extent.max_element() * sinew_math::DVec3::ONE).element_product();
    let mut cell_m = (box_volume * PER_VOLUME / wanted_count.min(2000.0)).cbrt();
    let mut best: Option<Stuffed> = None;
    let (mut too_few, mut too_many): (Option<f64>, Option<f64>) = (None, None);
    for _ in 0..TRIES {
        let count = match stuff_with_cells(shape, cell_m) {
            Ok(stuffed) => {
                let count = stuffed.mesh.positions.len();
                let error = |found: &Stuffed| (found.mesh.positions.len() as f64 / wanted_count - 1.0).abs();
                let next = guess(&stuffed, wanted_count);
                if best.as_ref().is_none_or(|best| error(&stuffed) < error(best)) {
                    best = Some(stuffed);
                }
                if best.as_ref().is_some_and(|best| error(best) <= WITHIN) {
                    break;
                }
                narrow(count as f64, wanted_count, cell_m, &mut too_few, &mut too_many);
                cell_m = next;
                count
            }
            Err(StuffingError::Nothing { .. }) => {
                narrow(0.0, wanted_count, cell_m, &mut too_few, &mut too_many);
                cell_m *= 0.6;
                0
            }
            Err(error) => return best.ok_or(error),
        };
        // The guess must stay between what gave too many and what gave too few.
        if let (Some(coarse), Some(fine)) = (too_few, too_many) {
            let keeps = cell_m < coarse && cell_m > fine;
            cell_m = if keeps && count > 0 { cell_m } else { (coarse * fine).sqrt() };
        }
    }
    match best {
        Some(best) => {
            let found = best.mesh.positions.len();
            // Coarse lattices jump from count to count; a body of a few cells takes what there is.
            let near = (found as f64 / wanted_count - 1.0).abs() <= WITHIN || found.abs_diff(wanted) <= 60;
            if near { Ok(best) } else { Err(StuffingError::Count { wanted, found }) }
        }
        None => Err(StuffingError::Nothing { cell_m }),
    }
}

fn narrow(count: f64, wanted: f64, cell_m: f64, too_few: &mut Option<f64>, too_many: &mut Option<f64>) {
    if count < wanted {
        *too_few = Some(too_few.map_or(cell_m, |c| c.min(cell_m)));
    } else {
        *too_many = Some(too_many.map_or(cell_m, |c| c.max(cell_m)));
    }
}

/// Solves count = a/h³ + b/h² for the next cell size, with a from the volume and b from what was found.
fn guess(found: &Stuffed, wanted: f64) -> f64 {
    let (h, count) = (found.report.cell_m, found.mesh.positions.len() as f64);
    let a = PER_VOLUME * found.mesh.volume();
    let b = ((count - a / h.powi(3)) * h * h).max(0.0) * PER_AREA;
    let mut cell_m = h * (count / wanted).cbrt();
    for _ in 0..20 {
        let value = a / cell_m.powi(3) + b / (cell_m * cell_m) - wanted;
        let slope = -3.0 * a / cell_m.powi(4) - 2.0 * b / cell_m.powi(3);
        cell_m = (cell_m - value / slope).clamp(0.5 * cell_m, 2.0 * cell_m);
    }
    cell_m
}
