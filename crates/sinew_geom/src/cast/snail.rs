//! A garden snail that crawls along +x: foot, neck and head, two eye stalks, two feelers, a coiled shell.

use super::{Figure, right_and_left};
use crate::distance::{Shape, smooth_path};
use sinew_math::libm::{cos, exp, sin};
use sinew_math::{DVec3, dvec3};
use std::f64::consts::TAU;

/// The shell's axis crosses the plane of the body here.
const COIL: DVec3 = dvec3(-0.08, 0.36, 0.0);
/// Turns from the mouth of the shell to its tip, and how much is left of the size after one of them.
const TURNS: f64 = 2.6;
const SHRINK: f64 = 0.46;

fn foot() -> Shape {
    let path = smooth_path(
        &[
            (dvec3(-0.62, 0.03, 0.0), 0.022),
            (dvec3(-0.42, 0.055, 0.0), 0.06),
            (dvec3(-0.15, 0.085, 0.0), 0.1),
            (dvec3(0.15, 0.09, 0.0), 0.1),
            (dvec3(0.36, 0.11, 0.0), 0.085),
            (dvec3(0.48, 0.22, 0.0), 0.08),
            (dvec3(0.55, 0.34, 0.0), 0.085),
        ],
        6,
    );
    let sole = Shape::ellipsoid(dvec3(0.52, 0.05, 0.15)).moved(dvec3(-0.05, 0.035, 0.0));
    Shape::sweep(path).union(sole, 0.08)
}

/// The place and size of the shell's tube after `turns` turns.
fn coil(turns: f64) -> (DVec3, f64) {
    let size = exp(turns * sinew_math::libm::log(SHRINK));
    let angle = -1.25 + turns * TAU;
    let out = 0.185 * size;
    let lift = 0.11 * (1.0 - size);
    (COIL + dvec3(out * cos(angle), out * sin(angle), lift), 0.135 * size)
}

fn shell() -> Shape {
    let steps = 70;
    let path: Vec<_> = (0..=steps).map(|n| coil(TURNS * f64::from(n) / f64::from(steps))).collect();
    Shape::sweep(path)
}

fn stalk(radius: f64) -> Shape {
    let knots =
        [(dvec3(0.54, 0.38, 0.035), 1.3 * radius), (dvec3(0.6, 0.5, 0.07), radius), (dvec3(0.68, 0.62, 0.11), radius)];
    Shape::sweep(smooth_path(&knots, 5))
}

fn eye() -> DVec3 {
    dvec3(0.69, 0.64, 0.115)
}

fn feeler(radius: f64) -> Shape {
    Shape::round_cone(dvec3(0.6, 0.3, 0.03), radius, dvec3(0.7, 0.27, 0.065), 0.8 * radius)
}

pub(super) fn figure() -> Figure {
    let head = Shape::ellipsoid(dvec3(0.1, 0.085, 0.085)).moved(dvec3(0.565, 0.345, 0.0));
    let body = foot().union(head, 0.05);
    let eyes = right_and_left(&Shape::sphere(0.036).moved(eye()));
    let thin = right_and_left(&stalk(0.022)).union(right_and_left(&feeler(0.02)), 0.0);
    let thick = right_and_left(&stalk(0.036)).union(right_and_left(&feeler(0.034)), 0.0);
    let mantle = Shape::torus(0.13, 0.03).moved(COIL + dvec3(0.06, -0.19, 0.0));
    let soft = body.clone().union(mantle, 0.05);
    let shape = soft.clone().union(thin, 0.03).union(eyes.clone(), 0.02).union(shell(), 0.02);
    let flesh = soft.union(thick, 0.03).union(eyes.clone().grow(0.006), 0.02).union(shell(), 0.04);
    let bands = (0..2).fold(None, |bands: Option<Shape>, n| {
        let side = 0.4 + 0.9 * f64::from(n);
        let steps = 70;
        let path: Vec<_> = (0..=steps)
            .map(|k| {
                let (at, radius) = coil(TURNS * f64::from(k) / f64::from(steps));
                let out = (at - COIL).with_z(0.0).normalize_or_zero();
                (at + radius * (out * cos(side) + DVec3::Z * sin(side)), 0.22 * radius)
            })
            .collect();
        let band = Shape::sweep(path);
        Some(match bands {
            None => band,
            Some(others) => others.union(band, 0.0),
        })
    });
    let figure = Figure::plain(shape, 0xcbb28f).with_flesh(flesh).marked(shell().grow(0.004), 0xb5763f, 0.012);
    let figure = match bands {
        Some(bands) => figure.marked(bands, 0x6b3f24, 0.012),
        None => figure,
    };
    let pupils = right_and_left(&Shape::sphere(0.03).moved(eye() + dvec3(0.012, 0.012, 0.004)));
    figure.marked(pupils, 0x1d1a1c, 0.008)
}
