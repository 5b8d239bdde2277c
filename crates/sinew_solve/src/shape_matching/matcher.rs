//! Matching for one body: from its state to velocities that pull it to its goals.

use super::accelerate::Blend;
use super::exchange::{Applying, Entering, Leaving, PullSums, Share};
use super::frame::{Frame, FrameSums};
use super::model::{Model, Regions};
use super::passes::RegionBlock;
use super::schedule::{self, CHUNK, Visit};
use super::stages::{CHUNK_BLOCKS, InLanes, Stages, points_of};
use crate::simd::{BLOCK, Path, Record, Slot};
use crate::{BodyState, Cues};
use rayon::prelude::*;
use sinew_math::{DMat3, DQuat, DVec3, Sym3};
use std::sync::Arc;

/// Bodies below this many points are not worth sharing among threads.
const PARALLEL_POINTS: usize = 4096;

/// Scratch for one body at a time: nothing in here outlives a step, except that it says which rest shape it was built for.
/// Copies of a body take turns with one, so that what it holds stays in the caches.
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
    /// One for each pass.
    blends: Vec<Blend>,
    /// The order of one thread through all chunks and stages, and that of several.
    in_waves: Vec<Visit>,
    side_by_side: Vec<Visit>,
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
    /// Share of the wobble that is kept.
    pub(super) keep: f64,
    /// α/h.
    pub(super) share: Share<'a>,
    pub(super) soft: Soft<'a>,
    /// What is added to the stretch of every region, in the axes of the rest shape.
    pub(super) sag: Sym3,
    /// Whether matching may add no momentum.
    pub(super) free: bool,
    /// Whether points move on with their new velocities, or wait for what else acts on them.
    pub(super) glide: bool,
}

/// Where tissue is softened, by blocks; empty where it nowhere is.
#[derive(Clone, Copy)]
pub(super) struct Soft<'a> {
    /// What each region counts, 0 to 1.
    pub(super) weight: &'a [Slot],
    /// What share of each vertex they leave where it is.
    pub(super) stay: &'a [Slot],
}

impl Matcher {
    pub(super) fn new(model: &Arc<Model>, path: Path, blends: Vec<Blend>) -> Self {
        let records = model.at_rest.regions.len() * BLOCK + 1;
        let chunks = model.points().div_ceil(CHUNK);
        Self {
            model: model.clone(),
            path,
            rest: model.at_rest.clone(),
            rest_offset: Vec::new(),
            rest_turn: Vec::new(),
            stretched: false,
            in_waves: schedule::in_waves(&model.rings, blends.len()),
            side_by_side: schedule::side_by_side(chunks, blends.len()),
            blends,
            vertex_records: vec![Record::ZERO; records],
            region_records: vec![Record::ZERO; records],
            frame_sums: vec![FrameSums::ZERO; chunks],
            pull_sums: vec![PullSums::default(); chunks],
        }
    }

    /// Whether it can serve a body of this model and with these passes.
    pub(super) fn fits(&self, model: &Arc<Model>, blends: &[Blend]) -> bool {
        Arc::ptr_eq(&self.model, model) && self.blends == blends
    }

    /// New velocities v + α/h (g − x*) + h f/m, and positions if they glide. Returns the frame the body was matched in.
    pub(super) fn advance(&mut self, state: &mut BodyState, rotation: &mut [[f32; 4]], asked: &Matching<'_>) -> Frame {
        self.follow_rest(asked.cues);
        self.turn_rest(asked.cues);
        let frame = self.find_frame(state, rotation, asked);
        self.match_shapes(state, rotation, asked, &frame);
        self.apply(state, asked, &frame);
        frame
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

    fn find_frame(&mut self, state: &BodyState, rotation: &[[f32; 4]], asked: &Matching<'_>) -> Frame {
        let (parallel, path) = (self.parallel(), self.path);
        let (mass_kg, rest) = (&self.model.flesh.mass_kg, &self.rest.rest);
        let sum = |(number, sums): (usize, &mut FrameSums)| {
            let at = points_of(number, state.x.len());
            let (x, v, rest) = (&state.x[at.clone()], &state.v[at.clone()], &rest[at.clone()]);
            sums.find(path, x, v, rest, &mass_kg[at], state.origin);
        };
        if parallel {
            self.frame_sums.par_iter_mut().enumerate().for_each(sum);
        } else {
            self.frame_sums.iter_mut().enumerate().for_each(sum);
        }
        let all;
        let sums = if let [sums] = &self.frame_sums[..] {
            sums
        } else {
            all = self.frame_sums.iter().fold(FrameSums::ZERO, FrameSums::and);
            &all
        };
        // Any region's rotation is a good guess at the body's.
        let warm = rotation.get(rotation.len() / 2).map_or(DQuat::IDENTITY, |q| DQuat::from_array(q.map(f64::from)));
        Frame::new(sums, self.model.total_mass_kg, state.origin, asked.keep, asked.ahead_secs, warm)
    }

    /// Into lanes, all passes, and back, in the order of one thread or of many. Either way every number is made from the same
    /// ones.
    fn match_shapes(&mut self, state: &BodyState, rotation: &mut [[f32; 4]], asked: &Matching<'_>, frame: &Frame) {
        let parallel = self.parallel();
        let Self { model, path, rest_turn, blends, vertex_records, region_records, pull_sums, .. } = self;
        let path = *path;
        let stretched = !asked.cues.log_stretch.is_empty() || asked.sag != Sym3::ZERO;
        let clear = std::mem::replace(&mut self.stretched, stretched) && !stretched;
        let Regions { rest, regions, vertices } = &mut self.rest;
        if clear {
            regions.iter_mut().for_each(|block| block.stretch = RegionBlock::EMPTY.stretch);
        }
        let log_stretch = &asked.cues.log_stretch[..];
        let stages = Stages {
            path,
            lists: &model.lists,
            blends,
            stretched,
            soft: asked.soft,
            entering: Entering {
                path,
                state,
                rest,
                log_stretch,
                rest_turn,
                sag: asked.sag,
                frame,
                unit_m: model.unit_m,
            },
            leaving: Leaving { path, state, mass_kg: &model.flesh.mass_kg, share: asked.share, frame },
            points: state.x.len(),
        };
        let mut lanes = InLanes { regions, vertices, rotation, vertex_records, region_records, pull_sums };
        let visits = if parallel { &self.side_by_side } else { &self.in_waves };
        visits.iter().for_each(|visit| stages.run(visit, &mut lanes));
    }

    /// Damping, pulls without the rigid motion that carries their momenta, and forces.
    fn apply(&self, state: &mut BodyState, asked: &Matching<'_>, frame: &Frame) {
        let (linear, angular) = self.pull_sums.iter().fold(PullSums::default(), |a, b| (a.0 + b.0, a.1 + b.1));
        let model = &self.model;
        let removed_m = if asked.free { model.unit_m } else { 0.0 };
        let applying = Applying {
            path: self.path,
            frame,
            to_world: frame.turn * model.unit_m,
            added: linear * (removed_m / model.total_mass_kg),
            added_spin: frame.inverse_inertia * angular * removed_m,
            share: asked.share,
            force_n: &asked.cues.force_n,
            inverse_mass: &model.inverse_mass,
            h_secs: asked.h_secs,
            move_secs: if asked.glide { asked.h_secs } else { 0.0 },
        };
        let (BodyState { x, v, .. }, vertices) = (state, &self.rest.vertices);
        if self.parallel() {
            let chunks = x.par_chunks_mut(CHUNK).zip(v.par_chunks_mut(CHUNK));
            let chunks = chunks.zip(vertices.par_chunks(CHUNK_BLOCKS)).enumerate();
            chunks.for_each(|(n, ((x, v), vertices))| applying.apply(n * CHUNK, vertices, x, v));
        } else {
            applying.apply(0, vertices, x, v);
        }
    }
}
