//! A rabbit that sits up, looking towards +x: long ears side by side, four legs apart, a tail like a ball.

use super::{Figure, right_and_left};
use crate::distance::{Shape, smooth_path};
use sinew_math::{DQuat, DVec3, dvec3};

const HEAD: DVec3 = dvec3(0.17, 0.74, 0.0);

fn ball(radii: DVec3, at: DVec3) -> Shape {
    Shape::ellipsoid(radii).moved(at)
}

/// One ear, the right one: a flat leaf that leans back and outwards.
fn ear(thickness: f64) -> Shape {
    let leaf = Shape::ellipsoid(dvec3(thickness, 0.24, 0.062)).moved(dvec3(0.0, 0.22, 0.0));
    let stem = Shape::round_cone(DVec3::ZERO, 0.04, dvec3(0.0, 0.12, 0.0), 0.038);
    let lean = DQuat::from_rotation_z(0.28) * DQuat::from_rotation_x(0.16);
    stem.union(leaf, 0.03).turned(lean).moved(HEAD + dvec3(-0.05, 0.12, 0.068))
}

fn hollow_of_ear() -> Shape {
    let lean = DQuat::from_rotation_z(0.28) * DQuat::from_rotation_x(0.16);
    let hollow = Shape::ellipsoid(dvec3(0.03, 0.17, 0.033)).moved(dvec3(0.034, 0.24, 0.0));
    hollow.turned(lean).moved(HEAD + dvec3(-0.05, 0.12, 0.068))
}

fn front_leg() -> Shape {
    let knots = [
        (dvec3(0.12, 0.42, 0.1), 0.085),
        (dvec3(0.2, 0.26, 0.105), 0.06),
        (dvec3(0.23, 0.1, 0.1), 0.048),
        (dvec3(0.28, 0.045, 0.1), 0.045),
    ];
    Shape::sweep(smooth_path(&knots, 4)).union(ball(dvec3(0.075, 0.042, 0.052), dvec3(0.29, 0.042, 0.1)), 0.03)
}

fn hind_leg() -> Shape {
    let thigh = ball(dvec3(0.19, 0.19, 0.1), dvec3(-0.06, 0.23, 0.17)).turned(DQuat::from_rotation_y(0.06));
    let foot = Shape::round_cone(dvec3(-0.1, 0.055, 0.2), 0.055, dvec3(0.15, 0.05, 0.225), 0.05);
    thigh.union(foot, 0.06)
}

pub(super) fn figure() -> Figure {
    let trunk = Shape::round_cone(dvec3(-0.05, 0.27, 0.0), 0.24, dvec3(0.07, 0.5, 0.0), 0.17);
    let skull = ball(dvec3(0.19, 0.165, 0.165), HEAD);
    let snout = ball(dvec3(0.1, 0.085, 0.1), HEAD + dvec3(0.13, -0.045, 0.0));
    let cheek = right_and_left(&ball(dvec3(0.07, 0.065, 0.06), HEAD + dvec3(0.1, -0.06, 0.06)));
    let head = skull.union(snout, 0.06).union(cheek, 0.05);
    let nose = ball(dvec3(0.022, 0.018, 0.026), HEAD + dvec3(0.232, -0.02, 0.0));
    let tail = Shape::sphere(0.095).moved(dvec3(-0.28, 0.2, 0.0));
    let body = trunk.union(head, 0.09).union(tail.clone(), 0.03);
    let legs = right_and_left(&hind_leg()).union(right_and_left(&front_leg()), 0.02);
    let body = body.union(legs, 0.035);
    let eyes = right_and_left(&Shape::sphere(0.034).moved(HEAD + dvec3(0.115, 0.045, 0.123)));
    let with_ears = |thickness: f64| body.clone().union(right_and_left(&ear(thickness)), 0.025);
    let hollows = right_and_left(&hollow_of_ear());
    let shape = with_ears(0.034).subtract(hollows.clone(), 0.012).union(eyes.clone(), 0.004).union(nose.clone(), 0.01);
    let glint = right_and_left(&Shape::sphere(0.011).moved(HEAD + dvec3(0.135, 0.063, 0.148)));
    Figure::plain(shape, 0xb99a80)
        .with_flesh(with_ears(0.05))
        .marked(ball(dvec3(0.12, 0.2, 0.15), dvec3(0.19, 0.4, 0.0)), 0xf0e4d6, 0.09)
        .marked(ball(dvec3(0.09, 0.07, 0.1), HEAD + dvec3(0.16, -0.07, 0.0)), 0xf2e8dc, 0.05)
        .marked(tail.grow(0.004), 0xf6f0e8, 0.02)
        .marked(right_and_left(&ball(dvec3(0.09, 0.06, 0.07), dvec3(0.29, 0.04, 0.1))), 0xefe2d3, 0.03)
        .marked(hollows.grow(0.004), 0xe8a9a6, 0.012)
        .marked(nose.grow(0.004), 0xd9788a, 0.006)
        .marked(eyes.grow(0.002), 0x231a1c, 0.004)
        .marked(glint, 0xffffff, 0.006)
}
