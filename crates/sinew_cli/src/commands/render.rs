//! `sinew render`: pictures of a take, on the CPU.

use crate::args::{Render, RenderStyle};
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, progress};
use serde_json::json;
use sinew::bake::Playback;
use sinew::film::{FilmAsked, film};
use sinew::render::Style;

pub(crate) fn run(args: &Render, output: Output) -> Result<(), Failure> {
    kind::expect_take(&args.take)?;
    let mut playback = Playback::open(&args.take, args.folder.as_deref())?;
    let asked = FilmAsked {
        size: [args.size.0, args.size.1],
        style: match args.style {
            RenderStyle::Shaded => Style::Shaded,
            RenderStyle::Lines => Style::Lines,
        },
        field: args.field,
        frame: args.frame,
        cut: args.cut,
        eye: args.eye,
        look_at: args.look_at,
    };
    let filmed = progress::shown("rendering", |told| film(&mut playback, &args.output, &asked, told))?;
    let (frames, range) = (filmed.frames, filmed.field_range);
    let object = json!({
        "file": args.output.display().to_string(), "frames": [frames.start(), frames.end()], "size": [args.size.0, args.size.1],
        "field_range": range,
    });
    output.finish(&object, || {
        let colours = range.map(|[low, high]| format!(", colours from {low:.4} to {high:.4}")).unwrap_or_default();
        format!("{}{colours}", args.output.display())
    })
}
