//! `sinew check`: the scene is parsed and built, so that meshes, sets and solvers are checked too.

use crate::args::OneScene;
use crate::failure::Failure;
use crate::output::Output;
use crate::scene_arg;
use serde_json::{Value, json};
use sinew::bake::Built;

pub(crate) fn run(args: &OneScene, output: Output) -> Result<(), Failure> {
    let open = scene_arg::open(&args.scene)?;
    let built = open.build(1)?;
    let bodies = built.stage.bodies();
    let points: usize = bodies.iter().map(|body| body.flesh.point_count()).sum();
    let [first, last] = open.document.scene().shot.frames;
    output.finish(
        &json!({
            "ok": true, "scene": open.name, "bodies": bodies.len(), "points": points, "frames": [first, last],
            "warnings": build_warnings(&built),
        }),
        || {
            let plural = if bodies.len() == 1 { "body" } else { "bodies" };
            let fine =
                format!("{}: fine. {} {plural}, {points} points, frames {first} to {last}", open.name, bodies.len());
            fine + &warning_lines(&built)
        },
    )
}

/// What the scene did not quite get.
pub(crate) fn build_warnings(built: &Built) -> Vec<Value> {
    built.warnings.iter().map(|w| json!({ "at": w.at, "what": w.what, "help": w.help })).collect()
}

/// The same for people, each on lines of its own.
pub(crate) fn warning_lines(built: &Built) -> String {
    built.warnings.iter().map(|w| format!("\nwarning: {}: {}\n  help: {}", w.at, w.what, w.help)).collect()
}
