//! What each stage of matching does to its chunks: one way for one thread and for many.

use super::accelerate::Blend;
use super::exchange::{Entering, Leaving, PullSums};
use super::matcher::Soft;
use super::passes::{self, RegionBlock, VertexBlock};
use super::schedule::{CHUNK, Stage, Visit};
use crate::simd::{BLOCK, Lists, Path, Record};
use rayon::prelude::*;
use std::ops::Range;

pub(super) const CHUNK_BLOCKS: usize = CHUNK / BLOCK;

/// What stays the same while a body is matched.
pub(super) struct Stages<'a> {
    pub(super) path: Path,
    pub(super) lists: &'a Lists,
    pub(super) blends: &'a [Blend],
    pub(super) stretched: bool,
    pub(super) soft: Soft<'a>,
    pub(super) entering: Entering<'a>,
    pub(super) leaving: Leaving<'a>,
    pub(super) points: usize,
}

/// What stages write.
pub(super) struct InLanes<'a> {
    pub(super) regions: &'a mut [RegionBlock],
    pub(super) vertices: &'a mut [VertexBlock],
    pub(super) rotation: &'a mut [[f32; 4]],
    /// What vertices and regions publish for each other.
    pub(super) vertex_records: &'a mut [Record],
    pub(super) region_records: &'a mut [Record],
    /// One for each chunk.
    pub(super) pull_sums: &'a mut [PullSums],
}

impl Stages<'_> {
    /// Takes the chunks of a visit through its stage, side by side where there are several.
    pub(super) fn run(&self, visit: &Visit, of: &mut InLanes<'_>) {
        let Visit { first, end, stage } = *visit;
        let blocks = first * CHUNK_BLOCKS..(end * CHUNK_BLOCKS).min(of.regions.len());
        let records = blocks.start * BLOCK..blocks.end * BLOCK;
        let at = first * CHUNK..(end * CHUNK).min(self.points);
        let (regions, vertices) = (&mut of.regions[blocks.clone()], &mut of.vertices[blocks.clone()]);
        let first_block = |n: usize| blocks.start + n * CHUNK_BLOCKS;
        match stage {
            Stage::Enter => {
                let out = of.vertex_records[records].par_chunks_mut(CHUNK);
                let chunks = regions.par_chunks_mut(CHUNK_BLOCKS).zip(vertices.par_chunks_mut(CHUNK_BLOCKS));
                let chunks = chunks.zip(out).zip(of.rotation[at].par_chunks(CHUNK)).enumerate();
                chunks.for_each(|(n, (((regions, vertices), out), rotation))| {
                    self.entering.enter(points_of(first + n, self.points), rotation, vertices, regions, out);
                });
            }
            Stage::MatchRegions => {
                let (from, out) = (&*of.vertex_records, of.region_records[records].par_chunks_mut(CHUNK));
                let chunks = regions.par_chunks_mut(CHUNK_BLOCKS).zip(out).enumerate();
                chunks.for_each(|(n, (regions, out))| {
                    let (lists, weight) = (self.lists, self.soft.weight);
                    passes::match_regions(self.path, regions, first_block(n), lists, from, out, self.stretched, weight);
                });
            }
            Stage::PlaceVertices { pass } => {
                // Only where another pass reads it.
                let has_next = pass as usize + 1 < self.blends.len();
                let (from, out) = (&*of.region_records, of.vertex_records[records].par_chunks_mut(CHUNK));
                let chunks = vertices.par_chunks_mut(CHUNK_BLOCKS).zip(out).enumerate();
                chunks.for_each(|(n, (vertices, out))| {
                    let (out, blend, stay) = (has_next.then_some(out), self.blends[pass as usize], self.soft.stay);
                    passes::place_vertices(self.path, vertices, first_block(n), self.lists, from, out, blend, stay);
                });
            }
            Stage::Leave => {
                let chunks = regions.par_chunks(CHUNK_BLOCKS).zip(vertices.par_chunks(CHUNK_BLOCKS));
                let sums = of.pull_sums[first..end].par_iter_mut();
                let chunks = chunks.zip(of.rotation[at].par_chunks_mut(CHUNK)).zip(sums).enumerate();
                chunks.for_each(|(n, (((regions, vertices), rotation), sums))| {
                    *sums = self.leaving.leave(points_of(first + n, self.points), vertices, regions, rotation);
                });
            }
        }
    }
}

/// The points of a chunk.
pub(super) fn points_of(chunk: usize, points: usize) -> Range<usize> {
    chunk * CHUNK..((chunk + 1) * CHUNK).min(points)
}
