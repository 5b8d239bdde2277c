//! Same input, same bytes.

use crate::shapes::sphere;
use sinew_math::dvec3;
use sinew_render::{
    Camera, Frame, FrameRate, GifWriter, Ground, Image, Light, Options, Paint, Rgb, Shown, Style, render,
};

fn picture(style: Style, samples: u32) -> Image {
    let ball = sphere(dvec3(0.1, 0.5, -0.2), 0.4, 24);
    let other = sphere(dvec3(0.7, 0.3, 0.2), 0.3, 17);
    let meshes =
        vec![Shown::mesh(&ball, Paint::Flat(Rgb(200, 150, 90))), Shown::mesh(&other, Paint::Flat(Rgb(90, 150, 200)))];
    let frame = Frame { meshes, ground: Some(Ground::for_size(0.0, 1.0)) };
    let options = Options { size: [200, 130], style, samples };
    render(&frame, &Camera::default(), &Light::default(), &options).unwrap()
}

#[test]
fn every_run_and_every_thread_makes_the_same_bytes() {
    for (style, samples) in [(Style::Shaded, 16), (Style::Shaded, 4), (Style::Lines, 8)] {
        let first = picture(style, samples);
        let others: Vec<Image> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| picture(style, samples))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(others.iter().all(|other| *other == first));
    }
}

#[test]
fn a_gif_is_the_same_bytes_every_time() {
    let write = || {
        let mut gif = GifWriter::new(Vec::new(), [200, 130], FrameRate::new(24, 1).unwrap()).unwrap();
        gif.write(&picture(Style::Shaded, 8)).unwrap();
        gif.write(&picture(Style::Lines, 8)).unwrap();
        gif.finish().unwrap()
    };
    assert_eq!(write(), write());
}
