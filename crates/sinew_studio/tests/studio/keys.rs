//! Key shapes and paths from what a body looks like: one edit each, shown at their places with what the director measured.

use crate::house::{Heard, House, Page};
use serde_json::{Value, json};
use sinew_scene::Document;
use sinew_studio::Opening;

/// A bar that falls on the ground.
const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 30]
[[body]]
name = "bar"
skin = { model = "bar", size = [0.4, 0.2, 0.2] }
at = [0.0, 0.5, 0.0]
material = { preset = "rubber", young_pa = 2.0e4, damping = "heavy" }
flesh = { kind = "tets", vertices = 60 }
solver = { kind = "fem" }
[[obstacle]]
shape = "plane"
"#;

fn page() -> (tempfile::TempDir, Page) {
    page_of(SCENE)
}

fn page_of(scene: &str) -> (tempfile::TempDir, Page) {
    let folder = tempfile::tempdir().unwrap();
    let document = Document::parse(scene, "bar").unwrap();
    let mut page = House::scene(Opening { name: "bar".into(), document, folder: folder.path().to_owned() }).page();
    page.ask(&json!({ "do": "pause" }));
    page.transport(|now| now["playing"] == false);
    page.ask(&json!({ "do": "restart" }));
    (folder, page)
}

fn step_to(page: &mut Page, frames: std::ops::RangeInclusive<i32>) {
    for frame in frames {
        page.ask(&json!({ "do": "step_forward" }));
        page.transport(|now| now["shown"] == frame);
    }
}

/// The key of a message: how many there are, its frame, its residual, and how high it stands.
struct Shown {
    count: u32,
    frame: f64,
    residual: f32,
    height: f64,
}

/// Asks for the keys anew: those that came while something else was waited for are gone.
fn key(page: &mut Page, wish: impl Fn(&Shown) -> bool) -> Shown {
    page.ask(&json!({ "do": "keys", "body": 0 }));
    page.until(|heard| {
        let Heard::Key(bytes) = heard else { return None };
        let f64_at = |at: usize| bytes.get(at..at + 8).map_or(f64::NAN, |b| f64::from_le_bytes(b.try_into().unwrap()));
        let shown = Shown {
            count: u32::from_le_bytes(bytes[8..12].try_into().unwrap()),
            residual: bytes.get(24..28).map_or(f32::NAN, |b| f32::from_le_bytes(b.try_into().unwrap())),
            frame: f64_at(28),
            height: f64_at(44),
        };
        wish(&shown).then_some(shown)
    })
}

fn directors(document: &Value) -> &Value {
    &document["scene"]["body"][0]["director"]
}

#[test]
fn the_shown_shape_is_keyed_in_one_step_and_stands_where_the_body_was() {
    let (folder, mut page) = page();
    key(&mut page, |shown| shown.count == 0);
    step_to(&mut page, 2..=12);
    page.ask(&json!({ "do": "key", "body": 0, "frame": 12, "from": "shown" }));
    let keyed = page.document(|document| !directors(document)[0].is_null());
    let keys = &directors(&keyed)[0]["keys"];
    assert_eq!((&keys[0]["frame"], &keys[1]["frame"]), (&json!(1.0), &json!(12.0)), "{keys}");
    assert!(keys[0]["asset"].is_null() && keys[1]["asset"].as_str().unwrap().starts_with("assets/key-"), "{keys}");
    assert_eq!(keyed["undo"], json!(["key shape of bar at frame 12"]));
    assert_eq!(std::fs::read_dir(folder.path().join("assets")).unwrap().count(), 1);
    let landed = key(&mut page, |shown| shown.count == 2 && shown.frame == 12.0);
    assert!(landed.height < 0.3 && landed.residual.is_nan(), "it lies at {} m; the run is of before", landed.height);
    // Played anew, the director measures at its keys.
    page.ask(&json!({ "do": "restart" }));
    step_to(&mut page, 2..=12);
    let measured = key(&mut page, |shown| shown.frame == 12.0 && shown.residual.is_finite());
    assert!(measured.residual < 20.0, "{} %", measured.residual);
    page.ask(&json!({ "do": "undo" }));
    page.document(|document| directors(document)[0].is_null());
    key(&mut page, |shown| shown.count == 0);
}

#[test]
fn what_is_not_simulated_is_refused_and_the_body_at_rest_is_keyed_anywhere() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "key", "body": 0, "frame": 25, "from": "shown" }));
    let refused = page.event("refused");
    assert!(refused["what"].as_str().unwrap().contains("frame 25 is not simulated"), "{refused}");
    page.ask(&json!({ "do": "key", "body": 0, "frame": 25, "from": "rest" }));
    let keyed = page.document(|document| !directors(document)[0].is_null());
    assert_eq!(directors(&keyed)[0]["keys"].as_array().unwrap().len(), 2);
    page.ask(&json!({ "do": "key", "body": 3, "frame": 25, "from": "rest" }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("no body 3"));
}

#[test]
fn the_run_becomes_a_path_that_leads_to_the_same_places() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "key_path", "body": 0, "every": 4, "turns": true }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("no path of one frame"));
    step_to(&mut page, 2..=13);
    page.ask(&json!({ "do": "key_path", "body": 0, "every": 4, "turns": true }));
    let keyed = page.document(|document| !directors(document)[0].is_null());
    let path = &directors(&keyed)[0];
    let frames: Vec<&Value> = path["at"][1].as_array().unwrap().iter().map(|key| &key[0]).collect();
    assert_eq!(frames, [&json!(1.0), &json!(5.0), &json!(9.0), &json!(13.0)]);
    assert!((path["at"][1][0][1].as_f64().unwrap() - 0.5).abs() < 1e-3);
    page.ask(&json!({ "do": "key_path", "body": 0, "every": 4, "turns": true }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("has a path already"));
}

#[test]
fn contacts_are_keyed_as_a_job() {
    let (_folder, mut page) = page();
    page.ask(&json!({ "do": "key_contacts", "body": 0, "exaggerated": true }));
    let keyed = page.document(|document| !directors(document)[0].is_null());
    assert!(directors(&keyed)[0]["keys"].as_array().unwrap().len() >= 3, "{}", directors(&keyed)[0]);
    assert_eq!(keyed["undo"].as_array().unwrap().len(), 1);
}

/// A key that a search makes anew is still called what its owner called it.
#[test]
fn a_key_that_is_made_anew_keeps_its_name() {
    let named = r#"director = [{ name = "shape", kind = "key_shapes", keys = [{ frame = 1, name = "start", scale = [1.1, 1.0, 1.0] }] }]"#;
    let (_folder, mut page) = page_of(&SCENE.replace("[[obstacle]]", &format!("{named}\n[[obstacle]]")));
    page.ask(&json!({ "do": "key", "body": 0, "frame": 1, "from": "rest" }));
    let anew = page.document(|document| document["undo"] == json!(["key shape of bar at frame 1"]));
    let first = &directors(&anew)[0]["keys"][0];
    assert_eq!((&first["name"], &first["scale"]), (&json!("start"), &Value::Null), "{first}");
    page.ask(&json!({ "do": "key_contacts", "body": 0, "exaggerated": true }));
    let keyed = page.document(|document| directors(document)[0]["keys"].as_array().unwrap().len() >= 3);
    let keys = &directors(&keyed)[0]["keys"];
    assert_eq!((&keys[0]["frame"], &keys[0]["name"]), (&json!(1.0), &json!("start")), "{keys}");
    assert!(keys[1]["name"].is_null(), "{keys}");
}

/// The path lets go of the bar before its key: as long as nobody has seen it there, the key stands on the path.
#[test]
fn a_key_that_nobody_has_seen_yet_stands_where_its_path_leads() {
    let directors = r#"
[[body.director]]
name = "shape"
kind = "key_shapes"
keys = [{ frame = 1 }, { frame = 8 }]
[[body.director]]
name = "way"
kind = "path"
strength = [[1, 1.0], [3, 1.0], [4, 0.0]]
at = [0.0, [[1, 0.5], [9, 1.5]], 0.0]
"#;
    let (_folder, mut page) = page_of(&SCENE.replace("[[obstacle]]", &format!("{directors}[[obstacle]]")));
    let unseen = key(&mut page, |shown| shown.count == 2 && shown.frame == 8.0);
    assert!((unseen.height - 1.375).abs() < 1e-6, "the path is 1.375 m high there, the key {} m", unseen.height);
    step_to(&mut page, 2..=8);
    let seen = key(&mut page, |shown| shown.frame == 8.0 && shown.height != unseen.height);
    assert!((0.6..1.37).contains(&seen.height), "in free flight it is lower than its path: {} m", seen.height);
}

/// Half the size, seen while the hand moves; then given back, then kept.
#[test]
fn a_drag_on_a_key_is_shown_and_becomes_one_edit() {
    let (folder, mut page) = page();
    page.ask(&json!({ "do": "key", "body": 0, "frame": 9, "from": "rest" }));
    page.document(|document| !directors(document)[0].is_null());
    page.ask(&json!({ "do": "keys", "body": 0 }));
    let width = |bytes: &[u8]| {
        let xs = bytes[100..].as_chunks::<12>().0.iter().map(|x| f32::from_le_bytes(x[..4].try_into().unwrap()));
        xs.clone().fold(f32::MIN, f32::max) - xs.fold(f32::MAX, f32::min)
    };
    let shown = |page: &mut Page, wish: &dyn Fn(f32) -> bool| {
        page.until(|heard| match heard {
            Heard::Key(bytes) if bytes.len() > 100 && bytes[28..36] == 9f64.to_le_bytes() => {
                Some(width(bytes)).filter(|width| wish(*width))
            }
            _ => None,
        })
    };
    let whole = shown(&mut page, &|_| true);
    assert!((whole - 0.4).abs() < 0.02, "{whole}");
    let half = |by: f64| {
        json!({ "do": "sculpt", "body": 0, "director": "shape", "frame": 9.0,
            "edit": { "do": "scale", "part": { "falloff": 0.0 }, "by": [by, 1.0, 1.0] } })
    };
    page.ask(&half(0.7));
    page.ask(&half(0.5));
    shown(&mut page, &|width| (width - 0.5 * whole).abs() < 1e-3);
    page.ask(&json!({ "do": "sculpt_end", "keep": false }));
    shown(&mut page, &|width| (width - whole).abs() < 1e-6);
    assert!(!folder.path().join("assets").exists(), "nothing was written");
    page.ask(&half(0.5));
    page.ask(&json!({ "do": "sculpt_end", "keep": true }));
    let kept = page.document(|document| directors(document)[0]["keys"][1]["asset"].is_string());
    assert_eq!(kept["undo"].as_array().unwrap().last().unwrap(), "scale key 9 of bar");
    assert_eq!(kept["undo"].as_array().unwrap().len(), 2);
    page.ask(&json!({ "do": "sculpt", "body": 0, "director": "shape", "frame": 4.0, "edit": { "do": "mirror", "from": "x" } }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("no key at frame 4"));
}

#[test]
fn keys_go_along_when_a_scene_is_saved_elsewhere() {
    let (folder, mut page) = page();
    step_to(&mut page, 2..=6);
    page.ask(&json!({ "do": "key", "body": 0, "frame": 6, "from": "shown" }));
    page.document(|document| !directors(document)[0].is_null());
    page.ask(&json!({ "do": "save_as", "file": "there" }));
    page.document(|document| document["file"] == "there/scene.toml");
    assert_eq!(std::fs::read_dir(folder.path().join("there/assets")).unwrap().count(), 1);
    // New ones lie there, too, and are found by the stage that runs.
    page.ask(&json!({ "do": "key", "body": 0, "frame": 5, "from": "shown" }));
    let keyed = page.document(|document| directors(document)[0]["keys"].as_array().unwrap().len() == 3);
    assert_eq!(keyed["notices"], json!([]));
    assert_eq!(std::fs::read_dir(folder.path().join("there/assets")).unwrap().count(), 2);
}
