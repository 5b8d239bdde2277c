//! What shape matching keeps, whatever it is asked.

use crate::matching::{Alone, Noise, bar_flesh, cloth_flesh, off_shape, stiffnesses};
use sinew_math::{DMat3, DQuat, DVec3, Sym3, dvec3};
use sinew_solve::shape_matching::ShapeMatchingParams;
use sinew_solve::{Goal, Pin, RigidMotion, Row, Solver};

/// Matching alone changes neither momentum, for any number of passes and uneven stiffness, near and far.
#[test]
fn matching_keeps_linear_and_angular_momentum() {
    for flesh in [bar_flesh(), cloth_flesh()] {
        for params in stiffnesses() {
            for at in [DVec3::ZERO, dvec3(60.0, -70.0, 40.0)] {
                let mut body = Alone::new(&flesh, params, 0.0);
                let mut noise = Noise(7);
                for x in &mut body.state.x {
                    *x += at + noise.vector() * 0.05;
                }
                for v in &mut body.state.v {
                    *v = noise.vector();
                }
                body.state.recentre(&flesh.mass_kg);
                body.cues.stiffness = (0..flesh.point_count()).map(|_| 0.6 + 0.4 * noise.number()).collect();
                body.cues.log_stretch = (0..flesh.point_count())
                    .map(|_| Sym3::along(noise.vector().normalize(), 0.4 * noise.number()))
                    .collect();
                let (mut centre, linear, angular) = body.momenta();
                let impulse = flesh.total_mass_kg() * 10.0;
                for _ in 0..20 {
                    body.step();
                    let now = body.momenta();
                    centre += linear / flesh.total_mass_kg() * body.h_secs;
                    assert!(now.1.distance(linear) < 1e-12 * impulse, "{params:?}: {} {linear}", now.1);
                    assert!(now.2.distance(angular) < 1e-12 * impulse * (1.0 + at.length()), "{} {angular}", now.2);
                    assert!(now.0.distance(centre) < 1e-12 * (1.0 + at.length()));
                }
            }
        }
    }
}

#[test]
fn the_rest_shape_is_a_fixed_point() {
    for flesh in [bar_flesh(), cloth_flesh()] {
        for params in stiffnesses() {
            let mut body = Alone::new(&flesh, params, 0.0);
            body.steps(100);
            let off = flesh.rest.iter().zip(&body.state.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off < 1e-13, "moved by {off} m");
            assert!(body.energy() < 1e-20, "{} J", body.energy());
        }
    }
}

/// A rigidly moved rest shape stays where it is put: the pull is below 1e-12 of the body's size, also when its warm
/// starts are wrong.
#[test]
fn rigid_motion_of_the_rest_shape_is_reproduced() {
    let flesh = bar_flesh();
    let axis = dvec3(1.0, -2.0, 0.5).normalize();
    for degrees in [0.0f64, 20.0, 90.0, 180.0, 270.0] {
        for (told, params) in [true, false].into_iter().flat_map(|told| stiffnesses().map(|params| (told, params))) {
            let mut body = Alone::new(&flesh, params, 0.0);
            let turn = DQuat::from_axis_angle(axis, degrees.to_radians());
            let motion = RigidMotion {
                about: DVec3::ZERO,
                turn,
                shift: dvec3(3.0, 1.0, -2.0),
                dv: DVec3::ZERO,
                spin: DVec3::ZERO,
            };
            let before = body.state.memory.clone();
            body.solver.move_rigidly(&mut body.state, &motion);
            if !told {
                body.state.memory = before;
            }
            let start = body.state.x.clone();
            body.steps(20);
            let off = start.iter().zip(&body.state.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            assert!(off < 20.0 * 1e-12 * flesh.size_m(), "{degrees}°, told {told}, {params:?}: moved by {off} m");
        }
    }
}

/// A spinning body keeps its spin and its shape: it widens only by what holds it together.
#[test]
fn a_spinning_body_keeps_its_angular_momentum_for_thousands_of_steps() {
    let flesh = bar_flesh();
    let mut body = Alone::passes(&flesh, 4);
    let spin = dvec3(0.4, 2.0, 0.3);
    for (v, x) in body.state.v.iter_mut().zip(&body.state.x) {
        *v = spin.cross(*x);
    }
    let (centre, _, angular) = body.momenta();
    body.steps(5000);
    let now = body.momenta();
    assert!(now.2.distance(angular) < 1e-11 * angular.length(), "{} {angular}", now.2);
    assert!(now.0.distance(centre) < 1e-12);
    assert!(off_shape(&flesh, &body.state.x, &flesh.rest) < 0.01);
}

/// However a body contracts, its centre stays (1e-6 of its size over 10 cycles), here and 100 m away; and it does the
/// same there as here.
#[test]
fn contraction_moves_no_centre_and_looks_the_same_far_away() {
    let flesh = bar_flesh();
    let run = |at: DVec3| {
        let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 2, ..Default::default() }, 2.0);
        let motion = RigidMotion::shift(at);
        body.solver.move_rigidly(&mut body.state, &motion);
        let start = body.momenta().0;
        for step in 0..960 {
            let phase = f64::from(step) / 96.0 * std::f64::consts::TAU;
            body.cues.log_stretch = flesh
                .rest
                .iter()
                .map(|x| Sym3::along(DVec3::X, 0.3 * (phase - 4.0 * x.x).sin() * (x.y * 9.0).tanh()))
                .collect();
            body.step();
        }
        let moved = body.momenta().0.distance(start);
        assert!(moved < 1e-6 * flesh.size_m(), "the centre moved {moved} m at {at}");
        body.state.x.iter().map(|x| *x - at).collect::<Vec<_>>()
    };
    let (here, there) = (run(DVec3::ZERO), run(dvec3(100.0, -40.0, 70.0)));
    let off = here.iter().zip(&there).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 1e-4 * flesh.size_m(), "off by {off} m");
    assert!(off_shape(&flesh, &here, &flesh.rest) > 0.02, "it did not contract at all");
}

/// Crushed, flattened, inverted, scrambled: the body finds back to its shape.
#[test]
fn spoilt_shapes_recover() {
    let flesh = bar_flesh();
    let mut noise = Noise(3);
    type Spoil = fn(DVec3) -> DVec3;
    let spoilt: [(&str, Spoil); 5] = [
        ("flat", |x| dvec3(x.x, 0.0, x.z)),
        ("a line", |x| dvec3(x.x, 0.0, 0.0)),
        ("mirrored", |x| dvec3(x.x, x.y, -x.z)),
        ("turned inside out", |x| -x),
        ("a tenth", |x| x * 0.1),
    ];
    let stiff = [stiffnesses()[2], stiffnesses()[3]];
    for ((what, spoil), params) in spoilt.into_iter().flat_map(|spoil| stiff.map(|params| (spoil, params))) {
        let mut body = Alone::new(&flesh, params, 1.0);
        for x in &mut body.state.x {
            // The least speck of dust: nobody meets a perfect mirror image.
            *x = spoil(*x) + noise.vector() * 1e-6;
        }
        body.state.recentre(&flesh.mass_kg);
        body.steps(3000);
        let off = off_shape(&flesh, &body.state.x, &flesh.rest);
        assert!(off < 1e-3 * flesh.size_m(), "{what}, {params:?}: still off by {off} m, {} J", body.energy());
    }
}

#[test]
fn all_points_in_one_place_stay_finite() {
    for flesh in [bar_flesh(), cloth_flesh()] {
        let mut body = Alone::new(&flesh, stiffnesses()[3], 0.0);
        body.state.x.fill(dvec3(1.0, 2.0, 3.0));
        body.state.recentre(&flesh.mass_kg);
        body.steps(50);
        assert!(body.state.first_not_finite().is_none());
    }
}

/// Energy is that of the deformation alone, and matching brings it down.
#[test]
fn energy_is_objective_and_falls() {
    let flesh = bar_flesh();
    let mut body = Alone::new(&flesh, ShapeMatchingParams::default(), 5.0);
    let bend = DMat3::from_diagonal(dvec3(1.2, 0.9, 1.0));
    for x in &mut body.state.x {
        *x = bend * *x + dvec3(0.0, 0.3 * x.x * x.x, 0.0);
    }
    body.state.recentre(&flesh.mass_kg);
    let energy = body.energy();
    let mut moved = body.state.clone();
    let turn = DQuat::from_axis_angle(DVec3::Z, 1.3);
    let motion = RigidMotion { about: DVec3::X, turn, shift: DVec3::Y, dv: DVec3::ZERO, spin: DVec3::ZERO };
    body.solver.move_rigidly(&mut moved, &motion);
    let again = body.solver.energy(0, &moved, &body.cues);
    assert!((again / energy - 1.0).abs() < 1e-10, "{energy} {again}");
    body.steps(600);
    assert!(body.energy() < 1e-6 * energy, "{} of {energy} J", body.energy());
}

#[test]
fn a_step_with_nan_is_an_error() {
    let flesh = bar_flesh();
    let mut body = Alone::passes(&flesh, 0);
    body.state.v[17].y = f64::NAN;
    let input = sinew_solve::StepInput {
        cues: &[Default::default()],
        contacts: &[Vec::new()],
        touching: &[],
        h_secs: body.h_secs,
        stop: None,
    };
    let error = body.solver.step(std::slice::from_mut(&mut body.state), &input, &mut body.report).unwrap_err();
    assert!(matches!(error, sinew_solve::StepError::NotFinite { .. }));
}

/// A hundred thousand steps of rough treatment: stretches that jump, a hand that tears at random points, pins that
/// come and go. Nothing is lost, and left alone the body is itself again.
#[test]
fn rough_treatment_stays_finite_and_bounded() {
    for params in [stiffnesses()[1], stiffnesses()[3]] {
        treat_roughly(params);
    }
}

fn treat_roughly(params: ShapeMatchingParams) {
    let flesh = bar_flesh();
    let mut noise = Noise(99);
    let mut body = Alone::new(&flesh, params, 0.5);
    let points = flesh.point_count();
    let mut farthest: f64 = 0.0;
    for step in 0..100_000 {
        if step % 50 == 0 {
            let size = 0.8 * noise.number();
            body.cues.log_stretch =
                (0..points).map(|_| Sym3::along(noise.vector().normalize_or_zero(), size * noise.number())).collect();
            let row = |noise: &mut Noise| Row(((noise.number() + 1.0) * 0.499 * points as f64) as u32);
            let (at, to) = (row(&mut noise), noise.vector() * 2.0);
            body.cues.goals = vec![Goal { at, to, velocity: DVec3::ZERO, settle_secs: 0.02 }];
            body.cues.pins.clear();
            if step % 200 == 0 {
                let at = row(&mut noise);
                body.cues.pins.push(Pin { at, to: noise.vector(), velocity: DVec3::ZERO });
            }
        }
        body.step();
        farthest = body.state.x.iter().map(|x| x.length()).fold(farthest, f64::max);
    }
    // A pin that jumps a metre or two in one step throws the body at more than 100 m/s until the hand has it again.
    assert!(farthest < 120.0, "{params:?}: {farthest} m away");
    // Let go and stopped (a body that spins is wider than at rest), it finds back to its shape.
    body.cues.clear();
    body.state.v.fill(DVec3::ZERO);
    body.steps(3000);
    let off = off_shape(&flesh, &body.state.x, &flesh.rest);
    assert!(off < 1e-3 * flesh.size_m(), "{params:?}: still off by {off} m, {} J", body.energy());
}
