//! A cartoon hand: three fingers and a thumb, thick and well apart.
//!
//! In its own frame the wrist is at the origin, fingers point along +x, the palm faces −y, the thumb lies at −z.

use crate::distance::{Shape, smooth_path};
use sinew_math::dvec3;

#[derive(Debug, Clone, Copy)]
pub(super) struct Hand {
    /// From wrist to the longest finger's tip.
    pub size_m: f64,
    /// How far fingers spread: 1 is at ease, 2 wide.
    pub spread: f64,
    /// How thick fingers are: 1 is thin, 1.3 a glove.
    pub thick: f64,
}

pub(super) fn hand(Hand { size_m, spread, thick }: Hand) -> Shape {
    let palm = Shape::ellipsoid(dvec3(0.27, 0.13, 0.28)).moved(dvec3(0.27, 0.0, 0.02));
    let wrist = Shape::round_cone(dvec3(-0.05, 0.0, 0.0), 0.16, dvec3(0.15, 0.0, 0.0), 0.14);
    let finger = |n: f64, length: f64| {
        let z = 0.2 * n + 0.02;
        let lean = 0.12 * spread * n;
        let knots = [
            (dvec3(0.36, 0.0, z), 0.08 * thick),
            (dvec3(0.62, -0.005, z + 0.6 * lean), 0.075 * thick),
            (dvec3(0.62 + 0.6 * (length - 0.62), -0.03, z + lean), 0.072 * thick),
            (dvec3(length - 0.07, -0.07, z + 1.15 * lean), 0.07 * thick),
        ];
        Shape::sweep(smooth_path(&knots, 4))
    };
    let fingers = finger(-1.0, 0.95).union(finger(0.0, 1.0), 0.015).union(finger(1.0, 0.88), 0.015);
    let knots = [
        (dvec3(0.16, -0.02, -0.14), 0.1 * thick),
        (dvec3(0.34, -0.06, -0.3 - 0.04 * spread), 0.085 * thick),
        (dvec3(0.5, -0.1, -0.36 - 0.06 * spread), 0.075 * thick),
    ];
    let thumb = Shape::sweep(smooth_path(&knots, 4));
    palm.union(wrist, 0.08).union(fingers, 0.05).union(thumb, 0.06).scaled(size_m)
}
