//! One picture of 640 × 360 of a skin of 20,000 vertices, on one core: smooth shading, soft shadow, anti-aliasing; against
//! matplotlib, which does none of these.

use super::surface::bumpy_ball;
use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use sinew::math::{DVec3, dvec3};
use sinew::render::{Camera, Frame, Ground, Light, Options, Paint, Shown, body_colour, render};

const AROUND: usize = 200;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut surface = bumpy_ball(AROUND);
    surface.positions.iter_mut().for_each(|x| *x += dvec3(0.0, 1.2, 0.0));
    let bounds = surface.bounds();
    let frame = Frame {
        meshes: vec![Shown::mesh(&surface, Paint::Flat(body_colour(0)))],
        ground: Some(Ground::for_size(0.0, (bounds.1 - bounds.0).length())),
    };
    let camera = Camera::framing((bounds.0.min(DVec3::ZERO), bounds.1), 16.0 / 9.0);
    let options = Options { size: [640, 360], ..Options::default() };
    let picture = || render(&frame, &camera, &Light::default(), &options);
    picture()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let name = format!("picture 640 × 360 of {} vertices, 1 thread", surface.positions.len());
    let ours = || pool.install(|| median_ms(9, || drop(std::hint::black_box(picture()))));
    Ok(vec![in_turns(name, "matplotlib 3.11, flat, no shadow", ours, || peers.picture_ms(&surface))])
}
