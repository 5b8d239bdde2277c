//! Files read back by their formats' readers hold what was written.

use crate::shapes::sphere;
use sinew_math::dvec3;
use sinew_render::{
    ApngWriter, Camera, Frame, FrameRate, GifWriter, Ground, Image, Light, Options, Paint, Rgb, Shown, WriteError,
    render, write_png,
};
use std::io::Cursor;

const SIZE: [u32; 2] = [200, 120];

/// A ball on its way across the picture.
fn film(frames: u32) -> Vec<Image> {
    let camera = Camera { eye: dvec3(0.0, 1.0, 4.0), look_at: dvec3(0.0, 0.4, 0.0), ..Camera::default() };
    let options = Options { size: SIZE, samples: 8, ..Options::default() };
    let frame_at = |i: u32| {
        let ball = sphere(dvec3(-0.8 + 0.12 * f64::from(i), 0.4, 0.0), 0.4, 20);
        let meshes = vec![Shown::mesh(&ball, Paint::Flat(Rgb(207, 169, 220)))];
        let frame = Frame { meshes, ground: Some(Ground::for_size(0.0, 1.0)) };
        render(&frame, &camera, &Light::default(), &options).unwrap()
    };
    (0..frames).map(frame_at).collect()
}

fn rgb_bytes(image: &Image) -> Vec<u8> {
    image.pixels().flat_map(|c| [c.0, c.1, c.2]).collect()
}

#[test]
fn a_png_holds_every_pixel() {
    let image = film(1).remove(0);
    let mut file = Vec::new();
    write_png(&mut file, &image).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([info.width, info.height], SIZE);
    assert_eq!(bytes, rgb_bytes(&image));
}

#[test]
fn an_animated_png_holds_every_pixel_of_every_frame_and_its_time() {
    let images = film(4);
    let mut file = Vec::new();
    let mut apng = ApngWriter::new(&mut file, SIZE, FrameRate::new(24_000, 1001).unwrap(), 4).unwrap();
    for image in &images {
        apng.write(image).unwrap();
    }
    apng.finish().unwrap();
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
    for image in &images {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        assert_eq!(bytes, rgb_bytes(image));
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (1001, 24_000));
    }
}

#[test]
fn an_animated_png_keeps_its_word_on_the_number_of_frames() {
    let image = film(1).remove(0);
    let rate = FrameRate::new(24, 1).unwrap();
    let mut apng = ApngWriter::new(Vec::new(), SIZE, rate, 2).unwrap();
    apng.write(&image).unwrap();
    assert!(matches!(apng.finish(), Err(WriteError::FrameCount { expected: 2, written: 1 })));
    let mut apng = ApngWriter::new(Vec::new(), SIZE, rate, 1).unwrap();
    apng.write(&image).unwrap();
    assert!(matches!(apng.write(&image), Err(WriteError::FrameCount { expected: 1, written: 2 })));
}

/// Canvases as a viewer would show them, and the delays in hundredths of a second.
fn play_gif(file: &[u8]) -> (Vec<Vec<Rgb>>, Vec<u16>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(file).unwrap();
    let (width, height) = (usize::from(reader.width()), usize::from(reader.height()));
    let mut canvas = vec![Rgb(0, 0, 0); width * height];
    let (mut shown, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = reader.read_next_frame().unwrap() {
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            if pixel[3] > 0 {
                canvas[(y + usize::from(frame.top)) * width + x + usize::from(frame.left)] =
                    Rgb(pixel[0], pixel[1], pixel[2]);
            }
        }
        shown.push(canvas.clone());
        delays.push(frame.delay);
    }
    (shown, delays)
}

fn write_gif(images: &[Image], rate: (u32, u32)) -> Vec<u8> {
    let mut gif = GifWriter::new(Vec::new(), SIZE, FrameRate::new(rate.0, rate.1).unwrap()).unwrap();
    for image in images {
        gif.write(image).unwrap();
    }
    gif.finish().unwrap()
}

#[test]
fn a_gif_shows_every_frame_within_a_few_bytes_a_channel() {
    let images = film(12);
    let (shown, _) = play_gif(&write_gif(&images, (24, 1)));
    assert_eq!(shown.len(), images.len());
    for (frame, (canvas, image)) in shown.iter().zip(&images).enumerate() {
        let off = |a: &Rgb, b: Rgb| a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2));
        let mut errors: Vec<u8> = canvas.iter().zip(image.pixels()).map(|(a, b)| off(a, b)).collect();
        errors.sort_unstable();
        let mean = errors.iter().map(|e| f64::from(*e)).sum::<f64>() / errors.len() as f64;
        let [most, worst] = [errors[errors.len() * 99 / 100], errors[errors.len() - 1]];
        // Single pixels on an outline mix body and backdrop; tones inside a surface are met closely.
        assert!(mean < 1.0 && most <= 4 && worst <= 24, "frame {frame}: mean {mean}, 99 % {most}, worst {worst}");
    }
}

#[test]
fn a_slow_gradient_has_no_band_wider_than_its_own_steps() {
    // The backdrop alone: a band would be a run of one colour much longer than the picture's own runs.
    let options = Options { size: SIZE, ..Options::default() };
    let image = render(&Frame::default(), &Camera::default(), &Light::default(), &options).unwrap();
    let (shown, _) = play_gif(&write_gif(std::slice::from_ref(&image), (24, 1)));
    let worst = shown[0].iter().zip(image.pixels()).map(|(a, b)| a.0.abs_diff(b.0)).max().unwrap();
    assert!(worst <= 1, "{worst}");
}

#[test]
fn gif_delays_keep_the_film_at_its_length() {
    let images = film(12);
    for (rate, seconds) in [((24, 1), 0.5), ((24_000, 1001), 0.5005), ((30, 1), 0.4), ((60, 1), 0.2), ((120, 1), 0.1)] {
        let (shown, delays) = play_gif(&write_gif(&images, rate));
        let total: u16 = delays.iter().sum();
        assert!((f64::from(total) / 100.0 - seconds).abs() <= 0.0051, "{rate:?}: {delays:?}");
        assert!(delays.iter().all(|delay| *delay >= 2), "browsers slow shorter delays down: {delays:?}");
        assert_eq!(shown.len() < images.len(), rate.0 / rate.1 > 50, "frames are left out only above 50 a second");
    }
}

#[test]
fn still_parts_of_a_film_cost_almost_nothing() {
    let images = film(1);
    let once = write_gif(&images, (24, 1)).len();
    let often = write_gif(&vec![images[0].clone(); 20], (24, 1)).len();
    assert!(often < once + 20 * 100, "{once} bytes once, {often} bytes twenty times");
}

#[test]
fn a_cut_to_other_colours_gets_its_own_palette() {
    let mut images = film(2);
    // Every red becomes blue: no colour of the first frames fits.
    let mut other = images[1].clone();
    other.rgba.chunks_exact_mut(4).for_each(|p| p.swap(0, 1));
    images.push(other);
    let (shown, _) = play_gif(&write_gif(&images, (24, 1)));
    let worst = shown[2].iter().zip(images[2].pixels()).map(|(a, b)| a.1.abs_diff(b.1)).max().unwrap();
    assert!(worst <= 14, "{worst}");
}

#[test]
fn wrong_sizes_and_empty_films_are_refused() {
    let rate = FrameRate::new(24, 1).unwrap();
    let small = Image::filled(3, 3, Rgb(1, 2, 3));
    assert!(matches!(GifWriter::new(Vec::new(), [0, 5], rate), Err(WriteError::GifSize { .. })));
    assert!(matches!(GifWriter::new(Vec::new(), [70_000, 5], rate), Err(WriteError::GifSize { .. })));
    let mut gif = GifWriter::new(Vec::new(), SIZE, rate).unwrap();
    assert!(matches!(gif.write(&small), Err(WriteError::Size { .. })));
    assert!(matches!(gif.finish(), Err(WriteError::FrameCount { .. })));
    let torn = Image { rgba: vec![0; 5], ..small };
    assert!(matches!(write_png(Vec::new(), &torn), Err(WriteError::Size { .. })));
}
