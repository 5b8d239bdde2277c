//! Crumbs: what thin features leave where only single lattice points lie inside them.
//!
//! They would fall out of the body as soon as it moves, so they are left out, and said.

use super::StuffingReport;
use crate::TetMesh;
use crate::adjacency::components;

/// A part with fewer tets than this is a crumb beside a larger one: one inside point has at most 24 around it, so a crumb
/// has few points of its own.
const CRUMB_TETS: usize = 100;
/// And it must be small beside the largest part.
const CRUMB_SHARE: usize = 20;

/// Removes crumbs and counts what is left.
pub(super) fn without(mesh: TetMesh, report: &mut StuffingReport) -> TetMesh {
    let part = components(mesh.positions.len(), &mesh.tets);
    let mut sizes = vec![0usize; mesh.positions.len()];
    for tet in &mesh.tets {
        sizes[part[tet[0] as usize] as usize] += 1;
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let is_crumb = |part: u32| {
        let size = sizes[part as usize];
        size < CRUMB_TETS && size * CRUMB_SHARE < largest
    };
    for vertex in 0..mesh.positions.len() {
        if part[vertex] as usize == vertex && sizes[vertex] > 0 {
            report.components += 1;
            if is_crumb(vertex as u32) {
                report.components -= 1;
                report.crumbs.note(mesh.positions[vertex]);
            }
        }
    }
    if report.crumbs.count == 0 {
        return mesh;
    }
    let mut number = vec![0u32; mesh.positions.len()];
    let mut positions = Vec::with_capacity(mesh.positions.len());
    for (vertex, x) in mesh.positions.iter().enumerate().filter(|(v, _)| !is_crumb(part[*v])) {
        number[vertex] = positions.len() as u32;
        positions.push(*x);
    }
    let kept = mesh.tets.iter().filter(|tet| !is_crumb(part[tet[0] as usize]));
    TetMesh { positions, tets: kept.map(|tet| tet.map(|v| number[v as usize])).collect() }
}
