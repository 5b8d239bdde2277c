//! The server side's share of what a user waits for, at the sizes the studio promises.
//!
//! Judged by time of the processor, which a busy machine does not change. `cargo xtask speed` judges the
//! clock too (`SINEW_CLOCK`), which needs a machine that does nothing else.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../sinew_io/tests/it/beside/mod.rs"]
mod beside;
#[allow(dead_code, reason = "shared with the other tests of the studio")]
#[path = "../studio/house.rs"]
mod house;

use beside::processor_secs;
use house::{Heard, House, Page};
use serde_json::json;
use sinew_scene::{Command, Document, builtin};
use sinew_studio::Opening;
use std::time::{Duration, Instant};

/// The jellyfish with a skin of about so many vertices.
fn jellyfish(skin_vertices: u32, settings: &[(&str, serde_json::Value)]) -> (House, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut document = Document::parse(builtin::find("jellyfish").unwrap().toml, "jellyfish").unwrap();
    let skin = ("body.jelly.skin.vertices", json!(skin_vertices));
    for (path, value) in [&[skin], settings].concat() {
        document.apply(&Command::Set { path: path.into(), value }).unwrap();
    }
    let house = House::scene(Opening { name: "jellyfish".into(), document, folder: folder.path().to_owned() });
    (house, folder)
}

/// That something done several times takes no longer than this each: of the processor on average, and by the
/// clock's median.
fn within(most_ms: f64, what: &str, tries: i32, mut each: impl FnMut(i32)) {
    let before = processor_secs();
    let mut times: Vec<Duration> = (0..tries)
        .map(|n| {
            let began = Instant::now();
            each(n);
            began.elapsed()
        })
        .collect();
    times.sort();
    let by_clock = 1e3 * times[times.len() / 2].as_secs_f64();
    let of_processor = 1e3 * (processor_secs() - before) / f64::from(tries);
    println!("{what}: {of_processor:.1} ms of the processor, {by_clock:.1} ms by the clock; {most_ms} promised");
    assert!(of_processor <= most_ms, "{what}: {of_processor} ms of the processor");
    let is_judged = std::env::var_os("SINEW_CLOCK").is_some();
    assert!(!is_judged || by_clock <= most_ms, "{what}: {by_clock} ms by the clock");
}

fn next_frame(page: &mut Page) -> i32 {
    page.until(|heard| match heard {
        Heard::Frame { frame, .. } => Some(*frame),
        _ => None,
    })
}

/// One after the other, so that no test is slowed by another.
#[test]
fn the_server_keeps_its_promises() {
    a_step_answers_within_50_ms_at_30k_vertices();
    a_chart_that_is_dragged_reaches_the_next_frames_at_30k_vertices();
    strokes_become_fields_of_the_running_stage_in_time();
    sixty_frames_a_second_stream_while_the_solver_runs();
    scrubbing_answers_within_16_ms();
}

fn a_step_answers_within_50_ms_at_30k_vertices() {
    let (house, _folder) = jellyfish(30_000, &[]);
    let mut page = house.page();
    page.ask(&json!({ "do": "pause" }));
    let mut frame = page.transport(|now| now["playing"] == false)["frame"].as_i64().unwrap() as i32;
    within(50.0, "input to new vertex frame at 30k vertices", 15, |n| {
        page.ask(&json!({ "do": "drag", "body": 0, "at_rest": [0.0, 0.4, 0.0], "to": [0.0, 1.3 + 0.01 * f64::from(n), 0.0] }));
        page.ask(&json!({ "do": "step_forward" }));
        frame += 1;
        page.frame(frame);
    });
}

/// Frames are due every 42 ms, so an edit is on average half of that old when the next one begins.
fn a_chart_that_is_dragged_reaches_the_next_frames_at_30k_vertices() {
    let (house, _folder) = jellyfish(30_000, &[("scene.fps", json!(60)), ("scene.substeps", json!(2))]);
    let mut page = house.page();
    page.ask(&json!({ "do": "look", "body": 0, "look": "amplitude" }));
    page.transport(|now| now["frame"].as_i64() > Some(5));
    page.ask(&json!({ "do": "begin", "label": "drag" }));
    within(50.0, "edit to the frame it acts in at 30k vertices", 15, |n| {
        let to = 0.5 + 0.02 * f64::from(n);
        let command = json!({ "do": "set", "path": "body.jelly.director.swim.amplitude.to", "value": to });
        page.ask(&json!({ "do": "preview", "command": command }));
        // The field is sent after the frame it belongs to.
        page.until(|heard| matches!(heard, Heard::Field(_)).then_some(()));
    });
}

/// At 5000 points of flesh and about 500 painted values, of layers (paint alone) and of stiffness (paint on top of a formula), while the
/// stage runs.
fn strokes_become_fields_of_the_running_stage_in_time() {
    let flesh = json!({ "kind": "tets", "vertices": 5000 });
    let (house, _folder) = jellyfish(20_000, &[("body.jelly.flesh", flesh)]);
    let mut page = house.page();
    let points = page.event("welcome")["scene"]["bodies"][0]["points"].as_u64().unwrap();
    assert!(points > 4500, "{points}");
    page.transport(|now| now["frame"].as_i64() > Some(2));
    // Rings of strokes around the bell.
    let ring = |radius: f64, value: f64| {
        let corner = |n: i32| {
            let angle = f64::from(n) * std::f64::consts::TAU / 24.0;
            json!([radius * angle.cos(), 0.3, radius * angle.sin()])
        };
        json!({ "stroke": (0..=24).map(corner).collect::<Vec<_>>(), "value": value })
    };
    let rings = |value: f64| json!((1..=9).map(|n| ring(0.05 * f64::from(n), value)).collect::<Vec<_>>());
    let paths = [("layer", "body.jelly.director.swim.layer"), ("stiffness", "body.jelly.material.fields.stiffness")];
    for (look, path) in paths {
        page.ask(&json!({ "do": "look", "body": 0, "look": look }));
        page.ask(&json!({ "do": "begin", "label": "paint" }));
        let mut paint = |n: i32| {
            let value = 0.5 / f64::from(n + 2);
            let painted = if look == "layer" { rings(value) } else { json!({ "paint": rings(value) }) };
            page.ask(&json!({ "do": "preview", "command": { "do": "set", "path": path, "value": painted } }));
            // Fields of what was painted before come with frames of the meantime.
            page.until(|heard| match heard {
                Heard::Field(field) => {
                    let values = field[32..].chunks_exact(4).map(|v| f32::from_le_bytes(v.try_into().unwrap()));
                    let least = f64::from(values.fold(f32::INFINITY, f32::min));
                    ((least - value).abs() < 0.02 * value).then_some(())
                }
                _ => None,
            });
        };
        // The first one makes ready what the others use.
        paint(0);
        within(200.0, &format!("stroke to the new {look} at {points} points"), 8, |n| paint(n + 1));
        page.ask(&json!({ "do": "commit" }));
    }
}

fn sixty_frames_a_second_stream_while_the_solver_runs() {
    let settings = [("scene.fps", json!(90)), ("scene.substeps", json!(2)), ("scene.frames", json!([1, 100_000]))];
    let (house, _folder) = jellyfish(20_000, &settings);
    let mut page = house.page();
    next_frame(&mut page);
    within(1e3 / 60.0, "a simulated frame streamed at 20k vertices", 270, |_| {
        next_frame(&mut page);
    });
    let recorded = page.transport(|_| true);
    assert!(recorded["recorded_to"].as_i64() >= Some(200), "they were simulated: {recorded}");
}

fn scrubbing_answers_within_16_ms() {
    let (house, _folder) = jellyfish(20_000, &[("scene.fps", json!(90))]);
    let mut page = house.page();
    page.transport(|now| now["recorded_to"].as_i64() >= Some(60));
    page.ask(&json!({ "do": "pause" }));
    page.transport(|now| now["playing"] == false);
    page.ask(&json!({ "do": "seek", "frame": 1 }));
    page.frame(1);
    within(16.0, "scrub to a recorded frame", 40, |n| {
        let frame = 2 + (n * 37) % 58;
        page.ask(&json!({ "do": "seek", "frame": frame }));
        page.frame(frame);
    });
}
