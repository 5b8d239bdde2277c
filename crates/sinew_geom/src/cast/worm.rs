//! An earthworm along x, its head at +x: rings, a saddle behind the head, round ends.

use super::limb::{limb, limb_cells};
use super::{Figure, Mark};
use crate::TetMesh;
use crate::distance::Shape;
use sinew_math::libm::pow;
use sinew_math::{DVec3, dvec2, dvec3};

/// How far along the saddle lies.
const SADDLE: [f64; 2] = [0.66, 0.77];

/// The radius along the body as a share: blunt at the tail, drawn out at the head.
fn profile(along: f64) -> f64 {
    let round = |share: f64, power: f64| pow(1.0 - pow(1.0 - share.clamp(0.0, 1.0), power), 1.0 / power);
    let tail = round(along / 0.16, 2.2);
    let head = round((1.0 - along) / 0.3, 2.0);
    let saddle = smooth_step((along - SADDLE[0]) / 0.03) * smooth_step((SADDLE[1] - along) / 0.03);
    tail.min(head) * (0.95 + 0.07 * saddle)
}

fn smooth_step(share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

pub(super) fn figure(length_m: f64, radius_m: f64) -> Figure {
    let rings = (length_m / radius_m * 2.6).clamp(8.0, 120.0).round();
    let path = |from: f64, to: f64, steps: u32, grow: f64| -> Vec<_> {
        let at = |n: u32| from + (to - from) * f64::from(n) / f64::from(steps);
        let knot = |along: f64| (dvec3((along - 0.5) * length_m, 0.0, 0.0), radius_m * (profile(along) + grow));
        (0..=steps).map(|n| knot(at(n))).collect()
    };
    // Balls at the ends reach the tips.
    let end = (0.4 * radius_m / length_m).min(0.1);
    let body = Shape::sweep(path(end, 1.0 - end, 40, 0.0)).rippled(DVec3::X, length_m / rings, 0.022 * radius_m);
    let shape = body.union(Shape::sweep(path(SADDLE[0] + 0.01, SADDLE[1] - 0.01, 6, 0.01)), 0.1 * radius_m);
    let band = |low: f64, high: f64| {
        let half = dvec3(0.5 * (high - low) * length_m, 2.0 * radius_m, 2.0 * radius_m);
        Shape::cuboid(half).moved(dvec3((0.5 * (low + high) - 0.5) * length_m, 0.0, 0.0))
    };
    let figure = Figure::plain(shape, 0xc98a86).marked(band(SADDLE[0], SADDLE[1]), 0xe0b3a4, 0.02 * length_m);
    let belly = Shape::cuboid(dvec3(length_m, radius_m, 2.0 * radius_m)).moved(dvec3(0.0, -1.25 * radius_m, 0.0));
    let pale = Mark { within: belly, colour: super::hex(0xdba79c), soft_m: radius_m };
    Figure { marks: [vec![pale], figure.marks].concat(), ..figure }
}

pub(super) fn flesh(length_m: f64, radius_m: f64, vertices: usize) -> TetMesh {
    let cells = limb_cells(length_m / radius_m, vertices);
    // The rims of the end slices, where the body is about half as thick as in the middle.
    const SHOULDER: f64 = 0.05;
    limb(cells, SHOULDER, |along, across| {
        let rim = along.clamp(SHOULDER, 1.0 - SHOULDER);
        let across = across * radius_m * profile(rim);
        let across = dvec2(across.x, across.y);
        // Slices run along x; a disk's second axis turns with it so that tets stay upright.
        dvec3((along - 0.5) * length_m, -across.x, across.y)
    })
}
