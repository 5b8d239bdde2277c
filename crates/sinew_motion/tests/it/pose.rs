//! One shape under handles.

use crate::bodies::{bar_mesh, bar_shape};
use sinew_geom::meshless::MeshlessOptions;
use sinew_geom::structured::bar;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_motion::energy::Elastic;
use sinew_motion::pose::{Handle, PoseSolver};
use sinew_motion::*;

/// A box with its bottom held and its top pulled up by a share of its height (Adams et al. 2009, fig. 5).
fn pulled_box(volume: f64, pull: f64) -> pose::PoseSolution {
    let mesh = bar(dvec3(1.0, 1.0, 1.0), [5, 5, 5]);
    let meshless = MeshlessOptions { nodes: 40, ..MeshlessOptions::default() };
    let options = ShapeOptions { meshless, samples: 10, spheres: 4, ..ShapeOptions::default() };
    let shape = PlanShape::over(&mesh, &options).unwrap();
    let (low, high) = mesh.positions.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x.y), h.max(x.y)));
    let face = |y: f64| Handle { rest: mesh.positions.iter().copied().filter(|x| (x.y - y).abs() < 1e-9).collect() };
    let handles = [face(low), face(high)];
    let mut solver = PoseSolver::new(&shape, &handles).unwrap();
    solver.elastic = Elastic::StrainAndVolume { strain: 1.0, volume };
    let moved = handles[1].rest.iter().map(|x| *x + dvec3(0.0, pull, 0.0)).collect();
    solver.solve(&[handles[0].rest.clone(), moved], &shape.nodes.rest, None).unwrap()
}

#[test]
fn strain_alone_changes_the_volume_and_the_volume_term_keeps_it() {
    let (alone, kept) = (pulled_box(0.0, 0.6), pulled_box(500.0, 0.6));
    assert!(alone.converged && kept.converged, "{alone:?} {kept:?}");
    assert!(alone.volume_share > 1.3, "{}", alone.volume_share);
    assert!((kept.volume_share - 1.0).abs() < 0.03, "{}", kept.volume_share);
}

#[test]
fn handles_moved_rigidly_carry_the_body_rigidly() {
    let shape = bar_shape(20);
    let mesh = bar_mesh();
    let ends: Vec<Handle> = [-1.0, 1.0]
        .map(|side| Handle { rest: mesh.positions.iter().copied().filter(|x| x.x * side > 0.4).collect() })
        .into();
    let ends: Vec<Handle> = ends.into_iter().filter(|handle| !handle.rest.is_empty()).collect();
    let solver = PoseSolver::new(&shape, &ends).unwrap();
    let turn = DQuat::from_rotation_y(1.0);
    let targets: Vec<Vec<DVec3>> =
        ends.iter().map(|end| end.rest.iter().map(|x| turn * *x + dvec3(0.5, 0.0, 2.0)).collect()).collect();
    let pose = solver.solve(&targets, &shape.nodes.rest, None).unwrap();
    assert!(pose.converged && pose.strain + pose.volume < 1e-8, "{pose:?}");
    assert!(pose.misses_m.iter().all(|miss| *miss < 1e-3), "{:?}", pose.misses_m);
}

#[test]
fn a_drag_takes_a_few_steps_from_the_last_pose() {
    let shape = bar_shape(30);
    let mesh = bar_mesh();
    let left = mesh.positions.iter().map(|x| x.x).fold(f64::MAX, f64::min);
    let end = |low: f64| Handle {
        rest: mesh.positions.iter().copied().filter(|x| (x.x - left - low).abs() < 1e-9).collect(),
    };
    let handles = [end(0.0), end(1.0)];
    let solver = PoseSolver::new(&shape, &handles).unwrap();
    let mut places = shape.nodes.rest.clone();
    let mut steps = 0;
    for n in 1..=10 {
        let shift = dvec3(0.0, 0.03 * f64::from(n), 0.0);
        let moved = handles[1].rest.iter().map(|x| *x + shift).collect();
        let pose = solver.solve(&[handles[0].rest.clone(), moved], &places, None).unwrap();
        assert!(pose.converged && pose.least_j > 0.0, "{n}: {pose:?}");
        steps += pose.steps;
        places = pose.places;
    }
    assert!(steps <= 50, "{steps}");
}

#[test]
fn handles_that_cannot_be_are_named() {
    let shape = bar_shape(16);
    let nowhere = Handle { rest: vec![dvec3(f64::NAN, 0.0, 0.0)] };
    assert!(PoseSolver::new(&shape, &[nowhere]).unwrap_err().to_string().starts_with("handle 0"));
    let solver = PoseSolver::new(&shape, &[Handle { rest: vec![shape.nodes.rest[0]] }]).unwrap();
    assert!(solver.solve(&[], &shape.nodes.rest, None).is_err());
    let nan = vec![vec![dvec3(f64::NAN, 0.0, 0.0)]];
    assert!(solver.solve(&nan, &shape.nodes.rest, None).is_err());
}
