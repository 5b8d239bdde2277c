//! Copies of a body: what they share, and what is said where they start inside one another.

use sinew_bake::{Built, build};
use sinew_scene::Scene;
use std::path::Path;
use std::sync::Arc;

fn built(copies: &str) -> Built {
    let text = format!(
        "sinew = 1\n[[body]]\nname = \"worm\"\nskin = {{ model = \"worm\", vertices = 800 }}\n\
         copies = {copies}\nflesh = {{ kind = \"tets\", vertices = 150 }}\n"
    );
    build(&Scene::from_toml(&text, "test").unwrap_or_else(|error| panic!("{error}")), Path::new("."), 1).unwrap()
}

#[test]
fn copies_share_flesh_and_skin_and_have_colours_of_their_own() {
    let built =
        built("{ count = 6, ring = { outer = 2.0, height = 1.0 }, colours = [\"#400000\", \"#00ff40\"], seed = 2 }");
    let bodies = built.stage.bodies();
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["worm-1", "worm-2", "worm-3", "worm-4", "worm-5", "worm-6"]);
    for (n, body) in bodies.iter().enumerate() {
        assert!(Arc::ptr_eq(&body.flesh, &bodies[0].flesh) && Arc::ptr_eq(&body.skin, &bodies[0].skin));
        assert!(bodies[..n].iter().all(|other| other.colour != body.colour), "{:?}", body.colour);
        // Where the skin shows nothing but its main colour, the copy's takes its place; the saddle keeps its own.
        let painted = body.skin.vertex_colours_on(body.colour);
        let plain = body.skin.main_shares.iter().position(|share| *share == 1.0).unwrap();
        let marked = body.skin.main_shares.iter().position(|share| *share == 0.0).unwrap();
        let off = |a: [f32; 3], b: [f32; 3]| (0..3).map(|n| (a[n] - b[n]).abs()).fold(0.0, f32::max);
        assert!(off(painted[plain], body.colour.unwrap()) < 1e-5);
        assert!(off(painted[marked], body.skin.vertex_colours[marked]) < 1e-5);
    }
}

#[test]
fn copies_that_start_inside_one_another_are_warned_of() {
    let crowded = built("{ grid = [1, 1, 4], spacing = 0.05 }");
    assert_eq!(crowded.warnings.len(), 1, "{:?}", crowded.warnings);
    assert!(crowded.warnings[0].what.contains("\"worm-2\" starts inside \"worm-1\""), "{:?}", crowded.warnings);
    // A worm is 0.12 m thick.
    for apart in ["{ grid = [1, 1, 4], spacing = 0.13 }", "{ count = 30, box = [2.0, 1.0, 2.0], seed = 1 }"] {
        assert!(built(apart).warnings.is_empty(), "{apart}");
    }
    // Boxes around turned worms overlap; the worms do not.
    let crossed = built("{ places = [[0.0, 0.0, 0.0], [0.0, 0.14, 0.0]], turn = [0, 180, 4], seed = 3 }");
    assert!(crossed.warnings.is_empty(), "{:?}", crossed.warnings);
}
