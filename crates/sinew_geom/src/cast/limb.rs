//! Flesh in rings and slices: limbs with round ends along a straight axis, and columns that grow out of a boundary.

use crate::TetMesh;
use crate::structured::{disk_vertices, even_round_block, prism_tets};
use sinew_math::libm::log2;
use sinew_math::{DVec2, DVec3};
use std::collections::BTreeMap;

/// How many rings and slices give about `vertices` vertices with cells about as long as wide. `slenderness` is the length
/// over the radius.
pub(super) fn limb_cells(slenderness: f64, vertices: usize) -> [usize; 2] {
    // A count off by a fiftieth is as bad as cells twice as long as wide.
    let fault = |[rings, slices]: [usize; 2]| {
        let count = (disk_vertices(rings) * (slices + 1)) as f64 / vertices as f64;
        let shape = slenderness * rings as f64 / slices as f64;
        50.0 * (count - 1.0).abs() + log2(shape).abs()
    };
    let choices = (1..60).flat_map(|rings| {
        let slices = (vertices as f64 / disk_vertices(rings) as f64).round() as usize;
        [slices.saturating_sub(1), slices, slices + 1].map(|slices| [rings, slices.saturating_sub(1).max(3)])
    });
    choices.min_by(|a, b| fault(*a).total_cmp(&fault(*b))).unwrap_or([1, 4])
}

/// A limb: `place(along, across)` puts a point that lies `along` of the way and `across` of the radius (a point of the unit
/// disk). `shoulder` is how far along the first and last slice have their rims; from there they bulge to the ends.
pub(super) fn limb([rings, slices]: [usize; 2], shoulder: f64, place: impl Fn(f64, DVec2) -> DVec3) -> TetMesh {
    // Slices near an end bulge towards it, each less than the one before.
    const BULGING: f64 = 2.5;
    // All the way to the tip, the cap would meet the side at a flat angle.
    const FULL: f64 = 0.55;
    even_round_block(rings, slices, |disk, up| {
        let middle = (up * slices as f64 - 0.5 * slices as f64).abs();
        let from_end = 0.5 * slices as f64 - middle;
        let bulge = FULL * (1.0 - from_end / BULGING).max(0.0).powi(2) * (1.0 - disk.length_squared());
        let rim = shoulder + (1.0 - 2.0 * shoulder) * up;
        let along = if up < 0.5 { rim * (1.0 - bulge) } else { 1.0 - (1.0 - rim) * (1.0 - bulge) };
        place(along, disk)
    })
}

/// The place `share` of the way along a polyline, and its direction there (smoothed over the corners).
pub(super) fn along_path(path: &[DVec3], share: f64) -> (DVec3, DVec3) {
    let lengths: Vec<f64> = path.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
    let total: f64 = lengths.iter().sum();
    let mut left = share.clamp(0.0, 1.0) * total;
    let direction = |n: usize| (path[(n + 1).min(path.len() - 1)] - path[n.saturating_sub(1)]).normalize_or_zero();
    for (n, length) in lengths.iter().enumerate() {
        if left <= *length || n + 1 == lengths.len() {
            let t = (left / length.max(f64::MIN_POSITIVE)).min(1.0);
            return (path[n].lerp(path[n + 1], t), direction(n).lerp(direction(n + 1), t).normalize_or_zero());
        }
        left -= length;
    }
    (path.first().copied().unwrap_or_default(), DVec3::X)
}

/// Grows a column of prisms out of the boundary faces `patch`, one layer for each of `layers`: `place(layer, vertex)` puts
/// the copy of a vertex of the patch in a layer.
pub(super) fn extrude(mesh: &mut TetMesh, patch: &[[u32; 3]], layers: usize, place: impl Fn(usize, u32) -> DVec3) {
    let mut corners: Vec<u32> = patch.iter().flatten().copied().collect();
    corners.sort_unstable();
    corners.dedup();
    let mut top: BTreeMap<u32, u32> = corners.iter().map(|corner| (*corner, *corner)).collect();
    for layer in 0..layers {
        let base = mesh.positions.len() as u32;
        mesh.positions.extend(corners.iter().map(|corner| place(layer, *corner)));
        let next: BTreeMap<u32, u32> = corners.iter().enumerate().map(|(n, c)| (*c, base + n as u32)).collect();
        for &[a, b, c] in patch {
            // Boundary faces are counter-clockwise seen from where the column goes; prisms stand on clockwise ones.
            mesh.tets.extend(prism_tets([a, c, b], |v| next[&v], |v| top[&v]));
        }
        top = next;
    }
}
