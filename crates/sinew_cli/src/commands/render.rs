//! `sinew render`: pictures of a take, on the CPU.

use crate::args::{Render, RenderStyle};
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, progress};
use serde_json::json;
use sinew::bake::Playback;
use sinew::film::{FilmAsked, film};
use sinew::render::Style;

/// Beyond so many one picture takes more than a few seconds, with nothing to be seen meanwhile.
const SLOW_PIXELS: u64 = 30_000_000;

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
    let pixels = u64::from(args.size.0) * u64::from(args.size.1);
    if pixels > SLOW_PIXELS {
        eprintln!("note: a picture of {} million pixels takes a while", pixels / 1_000_000);
    }
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
