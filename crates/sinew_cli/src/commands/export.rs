//! `sinew export`: takes for other programs.

use crate::args::Export;
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, progress};
use serde_json::json;
use sinew::bake::Playback;
use sinew::film::{ExportAsked, export};

pub(crate) fn run(args: &Export, output: Output) -> Result<(), Failure> {
    kind::expect_take(&args.take)?;
    let mut playback = Playback::open(&args.take, args.folder.as_deref())?;
    let frames = playback.frames()?;
    let asked = ExportAsked { bound: args.bound, normals: !args.no_normals, overwrite: args.force };
    let written = progress::shown("exporting", |told| export(&mut playback, &args.output, &asked, told))?;
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
