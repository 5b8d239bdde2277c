//! Matching for one body: from its state to the change of velocity that pulls it to its goals, and back.

use super::lanes::{BLOCK, Record};
use super::model::{Model, Regions};
use super::passes::{self, Path, RegionBlock, VertexBlock};
use crate::Cues;
use rayon::prelude::*;
use sinew_math::rotation::nearest_rotation;
use sinew_math::{DMat3, DQuat, DVec3};
use std::sync::Arc;

/// Points of a chunk: what one thread takes at a time, and what f64 sums are made of, in this order on any pool.
pub(super) const CHUNK: usize = 16 * BLOCK;
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
    sums: Vec<FrameSums>,
    pull_sums: Vec<(DVec3, DVec3)>,
}

/// The body's own rigid motion, which lanes never see: x = centre + turn (o + u).
#[derive(Clone, Copy)]
struct Frame {
    centre: DVec3,
    turn: DMat3,
    quat: DQuat,
    /// Inverse of the inertia about the centre, world axes; zero for a body without extent.
    inverse_inertia: DMat3,
}

/// Σ m d, Σ m d oᵀ and Σ m d dᵀ of a chunk, with d = x − origin.
#[derive(Clone, Copy, Default)]
struct FrameSums {
    first: DVec3,
    with_rest: DMat3,
    second: DMat3,
}

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
            sums: vec![FrameSums::default(); chunks],
            pull_sums: vec![Default::default(); chunks],
        }
    }

    /// Fills `pull` with the velocity change of one step of matching at `x`: α/h (g − x), where `share` is α/h per
    /// point. Unless `keep_momentum` is false its net linear and angular momentum is zero.
    pub(super) fn pull(
        &mut self,
        at: &mut Points<'_>,
        cues: &Cues,
        passes: usize,
        share: impl Fn(usize) -> f64 + Sync,
        keep_momentum: bool,
        pull: &mut [DVec3],
    ) {
        self.follow_rest(cues);
        let frame = self.find_frame(at.x, at.origin);
        self.enter(at.x, at.rotation, &frame);
        self.enter_stretches(cues);
        self.match_shapes(passes);
        self.leave(at.x, at.rotation, &frame, share, pull);
        if keep_momentum {
            self.remove_momentum(at.x, &frame, pull);
        }
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

    fn find_frame(&mut self, x: &[DVec3], origin: DVec3) -> Frame {
        let parallel = self.parallel();
        let (mass_kg, rest) = (&self.model.flesh.mass_kg, &self.rest.rest);
        let sum_chunk = |(number, sums): (usize, &mut FrameSums)| {
            let range = chunk(number, x.len());
            *sums = FrameSums::of(&x[range.clone()], &rest[range.clone()], &mass_kg[range], origin);
        };
        if parallel {
            self.sums.par_iter_mut().enumerate().for_each(sum_chunk);
        } else {
            self.sums.iter_mut().enumerate().for_each(sum_chunk);
        }
        let FrameSums { first, with_rest, second } = self.sums.iter().fold(FrameSums::default(), |a, b| FrameSums {
            first: a.first + b.first,
            with_rest: a.with_rest + b.with_rest,
            second: a.second + b.second,
        });
        let total = self.model.total_mass_kg;
        let middle = first / total;
        // Rest positions are about their mass centre, so that the present one drops out of Σ m d oᵀ.
        let quat = nearest_rotation(with_rest);
        let spread = second - sinew_math::rotation::outer(middle, first);
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - spread;
        Frame { centre: origin + middle, turn: DMat3::from_quat(quat), quat, inverse_inertia: safe_inverse(inertia) }
    }

    /// Offsets u and rotations against the body's own, into lanes.
    fn enter(&mut self, x: &[DVec3], rotation: &[[f32; 4]], frame: &Frame) {
        let parallel = self.parallel();
        let (path, unit_m) = (self.path, self.model.unit_m);
        let Regions { rest, vertices, regions } = &mut self.rest;
        let to_body = frame.turn.transpose();
        let back = to_f32(frame.quat.conjugate());
        let enter = |number: usize, vertices: &mut [VertexBlock], regions: &mut [RegionBlock], out: &mut [Record]| {
            let range = chunk(number, x.len());
            for (k, i) in range.enumerate() {
                let (block, lane) = (k / BLOCK, k % BLOCK);
                let u = (to_body * (x[i] - frame.centre) - rest[i]) / unit_m;
                let start = &mut vertices[block].start;
                start[0].0[lane] = u.x as f32;
                start[1].0[lane] = u.y as f32;
                start[2].0[lane] = u.z as f32;
                let q = quat_product(back, rotation[i]);
                let turn = &mut regions[block].turn;
                for c in 0..4 {
                    turn[c].0[lane] = q[c];
                }
            }
            passes::publish_vertices(path, vertices, out);
        };
        const BLOCKS: usize = CHUNK / BLOCK;
        let blocks = vertices.len();
        let records = &mut self.vertex_records[..blocks * BLOCK];
        if parallel {
            let chunks = vertices.par_chunks_mut(BLOCKS).zip(regions.par_chunks_mut(BLOCKS));
            let chunks = chunks.zip(records.par_chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, ((v, r), out))| enter(number, v, r, out));
        } else {
            let chunks = vertices.chunks_mut(BLOCKS).zip(regions.chunks_mut(BLOCKS));
            let chunks = chunks.zip(records.chunks_mut(CHUNK)).enumerate();
            chunks.for_each(|(number, ((v, r), out))| enter(number, v, r, out));
        }
    }

    /// ln T of every region's centre, turned with the rest shape, into lanes; there it becomes T − I.
    fn enter_stretches(&mut self, cues: &Cues) {
        if cues.log_stretch.is_empty() {
            if std::mem::take(&mut self.stretched) {
                for block in &mut self.rest.regions {
                    block.stretch = RegionBlock::EMPTY.stretch;
                }
            }
            return;
        }
        self.stretched = true;
        let model = &self.model;
        if !self.rest_offset.is_empty() && self.rest_turn.is_empty() {
            let rest = &self.rest.rest;
            self.rest_turn.extend((0..model.points()).map(|region| model.rest_turn(region, rest)));
        }
        for (i, ln_t) in cues.log_stretch.iter().enumerate() {
            let ln_t = self.rest_turn.get(i).map_or(*ln_t, |turn| ln_t.turned(*turn));
            let stretch = &mut self.rest.regions[i / BLOCK].stretch;
            let six = [ln_t.xx, ln_t.yy, ln_t.zz, ln_t.xy, ln_t.yz, ln_t.zx];
            for (slot, value) in stretch.iter_mut().zip(six) {
                slot.0[i % BLOCK] = value as f32;
            }
        }
        passes::expand_stretches(self.path, &mut self.rest.regions);
    }

    fn match_shapes(&mut self, passes: usize) {
        const BLOCKS: usize = CHUNK / BLOCK;
        let parallel = self.parallel();
        let (path, stretched, lists) = (self.path, self.stretched, &self.model.lists);
        let Regions { regions, vertices, .. } = &mut self.rest;
        let records = regions.len() * BLOCK;
        for _ in 0..passes {
            let from = &self.vertex_records;
            let to = &mut self.region_records[..records];
            if parallel {
                let chunks = regions.par_chunks_mut(BLOCKS).zip(to.par_chunks_mut(CHUNK)).enumerate();
                chunks
                    .for_each(|(n, (r, out))| passes::match_regions(path, r, n * BLOCKS, lists, from, out, stretched));
            } else {
                passes::match_regions(path, regions, 0, lists, from, to, stretched);
            }
            let from = &self.region_records;
            let to = &mut self.vertex_records[..records];
            if parallel {
                let chunks = vertices.par_chunks_mut(BLOCKS).zip(to.par_chunks_mut(CHUNK)).enumerate();
                chunks.for_each(|(n, (v, out))| passes::place_vertices(path, v, n * BLOCKS, lists, from, out));
            } else {
                passes::place_vertices(path, vertices, 0, lists, from, to);
            }
        }
    }

    /// Rotations back to the state, and α/h (g − x) in world axes with its momenta.
    fn leave(
        &mut self,
        x: &[DVec3],
        rotation: &mut [[f32; 4]],
        frame: &Frame,
        share: impl Fn(usize) -> f64 + Sync,
        pull: &mut [DVec3],
    ) {
        let parallel = self.parallel();
        let mass_kg = &self.model.flesh.mass_kg;
        let Regions { vertices, regions, .. } = &self.rest;
        let to_world = frame.turn * self.model.unit_m;
        let turn = to_f32(frame.quat);
        let leave = |number: usize, rotation: &mut [[f32; 4]], pull: &mut [DVec3], sums: &mut (DVec3, DVec3)| {
            let first = number * CHUNK;
            *sums = Default::default();
            for (k, (rotation, pull)) in rotation.iter_mut().zip(pull).enumerate() {
                let (i, block, lane) = (first + k, (first + k) / BLOCK, k % BLOCK);
                let region = &regions[block].turn;
                *rotation = quat_product(turn, std::array::from_fn(|c| region[c].0[lane]));
                let VertexBlock { start, goal, .. } = &vertices[block];
                let gap: [f64; 3] = std::array::from_fn(|c| f64::from(goal[c].0[lane]) - f64::from(start[c].0[lane]));
                *pull = to_world * (DVec3::from_array(gap) * share(i));
                let momentum = *pull * mass_kg[i];
                sums.0 += momentum;
                sums.1 += (x[i] - frame.centre).cross(momentum);
            }
        };
        if parallel {
            let chunks = rotation.par_chunks_mut(CHUNK).zip(pull.par_chunks_mut(CHUNK));
            let chunks = chunks.zip(self.pull_sums.par_iter_mut()).enumerate();
            chunks.for_each(|(number, ((r, p), sums))| leave(number, r, p, sums));
        } else {
            let chunks = rotation.chunks_mut(CHUNK).zip(pull.chunks_mut(CHUNK));
            let chunks = chunks.zip(self.pull_sums.iter_mut()).enumerate();
            chunks.for_each(|(number, ((r, p), sums))| leave(number, r, p, sums));
        }
    }

    /// Takes the rigid motion out of `pull` that carries its momenta.
    fn remove_momentum(&self, x: &[DVec3], frame: &Frame, pull: &mut [DVec3]) {
        let (linear, angular) = self.pull_sums.iter().fold((DVec3::ZERO, DVec3::ZERO), |a, b| (a.0 + b.0, a.1 + b.1));
        let velocity = linear / self.model.total_mass_kg;
        let spin = frame.inverse_inertia * angular;
        for (pull, x) in pull.iter_mut().zip(x) {
            *pull -= velocity + spin.cross(*x - frame.centre);
        }
    }
}

/// Where a body is: what matching reads, and the rotations it carries on.
pub(super) struct Points<'a> {
    pub(super) x: &'a [DVec3],
    pub(super) origin: DVec3,
    pub(super) rotation: &'a mut [[f32; 4]],
}

impl FrameSums {
    fn of(x: &[DVec3], rest: &[DVec3], mass_kg: &[f64], origin: DVec3) -> Self {
        let mut sums = Self::default();
        for ((x, o), m) in x.iter().zip(rest).zip(mass_kg) {
            let d = *x - origin;
            let md = d * *m;
            sums.first += md;
            sums.with_rest.x_axis += md * o.x;
            sums.with_rest.y_axis += md * o.y;
            sums.with_rest.z_axis += md * o.z;
            sums.second.x_axis += md * d.x;
            sums.second.y_axis += md * d.y;
            sums.second.z_axis += md * d.z;
        }
        sums
    }
}

fn chunk(number: usize, points: usize) -> std::ops::Range<usize> {
    number * CHUNK..((number + 1) * CHUNK).min(points)
}

/// The inverse of an inertia, or zero where the body is a point or a line and an axis has none.
fn safe_inverse(inertia: DMat3) -> DMat3 {
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if inertia.determinant() > 1e-12 * trace * trace * trace { inertia.inverse() } else { DMat3::ZERO }
}

fn to_f32(q: DQuat) -> [f32; 4] {
    q.to_array().map(|c| c as f32)
}

fn quat_product([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        aw * bx + ax * bw + (ay * bz - az * by),
        aw * by + ay * bw + (az * bx - ax * bz),
        aw * bz + az * bw + (ax * by - ay * bx),
        aw * bw - ax * bx - (ay * by + az * bz),
    ]
}
