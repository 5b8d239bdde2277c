//! Plans between keys.

use crate::bodies::{bar_shape, bent, body, problem, rigid};
use sinew_geom::distance::Shape;
use sinew_math::rotation_curve::turn_angle;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::plan::{CarriedDistance, Frames, Outcome, PointPlaces};
use sinew_motion::*;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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
    assert_eq!(report.unknowns, 3 * shape.node_count() * 15);
    assert_eq!(report.free_unknowns, 3 * shape.node_count() * 9);
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

fn obstacle(name: &str, shape: Shape) -> PlanObstacle {
    PlanObstacle { name: name.into(), distance: Arc::new(CarriedDistance { distance: shape, motion: None }) }
}

fn straight_on(way_m: f64) -> Vec<PlanKey> {
    vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(way_m, 0.0, 0.0), DQuat::IDENTITY)]
}

#[test]
fn a_frame_inserted_on_an_optimal_curve_changes_the_energy_by_less_than_a_third_of_a_percent() {
    let shape = bar_shape(24);
    let mut problem = problem(vec![body(&shape, six_keys(&shape), Frames::Even(21))]);
    problem.options.tolerance = 1e-7;
    let solution = solved(&problem);
    let times = solution.motion.bodies[0].times_secs.clone();
    for n in [2, 9, 16] {
        let mut more = times.clone();
        more.insert(n + 1, 0.5 * (times[n] + times[n + 1]));
        problem.bodies[0].frames = Frames::At(more);
        let again = solve(&problem, Some(&solution.motion), &mut SolveControl::default()).unwrap();
        assert_eq!(again.motion.bodies[0].times_secs.len(), 22);
        let (before, after) = (solution.report.energies.total(), again.report.energies.total());
        assert!((after / before - 1.0).abs() < 0.003, "{n}: {before} {after}");
    }
}

#[test]
fn adaptive_frames_converge_within_fifteen() {
    let shape = bar_shape(24);
    let mut problem = problem(vec![body(&shape, six_keys(&shape), Frames::Adaptive { most: 15 })]);
    problem.options.frame_tolerance = 2e-3;
    let solution = solved(&problem);
    assert_eq!(solution.report.outcome, Outcome::Converged);
    let frames = solution.motion.bodies[0].times_secs.len();
    assert!((7..=15).contains(&frames), "{frames}");
    assert_eq!(solution.report.unknowns, 3 * shape.node_count() * frames);
}

/// Catmull–Rom through nodal places themselves, as before rotations were interpolated, needs frames for
/// turning alone.
#[test]
fn turning_keys_need_no_frames_and_more_than_twice_as_many_without_rotations() {
    let shape = bar_shape(24);
    let pose = |secs: f64| shape.rigid_pose(dvec3(secs, 0.0, 0.0), DQuat::from_rotation_y(10.0 * secs));
    let key = |n: usize| PlanKey::Pose { at_secs: 0.2 * n as f64, pose: Pose::Nodes(pose(0.2 * n as f64)) };
    let mut problem = problem(vec![body(&shape, (0..6).map(key).collect(), Frames::Adaptive { most: 15 })]);
    problem.options.frame_tolerance = 2e-3;
    let own = solved(&problem).motion.bodies[0].times_secs.len();
    let elastic = PlanWeights::default().elastic;
    let worst = |frames: usize| {
        let times: Vec<f64> = (0..frames).map(|n| n as f64 / (frames - 1) as f64).collect();
        let places: Vec<Vec<DVec3>> = times.iter().map(|secs| pose(*secs)).collect();
        let energies = (0..200).map(|step| {
            let weights = interpolation::frame_weights(&times, 0.005 * f64::from(step));
            let node = |node: usize| weights.value_of(frames, |frame| places[frame][node]);
            let y: Vec<DVec3> = (0..shape.node_count()).map(node).collect();
            shape.elastic.values(&elastic, &y).iter().sum::<f64>()
        });
        energies.fold(0.0, f64::max)
    };
    let older = (6..100).find(|frames| worst(*frames) < 2e-3).unwrap();
    assert!(own == 6 && older > 2 * own, "{own} {older}");
}

#[test]
fn the_last_step_is_a_full_one_with_the_exact_hessian() {
    let shape = bar_shape(24);
    let solution = solved(&problem(vec![body(&shape, six_keys(&shape), Frames::Even(15))]));
    let last = solution.report.curve.last().unwrap();
    assert!(last.exact && last.share == 1.0, "{last:?}");
}

#[test]
fn a_key_inside_a_wall_gives_a_plan_that_says_how_deep() {
    let shape = bar_shape(12);
    let mut problem = problem(vec![body(&shape, straight_on(2.0), Frames::Even(7))]);
    problem.obstacles.push(obstacle("wall", Shape::cuboid(dvec3(0.3, 1.0, 1.0)).moved(dvec3(2.0, 0.0, 0.0))));
    let solution = solved(&problem);
    assert!(solution.report.clearance_m < Some(-0.1), "{:?}", solution.report.clearance_m);
    assert!(!matches!(solution.report.outcome, Outcome::Converged));
}

/// Clearance of a plan through a wall with a square hole whose middle is so far above the straight way, and
/// the place of passing.
fn through_hole(height_m: f64) -> (Option<f64>, DVec3) {
    let shape = bar_shape(16);
    let hole = Shape::cuboid(dvec3(0.1, 0.3, 0.3)).moved(dvec3(0.0, height_m, 0.0));
    let wall = Shape::cuboid(dvec3(0.03, 6.0, 6.0)).subtract(hole, 0.0).moved(dvec3(1.5, 0.0, 0.0));
    let mut problem = problem(vec![body(&shape, straight_on(3.0), Frames::Even(13))]);
    problem.obstacles.push(obstacle("wall", wall));
    let solution = solved(&problem);
    let curve = MotionCurve::new(&shape.frame, &solution.motion.bodies[0]).unwrap();
    let passing = (0..=200).map(|n| curve.rigid_at(0.005 * f64::from(n)).centre).find(|c| c.x > 1.5).unwrap();
    (solution.report.clearance_m, passing)
}

#[test]
fn a_body_passes_a_thin_wall_through_its_hole() {
    let (clearance_m, passing) = through_hole(0.3);
    assert!(clearance_m > Some(0.0), "{clearance_m:?}");
    assert!((passing.y - 0.3).abs() < 0.25 && passing.z.abs() < 0.25, "{passing}");
}

/// The body comes in at a slant, so that its rigid start on the path already touches the rim of the hole.
#[test]
#[ignore = "fails: a thin wall is not yet thickened first, and the rim stays inside the body"]
fn a_body_passes_a_hole_far_off_its_way() {
    let (clearance_m, _) = through_hole(0.7);
    assert!(clearance_m > Some(0.0), "{clearance_m:?}");
}

#[test]
fn alternatives_pass_on_different_sides() {
    let shape = bar_shape(12);
    let mut problem = problem(vec![body(&shape, straight_on(2.4), Frames::Even(9))]);
    problem.obstacles.push(obstacle("post", Shape::capsule(dvec3(1.2, 0.05, -3.0), dvec3(1.2, 0.05, 3.0), 0.4)));
    let found = plan::alternatives(&problem, 2, &mut SolveControl::default()).unwrap();
    assert_eq!(found.len(), 2);
    assert!(found[0].report.energies.total() <= found[1].report.energies.total());
    let middle = |solution: &PlanSolution| {
        MotionCurve::new(&shape.frame, &solution.motion.bodies[0]).unwrap().rigid_at(0.5).centre
    };
    assert!(middle(&found[0]).distance(middle(&found[1])) > 0.3);
    assert!(found.iter().all(|solution| solution.report.clearance_m > Some(0.0)));
}

#[test]
fn bodies_exchange_places_and_keep_clear_between_frames() {
    let shape = bar_shape(8);
    let keys = |n: usize| {
        let angle = std::f64::consts::TAU * n as f64 / 3.0;
        let from = dvec3(angle.cos(), 0.3 * n as f64, angle.sin()) * 1.4;
        vec![rigid(0.0, from, DQuat::IDENTITY), rigid(1.0, -from, DQuat::IDENTITY)]
    };
    let problem = problem((0..3).map(|n| body(&shape, keys(n), Frames::Even(9))).collect());
    let solution = solved(&problem);
    assert!(solution.report.clearance_m > Some(0.0), "{:?}", solution.report);
}

#[test]
fn a_body_dodges_a_ball_that_crosses_its_way() {
    let shape = bar_shape(12);
    let mut problem = problem(vec![body(&shape, straight_on(2.4), Frames::Even(11))]);
    let crossing = |secs: f64| (dvec3(1.2, 1.0 - 2.0 * secs, 0.05), DQuat::IDENTITY);
    let distance = CarriedDistance { distance: Shape::sphere(0.3), motion: Some(Arc::new(crossing)) };
    problem.obstacles.push(PlanObstacle { name: "ball".into(), distance: Arc::new(distance) });
    let solution = solved(&problem);
    assert!(solution.report.clearance_m > Some(0.0), "{:?} {:?}", solution.report.outcome, solution.report.clearance_m);
}
