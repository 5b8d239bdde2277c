//! A cartoon arm along x, shoulder at −x, flexing: biceps, forearm, a gloved hand.

use super::Figure;
use super::hand::{Hand, hand};
use crate::distance::{Shape, smooth_path};
use sinew_math::{DVec3, dvec3};

const WRIST: DVec3 = dvec3(0.34, 0.0, 0.0);

pub(super) fn figure() -> Figure {
    let knots = [
        (dvec3(-0.72, 0.0, 0.0), 0.15),
        (dvec3(-0.52, 0.0, 0.0), 0.135),
        (dvec3(-0.28, 0.0, 0.0), 0.125),
        (dvec3(-0.12, -0.015, 0.0), 0.105),
        (dvec3(0.05, -0.01, 0.0), 0.12),
        (dvec3(0.2, 0.0, 0.0), 0.095),
        (WRIST, 0.075),
    ];
    let biceps = Shape::ellipsoid(dvec3(0.19, 0.1, 0.1)).moved(dvec3(-0.34, 0.075, 0.02));
    let triceps = Shape::ellipsoid(dvec3(0.2, 0.085, 0.09)).moved(dvec3(-0.4, -0.06, -0.01));
    let shoulder = Shape::ellipsoid(dvec3(0.17, 0.19, 0.18)).moved(dvec3(-0.68, 0.02, 0.0));
    let muscles = biceps.union(triceps, 0.05).union(shoulder, 0.08);
    let arm = Shape::sweep(smooth_path(&knots, 5)).union(muscles, 0.06);
    let glove = hand(Hand { size_m: 0.46, spread: 1.5, thick: 1.15 }).moved(WRIST);
    let cuff = Shape::torus(0.07, 0.035).turned(sinew_math::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
    let cuff = cuff.moved(WRIST + dvec3(-0.01, 0.0, 0.0));
    let gloved = glove.union(cuff.clone(), 0.01);
    let shape = arm.union(gloved, 0.012);
    let sleeve = Shape::cuboid(dvec3(0.2, 1.0, 1.0)).moved(dvec3(-0.81, 0.0, 0.0));
    Figure::plain(shape, 0xe6a87c)
        .marked(sleeve, 0xc94f4a, 0.008)
        .marked(Shape::cuboid(dvec3(0.5, 1.0, 1.0)).moved(WRIST + dvec3(0.475, 0.0, 0.0)), 0xf4f1ea, 0.008)
        .marked(cuff.grow(0.004), 0xf4f1ea, 0.006)
}
