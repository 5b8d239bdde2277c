//! Plans between keys.

use crate::bodies::{bar_shape, bent, body, problem, rigid};
use sinew_geom::distance::Shape;
use sinew_math::rotation_curve::turn_angle;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::plan::{CarriedDistance, Frames, Outcome, PointPlaces};
use sinew_motion::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[allow(clippy::unwrap_used, reason = "a solve that fails is a failed test")]
fn solved(problem: &PlanProblem) -> PlanSolution {
    solve(problem, None, &mut SolveControl::default()).unwrap()
}

fn six_keys(shape: &Arc<PlanShape>) -> Vec<PlanKey> {
    let key = |n: usize| {
        let k = n as f64;
        let turn = DQuat::from_rotation_y(0.6 * k) * DQuat::from_rotation_z(0.4 * k.sin());
        let pose = bent(shape, 0.8 * (2.0 * k + 0.5).sin() + 0.05, dvec3(0.5 * k, 0.4 * k.sin(), 0.0), turn);
        PlanKey::Pose { at_secs: 0.2 * k, pose: Pose::Nodes(pose) }
    };
    (0..6).map(key).collect()
}

#[test]
fn six_keys_converge_with_fifteen_frames_and_count_their_unknowns() {
    let shape = bar_shape(24);
    let problem = problem(vec![body(&shape, six_keys(&shape), Frames::Even(15))]);
    let solution = solved(&problem);
    let report = &solution.report;
    assert_eq!(report.outcome, Outcome::Converged);
    assert_eq!(report.unknowns, 3 * 24 * 15);
    assert_eq!(report.free_unknowns, 3 * 24 * 9);
    assert!(report.curve.len() <= 20, "{:?}", report.curve);
    assert!(report.curve.windows(2).all(|pair| pair[1].energy <= pair[0].energy * (1.0 + 1e-12)));
    assert!(report.keys.iter().all(|key| key.relative < 1e-9), "{:?}", report.keys);
}

#[test]
fn a_plan_is_the_same_on_any_number_of_threads() {
    let shape = bar_shape(12);
    let keys = |n: usize| {
        let from = dvec3(if n == 0 { -1.0 } else { 1.0 }, 0.02 * n as f64, 0.0);
        vec![rigid(0.0, from, DQuat::IDENTITY), rigid(1.0, -from, DQuat::IDENTITY)]
    };
    let problem = problem((0..2).map(|n| body(&shape, keys(n), Frames::Even(7))).collect());
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solved(&problem))
    };
    let one = on(1);
    assert_eq!(one.motion, on(2).motion);
    assert_eq!(one.motion, on(8).motion);
}

#[test]
fn rigid_keys_on_a_straight_line_cost_nothing_and_move_evenly() {
    let shape = bar_shape(12);
    let keys = vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY)];
    let solution = solved(&problem(vec![body(&shape, keys, Frames::Even(5))]));
    assert!(solution.report.energies.total() < 1e-12, "{:?}", solution.report.energies);
    let curve = MotionCurve::new(&shape.frame, &solution.motion.bodies[0]).unwrap();
    assert!(curve.rigid_at(0.25).centre.distance(dvec3(0.5, 0.0, 0.0)) < 1e-6);
}

#[test]
fn exactly_half_a_turn_stays_finite_and_turns() {
    let shape = bar_shape(12);
    let half = DQuat::from_rotation_y(std::f64::consts::PI);
    let keys = vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, DVec3::ZERO, half)];
    for frame in [DetailFrame::Body, DetailFrame::World] {
        let mut problem = problem(vec![body(&shape, keys.clone(), Frames::Even(7))]);
        problem.weights.acceleration_frame = frame;
        let solution = solved(&problem);
        assert_eq!(solution.report.outcome, Outcome::Converged);
        let curve = MotionCurve::new(&shape.frame, &solution.motion.bodies[0]).unwrap();
        assert!((turn_angle(curve.rigid_at(0.5).turn) - 0.5 * std::f64::consts::PI).abs() < 0.1);
    }
}

#[test]
fn points_and_velocities_are_met_and_contradictions_are_named() {
    let shape = bar_shape(24);
    let foot: Vec<DVec3> =
        shape.samples.rest.iter().copied().filter(|x| x.x < shape.frame.rest_centre.x - 0.4).collect();
    assert!(foot.len() > 3);
    let carried: Vec<DVec3> = foot.iter().map(|x| *x + dvec3(0.6, 0.3, 0.0)).collect();
    let mut keys = vec![
        rigid(0.0, DVec3::ZERO, DQuat::IDENTITY),
        PlanKey::Points { from_secs: 0.5, to_secs: 0.75, rest: foot.clone(), places: PointPlaces::At(carried.clone()) },
        PlanKey::Velocity { at_secs: 0.0, rest: Vec::new(), velocity: vec![dvec3(0.0, 2.0, 0.0)] },
        rigid(1.0, dvec3(1.0, 0.0, 0.0), DQuat::from_rotation_z(0.4)),
    ];
    let mut problem = problem(vec![body(&shape, keys.clone(), Frames::Even(9))]);
    let solution = solved(&problem);
    assert_eq!(solution.report.outcome, Outcome::Converged, "{:?}", solution.report.keys);
    let elsewhere = carried.iter().map(|x| *x + dvec3(0.0, 0.2, 0.0)).collect();
    keys.push(PlanKey::Points { from_secs: 0.5, to_secs: 0.5, rest: foot, places: PointPlaces::At(elsewhere) });
    problem.bodies[0].keys = keys;
    let solution = solved(&problem);
    assert!(matches!(solution.report.outcome, Outcome::KeysMissed { .. }), "{:?}", solution.report.outcome);
    let missed: Vec<usize> = solution.report.keys.iter().filter(|k| k.relative > 0.01).map(|k| k.key).collect();
    assert_eq!(missed, [1, 4]);
}

#[test]
fn a_body_dodges_a_ball_and_keeps_clear_between_frames() {
    let shape = bar_shape(16);
    let ball = Shape::sphere(0.3).moved(dvec3(1.0, 0.05, 0.0));
    let obstacle =
        PlanObstacle { name: "ball".into(), distance: Arc::new(CarriedDistance { distance: ball, motion: None }) };
    let keys = vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(2.0, 0.0, 0.0), DQuat::IDENTITY)];
    let mut problem = problem(vec![body(&shape, keys, Frames::Even(11))]);
    problem.obstacles.push(obstacle);
    let solution = solved(&problem);
    assert!(solution.report.clearance_m > Some(0.0), "{:?}", solution.report);
    assert!(matches!(solution.report.outcome, Outcome::Converged), "{:?}", solution.report.outcome);
}

#[test]
fn a_cancelled_solve_gives_the_motion_so_far_and_impossible_problems_are_refused() {
    let shape = bar_shape(12);
    let problem = problem(vec![body(&shape, six_keys(&bar_shape(12)), Frames::Even(9))]);
    let flag = AtomicBool::new(true);
    let mut control = SolveControl { cancel: Some(&flag), progress: None };
    let solution = solve(&problem, None, &mut control).unwrap();
    assert_eq!(solution.report.outcome, Outcome::Cancelled);
    assert_eq!(solution.motion.bodies[0].times_secs.len(), 9);
    let refused = |change: &dyn Fn(&mut PlanProblem)| {
        let mut problem = problem.clone();
        change(&mut problem);
        solve(&problem, None, &mut SolveControl::default()).unwrap_err().to_string()
    };
    assert!(refused(&|p| p.bodies.clear()).contains("no body"));
    assert!(refused(&|p| p.bodies[0].keys.clear()).contains("bar has no key"));
    assert!(refused(&|p| p.weights.turn = -1.0).contains("weight of turn"));
    assert!(refused(&|p| p.bodies[0].keys.push(rigid(0.2, DVec3::ZERO, DQuat::IDENTITY))).contains("two whole poses"));
    let nan = rigid(0.3, dvec3(f64::NAN, 0.0, 0.0), DQuat::IDENTITY);
    assert!(refused(&|p| p.bodies[0].keys.push(nan.clone())).contains("key 6"));
}
