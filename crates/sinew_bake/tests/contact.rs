//! Bodies that touch each other.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod fixtures;
mod heap;

use heap::{Heap, deepest_penetration};
use fixtures::{fem, shape_matching};
use sinew_bake::Method;
use sinew_math::{DVec3, dvec3};

/// Two free blobs that run into each other part again, and their momenta add up to what they were.
fn blobs_collide_and_keep_their_momentum(method: Method) {
    let mut heap = Heap::blobs(method, 2, 0.3);
    heap.gravity = false;
    heap.places = vec![dvec3(-0.25, 0.0, 0.0), dvec3(0.25, 0.04, 0.02)];
    heap.velocities = vec![dvec3(1.0, 0.0, 0.0), dvec3(-1.0, 0.0, 0.0)];
    let (mut stage, flesh) = (heap.stage(), heap.flesh.clone());
    let mut state = stage.first_state();
    let mass = flesh.total_mass_kg();
    let momentum = |state: &sinew_solve::StageState| {
        state.bodies.iter().map(|b| fixtures::centre(&flesh, &b.v) * mass).sum::<DVec3>()
    };
    let before = momentum(&state);
    let (mut touched, mut deepest) = (false, 0.0f64);
    for tick in 0..96 {
        stage.step(&mut state, &[]).unwrap();
        touched |= stage.body_contacts().iter().any(|contact| contact.gap_m < 0.0);
        let off = momentum(&state).distance(before);
        deepest = deepest.max(deepest_penetration(&stage, &state));
        if let Some((d,a,v,b)) = heap::deepest_vertex(&stage, &state) {
            println!("tick {tick} depth {d:.4} body {a} vertex {v} v {:.3}", state.bodies[a].v[v as usize]);
            for c in stage.body_contacts().iter().filter(|c| c.vertex.body.0 as usize == a && c.vertex.dofs[0] == v) {
                let after = c.gap_at(c.vertex.at(&state.bodies[a].x), c.face.at(&state.bodies[b].x));
                println!("     gap {:.4} -> {after:.4} n {:.2} w {:.2?} ", c.gap_m, c.normal, c.face.weights);
            }
        }
        assert!(off < 1e-9 * mass, "step {tick}: momentum is off by {off} of {mass} N s");
    }
    assert!(touched);
    println!("deepest {deepest}");
    let apart = fixtures::centre(&flesh, &state.bodies[1].v).x - fixtures::centre(&flesh, &state.bodies[0].v).x;
    assert!(apart >= 0.0, "they still approach, with {apart} m/s");
}

macro_rules! every_solver {
    ($($claim:ident)*) => {
        mod shape_matched { $(#[test] fn $claim() { super::$claim(super::shape_matching()); })* }
        mod elements { $(#[test] fn $claim() { super::$claim(super::fem()); })* }
    };
}

every_solver! { blobs_collide_and_keep_their_momentum }
