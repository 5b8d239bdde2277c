//! Motions between frames: rigid where frames are, C¹, with exact velocities.

use crate::bodies::{bar_shape, bent};
use sinew_math::rotation_curve::{exp, turn_angle};
use sinew_math::{DQuat, DVec3, RotationCurve, dvec3};
use sinew_motion::interpolation::SquadCurve;
use sinew_motion::*;

const TIMES: [f64; 5] = [0.0, 0.4, 0.5, 1.1, 2.0];

fn turn_at(n: usize) -> DQuat {
    DQuat::from_axis_angle(dvec3(0.3, 1.0, -0.2 * n as f64).normalize(), 0.9 * n as f64)
}

fn motion(shape: &PlanShape, pose: impl Fn(usize) -> Vec<DVec3>) -> BodyMotion {
    let displaced = |n| pose(n).iter().zip(&shape.nodes.rest).map(|(y, x)| *y - *x).collect();
    BodyMotion { times_secs: TIMES.to_vec(), displacements: (0..5).map(displaced).collect(), breaks: Vec::new() }
}

/// Distances between nodes: they are those of a rigidly moved pose exactly if the motion is rigid.
fn worst_stretch(a: &[DVec3], b: &[DVec3]) -> f64 {
    let pairs = (0..a.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (a[i].distance(a[j]) - b[i].distance(b[j])).abs()).fold(0.0, f64::max)
}

#[test]
fn a_bent_pose_carried_rigidly_through_frames_moves_rigidly_and_the_printed_form_shrinks_it() {
    let shape = bar_shape(16);
    let pose = |n: usize| bent(&shape, 1.4, dvec3(n as f64, 0.3 * (n * n) as f64, -0.5), turn_at(n));
    let motion = motion(&shape, pose);
    let own = MotionCurve::new(&shape.frame, &motion).unwrap();
    let squad = MotionCurve::with(&shape.frame, &motion, DetailFrame::Body, TurnCurve::Squad).unwrap();
    let printed = MotionCurve::with(&shape.frame, &motion, DetailFrame::World, TurnCurve::Cumulative).unwrap();
    let (first, mut worst) = (pose(0), 0.0f64);
    for step in 0..=40 {
        let secs = 0.05 * f64::from(step);
        for curve in [&own, &squad] {
            assert!(worst_stretch(&curve.places_at(secs), &first) < 1e-9, "at {secs}");
        }
        worst = worst.max(worst_stretch(&printed.places_at(secs), &first));
    }
    assert!(worst > 0.01, "{worst}");
    let straight = self::motion(&shape, |n| shape.rigid_pose(dvec3(n as f64, 0.0, 0.0), turn_at(n)));
    let printed = MotionCurve::with(&shape.frame, &straight, DetailFrame::World, TurnCurve::Cumulative).unwrap();
    assert!(worst_stretch(&printed.places_at(0.8), &shape.nodes.rest) < 1e-9);
}

#[test]
fn it_interpolates_and_its_velocity_is_the_derivative_without_jumps() {
    let shape = bar_shape(16);
    let pose = |n: usize| bent(&shape, 0.3 + 0.4 * n as f64, dvec3(n as f64, 0.0, (n % 2) as f64), turn_at(n));
    let motion = motion(&shape, pose);
    for detail in [DetailFrame::Body, DetailFrame::World] {
        for turns in [TurnCurve::Cumulative, TurnCurve::Squad] {
            let curve = MotionCurve::with(&shape.frame, &motion, detail, turns).unwrap();
            for (n, secs) in TIMES.iter().enumerate() {
                let gaps = curve.places_at(*secs).iter().zip(pose(n)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
                assert!(gaps < 1e-9, "{detail:?} {turns:?} frame {n}: {gaps}");
            }
            for secs in [0.0 + 1e-4, 0.2, 0.4, 0.45, 0.5, 0.9, 1.1, 1.7, 2.0 - 1e-4] {
                let d = 1e-5;
                let (up, down) = (curve.places_at(secs + d), curve.places_at(secs - d));
                let velocities = curve.velocities_at(secs);
                for ((up, down), v) in up.iter().zip(&down).zip(&velocities) {
                    let rate = (*up - *down) / (2.0 * d);
                    assert!(rate.distance(*v) < 2e-3 * (1.0 + v.length()), "{detail:?} {turns:?} {secs}: {rate} {v}");
                }
            }
            for secs in [0.4, 0.5, 1.1] {
                let (before, after) = (curve.velocities_at(secs - 1e-9), curve.velocities_at(secs + 1e-9));
                let jump = before.iter().zip(&after).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                assert!(jump < 1e-5, "{detail:?} {turns:?} {secs}: {jump}");
            }
        }
    }
}

#[test]
fn a_break_keeps_the_place_and_frees_the_velocity() {
    let shape = bar_shape(16);
    let mut motion = motion(&shape, |n| shape.rigid_pose(dvec3(n as f64, (n % 2) as f64, 0.0), turn_at(n)));
    motion.breaks = vec![1];
    let curve = MotionCurve::new(&shape.frame, &motion).unwrap();
    let (before, after) = (curve.rigid_at(0.4 - 1e-9), curve.rigid_at(0.4));
    assert!(before.centre.distance(after.centre) < 1e-6);
    assert!(before.velocity.distance(after.velocity) > 1.0);
    assert!(curve.rigid_at(0.5 - 1e-9).velocity.distance(curve.rigid_at(0.5).velocity) < 1e-5);
}

#[test]
fn control_points_bound_the_centre_and_details() {
    let shape = bar_shape(16);
    let pose = |n: usize| bent(&shape, 0.3 + 0.4 * n as f64, dvec3(n as f64, 0.0, (n % 2) as f64), turn_at(n));
    let curve = MotionCurve::new(&shape.frame, &motion(&shape, pose)).unwrap();
    for j in 0..4 {
        let (centre, details) = curve.segment_control_points(j);
        for k in 0..=8 {
            let s = f64::from(k) / 8.0;
            let secs = TIMES[j] + (TIMES[j + 1] - TIMES[j]) * s;
            let r = 1.0 - s;
            let bezier = |p: &[DVec3; 4]| {
                p[0] * (r * r * r) + p[1] * (3.0 * r * r * s) + p[2] * (3.0 * r * s * s) + p[3] * (s * s * s)
            };
            let rigid = curve.rigid_at(secs);
            assert!(bezier(&centre).distance(rigid.centre) < 1e-12);
            let place = rigid.centre + rigid.turn * bezier(&details[3]);
            assert!(place.distance(curve.places_at(secs)[3]) < 1e-12);
        }
    }
}

#[test]
fn squad_agrees_with_the_cumulative_curve_at_keys_and_in_continuity() {
    let keys: Vec<(f64, DQuat)> = TIMES.iter().enumerate().map(|(n, secs)| (*secs, turn_at(n))).collect();
    let (squad, cumulative) = (SquadCurve::new(&keys), RotationCurve::new(&keys).unwrap());
    for (secs, turn) in &keys {
        assert!(turn_angle(squad.turn_and_spin(*secs).0.inverse() * *turn) < 1e-7);
    }
    for secs in [0.4, 0.5, 1.1] {
        let (own, other) = (squad.turn_and_spin(secs).1, cumulative.turn_and_spin(secs).1);
        assert!(own.distance(other) < 1e-6, "both take the same angular velocity at inner keys: {own} {other}");
        let before = squad.turn_and_spin(secs - 1e-9).1;
        assert!(before.distance(own) < 1e-5, "{before} {own}");
    }
    for secs in [0.1, 0.45, 0.8, 1.5] {
        let d = 1e-6;
        let (up, down) = (squad.turn_and_spin(secs + d).0, squad.turn_and_spin(secs - d).0);
        let rate = sinew_math::rotation_curve::log(up * down.inverse()) / (2.0 * d);
        assert!(rate.distance(squad.turn_and_spin(secs).1) < 1e-6);
        assert!((squad.turn_and_spin(secs).0.length() - 1.0).abs() < 1e-12);
    }
    let spin = dvec3(0.4, -1.0, 0.3);
    let even: Vec<(f64, DQuat)> = TIMES.iter().map(|secs| (*secs, exp(spin * *secs))).collect();
    let squad = SquadCurve::new(&even);
    assert!(turn_angle(squad.turn_and_spin(0.8).0.inverse() * exp(spin * 0.8)) < 1e-7);
}

#[test]
fn frames_that_are_no_motion_are_refused() {
    let shape = bar_shape(16);
    let good = motion(&shape, |_| shape.nodes.rest.clone());
    let refused = |change: &dyn Fn(&mut BodyMotion)| {
        let mut motion = good.clone();
        change(&mut motion);
        MotionCurve::new(&shape.frame, &motion).unwrap_err()
    };
    assert_eq!(refused(&|m| m.times_secs[2] = 0.1), MotionError::NotRising { frame: 2 });
    assert_eq!(refused(&|m| m.displacements[1][0].x = f64::NAN), MotionError::NotFinite { frame: 1 });
    assert!(matches!(refused(&|m| m.displacements[1].clear()), MotionError::NodeCount { frame: 1, .. }));
    assert_eq!(refused(&|m| *m = BodyMotion::default()), MotionError::Empty);
}
