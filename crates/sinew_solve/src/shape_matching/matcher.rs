//! Matching for one body: from its state to velocities that pull it to its goals.

use super::frame::{Frame, FrameSums};
use super::lanes::{BLOCK, Record};
use super::model::{Model, Regions};
use super::passes::{self, Path, RegionBlock, VertexBlock};
use crate::{BodyState, Cues};
use rayon::prelude::*;
use sinew_math::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// Points of a chunk: what one thread takes at a time, and what f64 sums are made of, in this order on any pool.
const CHUNK: usize = 16 * BLOCK;
const CHUNK_BLOCKS: usize = CHUNK / BLOCK;
/// Bodies below this many points are not worth sharing among threads.
const PARALLEL_POINTS: usize = 4096;

/// Scratch for one body: nothing in here outlives a step, except that it says which rest shape it was built for.
pub(super) struct Matcher {
    pub(super) model: Arc<Model>,
    path: Path,
    rest: Regions,
    /// The rest offsets `rest` was built for; empty for x0.
    rest_offset: Vec<DVec3>,
    /// R_o per region, once a stretch asked for them.
    rest_turn: Vec<DMat3>,
    /// Whether `stretch` slots hold anything.
    stretched: bool,
    vertex_records: Vec<Record>,
    region_records: Vec<Record>,
    frame_sums: Vec<FrameSums>,
    pull_sums: Vec<PullSums>,
}

/// One interval, as matching sees it.
pub(super) struct Matching<'a> {
    pub(super) cues: &'a Cues,
    pub(super) h_secs: f64,
    /// Shapes are matched at x* = x + v · this.
    pub(super) ahead_secs: f64,
    /// N + 1.
    pub(super) passes: usize,
    /// Share of the wobble that is kept.
    pub(super) keep: f64,
    /// Whether matching may add no momentum.
    pub(super) free: bool,
    /// Whether points move on with their new velocities, or wait for what else acts on them.
    pub(super) glide: bool,
}

/// Σ m Δv and Σ m r × Δv of a chunk's pulls.
type PullSums = (DVec3, DVec3);

impl Matcher {
    pub(super) fn new(model: &Arc<Model>, path: Path) -> Self {
        let records = model.at_rest.regions.len() * BLOCK + 1;
        let chunks = model.points().div_ceil(CHUNK);
        Self {
            model: model.clone(),
            path,
            rest: model.at_rest.clone(),
            rest_offset: Vec::new(),
            rest_turn: Vec::new(),
            stretched: false,
            vertex_records: vec![Record::ZERO; records],
            region_records: vec![Record::ZERO; records],
            frame_sums: vec![FrameSums::ZERO; chunks],
            pull_sums: vec![PullSums::default(); chunks],
        }
    }

    /// New velocities v + α/h (g − x*) + h f/m, and positions if they glide. `share` is α/h per point.
    pub(super) fn advance(
        &mut self,
        state: &mut BodyState,
        rotation: &mut [[f32; 4]],
        asked: &Matching<'_>,
        share: impl Fn(usize) -> f64 + Sync,
    ) {
        self.follow_rest(asked.cues);
        self.turn_rest(asked.cues);
        let frame = self.find_frame(state, asked);
        self.enter(state, rotation, asked.cues, &frame);
        self.match_shapes(asked.passes);
        self.leave(state, rotation, &frame, &share);
        self.apply(state, asked, &frame, &share);
    }

    fn parallel(&self) -> bool {
        self.model.points() >= PARALLEL_POINTS && rayon::current_num_threads() > 1
    }

    /// Regions for the rest shape that cues ask for.
    fn follow_rest(&mut self, cues: &Cues) {
        if self.rest_offset == cues.rest_offset {
            return;
        }
        let Self { model, rest, rest_offset, rest_turn, .. } = self;
        rest_offset.clone_from(&cues.rest_offset);
        rest_turn.clear();
        model.set_rest(rest, |i| cues.rest(&model.flesh, i));
    }

    /// How each region of the rest shape is turned against x0, where stretches have to turn with it.
    fn turn_rest(&mut self, cues: &Cues) {
        if !cues.log_stretch.is_empty() && !self.rest_offset.is_empty() && self.rest_turn.is_empty() {
            let (model, rest) = (&self.model, &self.rest.rest);
            self.rest_turn.extend((0..model.points()).map(|region| model.rest_turn(region, rest)));
        }
    }

    fn find_frame(&mut self, state: &BodyState, asked: &Matching<'_>) -> Frame {
        let parallel = self.parallel();
        let (mass_kg, rest) = (&self.model.flesh.mass_kg, &self.rest.rest);
        let sum = |(number, sums): (usize, &mut FrameSums)| {
            let at = chunk(number, state.x.len());
            let (x, v, rest) = (&state.x[at.clone()], &state.v[at.clone()], &rest[at.clone()]);
            *sums = FrameSums::of(x, v, rest, &mass_kg[at], state.origin);
        };
        if parallel {
            self.frame_sums.par_iter_mut().enumerate().for_each(sum);
        } else {
            self.frame_sums.iter_mut().enumerate().for_each(sum);
        }
        let sums = self.frame_sums.iter().fold(FrameSums::ZERO, FrameSums::and);
        Frame::new(&sums, self.model.total_mass_kg, state.origin, asked.keep, asked.ahead_secs)
    }

    /// Offsets u, rotations against the body's own, and stretches, into lanes.
    fn enter(&mut self, state: &BodyState, rotation: &[[f32; 4]], cues: &Cues, frame: &Frame) {
        let parallel = self.parallel();
        let stretched = !cues.log_stretch.is_empty();
        let clear = std::mem::replace(&mut self.stretched, stretched) && !stretched;
        let (path, rest_turn) = (self.path, &self.rest_turn);
        let Regions { rest, vertices, regions } = &mut self.rest;
        let to_lanes = frame.turn.transpose() * (1.0 / self.model.unit_m);
        let per_unit = 1.0 / self.model.unit_m;
        let back = to_f32(frame.quat.conjugate());
        let enter = |number: usize, vertices: &mut [VertexBlock], regions: &mut [RegionBlock], out: &mut [Record]| {
            let at = chunk(number, state.x.len());
            for (k, i) in at.clone().enumerate() {
                let (r, v) = frame.damped(state.x[i], state.v[i]);
                let ahead = r + frame.middle - frame.middle_ahead + v * frame.ahead_secs;
                let u = to_lanes * ahead - rest[i] * per_unit;
                put(&mut vertices[k / BLOCK].start, k % BLOCK, [u.x as f32, u.y as f32, u.z as f32]);
                put(&mut regions[k / BLOCK].turn, k % BLOCK, quat_product(back, rotation[i]));
            }
            passes::publish_vertices(path, vertices, out);
            if stretched {
                for (k, i) in at.enumerate() {
                    let ln_t = &cues.log_stretch[i];
                    let ln_t = rest_turn.get(i).map_or(*ln_t, |turn| ln_t.turned(*turn));
                    let six = [ln_t.xx, ln_t.yy, ln_t.zz, ln_t.xy, ln_t.yz, ln_t.zx];
                    put(&mut regions[k / BLOCK].stretch, k % BLOCK, six.map(|value| value as f32));
                }
                passes::expand_stretches(path, regions);
            } else if clear {
                regions.iter_mut().for_each(|block| block.stretch = RegionBlock::EMPTY.stretch);
            }
        };
        let records = &mut self.vertex_records[..vertices.len() * BLOCK];
        if parallel {
            let chunks = vertices.par_chunks_mut(CHUNK_BLOCKS).zip(regions.par_chunks_mut(CHUNK_BLOCKS));
            let chunks = chunks.zip(records.par_chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, ((v, r), out))| enter(number, v, r, out));
        } else {
            let chunks = vertices.chunks_mut(CHUNK_BLOCKS).zip(regions.chunks_mut(CHUNK_BLOCKS));
            let chunks = chunks.zip(records.chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, ((v, r), out))| enter(number, v, r, out));
        }
    }

    fn match_shapes(&mut self, passes: usize) {
        let parallel = self.parallel();
        let (path, stretched, lists) = (self.path, self.stretched, &self.model.lists);
        let Regions { regions, vertices, .. } = &mut self.rest;
        let records = regions.len() * BLOCK;
        for _ in 0..passes {
            let from = &self.vertex_records;
            let to = &mut self.region_records[..records];
            if parallel {
                let chunks = regions.par_chunks_mut(CHUNK_BLOCKS).zip(to.par_chunks_mut(CHUNK)).enumerate();
                chunks.for_each(|(n, (r, out))| {
                    passes::match_regions(path, r, n * CHUNK_BLOCKS, lists, from, out, stretched);
                });
            } else {
                passes::match_regions(path, regions, 0, lists, from, to, stretched);
            }
            let from = &self.region_records;
            let to = &mut self.vertex_records[..records];
            if parallel {
                let chunks = vertices.par_chunks_mut(CHUNK_BLOCKS).zip(to.par_chunks_mut(CHUNK)).enumerate();
                chunks.for_each(|(n, (v, out))| passes::place_vertices(path, v, n * CHUNK_BLOCKS, lists, from, out));
            } else {
                passes::place_vertices(path, vertices, 0, lists, from, to);
            }
        }
    }

    /// Rotations back to the state, and the momenta that pulls would add.
    fn leave(
        &mut self,
        state: &BodyState,
        rotation: &mut [[f32; 4]],
        frame: &Frame,
        share: &(impl Fn(usize) -> f64 + Sync),
    ) {
        let parallel = self.parallel();
        let mass_kg = &self.model.flesh.mass_kg;
        let Regions { vertices, regions, .. } = &self.rest;
        let turn = to_f32(frame.quat);
        let leave = |number: usize, rotation: &mut [[f32; 4]], sums: &mut PullSums| {
            let first = number * CHUNK;
            // In the body's own axes and units, which are turned once at the end.
            let (mut linear, mut angular) = PullSums::default();
            for (k, rotation) in rotation.iter_mut().enumerate() {
                let (i, block, lane) = (first + k, (first + k) / BLOCK, k % BLOCK);
                *rotation = quat_product(turn, take(&regions[block].turn, lane));
                let momentum = frame.turn * (gap(&vertices[block], lane) * (share(i) * mass_kg[i]));
                linear += momentum;
                angular += (state.x[i] - frame.origin - frame.middle).cross(momentum);
            }
            *sums = (linear, angular);
        };
        if parallel {
            let chunks = rotation.par_chunks_mut(CHUNK).zip(self.pull_sums.par_iter_mut()).enumerate();
            chunks.for_each(|(number, (rotation, sums))| leave(number, rotation, sums));
        } else {
            let chunks = rotation.chunks_mut(CHUNK).zip(self.pull_sums.iter_mut()).enumerate();
            chunks.for_each(|(number, (rotation, sums))| leave(number, rotation, sums));
        }
    }

    /// Damping, pulls without the rigid motion that carries their momenta, and forces.
    fn apply(
        &self,
        state: &mut BodyState,
        asked: &Matching<'_>,
        frame: &Frame,
        share: &(impl Fn(usize) -> f64 + Sync),
    ) {
        let unit_m = self.model.unit_m;
        let (linear, angular) = self.pull_sums.iter().fold(PullSums::default(), |a, b| (a.0 + b.0, a.1 + b.1));
        let free = if asked.free { unit_m } else { 0.0 };
        let added = linear * (free / self.model.total_mass_kg);
        let added_spin = frame.inverse_inertia * angular * free;
        let (mass_kg, vertices) = (&self.model.flesh.mass_kg, &self.rest.vertices);
        let to_world = frame.turn * unit_m;
        let (h, forces) = (asked.h_secs, &asked.cues.force_n);
        let move_h = if asked.glide { h } else { 0.0 };
        let apply = |number: usize, x: &mut [DVec3], v: &mut [DVec3]| {
            let first = number * CHUNK;
            for (k, (x, v)) in x.iter_mut().zip(v).enumerate() {
                let i = first + k;
                let (r, damped) = frame.damped(*x, *v);
                let pull = to_world * (gap(&vertices[i / BLOCK], i % BLOCK) * share(i));
                *v = damped + (pull - added - added_spin.cross(r));
                if let Some(force) = forces.get(i)
                    && mass_kg[i] > 0.0
                {
                    *v += *force * (h / mass_kg[i]);
                }
                *x += *v * move_h;
            }
        };
        let BodyState { x, v, .. } = state;
        if self.parallel() {
            let chunks = x.par_chunks_mut(CHUNK).zip(v.par_chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, (x, v))| apply(number, x, v));
        } else {
            let chunks = x.chunks_mut(CHUNK).zip(v.chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, (x, v))| apply(number, x, v));
        }
    }
}

/// g − x* of a lane, in the body's axes and units.
#[inline(always)]
fn gap(block: &VertexBlock, lane: usize) -> DVec3 {
    let ([gx, gy, gz], [x, y, z]) = (take(&block.goal, lane), take(&block.start, lane));
    DVec3::new(f64::from(gx) - f64::from(x), f64::from(gy) - f64::from(y), f64::from(gz) - f64::from(z))
}

#[inline(always)]
fn put<const K: usize>(slots: &mut [super::lanes::Slot; K], lane: usize, values: [f32; K]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.0[lane] = value;
    }
}

#[inline(always)]
fn take<const K: usize>(slots: &[super::lanes::Slot; K], lane: usize) -> [f32; K] {
    std::array::from_fn(|k| slots[k].0[lane])
}

fn chunk(number: usize, points: usize) -> std::ops::Range<usize> {
    number * CHUNK..((number + 1) * CHUNK).min(points)
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
