//! Draws the built-in cast: `cargo run -p sinew_render --example cast -- FOLDER [NAME…]` writes NAME.png for each member.

use sinew_geom::cast::Member;
use sinew_math::{DVec3, dvec3};
use sinew_render::{Camera, Frame, Ground, Light, Options, Paint, Rgb, Shown, render, write_png};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

const VERTICES: usize = 40_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().unwrap_or_else(|| ".".into()));
    let names: Vec<String> = args.collect();
    for member in Member::ALL {
        if names.is_empty() || names.iter().any(|name| name == member.name()) {
            draw(member, &folder)?;
        }
    }
    Ok(())
}

fn draw(member: Member, folder: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
    let started = std::time::Instant::now();
    let skin = member.skin(VERTICES, None)?;
    println!("{}: {} vertices in {:.1?}", member.name(), skin.mesh.positions.len(), started.elapsed());
    let (low, high) = skin.mesh.bounds();
    let lift = -low.y * DVec3::Y;
    let positions: Vec<DVec3> = skin.mesh.positions.iter().map(|x| *x + lift).collect();
    let colours: Vec<Rgb> = skin.colours.iter().map(|c| Rgb::from_unit(c.map(f64::from))).collect();
    let size = (high - low).length();
    let middle = 0.5 * (low + high) + lift;
    let frame = Frame {
        meshes: vec![Shown::new(&positions, &skin.mesh.triangles, Paint::Vertices(&colours))],
        ground: Some(Ground::for_size(0.0, size)),
    };
    let camera =
        Camera { eye: middle + size * dvec3(0.75, 0.42, 1.35), look_at: middle, up: DVec3::Y, fov_y_deg: 35.0 };
    let image = render(&frame, &camera, &Light::default(), &Options { size: [480, 360], ..Options::default() })?;
    write_png(BufWriter::new(File::create(folder.join(format!("{}.png", member.name())))?), &image)?;
    Ok(())
}
