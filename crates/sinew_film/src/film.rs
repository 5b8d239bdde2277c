//! Pictures of a take: one, or a film.

use crate::drawer::Drawer;
use crate::movie::Movie;
use crate::skin_field::SkinField;
use crate::{ELSEWHERE, FieldKind, FilmError, Plane, Progress};
use sinew_bake::Playback;
use sinew_io::AtomicFile;
use sinew_io::disk::{Outputs, check_outputs, remedy, remedy_behind};
use sinew_math::DVec3;
use sinew_render::{ApngWriter, FrameRate, GifWriter, Image, Style, WriteError, write_png};
use std::io::BufWriter;
use std::ops::RangeInclusive;
use std::path::Path;

/// What the extension of a picture may be.
pub const FILM_EXTENSIONS: [&str; 4] = ["png", "gif", "apng", "mp4"];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmAsked {
    /// Width and height in pixels.
    pub size: [u32; 2],
    pub style: Style,
    /// What skins are coloured by; none gives them their own colours.
    pub field: Option<FieldKind>,
    /// One frame only; left out, a .png shows the last.
    pub frame: Option<i32>,
    /// Bodies are cut open by it; what lies beyond is taken away.
    pub cut: Option<Plane>,
    /// Where to look from and at; left out, as the scene's camera does.
    pub eye: Option<DVec3>,
    pub look_at: Option<DVec3>,
}

impl Default for FilmAsked {
    fn default() -> Self {
        Self { size: [640, 360], style: Style::Shaded, field: None, frame: None, cut: None, eye: None, look_at: None }
    }
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Filmed {
    pub frames: RangeInclusive<i32>,
    /// The two ends of the field's colours.
    pub field_range: Option<[f64; 2]>,
}

/// One picture of a take: the asked frame, or the last.
pub fn picture(playback: &mut Playback, asked: &FilmAsked) -> Result<Image, FilmError> {
    let recorded = playback.frames()?;
    let frame = asked.frame.unwrap_or(*recorded.end());
    Drawer::new(asked, playback, recorded)?.picture(playback, frame)
}

/// Draws a take as the extension of `path` says.
pub fn film(
    playback: &mut Playback,
    path: &Path,
    asked: &FilmAsked,
    progress: &mut Progress<'_>,
) -> Result<Filmed, FilmError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let recorded = playback.frames()?;
    let frames = match extension.as_str() {
        "png" => {
            let frame = asked.frame.unwrap_or(*recorded.end());
            frame..=frame
        }
        "gif" | "apng" | "mp4" => asked.frame.map_or(recorded.clone(), |frame| frame..=frame),
        _ => {
            return Err(FilmError::Asked {
                what: format!("{} has no extension that sinew draws", path.display()),
                help: "the extension chooses the format: .png, .gif, .apng or .mp4".into(),
            });
        }
    };
    check_outputs(&playback.inputs(), &Outputs { named: vec![path.to_owned()], beside: Vec::new() }, false)?;
    let drawer = Drawer::new(asked, playback, recorded)?;
    let field_range = drawer.field.as_ref().map(SkinField::ends);
    write(&drawer, playback, path, frames.clone(), progress).map_err(|error| naming(path, error))?;
    Ok(Filmed { frames, field_range })
}

/// Errors of encoders do not know which file they write.
fn naming(path: &Path, error: FilmError) -> FilmError {
    let FilmError::Write(WriteError::Png(_) | WriteError::Gif(_) | WriteError::Io(_)) = &error else { return error };
    let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
    let what = format!("cannot write {}: {cause}", path.display());
    FilmError::failed(what, remedy_behind(&error).unwrap_or(ELSEWHERE))
}

fn write(
    drawer: &Drawer,
    playback: &mut Playback,
    path: &Path,
    frames: RangeInclusive<i32>,
    progress: &mut Progress<'_>,
) -> Result<(), FilmError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let clock = playback.built.stage.clock();
    let rate = FrameRate::new(clock.fps.0, clock.fps.1)?;
    let count = frames.clone().count() as u32;
    let size = drawer.options.size;
    let mut done = 0;
    let mut draw = |frame: i32, put: &mut dyn FnMut(&Image) -> Result<(), FilmError>| {
        put(&drawer.picture(playback, frame)?)?;
        done += 1;
        if progress(done, u64::from(count)).is_break() { Err(FilmError::Stopped) } else { Ok(()) }
    };
    if extension == "mp4" {
        let mut movie = Movie::create(path, size, rate)?;
        for frame in frames {
            draw(frame, &mut |image| movie.write(image))?;
        }
        return movie.finish();
    }
    let unwritable = |error: std::io::Error| {
        let what = format!("cannot write {}: {error}", path.display());
        FilmError::failed(what, remedy(&error).unwrap_or(ELSEWHERE))
    };
    let mut out = BufWriter::new(AtomicFile::create(path).map_err(unwritable)?);
    match extension.as_str() {
        "gif" => {
            let mut gif = GifWriter::new(&mut out, size, rate)?;
            for frame in frames {
                draw(frame, &mut |image| Ok(gif.write(image)?))?;
            }
            gif.finish()?;
        }
        "apng" => {
            let mut apng = ApngWriter::new(&mut out, size, rate, count)?;
            for frame in frames {
                draw(frame, &mut |image| Ok(apng.write(image)?))?;
            }
            apng.finish()?;
        }
        _ => draw(*frames.start(), &mut |image| Ok(write_png(&mut out, image)?))?,
    }
    let file = out.into_inner().map_err(|error| unwritable(error.into_error()))?;
    file.commit().map_err(unwritable)
}
