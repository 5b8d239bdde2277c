//! How soon steps of built-in scenes end once they are stopped.

use sinew_bake::build;
use sinew_scene::{Scene, builtin};
use sinew_solve::{StepError, StopFlag};
use std::path::Path;
use std::time::{Duration, Instant};

/// A survey that judges nothing: for every built-in scene the longest of ten waits, each from a flag that is
/// set somewhere in a run to the end of the step that it abandons. What is stopped goes on with the same
/// bits.
#[test]
#[ignore = "a survey of a minute or two: cargo nextest run --release -p sinew_bake --run-ignored only stopped::"]
fn steps_of_every_built_in_scene_end_soon_after_they_are_stopped() {
    for scene in builtin::scenes() {
        let parsed = Scene::from_toml(scene.toml, scene.name).unwrap();
        let mut stage = build(&parsed, Path::new("."), 1).unwrap().stage;
        let (mut state, mut longest) = (stage.first_state(), Duration::ZERO);
        for round in 0..10u64 {
            let stop = StopFlag::default();
            stage.stop_by(stop.clone());
            let setter = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(20 + 7 * round));
                stop.set();
                Instant::now()
            });
            let error = loop {
                match stage.step(&mut state, &[]) {
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_eq!(error, StepError::Stopped, "{}", scene.name);
            longest = longest.max(setter.join().unwrap().elapsed());
        }
        println!("{:20} {:6.1} ms", scene.name, longest.as_secs_f64() * 1e3);
    }
}
