//! `sinew export`: takes for other programs.

use crate::args::Export;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;
use serde_json::json;
use sinew::bake::{Playback, export_clip, export_npz};
use sinew::io::{GlbOptions, WriteOptions, Written};

/// What the extension of the output may be.
const KNOWN: [&str; 8] = ["glb", "usda", "mdd", "pc2", "obj", "ply", "pvd", "npz"];

pub(crate) fn run(args: &Export, output: Output) -> Result<(), Failure> {
    let extension = args.output.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if !KNOWN.contains(&extension.as_str()) {
        let help = format!("the extension chooses the format: {}", KNOWN.map(|e| format!(".{e}")).join(" "));
        return Err(Failure::usage(format!("{} has no extension that sinew writes", args.output.display()), help));
    }
    if !args.bound.is_finite() || args.bound <= 0.0 {
        return Err(Failure::usage(
            format!("--bound {} is no share of a size", args.bound),
            "give a number above 0, such as 1e-3",
        ));
    }
    let mut playback = Playback::open(&args.take, args.folder.as_deref())?;
    let frames = playback.frames()?;
    let bodies = playback.built.stage.bodies().len() as u64;
    let written = if extension == "npz" {
        let bar = progress::bar("exporting", bodies);
        export_npz(&mut playback, &args.output, || bar.inc(1))?;
        bar.finish_and_clear();
        Written { files: vec![args.output.clone()], notes: Vec::new() }
    } else {
        let glb = GlbOptions { bound: args.bound, normals: !args.no_normals, ..GlbOptions::default() };
        let asked = bodies * frames.clone().count() as u64 * passes(&extension, frames.clone().count(), &glb);
        let bar = progress::bar("exporting", asked);
        let written = export_clip(&mut playback, &args.output, &WriteOptions { glb }, || bar.inc(1))?;
        bar.finish_and_clear();
        written
    };
    let object = json!({
        "file": args.output.display().to_string(),
        "files": written.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "frames": [frames.start(), frames.end()],
        "notes": written.notes,
    });
    output.finish(&object, || {
        let mut text = format!("{}: frames {} to {}", args.output.display(), frames.start(), frames.end());
        if written.files.len() > 1 {
            text.push_str(&format!(", {} files", written.files.len()));
        }
        written.notes.iter().for_each(|note| text.push_str(&format!("\nnote: {note}")));
        text
    })
}

/// How often a format asks for each frame of a body, about.
fn passes(extension: &str, frame_count: usize, glb: &GlbOptions) -> u64 {
    match extension {
        "usda" => 2,
        "glb" if frame_count > glb.exact_frames => 2 + u64::from(glb.normals),
        _ => 1,
    }
}
