//! Ghosts of what comes next: they are where the bodies are when that time comes, and the run goes on as if
//! nobody had asked.

use crate::house::{Heard, House, Page};
use serde_json::json;
use sinew_scene::Document;
use sinew_studio::Opening;

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
"#;

/// The ghost of a frame, from its body on.
fn ghost(page: &mut Page, number: i32) -> Vec<u8> {
    page.until(|heard| match heard {
        Heard::Frame { frame, bytes } if *frame == number && bytes[1] == 6 => Some(bytes[32..].to_vec()),
        _ => None,
    })
}

fn step_to(page: &mut Page, frames: std::ops::RangeInclusive<i32>) -> Vec<u8> {
    let mut last = Vec::new();
    for number in frames {
        page.ask(&json!({ "do": "step_forward" }));
        last = page.until(|heard| match heard {
            Heard::Frame { frame, bytes } if *frame == number && bytes[1] == 2 => Some(bytes[32..].to_vec()),
            _ => None,
        });
    }
    last
}

#[test]
fn ghosts_stand_where_the_bodies_come_to_before_and_after_an_edit() {
    let folder = tempfile::tempdir().unwrap();
    let document = Document::parse(SCENE, "worm").unwrap();
    let mut page = House::scene(Opening { name: "worm".into(), document, folder: folder.path().to_owned() }).page();
    page.ask(&json!({ "do": "pause" }));
    page.transport(|now| now["playing"] == false);
    page.ask(&json!({ "do": "restart" }));
    step_to(&mut page, 2..=4);
    page.ask(&json!({ "do": "ghosts", "count": 3, "every": 2 }));
    let ghosts = [6, 8, 10].map(|frame| ghost(&mut page, frame));
    assert_eq!(step_to(&mut page, 5..=6), ghosts[0]);
    assert_eq!(step_to(&mut page, 7..=8), ghosts[1]);
    // Another chart: other ghosts, which come true as well.
    page.set("body.worm.director.beat.period", &json!(0.2));
    let edited = page.until(|heard| match heard {
        Heard::Frame { frame: 10, bytes } if bytes[1] == 6 && bytes[32..] != ghosts[2] => Some(bytes[32..].to_vec()),
        _ => None,
    });
    assert_eq!(step_to(&mut page, 9..=10), edited);
    page.ask(&json!({ "do": "ghosts", "count": 17, "every": 2 }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("16 ghosts"));
    page.ask(&json!({ "do": "ghosts", "count": 0, "every": 1 }));
    step_to(&mut page, 11..=12);
}
