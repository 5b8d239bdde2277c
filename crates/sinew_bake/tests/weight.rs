//! What shape-matched bodies weigh on themselves: stiff ones keep their height on the ground, at any size and under others; soft ones sag.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod fixtures;
mod heap;

use heap::Heap;
use sinew_bake::Method;
use sinew_math::dvec3;
use sinew_solve::StageState;
use sinew_solve::shape_matching::ShapeMatchingParams;

fn matching(iterations: u32) -> Method {
    Method::ShapeMatching(ShapeMatchingParams { iterations, ..Default::default() })
}

/// Height of the lowest body, and the fastest point of all.
fn height_and_speed(state: &StageState) -> (f64, f64) {
    let y = || state.bodies[0].x.iter().map(|x| x.y);
    let speed = state.bodies.iter().flat_map(|body| &body.v).map(|v| v.length()).fold(0.0, f64::max);
    (y().fold(f64::MIN, f64::max) - y().fold(f64::MAX, f64::min), speed)
}

/// Cubes on each other on the ground after three seconds.
fn stood(methods: Vec<Method>, edge_m: f64, young_pa: f64) -> (Heap, StageState) {
    let mut heap = Heap::cubes(methods[0], methods.len(), edge_m);
    heap.methods = methods;
    heap.material.young_pa = young_pa;
    for (i, place) in heap.places.iter_mut().enumerate() {
        *place = dvec3(0.0, edge_m * (i as f64 + 0.5), 0.0);
    }
    heap.obstacles.push(fixtures::floor(0.0));
    let mut stage = heap.stage();
    let mut state = stage.first_state();
    fixtures::play(&mut stage, &mut state, 72);
    (heap, state)
}

/// Matching alone would let one of 3 cm sink to four fifths of its height.
#[test]
fn a_rubber_cube_keeps_its_height_at_any_size() {
    for edge_m in [0.01, 0.03, 0.2, 2.0] {
        let (heap, state) = stood(vec![matching(6)], edge_m, 1.0e6);
        let (height, speed) = height_and_speed(&state);
        let sag = heap.material.density_kg_m3 * 9.81 * edge_m / (2.0 * heap.material.young_pa);
        let short = 1.0 - height / edge_m;
        assert!((0.0..sag + 0.005).contains(&(short + 1e-4)), "{edge_m} m: short by {short}, {sag} by its modulus");
        assert!(speed < 1e-3, "{edge_m} m: {speed} m/s");
    }
}

/// Softer than matching it is as soft as matching.
#[test]
fn a_cube_of_jelly_sags() {
    let (_, state) = stood(vec![matching(6)], 0.2, 5.0e3);
    let (height, speed) = height_and_speed(&state);
    assert!((0.9..0.985).contains(&(height / 0.2)), "{height} m");
    assert!(speed < 1e-3, "{speed} m/s");
}

/// A stiff shape-matched cube below one of finite elements, which weighs on it through its vertices.
#[test]
fn a_stiff_cube_carries_one_of_another_solver() {
    for upper in [fixtures::fem(), fixtures::fem_descent(), fixtures::springs()] {
        let (heap, state) = stood(vec![matching(6), upper], 0.1, 1.0e7);
        let (height, speed) = height_and_speed(&state);
        let top = fixtures::centre(&heap.flesh, &state.bodies[1].x);
        assert!(height > 0.098, "{upper:?}: {height} m");
        assert!(top.x.hypot(top.z) < 0.001 && speed < 0.001, "{upper:?}: its load is at {top} with {speed} m/s");
    }
}

/// How much shorter each cube of a stack is than at rest, as a share of its edge, from below; and the fastest point.
fn sags(count: usize, iterations: u32, edge_m: f64, young_pa: f64) -> (Vec<f64>, f64) {
    let (_, state) = stood(vec![matching(iterations); count], edge_m, young_pa);
    let sag = |body: &sinew_solve::BodyState| {
        let y = || body.x.iter().map(|x| x.y);
        1.0 - (y().fold(f64::MIN, f64::max) - y().fold(f64::MAX, f64::min)) / edge_m
    };
    (state.bodies.iter().map(sag).collect(), height_and_speed(&state).1)
}

/// Statics: alone a cube carries half its weight in the mean, below k others k and a half.
#[test]
fn what_carries_others_sags_by_all_of_them() {
    for (iterations, edge_m, young_pa) in [(6, 0.2, 1.0e5), (6, 0.2, 5.0e3), (1, 0.05, 1.0e5), (2, 0.1, 2.0e5), (3, 0.5, 2.0e5)] {
        let alone = sags(1, iterations, edge_m, young_pa).0[0];
        for count in [2, 3] {
            let (sags, speed) = sags(count, iterations, edge_m, young_pa);
            let what = format!("{count} of {edge_m} m, {young_pa} Pa, {iterations} iterations");
            eprintln!("{what}: alone {alone:.5}, {sags:.5?}, {speed:.1e} m/s");
        }
    }
}
