//! Moves the vertices of a net onto the surface, and along it until they are evenly spread.

use super::blocks::Blocks;
use super::net::Net;
use crate::distance::Distance;
use rayon::prelude::*;
use sinew_math::{DVec3, dvec3};

/// Rounds of spreading; four leave few triangles with angles under 30 degrees (seen on the built-in cast).
const ROUNDS: usize = 4;
/// Share of the way to the middle of its neighbours that a vertex goes in a round.
const SPREAD: f64 = 0.7;

/// Gives the outward normal at each vertex.
pub(super) fn relax<D: Distance + ?Sized>(shape: &D, blocks: &Blocks, net: &mut Net) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; net.positions.len()];
    let project = |net: &mut Net, normals: &mut [DVec3]| project(shape, blocks, net, normals);
    project(net, &mut normals);
    project(net, &mut normals);
    for _ in 0..ROUNDS {
        spread(net, &normals);
        project(net, &mut normals);
    }
    project(net, &mut normals);
    normals
}

/// One step of Newton's method along the slope, which is kept as the normal.
fn project<D: Distance + ?Sized>(shape: &D, blocks: &Blocks, net: &mut Net, normals: &mut [DVec3]) {
    const LONGEST_STEP: f64 = 0.5;
    let grid = &blocks.grid;
    let (mut positions, mut normals) = (&mut net.positions[..], normals);
    let mut chunks = Vec::with_capacity(blocks.list.len());
    for (block, &count) in blocks.list.iter().zip(&net.in_block) {
        let (x, rest) = positions.split_at_mut(count);
        let (n, rest_normals) = normals.split_at_mut(count);
        (positions, normals) = (rest, rest_normals);
        chunks.push((block, x, n));
    }
    chunks.into_par_iter().for_each(|(block, positions, normals)| {
        let (middle, reach_m) = (grid.middle(block.at, 1), grid.part_reach_m());
        for (x, normal) in positions.iter_mut().zip(normals) {
            let (value, slope) = match &block.part {
                Some(part) if x.distance(middle) < reach_m => value_and_slope(part.as_ref(), *x, grid.cell_m),
                _ => value_and_slope(shape, *x, grid.cell_m),
            };
            let step = value / slope.length_squared() * slope;
            if step.is_finite() {
                *x -= step.clamp_length_max(LONGEST_STEP * grid.cell_m);
                *normal = slope.normalize_or_zero();
            }
        }
    });
}

/// From four points around, the corners of a regular tetrahedron: half the work of differences along each axis.
fn value_and_slope<D: Distance + ?Sized>(shape: &D, x: DVec3, cell_m: f64) -> (f64, DVec3) {
    const REACH_CELLS: f64 = 1e-3;
    const CORNERS: [DVec3; 4] =
        [dvec3(1.0, 1.0, 1.0), dvec3(1.0, -1.0, -1.0), dvec3(-1.0, 1.0, -1.0), dvec3(-1.0, -1.0, 1.0)];
    let reach = REACH_CELLS * cell_m;
    let points = CORNERS.map(|corner| x + reach * corner);
    let mut values = [0.0; 4];
    shape.at_each(&points, &mut values);
    let slope = CORNERS.iter().zip(values).map(|(corner, value)| *corner * value).sum::<DVec3>() / (4.0 * reach);
    (values.iter().sum::<f64>() / 4.0, slope)
}

/// Moves every vertex along the surface towards the middle of its neighbours.
fn spread(net: &mut Net, normals: &[DVec3]) {
    let mut sums = vec![(DVec3::ZERO, 0.0); net.positions.len()];
    for quad in &net.quads {
        for n in 0..4 {
            let (a, b) = (quad[n] as usize, quad[(n + 1) % 4] as usize);
            sums[a].0 += net.positions[b];
            sums[a].1 += 1.0;
        }
    }
    net.positions.par_iter_mut().zip(&sums).zip(normals).for_each(|((x, (sum, count)), normal)| {
        let to = *sum / count - *x;
        let along = to - *normal * to.dot(*normal);
        if along.is_finite() {
            *x += SPREAD * along;
        }
    });
}
