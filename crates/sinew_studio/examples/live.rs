//! The studio on a built-in scene, without the command line: `cargo run -p sinew_studio --example live -- bar-drop`.

use sinew_scene::{Scene, builtin};
use sinew_studio::{StageShow, StudioOptions, serve};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("jellyfish", String::as_str);
    let builtin = builtin::find(name).ok_or_else(|| format!("there is no built-in scene {name:?}"))?;
    let scene = Scene::from_toml(builtin.toml, name)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let built = sinew_bake::build(&scene, Path::new("."), threads)?;
    let open = !arguments.iter().any(|argument| argument == "--no-open");
    serve(Box::new(StageShow::new(name, &scene, built.stage)), StudioOptions { open, ..StudioOptions::default() })?;
    Ok(())
}
