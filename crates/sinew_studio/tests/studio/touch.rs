//! A tap in the page reaches the body's director: a real stage, whose muscle draws in where it is touched.

use crate::house::{House, heights};
use sinew_scene::Document;
use sinew_studio::{StageShow, StudioOptions};
use std::path::Path;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 24]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "post"
skin = { model = "bar", size = [0.2, 1.0, 0.2] }
flesh = { kind = "tets", vertices = 100 }
[[body.director]]
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.5], [0.8, 1.0]]
fibres = { along = "y" }
speed = 4.0
respond = { to = ["touch"] }
"#;

fn height(frame: &[u8]) -> f64 {
    let heights = heights(frame, 0);
    let (low, high) =
        (heights.iter().copied().fold(f64::MAX, f64::min), heights.iter().copied().fold(f64::MIN, f64::max));
    high - low
}

#[test]
fn a_touch_in_the_page_makes_the_body_draw_in() {
    let document = Document::parse(SCENE, "touch").expect("a scene");
    let stage = sinew_bake::build(document.scene(), Path::new("."), 1).expect("a stage").stage;
    let mut page = House::open(StageShow::new("touch", document.scene(), stage), StudioOptions::default()).page();
    page.transport(|now| now["recorded_to"] == 24);
    page.say(r#"{"do":"pause"}"#);
    page.transport(|now| now["playing"] == false);
    page.say(r#"{"do":"seek","frame":4}"#);
    let still = height(&page.frame(4));
    page.say(r#"{"do":"touch","body":0,"at_rest":[0,0.5,0]}"#);
    page.transport(|now| now["stale_from"] == 5);
    for _ in 5..=9 {
        page.say(r#"{"do":"step_forward"}"#);
    }
    let drawn_in = height(&page.frame(9));
    assert!(drawn_in < 0.85 * still, "{drawn_in} of {still} m");
}
