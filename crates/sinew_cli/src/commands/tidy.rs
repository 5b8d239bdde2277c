//! `sinew tidy`: assets that nothing in a project names.

use crate::args::Tidy;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::bake::assets::{AssetError, Assets};
use std::path::PathBuf;

pub(crate) fn run(args: &Tidy, output: Output) -> Result<(), Failure> {
    let told = |error: AssetError| {
        let help = error.help();
        Failure::new(error.to_string(), help)
    };
    if !args.dir.is_dir() {
        let what = format!("{} is no folder", args.dir.display());
        return Err(Failure::new(what, "name the folder of a project"));
    }
    let assets = Assets::of(&args.dir);
    let elsewhere: Vec<PathBuf> = sinew_studio::state_folder().into_iter().collect();
    let unused = assets.unused(&elsewhere).map_err(told)?;
    if args.remove {
        unused.iter().try_for_each(|name| assets.remove(name)).map_err(told)?;
    }
    output.finish(&json!({ "unused": unused, "removed": args.remove }), || match (unused.len(), args.remove) {
        (0, _) => {
            "no asset that sinew made more than ten minutes ago is without use; meshes and pictures in assets/ are yours to remove".to_owned()
        }
        (_, true) => format!("removed:\n{}", unused.join("\n")),
        (_, false) => format!("in no scene and no take:\n{}\n--remove deletes them", unused.join("\n")),
    })
}
