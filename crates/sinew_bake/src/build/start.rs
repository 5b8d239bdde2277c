//! Where a body's points begin, in its rest frame.

use super::copies::Dice;
use sinew_math::{DVec3, dvec3};
use sinew_scene::Start;
use sinew_solve::Flesh;

/// Places of all points at the first frame; none where they are at rest. Number sets copies apart from each other.
pub(super) fn places(start: Start, flesh: &Flesh, number: u64) -> Vec<DVec3> {
    let low = flesh.rest.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = flesh.rest.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
    match start {
        Start::Rest => Vec::new(),
        Start::Flattened => flesh.rest.iter().map(|x| dvec3(x.x, low.y, x.z)).collect(),
        Start::InsideOut => flesh.rest.iter().map(|x| dvec3(2.0 * middle.x - x.x, x.y, x.z)).collect(),
        Start::Scattered => {
            let mut dice = Dice::seeded(0, number);
            flesh.rest.iter().map(|_| middle + half * dice.signed3()).collect()
        }
    }
}
