//! A run goes on under a stage that was made of an edited scene.

use crate::fixtures::written::play_to;
use sinew_bake::{Stage, build};
use sinew_scene::{Scene, builtin};
use sinew_solve::{BodyId, Input, StageState, body_motion};
use std::path::Path;

const FEM: &str = r#"{ kind = "fem" }"#;
const MATCHING: &str = r#"{ kind = "shape_matching", iterations = 8 }"#;

/// Two bars that tumble and fall beside each other, one of each method.
fn scene(first: &str, second: &str, more: &str) -> Scene {
    let body = |name: &str, x: f64, solver: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nskin = {{ model = \"bar\", size = [0.6, 0.2, 0.2] }}\nat = [{x:?}, 2.0, 0.0]\n\
             turn = [0.0, 0.0, 130.0]\nmaterial = {{ preset = \"rubber\" }}\nflesh = {{ kind = \"tets\", vertices = 120 }}\nsolver = {solver}\n"
        )
    };
    let text = format!(
        "sinew = 1\nscene = {{ frames = [1, 96] }}\n{}{}\n[[obstacle]]\nname = \"ground\"\nshape = \"plane\"\n{more}",
        body("one", -1.0, first),
        body("two", 1.0, second)
    );
    Scene::from_toml(&text, "two bars").unwrap()
}

fn stage(scene: &Scene) -> Stage {
    build(scene, Path::new("."), 1).unwrap().stage
}

#[test]
fn the_same_scene_made_again_goes_on_with_the_same_bits() {
    for name in ["bar-drop", "jellyfish", "snail-touch", "bar-soft"] {
        let scene = Scene::from_toml(builtin::find(name).unwrap().toml, name).unwrap();
        let (mut one, mut other) = (stage(&scene), stage(&scene));
        let mut state = one.first_state();
        play_to(&mut one, &mut state, 8);
        let mut carried = other.transfer_state(&one, &state).unwrap();
        assert_eq!(carried, state, "{name}");
        play_to(&mut one, &mut state, 12);
        play_to(&mut other, &mut carried, 12);
        assert_eq!(carried, state, "{name}");
        assert!(other.is_ordered_as(&one));
    }
}

/// Warm starts, lengths that springs had been asked for, inner steps: all that a method remembers, under a muscle at work.
#[test]
fn every_solver_keeps_what_it_remembers() {
    for solver in [
        MATCHING,
        FEM,
        r#"{ kind = "fem", method = "descent", iterations = 10 }"#,
        r#"{ kind = "springs" }"#,
        r#"{ kind = "springs", method = "adaptive" }"#,
    ] {
        let text = format!(
            "sinew = 1\nscene = {{ frames = [1, 96] }}\n[[body]]\nname = \"one\"\n\
             skin = {{ model = \"bar\", size = [0.6, 0.2, 0.2] }}\nat = [0.0, 0.3, 0.0]\n\
             material = {{ preset = \"rubber\", young_pa = 2.0e5, damping = {{ rayleigh_stiffness_secs = 0.002 }} }}\n\
             flesh = {{ kind = \"tets\", vertices = 120 }}\nsolver = {solver}\n\
             [[body.director]]\nkind = \"muscle\"\nperiod = 0.5\nprimary = [[0.0, 1.0], [0.3, 0.8], [0.8, 1.0]]\n\
             fibres = {{ along = \"x\" }}\n[[obstacle]]\nshape = \"plane\"\n"
        );
        let scene = Scene::from_toml(&text, "a muscle").unwrap();
        let (mut one, mut other) = (stage(&scene), stage(&scene));
        let mut state = one.first_state();
        play_to(&mut one, &mut state, 5);
        // Implicit springs begin every step anew while nothing on them is cut.
        let remembers = state.bodies[0].memory != one.first_state().bodies[0].memory;
        assert!(remembers || solver == r#"{ kind = "springs" }"#, "{solver} remembers nothing");
        let mut carried = other.transfer_state(&one, &state).unwrap();
        assert_eq!(carried, state, "{solver}");
        play_to(&mut one, &mut state, 9);
        play_to(&mut other, &mut carried, 9);
        assert_eq!(carried, state, "{solver}");
    }
}

#[test]
fn bodies_change_their_method_as_they_fly() {
    // The stage sorts its bodies by method, so that they change places too.
    let (mut before, mut after) = (stage(&scene(MATCHING, FEM, "")), stage(&scene(FEM, MATCHING, "")));
    let mut state = before.first_state();
    play_to(&mut before, &mut state, 10);
    let mut carried = after.transfer_state(&before, &state).unwrap();
    assert!(!after.is_ordered_as(&before));
    let place = |stage: &Stage, name: &str| stage.bodies().iter().position(|body| body.name == name).unwrap();
    let motion = |stage: &Stage, state: &StageState, name: &str| {
        let (number, flesh) = (place(stage, name), &stage.bodies()[place(stage, name)].flesh);
        body_motion(flesh, &flesh.rest, &state.bodies[number])
    };
    for name in ["one", "two"] {
        let (old, new) = (&state.bodies[place(&before, name)], &carried.bodies[place(&after, name)]);
        assert_eq!((&old.x, &old.v), (&new.x, &new.v), "{name}");
        assert!(std::mem::discriminant(&old.memory) != std::mem::discriminant(&new.memory), "{name}");
    }
    play_to(&mut before, &mut state, 13);
    play_to(&mut after, &mut carried, 13);
    for name in ["one", "two"] {
        let (old, new) = (motion(&before, &state, name), motion(&after, &carried, name));
        assert!(old.centre.distance(new.centre) < 1e-9, "{name} falls on: {} {}", old.centre, new.centre);
        assert!(old.turn.angle_between(new.turn) < 1e-3, "{name} is turned as it was");
        let gap = |a: &sinew_math::DVec3, b: &sinew_math::DVec3| a.distance(*b);
        let (x, y) = (&state.bodies[place(&before, name)].x, &carried.bodies[place(&after, name)].x);
        let worst = x.iter().zip(y).map(|(a, b)| gap(a, b)).fold(0.0, f64::max);
        assert!(worst < 0.01, "{name} keeps its shape: {worst} m apart");
    }
}

#[test]
fn names_obstacles_and_density_change_and_hands_let_go() {
    let scene = scene(MATCHING, MATCHING, "");
    let mut before = stage(&scene);
    let mut state = before.first_state();
    let held = [Input::Drag { body: BodyId(0), at_rest: sinew_math::DVec3::ZERO, to: sinew_math::DVec3::Y }];
    before.step(&mut state, &held).unwrap();
    let mut edited = scene.clone();
    edited.bodies[1].name = "three".into();
    edited.bodies[0].material.density_kg_m3 = Some(300.0);
    edited.obstacles.clear();
    let after = stage(&edited);
    let carried = after.transfer_state(&before, &state).unwrap();
    assert_eq!(carried.bodies[0].x, state.bodies[0].x);
    assert_eq!(carried.bodies[1], state.bodies[1]);
    assert_eq!(carried.director_states[0].len(), state.director_states[0].len());
    assert_ne!(carried.director_states[0], state.director_states[0], "the hand has let go");
    assert!(after.is_ordered_as(&before), "obstacles are around them");
}

#[test]
fn other_flesh_or_other_times_begin_anew() {
    let scene = scene(MATCHING, FEM, "");
    let before = stage(&scene);
    let state = before.first_state();
    let refused = |edit: &dyn Fn(&mut Scene)| {
        let mut edited = scene.clone();
        edit(&mut edited);
        assert_eq!(stage(&edited).transfer_state(&before, &state), None);
    };
    refused(&|scene| scene.bodies[0].scale.0 = [2.0; 3]);
    refused(&|scene| scene.shot.substeps = 8);
    refused(&|scene| {
        scene.bodies.remove(0);
    });
}
