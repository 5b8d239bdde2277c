//! Certificates: known distances and depths, what happens between frames only, moving obstacles, thin fins.

use crate::bodies::{bar_shape, bent, body, problem, rigid};
use sinew_geom::TetMesh;
use sinew_geom::distance::{Distance, Shape};
use sinew_geom::meshless::{MeshlessOptions, Nodes};
use sinew_geom::structured::bar;
use sinew_math::libm::{cos, sin};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::certificate::{
    Certificate, CertificateOptions, CertifiedBody, CertifiedObstacle, Met, ObstacleMotion, ObstacleTravel,
    SurfaceTree, certify, certify_plan,
};
use sinew_motion::plan::{CarriedDistance, Frames, solve_until_clear};
use sinew_motion::{
    BodyFrame, BodyMotion, DetailFrame, MotionCurve, PlanObstacle, PlannedMotion, SolveControl, TurnCurve,
};
use std::sync::Arc;

/// A body whose frame is the mean of its nodes.
struct Body {
    frame: BodyFrame,
    surface: SurfaceTree,
}

impl Body {
    fn of(mesh: &TetMesh, nodes: usize) -> Self {
        let nodes = Nodes::over(mesh, &MeshlessOptions { nodes, ..MeshlessOptions::default() }).unwrap();
        Self { frame: BodyFrame::of_nodes(&nodes.rest), surface: SurfaceTree::of_flesh(&nodes).unwrap() }
    }

    fn bar() -> Self {
        Self::of(&bar(dvec3(1.0, 0.3, 0.25), [8, 2, 2]), 16)
    }

    /// Rigid frames: the origin of the rest shape goes to `at`.
    fn rigid(&self, frames: &[(f64, DVec3, DQuat)]) -> MotionCurve {
        let pose = |at: DVec3, turn: DQuat| self.frame.rest.iter().map(|x| at + turn * *x - *x).collect();
        let motion = BodyMotion {
            times_secs: frames.iter().map(|(secs, ..)| *secs).collect(),
            displacements: frames.iter().map(|(_, at, turn)| pose(*at, *turn)).collect(),
            breaks: Vec::new(),
        };
        MotionCurve::new(&self.frame, &motion).unwrap()
    }

    /// The origin along these places, a second apart.
    fn slide(&self, places: &[DVec3]) -> MotionCurve {
        let frames: Vec<_> = places.iter().enumerate().map(|(n, at)| (n as f64, *at, DQuat::IDENTITY)).collect();
        self.rigid(&frames)
    }
}

fn against(body: &Body, curve: &MotionCurve, distance: &(dyn Fn(DVec3, f64) -> f64 + Sync)) -> Certificate {
    let bodies = [CertifiedBody { surface: &body.surface, curve }];
    certify(&bodies, &[CertifiedObstacle { distance, travel: None }], &CertificateOptions::default()).unwrap()
}

fn between(a: (&Body, &MotionCurve), b: (&Body, &MotionCurve)) -> Certificate {
    let bodies = [a, b].map(|(body, curve)| CertifiedBody { surface: &body.surface, curve });
    certify(&bodies, &[], &CertificateOptions::default()).unwrap()
}

/// The deepest of some objections, all of which must be decided.
fn depth(certificate: &Certificate) -> f64 {
    assert!(certificate.objections.iter().all(|objection| !objection.undecided), "{certificate:?}");
    certificate.objections.iter().map(|objection| objection.depth_m).fold(0.0, f64::max)
}

/// The middle frame is the lowest place of the curve, at 0.35.
#[test]
fn a_body_over_the_ground_is_certified_to_its_least_distance() {
    let body = Body::bar();
    let curve = body.slide(&[dvec3(-1.0, 1.0, 0.0), dvec3(0.0, 0.5, 0.0), dvec3(1.0, 1.0, 0.0)]);
    let below = |ground: f64| move |x: DVec3, _: f64| x.y - ground;
    let clear = against(&body, &curve, &below(0.33));
    assert!(clear.is_certified(), "{clear:?}");
    println!("{} tests", clear.tests);
    let hit = against(&body, &curve, &below(0.352));
    assert!((depth(&hit) - 0.002).abs() < 1e-9 && !hit.is_certified(), "{hit:?}");
    assert!(hit.objections.iter().all(|o| o.body == 0 && o.other == Met::Obstacle(0) && (o.secs - 1.0).abs() < 0.2));
}

/// Lying at both frames, upright between them: there its far corners are as deep as they are away from the
/// middle of its nodes.
#[test]
fn turns_between_frames_are_bounded() {
    let body = Body::bar();
    let centre = body.frame.rest_centre;
    let about_centre = |degrees: f64| {
        let turn = DQuat::from_rotation_z(degrees.to_radians());
        (centre - turn * centre, turn)
    };
    let [(at, start), (end_at, end)] = [0.0, 170.0].map(about_centre);
    let curve = body.rigid(&[(0.0, at, start), (1.0, end_at, end)]);
    // Of the corners that pass the lowest place.
    let far = |x: DVec3| (x - centre).truncate().length();
    let reach = [dvec3(-0.5, 0.15, 0.0), dvec3(-0.5, -0.15, 0.0)].map(far).into_iter().fold(0.0, f64::max);
    let below = |depth: f64| move |x: DVec3, _: f64| x.y - centre.y + depth;
    for secs in [0.0, 1.0] {
        let lowest = curve.places_at(secs).iter().map(|x| x.y - centre.y).fold(0.0, f64::min);
        assert!(lowest > -0.4, "frames are clear: {lowest}");
    }
    let clear = against(&body, &curve, &below(reach + 0.02));
    assert!(clear.is_certified(), "{clear:?}");
    let hit = against(&body, &curve, &below(reach - 0.02));
    assert!(!hit.is_certified() && depth(&hit) > 0.005 && depth(&hit) < 0.02 + 1e-9, "{hit:?}");
}

/// One crosses the other within 0.75 % of the time, and 20 looks miss it.
#[test]
fn bodies_that_pass_through_one_another_between_frames_are_found() {
    let post = Body::of(&bar(dvec3(0.15, 1.0, 0.15), [2, 10, 2]), 16);
    let still = post.slide(&[DVec3::ZERO, DVec3::ZERO]);
    let past = |beside: f64| post.slide(&[dvec3(-21.0, 0.0, beside), dvec3(19.0, 0.0, beside)]);
    let through = past(0.05);
    for look in 0..=20 {
        let middle = through.rigid_at(f64::from(look) / 20.0).centre - still.rigid_at(0.0).centre;
        assert!(middle.x.abs() > 0.5, "look {look} would find it");
    }
    let hit = between((&post, &still), (&post, &through));
    let [only] = hit.objections[..] else { panic!("{hit:?}") };
    assert!(!only.undecided && only.other == Met::Body(1) && (only.secs - 0.525).abs() < 0.005, "{hit:?}");
    // Beside one another they have 0.002 between them.
    let clear = between((&post, &still), (&post, &past(0.152)));
    assert!(clear.is_certified(), "{clear:?}");
    println!("{} tests", clear.tests);
}

/// Bodies that travel together, near each other: only what they move against one another counts.
#[test]
fn bodies_that_travel_side_by_side_are_certified_like_bodies_that_rest() {
    let body = Body::bar();
    let path = |speed: f64, beside: f64| {
        let places: Vec<DVec3> = (0..4).map(|n| dvec3(5.0 * f64::from(n), sin(f64::from(n)), 0.0) * speed).collect();
        body.slide(&places.iter().map(|x| *x + DVec3::Z * beside).collect::<Vec<_>>())
    };
    let tests = [0.0, 1.0].map(|speed| {
        let clear = between((&body, &path(speed, 0.0)), (&body, &path(speed, 0.27)));
        assert!(clear.is_certified(), "{clear:?}");
        clear.tests
    });
    assert!(10 * tests[1] <= 11 * tests[0], "{tests:?}");
    assert!(!between((&body, &path(1.0, 0.0)), (&body, &path(1.0, 0.24))).is_certified());
}

#[test]
fn a_body_within_another_is_found_though_surfaces_never_touch() {
    let (large, small) = (Body::of(&bar(DVec3::splat(2.0), [4, 4, 4]), 12), Body::bar());
    let (still, inside) = (large.slide(&[DVec3::ZERO, DVec3::ZERO]), small.slide(&[DVec3::ZERO, dvec3(0.1, 0.0, 0.0)]));
    let hit = between((&large, &still), (&small, &inside));
    assert!(!hit.is_certified() && depth(&hit) > 0.4, "{hit:?}");
}

/// The ground rises by 0.4 m/s for a second, from 0.5 below a resting body's lower side.
#[test]
fn moving_obstacles_count_with_their_own_travel() {
    let body = Body::bar();
    let curve = body.slide(&[DVec3::ZERO, DVec3::ZERO]);
    for (start, is_clear) in [(-0.56, true), (-0.54, false)] {
        let rising = move |x: DVec3, secs: f64| x.y - (start + 0.4 * secs);
        let travel = |from: f64, to: f64| ObstacleTravel { shift_m: 0.2 * (to - from), ..ObstacleTravel::default() };
        let bodies = [CertifiedBody { surface: &body.surface, curve: &curve }];
        let ground = CertifiedObstacle { distance: &rising, travel: Some(&travel) };
        let found = certify(&bodies, &[ground], &CertificateOptions::default()).unwrap();
        assert_eq!(found.is_certified(), is_clear, "{found:?}");
        if !is_clear {
            assert!((depth(&found) - 0.01).abs() < 1e-9, "{found:?}");
        }
    }
}

/// A paddle sweeps by in a twentieth of the time: its tip comes to 1.0002 from its axis.
#[test]
fn a_turning_obstacle_is_met_where_its_tip_passes() {
    let body = Body::bar();
    let paddle = Shape::cuboid(dvec3(1.0, 0.02, 0.5));
    let turn = |secs: f64| 3.0 * secs;
    let sweeping = |x: DVec3, secs: f64| paddle.at(DQuat::from_rotation_z(-turn(secs)) * x);
    let travel = |from: f64, to: f64| ObstacleTravel { angle_rad: 1.5 * (to - from), ..ObstacleTravel::default() };
    for (gap, is_clear) in [(0.01, true), (-0.03, false)] {
        // Its near side stands across the direction of 100 degrees.
        let (c, s) = (cos(100f64.to_radians()), sin(100f64.to_radians()));
        let at = dvec3(c, s, 0.0) * (1.0 + 0.15 + gap);
        let curve = body.rigid(&[0.0, 1.0].map(|secs| (secs, at, DQuat::from_rotation_z(10f64.to_radians()))));
        let bodies = [CertifiedBody { surface: &body.surface, curve: &curve }];
        let obstacle = CertifiedObstacle { distance: &sweeping, travel: Some(&travel) };
        let found = certify(&bodies, &[obstacle], &CertificateOptions::default()).unwrap();
        assert_eq!(found.is_certified(), is_clear, "{gap}: {found:?}");
        if !is_clear {
            assert!((found.objections[0].secs * 3.0 - 100f64.to_radians()).abs() < 0.6, "{found:?}");
        }
    }
}

/// A needle enters the middle of a face, far from all vertices.
#[test]
fn a_thin_fin_within_a_triangle_is_found() {
    let body = Body::of(&bar(dvec3(1.0, 1.0, 1.0), [1, 1, 1]), 4);
    let needle = Shape::capsule(dvec3(0.1, 0.15, 0.0), dvec3(0.1, 0.15, -2.0), 0.004);
    let distance = |x: DVec3, _: f64| needle.at(x);
    let over = |least: f64| body.slide(&[dvec3(0.0, 0.0, 1.0), dvec3(0.0, 0.0, 0.504 + least), dvec3(0.0, 0.0, 1.0)]);
    assert!(against(&body, &over(0.002), &distance).is_certified());
    let hit = against(&body, &over(-0.01), &distance);
    assert!(
        !hit.is_certified() && hit.objections.iter().all(|o| !o.undecided && o.depth_m > 0.0 && o.depth_m < 0.0041),
        "{hit:?}"
    );
}

/// An edge of a plate cuts into a block's side, where neither has a vertex in the other.
#[test]
fn a_plate_that_cuts_a_block_is_found_though_no_vertex_is_inside() {
    let block = Body::of(&bar(DVec3::splat(0.9), [1, 1, 1]), 4);
    let plate = Body::of(&bar(dvec3(0.4, 0.3, 3.0), [1, 1, 3]), 12);
    let still = block.slide(&[DVec3::ZERO; 3]);
    let into = |least: f64| {
        let [away, near] = [2.0, 0.65 + least].map(|x| dvec3(x, 0.1, 0.0));
        plate.slide(&[away, near, away])
    };
    let hit = between((&block, &still), (&plate, &into(-0.05)));
    assert!(!hit.is_certified() && depth(&hit) == 0.0, "{hit:?}");
    assert!(between((&block, &still), (&plate, &into(0.001))).is_certified());
}

/// A bending and turning body: dense looks give the least height, and certificates on both sides of it agree.
#[test]
fn bending_bodies_are_certified_as_far_as_dense_looks_find_them_clear() {
    let shape = bar_shape(20);
    let surface = SurfaceTree::of_flesh(&shape.nodes).unwrap();
    let poses = [(0.0, 0.05, -0.6, 0.9), (0.7, 1.4, 0.4, 0.35), (1.0, -1.2, 1.9, 0.4), (2.0, 0.6, 2.8, 1.0)];
    let displacements = poses.iter().map(|(secs, bend, turn, height)| {
        let at = dvec3(*secs, *height, 0.0);
        let places = bent(&shape, *bend, at, DQuat::from_scaled_axis(dvec3(0.3, 0.2, 1.0) * *turn));
        places.iter().zip(&shape.nodes.rest).map(|(y, x)| *y - *x).collect()
    });
    let motion = BodyMotion {
        times_secs: poses.iter().map(|pose| pose.0).collect(),
        displacements: displacements.collect(),
        breaks: vec![2],
    };
    for detail in [DetailFrame::Body, DetailFrame::World] {
        let curve = MotionCurve::with(&shape.frame, &motion, detail, TurnCurve::Cumulative).unwrap();
        let functions = shape.nodes.functions_at(&shape.nodes.flesh().positions).unwrap();
        let lowest = (0..=4000).map(|n| {
            let u = curve.displacements_at(2.0 * f64::from(n) / 4000.0);
            let places = functions.displaced(&shape.nodes.flesh().positions, &u);
            places.iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
        });
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let found = [-1e-3, 2e-3].map(|by| {
            let ground = |x: DVec3, _: f64| x.y - lowest - by;
            let bodies = [CertifiedBody { surface: &surface, curve: &curve }];
            certify(&bodies, &[CertifiedObstacle { distance: &ground, travel: None }], &CertificateOptions::default())
        });
        let [clear, hit] = found.map(Result::unwrap);
        assert!(clear.is_certified(), "{detail:?}: {clear:?}");
        assert!(!hit.is_certified() && (depth(&hit) - 2e-3).abs() < 2e-3, "{detail:?}: {hit:?}");
        println!("{detail:?}: {} tests", clear.tests);
    }
}

#[test]
fn certificates_are_the_same_on_any_number_of_threads() {
    let body = Body::bar();
    let curves: Vec<MotionCurve> = (0..5)
        .map(|n| {
            let angle = 1.3 * f64::from(n);
            let out = dvec3(cos(angle), 0.1 * f64::from(n), sin(angle)) * 1.5;
            body.slide(&[out, DVec3::ZERO, -out])
        })
        .collect();
    let bodies: Vec<CertifiedBody<'_>> =
        curves.iter().map(|curve| CertifiedBody { surface: &body.surface, curve }).collect();
    let ask = || certify(&bodies, &[], &CertificateOptions::default()).unwrap();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(ask);
    let eight = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap().install(ask);
    assert!(one == eight && one.objections.len() >= 10, "{one:?}");
}

#[test]
fn motions_without_a_proof_are_refused() {
    let body = Body::bar();
    let turn = |n: f64| DQuat::from_scaled_axis(dvec3(0.3 * n * n, n, 0.2));
    let motion = BodyMotion {
        times_secs: vec![0.0, 1.0, 1.5, 4.0],
        displacements: [0.0, 0.9, 1.4, 2.5]
            .map(|n| body.frame.rest.iter().map(|x| turn(n) * *x - *x).collect())
            .to_vec(),
        breaks: Vec::new(),
    };
    let squad = MotionCurve::with(&body.frame, &motion, DetailFrame::Body, TurnCurve::Squad).unwrap();
    let refused =
        certify(&[CertifiedBody { surface: &body.surface, curve: &squad }], &[], &CertificateOptions::default());
    assert!(refused.is_err(), "{refused:?}");
    let curve = body.slide(&[DVec3::ZERO, DVec3::X]);
    let bodies = [CertifiedBody { surface: &body.surface, curve: &curve }];
    let nothing = |_: DVec3, _: f64| f64::NAN;
    let obstacle = CertifiedObstacle { distance: &nothing, travel: None };
    assert!(certify(&bodies, &[obstacle], &CertificateOptions::default()).is_err());
}

/// A bar has to go around a ball with a few contact times only: what is left between frames is found, and
/// solved away.
#[test]
fn plans_are_solved_until_they_are_certified() {
    let shape = bar_shape(12);
    let surface = SurfaceTree::of_flesh(&shape.nodes).unwrap();
    let ball = CarriedDistance { distance: Shape::sphere(0.3).moved(dvec3(1.2, 0.05, 0.0)), motion: None };
    let keys = vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(2.4, 0.0, 0.0), DQuat::IDENTITY)];
    let mut problem = problem(vec![body(&shape, keys, Frames::Even(7))]);
    problem.obstacles.push(PlanObstacle { name: "ball".into(), distance: Arc::new(ball) });
    problem.options.clearance_m = Some(0.01);
    problem.options.obstacle_times = 1;
    let proven = |motion: &PlannedMotion| {
        certify_plan(&problem, motion, &[&surface], &[ObstacleMotion::Still], &CertificateOptions::default()).unwrap()
    };
    let check = |motion: &PlannedMotion| proven(motion).contact_objections();
    let mut control = SolveControl::default();
    let (first, objections) = solve_until_clear(&problem, None, &check, 0, &mut control).unwrap();
    assert_eq!(objections.is_empty(), proven(&first.motion).is_certified());
    let (solution, objections) = solve_until_clear(&problem, None, &check, 4, &mut control).unwrap();
    println!("at first {:?}, then {objections:?}", proven(&first.motion).objections);
    assert!(objections.is_empty() && proven(&solution.motion).is_certified(), "{objections:?}");
    let straight = PlannedMotion {
        bodies: vec![BodyMotion {
            times_secs: vec![0.0, 1.0],
            displacements: [0.0, 2.4].map(|x| vec![dvec3(x, 0.0, 0.0); shape.node_count()]).to_vec(),
            breaks: Vec::new(),
        }],
    };
    assert!(!proven(&straight).is_certified());
    let nothing = certify_plan(&problem, &straight, &[&surface], &[], &CertificateOptions::default());
    assert!(nothing.is_err(), "{nothing:?}");
}
