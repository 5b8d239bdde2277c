//! In which order threads go through the chunks of a large body.
//!
//! Several threads take all chunks through one stage after the other. One thread does not:
//! Pass after pass over a body that no cache holds, every pass would fetch all of it from memory again. Half a pass on
//! a chunk needs only the half before on the chunks around it, so that a thread can carry a neighbourhood through all
//! passes while it is near. The order changes no bit: each stage reads the same numbers, whenever it runs. (Wavefront
//! or "skewed" tiling; Wolf, Lam: "A Data Locality Optimizing Algorithm", PLDI 1991.)

use crate::simd::BLOCK;

/// Points of a chunk: what one thread takes at a time, and what f64 sums are made of, in this order on any pool.
pub(super) const CHUNK: usize = 16 * BLOCK;

/// What is done to a chunk, in this order; each needs the one before on all chunks around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// From the state into lanes.
    Enter,
    /// The two halves of a pass.
    MatchRegions,
    PlaceVertices {
        /// Counted from 0.
        pass: u32,
    },
    /// Back to the state.
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Visit {
    /// The chunks `first..end`.
    pub(super) first: usize,
    pub(super) end: usize,
    pub(super) stage: Stage,
}

/// The stages of `passes` passes.
pub(super) fn stages(passes: usize) -> impl Iterator<Item = Stage> + Clone {
    let pass = |pass: usize| [Stage::MatchRegions, Stage::PlaceVertices { pass: pass as u32 }];
    std::iter::once(Stage::Enter).chain((0..passes).flat_map(pass)).chain([Stage::Leave])
}

/// All chunks at once, stage by stage.
pub(super) fn side_by_side(chunks: usize, passes: usize) -> Vec<Visit> {
    stages(passes).map(|stage| Visit { first: 0, end: chunks, stage }).collect()
}

/// All stages on all chunks, one chunk at a time, each after those it needs. A stage on a chunk also overwrites what its neighbours read in
/// the stage before; they have all had it by then, because neighbourhood is mutual.
pub(super) fn in_waves(rings: &[Vec<u32>], passes: usize) -> Vec<Visit> {
    let around = chunk_neighbours(rings);
    let stages: Vec<Stage> = stages(passes).collect();
    let mut done = vec![0; around.len()];
    let mut visits = Vec::with_capacity(around.len() * stages.len());
    let mut waiting = Vec::new();
    for first in 0..around.len() {
        waiting.push(first);
        while let Some(chunk) = waiting.pop() {
            let next = done[chunk];
            let entered = next > 0 || chunk == first;
            if entered && next < stages.len() && around[chunk].iter().all(|&other| done[other] >= next) {
                visits.push(Visit { first: chunk, end: chunk + 1, stage: stages[next] });
                done[chunk] += 1;
                waiting.extend(around[chunk].iter().rev());
            }
        }
    }
    visits
}

/// For each chunk those that share a region with it, itself among them.
fn chunk_neighbours(rings: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let of_chunk = |rings: &[Vec<u32>]| {
        let mut around: Vec<usize> = rings.iter().flatten().map(|&i| i as usize / CHUNK).collect();
        around.sort_unstable();
        around.dedup();
        around
    };
    rings.chunks(CHUNK).map(of_chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of points whose ends meet: chunks around a ring.
    fn ring(points: u32) -> Vec<Vec<u32>> {
        (0..points).map(|i| vec![(i + points - 1) % points, i, (i + 1) % points]).collect()
    }

    #[test]
    fn every_stage_comes_once_and_after_what_it_needs() {
        let rings = ring(10 * CHUNK as u32);
        let stages: Vec<Stage> = stages(3).collect();
        let visits = in_waves(&rings, 3);
        assert_eq!((stages.len(), visits.len()), (8, 10 * 8));
        let around = chunk_neighbours(&rings);
        let mut done = [0; 10];
        for Visit { first: chunk, end, stage } in visits {
            assert_eq!(end, chunk + 1);
            assert_eq!(stages[done[chunk]], stage);
            assert!(around[chunk].iter().all(|&other| done[other] >= done[chunk]));
            done[chunk] += 1;
        }
    }
}
