//! Milliseconds of a substep of built-in scenes on one thread, after so many steps.
//!
//! `cargo run --release -p sinew_bake --example scene_speed SCENE [STEPS [WARM_UP]]`

use sinew_bake::build;
use sinew_scene::{Document, builtin};
use std::path::Path;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, otherwise: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (steps, warm_up) = (number(1, 200), number(2, 192));
    let name = words.first().map_or("worms", String::as_str);
    let found = builtin::find(name).expect("a built-in scene");
    let document = Document::parse(found.toml, name).expect("a valid scene");
    let mut stage = build(document.scene(), Path::new("."), 1).expect("a stage").stage;
    let mut state = stage.first_state();
    let mut times = Vec::new();
    stage.pool().install(|| {
        for step in 0..warm_up + steps {
            let begun = Instant::now();
            stage.step(&mut state, &[]).expect("a finite step");
            if step >= warm_up {
                times.push(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
    });
    times.sort_by(f64::total_cmp);
    let points: usize = state.bodies.iter().map(|body| body.x.len()).sum();
    println!(
        "{name}: {} bodies, {points} points, {} contacts between bodies, {} with obstacles: median {:.3} ms, fastest tenth {:.3} ms",
        state.bodies.len(),
        stage.body_contacts().len(),
        stage.contacts().iter().map(Vec::len).sum::<usize>(),
        times[times.len() / 2],
        times[times.len() / 10],
    );
}
