//! Draws the gallery's pictures of the built-in scenes into `gallery/`; of those that are named, or of all.
//!
//! `cargo xtask pictures` runs it.

use sinew_bake::take::TakeOptions;
use sinew_bake::{Bake, Playback, bake, build};
use sinew_film::{FilmAsked, picture};
use sinew_math::DVec3;
use sinew_render::write_small_png;
use sinew_scene::{Scene, builtin};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::Path;

/// As the page shows them, for screens of two pixels a point.
const SIZE: [u32; 2] = [320, 200];
/// Most scenes are well under way by then; what falls has not landed and what crawls has moved.
const FRAME: i32 = 40;
/// Where another moment says more.
const OTHER: [(&str, i32); 7] = [
    ("bar-drop", 24),
    ("cloth-drape", 90),
    ("bar-drag", 60),
    ("snail-touch", 60),
    ("rabbit", 66),
    ("cloth-bend", 30),
    ("misaligned", 22),
];

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("gallery");
    std::fs::create_dir_all(&folder)?;
    let mut missing = Vec::new();
    for scene in builtin::scenes().iter().filter(|scene| wanted.is_empty() || wanted.iter().any(|w| w == scene.name)) {
        let file = folder.join(format!("{}.png", scene.name));
        match draw(scene, &file) {
            Ok(()) => println!("{}: {} bytes", scene.name, file.metadata()?.len()),
            Err(error) => missing.push(format!("{}: {error}", scene.name)),
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n").into()) }
}

fn draw(scene: &builtin::Builtin, file: &Path) -> Result<(), Box<dyn Error>> {
    let model = Scene::from_toml(scene.toml, scene.name)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut built = build(&model, Path::new("."), threads)?;
    let clock = built.stage.clock();
    let frame = OTHER.iter().find(|(name, _)| *name == scene.name).map_or(FRAME, |(_, frame)| *frame);
    let frame = frame.clamp(clock.first_frame, clock.last_frame);
    let take = tempfile::NamedTempFile::new()?.into_temp_path();
    let asked = Bake { frames: clock.first_frame..=frame, resume: false, options: TakeOptions::default(), dump: None };
    bake(&mut built, scene.toml, &take, &asked, |_| ControlFlow::Continue(()))?;
    let mut playback = Playback::open(&take, None)?;
    let (eye, look_at) = close_up(&mut playback, frame)?;
    let asked =
        FilmAsked { size: SIZE, frame: Some(frame), eye: Some(eye), look_at: Some(look_at), ..FilmAsked::default() };
    let image = picture(&mut playback, &asked)?;
    write_small_png(BufWriter::new(File::create(file)?), &image)?;
    Ok(())
}

/// Share of the picture's half that bodies may fill.
const FILLED: f64 = 0.78;

/// From where the scene's camera looks, but so near that the bodies fill the picture and none of them is cut off.
fn close_up(playback: &mut Playback, frame: i32) -> Result<(DVec3, DVec3), Box<dyn Error>> {
    playback.show(frame)?;
    let bodies = playback.built.stage.bodies().len();
    let points: Vec<DVec3> = (0..bodies).flat_map(|body| playback.skin(body)).collect();
    let low = points.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let middle = 0.5 * (low + high);
    let camera = &playback.scene.camera;
    let at = f64::from(frame);
    let back = (camera.eye.value(at) - camera.look_at.value(at)).normalize_or(DVec3::Z);
    let right = DVec3::Y.cross(back).normalize_or(DVec3::X);
    let up = back.cross(right);
    let tall = FILLED * (0.5 * camera.fov_deg_at(at).to_radians()).tan();
    let wide = tall * f64::from(SIZE[0]) / f64::from(SIZE[1]);
    let needed = |x: &DVec3| {
        let from = *x - middle;
        from.dot(back) + (from.dot(up).abs() / tall).max(from.dot(right).abs() / wide)
    };
    let distance = points.iter().map(needed).fold(0.0, f64::max);
    Ok((middle + back * distance, middle))
}
