//! Milliseconds of a whole substep of many small bodies that fall into a heap, on one thread, and where they go.
//!
//! `cargo run --release -p sinew_bake --example contact_speed [STEPS [worm|bell]]`

use sinew_bake::{BodySetup, Clock, DirectorSetup, FrictionTrack, Method, ObstacleTrack, Skin, Stage, World};
use sinew_direct::muscle::Canvas;
use sinew_direct::{Gravity, Track3, Turn};
use sinew_geom::TetMesh;
use sinew_geom::structured::{bar, bell};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::contact::Spot;
use sinew_solve::shape_matching::ShapeMatchingParams;
use sinew_solve::{Flesh, Material, Shape};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let steps: usize = std::env::args().nth(1).and_then(|steps| steps.parse().ok()).unwrap_or(480);
    let only = std::env::args().nth(2);
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let worm = bar(dvec3(0.4, 0.07, 0.07), [7, 2, 2]);
    if wanted("worm") {
        measure("101 x worm", worm, 101, dvec3(0.45, 0.11, 0.45), steps);
    }
    let jelly = bell(0.25, 0.22, 0.06, 5, 2);
    if wanted("bell") {
        measure("31 x bell", jelly, 31, dvec3(0.52, 0.32, 0.52), steps);
    }
}

fn measure(name: &str, mesh: TetMesh, copies: usize, spacing: DVec3, steps: usize) {
    let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0).expect("a valid mesh"));
    let skin = Arc::new(Skin::of_flesh(&flesh, None));
    let canvas = Arc::new(Canvas::new(flesh.clone()));
    let across = 3;
    let setup = |i: usize| BodySetup {
        name: format!("body-{i}"),
        flesh: flesh.clone(),
        canvas: canvas.clone(),
        skin: skin.clone(),
        colour: None,
        material: Material::default(),
        method: Method::ShapeMatching(ShapeMatchingParams { iterations: 1, ..Default::default() }),
        at: dvec3((i % across) as f64, 2.0 + (i / (across * across)) as f64, (i / across % across) as f64) * spacing,
        turn: DQuat::from_rotation_y((i / 9) as f64 * 2.4),
        velocity: DVec3::ZERO,
        directors: vec![DirectorSetup::new(
            "gravity",
            Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) },
        )],
        friction: FrictionTrack::default(),
        friction_along: Arc::default(),
        restitution: 0.0,
        start: Vec::new(),
        touches_itself: false,
    };
    let floor = ObstacleTrack {
        name: "floor".into(),
        shape: Shape::Plane,
        at: Track3::constant(DVec3::ZERO),
        turn: Turn(Track3::constant(DVec3::ZERO)),
        roughness: 1.0.into(),
    };
    let clock = Clock { fps: (24, 1), substeps: 4, first_frame: 1, last_frame: 1000 };
    let world = World { clock, obstacles: vec![floor], threads: 1 };
    let mut stage = Stage::new(world, (0..copies).map(setup).collect()).expect("a stage");
    let mut state = stage.first_state();
    let (mut times, mut deepest_m) = (Vec::new(), 0.0f64);
    for step in 0..steps {
        let begun = Instant::now();
        stage.step(&mut state, &[]).expect("a finite step");
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        let x = |spot: &Spot| spot.at(&state.bodies[spot.body.0 as usize].x);
        let depths = stage.body_contacts().iter().map(|c| -c.gap_at(x(&c.vertex), x(&c.face)));
        deepest_m = depths.fold(deepest_m, f64::max);
        if (step + 1) % (steps / 8).max(1) == 0 {
            let mut recent = times[times.len() - steps / 8..].to_vec();
            recent.sort_by(f64::total_cmp);
            let speed = state.bodies.iter().flat_map(|b| &b.v).map(|v| v.length()).fold(0.0, f64::max);
            let touching = stage.body_contacts();
            let points = || state.bodies.iter().flat_map(|b| &b.x);
            let height = points().map(|x| x.y).sum::<f64>() / points().count() as f64;
            println!(
                "{name} {} points, step {:>4}: median {:.3} ms, fastest tenth {:.3} ms, {} contacts ({} pressing, deepest {:.4} m), fastest {speed:.3} m/s, mean height {height:.4} m",
                flesh.point_count() * copies,
                step + 1,
                recent[recent.len() / 2],
                recent[recent.len() / 10],
                touching.len(),
                touching.iter().filter(|c| c.gap_m < 0.0).count(),
                std::mem::take(&mut deepest_m),
            );
        }
    }
}
