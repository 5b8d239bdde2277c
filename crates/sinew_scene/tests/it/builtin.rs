//! The built-in scenes are sound.

use sinew_scene::{Scene, builtin, starter};

#[test]
fn every_built_in_scene_parses_and_shows_something() {
    for scene in builtin::scenes() {
        let parsed = Scene::from_toml(scene.toml, scene.name).unwrap_or_else(|error| panic!("{error}"));
        assert!(!parsed.bodies.is_empty() && !scene.about.is_empty(), "{}", scene.name);
        assert!(scene.toml.contains("[camera]"), "{} has no camera", scene.name);
    }
}

#[test]
fn every_model_is_listed_with_a_line() {
    let models = builtin::models();
    let names: Vec<&str> = models.iter().map(|model| model.name).collect();
    let structured = ["bar", "cylinder", "ball", "cloth", "bell"];
    let cast = ["jellyfish", "worm", "snail", "snake", "heart", "bowel", "rabbit", "dragon", "biped", "arm", "head"];
    assert_eq!(names, [&structured[..], &cast[..]].concat());
    assert!(models.iter().all(|model| model.about.ends_with('.') && !model.about.contains('\n')));
}

#[test]
fn a_starter_is_a_valid_scene_and_so_is_what_it_suggests() {
    let mut texts: Vec<String> = builtin::models().iter().map(|m| starter::of_model(m.name).unwrap()).collect();
    texts.extend(["my.obj", "a folder/\"odd\" name.mesh", "é.glb", ""].map(starter::of_mesh));
    for text in texts {
        let scene = Scene::from_toml(&text, "starter").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((scene.bodies.len(), scene.bodies[0].directors.len()), (1, 0));
        let suggested = text.replace("# | ", "").replace("# |\n", "\n");
        let scene = Scene::from_toml(&suggested, "suggested").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.bodies[0].directors.len(), 2, "{suggested}");
    }
    let error = starter::of_model("bel").unwrap_err().to_string();
    assert!(error.contains("unknown model \"bel\"") && error.contains("`bell`"), "{error}");
}
