//! Between a body's state, in f64 and world space, and lanes, in f32 about the body's own rigid place.

use super::frame::Frame;
use super::passes::{self, RegionBlock, VertexBlock};
use crate::BodyState;
use crate::simd::Path;
use crate::simd::{BLOCK, Record, Slot};
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
    /// Added to every stretch, in the axes of the rest shape in force.
    pub(super) sag: Sym3,
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
        let BodyState { x, v, .. } = self.state;
        let way = IntoLanes::new(self.frame, self.unit_m);
        for (k, (vertices, regions)) in vertices.iter_mut().zip(&mut *regions).enumerate() {
            let here = at.start + k * BLOCK..(at.start + (k + 1) * BLOCK).min(at.end);
            let rotation = &rotation[k * BLOCK..k * BLOCK + here.len()];
            if let (Ok(x), Ok(v), Ok(rest), Ok(rotation)) = (
                x[here.clone()].try_into(),
                v[here.clone()].try_into(),
                self.rest[here.clone()].try_into(),
                rotation.try_into(),
            ) {
                enter_block(self.path, &way, x, v, rest, rotation, &mut vertices.start, &mut regions.turn);
            } else {
                let (x, v) = (filled(&x[here.clone()]), filled(&v[here.clone()]));
                let (rest, rotation) = (filled(&self.rest[here]), filled(rotation));
                enter_block(self.path, &way, &x, &v, &rest, &rotation, &mut vertices.start, &mut regions.turn);
            }
        }
        passes::publish_vertices(self.path, vertices, out);
        if !self.log_stretch.is_empty() || self.sag != Sym3::ZERO {
            self.enter_stretches(at, regions);
            passes::expand_stretches(self.path, regions);
        }
    }

    /// ln T of the points `at`.
    fn enter_stretches(&self, at: Range<usize>, regions: &mut [RegionBlock]) {
        for (k, regions) in regions.iter_mut().enumerate() {
            let here = at.start + k * BLOCK..(at.start + (k + 1) * BLOCK).min(at.end);
            let whole = self.log_stretch.get(here.clone()).and_then(|asked| asked.try_into().ok());
            if let Some(asked) = whole.filter(|_| self.rest_turn.is_empty()) {
                stretch_block(self.path, asked, self.sag, &mut regions.stretch);
                continue;
            }
            for (lane, i) in here.enumerate() {
                let asked = self.log_stretch.get(i).copied().unwrap_or(Sym3::ZERO);
                let ln_t = self.rest_turn.get(i).map_or(asked, |turn| asked.turned(*turn)) + self.sag;
                put(&mut regions.stretch, lane, six_of(ln_t));
            }
        }
    }
}

#[inline(always)]
fn six_of(ln_t: Sym3) -> [f32; 6] {
    [ln_t.xx, ln_t.yy, ln_t.zz, ln_t.xy, ln_t.yz, ln_t.zx].map(|value| value as f32)
}

crate::simd::compiled! {
    /// ln T of one block, with what is added to all.
    stretch_block = stretch_block_in(asked: &[Sym3; BLOCK], sag: Sym3, stretch: &mut [Slot; 6])
}

#[inline(always)]
fn stretch_block_in(asked: &[Sym3; BLOCK], sag: Sym3, stretch: &mut [Slot; 6]) {
    for (lane, asked) in asked.iter().enumerate() {
        put(stretch, lane, six_of(*asked + sag));
    }
}

/// The way of a point into lanes, ready to be taken many times.
struct IntoLanes {
    frame: Frame,
    ahead: DVec3,
    to_lanes: DMat3,
    per_unit: f64,
    back: [f32; 4],
}

impl IntoLanes {
    fn new(frame: &Frame, unit_m: f64) -> Self {
        let per_unit = 1.0 / unit_m;
        Self {
            frame: *frame,
            ahead: frame.middle - frame.middle_ahead,
            to_lanes: frame.turn.transpose() * per_unit,
            per_unit,
            back: to_f32(frame.quat.conjugate()),
        }
    }
}

/// A whole block's worth, whatever there is; lanes without a point stay at rest.
fn filled<T: Copy + Default>(values: &[T]) -> [T; BLOCK] {
    let mut all = [T::default(); BLOCK];
    all[..values.len()].copy_from_slice(values);
    all
}

crate::simd::compiled! {
    /// Offsets and rotations of one block. Fixed length, so that the compiler takes all lanes at once.
    enter_block = enter_block_in(
        way: &IntoLanes, x: &[DVec3; BLOCK], v: &[DVec3; BLOCK], rest: &[DVec3; BLOCK], rotation: &[[f32; 4]; BLOCK],
        start: &mut [Slot; 3], turn: &mut [Slot; 4])
}

#[inline(always)]
fn enter_block_in(
    way: &IntoLanes,
    x: &[DVec3; BLOCK],
    v: &[DVec3; BLOCK],
    rest: &[DVec3; BLOCK],
    rotation: &[[f32; 4]; BLOCK],
    start: &mut [Slot; 3],
    turn: &mut [Slot; 4],
) {
    let way = IntoLanes { ..*way };
    let [sx, sy, sz] = start;
    for lane in 0..BLOCK {
        let (r, v) = way.frame.damped(x[lane], v[lane]);
        let u = way.to_lanes * (r + way.ahead + v * way.frame.ahead_secs) - rest[lane] * way.per_unit;
        sx.0[lane] = u.x as f32;
        sy.0[lane] = u.y as f32;
        sz.0[lane] = u.z as f32;
    }
    let [qx, qy, qz, qw] = turn;
    for (lane, rotation) in rotation.iter().enumerate() {
        let q = quat_product(way.back, *rotation);
        qx.0[lane] = q[0];
        qy.0[lane] = q[1];
        qz.0[lane] = q[2];
        qw.0[lane] = q[3];
    }
}

/// Σ m Δv and Σ m r × Δv of a chunk's pulls, in the body's unit of length.
pub(super) type PullSums = (DVec3, DVec3);

/// What comes back from lanes.
pub(super) struct Leaving<'a> {
    pub(super) path: Path,
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
        // One sum per lane, added up in their order at the end: the same bits whatever the compiler makes of it.
        let mut sums = [[0.0; BLOCK]; 6];
        for (k, (vertices, regions)) in vertices.iter().zip(regions).enumerate() {
            let here = at.start + k * BLOCK..(at.start + (k + 1) * BLOCK).min(at.end);
            let mut weight = [0.0; BLOCK];
            for (weight, i) in weight.iter_mut().zip(here.clone()) {
                *weight = self.share.of(i) * self.mass_kg[i];
            }
            let rotation = &mut rotation[k * BLOCK..k * BLOCK + here.len()];
            if let (Ok(x), Ok(rotation)) = (self.state.x[here.clone()].try_into(), (&mut *rotation).try_into()) {
                leave_block(self.path, self.frame, vertices, regions, x, &weight, rotation, &mut sums);
            } else {
                let (x, mut all) = (filled(&self.state.x[here.clone()]), filled(rotation));
                leave_block(self.path, self.frame, vertices, regions, &x, &weight, &mut all, &mut sums);
                rotation.copy_from_slice(&all[..here.len()]);
            }
        }
        let [lx, ly, lz, ax, ay, az] = sums.map(|lanes| lanes.iter().sum::<f64>());
        (DVec3::new(lx, ly, lz), DVec3::new(ax, ay, az))
    }
}

crate::simd::compiled! {
    /// Rotations and momenta of one block.
    leave_block = leave_block_in(
        frame: &Frame, vertices: &VertexBlock, regions: &RegionBlock, x: &[DVec3; BLOCK], weight: &[f64; BLOCK],
        rotation: &mut [[f32; 4]; BLOCK], sums: &mut [[f64; BLOCK]; 6])
}

#[inline(always)]
fn leave_block_in(
    frame: &Frame,
    vertices: &VertexBlock,
    regions: &RegionBlock,
    x: &[DVec3; BLOCK],
    weight: &[f64; BLOCK],
    rotation: &mut [[f32; 4]; BLOCK],
    sums: &mut [[f64; BLOCK]; 6],
) {
    let Frame { turn, quat, origin, middle, .. } = *frame;
    let quat = to_f32(quat);
    let [qx, qy, qz, qw] = &regions.turn;
    for (lane, rotation) in rotation.iter_mut().enumerate() {
        *rotation = quat_product(quat, [qx.0[lane], qy.0[lane], qz.0[lane], qw.0[lane]]);
    }
    for lane in 0..BLOCK {
        let linear = turn * (vertices.gap(lane) * weight[lane]);
        let angular = (x[lane] - origin - middle).cross(linear);
        sums[0][lane] += linear.x;
        sums[1][lane] += linear.y;
        sums[2][lane] += linear.z;
        sums[3][lane] += angular.x;
        sums[4][lane] += angular.y;
        sums[5][lane] += angular.z;
    }
}

/// What a step does to velocities, and with them to places.
pub(super) struct Applying<'a> {
    pub(super) path: Path,
    pub(super) frame: &'a Frame,
    /// From lanes to the world, with the unit of length.
    pub(super) to_world: DMat3,
    /// The rigid motion that carries the momenta of all pulls.
    pub(super) added: DVec3,
    pub(super) added_spin: DVec3,
    pub(super) share: Share<'a>,
    /// Empty where there is none.
    pub(super) force_n: &'a [DVec3],
    /// 1/m, and 0 for points without mass.
    pub(super) inverse_mass: &'a [f64],
    pub(super) h_secs: f64,
    /// h where points move on right away, else 0.
    pub(super) move_secs: f64,
}

impl Applying<'_> {
    /// Damping, pulls without the rigid motion that carries their momenta, and forces; then places.
    pub(super) fn apply(&self, first: usize, vertices: &[VertexBlock], x: &mut [DVec3], v: &mut [DVec3]) {
        let blocks = x.chunks_mut(BLOCK).zip(v.chunks_mut(BLOCK)).zip(vertices);
        for (k, ((x, v), vertices)) in blocks.enumerate() {
            let here = first + k * BLOCK..first + k * BLOCK + x.len();
            let mut share = [0.0; BLOCK];
            for (share, i) in share.iter_mut().zip(here.clone()) {
                *share = self.share.of(i);
            }
            let mut speed_up = [DVec3::ZERO; BLOCK];
            if !self.force_n.is_empty() {
                let forces = self.force_n[here.clone()].iter().zip(&self.inverse_mass[here]);
                for (speed_up, (force, inverse_mass)) in speed_up.iter_mut().zip(forces) {
                    *speed_up = *force * (self.h_secs * *inverse_mass);
                }
            }
            if let (Ok(x), Ok(v)) = ((&mut *x).try_into(), (&mut *v).try_into()) {
                apply_block(self.path, self, vertices, &share, &speed_up, x, v);
            } else {
                let (mut all_x, mut all_v) = (filled(x), filled(v));
                apply_block(self.path, self, vertices, &share, &speed_up, &mut all_x, &mut all_v);
                x.copy_from_slice(&all_x[..x.len()]);
                v.copy_from_slice(&all_v[..v.len()]);
            }
        }
    }
}

crate::simd::compiled! {
    /// Velocities and places of one block.
    apply_block = apply_block_in(
        way: &Applying<'_>, vertices: &VertexBlock, share: &[f64; BLOCK], speed_up: &[DVec3; BLOCK],
        x: &mut [DVec3; BLOCK], v: &mut [DVec3; BLOCK])
}

#[inline(always)]
fn apply_block_in(
    way: &Applying<'_>,
    vertices: &VertexBlock,
    share: &[f64; BLOCK],
    speed_up: &[DVec3; BLOCK],
    x: &mut [DVec3; BLOCK],
    v: &mut [DVec3; BLOCK],
) {
    let frame = *way.frame;
    let (to_world, added, added_spin, move_secs) = (way.to_world, way.added, way.added_spin, way.move_secs);
    for lane in 0..BLOCK {
        let (r, damped) = frame.damped(x[lane], v[lane]);
        let pull = to_world * (vertices.gap(lane) * share[lane]) - added - added_spin.cross(r);
        let velocity = damped + pull + speed_up[lane];
        v[lane] = velocity;
        x[lane] += velocity * move_secs;
    }
}

impl VertexBlock {
    /// g − x* of a lane, in the body's axes and units.
    #[inline(always)]
    pub(super) fn gap(&self, lane: usize) -> DVec3 {
        let ([gx, gy, gz], [x, y, z]) = (&self.goal, &self.start);
        let gap = |goal: &Slot, start: &Slot| f64::from(goal.0[lane]) - f64::from(start.0[lane]);
        DVec3::new(gap(gx, x), gap(gy, y), gap(gz, z))
    }
}

#[inline(always)]
fn put<const K: usize>(slots: &mut [Slot; K], lane: usize, values: [f32; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] = value;
    }
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
