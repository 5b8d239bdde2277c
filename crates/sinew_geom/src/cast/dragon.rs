//! A winged dragon that walks towards +x: four legs apart, wings with finger bones, horns, a ridge of spines.

use super::{Figure, right_and_left};
use crate::distance::{Shape, smooth_path};
use sinew_math::{DMat3, DQuat, DVec2, DVec3, dvec2, dvec3};

fn spine_of_body() -> Vec<(DVec3, f64)> {
    let knots = [
        (dvec3(-1.12, 0.3, 0.0), 0.012),
        (dvec3(-0.95, 0.2, 0.0), 0.03),
        (dvec3(-0.72, 0.2, 0.0), 0.055),
        (dvec3(-0.46, 0.33, 0.0), 0.1),
        (dvec3(-0.18, 0.43, 0.0), 0.165),
        (dvec3(0.1, 0.46, 0.0), 0.17),
        (dvec3(0.32, 0.58, 0.0), 0.115),
        (dvec3(0.44, 0.77, 0.0), 0.085),
        (dvec3(0.52, 0.95, 0.0), 0.08),
        (dvec3(0.6, 1.03, 0.0), 0.085),
    ];
    smooth_path(&knots, 5)
}

fn head() -> Shape {
    let skull = Shape::ellipsoid(dvec3(0.13, 0.095, 0.095)).moved(dvec3(0.61, 1.05, 0.0));
    let snout = Shape::round_cone(dvec3(0.66, 1.03, 0.0), 0.07, dvec3(0.83, 0.98, 0.0), 0.05);
    let jaw = Shape::round_cone(dvec3(0.64, 0.98, 0.0), 0.05, dvec3(0.79, 0.92, 0.0), 0.03);
    let brow = right_and_left(&Shape::capsule(dvec3(0.6, 1.12, 0.055), dvec3(0.69, 1.095, 0.06), 0.022));
    let nostril = right_and_left(&Shape::sphere(0.02).moved(dvec3(0.85, 1.02, 0.028)));
    skull.union(snout, 0.05).union(jaw, 0.025).union(brow, 0.03).union(nostril, 0.02)
}

fn horns(radius: f64) -> Shape {
    let knots = [
        (dvec3(0.57, 1.11, 0.055), radius),
        (dvec3(0.49, 1.2, 0.085), 0.8 * radius),
        (dvec3(0.4, 1.23, 0.1), 0.35 * radius),
    ];
    right_and_left(&Shape::sweep(smooth_path(&knots, 4)))
}

fn front_leg() -> Shape {
    let knots = [
        (dvec3(0.14, 0.42, 0.13), 0.1),
        (dvec3(0.12, 0.27, 0.19), 0.07),
        (dvec3(0.2, 0.13, 0.185), 0.05),
        (dvec3(0.22, 0.05, 0.185), 0.05),
    ];
    Shape::sweep(smooth_path(&knots, 4)).union(toes(dvec3(0.25, 0.04, 0.185)), 0.03)
}

fn hind_leg() -> Shape {
    let knots = [
        (dvec3(-0.25, 0.4, 0.13), 0.12),
        (dvec3(-0.18, 0.24, 0.2), 0.085),
        (dvec3(-0.31, 0.13, 0.195), 0.05),
        (dvec3(-0.26, 0.045, 0.195), 0.048),
    ];
    Shape::sweep(smooth_path(&knots, 4)).union(toes(dvec3(-0.22, 0.04, 0.195)), 0.03)
}

fn toes(at: DVec3) -> Shape {
    let toe = |z: f64| Shape::round_cone(at, 0.036, at + dvec3(0.1, -0.012, z), 0.02);
    toe(0.0).union(toe(0.05), 0.01).union(toe(-0.05), 0.01)
}

/// The right wing's own plane: x outwards to the tip, y towards the leading edge.
fn wing_to_body(of: Shape) -> Shape {
    let out = dvec3(-0.42, 0.62, 0.66).normalize();
    let lead = dvec3(0.8, 0.55, 0.1);
    let lead = (lead - out * lead.dot(out)).normalize();
    let turn = DQuat::from_mat3(&DMat3::from_cols(out, lead, out.cross(lead)));
    of.turned(turn).moved(dvec3(0.06, 0.57, 0.1))
}

/// Shoulder, elbow, wrist, and the tips of four fingers.
const SHOULDER: DVec2 = dvec2(-0.02, 0.0);
const ELBOW: DVec2 = dvec2(0.24, -0.02);
const WRIST: DVec2 = dvec2(0.42, 0.2);
const TIPS: [DVec2; 4] = [dvec2(1.12, 0.16), dvec2(0.98, -0.24), dvec2(0.68, -0.48), dvec2(0.34, -0.48)];

/// Where a finger bends, half-way to its tip: the first one most.
fn knuckle(finger: usize) -> DVec2 {
    WRIST.lerp(TIPS[finger], 0.5) + dvec2(0.03, 0.05) * [1.4, 1.0, 0.6, 0.2][finger]
}

fn wing_bones(radius: f64) -> Shape {
    let flat = |x: DVec2| x.extend(0.0);
    let arm = Shape::sweep([(flat(SHOULDER), 1.7 * radius), (flat(ELBOW), 1.3 * radius), (flat(WRIST), 1.15 * radius)]);
    let finger = |number: usize| {
        let (middle, tip) = (flat(knuckle(number)), flat(TIPS[number]));
        Shape::sweep([(flat(WRIST), radius), (middle, 0.8 * radius), (tip, 0.4 * radius)])
    };
    let claw = Shape::round_cone(flat(WRIST), radius, flat(WRIST + dvec2(0.03, 0.1)), 0.3 * radius);
    (0..TIPS.len()).map(finger).fold(arm.union(claw, 0.01), |bones, finger| bones.union(finger, 0.01))
}

fn wing_skin(thickness: f64) -> Shape {
    // The leading edge is the first finger, knuckle and all. Between two tips the edge swings in towards the wrist.
    let mut outline = vec![SHOULDER + dvec2(0.0, 0.02), ELBOW + dvec2(0.0, 0.015), WRIST, knuckle(0)];
    let ends = [TIPS[0], TIPS[1], TIPS[2], TIPS[3], dvec2(-0.06, -0.3)];
    for pair in ends.windows(2) {
        let pull = WRIST.lerp(pair[0].lerp(pair[1], 0.5), 0.62);
        for n in 0..6 {
            let t = f64::from(n) / 6.0;
            let (a, b) = (pair[0].lerp(pull, t), pull.lerp(pair[1], t));
            outline.push(a.lerp(b, t));
        }
    }
    outline.push(ends[4]);
    Shape::plate(outline, thickness)
}

fn wings(bone: f64, thickness: f64) -> Shape {
    right_and_left(&wing_to_body(wing_skin(thickness).union(wing_bones(bone), 0.012)))
}

/// Spines along the back, from the neck to the tail.
fn spines() -> Shape {
    let body = spine_of_body();
    let spine = |n: usize| {
        let (at, radius) = body[n];
        let along = (body[n + 1].0 - body[n - 1].0).normalize();
        let up = dvec3(-along.y, along.x, 0.0);
        let tall = 0.035 + 0.35 * radius;
        Shape::round_cone(at + up * 0.8 * radius, 0.3 * tall, at + up * (radius + tall) - along * 0.5 * tall, 0.006)
    };
    let places = (3..41).step_by(3);
    places.map(spine).reduce(|spines, spine| spines.union(spine, 0.0)).unwrap_or(Shape::sphere(0.01))
}

fn tail_tip() -> Shape {
    let blade = [dvec2(0.05, 0.0), dvec2(-0.05, 0.075), dvec2(-0.02, 0.0), dvec2(-0.05, -0.075)];
    Shape::plate(blade, 0.03).turned(DQuat::from_rotation_z(2.6)).moved(dvec3(-1.13, 0.31, 0.0))
}

pub(super) fn figure() -> Figure {
    let body = Shape::sweep(spine_of_body()).union(head(), 0.06);
    let legs = right_and_left(&hind_leg()).union(right_and_left(&front_leg()), 0.02);
    let body = body.union(legs, 0.05);
    let eyes = right_and_left(&Shape::sphere(0.026).moved(dvec3(0.665, 1.075, 0.068)));
    let shape = body.clone().union(wings(0.026, 0.036), 0.03).union(spines(), 0.012).union(tail_tip(), 0.01);
    let shape = shape.union(horns(0.028), 0.01).union(eyes.clone(), 0.004);
    let flesh = body.union(wings(0.05, 0.09), 0.04).union(horns(0.036), 0.02).union(tail_tip().grow(0.012), 0.02);
    let belly: Vec<_> =
        spine_of_body().into_iter().map(|(at, r)| (at - dvec3(-0.25, 1.0, 0.0) * 0.8 * r, 0.62 * r)).collect();
    let membrane = right_and_left(&wing_to_body(wing_skin(0.06).subtract(wing_bones(0.022), 0.0)));
    Figure::plain(shape, 0x4f9a6b)
        .with_flesh(flesh)
        .marked(Shape::sweep(belly), 0xe7d9a4, 0.04)
        .marked(membrane, 0xd98a4e, 0.012)
        .marked(spines().union(tail_tip().grow(0.003), 0.0), 0xc9693f, 0.012)
        .marked(horns(0.032), 0xefe2c4, 0.01)
        .marked(eyes.clone().grow(0.002), 0xf6d24a, 0.005)
        .marked(
            right_and_left(&Shape::ellipsoid(dvec3(0.011, 0.022, 0.012)).moved(dvec3(0.675, 1.077, 0.092))),
            0x15120f,
            0.004,
        )
}
