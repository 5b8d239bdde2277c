//! The way from one key to the next: shapes at a few places of it, found when they are first asked for, and a smooth curve through them.

use super::Between;
use super::as_rigid::AsRigid;
use super::cells::ShapeCells;
use super::physical::flow;
use sinew_math::DVec3;
use sinew_math::libm::{ceil, pow};
use std::sync::OnceLock;

/// An element turns by at most this from one shape to the next: cubic curves between them are off by a hundred-thousandth of the arc.
const TURN_RAD: f64 = 0.2;
const FEWEST: usize = 6;
const MOST: usize = 48;

#[derive(Debug)]
pub(super) struct Segment {
    between: Between,
    way: OnceLock<Way>,
}

/// Shapes on the way, with the share of it behind each, rising from 0 to 1.
#[derive(Debug)]
struct Way {
    shapes: Vec<(f64, Vec<DVec3>)>,
    left: f64,
}

impl Segment {
    pub(super) fn new(between: Between) -> Self {
        Self { between, way: OnceLock::new() }
    }

    /// The shape at a share of the time between the keys. At 0 and 1 it is that of the key, to the bit.
    pub(super) fn shape(&self, cells: &ShapeCells, from: &[DVec3], to: &[DVec3], time: f64) -> Vec<DVec3> {
        if time <= 0.0 {
            return from.to_vec();
        }
        if time >= 1.0 {
            return to.to_vec();
        }
        self.way(cells, from, to).shape(self.between.share(time))
    }

    /// Share of the way that a physical interpolation did not come by itself.
    pub(super) fn left(&self, cells: &ShapeCells, from: &[DVec3], to: &[DVec3]) -> f64 {
        self.way(cells, from, to).left
    }

    fn way(&self, cells: &ShapeCells, from: &[DVec3], to: &[DVec3]) -> &Way {
        self.way.get_or_init(|| match self.between {
            Between::Physical { .. } => {
                let flow = flow(cells, from, to);
                Way { shapes: flow.shapes, left: flow.left }
            }
            Between::Rigid | Between::RigidLinear => {
                let rigid = AsRigid::new(cells, from, to);
                let count = (ceil(rigid.largest_turn() / TURN_RAD) as usize).clamp(FEWEST, MOST);
                let at = |n: usize| (n as f64 / count as f64, rigid.shape(n as f64 / count as f64));
                let inner = (1..count).map(at);
                let shapes = std::iter::once((0.0, from.to_vec())).chain(inner).chain([(1.0, to.to_vec())]);
                Way { shapes: shapes.collect(), left: 0.0 }
            }
        })
    }
}

impl Between {
    /// The share of the way that lies behind at a share of the time.
    fn share(self, time: f64) -> f64 {
        match self {
            Self::Rigid => time * time * (3.0 - 2.0 * time),
            Self::RigidLinear => time,
            // Decays as damped flesh does, and is nothing at the end: (rᵗ − r)/(1 − r) of the way is left.
            Self::Physical { damping } => {
                let left_open = damping.clamp(1e-6, 0.999);
                1.0 - (pow(left_open, time) - left_open) / (1.0 - left_open)
            }
        }
    }
}

impl Way {
    /// Cubic Hermite curves through the shapes; tangents are those of the parabola through three neighbours.
    fn shape(&self, share: f64) -> Vec<DVec3> {
        let last = self.shapes.len() - 1;
        let right = self.shapes.partition_point(|(at, _)| *at <= share).clamp(1, last);
        let left = right - 1;
        let [before, after] = [left.saturating_sub(1), (right + 1).min(last)];
        let at = |n: usize| self.shapes[n].0;
        let length = at(right) - at(left);
        let t = (share - at(left)) / length;
        let s = 1.0 - t;
        let [h0, h1] = [s * s * (1.0 + 2.0 * t), t * t * (3.0 - 2.0 * t)];
        let [g0, g1] = [t * s * s * length, -t * t * s * length];
        let shape = |n: usize| &self.shapes[n].1;
        let (p, q) = (shape(left), shape(right));
        let [length_before, length_after] = [at(left) - at(before), at(after) - at(right)];
        let place = |i: usize| {
            let slope = (q[i] - p[i]) / length;
            let slope_before = (left > 0).then(|| (p[i] - shape(before)[i]) / length_before);
            let slope_after = (right < last).then(|| (shape(after)[i] - q[i]) / length_after);
            let [start, end] = match (slope_before, slope_after) {
                (Some(b), Some(a)) => {
                    [tangent(b, length_before, slope, length), tangent(slope, length, a, length_after)]
                }
                // At an end, the slope there of the parabola through the three nearest shapes.
                (None, Some(a)) => {
                    let end = tangent(slope, length, a, length_after);
                    [slope * 2.0 - end, end]
                }
                (Some(b), None) => {
                    let start = tangent(b, length_before, slope, length);
                    [start, slope * 2.0 - start]
                }
                (None, None) => [slope, slope],
            };
            p[i] * h0 + q[i] * h1 + start * g0 + end * g1
        };
        (0..p.len()).map(place).collect()
    }
}

/// The slope at the middle of three points, from those of both sides and their lengths.
fn tangent(before: DVec3, length_before: f64, after: DVec3, length_after: f64) -> DVec3 {
    (before * length_after + after * length_before) / (length_before + length_after)
}
