//! `sinew check`: the scene is parsed and built, so that meshes, sets and solvers are checked too.

use crate::args::OneScene;
use crate::failure::Failure;
use crate::output::Output;
use crate::scene_arg;
use serde_json::json;

pub(crate) fn run(args: &OneScene, output: Output) -> Result<(), Failure> {
    let open = scene_arg::open(&args.scene)?;
    let built = open.build(1)?;
    let bodies = built.stage.bodies();
    let points: usize = bodies.iter().map(|body| body.flesh.point_count()).sum();
    let [first, last] = open.document.scene().shot.frames;
    output.finish(
        &json!({ "ok": true, "scene": open.name, "bodies": bodies.len(), "points": points, "frames": [first, last] }),
        || {
            let plural = if bodies.len() == 1 { "body" } else { "bodies" };
            format!("{}: fine. {} {plural}, {points} points, frames {first} to {last}", open.name, bodies.len())
        },
    )
}
