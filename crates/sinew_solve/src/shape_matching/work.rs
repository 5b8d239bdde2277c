//! What a step has to do at the least, counted: to be held against what the machine can do.

use super::ShapeMatchingParams;
use super::passes::{RegionBlock, VertexBlock};
use crate::Flesh;
use crate::simd::{BLOCK, Lists, Record};

/// One body's step, in operations and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MatchingWork {
    pub regions: usize,
    pub passes: usize,
    /// Additions, multiplications, divisions and roots.
    pub flops: f64,
    /// Read and written by the passes, wherever they lie.
    pub bytes: f64,
    /// What the passes go over again and again.
    pub resident_bytes: f64,
}

/// Operations of one region and pass besides the sums: A, A T and R T − I (passes.rs), one Newton step with its start
/// and its end (rotation.rs), and the record.
const REGION_FLOPS: f64 = 27.0 + 126.0 + (39.0 + 217.0) + 39.0;
/// Operations of one vertex and pass besides the sums: the goal and the record.
const VERTEX_FLOPS: f64 = 21.0 + 12.0;
/// Slots that a pass reads and writes: all of a region's and the turn again; rest, count, mass and goal of a vertex.
const REGION_SLOTS: usize = 20 + 4;
const VERTEX_SLOTS: usize = 5 + 3;

impl MatchingWork {
    /// A step of `flesh` with every region stretched, and each rotation found in a single Newton step.
    pub fn of(flesh: &Flesh, params: &ShapeMatchingParams) -> Self {
        let regions = flesh.point_count();
        let passes = params.blends().len();
        let members: usize = flesh.one_rings().iter().map(|ring| (ring.len() + 1).next_multiple_of(Lists::EVEN)).sum();
        let per_pass = 2.0 * (members * Record::USED) as f64 + (REGION_FLOPS + VERTEX_FLOPS) * regions as f64;
        // Both halves read a record per member and its place, and write a record each.
        let records = 2 * (members + regions) * Record::BYTES + 2 * members * size_of::<u32>();
        let slots = (REGION_SLOTS + VERTEX_SLOTS) * size_of::<f32>() * regions;
        let blocks = regions.div_ceil(BLOCK) * (size_of::<RegionBlock>() + size_of::<VertexBlock>());
        Self {
            regions,
            passes,
            flops: per_pass * passes as f64,
            bytes: ((records + slots) * passes) as f64,
            resident_bytes: (2 * regions * Record::BYTES + 2 * members * size_of::<u32>() + blocks) as f64,
        }
    }

    /// Several bodies one after another.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            regions: self.regions + other.regions,
            passes: self.passes.max(other.passes),
            flops: self.flops + other.flops,
            bytes: self.bytes + other.bytes,
            resident_bytes: self.resident_bytes.max(other.resident_bytes),
        }
    }
}
