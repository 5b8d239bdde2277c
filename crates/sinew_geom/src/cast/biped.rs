//! A biped that stands with its arms a little out, facing +z: fingers, legs and feet apart.

use super::Figure;
use super::hand::{Hand, hand};
use crate::distance::{Shape, smooth_path};
use sinew_math::{DMat3, DQuat, DVec3, dvec3};

const WRIST: DVec3 = dvec3(0.53, 0.86, 0.03);

fn arm() -> Shape {
    let knots = [
        (dvec3(0.14, 1.32, 0.0), 0.085),
        (dvec3(0.25, 1.25, -0.005), 0.07),
        (dvec3(0.37, 1.08, -0.01), 0.055),
        (dvec3(0.46, 0.96, 0.01), 0.05),
        (WRIST, 0.036),
    ];
    Shape::sweep(smooth_path(&knots, 4))
}

/// The hand's own x points along the arm, its palm faces the body.
fn placed_hand(spread: f64) -> Shape {
    let along = dvec3(0.42, -0.9, 0.06).normalize();
    let palm = dvec3(-0.9, -0.42, 0.0);
    let palm = (palm - along * palm.dot(along)).normalize();
    let turn = DQuat::from_mat3(&DMat3::from_cols(along, -palm, along.cross(-palm)));
    hand(Hand { size_m: 0.29, spread, thick: 1.1 }).turned(turn).moved(WRIST)
}

fn leg() -> Shape {
    let knots = [
        (dvec3(0.1, 0.86, 0.0), 0.115),
        (dvec3(0.125, 0.66, 0.01), 0.095),
        (dvec3(0.135, 0.46, 0.015), 0.068),
        (dvec3(0.14, 0.32, -0.005), 0.07),
        (dvec3(0.145, 0.1, -0.01), 0.045),
    ];
    let foot = Shape::round_cone(dvec3(0.145, 0.05, -0.04), 0.05, dvec3(0.165, 0.036, 0.14), 0.042);
    Shape::sweep(smooth_path(&knots, 4)).union(foot, 0.04)
}

fn head() -> Shape {
    let skull = Shape::ellipsoid(dvec3(0.125, 0.15, 0.14)).moved(dvec3(0.0, 1.62, 0.01));
    let jaw = Shape::ellipsoid(dvec3(0.09, 0.085, 0.09)).moved(dvec3(0.0, 1.535, 0.045));
    let nose = Shape::round_cone(dvec3(0.0, 1.615, 0.145), 0.015, dvec3(0.0, 1.59, 0.165), 0.02);
    let ear = Shape::ellipsoid(dvec3(0.018, 0.036, 0.026)).moved(dvec3(0.127, 1.6, 0.0)).mirrored();
    skull.union(jaw, 0.06).union(nose, 0.02).union(ear, 0.015)
}

pub(super) fn figure() -> Figure {
    let neck = Shape::capsule(dvec3(0.0, 1.36, -0.01), dvec3(0.0, 1.5, 0.0), 0.055);
    let chest = Shape::ellipsoid(dvec3(0.18, 0.2, 0.11)).moved(dvec3(0.0, 1.2, 0.0));
    let waist = Shape::ellipsoid(dvec3(0.13, 0.18, 0.095)).moved(dvec3(0.0, 1.02, 0.0));
    let hips = Shape::ellipsoid(dvec3(0.16, 0.12, 0.11)).moved(dvec3(0.0, 0.9, 0.0));
    let torso = chest.union(waist, 0.08).union(hips, 0.08).union(neck, 0.05);
    let limbs = arm().union(placed_hand(1.9), 0.02).mirrored().union(leg().mirrored(), 0.02);
    let eyes = Shape::sphere(0.021).moved(dvec3(0.048, 1.635, 0.133)).mirrored();
    let shape = torso.union(limbs, 0.04).union(head(), 0.03).union(eyes.clone(), 0.004);
    let box_of = |half: DVec3, at: DVec3| Shape::cuboid(half).moved(at);
    let shorts = box_of(dvec3(0.3, 0.19, 0.3), dvec3(0.0, 0.78, 0.0))
        .subtract(box_of(dvec3(0.5, 0.5, 0.5), dvec3(0.76, 0.9, 0.0)).mirrored(), 0.0);
    let shirt = box_of(dvec3(0.27, 0.245, 0.3), dvec3(0.0, 1.175, 0.0));
    let shoes = box_of(dvec3(0.4, 0.1, 0.4), dvec3(0.0, 0.0, 0.0));
    let hair = Shape::ellipsoid(dvec3(0.16, 0.14, 0.15)).moved(dvec3(0.0, 1.715, -0.06));
    Figure::plain(shape, 0xe3b18c)
        .marked(shirt, 0x4b7fc4, 0.01)
        .marked(shorts, 0x37415a, 0.01)
        .marked(shoes, 0xb5493f, 0.01)
        .marked(hair, 0x4a2f24, 0.012)
        .marked(eyes.grow(0.002), 0xfafafa, 0.003)
        .marked(Shape::sphere(0.013).moved(dvec3(0.048, 1.636, 0.149)).mirrored(), 0x201a1a, 0.004)
        .marked(Shape::ellipsoid(dvec3(0.04, 0.009, 0.03)).moved(dvec3(0.0, 1.545, 0.13)), 0xa3493f, 0.008)
}
