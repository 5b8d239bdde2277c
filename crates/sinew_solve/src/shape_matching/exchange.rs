//! Between a body's state, in f64 and world space, and lanes, in f32 about the body's own rigid place.

use super::frame::Frame;
use super::lanes::{BLOCK, Record, Slot};
use super::passes::{self, Path, RegionBlock, VertexBlock};
use crate::BodyState;
use sinew_math::{DMat3, DQuat, DVec3, Sym3};
use std::ops::Range;

/// α/h, the same for every point or one by one.
#[derive(Clone, Copy)]
pub(super) enum Share<'a> {
    Even(f64),
    Each(&'a [f64]),
}

impl Share<'_> {
    #[inline(always)]
    pub(super) fn of(&self, point: usize) -> f64 {
        match self {
            Self::Even(share) => *share,
            Self::Each(shares) => shares[point],
        }
    }
}

/// What goes into lanes at the start of a step.
pub(super) struct Entering<'a> {
    pub(super) path: Path,
    pub(super) state: &'a BodyState,
    /// o, about its centre.
    pub(super) rest: &'a [DVec3],
    /// Empty where nothing is stretched.
    pub(super) log_stretch: &'a [Sym3],
    /// R_o, empty where the rest shape is x0.
    pub(super) rest_turn: &'a [DMat3],
    pub(super) frame: &'a Frame,
    pub(super) unit_m: f64,
}

impl Entering<'_> {
    /// Offsets u, rotations against the body's own, and T − I of the points `at`; and what its vertices publish.
    pub(super) fn enter(
        &self,
        at: Range<usize>,
        rotation: &[[f32; 4]],
        vertices: &mut [VertexBlock],
        regions: &mut [RegionBlock],
        out: &mut [Record],
    ) {
        let Self { state, frame, rest, .. } = self;
        let per_unit = 1.0 / self.unit_m;
        let to_lanes = frame.turn.transpose() * per_unit;
        let back = to_f32(frame.quat.conjugate());
        let ahead = frame.middle - frame.middle_ahead;
        for (k, i) in at.clone().enumerate() {
            let (r, v) = frame.damped(state.x[i], state.v[i]);
            let u = to_lanes * (r + ahead + v * frame.ahead_secs) - rest[i] * per_unit;
            put(&mut vertices[k / BLOCK].start, k % BLOCK, [u.x as f32, u.y as f32, u.z as f32]);
            put(&mut regions[k / BLOCK].turn, k % BLOCK, quat_product(back, rotation[k]));
        }
        passes::publish_vertices(self.path, vertices, out);
        if !self.log_stretch.is_empty() {
            for (k, i) in at.enumerate() {
                let ln_t = self.rest_turn.get(i).map_or(self.log_stretch[i], |turn| self.log_stretch[i].turned(*turn));
                let six = [ln_t.xx, ln_t.yy, ln_t.zz, ln_t.xy, ln_t.yz, ln_t.zx];
                put(&mut regions[k / BLOCK].stretch, k % BLOCK, six.map(|value| value as f32));
            }
            passes::expand_stretches(self.path, regions);
        }
    }
}

/// Σ m Δv and Σ m r × Δv of a chunk's pulls, in the body's unit of length.
pub(super) type PullSums = (DVec3, DVec3);

/// What comes back from lanes.
pub(super) struct Leaving<'a> {
    pub(super) state: &'a BodyState,
    pub(super) mass_kg: &'a [f64],
    pub(super) share: Share<'a>,
    pub(super) frame: &'a Frame,
}

impl Leaving<'_> {
    /// Rotations of the points `at` back to the state, and the momenta that their pulls would add.
    pub(super) fn leave(
        &self,
        at: Range<usize>,
        vertices: &[VertexBlock],
        regions: &[RegionBlock],
        rotation: &mut [[f32; 4]],
    ) -> PullSums {
        let frame = self.frame;
        let turn = to_f32(frame.quat);
        let (mut linear, mut angular) = PullSums::default();
        for ((k, i), rotation) in at.enumerate().zip(rotation) {
            let (block, lane) = (k / BLOCK, k % BLOCK);
            *rotation = quat_product(turn, take(&regions[block].turn, lane));
            let momentum = frame.turn * (vertices[block].gap(lane) * (self.share.of(i) * self.mass_kg[i]));
            linear += momentum;
            angular += (self.state.x[i] - frame.origin - frame.middle).cross(momentum);
        }
        (linear, angular)
    }
}

impl VertexBlock {
    /// g − x* of a lane, in the body's axes and units.
    #[inline(always)]
    pub(super) fn gap(&self, lane: usize) -> DVec3 {
        let ([gx, gy, gz], [x, y, z]) = (take(&self.goal, lane), take(&self.start, lane));
        DVec3::new(f64::from(gx) - f64::from(x), f64::from(gy) - f64::from(y), f64::from(gz) - f64::from(z))
    }
}

#[inline(always)]
fn put<const K: usize>(slots: &mut [Slot; K], lane: usize, values: [f32; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] = value;
    }
}

#[inline(always)]
fn take<const K: usize>(slots: &[Slot; K], lane: usize) -> [f32; K] {
    std::array::from_fn(|k| slots[k].0[lane])
}

fn to_f32(q: DQuat) -> [f32; 4] {
    q.to_array().map(|c| c as f32)
}

#[inline(always)]
fn quat_product([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        aw * bx + ax * bw + (ay * bz - az * by),
        aw * by + ay * bw + (az * bx - ax * bz),
        aw * bz + az * bw + (ax * by - ay * bx),
        aw * bw - ax * bx - (ay * by + az * bz),
    ]
}
