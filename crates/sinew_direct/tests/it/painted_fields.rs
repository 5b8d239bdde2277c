//! Painted fields on real shapes: layers, directions on them, amplitude and phase.

use sinew_direct::muscle::{
    Action, Axis, Canvas, Fibres, Fields, Method, PaintedFibres, PaintedScalar, Painting, Scalar, Tool,
};
use sinew_geom::structured::{bar, bell, cloth};
use sinew_math::libm::{cos, sin};
use sinew_math::{DMat3, DVec3, dvec3};
use sinew_solve::Flesh;
use std::f64::consts::TAU;
use std::sync::Arc;

const METHODS: [Method; 2] = [Method::Mesh, Method::Rbf];

fn bar_canvas() -> Canvas {
    Canvas::new(Arc::new(Flesh::from_tets(bar(dvec3(2.0, 0.4, 0.4), [20, 4, 4]), 1000.0).unwrap()))
}

fn bell_canvas() -> Canvas {
    Canvas::new(Arc::new(Flesh::from_tets(bell(0.5, 0.45, 0.12, 9, 2), 1000.0).unwrap()))
}

fn flat(at: DVec3, value: f64) -> Action {
    Action { tool: Tool::Flat { at, angle_rad: 40f64.to_radians() }, value }
}

fn stroke(along: Vec<DVec3>, value: f64) -> Action {
    Action { tool: Tool::Stroke { along, end_value: None }, value }
}

fn nothing() -> Painting {
    Painting {
        layer: Vec::new(),
        fibres: PaintedFibres { formula: None, strokes: Vec::new() },
        amplitude: Scalar::Constant(1.0).into(),
        phase: Scalar::Constant(0.0).into(),
        method: Method::Mesh,
        reach_m: None,
    }
}

fn orthonormal(fields: &Fields) {
    for frame in &fields.frames {
        let off = (frame.transpose() * *frame - DMat3::IDENTITY).to_cols_array();
        assert!(off.iter().all(|c| c.abs() < 1e-12), "{frame}");
    }
}

#[test]
fn layers_of_a_bar_run_from_the_painted_top_to_the_painted_bottom() {
    let canvas = bar_canvas();
    for method in METHODS {
        let layer = vec![flat(dvec3(0.1, 0.2, 0.0), 0.0), flat(dvec3(0.1, -0.2, 0.0), 1.0)];
        let fields = Painting { layer, method, ..nothing() }.on(&canvas).unwrap();
        orthonormal(&fields);
        for ((level, frame), x) in fields.layer.as_ref().unwrap().iter().zip(&fields.frames).zip(&canvas.flesh().rest) {
            assert!((level - (0.5 - x.y / 0.4)).abs() < 1e-3, "{method:?} at {x}: {level}");
            assert!(frame.y_axis.distance(DVec3::NEG_Y) < 1e-2, "{method:?} at {x}: {}", frame.y_axis);
        }
    }
}

/// Fig. 3: blue outside, red inside, four strokes around; secondary points through the wall, primary runs around the bell.
#[test]
fn a_bell_is_designed_with_two_fills_and_four_strokes() {
    let canvas = bell_canvas();
    let arc = |height: f64, from: f64, radius: f64| {
        (0..12).map(|i| from + f64::from(i) * 0.1).map(|a| dvec3(radius * cos(a), height, radius * sin(a))).collect()
    };
    let strokes: Vec<Vec<DVec3>> =
        vec![arc(0.22, 0.2, 0.45), arc(0.1, 0.3, 0.49), arc(0.22, 3.4, 0.45), arc(0.1, 3.3, 0.49)];
    for method in METHODS {
        let layer = vec![flat(dvec3(0.0, 0.45, 0.0), 0.0), flat(dvec3(0.0, 0.33, 0.0), 1.0)];
        let fibres = PaintedFibres { formula: None, strokes: strokes.clone() };
        let fields = Painting { layer, fibres, method, ..nothing() }.on(&canvas).unwrap();
        orthonormal(&fields);
        // Above the rim's fold and off the apex, where rings have a direction.
        let checked = canvas.flesh().rest.iter().zip(&fields.frames).filter(|(x, _)| x.y > 0.08 && x.y < 0.3);
        let (mut around, mut through, mut count) = (0.0, 0.0, 0.0);
        for (x, frame) in checked {
            let out = dvec3(x.x, 0.0, x.z).normalize();
            around += frame.x_axis.dot(DVec3::Y.cross(out)).abs();
            through += frame.y_axis.dot(-out);
            count += 1.0;
        }
        println!("{method:?}: around {:.3}, through {:.3}", around / count, through / count);
        assert!(
            count > 100.0 && around / count > if method == Method::Mesh { 0.9 } else { 0.75 } && through / count > 0.8,
            "{method:?}"
        );
    }
}

#[test]
fn a_stroke_and_its_reverse_mean_the_same() {
    let canvas = bar_canvas();
    let forward = vec![dvec3(-0.8, 0.2, -0.1), dvec3(0.8, 0.2, 0.1)];
    let beside: Vec<DVec3> = vec![dvec3(-0.8, -0.2, -0.1), dvec3(0.8, -0.2, 0.1)];
    let backward: Vec<DVec3> = beside.iter().rev().copied().collect();
    for method in METHODS {
        let on = |second: &Vec<DVec3>| {
            let fibres = PaintedFibres { formula: None, strokes: vec![forward.clone(), second.clone()] };
            Painting { fibres, method, ..nothing() }.on(&canvas).unwrap()
        };
        let (a, b) = (on(&beside), on(&backward));
        orthonormal(&a);
        for (f, g) in a.frames.iter().zip(&b.frames) {
            assert!((f.x_axis.dot(g.x_axis).abs() - 1.0).abs() < 1e-9);
            assert!(f.x_axis.dot((forward[1] - forward[0]).normalize()) > 0.98, "{method:?}: {}", f.x_axis);
        }
    }
}

#[test]
fn what_is_not_defined_still_has_a_frame() {
    let canvas = bar_canvas();
    let across = vec![dvec3(0.0, 0.2, -0.2), dvec3(0.0, 0.2, 0.2)];
    let along = vec![dvec3(-0.9, 0.2, 0.0), dvec3(0.9, 0.2, 0.0)];
    let up = vec![dvec3(0.5, -0.2, 0.0), dvec3(0.5, 0.2, 0.0)];
    let paintings = [
        // No paint at all; one value only, so that there is no slope; a slope without strokes.
        (vec![], vec![]),
        (vec![flat(dvec3(0.0, 0.2, 0.0), 0.4)], vec![]),
        (vec![flat(dvec3(0.0, 0.2, 0.0), 0.0), flat(dvec3(0.0, -0.2, 0.0), 1.0)], vec![]),
        // The same outside all around and another inside: no slope in the middle.
        (
            vec![
                Action { tool: Tool::Flat { at: dvec3(0.0, 0.2, 0.0), angle_rad: 2.0 }, value: 0.0 },
                stroke(vec![dvec3(-0.8, 0.0, 0.0), dvec3(0.8, 0.0, 0.0)], 1.0),
            ],
            vec![along.clone()],
        ),
        // Strokes that cross; a stroke along the slope; strokes without length.
        (vec![], vec![along.clone(), across]),
        (vec![flat(dvec3(0.0, 0.2, 0.0), 0.0), flat(dvec3(0.0, -0.2, 0.0), 1.0)], vec![up]),
        (vec![], vec![vec![DVec3::ZERO; 3], vec![], vec![DVec3::X]]),
    ];
    for method in METHODS {
        for (layer, strokes) in &paintings {
            let fibres = PaintedFibres { formula: None, strokes: strokes.clone() };
            let fields = Painting { layer: layer.clone(), fibres, method, ..nothing() }.on(&canvas).unwrap();
            orthonormal(&fields);
        }
    }
    // Without any stroke, fibres run along the body.
    let fields = nothing().on(&canvas).unwrap();
    assert!(fields.frames.iter().all(|frame| frame.x_axis.x.abs() > 0.999));
}

#[test]
fn amplitude_and_phase_are_painted_within_their_bounds() {
    let canvas = bar_canvas();
    for method in METHODS {
        let top_and_bottom = vec![flat(dvec3(0.0, 0.2, 0.0), 1.0), flat(dvec3(0.0, -0.2, 0.0), -1.0)];
        let amplitude = PaintedScalar { formula: None, actions: top_and_bottom };
        let along = vec![dvec3(-1.0, 0.2, 0.0), dvec3(1.0, 0.2, 0.0)];
        let tool = Tool::Stroke { along, end_value: Some(1.0) };
        let phase = PaintedScalar { formula: None, actions: vec![Action { tool, value: 0.0 }] };
        let fields = Painting { amplitude, phase, method, ..nothing() }.on(&canvas).unwrap();
        for ((a, p), x) in fields.amplitude.iter().zip(&fields.phase_shift).zip(&canvas.flesh().rest) {
            assert!((-1.0..=1.0).contains(a) && (a - x.y / 0.2).abs() < 0.01, "{method:?} at {x}: {a}");
            assert!((0.0..=1.0).contains(p) && (p - 0.5 * (x.x + 1.0)).abs() < 0.02, "{method:?} at {x}: {p}");
        }
    }
}

#[test]
fn paint_on_top_of_a_formula_leaves_it_alone_farther_away() {
    let canvas = bar_canvas();
    let formula = Scalar::Along { axis: Axis(DVec3::X), from: 0.0, to: 1.0 };
    let dot = stroke(vec![dvec3(-0.8, 0.2, -0.2), dvec3(-0.8, 0.2, 0.2)], 0.9);
    for method in METHODS {
        let phase = PaintedScalar { formula: Some(formula.clone()), actions: vec![dot.clone()] };
        let fields = Painting { phase, method, reach_m: Some(0.4), ..nothing() }.on(&canvas).unwrap();
        for (p, x) in fields.phase_shift.iter().zip(&canvas.flesh().rest) {
            if x.x > -0.35 {
                assert!((p - 0.5 * (x.x + 1.0)).abs() < 0.05, "{method:?} at {x}: {p}");
            }
            if x.distance(dvec3(-0.8, 0.2, 0.0)) < 0.05 {
                assert!((p - 0.9).abs() < 0.02, "{method:?} at {x}: {p}");
            }
        }
        let fibres = PaintedFibres {
            formula: Some(Fibres::Along(Axis(DVec3::X))),
            strokes: vec![vec![dvec3(-0.8, 0.2, -0.2), dvec3(-0.8, 0.2, 0.2)]],
        };
        let fields = Painting { fibres, method, reach_m: Some(0.4), ..nothing() }.on(&canvas).unwrap();
        orthonormal(&fields);
        for (frame, x) in fields.frames.iter().zip(&canvas.flesh().rest) {
            let across = x.distance(dvec3(-0.8, 0.2, 0.0)) < 0.05;
            let line = if across { DVec3::Z } else { DVec3::X };
            if across || x.x > -0.3 {
                assert!(frame.x_axis.dot(line).abs() > 0.98, "{method:?} at {x}: {}", frame.x_axis);
            }
        }
    }
}

/// Formulas alone give the same bits as before there was paint, on sheets too.
#[test]
fn formulas_without_paint_are_themselves() {
    let sheet = Canvas::new(Arc::new(Flesh::from_shell(&cloth(1.0, 1.0, [8, 8]), 0.2)));
    for canvas in [bell_canvas(), sheet] {
        let fibres = Fibres::Around(Axis(DVec3::Y));
        let phase = Scalar::Along { axis: Axis(DVec3::NEG_X), from: 0.0, to: 1.0 };
        let fields = Painting::of_formulas(fibres.clone(), Scalar::Constant(0.5), phase.clone()).on(&canvas).unwrap();
        assert_eq!(fields.frames, fibres.on(canvas.flesh()));
        assert_eq!(fields.phase_shift, phase.on(canvas.flesh()));
    }
}

#[test]
fn a_sheet_can_be_painted() {
    let canvas = Canvas::new(Arc::new(Flesh::from_shell(&cloth(1.0, 1.0, [12, 12]), 0.2)));
    let ring: Vec<DVec3> =
        (0..=24).map(|i| TAU * f64::from(i) / 24.0).map(|a| dvec3(0.35 * cos(a), 0.0, 0.35 * sin(a))).collect();
    let fibres = PaintedFibres { formula: None, strokes: vec![ring] };
    let phase = PaintedScalar {
        formula: None,
        actions: vec![
            stroke(vec![dvec3(-0.5, 0.0, -0.5), dvec3(-0.5, 0.0, 0.5)], 0.0),
            stroke(vec![dvec3(0.5, 0.0, -0.5), dvec3(0.5, 0.0, 0.5)], 1.0),
        ],
    };
    let fields = Painting { fibres, phase, ..nothing() }.on(&canvas).unwrap();
    orthonormal(&fields);
    for ((frame, p), x) in fields.frames.iter().zip(&fields.phase_shift).zip(&canvas.flesh().rest) {
        assert!((p - (x.x + 0.5)).abs() < 0.01);
        if (x.length() - 0.35).abs() < 0.06 {
            assert!(frame.x_axis.dot(DVec3::Y.cross(x.normalize())).abs() > 0.9, "{x}: {}", frame.x_axis);
        }
    }
}
