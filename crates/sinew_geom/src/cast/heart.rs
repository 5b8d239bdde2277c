//! A heart: two ventricles with closed cavities, the left one's wall half again as thick, under atria and great
//! vessels. The left ventricle's axis is y, its apex below; the front is +z, the right ventricle lies at −x.

use super::Figure;
use crate::distance::{Shape, smooth_path};
use sinew_math::{DVec3, dvec3};

/// Metres at about ten times life size. The thin wall is a cell and a half of flesh of 1302 vertices: thinner, it would
/// have holes.
const LEFT_WALL: f64 = 0.23;
const RIGHT_WALL: f64 = 0.16;

/// Atria and vessels sit on top of the ventricles.
const ABOVE: DVec3 = dvec3(0.0, 0.12, 0.03);

fn ball(radii: DVec3, at: DVec3) -> Shape {
    Shape::ellipsoid(radii).moved(at)
}

fn left() -> Shape {
    ball(dvec3(0.44, 0.62, 0.44), DVec3::ZERO)
}

fn right() -> Shape {
    ball(dvec3(0.42, 0.47, 0.4), dvec3(-0.39, 0.15, 0.2))
}

/// The cavity of the left ventricle.
pub(super) fn left_cavity() -> Shape {
    ball(dvec3(0.44, 0.62, 0.44) - DVec3::splat(LEFT_WALL), DVec3::ZERO)
}

/// The right ventricle's cavity lies around the left one like a sickle.
pub(super) fn right_cavity() -> Shape {
    let inner = ball(dvec3(0.42, 0.47, 0.4) - DVec3::splat(RIGHT_WALL), dvec3(-0.39, 0.15, 0.2));
    inner.subtract(left(), 0.03)
}

fn atria() -> Shape {
    let left = ball(dvec3(0.2, 0.15, 0.18), dvec3(0.13, 0.45, -0.1));
    let right = ball(dvec3(0.17, 0.19, 0.19), dvec3(-0.33, 0.42, 0.02));
    let flap = ball(dvec3(0.11, 0.06, 0.07), dvec3(-0.2, 0.42, 0.24));
    left.union(right, 0.06).union(flap, 0.05).moved(ABOVE)
}

fn vessels() -> [Shape; 3] {
    let aorta = [
        (dvec3(-0.03, 0.4, 0.02), 0.1),
        (dvec3(-0.08, 0.6, 0.04), 0.1),
        (dvec3(-0.03, 0.78, 0.02), 0.098),
        (dvec3(0.12, 0.84, -0.06), 0.092),
        (dvec3(0.24, 0.74, -0.14), 0.085),
        (dvec3(0.27, 0.58, -0.18), 0.08),
    ];
    let branch = |from: DVec3, to: DVec3| Shape::round_cone(from, 0.045, to, 0.04);
    let branches = branch(dvec3(-0.05, 0.8, 0.02), dvec3(-0.1, 0.98, 0.04))
        .union(branch(dvec3(0.06, 0.86, -0.02), dvec3(0.05, 1.02, -0.02)), 0.0)
        .union(branch(dvec3(0.16, 0.86, -0.07), dvec3(0.2, 1.0, -0.08)), 0.0);
    let pulmonary = [
        (dvec3(-0.12, 0.34, 0.22), 0.1),
        (dvec3(-0.03, 0.52, 0.21), 0.092),
        (dvec3(0.1, 0.64, 0.1), 0.085),
        (dvec3(0.28, 0.66, 0.03), 0.07),
    ];
    let cava =
        [(dvec3(-0.36, 0.45, -0.02), 0.085), (dvec3(-0.33, 0.66, -0.03), 0.08), (dvec3(-0.32, 0.86, -0.03), 0.078)];
    [
        Shape::sweep(smooth_path(&aorta, 5)).union(branches, 0.03),
        Shape::sweep(smooth_path(&pulmonary, 5)),
        Shape::sweep(smooth_path(&cava, 4)),
    ]
    .map(|vessel| vessel.moved(ABOVE))
}

pub(super) fn figure() -> Figure {
    let muscle = left().union(right(), 0.18);
    let [aorta, pulmonary, cava] = vessels();
    let body = muscle.union(atria(), 0.05);
    let body = body.union(cava.clone(), 0.04).union(aorta.clone(), 0.035).union(pulmonary.clone(), 0.03);
    let hollow = body.subtract(left_cavity(), 0.0).subtract(right_cavity(), 0.0);
    // Coronary vessels run in the groove between the ventricles; too fine for flesh.
    let coronary = [
        (dvec3(-0.023, 0.470, 0.357), 0.02),
        (dvec3(0.000, 0.224, 0.446), 0.02),
        (dvec3(0.034, 0.000, 0.452), 0.018),
        (dvec3(0.069, -0.224, 0.411), 0.015),
        (dvec3(0.092, -0.426, 0.309), 0.01),
    ];
    let side = [
        (dvec3(0.000, 0.224, 0.446), 0.014),
        (dvec3(0.161, 0.090, 0.416), 0.013),
        (dvec3(0.287, -0.067, 0.327), 0.009),
    ];
    let coronary = Shape::sweep(smooth_path(&coronary, 4)).union(Shape::sweep(smooth_path(&side, 4)), 0.01);
    let shape = hollow.clone().union(coronary.clone(), 0.02);
    Figure::plain(shape, 0xb5423f)
        .with_flesh(hollow)
        .marked(atria().grow(-0.01), 0xa0474a, 0.06)
        .marked(aorta.grow(0.004), 0xd9584c, 0.03)
        .marked(cava.grow(0.004).union(pulmonary.grow(0.004), 0.0), 0x5b6fae, 0.03)
        .marked(coronary.grow(0.004), 0xe0b060, 0.012)
        .marked(left_cavity().grow(0.01).union(right_cavity().grow(0.01), 0.0), 0x7d2226, 0.01)
}
