//! Painted fields, distances and cross-sections on real meshes as users bring them.
//!
//! They lie beside a developer's checkout (or where `SINEW_MODELS` says) and are no part of it; without them these tests say so and
//! pass, unless `SINEW_STRICT` is set.

use crate::beside::model;
use sinew_direct::muscle::{Action, Canvas, Method, PaintedFibres, PaintedScalar, Painting, Scalar, Tool};
use sinew_geom::distance::{SurfaceDistance, TriangleTree};
use sinew_geom::section::{Cut, Section};
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_geom::{TetMesh, TriangleMesh, manifold};
use sinew_io::{read_surface, read_tets};
use sinew_math::{DMat3, DVec3};
use sinew_solve::{Cells, Flesh};
use std::sync::Arc;

/// Flesh of about 1500 points, one metre tall.
fn flesh(name: &str) -> Option<Arc<Flesh>> {
    let path = model(name)?;
    let mesh = if name.ends_with(".mesh") {
        read_tets(&path).unwrap().into_mesh().unwrap().0
    } else {
        let file = read_surface(&path).unwrap();
        let surface = TriangleMesh::new(file.positions, file.triangles).unwrap();
        stuff(&SurfaceDistance::new(&surface), Fineness::Vertices(1500)).unwrap().mesh
    };
    let (low, high) = TriangleMesh { positions: mesh.positions.clone(), triangles: Vec::new() }.bounds();
    let positions = mesh.positions.iter().map(|x| (*x - low) / (high - low).y).collect();
    Some(Arc::new(Flesh::from_tets(TetMesh { positions, tets: mesh.tets }, 1000.0).unwrap()))
}

const MODELS: [&str; 6] = ["bunny.off", "spot.obj", "cow.obj", "snail.obj", "armadillo.obj", "octopus-low.mesh"];

/// The points farthest apart along an axis.
fn ends(flesh: &Flesh, axis: DVec3) -> [DVec3; 2] {
    let along = |a: &&DVec3, b: &&DVec3| a.dot(axis).total_cmp(&b.dot(axis));
    [*flesh.rest.iter().min_by(along).unwrap(), *flesh.rest.iter().max_by(along).unwrap()]
}

#[test]
fn every_model_can_be_painted() {
    for name in MODELS {
        let Some(flesh) = flesh(name) else { continue };
        let canvas = Canvas::new(flesh.clone());
        let [foot, top] = ends(&flesh, DVec3::Y);
        let [back, front] = ends(&flesh, DVec3::X);
        let middle = flesh.rest.iter().sum::<DVec3>() / flesh.rest.len() as f64;
        let act = |tool: Tool, value: f64| Action { tool, value };
        let inside = Tool::Stroke { along: vec![middle, middle.lerp(top, 0.5)], end_value: None };
        for method in [Method::Mesh, Method::Rbf] {
            let painting = Painting {
                layer: vec![act(Tool::Flat { at: top, angle_rad: 1.0 }, 0.0), act(inside.clone(), 1.0)],
                fibres: PaintedFibres { formula: None, strokes: vec![vec![foot, top], vec![back, middle, front]] },
                amplitude: PaintedScalar {
                    formula: Some(Scalar::Constant(0.5)),
                    actions: vec![act(Tool::Face { at: front }, -1.0)],
                },
                phase: PaintedScalar {
                    formula: None,
                    actions: vec![act(Tool::Face { at: foot }, 0.0), act(Tool::Face { at: top }, 1.0)],
                },
                method,
                reach_m: None,
            };
            let fields = canvas.paint(&painting).unwrap();
            for frame in &fields.frames {
                let off = (frame.transpose() * *frame - DMat3::IDENTITY).to_cols_array();
                assert!(off.iter().all(|c| c.abs() < 1e-9), "{name} {method:?}: {frame}");
            }
            let at = |place: DVec3| flesh.rest.iter().position(|x| *x == place).unwrap();
            assert!(fields.phase_shift[at(foot)] < 0.05 && fields.phase_shift[at(top)] > 0.95, "{name} {method:?}");
            assert!(fields.amplitude[at(front)] < -0.9, "{name} {method:?}");
            // The same painting is at hand.
            assert!(Arc::ptr_eq(&fields, &canvas.paint(&painting).unwrap()));
        }
    }
}

#[test]
fn distances_in_every_model_are_no_shorter_than_space_and_slopes_no_steeper_than_one() {
    for name in MODELS {
        let Some(flesh) = flesh(name) else { continue };
        let Cells::Tets(tets) = &flesh.cells else { continue };
        let [foot, _] = ends(&flesh, DVec3::Y);
        let distance = Canvas::new(flesh.clone()).mesh_distance().from_points(&[foot]);
        for (d, x) in distance.iter().zip(&flesh.rest) {
            assert!(*d >= x.distance(foot) * (1.0 - 1e-9), "{name}");
        }
        for tet in tets {
            for pair in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                let [a, b] = pair.map(|i| tet[i] as usize);
                if distance[a] < f64::INFINITY {
                    let edge = flesh.rest[a].distance(flesh.rest[b]);
                    assert!((distance[a] - distance[b]).abs() <= edge * (1.0 + 1e-9), "{name}");
                }
            }
        }
    }
}

#[test]
fn every_model_can_be_cut_and_seen_by_rays() {
    for name in MODELS {
        let Some(flesh) = flesh(name) else { continue };
        let Cells::Tets(tets) = &flesh.cells else { continue };
        let mesh = TetMesh { positions: flesh.rest.clone(), tets: tets.clone() };
        let middle = flesh.rest.iter().sum::<DVec3>() / flesh.rest.len() as f64;
        let section = Section::new(&mesh, &Cut::plane(&mesh.positions, middle, DVec3::X));
        let whole: Vec<[u32; 3]> = section.skin.iter().chain(&section.cap).copied().collect();
        assert!(!section.cap.is_empty() && manifold::faults(&whole).edges.is_empty(), "{name}");
        // A ray along the cut's normal meets the cap from its open side.
        let x = section.positions(&mesh.positions);
        let tree = TriangleTree::new(&x, &section.cap);
        let [a, b, c] = section.cap[section.cap.len() / 2].map(|v| x[v as usize]);
        let hit = tree.cast((a + b + c) / 3.0 + DVec3::X, DVec3::NEG_X).unwrap();
        assert!((hit.distance - 1.0).abs() < 1e-9, "{name}: {}", hit.distance);
    }
}
