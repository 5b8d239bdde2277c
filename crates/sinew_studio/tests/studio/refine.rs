//! A goal is solved as a job, which ends with one edit that can be undone.

use crate::house::{Heard, House, Page};
use serde_json::{Value, json};
use sinew_scene::Document;
use sinew_studio::Opening;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 40]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "bar"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
material = { preset = "rubber", young_pa = 1.0e5, damping = "heavy" }
flesh = { kind = "tets", vertices = 120 }
solver = { kind = "fem" }
[[body.director]]
name = "nod"
kind = "metaphor"
act = { bend = { arm = 0.4, radius = 0.16 } }
goal = { amount = 20.0, from = 1, at = 16, hold = 4, release = 10 }
"#;

fn page() -> (tempfile::TempDir, Page) {
    page_of(SCENE)
}

fn page_of(scene: &str) -> (tempfile::TempDir, Page) {
    let folder = tempfile::tempdir().unwrap();
    let document = Document::parse(scene, "bar").unwrap();
    let opening = Opening { name: "bar".into(), document, folder: folder.path().to_owned() };
    (folder, House::scene(opening).page())
}

fn newton(document: &Value) -> &Value {
    &document["scene"]["body"][0]["director"][0]["newton"]
}

/// The keys of its force; none of a number. A curve of plain keys is told as their list.
fn keys(document: &Value) -> &[Value] {
    let newton = newton(document);
    newton.as_array().or_else(|| newton["keys"].as_array()).map_or(&[], Vec::as_slice)
}

#[test]
fn a_goal_is_solved_as_a_job_and_written_as_one_edit() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.nod" }));
    let solved = page.document(|document| !keys(document).is_empty());
    assert!(keys(&solved).len() > 8);
    assert!(solved["undo"][0].as_str().unwrap().contains("goal of body.bar.director.nod"), "{}", solved["undo"]);
    assert_eq!(solved["undo"].as_array().unwrap().len(), 1);
    page.ask(&json!({ "do": "undo" }));
    page.document(|document| *newton(document) == 0.0);
}

#[test]
fn a_goal_that_is_none_is_told() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.shake" }));
    let failed = loop {
        let job = page.event("job");
        if !job["failed"].is_null() {
            break job["failed"].as_str().unwrap().to_owned();
        }
    };
    assert!(failed.contains("body.bar.director.shake") && failed.contains("goal ="), "{failed}");
}

/// How a search ended, with what it says.
fn ended(page: &mut Page) -> Value {
    loop {
        let job = page.event("job");
        if !job["failed"].is_null() || !job["done"].is_null() {
            return job;
        }
    }
}

#[test]
fn a_search_says_what_it_came_to() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.nod" }));
    let job = ended(&mut page);
    assert!(job["failed"].is_null() && job["step"].as_str().unwrap().contains("% overshoot"), "{job}");
}

/// Keys that the body meets by itself are no failure, and nothing is written.
#[test]
fn keys_that_are_met_already_are_told_as_such() {
    let keys = "[[body.director]]\nname = \"shape\"\nkind = \"key_shapes\"\nkeys = [{ frame = 1 }, { frame = 12 }]\n";
    let (_folder, mut page) = page_of(&format!("{SCENE}{keys}"));
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.shape" }));
    let job = ended(&mut page);
    assert!(job["failed"].is_null() && job["step"].as_str().unwrap().contains("nothing to do"), "{job}");
}

/// The answer comes in the middle of a drag: it is written when that ends.
#[test]
fn an_answer_waits_for_the_gesture_under_way() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "begin", "label": "drag" }));
    page.document(|document| document["gesture"] == "drag");
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.nod" }));
    while page.event("job")["done"].is_null() {}
    page.ask(&json!({ "do": "preview", "command": { "do": "set", "path": "scene.frames", "value": [1, 41] } }));
    page.document(|document| document["scene"]["scene"]["frames"] == json!([1, 41]) && *newton(document) == 0.0);
    page.ask(&json!({ "do": "commit" }));
    let solved = page.document(|document| !keys(document).is_empty());
    assert_eq!(solved["undo"].as_array().unwrap().len(), 2, "{}", solved["undo"]);
}

/// The best so far is drawn as what comes next is: the bent bar at the last frame that the search looks at.
#[test]
fn a_search_shows_the_best_so_far_as_a_ghost() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "refine", "director": "body.bar.director.nod" }));
    let frame = page.until(|heard| match heard {
        Heard::Frame { frame, bytes } if bytes[1] == 6 => Some(*frame),
        _ => None,
    });
    assert!(frame > 16, "frame {frame}");
}
