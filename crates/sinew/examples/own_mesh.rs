//! Bakes a mesh of your own: it drops on the ground as jelly.
//!
//! ```sh
//! cargo run --release --example own_mesh -- bunny.obj bunny.take
//! sinew render bunny.take -o bunny.mp4
//! ```

use sinew::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(mesh), Some(take)) = (words.next(), words.next()) else {
        return Err("own_mesh MESH TAKE: a surface to read and a take to write".into());
    };
    let text = format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 48]
        [[body]]
        name = "mine"
        skin = {{ mesh = {mesh:?} }}
        at = [0.0, 0.5, 0.0]
        material = {{ preset = "jelly" }}
        flesh = {{ kind = "tets", vertices = 1000 }}
        solver = {{ kind = "fem", method = "descent" }}
        [[obstacle]]
        shape = "plane"
        "#
    );
    // What goes wrong names the place in the text, or the file, and what would be right.
    let scene = Scene::from_toml(&text, "own_mesh")?;
    let mut built = build(&scene, Path::new("."), 0)?;
    for warning in &built.warnings {
        eprintln!("{}: {}; {}", warning.at, warning.what, warning.help);
    }
    let asked = Bake { frames: 1..=48, resume: false, options: TakeOptions::default(), dump: None };
    let baked = bake(&mut built, &text, Path::new(&take), &asked, |frame| {
        eprintln!("frame {frame}");
        ControlFlow::Continue(())
    })?;
    println!("{take}: {} substeps", baked.substeps);
    Ok(())
}
