//! A cartoon head that faces +z: round cheeks to puff, a nose like a potato, ears, eyes, a smile, a tuft of hair.

use super::Figure;
use crate::distance::{Shape, smooth_path};
use sinew_math::{DQuat, DVec3, dvec3};

fn ball(radii: DVec3, at: DVec3) -> Shape {
    Shape::ellipsoid(radii).moved(at)
}

pub(super) fn figure() -> Figure {
    let skull = ball(dvec3(0.33, 0.36, 0.32), dvec3(0.0, 0.14, -0.02));
    let face = ball(dvec3(0.3, 0.25, 0.28), dvec3(0.0, -0.12, 0.04));
    let chin = ball(dvec3(0.13, 0.09, 0.1), dvec3(0.0, -0.33, 0.16));
    let cheeks = ball(dvec3(0.135, 0.13, 0.12), dvec3(0.215, -0.1, 0.18)).mirrored();
    let neck = Shape::round_cone(dvec3(0.0, -0.32, -0.05), 0.15, dvec3(0.0, -0.62, -0.07), 0.17);
    let head = skull.union(face, 0.12).union(chin, 0.1).union(neck, 0.07).union(cheeks.clone(), 0.07);
    let nose = ball(dvec3(0.085, 0.075, 0.085), dvec3(0.0, -0.02, 0.345));
    let ear = ball(dvec3(0.045, 0.105, 0.075), dvec3(0.35, 0.02, -0.04)).turned(DQuat::from_rotation_z(-0.12));
    let hollow = ball(dvec3(0.03, 0.065, 0.05), dvec3(0.385, 0.02, -0.005)).turned(DQuat::from_rotation_z(-0.12));
    let ears = ear.subtract(hollow, 0.02).mirrored();
    let eyes = ball(dvec3(0.088, 0.11, 0.075), dvec3(0.105, 0.14, 0.235)).mirrored();
    let brow = Shape::sweep([
        (dvec3(0.045, 0.3, 0.275), 0.02),
        (dvec3(0.11, 0.325, 0.262), 0.026),
        (dvec3(0.185, 0.3, 0.22), 0.018),
    ]);
    let brows = brow.mirrored();
    let smile = smooth_path(
        &[
            (dvec3(-0.14, -0.2, 0.27), 0.02),
            (dvec3(-0.075, -0.25, 0.28), 0.028),
            (dvec3(0.0, -0.265, 0.285), 0.03),
            (dvec3(0.075, -0.25, 0.28), 0.028),
            (dvec3(0.14, -0.2, 0.27), 0.02),
        ],
        4,
    );
    let mouth = Shape::sweep(smile);
    let lock = |x: f64, z: f64, lean: f64| {
        Shape::sweep(smooth_path(
            &[
                (dvec3(0.4 * x, 0.46, z), 0.07),
                (dvec3(x, 0.56, z + 0.02), 0.052),
                (dvec3(x + lean, 0.61, z + 0.07), 0.014),
            ],
            4,
        ))
    };
    let hair = lock(-0.07, -0.03, -0.09).union(lock(0.0, 0.0, 0.01), 0.02).union(lock(0.08, -0.04, 0.1), 0.02);
    let soft = head.union(nose.clone(), 0.03).union(ears.clone(), 0.03).union(hair.clone(), 0.02);
    let shape = soft.clone().union(eyes.clone(), 0.008).subtract(mouth.clone(), 0.02).union(brows.clone(), 0.01);
    Figure::plain(shape, 0xf0bd94)
        .with_flesh(soft.union(eyes.clone(), 0.02))
        .marked(cheeks, 0xee9a84, 0.09)
        .marked(nose.grow(0.004), 0xe58f72, 0.05)
        .marked(eyes.grow(0.003), 0xfdfdfb, 0.006)
        .marked(ball(dvec3(0.042, 0.055, 0.05), dvec3(0.092, 0.14, 0.305)).mirrored(), 0x2b5f8f, 0.006)
        .marked(ball(dvec3(0.024, 0.032, 0.05), dvec3(0.09, 0.142, 0.317)).mirrored(), 0x141416, 0.005)
        .marked(Shape::sphere(0.016).moved(dvec3(0.108, 0.175, 0.315)).mirrored(), 0xffffff, 0.005)
        .marked(mouth.grow(0.004), 0x8c2f36, 0.008)
        .marked(brows.grow(0.003), 0x5a3423, 0.006)
        .marked(hair.grow(0.004), 0x5a3423, 0.02)
}
