//! A snake along x, its head at +x.

use super::Figure;
use super::limb::{limb, limb_cells};
use crate::TetMesh;
use crate::distance::Shape;
use sinew_math::dvec3;
use sinew_math::libm::pow;

const LENGTH: f64 = 1.8;
const RADIUS: f64 = 0.05;
/// Where the head begins, as a share of the length.
const HEAD: f64 = 0.93;

/// The radius along the body as a share: a long tail, a neck, a head.
fn profile(along: f64) -> f64 {
    let tail = pow((along / 0.55).clamp(0.02, 1.0), 0.65);
    let neck = 1.0 - 0.32 * bump((along - 0.905) / 0.06);
    tail * neck
}

fn bump(x: f64) -> f64 {
    let inside = (1.0 - x * x).max(0.0);
    inside * inside
}

pub(super) fn figure() -> Figure {
    let x = |along: f64| (along - 0.5) * LENGTH;
    let path: Vec<_> = (0..=60)
        .map(|n| {
            let along = HEAD * f64::from(n) / 60.0 + 0.012;
            (dvec3(x(along), 0.0, 0.0), RADIUS * profile(along))
        })
        .collect();
    let body = Shape::sweep(path).stretched(dvec3(1.0, 0.9, 1.0));
    let skull = Shape::ellipsoid(dvec3(0.075, 0.042, 0.056)).moved(dvec3(x(0.955), 0.004, 0.0));
    let snout = Shape::ellipsoid(dvec3(0.05, 0.03, 0.036)).moved(dvec3(x(0.982), -0.002, 0.0));
    let eye = |radius: f64| super::right_and_left(&Shape::sphere(radius).moved(dvec3(x(0.967), 0.026, 0.036)));
    let shape = body.union(skull, 0.03).union(snout, 0.025).union(eye(0.012), 0.004);
    let spots = (0..22).map(|n| {
        let along = 0.06 + 0.038 * f64::from(n);
        let wide = RADIUS * profile(along);
        Shape::ellipsoid(dvec3(0.022, 0.8 * wide, 0.75 * wide)).moved(dvec3(x(along), 0.75 * wide, 0.0))
    });
    let spots = spots.reduce(|spots, spot| spots.union(spot, 0.0)).unwrap_or(Shape::sphere(0.01));
    let belly = Shape::cuboid(dvec3(LENGTH, RADIUS, 1.0)).moved(dvec3(0.0, -1.5 * RADIUS, 0.0));
    Figure::plain(shape, 0x86a04c)
        .marked(belly, 0xe3dfae, 0.02)
        .marked(spots, 0x4d3b24, 0.008)
        .marked(eye(0.014), 0xe8b83a, 0.004)
        .marked(super::right_and_left(&Shape::sphere(0.007).moved(dvec3(x(0.9685), 0.028, 0.046))), 0x111111, 0.003)
}

pub(super) fn flesh(vertices: usize) -> TetMesh {
    let cells = limb_cells(0.75 * LENGTH / RADIUS, vertices);
    const SHOULDER: f64 = 0.018;
    limb(cells, SHOULDER, |along, across| {
        let rim = along.clamp(SHOULDER, 1.0 - SHOULDER);
        let head = 0.12 * bump((rim - 0.955) / 0.04);
        // Near its end the tail is thicker than it looks, or its tets would be needles.
        let across =
            across * RADIUS * (profile(rim).max(0.3) + head) * if rim > 0.97 { 1.0 - 14.0 * (rim - 0.97) } else { 1.0 };
        dvec3((along - 0.5) * LENGTH, -0.9 * across.x, across.y)
    })
}
