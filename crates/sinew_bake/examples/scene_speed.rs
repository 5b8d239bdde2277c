//! Milliseconds of a substep of built-in scenes, or of scene files, on one thread, after so many steps, and how deep
//! bodies get into each other meanwhile.
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
    let text = match builtin::find(name) {
        Some(found) => found.toml.to_owned(),
        None => std::fs::read_to_string(name).expect("a built-in scene or a file"),
    };
    let document = Document::parse(&text, name).expect("a valid scene");
    let folder = Path::new(name).parent().unwrap_or(Path::new("."));
    let mut stage = build(document.scene(), folder, 1).expect("a stage").stage;
    let mut state = stage.first_state();
    let (mut times, mut depths, mut contacts) = (Vec::new(), Vec::new(), 0);
    stage.pool().install(|| {
        for step in 0..warm_up + steps {
            let begun = Instant::now();
            stage.step(&mut state, &[]).expect("a finite step");
            if step >= warm_up {
                times.push(begun.elapsed().as_secs_f64() * 1e3);
                contacts += stage.body_contacts().len();
                depths.extend(stage.body_contacts().iter().map(|contact| -contact.gap_m * 1e3));
            }
        }
    });
    times.sort_by(f64::total_cmp);
    depths.sort_by(f64::total_cmp);
    let depth = |share: f64| depths.get((depths.len() as f64 * share) as usize).or(depths.last()).map_or(0.0, |d| *d);
    let points: usize = state.bodies.iter().map(|body| body.x.len()).sum();
    println!(
        "{name}: {} bodies, {points} points, {} contacts between bodies, {} with obstacles: median {:.3} ms, fastest tenth {:.3} ms",
        state.bodies.len(),
        contacts / steps.max(1),
        stage.contacts().iter().map(Vec::len).sum::<usize>(),
        times[times.len() / 2],
        times[times.len() / 10],
    );
    println!("depths: median {:.2} mm, 98 % below {:.1} mm, deepest {:.1} mm", depth(0.5), depth(0.98), depth(1.0));
}
