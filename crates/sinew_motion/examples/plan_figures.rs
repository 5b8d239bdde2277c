//! Figures of plans: `cargo run --release -p sinew_motion --example plan_figures -- six-keys [body.obj]
//! [nodes]`.

use sinew_geom::distance::{Distance, Shape, SurfaceDistance};
use sinew_geom::meshless::MeshlessOptions;
use sinew_geom::structured::bar;
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_geom::{TetMesh, TriangleMesh};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::plan::{CarriedDistance, Frames, PointPlaces};
use sinew_motion::*;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("six-keys", String::as_str);
    let file = arguments.get(1).filter(|name| name.as_str() != "bar");
    let nodes = arguments.get(2).map_or(Ok(46), |n| n.parse())?;
    let mesh = match file {
        Some(path) => stuff(&SurfaceDistance::new(&read_obj(path)?), Fineness::Vertices(1500))?.mesh,
        None => bar(dvec3(0.9, 0.3, 0.3), [12, 4, 4]),
    };
    let began = Instant::now();
    let meshless = MeshlessOptions { nodes, ..MeshlessOptions::default() };
    let options = ShapeOptions { meshless, ..ShapeOptions::default() };
    let shape = Arc::new(PlanShape::over(&mesh, &options)?);
    println!("{} points, {} nodes, prepared in {:.0} ms", mesh.positions.len(), nodes, ms(began));
    match what {
        "six-keys" => six_keys(&mesh, &shape),
        "dodge" => dodge(&shape),
        "exchange" => exchange(&shape, arguments.get(3).map_or(Ok(10), |n| n.parse())?),
        "feet" => feet(&mesh, &shape),
        "wall" => wall(&shape),
        "sides" => sides(&shape),
        "factor" => factor_speed(nodes),
        "pose" => pose_speed(&mesh, &shape),
        other => Err(format!("{other} is none of six-keys, dodge, sides, wall, pose, factor, exchange, feet").into()),
    }
}

fn ms(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

/// Vertices and triangles of an OBJ file.
fn read_obj(path: &str) -> Result<TriangleMesh, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied() {
            Some("v") => positions.push(dvec3(words[1].parse()?, words[2].parse()?, words[3].parse()?)),
            Some("f") => {
                let corners: Vec<u32> = words[1..]
                    .iter()
                    .map(|word| word.split('/').next().unwrap_or("").parse::<u32>().map(|n| n - 1))
                    .collect::<Result<_, _>>()?;
                triangles.extend((1..corners.len() - 1).map(|n| [corners[0], corners[n], corners[n + 1]]));
            }
            _ => {}
        }
    }
    Ok(TriangleMesh::new(positions, triangles)?)
}

fn body(shape: &Arc<PlanShape>, name: &str, keys: Vec<PlanKey>, frames: Frames) -> PlanBody {
    PlanBody { name: name.into(), shape: shape.clone(), keys, guesses: Vec::new(), frames, breaks_secs: Vec::new() }
}

fn problem(bodies: Vec<PlanBody>, obstacles: Vec<PlanObstacle>) -> PlanProblem {
    PlanProblem { bodies, obstacles, weights: PlanWeights::default(), options: PlanOptions::default() }
}

fn show(label: &str, began: Instant, solution: &PlanSolution) {
    let report = &solution.report;
    println!(
        "{label}: {:.0} ms, {} steps, {:?}, {} unknowns ({} free), frames {:?}",
        ms(began),
        report.curve.len(),
        report.outcome,
        report.unknowns,
        report.free_unknowns,
        &report.frames[..report.frames.len().min(3)]
    );
    println!("  {:?} clearance {:?}", report.energies, report.clearance_m);
    for (n, step) in
        report.curve.iter().enumerate().filter(|(n, _)| *n < 8 || *n + 4 > report.curve.len() || n % 10 == 0)
    {
        println!(
            "  {n:3} energy {:.8} step {:.5} share {:.3} exact {} cg {}",
            step.energy, step.step, step.share, step.exact, step.cg
        );
    }
    let worst = report.keys.iter().map(|key| key.relative).fold(0.0, f64::max);
    println!("  worst key residual {worst:.1e} of size");
}

/// A bend about z by an angle over the length of the body, as samples of its flesh.
fn bent(mesh: &TetMesh, shape: &PlanShape, angle: f64, at: DVec3, turn: DQuat) -> Pose {
    let centre = shape.frame.rest_centre;
    let size = shape.size_m;
    let displacement = mesh
        .positions
        .iter()
        .map(|x| {
            let p = *x - centre;
            let theta = angle * p.x / size;
            let (s, c) = (theta.sin(), theta.cos());
            let radius = size / angle;
            dvec3((radius - p.y) * s, radius - (radius - p.y) * c, p.z) - *x
        })
        .collect();
    Pose::Samples { rest: mesh.positions.clone(), displacement, at, turn }
}

fn six_pose_keys(mesh: &TetMesh, shape: &PlanShape, extra_turn: f64) -> Vec<PlanKey> {
    let size = shape.size_m;
    (0..6)
        .map(|n| {
            let k = f64::from(n);
            let turn = DQuat::from_rotation_z(0.5 * (1.3 * k).sin()) * DQuat::from_rotation_y(0.6 * k);
            let turn = if n == 3 { DQuat::from_rotation_y(extra_turn) * turn } else { turn };
            let at = dvec3(0.5 * k, 0.4 * (1.1 * k).sin(), 0.2 * (0.7 * k).cos()) * size;
            PlanKey::Pose { at_secs: 0.2 * k, pose: bent(mesh, shape, 0.9 * (2.0 * k + 0.5).sin() + 0.05, at, turn) }
        })
        .collect()
}

fn six_keys(mesh: &TetMesh, shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let mut control = SolveControl::default();
    for frame in [DetailFrame::Body, DetailFrame::World] {
        let keys = six_pose_keys(mesh, shape, 0.0);
        let mut problem = problem(vec![body(shape, "body", keys, Frames::Even(15))], Vec::new());
        problem.weights.acceleration_frame = frame;
        let began = Instant::now();
        let solution = solve(&problem, None, &mut control)?;
        show(&format!("six keys, cold, {frame:?}"), began, &solution);
        for (label, turn) in [("key turned 15°", 0.26), ("key turned 60°", 1.05)] {
            let mut moved = problem.clone();
            moved.bodies[0].keys = six_pose_keys(mesh, shape, turn);
            let began = Instant::now();
            let again = solve(&moved, Some(&solution.motion), &mut control)?;
            show(label, began, &again);
        }
    }
    let frames = Frames::Adaptive { most: 15 };
    let problem = problem(vec![body(shape, "body", six_pose_keys(mesh, shape, 0.0), frames)], Vec::new());
    let began = Instant::now();
    show("adaptive", began, &solve(&problem, None, &mut control)?);
    Ok(())
}

fn feet(mesh: &TetMesh, shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let size = shape.size_m;
    let mut keys = six_pose_keys(mesh, shape, 0.0);
    keys.truncate(3);
    let low = mesh.positions.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
    let feet: Vec<DVec3> = mesh.positions.iter().copied().filter(|x| x.x < low + 0.1 * size).collect();
    let places = feet.iter().map(|x| *x + dvec3(1.5, 0.3, 0.0) * size).collect();
    keys.push(PlanKey::Points { from_secs: 0.6, to_secs: 0.8, rest: feet, places: PointPlaces::At(places) });
    let mut problem = problem(vec![body(shape, "body", keys, Frames::Even(15))], Vec::new());
    problem.bodies[0].keys.push(PlanKey::Velocity {
        at_secs: 0.0,
        rest: Vec::new(),
        velocity: vec![dvec3(1.0, 2.0, 0.0) * size],
    });
    let began = Instant::now();
    let solution = solve(&problem, None, &mut SolveControl::default())?;
    show("feet", began, &solution);
    println!("  {:?}", solution.report.keys);
    Ok(())
}

fn rigid(secs: f64, at: DVec3, turn: DQuat) -> PlanKey {
    PlanKey::Pose { at_secs: secs, pose: Pose::Rigid { at, turn } }
}

fn dodge(shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let size = shape.size_m;
    for (label, off) in [("ball off the way", 0.15), ("ball in the way", 0.02)] {
        let ball = Shape::sphere(0.3 * size).moved(dvec3(1.0, off, 0.0) * size);
        let _ = ball.bounds();
        let obstacle =
            PlanObstacle { name: "ball".into(), distance: Arc::new(CarriedDistance { distance: ball, motion: None }) };
        let keys = vec![
            rigid(0.0, DVec3::ZERO, DQuat::IDENTITY),
            rigid(1.0, dvec3(2.0, 0.0, 0.0) * size, DQuat::from_rotation_y(0.6)),
        ];
        let problem = problem(vec![body(shape, "body", keys, Frames::Even(13))], vec![obstacle]);
        let began = Instant::now();
        let solution = solve(&problem, None, &mut SolveControl::default())?;
        show(label, began, &solution);
    }
    Ok(())
}

fn exchange(shape: &Arc<PlanShape>, count: usize) -> Result<(), Box<dyn Error>> {
    let size = shape.size_m;
    let bodies = (0..count).map(|n| {
        // On a sphere, to the opposite side.
        let k = (n as f64 + 0.5) / count as f64;
        let (height, angle) = (1.0 - 2.0 * k, 2.399_963 * n as f64);
        let across = (1.0 - height * height).sqrt();
        let radius = size * 1.1 * (count as f64 / 4.0).powf(1.0 / 2.0).max(1.0);
        let from = dvec3(across * angle.cos(), height, across * angle.sin()) * radius;
        let keys = vec![rigid(0.0, from, DQuat::IDENTITY), rigid(1.0, -from, DQuat::from_rotation_y(0.5))];
        body(shape, &format!("body {n}"), keys, Frames::Even(15))
    });
    let problem = problem(bodies.collect(), Vec::new());
    let began = Instant::now();
    let solution = solve(&problem, None, &mut SolveControl::default())?;
    show("exchange", began, &solution);
    Ok(())
}

/// A thin wall with a round hole, beside the straight way.
fn wall(shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let size = shape.size_m;
    for (label, radius) in [("hole 0.30", 0.30), ("hole 0.22", 0.22), ("hole 0.16", 0.16)] {
        let hole = Shape::cylinder(radius * size, size).turned(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
        let plate = Shape::cuboid(dvec3(0.01, 6.0, 6.0) * size).subtract(hole.moved(dvec3(0.0, 0.6, 0.0) * size), 0.0);
        let distance = Arc::new(CarriedDistance { distance: plate.moved(dvec3(1.5, 0.0, 0.0) * size), motion: None });
        let keys =
            vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(3.0, 0.0, 0.0) * size, DQuat::IDENTITY)];
        let obstacle = PlanObstacle { name: "wall".into(), distance };
        let problem = problem(vec![body(shape, "body", keys, Frames::Even(17))], vec![obstacle]);
        let began = Instant::now();
        let solution = solve(&problem, None, &mut SolveControl::default())?;
        show(label, began, &solution);
        let mut moved = problem.clone();
        let turn = DQuat::from_rotation_y(0.26);
        moved.bodies[0].keys[1] = rigid(1.0, dvec3(3.0, 0.2, 0.0) * size, turn);
        let began = Instant::now();
        let again = solve(&moved, Some(&solution.motion), &mut SolveControl::default())?;
        show("end key moved", began, &again);
    }
    Ok(())
}

/// A drag of one end, step by step, from the last pose.
fn pose_speed(mesh: &TetMesh, shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let (low, high) = mesh.positions.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x.x), h.max(x.x)));
    let end = |from: f64, to: f64| pose::Handle {
        rest: mesh.positions.iter().copied().filter(|x| x.x >= from && x.x <= to).collect(),
    };
    let span = high - low;
    let handles = [end(low, low + 0.1 * span), end(high - 0.1 * span, high)];
    let solver = pose::PoseSolver::new(shape, &handles)?;
    let mut places = shape.nodes.rest.clone();
    let (mut steps, began) = (0, Instant::now());
    for n in 1..=40 {
        let shift = dvec3(0.0, 0.01 * f64::from(n), 0.0) * shape.size_m;
        let moved = handles[1].rest.iter().map(|x| *x + shift).collect();
        let pose = solver.solve(&[handles[0].rest.clone(), moved], &places, None)?;
        steps += pose.steps;
        places = pose.places;
    }
    println!("drag: {:.2} steps and {:.2} ms each", f64::from(steps as u32) / 40.0, ms(began) / 40.0);
    let pulled = handles[1].rest.iter().map(|x| *x + dvec3(0.0, 0.4, 0.0) * shape.size_m).collect();
    let began = Instant::now();
    let pose = solver.solve(&[handles[0].rest.clone(), pulled], &shape.nodes.rest, None)?;
    println!(
        "40 % pull: {} steps, {:.2} ms, converged {}, volume {:.3}, least J {:.3}",
        pose.steps,
        ms(began),
        pose.converged,
        pose.volume_share,
        pose.least_j
    );
    Ok(())
}

/// Milliseconds per factor by the number of free frames.
fn factor_speed(nodes: usize) -> Result<(), Box<dyn Error>> {
    for (band, frames) in [(2, 8), (2, 16), (2, 32), (2, 64), (3, 16), (3, 32)] {
        let mut matrix = block_banded::BlockBanded::new(3 * nodes, frames, band);
        for (n, entry) in matrix.panels_mut().flatten().enumerate() {
            *entry = ((n * 37) % 23) as f64 / 23.0 - 0.5;
        }
        matrix.add_to_diagonal(6.0 * 3.0 * nodes as f64);
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            let copy = matrix.clone();
            let began = Instant::now();
            let factor = copy.factor()?;
            best = best.min(ms(began));
            std::hint::black_box(factor);
        }
        println!("{nodes} nodes, band {band}, {frames} free frames: {best:.2} ms, {:.3} a frame", best / frames as f64);
    }
    Ok(())
}

/// Different ways around a ball.
fn sides(shape: &Arc<PlanShape>) -> Result<(), Box<dyn Error>> {
    let size = shape.size_m;
    let ball = Shape::sphere(0.4 * size).moved(dvec3(1.2, 0.05, 0.0) * size);
    let distance = Arc::new(CarriedDistance { distance: ball, motion: None });
    let keys = vec![rigid(0.0, DVec3::ZERO, DQuat::IDENTITY), rigid(1.0, dvec3(2.4, 0.0, 0.0) * size, DQuat::IDENTITY)];
    let obstacle = PlanObstacle { name: "ball".into(), distance };
    let problem = problem(vec![body(shape, "body", keys, Frames::Even(11))], vec![obstacle]);
    let began = Instant::now();
    let found = plan::alternatives(&problem, 4, &mut SolveControl::default())?;
    println!("{} ways in {:.0} ms", found.len(), ms(began));
    for solution in &found {
        let curve = MotionCurve::new(&shape.frame, &solution.motion.bodies[0])?;
        let report = &solution.report;
        println!(
            "  energy {:.5}, middle {:.3}, {} steps, {:?}, clearance {:?}",
            report.energies.total(),
            curve.rigid_at(0.5).centre / size,
            report.curve.len(),
            report.outcome,
            report.clearance_m
        );
    }
    Ok(())
}
