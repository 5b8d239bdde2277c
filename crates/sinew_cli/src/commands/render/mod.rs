//! `sinew render`: pictures of a take, on the CPU.

mod cutaway;
mod drawn;
mod glyphs;
mod movie;
mod picture;
mod skin_field;

use crate::args::Render;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;
pub(crate) use cutaway::Plane;
use movie::Movie;
use picture::Drawer;
use serde_json::json;
use sinew::bake::Playback;
use sinew::io::AtomicFile;
use sinew::math::{DVec3, dvec3};
use sinew::render::{ApngWriter, FrameRate, GifWriter, write_png};
use std::io::BufWriter;
use std::ops::RangeInclusive;

pub(crate) fn run(args: &Render, output: Output) -> Result<(), Failure> {
    let extension = args.output.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let mut playback = Playback::open(&args.take, args.folder.as_deref())?;
    let recorded = playback.frames()?;
    let frames = match extension.as_str() {
        "png" => {
            let frame = args.frame.unwrap_or(*recorded.end());
            frame..=frame
        }
        "gif" | "apng" | "mp4" => args.frame.map_or(recorded.clone(), |frame| frame..=frame),
        _ => {
            let help = "the extension chooses the format: .png, .gif, .apng or .mp4";
            return Err(Failure::usage(format!("{} has no extension that sinew draws", args.output.display()), help));
        }
    };
    let drawer = Drawer::new(args, &mut playback, recorded)?;
    let range = drawer.field.as_ref().map(|field| field.range);
    write(&drawer, &mut playback, &extension, frames.clone(), args)?;
    let object = json!({
        "file": args.output.display().to_string(), "frames": [frames.start(), frames.end()], "size": [args.size.0, args.size.1],
        "field_range": range,
    });
    output.finish(&object, || {
        let colours = range.map(|[low, high]| format!(", colours from {low:.4} to {high:.4}")).unwrap_or_default();
        format!("{}{colours}", args.output.display())
    })
}

fn write(
    drawer: &Drawer,
    playback: &mut Playback,
    extension: &str,
    frames: RangeInclusive<i32>,
    args: &Render,
) -> Result<(), Failure> {
    let clock = playback.built.stage.clock();
    let rate = FrameRate::new(clock.fps.0, clock.fps.1)?;
    let count = frames.clone().count() as u32;
    let bar = progress::bar("rendering", u64::from(count));
    let unwritable = |error: std::io::Error| {
        Failure::new(
            format!("cannot write {}: {error}", args.output.display()),
            "choose a file in a folder that you may write to",
        )
    };
    if extension == "mp4" {
        let mut movie = Movie::create(&args.output, drawer.options.size, rate)?;
        for frame in frames {
            movie.write(&drawer.picture(playback, frame)?)?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        return movie.finish();
    }
    let mut out = BufWriter::new(AtomicFile::create(&args.output).map_err(unwritable)?);
    match extension {
        "gif" => {
            let mut gif = GifWriter::new(&mut out, drawer.options.size, rate)?;
            for frame in frames {
                gif.write(&drawer.picture(playback, frame)?)?;
                bar.inc(1);
            }
            gif.finish()?;
        }
        "apng" => {
            let mut apng = ApngWriter::new(&mut out, drawer.options.size, rate, count)?;
            for frame in frames {
                apng.write(&drawer.picture(playback, frame)?)?;
                bar.inc(1);
            }
            apng.finish()?;
        }
        _ => write_png(&mut out, &drawer.picture(playback, *frames.start())?)?,
    }
    bar.finish_and_clear();
    let file = out.into_inner().map_err(|error| unwritable(error.into_error()))?;
    file.commit().map_err(unwritable)
}

/// Three numbers such as `0,1.5,3`.
pub(crate) fn point(text: &str) -> Result<DVec3, String> {
    let wrong = || format!("{text:?} is not a point such as 0,1.5,3");
    let numbers: Vec<f64> =
        text.split(',').map_while(|n| n.trim().parse().ok()).filter(|n: &f64| n.is_finite()).collect();
    match (&numbers[..], text.split(',').count()) {
        (&[x, y, z], 3) => Ok(dvec3(x, y, z)),
        _ => Err(wrong()),
    }
}
