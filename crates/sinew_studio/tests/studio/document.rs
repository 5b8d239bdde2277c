//! The document of a running scene: edits reach the stage and all pages, gestures are one step, refusals say why.

use crate::beside::processor_secs;
use crate::house::{Heard, House};
use serde_json::{Value, json};

fn house(scene: &str) -> (House, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    (House::builtin(scene, folder.path()), folder)
}

fn preview(path: &str, value: &Value) -> Value {
    json!({ "do": "preview", "command": { "do": "set", "path": path, "value": value } })
}

/// Places of a body's points, from a frame message.
fn flesh(frame: &[u8]) -> &[u8] {
    &frame[32..]
}

/// Coordinates of all points of all bodies in the world.
fn places(frame: &[u8]) -> impl Iterator<Item = f64> {
    let u32_at = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap()) as usize;
    let (bodies, mut at) = (u32_at(20), 32 + 56 * u32_at(24));
    let mut all = Vec::new();
    for _ in 0..bodies {
        let origin = |axis: usize| f64::from_le_bytes(frame[at + 8 * axis..at + 8 * axis + 8].try_into().unwrap());
        let count = u32_at(at + 24);
        let about = |n: usize| f32::from_le_bytes(frame[at + 32 + 4 * n..at + 36 + 4 * n].try_into().unwrap());
        all.extend((0..3 * count).map(|n| origin(n % 3) + f64::from(about(n))));
        at = (at + 32 + 12 * count).next_multiple_of(8);
    }
    all.into_iter()
}

#[test]
fn an_edit_of_the_direction_reaches_the_stage_while_it_plays_and_every_page() {
    let (house, _folder) = house("jellyfish");
    let (mut page, mut other) = (house.page(), house.page());
    let before = page.document(|_| true);
    assert_eq!(
        (&before["name"], &before["file"], &before["unsaved"]),
        (&json!("jellyfish"), &Value::Null, &json!(false))
    );
    page.transport(|now| now["frame"].as_i64() > Some(5));
    page.set("body.jelly.director.swim.period", &json!(0.75));
    for page in [&mut page, &mut other] {
        let after = page.document(|document| document["undo"] == json!(["set body.jelly.director.swim.period"]));
        assert_eq!(after["scene"]["body"][0]["director"][0]["period"], json!(0.75));
        assert_eq!((&after["unsaved"], &after["building"]), (&json!(true), &Value::Null));
    }
    let now = page.transport(|_| true);
    assert!(now["frame"].as_i64() > Some(5), "it played on: {now}");
}

#[test]
fn previews_act_at_once_and_a_gesture_is_one_step_of_the_history() {
    let (house, _folder) = house("bar-bend");
    let mut page = house.page();
    let path = page.document(|_| true)["scene"]["body"][0]["name"].as_str().unwrap().to_owned();
    page.transport(|now| now["frame"].as_i64() > Some(2));
    page.ask(&json!({ "do": "begin", "label": "drag gravity" }));
    for up in [1.0, 2.0, 3.0] {
        page.ask(&preview("scene.gravity", &json!([0.0, up, 0.0])));
    }
    let during = page.document(|document| document["scene"]["scene"]["gravity"] == json!([0.0, 3.0, 0.0]));
    assert_eq!((&during["gesture"], &during["undo"]), (&json!("drag gravity"), &json!([])));
    page.ask(&json!({ "do": "commit" }));
    let after = page.document(|document| document["gesture"] == Value::Null);
    assert_eq!(after["undo"], json!(["drag gravity"]));
    page.ask(&json!({ "do": "undo" }));
    let undone = page.document(|document| document["undo"] == json!([]));
    assert_eq!((&undone["redo"], &undone["unsaved"]), (&json!(["drag gravity"]), &json!(false)));
    page.ask(&json!({ "do": "redo" }));
    page.document(|document| document["undo"] == json!(["drag gravity"]));
    page.set(&format!("body.{path}.solver.nonsense"), &json!(3));
    let refused = page.event("refused");
    assert!(refused["what"].as_str().unwrap().contains("nonsense"), "{refused}");
    assert!(refused["help"].is_string() && refused["path"].is_string(), "{refused}");
}

#[test]
fn a_gesture_belongs_to_its_page_and_ends_with_it() {
    let (house, _folder) = house("bar-pin");
    let (mut page, mut other) = (house.page(), house.page());
    page.ask(&json!({ "do": "begin", "label": "mine" }));
    page.ask(&preview("scene.gravity", &json!([0.0, 1.0, 0.0])));
    other.document(|document| document["gesture"] == "mine");
    for command in [json!({ "do": "commit" }), json!({ "do": "undo" }), json!({ "do": "begin", "label": "theirs" })] {
        other.ask(&command);
        assert!(other.event("refused")["what"].as_str().unwrap().contains("mine"));
    }
    drop(page);
    let after = other.document(|document| document["gesture"] == Value::Null);
    assert_eq!(after["undo"], json!(["mine"]));
}

#[test]
fn an_edit_of_the_flesh_makes_the_stage_anew_and_welcomes_every_page_again() {
    let (house, _folder) = house("bar-pin");
    let (mut page, mut other) = (house.page(), house.page());
    let first = page.event("welcome");
    other.event("welcome");
    let name = first["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned();
    assert_eq!(first["scene"]["bodies"][0]["path"], format!("body.{name}"));
    page.transport(|now| now["frame"].as_i64() > Some(4));
    page.set(&format!("body.{name}.scale"), &json!(1.5));
    for page in [&mut page, &mut other] {
        let again = page.event("welcome");
        assert!(again["scene"]["bodies"][0]["mass_kg"].as_f64() > first["scene"]["bodies"][0]["mass_kg"].as_f64());
        assert!(matches!(page.hear(), Heard::Model), "models follow the welcome");
        page.until(|heard| matches!(heard, Heard::Frame { .. }).then_some(()));
    }
    let done = house.page().document(|document| document["building"].is_null());
    assert_eq!(done["notices"], json!([]));
    let now = page.transport(|now| now["frame"].as_i64() > Some(1));
    assert_eq!(now["playing"], true, "it played, so it plays on");
}

#[test]
fn what_cannot_be_built_is_a_notice_at_its_place_and_the_old_stage_stays() {
    let (house, _folder) = house("bar-pin");
    let mut page = house.page();
    let name = page.event("welcome")["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned();
    page.set(&format!("body.{name}.solver"), &json!({ "kind": "shape_matching", "iterations": 8, "passes": 1 }));
    let told = page.document(|document| document["notices"] != json!([]));
    let notice = &told["notices"][0];
    assert_eq!((&notice["level"], &notice["path"]), (&json!("problem"), &json!(format!("body.{name}.solver.passes"))));
    assert!(notice["help"].is_string());
    page.transport(|now| now["frame"].as_i64() > Some(3));
    page.ask(&json!({ "do": "undo" }));
    page.document(|document| document["notices"] == json!([]));
}

#[test]
fn another_scene_opens_while_the_old_one_runs() {
    let (house, folder) = house("bar-pin");
    let mut page = house.page();
    let gallery = house.page().event("gallery");
    assert!(gallery["scenes"].as_array().unwrap().iter().any(|scene| scene["name"] == "cloth-drape"));
    page.ask(&json!({ "do": "open", "scene": "cloth-drape" }));
    // Document and stage come from two threads, in either order. The document says that it is opened, unless that is over by the time
    // this page listens.
    let (mut opening, mut welcome) = (Value::Null, Value::Null);
    page.until(|heard| {
        if let Heard::Event(event) = heard {
            if event["event"] == "document" && event["name"] == "cloth-drape" && opening.is_null() {
                opening = event["building"].as_str().unwrap_or("built").into();
            }
            if event["event"] == "welcome" && event["scene"]["name"] == "cloth-drape" {
                welcome = event["scene"].clone();
            }
        }
        (!opening.is_null() && !welcome.is_null()).then_some(())
    });
    assert!(opening == "opening cloth-drape" || opening == "built", "{opening}");
    assert_eq!(welcome["bodies"][0]["is_shell"], json!(true));
    page.transport(|now| now["playing"] == true && now["frame"].as_i64() > Some(2));
    for scene in ["nothing", "../scene.toml", "/etc/passwd"] {
        page.ask(&json!({ "do": "open", "scene": scene }));
        assert!(page.event("refused")["what"].as_str().unwrap().contains("neither"), "{scene}");
    }
    std::fs::write(folder.path().join("broken.toml"), "sinew = 1\nscene\n").unwrap();
    page.ask(&json!({ "do": "open", "scene": "broken.toml" }));
    let what = page.event("refused")["what"].as_str().unwrap().to_owned();
    assert!(what.contains("broken.toml:2:") && what.contains("not TOML"), "{what}");
    page.ask(&json!({ "do": "render", "file": "a", "format": "png", "options": 3 }));
    let what = page.event("refused")["what"].as_str().unwrap().to_owned();
    assert!(what.contains("expected an object"), "{what}");
}

#[test]
fn after_an_edit_the_recorded_rest_is_stale_and_is_simulated_anew_when_it_is_played_over() {
    let (house, _folder) = house("bar-drop");
    let mut page = house.page();
    page.transport(|now| now["recorded_to"].as_i64() >= Some(14));
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "seek", "frame": 8 }));
    page.transport(|now| now["frame"] == 8);
    page.ask(&json!({ "do": "seek", "frame": 12 }));
    let old = page.frame(12);
    page.ask(&json!({ "do": "seek", "frame": 8 }));
    page.transport(|now| now["frame"] == 8);
    page.set("scene.gravity", &json!([0.0, 5.0, 0.0]));
    let stale = page.transport(|now| !now["stale_from"].is_null());
    assert_eq!((&stale["stale_from"], &stale["frame"]), (&json!(9), &json!(8)));
    page.ask(&json!({ "do": "seek", "frame": 12 }));
    assert_eq!(flesh(&page.frame(12)), flesh(&old), "a stale frame can still be looked at");
    page.ask(&json!({ "do": "seek", "frame": 8 }));
    page.transport(|now| now["frame"] == 8);
    for frame in 9..=12 {
        page.ask(&json!({ "do": "step_forward" }));
        page.transport(|now| now["frame"] == frame);
    }
    page.ask(&json!({ "do": "seek", "frame": 11 }));
    page.transport(|now| now["frame"] == 11);
    page.ask(&json!({ "do": "seek", "frame": 12 }));
    assert_ne!(flesh(&page.frame(12)), flesh(&old), "it rises now");
}

/// An edit of a director, one of the world and one of both, each taken back: what was simulated holds again, and is as it was.
#[test]
fn an_edit_that_is_undone_gives_back_what_was_simulated() {
    let (house, _folder) = house("rabbit");
    let mut page = house.page();
    page.transport(|now| now["recorded_to"].as_i64() >= Some(10));
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "seek", "frame": 9 }));
    let old = page.frame(9);
    page.ask(&json!({ "do": "seek", "frame": 4 }));
    page.transport(|now| now["frame"] == 4 && now["stale_from"].is_null());
    let edits = [("scene.gravity", json!([0.0, 5.0, 0.0])), ("body.rabbit.director.bend-ear.mute", json!(true))];
    for edits in [&edits[..1], &edits[1..], &edits[..]] {
        edits.iter().for_each(|(path, value)| page.set(path, value));
        page.transport(|now| now["stale_from"] == 5);
        // Looking around performs nothing.
        page.ask(&json!({ "do": "seek", "frame": 2 }));
        page.transport(|now| now["frame"] == 2);
        edits.iter().for_each(|_| page.ask(&json!({ "do": "undo" })));
        page.transport(|now| now["stale_from"].is_null() && now["recorded_to"].as_i64() >= Some(10));
        page.ask(&json!({ "do": "seek", "frame": 9 }));
        assert_eq!(flesh(&page.frame(9)), flesh(&old));
        page.ask(&json!({ "do": "seek", "frame": 4 }));
        page.transport(|now| now["frame"] == 4);
    }
    // What is performed after an edit is not given up for what was before.
    page.ask(&json!({ "do": "seek", "frame": 8 }));
    page.transport(|now| now["frame"] == 8);
    page.set("scene.gravity", &json!([0.0, 5.0, 0.0]));
    page.transport(|now| now["stale_from"] == 9);
    page.ask(&json!({ "do": "step_forward" }));
    page.transport(|now| now["frame"] == 9);
    page.ask(&json!({ "do": "undo" }));
    page.ask(&json!({ "do": "seek", "frame": 3 }));
    assert_eq!(page.transport(|now| now["frame"] == 3)["stale_from"], 10, "something was performed since");
}

/// A chart that is dragged while the scene plays must be seen in the next frame or so, fields painted beside it or not.
#[test]
fn painting_does_not_hold_up_the_stage() {
    let (house, _folder) = house("jellyfish");
    let mut page = house.page();
    page.transport(|now| now["frame"].as_i64() > Some(3));
    page.ask(&json!({ "do": "begin", "label": "paint" }));
    let stroke: Vec<Value> =
        (0..40).map(|i| json!([0.2 * f64::from(i).cos(), 0.1, 0.2 * f64::from(i).sin()])).collect();
    let mut last = processor_secs();
    let mut longest: f64 = 0.0;
    for n in 0..6 {
        let layer = json!([{ "stroke": stroke, "value": 0.1 * f64::from(n) }]);
        page.ask(&preview("body.jelly.director.swim.layer", &layer));
        for _ in 0..4 {
            page.until(|heard| matches!(heard, Heard::Frame { .. }).then_some(()));
            let now = processor_secs();
            longest = longest.max(now - last);
            last = now;
        }
    }
    page.ask(&json!({ "do": "commit" }));
    page.document(|document| document["undo"] == json!(["paint"]));
    // Frames come every 42 ms; a stage that waited for solves of some hundred milliseconds would show.
    // Counted in time of the processor, of which a busy machine gives to solve and stage alike.
    assert!(longest < 0.4, "{longest} s of work without a frame");
}

#[test]
fn hostile_edits_are_refused_and_the_document_stays() {
    let (house, _folder) = house("bar-pin");
    let mut page = house.page();
    let nested = (0..100)
        .fold(json!({ "do": "unset", "path": "scene.fps" }), |inner, _| json!({ "do": "batch", "commands": [inner] }));
    let deep = (0..100).fold(json!(0), |inner, _| json!([inner]));
    let hostile = [
        json!({ "do": "edit", "command": nested }),
        json!({ "do": "edit", "command": { "do": "set", "path": "scene.gravity", "value": deep } }),
        json!({ "do": "edit", "command": { "do": "set", "path": "scene.gravity", "value": vec![0.0; 100_000] } }),
        json!({ "do": "edit", "command": { "do": "set", "path": "x".repeat(100_000), "value": 1 } }),
        json!({ "do": "edit", "command": { "do": "set", "path": "scene.gravity[99999999999999999999]", "value": 1 } }),
        json!({ "do": "edit", "command": { "do": "set", "path": "scene.substeps", "value": 1e300 } }),
        json!({ "do": "edit", "command": { "do": "set", "path": "body.bar.name", "value": "\u{0}" } }),
        json!({ "do": "begin", "label": "x".repeat(10_000) }),
        json!({ "do": "save_as", "file": "x".repeat(400) }),
    ];
    for command in hostile {
        page.ask(&command);
        let refused = page.event("refused");
        assert!(refused["what"].as_str().unwrap().len() < 2000, "short enough to show");
    }
    let document = house.page().document(|_| true);
    assert_eq!((&document["undo"], &document["unsaved"]), (&json!([]), &json!(false)));
    page.transport(|now| now["frame"].as_i64() > Some(2));
}

/// What bodies are made of, how they are simulated, what is around them and what they are called changes under a run that goes on.
#[test]
fn an_edit_around_the_bodies_leaves_the_run_where_it_is() {
    let edits = [
        ("body.bar.material.preset", json!("fat"), false), // it weighs less: the centre is rounded anew
        ("body.bar.material.damping", json!("heavy"), true),
        ("body.bar.material.density_kg_m3", json!(300.0), false),
        ("body.bar.solver", json!({ "kind": "shape_matching", "iterations": 3 }), false),
        ("body.bar.solver", json!({ "kind": "fem" }), false),
        ("obstacle.ground.at", json!([0.0, -0.2, 0.0]), true),
        ("scene.frames", json!([1, 60]), true),
    ];
    let (house, _folder) = house("bar-drop");
    let mut page = house.page();
    page.event("welcome");
    page.transport(|now| now["recorded_to"].as_i64() >= Some(16));
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "seek", "frame": 10 }));
    let mut there = page.frame(10);
    for (path, value, keeps_bytes) in edits {
        page.set(path, &value);
        let welcome = page.event("welcome");
        let now = page.frame(10);
        let apart = places(&now).zip(places(&there)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6 && (!keeps_bytes || apart == 0.0), "{path}: {apart} m apart");
        there = now;
        // Another page, because this one may have heard of it before the frame.
        house.page().transport(|now| now["frame"] == 10 && now["playing"] == false);
        if path.ends_with("solver") {
            let word = if value["kind"] == "fem" { "FEM" } else { "Shape matching" };
            assert_eq!(welcome["scene"]["bodies"][0]["solver"], word);
        }
    }
    // Frames before the edit can be looked at, what comes after is simulated with what was edited.
    page.ask(&json!({ "do": "step_forward" }));
    page.transport(|now| now["frame"] == 11);
    page.ask(&json!({ "do": "seek", "frame": 5 }));
    page.transport(|now| now["frame"] == 5);
    // An edit of where a body begins starts it over; the playhead stays.
    page.set("body.bar.at", &json!([0.0, 2.0, 0.0]));
    page.transport(|now| now["frame"] == 5 && now["shown"] == 1 && now["recorded_to"] == 1);
}
