//! Renders the structured shapes to PNG files, to be looked at: `cargo run --release -p sinew_render --example showcase -- DIR`.

use sinew_geom::{TetMesh, TriangleMesh, structured};
use sinew_math::libm::{cos, sin};
use sinew_math::{DVec3, dvec3};
use sinew_render::{
    Camera, ColourMap, Frame, FrameRate, GifWriter, Ground, Light, Options, Paint, Shown, Style, body_colour, render,
    write_png,
};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/showcase".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let shapes = [("bell", bell(0.0)), ("bar", bar()), ("cylinder", cylinder()), ("cloth", cloth())];
    for (index, (name, mesh)) in shapes.into_iter().enumerate() {
        let colour = Paint::Flat(body_colour(index));
        picture(&folder, name, &[Shown::mesh(&mesh, colour.clone())], Style::Shaded)?;
        picture(&folder, &format!("{name}-lines"), &[Shown::mesh(&mesh, colour)], Style::Lines)?;
    }
    field(&folder)?;
    group(&folder)?;
    film(&folder)
}

fn picture(folder: &Path, name: &str, meshes: &[Shown], style: Style) -> Result<(), Box<dyn Error>> {
    let frame = grounded(meshes);
    let options = Options { style, ..Options::default() };
    let began = Instant::now();
    let image = render(&frame, &framing(&frame, &options), &Light::default(), &options)?;
    println!("{name}: {:.1} ms", 1e3 * began.elapsed().as_secs_f64());
    write_png(BufWriter::new(File::create(folder.join(format!("{name}.png")))?), &image)?;
    Ok(())
}

fn grounded<'a>(meshes: &[Shown<'a>]) -> Frame<'a> {
    let mut frame = Frame { meshes: meshes.to_vec(), ground: None };
    let size = frame.bounds().map_or(1.0, |(low, high)| (high - low).max_element());
    frame.ground = Some(Ground::for_size(0.0, size));
    frame
}

fn framing(frame: &Frame, options: &Options) -> Camera {
    let aspect = f64::from(options.size[0]) / f64::from(options.size[1]);
    frame.bounds().map_or_else(Camera::default, |bounds| Camera::framing(bounds, aspect))
}

/// A layer painted over the bell, from the apex down.
fn field(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mesh = bell(0.0);
    let (low, high) = mesh.bounds();
    let values: Vec<f64> =
        mesh.positions.iter().map(|x| (1.15 * (high.y - x.y) / (high.y - low.y)).clamp(0.0, 1.0)).collect();
    let paint = Paint::Field { values: &values, map: ColourMap::Layer, range: [0.0, 1.0] };
    picture(folder, "field", &[Shown::mesh(&mesh, paint)], Style::Shaded)
}

/// Several bodies that shade one another.
fn group(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut meshes = [bell(0.3), bar(), cylinder()];
    for (mesh, by) in meshes.iter_mut().zip([dvec3(0.1, 0.35, 0.0), dvec3(0.2, 0.0, -0.9), dvec3(-1.0, 0.0, 0.1)]) {
        mesh.positions.iter_mut().for_each(|x| *x += by);
    }
    let shown: Vec<Shown> =
        meshes.iter().enumerate().map(|(i, mesh)| Shown::mesh(mesh, Paint::Flat(body_colour(i)))).collect();
    picture(folder, "group", &shown, Style::Shaded)?;
    picture(folder, "group-lines", &shown, Style::Lines)
}

/// A pulsing bell as GIF.
fn film(folder: &Path) -> Result<(), Box<dyn Error>> {
    let options = Options { size: [480, 270], ..Options::default() };
    let out = BufWriter::new(File::create(folder.join("bell.gif"))?);
    let mut gif = GifWriter::new(out, options.size, FrameRate::new(24, 1)?)?;
    let rest = bell(0.0);
    let still = grounded(&[Shown::mesh(&rest, Paint::Flat(body_colour(0)))]);
    let camera = framing(&still, &options);
    for i in 0..24 {
        let mesh = bell(sin(f64::from(i) / 24.0 * std::f64::consts::TAU));
        let frame = Frame { meshes: vec![Shown::mesh(&mesh, Paint::Flat(body_colour(0)))], ground: still.ground };
        gif.write(&render(&frame, &camera, &Light::default(), &options)?)?;
    }
    gif.finish()?;
    Ok(())
}

/// Pulsing by `squeeze`, −1 to 1, floating above the ground.
fn bell(squeeze: f64) -> TriangleMesh {
    let mut mesh = skin(&structured::bell(0.5, 0.45, 0.1, 48, 3));
    for x in &mut mesh.positions {
        let down = (0.45 - x.y) / 0.45;
        let narrow = 1.0 - 0.18 * squeeze * down;
        let angle = sinew_math::libm::atan2(x.z, x.x);
        let scallop = 1.0 + 0.035 * down * down * cos(12.0 * angle);
        *x = dvec3(x.x * narrow * scallop, x.y * (1.0 + 0.08 * squeeze) + 0.35, x.z * narrow * scallop);
    }
    mesh
}

/// Standing, bent and twisted.
fn bar() -> TriangleMesh {
    let mut mesh = skin(&structured::bar(dvec3(0.25, 1.2, 0.25), [10, 48, 10]));
    for x in &mut mesh.positions {
        let up = x.y + 0.6;
        let turn = 1.3 * up;
        let (c, s) = (cos(turn), sin(turn));
        *x = dvec3(c * x.x - s * x.z + 0.25 * up * up, up, s * x.x + c * x.z);
    }
    mesh
}

/// Lying on the ground, its middle thicker.
fn cylinder() -> TriangleMesh {
    let mut mesh = skin(&structured::cylinder(0.18, 1.1, 10, 40));
    for x in &mut mesh.positions {
        let fat = 1.0 + 0.35 * cos(x.y / 0.55 * 1.57);
        *x = dvec3(x.y, 0.0, x.x) * dvec3(1.0, 1.0, fat) + DVec3::Y * (x.z * fat + 0.24);
    }
    mesh
}

/// Draped over nothing in particular.
fn cloth() -> TriangleMesh {
    let mut mesh = structured::cloth(1.6, 1.6, [90, 90]);
    for x in &mut mesh.positions {
        let r = (x.x * x.x + x.z * x.z).sqrt();
        let angle = sinew_math::libm::atan2(x.z, x.x);
        let fall = (r * r + 0.02).sqrt() - (r - 0.3).min(0.0).abs() * 0.6;
        let fall = (fall - 0.3).max(0.0);
        x.y = 0.62 - 1.0 * fall * fall * (1.6 + 0.5 * cos(7.0 * angle) * fall) / (0.3 + fall);
        x.y = 0.5 * (x.y + (x.y * x.y + 0.004).sqrt());
        let pull = 1.0 - 0.28 * fall;
        x.x *= pull;
        x.z *= pull;
    }
    mesh
}

/// The boundary of a tet mesh without its inner vertices.
fn skin(tets: &TetMesh) -> TriangleMesh {
    let boundary = tets.boundary();
    let mut number = vec![u32::MAX; tets.positions.len()];
    let mut positions = Vec::new();
    let triangles = boundary
        .iter()
        .map(|corners| {
            corners.map(|v| {
                let slot = &mut number[v as usize];
                if *slot == u32::MAX {
                    *slot = positions.len() as u32;
                    positions.push(tets.positions[v as usize]);
                }
                *slot
            })
        })
        .collect();
    TriangleMesh { positions, triangles }
}
