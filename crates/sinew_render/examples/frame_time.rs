//! The time a user waits for: a skin of 20,000 vertices at 640×360 on one core.

use sinew_geom::structured;
use sinew_render::{Camera, Frame, Ground, Light, Options, Paint, Shown, body_colour, render};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bell = structured::bell(0.5, 0.45, 0.1, 57, 1);
    let positions: Vec<_> = bell.positions.iter().map(|x| *x + 0.3 * sinew_math::DVec3::Y).collect();
    let triangles = bell.boundary();
    let frame = Frame {
        meshes: vec![Shown::new(&positions, &triangles, Paint::Flat(body_colour(0)))],
        ground: Some(Ground::for_size(0.0, 1.0)),
    };
    let camera = frame.bounds().map_or_else(Camera::default, |bounds| Camera::framing(bounds, 16.0 / 9.0));
    for samples in [4, 8, 16] {
        let options = Options { samples, ..Options::default() };
        let mut times_ms = Vec::new();
        for _ in 0..15 {
            let began = Instant::now();
            render(&frame, &camera, &Light::default(), &options)?;
            times_ms.push(1e3 * began.elapsed().as_secs_f64());
        }
        times_ms.sort_by(f64::total_cmp);
        let (vertices, median, best) = (positions.len(), times_ms[7], times_ms[0]);
        println!("{vertices} vertices, {samples} samples: median {median:.1} ms, best {best:.1} ms");
    }
    Ok(())
}
