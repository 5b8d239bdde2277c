//! A run that was played on the page, with a hand, touches and edits under way, is kept as a take that bakes
//! again to the same hash.

use crate::house::House;
use serde_json::json;
use sinew_bake::Rebake;
use sinew_bake::take::{TakeOptions, TakeReader};
use sinew_scene::Document;
use sinew_studio::Opening;
use std::ops::ControlFlow;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 60]
[[body]]
name = "worm"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
at = [0.0, 0.3, 0.0]
flesh = { kind = "tets", vertices = 80 }
[[body.director]]
name = "beat"
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.7], [0.8, 1.0]]
fibres = { along = "x" }
respond = { to = ["touch"] }
[[obstacle]]
shape = "plane"
"#;

#[test]
fn a_run_played_on_the_page_is_kept_as_a_take_that_bakes_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    let document = Document::open(folder.path()).unwrap();
    let mut page = House::scene(Opening { name: "worm".into(), document, folder: folder.path().to_owned() }).page();
    page.ask(&json!({ "do": "pause" }));
    page.transport(|now| now["playing"] == false);
    page.ask(&json!({ "do": "restart" }));
    let mut frame = 1;
    let mut step = |page: &mut crate::house::Page, frames: i32| {
        for _ in 0..frames {
            frame += 1;
            page.ask(&json!({ "do": "step_forward" }));
            page.frame(frame);
        }
    };
    page.ask(&json!({ "do": "drag", "body": 0, "at_rest": [0.4, 0, 0], "to": [0.5, 0.7, 0.1] }));
    step(&mut page, 3);
    // Other directors while the hand holds the worm, then another material.
    page.set("body.worm.director.beat.period", &json!(0.3));
    page.document(|now| now["undo"].as_array().is_some_and(|undo| undo.len() == 1));
    step(&mut page, 3);
    page.ask(&json!({ "do": "let_go", "body": 0 }));
    page.ask(&json!({ "do": "touch", "body": 0, "at_rest": [-0.5, 0, 0] }));
    step(&mut page, 2);
    page.set("body.worm.material.young_pa", &json!(50000.0));
    page.event("welcome");
    step(&mut page, 4);
    page.ask(&json!({ "do": "keep_take", "name": "played" }));
    let takes = page.event("takes");
    assert_eq!(takes["names"], json!([{ "name": "played", "frames": 13 }]));

    let kept = folder.path().join("takes/played.take");
    let take = TakeReader::open(&kept).unwrap();
    let from: Vec<i32> = take.spans().unwrap().iter().map(|span| span.from).collect();
    assert_eq!(from, [1, 4, 9]);
    let ticks: Vec<u64> = take.inputs_from(0).unwrap().iter().map(|(tick, _)| *tick).collect();
    assert_eq!(ticks, [0, 4, 8], "the hand before the edit; what came after it is in the text");
    let last = take.spans().unwrap().pop().unwrap().header.scene_text;
    assert!(last.contains("kind = \"pull\"") && last.contains("kind = \"touch\""), "{last}");
    let asked = sinew_bake::Bake { frames: 1..=13, resume: false, options: TakeOptions::default(), dump: None };
    let again = folder.path().join("again.take");
    let baked = Rebake::open(&kept, None, 1).unwrap().bake(&again, &asked, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(baked.hash, take.hash(1..=13).unwrap().to_hex().to_string());
}
