//! The studio on a built-in scene, without the command line: `cargo run -p sinew_studio --example live -- bar-drop`.

use sinew_scene::{Document, builtin};
use sinew_studio::{Opening, StudioOptions, serve};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("jellyfish", String::as_str);
    let builtin = builtin::find(name).ok_or_else(|| format!("there is no built-in scene {name:?}"))?;
    let document = Document::parse(builtin.toml, name)?;
    let open = !arguments.iter().any(|argument| argument == "--no-open");
    let opening = Opening { name: name.to_owned(), document, folder: ".".into() };
    serve(opening, StudioOptions { open, ..StudioOptions::default() })?;
    Ok(())
}
