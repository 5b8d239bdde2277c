//! The built-in scenes are sound.

use sinew_scene::{Scene, builtin};

#[test]
fn every_built_in_scene_parses_and_shows_something() {
    for scene in builtin::scenes() {
        let parsed = Scene::from_toml(scene.toml, scene.name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!parsed.bodies.is_empty() && !scene.about.is_empty(), "{}", scene.name);
        assert!(scene.toml.contains("[camera]"), "{} has no camera", scene.name);
    }
}
