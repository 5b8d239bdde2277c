//! Light and shadow behave as they should.

use crate::shapes::{sphere, tone};
use sinew_math::{DVec3, dvec3};
use sinew_render::{Camera, Frame, Ground, Image, Light, Options, Paint, Rgb, Shown, render};

/// Straight down, so that a metre of ground is the same number of pixels everywhere.
const ABOVE: Camera =
    Camera { eye: DVec3::new(0.0, 20.0, 0.0), look_at: DVec3::ZERO, up: DVec3::NEG_Z, fov_y_deg: 20.0 };
const PIXELS_PER_METRE: f64 = 180.0 / (20.0 * 0.176_326_980_708_464_98);

fn ball_above_ground(height_m: f64, light: &Light) -> Image {
    let ball = sphere(dvec3(0.0, height_m, 0.0), 0.4, 32);
    let ground = Some(Ground { height_m: 0.0, cell_m: 1000.0, axes: false });
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(200, 200, 200)))], ground };
    render(&frame, &ABOVE, light, &Options::default()).unwrap()
}

/// Tones of the ground along +x from the middle, `from_m` to `to_m`.
fn ground_tones(image: &Image, from_m: f64, to_m: f64) -> Vec<f64> {
    let column = |metres: f64| (320.0 + metres * PIXELS_PER_METRE) as u32;
    (column(from_m)..column(to_m)).map(|x| (176..=184).map(|y| tone(image.pixel(x, y))).sum::<f64>() / 9.0).collect()
}

fn slanted(softness_deg: f64) -> Light {
    Light { direction: dvec3(-1.0, 1.0, 0.0), softness_deg, strength: 1.0, ..Light::default() }
}

#[test]
fn the_shadow_falls_where_the_light_throws_it() {
    // Light from −x at 45°: a ball one metre up has its shadow one metre along +x.
    let image = ball_above_ground(1.0, &slanted(4.0));
    let shadow = ground_tones(&image, 0.9, 1.1);
    let lit = ground_tones(&image, 2.6, 2.9);
    let mean = |tones: &[f64]| tones.iter().sum::<f64>() / tones.len() as f64;
    assert!(mean(&shadow) < 0.62 * mean(&lit), "shadow {} lit {}", mean(&shadow), mean(&lit));
    let other_side: Vec<f64> = (60..100).map(|x| tone(image.pixel(x, 180))).collect();
    assert!((mean(&other_side) - mean(&ground_tones(&image, 3.9, 4.2))).abs() < 8.0);
}

#[test]
fn shadows_are_sharper_near_contact_and_for_small_lamps() {
    // Width of the passage from 20 % to 80 % of the light at the far end of the shadow.
    let passage = |height_m: f64, softness_deg: f64| {
        let image = ball_above_ground(height_m, &slanted(softness_deg));
        let tones = ground_tones(&image, height_m + 0.1, height_m + 2.4);
        let (dark, bright) = (tones[0], tones[tones.len() - 1]);
        let share = |tone: f64| (tone - dark) / (bright - dark);
        let last_dark = tones.iter().rposition(|t| share(*t) < 0.2).unwrap();
        let first_bright = tones.iter().position(|t| share(*t) > 0.8).unwrap();
        first_bright as f64 - last_dark as f64
    };
    let (sharp, soft, far) = (passage(0.6, 2.0), passage(0.6, 10.0), passage(1.6, 10.0));
    assert!(soft > 1.5 * sharp, "lamp 2°: {sharp} px, 10°: {soft} px");
    assert!(far > 1.4 * soft, "0.6 m up: {soft} px, 1.6 m up: {far} px");
}

#[test]
fn the_ground_darkens_around_contact() {
    let light = Light { direction: DVec3::Y, softness_deg: 2.0, strength: 1.0, ..Light::default() };
    let resting = ball_above_ground(0.4, &light);
    let (near, away) = (ground_tones(&resting, 0.45, 0.5)[0], ground_tones(&resting, 1.8, 1.85)[0]);
    assert!(near < 0.95 * away, "near {near} away {away}");
}

#[test]
fn the_side_towards_the_light_is_brighter() {
    let ball = sphere(DVec3::ZERO, 1.0, 48);
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(180, 180, 180)))], ground: None };
    let camera = Camera { eye: dvec3(0.0, 0.0, 5.0), look_at: DVec3::ZERO, ..Camera::default() };
    for side in [-1.0, 1.0] {
        let light = Light { direction: dvec3(2.0 * side, 0.6, 0.8), ..Light::default() };
        let image = render(&frame, &camera, &light, &Options::default()).unwrap();
        let at = |offset: f64| tone(image.pixel((320.0 + side * offset) as u32, 180));
        assert!(at(60.0) > 1.4 * at(-60.0), "{} {}", at(60.0), at(-60.0));
    }
}

#[test]
fn the_lamps_colour_strength_and_the_ambient_light_are_seen() {
    let ball = sphere(DVec3::ZERO, 1.0, 24);
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(150, 150, 150)))], ground: None };
    let camera = Camera { eye: dvec3(0.0, 0.0, 5.0), look_at: DVec3::ZERO, ..Camera::default() };
    let middle = |light: Light| {
        let image = render(&frame, &camera, &light, &Options { size: [64, 36], ..Options::default() }).unwrap();
        image.pixel(32, 18)
    };
    let usual = middle(Light::default());
    assert!(tone(middle(Light { strength: 0.3, ..Light::default() })) < 0.8 * tone(usual));
    assert!(tone(middle(Light { ambient: 1.0, ..Light::default() })) > 1.1 * tone(usual));
    let red = middle(Light { colour: Some(Rgb(255, 60, 40)), ..Light::default() });
    assert!(f64::from(red.0) > 1.3 * f64::from(red.2), "{red:?}");
}

#[test]
fn a_convex_body_does_not_shade_its_own_lit_side() {
    // Without a ball nothing blocks light, so a sphere lit from the camera is as bright as its normals say: tones
    // fall steadily from the middle outwards, without the stripes of self-shadowing.
    let ball = sphere(DVec3::ZERO, 1.0, 64);
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(160, 160, 160)))], ground: None };
    let camera = Camera { eye: dvec3(0.0, 0.0, 5.0), look_at: DVec3::ZERO, ..Camera::default() };
    let light = Light { direction: DVec3::Z, ..Light::default() };
    let image = render(&frame, &camera, &light, &Options::default()).unwrap();
    let tones: Vec<f64> = (0..70).map(|i| tone(image.pixel(320 - i, 180))).collect();
    assert!(tones.windows(2).all(|pair| pair[1] < pair[0] + 1.5), "{tones:?}");
}

#[test]
fn pictures_do_not_depend_on_scale() {
    let picture = |scale: f64| {
        let ball = sphere(dvec3(0.0, 0.5, 0.0) * scale, 0.4 * scale, 24);
        let ground = Some(Ground { height_m: 0.0, cell_m: scale, axes: true });
        let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(200, 150, 90)))], ground };
        let camera = Camera::framing(frame.bounds().unwrap(), 16.0 / 9.0);
        let options = Options { size: [160, 90], ..Options::default() };
        render(&frame, &camera, &Light::default(), &options).unwrap()
    };
    let metre = picture(1.0);
    for scale in [1e-6, 1e6] {
        let other = picture(scale);
        let differences = metre.pixels().zip(other.pixels()).map(|(a, b)| (tone(a) - tone(b)).abs());
        let worst = differences.fold(0.0, f64::max);
        assert!(worst < 12.0, "scale {scale}: tones differ by {worst}");
    }
}
