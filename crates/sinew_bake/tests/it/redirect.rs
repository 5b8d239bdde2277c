//! Charts edited while the stage runs (PD-6): the body goes on from where it is, by the new chart from then on.

use sinew_bake::{build, redirect};
use sinew_math::DVec3;
use sinew_scene::{Command, Document};
use sinew_solve::{BodyId, Input};
use std::path::Path;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 48]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
flesh = { kind = "tets", vertices = 160 }
copies = { grid = [2, 1, 1], spacing = 2.0 }
[[body.director]]
name = "swim"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.6], [0.8, 1.0]]
fibres = { along = "x" }
phase = { along = "x" }
[[body.director]]
name = "flinch"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.5, 0.7]]
fibres = { along = "y" }
respond = { to = ["touch"] }
"#;

fn edited(settings: &[&str]) -> Document {
    let mut document = Document::parse(SCENE, "redirect").unwrap();
    for setting in settings {
        document.apply(&Command::parse_set(setting).unwrap()).unwrap();
    }
    document
}

#[test]
fn an_edited_chart_takes_over_without_a_jump() {
    let mut built = build(edited(&[]).scene(), Path::new("."), 1).unwrap();
    let mut state = built.stage.first_state();
    let touch = [Input::Touch { body: BodyId(1), at_rest: DVec3::ZERO }];
    for _ in 0..30 {
        let input: &[Input] = if state.tick == 25 { &touch } else { &[] };
        built.stage.step(&mut state, input).unwrap();
    }
    let before = state.clone();
    let document = edited(&["body.bar.director.swim.primary=[[0.0, 1.0], [0.3, 1.5], [0.8, 1.0]]"]);
    redirect(&mut built, &mut state, document.scene()).unwrap();
    assert!(state == before, "an edit moves nothing, and a sweep under way is not forgotten");
    // From here it is the edited scene's stage, bit for bit, and no longer the first one's.
    let mut fresh = build(document.scene(), Path::new("."), 1).unwrap().stage;
    let mut unedited = build(edited(&[]).scene(), Path::new("."), 1).unwrap().stage;
    let (mut there, mut old) = (before.clone(), before);
    for _ in 0..30 {
        built.stage.step(&mut state, &[]).unwrap();
        fresh.step(&mut there, &[]).unwrap();
        unedited.step(&mut old, &[]).unwrap();
    }
    assert!(state == there);
    let apart = state.bodies[0].x.iter().zip(&old.bodies[0].x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart > 0.01, "{apart} m");
    assert!(built.stage.first_state() == fresh.first_state());
}

/// A director that comes, goes or is renamed takes only its own memory with it.
#[test]
fn notes_follow_names() {
    let mut built = build(edited(&[]).scene(), Path::new("."), 1).unwrap();
    let mut state = built.stage.first_state();
    built.stage.step(&mut state, &[Input::Touch { body: BodyId(0), at_rest: DVec3::ZERO }]).unwrap();
    let remembers =
        |state: &sinew_solve::StageState| format!("{:?}", state.director_states[0]).contains("started_tick");
    assert!(remembers(&state));
    redirect(&mut built, &mut state, edited(&["body.bar.director.swim.mute=true"]).scene()).unwrap();
    assert!(remembers(&state));
    built.stage.step(&mut state, &[]).unwrap();
    redirect(&mut built, &mut state, edited(&["body.bar.director.flinch.mute=true"]).scene()).unwrap();
    assert!(!remembers(&state));
    built.stage.step(&mut state, &[]).unwrap();
}

#[test]
fn bodies_that_come_or_go_are_refused() {
    let mut built = build(edited(&[]).scene(), Path::new("."), 1).unwrap();
    let mut state = built.stage.first_state();
    for setting in ["body.bar.copies.grid=[3, 1, 1]", "body.bar.copies.grid=[1, 1, 1]"] {
        let error = redirect(&mut built, &mut state, edited(&[setting]).scene()).unwrap_err();
        assert!(error.to_string().contains("bar-") && error.help().is_some(), "{error}");
    }
}
