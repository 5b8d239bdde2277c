//! `sinew render`: pictures of a take, on the CPU.

use super::movie::Movie;
use super::skin_field::SkinField;
use crate::args::{Render, RenderStyle};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress;
use serde_json::json;
use sinew::bake::Playback;
use sinew::geom::{TriangleMesh, primitive};
use sinew::io::AtomicFile;
use sinew::math::DVec3;
use sinew::render::{
    ApngWriter, Camera, Frame, FrameRate, GifWriter, Ground, Image, Light, OBSTACLE_COLOUR, Options, Paint, Rgb, Shown,
    Style, body_colour, render, write_png,
};
use sinew::solve::Shape;
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
    let field = args.field.map(|field| SkinField::over(field, &mut playback, recorded.clone())).transpose()?;
    let range = field.as_ref().map(|field| field.range);
    let drawer = Drawer { field, ..Drawer::new(args, &mut playback)? };
    drawer.write(&mut playback, &extension, frames.clone(), args)?;
    let object = json!({
        "file": args.output.display().to_string(), "frames": [frames.start(), frames.end()], "size": [args.size.0, args.size.1],
        "field_range": range,
    });
    output.finish(&object, || {
        let colours = range.map(|[low, high]| format!(", colours from {low:.4} to {high:.4}")).unwrap_or_default();
        format!("{}{colours}", args.output.display())
    })
}

/// What stays the same from frame to frame.
struct Drawer {
    options: Options,
    ground: Option<Ground>,
    obstacles: Vec<Shape>,
    field: Option<SkinField>,
}

impl Drawer {
    fn new(args: &Render, playback: &mut Playback) -> Result<Self, Failure> {
        let style = match args.style {
            RenderStyle::Shaded => Style::Shaded,
            RenderStyle::Lines => Style::Lines,
        };
        let options = Options { size: [args.size.0, args.size.1], style, ..Options::default() };
        let first = *playback.frames()?.start();
        playback.show(first)?;
        let bodies = playback.built.stage.bodies().len();
        let points: Vec<DVec3> = (0..bodies).flat_map(|body| playback.skin(body)).collect();
        let low = points.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        let obstacles = playback.built.stage.obstacles_at(0);
        let plane = obstacles.iter().find(|o| o.shape == Shape::Plane).map(|o| o.at.y);
        // Without a ground in the scene, what stands above zero is shown above it.
        let height_m = plane.or((low.y >= 0.0).then_some(0.0));
        let ground = height_m.map(|height_m| Ground::for_size(height_m, (high - low).length()));
        Ok(Self { options, ground, obstacles: obstacles.iter().map(|o| o.shape).collect(), field: None })
    }

    fn write(
        &self,
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
            let mut movie = Movie::create(&args.output, self.options.size, rate)?;
            for frame in frames {
                movie.write(&self.picture(playback, frame)?)?;
                bar.inc(1);
            }
            bar.finish_and_clear();
            return movie.finish();
        }
        let mut out = BufWriter::new(AtomicFile::create(&args.output).map_err(unwritable)?);
        match extension {
            "gif" => {
                let mut gif = GifWriter::new(&mut out, self.options.size, rate)?;
                for frame in frames {
                    gif.write(&self.picture(playback, frame)?)?;
                    bar.inc(1);
                }
                gif.finish()?;
            }
            "apng" => {
                let mut apng = ApngWriter::new(&mut out, self.options.size, rate, count)?;
                for frame in frames {
                    apng.write(&self.picture(playback, frame)?)?;
                    bar.inc(1);
                }
                apng.finish()?;
            }
            _ => write_png(&mut out, &self.picture(playback, *frames.start())?)?,
        }
        bar.finish_and_clear();
        let file = out.into_inner().map_err(|error| unwritable(error.into_error()))?;
        file.commit().map_err(unwritable)
    }

    fn picture(&self, playback: &mut Playback, frame: i32) -> Result<Image, Failure> {
        let values = self.field.as_ref().map(|field| field.values(playback, frame)).transpose()?;
        playback.show(frame)?;
        let bodies = playback.built.stage.bodies();
        let skins: Vec<Vec<DVec3>> = (0..bodies.len()).map(|body| playback.skin(body)).collect();
        let rgb = |colour: &[f32; 3]| Rgb::from_unit(colour.map(f64::from));
        let colours: Vec<Vec<Rgb>> =
            bodies.iter().map(|body| body.skin.vertex_colours_on(body.colour).iter().map(rgb).collect()).collect();
        let mut meshes: Vec<Shown<'_>> = bodies
            .iter()
            .zip(&skins)
            .enumerate()
            .map(|(i, (body, skin))| {
                let paint = match (&self.field, &values, &colours[i][..]) {
                    (Some(SkinField { map, range, .. }), Some(values), _) => {
                        Paint::Field { values: &values[i], map: *map, range: *range }
                    }
                    (_, _, []) => Paint::Flat(body.colour.map_or(body_colour(i), |colour| rgb(&colour))),
                    (_, _, each) => Paint::Vertices(each),
                };
                Shown::new(skin, &body.skin.mesh.triangles, paint)
            })
            .collect();
        let obstacles = self.obstacle_meshes(playback, frame);
        meshes.extend(obstacles.iter().map(|mesh| Shown::mesh(mesh, Paint::Flat(OBSTACLE_COLOUR))));
        let shown = Frame { meshes, ground: self.ground };
        let at = f64::from(frame);
        let camera = &playback.scene.camera;
        let camera = Camera {
            eye: camera.eye.value(at),
            look_at: camera.look_at.value(at),
            up: DVec3::Y,
            fov_y_deg: camera.fov_deg_at(at),
        };
        let light = &playback.scene.light;
        let light = Light {
            direction: light.from.value(at),
            strength: light.strength.value(at),
            ambient: light.ambient.value(at),
            colour: light.colour.map(|colour| Rgb::from_unit(colour.0)),
            ..Light::default()
        };
        Ok(render(&shown, &camera, &light, &self.options)?)
    }

    fn obstacle_meshes(&self, playback: &Playback, frame: i32) -> Vec<TriangleMesh> {
        let stage = &playback.built.stage;
        let placed = stage.obstacles_at(stage.clock().tick_of(frame));
        let mesh = |(shape, at): (&Shape, &sinew::solve::Obstacle)| {
            let mut mesh = match *shape {
                Shape::Plane => return None,
                Shape::Sphere { radius_m } => primitive::capsule(radius_m, 0.0, 64),
                Shape::Capsule { half_length_m, radius_m } => primitive::capsule(radius_m, half_length_m, 64),
                Shape::Box { half_m } => primitive::cuboid(half_m),
            };
            mesh.positions.iter_mut().for_each(|x| *x = at.at + at.turn * *x);
            Some(mesh)
        };
        self.obstacles.iter().zip(&placed).filter_map(mesh).collect()
    }
}
