//! `sinew new`: a project folder with a commented scene.

use crate::args::New;
use crate::failure::Failure;
use crate::kind;
use crate::output::Output;
use serde_json::json;
use sinew::bake::project;
use sinew::io::disk::remedy;
use sinew::scene::model::Unit;
use sinew::scene::{Document, starter};

pub(crate) fn run(args: &New, output: Output) -> Result<(), Failure> {
    let scene_file = args.dir.join("scene.toml");
    if scene_file.exists() {
        let what = match args.force {
            true => {
                format!("{} exists already, and a scene is not overwritten by --force either", scene_file.display())
            }
            false => format!("{} exists already", scene_file.display()),
        };
        return Err(Failure::new(what, "choose another folder, or move that scene away first"));
    }
    if args.dir.exists() && !args.dir.is_dir() {
        return Err(Failure::new(format!("{} is a file, not a folder", args.dir.display()), "choose another folder"));
    }
    let (mut document, size_m) = match &args.mesh {
        Some(mesh) => {
            let unit = serde_json::from_value::<Unit>(json!(args.unit))?;
            kind::expect_readable(mesh)?;
            let made = project::from_mesh(mesh, unit, &args.dir, args.force)?;
            (made.document, Some(made.size_m))
        }
        None => (Document::parse(&starter::of_model(&args.model)?, "scene.toml")?, None),
    };
    let takes = args.dir.join("takes");
    std::fs::create_dir_all(&takes).map_err(|error| {
        let what = format!("cannot make the folder {}: {error}", takes.display());
        Failure::new(what, remedy(&error).unwrap_or("choose a folder that you may write to"))
    })?;
    document.save_as(&scene_file)?;
    let odd = size_m.filter(|size| !LIKELY_M.contains(size)).map(|size| {
        format!("\nThe body is {size:.3} m from corner to corner; if that is not meant, say what the file counts in, as --unit cm does.")
    });
    output.finish(&json!({ "scene": scene_file.display().to_string(), "size_m": size_m }), || {
        format!(
            "{0}{2}\nNext: sinew studio {1}, or sinew bake {1} -o {1}/takes/first.take",
            scene_file.display(),
            args.dir.display(),
            odd.unwrap_or_default()
        )
    })
}

/// Sizes that nobody is surprised by.
const LIKELY_M: std::ops::RangeInclusive<f64> = 0.005..=30.0;
