//! Where a material was painted soft, the body gives; the other places are as they were. In every solver.

use crate::beside::model;
use crate::fixtures::written::play_to;
use sinew_bake::{Stage, build, redirect};
use sinew_math::DVec3;
use sinew_scene::{Scene, builtin};
use sinew_solve::{BodyId, FieldQuery, FieldValues, StageState};
use std::path::Path;

const SOLVERS: [&str; 2] = [r#"{ kind = "fem" }"#, r#"{ kind = "shape_matching", iterations = 12 }"#];

/// A bar of 1.2 m held at its left end under gravity, of 1 m/s² so that no half of it droops out of all proportion.
fn bar(solver: &str, fields: &str) -> Scene {
    let text = format!(
        r#"
        sinew = 1
        scene = {{ frames = [1, 96], substeps = 4, gravity = [0.0, -1.0, 0.0] }}
        [[body]]
        name = "bar"
        skin = {{ model = "bar", size = [1.2, 0.16, 0.16] }}
        material = {{ preset = "rubber", young_pa = 2.0e7, poisson = 0.3, damping = "heavy", fields = {{ {fields} }} }}
        flesh = {{ kind = "tets", vertices = 400 }}
        solver = {solver}
        sets.root = {{ side = "-x", within = 0.25 }}
        sets.tip = {{ side = "x" }}
        [[body.director]]
        name = "hold"
        kind = "pin"
        on = "root"
        "#
    );
    Scene::from_toml(&text, "bar").unwrap()
}

fn open(scene: &Scene) -> (Stage, StageState) {
    let stage = build(scene, Path::new("."), 1).unwrap().stage;
    let state = stage.first_state();
    (stage, state)
}

/// The mean place of the points in a slice of a bar at rest.
fn slice(stage: &Stage, state: &StageState, body: usize, at: f64) -> DVec3 {
    let rest = &stage.bodies()[body].flesh.rest;
    let nearest = rest.iter().map(|x| x.x).min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs())).unwrap();
    let points: Vec<DVec3> =
        rest.iter().zip(&state.bodies[body].x).filter(|(r, _)| (r.x - nearest).abs() < 1e-9).map(|(_, x)| *x).collect();
    points.iter().sum::<DVec3>() / points.len() as f64
}

/// How far a bar turns down from one place along it to another, radians.
fn turn(stage: &Stage, state: &StageState, body: usize, from: f64, to: f64) -> f64 {
    let (rest, x) = (&stage.bodies()[body].flesh.rest, &state.bodies[body].x);
    let slope = |at: f64| {
        let near: Vec<usize> = (0..rest.len()).filter(|&i| (rest[i].x - at).abs() < 0.13).collect();
        let mean = |of: &dyn Fn(usize) -> DVec3| near.iter().map(|&i| of(i)).sum::<DVec3>() / near.len() as f64;
        let (rest_mean, x_mean) = (mean(&|i| rest[i]), mean(&|i| x[i]));
        let way = near.iter().map(|&i| (x[i] - x_mean) * (rest[i].x - rest_mean.x)).sum::<DVec3>();
        way.y.atan2(way.x)
    };
    slope(from) - slope(to)
}

fn seen(stage: &Stage, body: u32, query: FieldQuery) -> Vec<f64> {
    match stage.field(BodyId(body), query, 0, None) {
        Some(FieldValues::Numbers(numbers)) => numbers,
        other => panic!("{query:?} is {other:?}"),
    }
}

#[test]
fn a_bar_with_one_soft_half_bends_there() {
    // Soft beyond the middle: two strokes round the bar, and the material as it is left of them.
    let soft = r#"stiffness = { along = "x", from = 1.0, to = 1.0, paint = [
        { fill = "face", at = [0.6, 0.0, 0.0], value = 0.05 },
        { stroke = [[0.15, 0.08, 0.0], [0.6, 0.08, 0.0]], value = 0.05 },
        { stroke = [[0.15, -0.08, 0.0], [0.6, -0.08, 0.0]], value = 0.05 },
    ] }, paint = { reach = 0.25 }"#;
    for solver in SOLVERS {
        let bends = |fields: &str| {
            let (mut stage, mut state) = open(&bar(solver, fields));
            play_to(&mut stage, &mut state, 60);
            (turn(&stage, &state, 0, -0.5, -0.1), turn(&stage, &state, 0, 0.1, 0.5))
        };
        let ((held, free), (held_soft, free_soft)) = (bends(""), bends(soft));
        println!("{solver}: even {held:.4} {free:.4}, painted {held_soft:.4} {free_soft:.4}");
        // Evenly stiff, a bar held at its left end bends there; with its right half soft, that one bends many times as much as it did.
        assert!(held > free, "{solver}");
        assert!(free_soft > 3.0 * free, "{solver}: {free_soft} against {free}");
        let ratio = (free_soft / held_soft) / (free / held);
        assert!(ratio > 2.5, "{solver}: the soft half bends {ratio} times as much beside the other as it did");
    }
}

#[test]
fn the_built_in_bars_bend_at_their_joints() {
    let scene = Scene::from_toml(builtin::find("bar-joint").unwrap().toml, "bar-joint").unwrap();
    let (mut stage, mut state) = open(&scene);
    play_to(&mut stage, &mut state, 60);
    for body in 0..2 {
        let joint = turn(&stage, &state, body, -0.15, 0.15);
        let beside = turn(&stage, &state, body, -0.5, -0.15) + turn(&stage, &state, body, 0.15, 0.5);
        println!("{}: {joint:.3} rad at the joint, {beside:.3} beside it", stage.bodies()[body].name);
        assert!(joint > 0.3 && joint > 1.5 * beside, "{joint} {beside}");
        let stiffness = seen(&stage, body as u32, FieldQuery::Stiffness);
        let (soft, full) = stiffness.iter().fold((1.0f64, 0.0f64), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!((soft - 0.01).abs() < 1e-9 && (full - 1.0).abs() < 1e-9, "{soft} {full}");
    }
}

/// Painted and keyed factors multiply; both act, and both are seen.
#[test]
fn material_over_time_acts_on_top_of_paint() {
    let keyed = |with: &str| {
        let mut scene = bar(SOLVERS[0], r#"stiffness = { along = "x", from = 0.2, to = 0.2 }"#);
        let director = format!("sinew = 1\n[[body]]\nname = \"b\"\nskin = {{ model = \"bar\" }}\n{with}");
        scene.bodies[0].directors.extend(Scene::from_toml(&director, "d").unwrap().bodies.remove(0).directors);
        scene
    };
    let sag = |scene: &Scene| {
        let (mut stage, mut state) = open(scene);
        play_to(&mut stage, &mut state, 48);
        -slice(&stage, &state, 0, 0.6).y
    };
    let half = "[[body.director]]\nkind = \"material\"\nstiffness = 0.5\n";
    let (painted, both) = (sag(&keyed("")), sag(&keyed(half)));
    let even = {
        let mut scene = bar(SOLVERS[0], "");
        scene.bodies[0].material.young_pa = Some(2.0e6);
        sag(&scene)
    };
    println!("painted {painted:.5}, halved too {both:.5}, of a tenth of the modulus {even:.5}");
    assert!(both > 1.5 * painted);
    assert!((both / even - 1.0).abs() < 0.02, "{both} {even}");
    let (stage, _) = open(&keyed(half));
    assert!(seen(&stage, 0, FieldQuery::Stiffness).iter().all(|factor| (factor - 0.1).abs() < 1e-12));
}

#[test]
fn density_damping_and_poisson_are_painted_alike() {
    let (stage, state) = open(&bar(SOLVERS[0], r#"density = { along = "x", from = 1.0, to = 3.0 }"#));
    let (even, _) = open(&bar(SOLVERS[0], ""));
    let mass = |stage: &Stage| stage.bodies()[0].flesh.total_mass_kg();
    // The mean of 3ˢ for s from 0 to 1 is 2/ln 3.
    let known = 2.0 / 3.0f64.ln();
    assert!((mass(&stage) / mass(&even) / known - 1.0).abs() < 0.01, "{}", mass(&stage) / mass(&even));
    let x = &state.bodies[0];
    assert!(x.origin.x > 0.05, "the centre lies towards the heavy end: {}", x.origin);
    assert!(seen(&stage, 0, FieldQuery::Density).iter().all(|factor| (1.0..=3.0 + 1e-9).contains(factor)));

    // Pulled along, a bar of Poisson ratio ν grows thinner by ν times the stretch.
    let pulled = |fields: &str| {
        let mut scene = bar(SOLVERS[0], fields);
        scene.shot.gravity = sinew_scene::model::constant3([0.0; 3]);
        let pull = "sinew = 1\n[[body]]\nname = \"b\"\nskin = { model = \"bar\" }\nsets.tip = { side = \"x\" }\n\
                    [[body.director]]\nkind = \"force\"\non = \"tip\"\nnewton = [10000.0, 0.0, 0.0]\n";
        scene.bodies[0].directors.extend(Scene::from_toml(pull, "d").unwrap().bodies.remove(0).directors);
        let (mut stage, mut state) = open(&scene);
        play_to(&mut stage, &mut state, 72);
        let rest = stage.bodies()[0].flesh.rest.clone();
        let thick = |places: &[DVec3]| {
            let middle = rest.iter().zip(places).filter(|(r, _)| r.x > -0.05 && r.x < 0.45);
            let (moments, squares) = middle.fold((0.0, 0.0), |(m, s), (r, x)| (m + x.y * r.y, s + r.y * r.y));
            moments / squares
        };
        let length = |state: &StageState| slice(&stage, state, 0, 0.4).x - slice(&stage, state, 0, 0.0).x;
        let (long, at_rest) = (length(&state), length(&stage.first_state()));
        (1.0 - thick(&state.bodies[0].x) / thick(&rest)) / (long / at_rest - 1.0)
    };
    let (as_is, painted) = (pulled(""), pulled(r#"poisson = { along = "x", from = 0.05, to = 0.05 }"#));
    println!("thinner by {as_is:.3} and {painted:.3} of the stretch");
    assert!((as_is - 0.3).abs() < 0.04 && (painted - 0.05).abs() < 0.03, "{as_is} {painted}");

    let swing = |fields: &str| {
        let mut scene = bar(SOLVERS[1], fields);
        scene.bodies[0].material.damping = None;
        let (mut stage, mut state) = open(&scene);
        play_to(&mut stage, &mut state, 30);
        state.bodies[0].v.iter().map(|v| v.length_squared()).sum::<f64>()
    };
    let (light, heavy) = (swing(""), swing(r#"damping = { along = "x", from = 40.0, to = 40.0 }"#));
    assert!(heavy < 0.75 * light, "{heavy} {light}");
}

/// Paint is direction: it changes under a body that moves, and goes on from where it is.
#[test]
fn paint_changes_under_a_moving_body() {
    for solver in SOLVERS {
        let mut built = build(&bar(solver, ""), Path::new("."), 1).unwrap();
        let mut state = built.stage.first_state();
        play_to(&mut built.stage, &mut state, 24);
        let before = state.clone();
        redirect(&mut built, &mut state, &bar(solver, r#"stiffness = { along = "x", from = 0.1, to = 0.1 }"#)).unwrap();
        assert_eq!(before.bodies, state.bodies);
        let sag = -slice(&built.stage, &state, 0, 0.6).y;
        play_to(&mut built.stage, &mut state, 48);
        let soft = -slice(&built.stage, &state, 0, 0.6).y;
        println!("{solver}: {sag:.4} then {soft:.4}");
        assert!(soft > 2.0 * sag, "{solver}: {sag} {soft}");
    }
}

/// A mesh as users bring it: the bunny's ears are painted soft, and hang to the side while its body stands as it did.
#[test]
fn a_bunny_with_soft_ears_hangs_them() {
    let Some(bunny) = model("bunny.off") else { return };
    let folder = bunny.parent().unwrap();
    let scene = |solver: &str, paint: &str| {
        let text = format!(
            r#"
            sinew = 1
            scene = {{ frames = [1, 60], substeps = 4, gravity = [5.0, 0.0, 0.0] }}
            [[body]]
            name = "bunny"
            skin = {{ mesh = "bunny.off" }}
            material = {{ preset = "rubber", damping = "heavy", fields = {{ {paint} }} }}
            flesh = {{ kind = "tets", vertices = 500 }}
            solver = {solver}
            sets.feet = {{ side = "-y", within = 0.2 }}
            [[body.director]]
            kind = "pin"
            on = "feet"
            "#
        );
        let scene = Scene::from_toml(&text, "bunny").unwrap();
        let stage = build(&scene, folder, 1).unwrap().stage;
        let state = stage.first_state();
        (stage, state)
    };
    for solver in SOLVERS {
        let shift = |paint: &str| {
            let (mut stage, mut state) = scene(solver, paint);
            play_to(&mut stage, &mut state, 36);
            let (flesh, size) = (stage.bodies()[0].flesh.clone(), stage.bodies()[0].flesh.size_m());
            let top = *flesh.rest.iter().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
            let foot = flesh.rest.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
            let mean = |wanted: &dyn Fn(DVec3) -> bool| {
                let moved = flesh.rest.iter().zip(&state.bodies[0].x).filter(|(rest, _)| wanted(**rest));
                let (sum, n) = moved.fold((0.0, 0.0), |(sum, n), (rest, x)| (sum + (x.x - rest.x), n + 1.0));
                sum / n / size
            };
            let middle = 0.5 * (top.y - foot) + foot;
            (top, size, mean(&|x| x.distance(top) < 0.1 * size), mean(&|x| (x.y - middle).abs() < 0.1 * size))
        };
        let (top, size, ears, body) = shift("");
        let [x, y, z] = top.to_array();
        let low = y - 0.2 * size;
        let reach = 0.15 * size;
        let paint = format!(
            "stiffness = {{ paint = [{{ stroke = [[{x:?}, {y:?}, {z:?}], [{x:?}, {low:?}, {z:?}]], value = 0.002 }}] }}, paint = {{ reach = {reach:?} }}"
        );
        let (_, _, soft_ears, soft_body) = shift(&paint);
        println!("{solver}: ears {ears:.5} then {soft_ears:.5}, body {body:.5} then {soft_body:.5} of its size");
        assert!(soft_ears > 1.2 * ears, "{solver}: {soft_ears} {ears}");
        assert!((soft_body - body).abs() < 0.25 * (soft_ears - ears), "{solver}: {soft_body} {body}");
    }
}
