//! The ground of a picture is where the scene's plane is at that frame.

use sinew_bake::take::TakeOptions;
use sinew_bake::{Bake, Playback, bake, build};
use sinew_film::{FilmAsked, GO_ON, film};
use sinew_scene::Scene;
use std::ops::ControlFlow;
use std::path::Path;

/// A bar that floats, over a plane at this height; frame 3 as a picture.
fn pictured(folder: &Path, height: &str) -> Vec<u8> {
    let text = format!(
        "sinew = 1\n[scene]\nframes = [1, 3]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"bar\"\nat = [0.0, 2.0, 0.0]\n\
         skin = {{ model = \"bar\", vertices = 60 }}\nflesh = {{ kind = \"tets\", vertices = 60 }}\n\
         [[obstacle]]\nname = \"ground\"\nshape = \"plane\"\nat = [0.0, {height}, 0.0]\n\
         [camera]\neye = [2.0, 2.5, 4.0]\nlook_at = [0.0, 1.2, 0.0]\n"
    );
    let scene = Scene::from_toml(&text, "scene").unwrap();
    let mut built = build(&scene, Path::new("."), 1).unwrap();
    let take = folder.join("a.take");
    let asked = Bake { frames: 1..=3, resume: false, options: TakeOptions::default(), dump: None };
    bake(&mut built, &text, &take, &asked, |_| ControlFlow::Continue(())).unwrap();
    let picture = folder.join("a.png");
    let asked = FilmAsked { size: [96, 64], frame: Some(3), ..FilmAsked::default() };
    film(&mut Playback::open(&take, None).unwrap(), &picture, &asked, &mut |_, _| GO_ON).unwrap();
    std::fs::remove_file(&take).unwrap();
    std::fs::read(&picture).unwrap()
}

#[test]
fn a_plane_that_is_keyed_is_drawn_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let lifted = pictured(folder.path(), "[[1, 0.0], [3, 0.5]]");
    assert_eq!(lifted, pictured(folder.path(), "0.5"), "as if it had always been there");
    assert_ne!(lifted, pictured(folder.path(), "0.0"));
}
