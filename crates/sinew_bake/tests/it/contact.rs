//! Bodies that touch each other.

use crate::fixtures::{fem, shape_matching};
use crate::heap::{Heap, deepest_penetration};
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
        state.bodies.iter().map(|b| crate::fixtures::centre(&flesh, &b.v) * mass).sum::<DVec3>()
    };
    let before = momentum(&state);
    let (mut touched, mut deepest) = (false, 0.0f64);
    for tick in 0..96 {
        stage.step(&mut state, &[]).unwrap();
        touched |= stage.body_contacts().iter().any(|contact| contact.gap_m < 0.0);
        let off = momentum(&state).distance(before);
        deepest = deepest.max(deepest_penetration(&stage, &state));
        assert!(off < 1e-9 * mass, "step {tick}: momentum is off by {off} of {mass} N s");
    }
    assert!(touched);
    assert!(deepest < 0.02 * flesh.size_m(), "{} of their size deep in each other", deepest / flesh.size_m());
    let apart =
        crate::fixtures::centre(&flesh, &state.bodies[1].v).x - crate::fixtures::centre(&flesh, &state.bodies[0].v).x;
    assert!(apart >= 0.0, "they still approach, with {apart} m/s");
}

/// A ball with restitution e dropped from h comes back to e² h, within what it moves in a step; energy never grows.
fn a_dropped_ball_comes_back_to_e_squared_h(method: Method) {
    for restitution in [0.5, 0.8] {
        let mut heap = Heap::blobs(method, 1, 0.3);
        let height = 1.0;
        heap.places[0].y = 0.15 + height;
        heap.restitution = restitution;
        heap.obstacles.push(crate::fixtures::floor(0.0));
        let (mut stage, flesh) = (heap.stage(), heap.flesh.clone());
        let mut state = stage.first_state();
        let (mut lowest, mut back, mut energy) = (f64::MAX, 0.0f64, f64::MAX);
        for tick in 0..96 {
            stage.step(&mut state, &[]).unwrap();
            let (x, v) = (
                crate::fixtures::centre(&flesh, &state.bodies[0].x).y,
                crate::fixtures::centre(&flesh, &state.bodies[0].v).y,
            );
            let now = 0.5 * v * v + 9.81 * x;
            assert!(now < energy + 1e-9, "step {tick}: {now} J/kg after {energy}");
            energy = now;
            lowest = lowest.min(x);
            back = if v > 0.0 { back.max(x - 0.15) } else { back };
        }
        let (wanted, step_m) = (restitution * restitution * height, (2.0 * 9.81 * height).sqrt() / 96.0);
        assert!((back - wanted).abs() < step_m, "back to {back} m instead of {wanted} m");
    }
}

/// Forty worms fall into a heap. The deepest vertex anywhere, measured the long way, as a share of a worm's length.
#[test]
fn worms_fall_into_a_heap_and_keep_out_of_each_other() {
    let mut heap = Heap::worms(shape_matching(), 40);
    heap.drop_in_layers(3, dvec3(0.45, 0.1, 0.45));
    heap.obstacles.push(crate::fixtures::floor(0.0));
    let mut stage = heap.stage();
    let mut state = stage.first_state();
    let (size, mut deepest) = (heap.flesh.size_m(), 0.0f64);
    for frame in 0..48 {
        crate::fixtures::play(&mut stage, &mut state, 1);
        if frame % 4 == 3 {
            let depth = deepest_penetration(&stage, &state) / size;
            deepest = deepest.max(depth);
        }
    }
    assert!(deepest < HEAP_DEPTH, "{deepest} of size");
}
/// Coarse worms (8 cm thick, edges of 5 cm) at 96 steps a second, falling up to 0.6 m.
const HEAP_DEPTH: f64 = 0.02;

fn small_heap(threads: usize) -> Heap {
    let mut heap = Heap::worms(shape_matching(), 30);
    heap.drop_in_layers(2, dvec3(0.45, 0.1, 0.45));
    heap.obstacles.push(crate::fixtures::floor(0.0));
    (24..30).for_each(|i| heap.methods[i] = fem());
    heap.threads = threads;
    heap
}

/// Worms of both solvers in one heap: the same bits from 1, 2 and 8 threads, and resumed at any frame.
#[test]
fn a_heap_is_the_same_from_any_number_of_threads_and_when_resumed() {
    let run = |threads: usize| {
        let mut stage = small_heap(threads).stage();
        let mut state = stage.first_state();
        crate::fixtures::play(&mut stage, &mut state, 8);
        let middle = state.clone();
        crate::fixtures::play(&mut stage, &mut state, 4);
        assert!(stage.body_contacts().len() > 50, "only {} contacts", stage.body_contacts().len());
        (middle, state)
    };
    let (middle, one) = run(1);
    assert!(run(2).1 == one, "2 threads differ");
    assert!(run(8).1 == one, "8 threads differ");
    let mut resumed = middle;
    let mut stage = small_heap(1).stage();
    crate::fixtures::play(&mut stage, &mut resumed, 4);
    assert!(resumed == one, "resumed differs");
}

/// A shape-matched blob meets one of elements: the momentum of both together is kept.
#[test]
fn bodies_of_different_solvers_exchange_momentum() {
    let mut heap = Heap::blobs(shape_matching(), 2, 0.3);
    heap.methods[1] = fem();
    heap.gravity = false;
    heap.places = vec![dvec3(-0.2, 0.0, 0.0), dvec3(0.2, 0.03, 0.0)];
    heap.velocities = vec![dvec3(1.0, 0.0, 0.0), dvec3(-0.5, 0.0, 0.0)];
    let (mut stage, flesh) = (heap.stage(), heap.flesh.clone());
    let mut state = stage.first_state();
    crate::fixtures::play(&mut stage, &mut state, 24);
    let [a, b] = [0, 1].map(|i| crate::fixtures::centre(&flesh, &state.bodies[i].v));
    assert!((a + b).distance(dvec3(0.5, 0.0, 0.0)) < 1e-9, "{a} and {b} do not add up");
    assert!(b.x - a.x > 0.0, "{a} and {b} still approach");
}

/// A thousand steps of a pile with bodies thrown in at random: no step fails, nothing is lost.
#[test]
fn a_thrown_pile_stays_finite() {
    let mut heap = Heap::worms(shape_matching(), 16);
    heap.drop_in_layers(2, dvec3(0.3, 0.1, 0.3));
    heap.obstacles.push(crate::fixtures::floor(0.0));
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    };
    heap.velocities.iter_mut().for_each(|v| *v = dvec3(random(), random(), random()) * 3.0);
    let mut stage = heap.stage();
    let mut state = stage.first_state();
    for step in 0..1000 {
        let report = stage.step(&mut state, &[]).unwrap();
        assert_eq!(report.retries, 0, "step {step}");
    }
    let highest = state.bodies.iter().flat_map(|b| &b.x).map(|x| x.y).fold(0.0, f64::max);
    assert!(highest < 3.0, "something flew to {highest} m");
}

every_solver! {
    shape_matching fem fem_descent
        => [blobs_collide_and_keep_their_momentum a_dropped_ball_comes_back_to_e_squared_h]
}
