//! What is seen, and where: silhouettes, hiding, edges.

use crate::shapes::{differing, sphere, tone};
use sinew_geom::TriangleMesh;
use sinew_math::{DVec3, dvec3};
use sinew_render::{Camera, ColourMap, Frame, Light, Options, Paint, Rgb, Shown, Style, render};

const AHEAD: Camera = Camera { eye: DVec3::new(0.0, 0.0, 4.0), look_at: DVec3::ZERO, up: DVec3::Y, fov_y_deg: 40.0 };

#[test]
fn a_spheres_silhouette_has_its_area() {
    let (radius_m, distance_m) = (1.0_f64, 4.0_f64);
    let ball = sphere(DVec3::ZERO, radius_m, 96);
    let options = Options { samples: 1, ..Options::default() };
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(250, 250, 250)))], ground: None };
    let with = render(&frame, &AHEAD, &Light::default(), &options).unwrap();
    let without = render(&Frame::default(), &AHEAD, &Light::default(), &options).unwrap();
    // Tangents from the eye touch the sphere at sin α = r/d, so its outline has radius f tan α.
    let focal_px = 180.0 / 20.0_f64.to_radians().tan();
    let outline_px = focal_px * radius_m / (distance_m * distance_m - radius_m * radius_m).sqrt();
    let exact = std::f64::consts::PI * outline_px * outline_px;
    let seen = differing(&with, &without) as f64;
    assert!((seen / exact - 1.0).abs() < 0.01, "{seen} pixels, exactly {exact:.0}");
}

#[test]
fn nearer_hides_farther_whatever_the_order() {
    let near = sphere(dvec3(0.0, 0.0, 1.0), 0.4, 24);
    let far = sphere(dvec3(0.0, 0.0, -1.0), 0.9, 24);
    let red = Shown::mesh(&near, Paint::Flat(Rgb(230, 30, 30)));
    let blue = Shown::mesh(&far, Paint::Flat(Rgb(30, 30, 230)));
    for meshes in [vec![red.clone(), blue.clone()], vec![blue, red]] {
        let image = render(&Frame { meshes, ground: None }, &AHEAD, &Light::default(), &Options::default()).unwrap();
        let middle = image.pixel(320, 180);
        let beside = image.pixel(320, 180 - 78);
        assert!(middle.0 > 2 * middle.2, "the near red ball is in the middle: {middle:?}");
        assert!(beside.2 > 2 * beside.0, "the far blue ball shows around it: {beside:?}");
    }
}

#[test]
fn the_ground_hides_what_is_below_it() {
    let below = sphere(dvec3(0.0, -1.0, 0.0), 0.5, 24);
    let camera = Camera { eye: dvec3(0.0, 2.0, 4.0), ..AHEAD };
    let ground = Some(sinew_render::Ground::for_size(0.0, 1.0));
    let meshes = vec![Shown::mesh(&below, Paint::Flat(Rgb(255, 0, 0)))];
    let image = render(&Frame { meshes, ground }, &camera, &Light::default(), &Options::default()).unwrap();
    let reddest = image.pixels().map(|c| i32::from(c.0) - i32::from(c.2)).max().unwrap();
    // The red axis of the ground is as red as anything gets.
    assert!(reddest < 120, "{reddest}");
}

#[test]
fn a_slanted_edge_passes_through_as_many_tones_as_there_are_samples() {
    // An edge that moves by one pixel over many rows: each pixel column beside it fades evenly.
    let mesh = TriangleMesh::new(
        vec![dvec3(-9.0, -9.0, 0.0), dvec3(-0.05, -9.0, 0.0), dvec3(0.05, 9.0, 0.0), dvec3(-9.0, 9.0, 0.0)],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let frame = Frame { meshes: vec![Shown::mesh(&mesh, Paint::Flat(Rgb(250, 250, 250)))], ground: None };
    for (samples, tones) in [(4, 5), (8, 9), (16, 17)] {
        let options = Options { samples, ..Options::default() };
        let image = render(&frame, &AHEAD, &Light::default(), &options).unwrap();
        let mut seen: Vec<i64> = (0..360).map(|row| (tone(image.pixel(320, row)) / 4.0).round() as i64).collect();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() + 1 >= tones, "{samples} samples: tones {seen:?}");
    }
}

#[test]
fn geometry_around_and_behind_the_camera_is_cut_off() {
    // The camera is inside the ball: its inner side fills the picture.
    let ball = sphere(AHEAD.eye, 1.0, 16);
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(240, 200, 40)))], ground: None };
    let options = Options { size: [160, 90], ..Options::default() };
    let image = render(&frame, &AHEAD, &Light::default(), &options).unwrap();
    assert!(image.pixels().all(|c| i32::from(c.0) > i32::from(c.2) + 8));
}

#[test]
fn a_field_is_coloured_by_its_map() {
    let sheet = TriangleMesh::new(
        vec![dvec3(-1.0, -1.0, 0.0), dvec3(1.0, -1.0, 0.0), dvec3(1.0, 1.0, 0.0), dvec3(-1.0, 1.0, 0.0)],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let values = [-1.0, 1.0, 1.0, -1.0];
    let paint = Paint::Field { values: &values, map: ColourMap::Signed, range: [-1.0, 1.0] };
    let frame = Frame { meshes: vec![Shown::mesh(&sheet, paint)], ground: None };
    let image = render(&frame, &AHEAD, &Light::default(), &Options::default()).unwrap();
    let [left, middle, right] = [210, 320, 430].map(|x| image.pixel(x, 180));
    assert!(left.2 > left.0 + 60, "blue at −1: {left:?}");
    assert!(right.0 > right.2 + 60, "red at 1: {right:?}");
    assert!(middle.0.abs_diff(middle.2) < 25, "grey at 0: {middle:?}");
}

#[test]
fn lines_show_outlines_on_paper() {
    let ball = sphere(DVec3::ZERO, 1.0, 48);
    let frame = Frame { meshes: vec![Shown::mesh(&ball, Paint::Flat(Rgb(120, 170, 230)))], ground: None };
    let options = Options { style: Style::Lines, ..Options::default() };
    let image = render(&frame, &AHEAD, &Light::default(), &options).unwrap();
    let row: Vec<f64> = (0..640).map(|x| tone(image.pixel(x, 180))).collect();
    let dark: Vec<usize> = (0..640).filter(|&x| row[x] < 130.0).collect();
    let outline_px = 180.0 / 20.0_f64.to_radians().tan() / 15.0_f64.sqrt();
    assert!(!dark.is_empty() && dark.len() <= 6, "two thin lines, not {dark:?} in {:?}", &row[185..200]);
    assert!(dark.iter().all(|&x| ((x as f64 + 0.5 - 320.0).abs() - outline_px).abs() < 2.0), "{dark:?} {outline_px}");
    assert!(row[5] > 225.0 && row[320] > 190.0, "paper outside, a light tint inside");
}
