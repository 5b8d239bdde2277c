//! Edges that lie across each other, with no vertex near: only contact between edges can know of them.

use crate::heap::Heap;
use sinew_bake::{Method, Stage};
use sinew_geom::structured::bar;
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::StageState;

const LENGTH_M: f64 = 0.8;
const THICK_M: f64 = 0.1;

/// Two bars of three cells, the second along z and below the first, each turned about its own axis. Vertices stand 13 cm off the middle, where they cross.
fn crossed(method: Method, roll: f64, gap_m: f64) -> Heap {
    let mut heap = Heap::new(method, 2, bar(dvec3(LENGTH_M, THICK_M, THICK_M), [3, 1, 1]));
    heap.material.young_pa = 1.0e6;
    let half = 0.5 * THICK_M * (roll.cos() + roll.sin());
    heap.places = vec![dvec3(0.0, 3.0 * half + gap_m, 0.0), dvec3(0.0, half, 0.0)];
    let turn = DQuat::from_rotation_x(roll);
    heap.turns = vec![turn, DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) * turn];
    heap
}

/// The points of a body whose height is within a millimetre of the highest or lowest, between its inner rings: ends of edges that meet the other's.
fn facing(state: &StageState, body: usize, sign: f64) -> Vec<usize> {
    let x = &state.bodies[body].x;
    let most = x.iter().map(|x| sign * x.y).fold(f64::MIN, f64::max);
    let inner = |x: &DVec3| x.x.abs().max(x.z.abs()) < 0.25 * LENGTH_M;
    (0..x.len()).filter(|&i| sign * x[i].y > most - 1e-3 && inner(&x[i])).collect()
}

/// How far apart the meeting edges are in the middle.
fn apart(state: &StageState, [upper, lower]: [&[usize]; 2]) -> f64 {
    let height =
        |body: usize, of: &[usize]| of.iter().map(|&i| state.bodies[body].x[i].y).sum::<f64>() / of.len() as f64;
    height(0, upper) - height(1, lower)
}

/// Runs and gives the least distance of the edges, as a share of the bars' size.
fn least_gap(stage: &mut Stage, steps: usize) -> (f64, StageState) {
    let mut state = stage.first_state();
    let (upper, lower) = (facing(&state, 0, -1.0), facing(&state, 1, 1.0));
    assert!(!upper.is_empty() && !lower.is_empty());
    let (size, mut least) = (stage.bodies()[0].flesh.size_m(), f64::MAX);
    for _ in 0..steps {
        stage.step(&mut state, &[]).unwrap();
        least = least.min(apart(&state, [&upper, &lower]) / size);
    }
    (least, state)
}

/// Edge on edge, with 1 m/s between them: neither gets through, and they do not go on approaching.
fn bars_that_meet_edge_on_edge_stop(method: Method) {
    let mut heap = crossed(method, std::f64::consts::FRAC_PI_4, 0.02);
    heap.gravity = false;
    heap.velocities = vec![dvec3(0.0, -0.5, 0.0), dvec3(0.0, 0.5, 0.0)];
    let (least, state) = least_gap(&mut heap.stage(), 48);
    assert!(least > -0.01, "{least} of their size");
    let [upper, lower] = [0, 1].map(|i| crate::fixtures::centre(&heap.flesh, &state.bodies[i].v).y);
    assert!(upper - lower > -0.01, "still with {upper} and {lower} m/s");
}

/// A bar that lies across another, each flat on the edges of the other: it rests there. Its ends hang, by what a bar of one cell bends: the rings beside the crossing tell where it lies.
fn a_bar_lies_across_another(method: Method) {
    let mut heap = crossed(method, 0.0, 0.01);
    heap.obstacles.push(crate::fixtures::floor(0.0));
    let (least, state) = least_gap(&mut heap.stage(), 192);
    assert!(least > -0.01, "{least} of their size");
    let inner: Vec<f64> = state.bodies[0].x.iter().filter(|x| x.x.abs() < 0.25 * LENGTH_M).map(|x| x.y).collect();
    let middle = inner.iter().sum::<f64>() / inner.len() as f64;
    assert!((middle - 1.5 * THICK_M).abs() < 0.01, "its middle is at {middle} m");
    assert!(state.bodies[0].v.iter().all(|v| v.length() < 0.05));
}

every_solver! {
    shape_matching fem fem_descent springs
        => [bars_that_meet_edge_on_edge_stop a_bar_lies_across_another]
}
