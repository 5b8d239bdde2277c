//! A bowel: a tube bent like an S in the plane of x and y, open at both ends.

use super::Figure;
use super::limb::along_path;
use crate::TetMesh;
use crate::distance::Shape;
use crate::structured::prism_tets;
use sinew_math::libm::{cos, log, sin};
use sinew_math::{DVec3, dvec3};
use std::f64::consts::{PI, TAU};

const OUTER: f64 = 0.115;
const INNER: f64 = 0.06;

/// Half the distance between runs, which is the radius of the bends; where the ends are; where runs turn into bends.
const BEND: f64 = 0.21;
const END_X: f64 = 0.62;
const RUN_X: f64 = 0.3;

/// The middle of the tube: three runs and two bends.
pub(super) fn middle() -> Vec<DVec3> {
    const STEPS: u32 = 16;
    let run = |from: DVec3, to: DVec3| (0..STEPS).map(move |n| from.lerp(to, f64::from(n) / f64::from(STEPS)));
    // Half a circle from its top to its bottom, towards `side`.
    let bend = |centre: DVec3, side: f64| {
        (0..STEPS).map(move |n| {
            let angle = PI * f64::from(n) / f64::from(STEPS);
            centre + BEND * dvec3(side * sin(angle), cos(angle), 0.0)
        })
    };
    let top = run(dvec3(END_X, 2.0 * BEND, 0.0), dvec3(-RUN_X, 2.0 * BEND, 0.0));
    let middle = run(dvec3(-RUN_X, 0.0, 0.0), dvec3(RUN_X, 0.0, 0.0));
    let end = dvec3(-END_X, -2.0 * BEND, 0.0);
    let bottom = run(dvec3(RUN_X, -2.0 * BEND, 0.0), end);
    let left = bend(dvec3(-RUN_X, BEND, 0.0), -1.0);
    let right = bend(dvec3(RUN_X, -BEND, 0.0), 1.0);
    top.chain(left).chain(middle).chain(right).chain(bottom).chain([end]).collect()
}

fn tube(radius: f64, beyond: f64) -> Shape {
    let mut path = middle();
    let last = path.len() - 1;
    let (start, end) = ((path[0] - path[1]).normalize(), (path[last] - path[last - 1]).normalize());
    path.insert(0, path[0] + start * beyond);
    path.push(path[last + 1] + end * beyond);
    Shape::sweep(path.into_iter().map(|x| (x, radius)).collect::<Vec<_>>())
}

pub(super) fn figure() -> Figure {
    // Cut flat at the ends.
    let wall = tube(OUTER, 0.0).intersect(Shape::cuboid(dvec3(END_X, 1.0, 1.0)), 0.03);
    let haustra = wall.rippled(dvec3(0.94, -0.34, 0.0), 0.11, 0.006);
    let hollow = tube(INNER, 0.3);
    let shape = haustra.subtract(hollow.clone(), 0.03);
    Figure::plain(shape, 0xd98f84).marked(hollow.grow(0.02), 0xa64f4c, 0.02)
}

/// One layer of tets between two sheets, in slices along the middle.
pub(super) fn flesh(vertices: usize) -> TetMesh {
    let path = middle();
    let length: f64 = path.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    // Cells as long as they are wide at the middle of the wall.
    let slices = |around: usize| {
        let edge = TAU * 0.5 * (OUTER + INNER) / around as f64;
        ((length / edge).round() as usize, edge)
    };
    let count = |around: usize, slices: usize| 2 * around * (slices + 1);
    let choices = (6..400).flat_map(|around| {
        let (even, _) = slices(around);
        let wanted = (vertices / (2 * around)).saturating_sub(1);
        let stretch = move |slices: usize| log(slices as f64 / even as f64).abs();
        [wanted, wanted + 1].into_iter().filter(|slices| *slices >= 8).map(move |slices| {
            (around, slices, count(around, slices).abs_diff(vertices) as f64 / vertices as f64 * 40.0 + stretch(slices))
        })
    });
    let (around, slices, _) = choices.min_by(|a, b| a.2.total_cmp(&b.2)).unwrap_or((8, 40, 0.0));
    ring_tube(around, slices, &path)
}

fn ring_tube(around: usize, slices: usize, path: &[DVec3]) -> TetMesh {
    let mut mesh = TetMesh { positions: Vec::with_capacity(2 * around * (slices + 1)), tets: Vec::new() };
    for slice in 0..=slices {
        let (at, along) = along_path(path, slice as f64 / slices as f64);
        // The tube lies in a plane, so that its own normal keeps rings from twisting.
        let across = DVec3::Z.cross(along).normalize();
        for radius in [INNER, OUTER] {
            mesh.positions.extend((0..around).map(|n| {
                let angle = n as f64 / around as f64 * TAU;
                at + radius * (across * cos(angle) + DVec3::Z * sin(angle))
            }));
        }
    }
    let vertex = |slice: usize, sheet: usize, n: usize| ((2 * slice + sheet) * around + n % around) as u32;
    for slice in 0..slices {
        for n in 0..around {
            // The quad between two sheets and two places around, as two triangles; prisms over them run to the next slice.
            let [a, b, c, d] =
                [vertex(slice, 0, n), vertex(slice, 1, n), vertex(slice, 1, n + 1), vertex(slice, 0, n + 1)];
            for triangle in [[a, b, c], [a, c, d]] {
                let up = 2 * around as u32;
                let tets = prism_tets(triangle, |v| v, |v| v + up);
                let volume = |tet: &[u32; 4]| {
                    let [p, q, r, s] = tet.map(|v| mesh.positions[v as usize]);
                    (q - p).cross(r - p).dot(s - p)
                };
                let flip = |tet: [u32; 4]| if volume(&tet) < 0.0 { [tet[1], tet[0], tet[2], tet[3]] } else { tet };
                let upright = tets.map(flip);
                mesh.tets.extend(upright);
            }
        }
    }
    mesh
}
