//! `sinew export`: takes for other programs.

use crate::args::Export;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;
use serde_json::json;
use sinew::bake::{Playback, export_npz};

/// Extensions of the contract that later versions will write.
const LATER: [&str; 7] = ["glb", "usda", "mdd", "pc2", "obj", "ply", "pvd"];

pub(crate) fn run(args: &Export, output: Output) -> Result<(), Failure> {
    let extension = args.output.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "npz" => {}
        known if LATER.contains(&known) => {
            return Err(Failure::not_yet(
                &format!("writing .{known}"),
                "write .npz for now: sinew export TAKE -o FILE.npz",
            ));
        }
        _ => {
            let help = format!(
                "the extension chooses the format: .npz now, {} later",
                LATER.map(|e| format!(".{e}")).join(" ")
            );
            return Err(Failure::usage(format!("{} has no extension that sinew writes", args.output.display()), help));
        }
    }
    let mut playback = Playback::open(&args.take, args.folder.as_deref())?;
    let frames = playback.frames()?;
    let bar = progress::bar("exporting", playback.built.stage.bodies().len() as u64);
    export_npz(&mut playback, &args.output, || bar.inc(1))?;
    bar.finish_and_clear();
    let object = json!({ "file": args.output.display().to_string(), "frames": [frames.start(), frames.end()] });
    output.finish(&object, || format!("{}: frames {} to {}", args.output.display(), frames.start(), frames.end()))
}
