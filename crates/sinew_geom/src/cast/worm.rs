//! An earthworm along x, its head at +x: rings, a saddle behind the head, round ends.

use super::limb::{limb, limb_cells};
use super::{Figure, Mark};
use crate::TetMesh;
use crate::distance::Shape;
use sinew_math::libm::{cos, pow};
use sinew_math::{dvec2, dvec3};
use std::f64::consts::TAU;

/// How far along the saddle lies.
const SADDLE: [f64; 2] = [0.66, 0.77];

/// The radius along the body as a share: blunt at the tail, drawn out at the head.
fn profile(along: f64) -> f64 {
    let tail = 1.0 - pow(1.0 - (along / 0.16).min(1.0), 2.6);
    let head = 1.0 - pow(1.0 - ((1.0 - along) / 0.3).min(1.0), 2.6);
    let saddle = smooth_step((along - SADDLE[0]) / 0.03) * smooth_step((SADDLE[1] - along) / 0.03);
    tail.min(head).max(0.0) * (0.94 + 0.1 * saddle)
}

fn smooth_step(share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

pub(super) fn figure(length_m: f64, radius_m: f64) -> Figure {
    let rings = (length_m / radius_m * 2.6).clamp(8.0, 120.0).round();
    let steps = 6 * rings as usize;
    let path: Vec<_> = (1..steps)
        .map(|n| {
            let along = n as f64 / steps as f64;
            let on_saddle = along > SADDLE[0] && along < SADDLE[1];
            let groove = if on_saddle { 0.0 } else { 0.022 * (1.0 + cos(TAU * rings * along)) };
            let radius = radius_m * (profile(along) - groove).max(0.05);
            (dvec3((along - 0.5) * length_m, 0.0, 0.0), radius)
        })
        .collect();
    let band = |low: f64, high: f64| {
        let half = dvec3(0.5 * (high - low) * length_m, 2.0 * radius_m, 2.0 * radius_m);
        Shape::cuboid(half).moved(dvec3((0.5 * (low + high) - 0.5) * length_m, 0.0, 0.0))
    };
    let figure =
        Figure::plain(Shape::sweep(path), 0xc98a86).marked(band(SADDLE[0], SADDLE[1]), 0xe0b3a4, 0.02 * length_m);
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
