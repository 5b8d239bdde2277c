//! Draws the built-in models: `cargo run -p sinew_render --example cast -- FOLDER [NAME…]` writes NAME.png for each. The
//! pictures of the book are made with it.

use sinew_geom::cast::Member;
use sinew_geom::{TetMesh, TriangleMesh, structured};
use sinew_math::{DVec3, dvec3};
use sinew_render::{Camera, Frame, Ground, Light, Options, Paint, Rgb, Shown, body_colour, render, write_png};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

const VERTICES: usize = 40_000;
const SIZE: [u32; 2] = [480, 360];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap_or_else(|| ".".into()));
    let names: Vec<String> = args.collect();
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let solids = [
        ("bar", surface(&structured::bar(dvec3(1.0, 0.2, 0.2), [20, 4, 4]))),
        ("cylinder", surface(&structured::cylinder(0.2, 1.0, 10, 40))),
        ("cloth", structured::cloth(1.0, 1.0, [30, 30])),
        ("bell", surface(&structured::bell(0.5, 0.45, 0.1, 40, 2))),
    ];
    for (n, (name, mesh)) in solids.into_iter().enumerate().filter(|(_, (name, _))| is_wanted(name)) {
        let colours = vec![body_colour(n); mesh.positions.len()];
        draw(name, &mesh, &colours, &folder)?;
    }
    for member in Member::ALL.into_iter().filter(|member| is_wanted(member.name())) {
        let skin = member.skin(VERTICES, None)?;
        let colours: Vec<Rgb> = skin.colours.iter().map(|c| Rgb::from_unit(c.map(f64::from))).collect();
        draw(member.name(), &skin.mesh, &colours, &folder)?;
    }
    Ok(())
}

fn surface(mesh: &TetMesh) -> TriangleMesh {
    TriangleMesh { positions: mesh.positions.clone(), triangles: mesh.boundary() }
}

fn draw(name: &str, mesh: &TriangleMesh, colours: &[Rgb], folder: &Path) -> Result<(), Box<dyn Error>> {
    let (low, high) = mesh.bounds();
    // Flat things float a little, so that they have a shadow.
    let lift = (0.02 * (high - low).length() - low.y) * DVec3::Y;
    let positions: Vec<DVec3> = mesh.positions.iter().map(|x| *x + lift).collect();
    let frame = Frame {
        meshes: vec![Shown::new(&positions, &mesh.triangles, Paint::Vertices(colours))],
        ground: Some(Ground::for_size(0.0, (high - low).length())),
    };
    let image = render(&frame, &fitted(&positions), &Light::default(), &Options { size: SIZE, ..Options::default() })?;
    write_png(BufWriter::new(File::create(folder.join(format!("{name}.png")))?), &image)?;
    Ok(())
}

/// Stands as near as it may with everything in the picture.
fn fitted(positions: &[DVec3]) -> Camera {
    const FOV_Y_DEG: f64 = 30.0;
    /// Share of the picture's half height and half width that may be filled.
    const FILLED: f64 = 0.84;
    let away = dvec3(0.55, 0.36, 1.0).normalize();
    let right = DVec3::Y.cross(away).normalize();
    let up = away.cross(right);
    let half_y = FILLED * (FOV_Y_DEG.to_radians() * 0.5).tan();
    let half_x = half_y * f64::from(SIZE[0]) / f64::from(SIZE[1]);
    // Across the picture, the middle of what is seen; then back until both sides fit.
    let middle = |axis: DVec3| {
        let along = positions.iter().map(|x| x.dot(axis));
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        axis * 0.5 * (low + high)
    };
    let look_at = middle(right) + middle(up) + middle(away);
    let far = |x: &DVec3| {
        let x = *x - look_at;
        x.dot(away) + (x.dot(right).abs() / half_x).max(x.dot(up).abs() / half_y)
    };
    let distance = positions.iter().map(far).fold(0.0, f64::max);
    Camera { eye: look_at + away * distance, look_at, up: DVec3::Y, fov_y_deg: FOV_Y_DEG }
}
