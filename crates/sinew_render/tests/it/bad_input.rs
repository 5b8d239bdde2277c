//! Whatever is given, there is a picture or a clear error.

use crate::shapes::sphere;
use sinew_math::{DVec3, dvec3};
use sinew_render::{Camera, Frame, Ground, Light, Options, Paint, RenderError, Rgb, Shown, Style, render};

const SMALL: Options = Options { size: [64, 36], style: Style::Shaded, samples: 4 };

fn shown<'a>(positions: &'a [DVec3], triangles: &'a [[u32; 3]]) -> Frame<'a> {
    let meshes = vec![Shown::new(positions, triangles, Paint::Flat(Rgb(200, 200, 200)))];
    Frame { meshes, ground: Some(Ground::for_size(0.0, 1.0)) }
}

fn outcome(frame: &Frame) -> Result<(), RenderError> {
    for style in [Style::Shaded, Style::Lines] {
        let options = Options { style, ..SMALL };
        render(frame, &Camera::default(), &Light::default(), &options)?;
    }
    Ok(())
}

#[test]
fn faults_are_named() {
    let corners = [DVec3::ZERO, DVec3::X, dvec3(0.0, f64::NAN, 0.0)];
    assert_eq!(outcome(&shown(&corners, &[[0, 1, 2]])), Err(RenderError::VertexNotFinite { mesh: 0, vertex: 2 }));
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(
        outcome(&shown(&corners, &[[0, 1, 2], [0, 1, 3]])),
        Err(RenderError::VertexOutOfRange { mesh: 0, triangle: 1, vertex: 3, vertex_count: 3 })
    );
    let mut frame = shown(&corners, &[[0, 1, 2]]);
    frame.meshes[0].paint = Paint::Vertices(&[]);
    assert_eq!(outcome(&frame), Err(RenderError::ColourCount { mesh: 0, vertex_count: 3, colour_count: 0 }));
    frame = shown(&corners, &[[0, 1, 2]]);
    frame.ground = Some(Ground { height_m: 0.0, cell_m: 0.0, axes: true });
    assert!(matches!(outcome(&frame), Err(RenderError::Ground(_))));
    let good = shown(&corners, &[[0, 1, 2]]);
    for size in [[0, 5], [5, 0], [1_000_000, 5]] {
        let options = Options { size, ..SMALL };
        assert!(matches!(
            render(&good, &Camera::default(), &Light::default(), &options),
            Err(RenderError::Size { .. })
        ));
    }
    let dark = Light { direction: DVec3::ZERO, ..Light::default() };
    assert!(matches!(render(&good, &Camera::default(), &dark, &SMALL), Err(RenderError::Light(_))));
}

#[test]
fn odd_geometry_still_gives_a_picture() {
    let point = [dvec3(0.0, 0.5, 0.0); 3];
    let line = [DVec3::ZERO, DVec3::Y, 2.0 * DVec3::Y];
    let far = [dvec3(1e150, 0.0, 0.0), dvec3(0.0, 1e150, 0.0), dvec3(0.0, 0.0, -1e150)];
    let through = [dvec3(-50.0, 0.5, 50.0), dvec3(50.0, 0.5, 50.0), dvec3(0.0, 0.5, -50.0)];
    for corners in [&point, &line, &far, &through] {
        outcome(&shown(corners, &[[0, 1, 2]])).unwrap();
        outcome(&shown(corners, &[[0, 0, 0], [1, 1, 2]])).unwrap();
        outcome(&shown(corners, &[])).unwrap();
    }
    outcome(&shown(&[], &[])).unwrap();
    outcome(&Frame::default()).unwrap();
}

#[test]
fn odd_lights_and_cameras_still_give_a_picture() {
    let ball = sphere(dvec3(0.0, 0.5, 0.0), 0.4, 8);
    let frame = shown(&ball.positions, &ball.triangles);
    for direction in [DVec3::NEG_Y, DVec3::X, 1e-200 * DVec3::Y + 1e-100 * DVec3::X, 1e100 * DVec3::ONE] {
        for softness_deg in [0.0, 60.0] {
            let light = Light { direction, softness_deg, strength: 5.0, ..Light::default() };
            render(&frame, &Camera::default(), &light, &SMALL).unwrap();
        }
    }
    for eye in [dvec3(0.0, 9.0, 0.0), dvec3(0.0, -3.0, 0.0), dvec3(0.0, 0.0, 2.0), dvec3(0.0, 0.5, 1e-9)] {
        let camera = Camera { eye, look_at: dvec3(0.0, 0.5, 0.0), ..Camera::default() };
        render(&frame, &camera, &Light::default(), &SMALL).unwrap();
    }
    let flat = Options { size: [300, 1], ..SMALL };
    render(&frame, &Camera::default(), &Light::default(), &flat).unwrap();
}
