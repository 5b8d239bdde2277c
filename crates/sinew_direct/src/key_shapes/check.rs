//! What is wrong with a shape that a body cannot have: numbers that are none, elements inside out or flat.

use super::ShapeCells;
use sinew_math::DVec3;

/// An element with less than this share of its volume is a sliver: what is divided by it explodes.
const LEAST_VOLUME: f64 = 1e-2;

/// Why a shape is no key.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum KeyTrouble {
    #[error("it has {found} points, the body {expected}")]
    Count { found: usize, expected: usize },
    #[error("point {point} is at no finite place")]
    NotFinite { point: usize },
    #[error("all of it lies in one plane or line")]
    Flat,
    #[error("it is inside out")]
    InsideOut,
    #[error(
        "{count} of {of} elements are inside out or flattened to less than a hundredth, the first at {first:?} with {share:.4} of its volume"
    )]
    Broken { count: usize, of: usize, first: Vec<usize>, share: f64 },
}

/// Refuses what no solver can follow.
pub fn check_shape(cells: &ShapeCells, shape: &[DVec3]) -> Result<(), KeyTrouble> {
    if shape.len() != cells.rest.len() {
        return Err(KeyTrouble::Count { found: shape.len(), expected: cells.rest.len() });
    }
    if let Some(point) = shape.iter().position(|x| !x.is_finite()) {
        return Err(KeyTrouble::NotFinite { point });
    }
    let is_broken = |share: &f64| share.is_nan() || *share < LEAST_VOLUME;
    if !cells.volume_shares(shape).any(|share| is_broken(&share)) {
        return Ok(());
    }
    let shares: Vec<f64> = cells.volume_shares(shape).collect();
    let count = shares.iter().filter(|share| is_broken(share)).count();
    let Some(first) = shares.iter().position(is_broken) else { return Ok(()) };
    // Nearly all of it: what happened to the whole says more than a list.
    if 10 * count > 9 * shares.len() {
        let inverted = shares.iter().filter(|share| **share < -LEAST_VOLUME).count();
        return Err(if 2 * inverted > shares.len() { KeyTrouble::InsideOut } else { KeyTrouble::Flat });
    }
    let corners = cells.elements[first].corners().collect();
    Err(KeyTrouble::Broken { count, of: shares.len(), first: corners, share: shares[first] })
}
