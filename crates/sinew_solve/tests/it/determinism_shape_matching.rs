//! The same bits from any pool, and no allocation once warm.

use crate::matching::{Noise, stiffnesses};
use sinew_geom::structured::bar;
use sinew_math::{DVec3, Sym3, dvec3};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingSolver};
use sinew_solve::{BodyState, Cues, Damping, Drag, Flesh, Goal, Material, Pin, Row, Solver, StepInput, StepReport};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Counts what the thread under test asks for.
struct Counting;

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One body large enough to be shared among threads, and many small ones.
struct Crowd {
    solver: ShapeMatchingSolver,
    states: Vec<BodyState>,
    cues: Vec<Cues>,
    report: StepReport,
}

impl Crowd {
    fn new() -> Self {
        let large = Arc::new(Flesh::from_tets(bar(dvec3(2.0, 1.0, 1.0), [31, 15, 11]), 1000.0).unwrap());
        let small = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [8, 2, 2]), 1000.0).unwrap());
        let material =
            Material { damping: Damping { wobble_per_sec: 2.0, ..Damping::default() }, ..Material::default() };
        let body = |flesh: &Arc<Flesh>, params| ShapeMatchingBody { flesh: flesh.clone(), material, params };
        let mut bodies = vec![body(&large, stiffnesses()[3])];
        bodies.extend((0..12).map(|i| body(&small, stiffnesses()[i % 4])));
        let solver = ShapeMatchingSolver::new(bodies).unwrap();
        let mut states: Vec<BodyState> = (0..13).map(|i| solver.rest_state(i)).collect();
        let mut noise = Noise(11);
        let mut cues = vec![Cues::default(); 13];
        for (number, (state, cues)) in states.iter_mut().zip(&mut cues).enumerate() {
            let flesh = solver.flesh(number);
            for (x, v) in state.x.iter_mut().zip(&mut state.v) {
                *x += noise.vector() * 0.01;
                *v = noise.vector();
            }
            cues.log_stretch = flesh.rest.iter().map(|x| Sym3::along(DVec3::X, 0.2 * (3.0 * x.x).sin())).collect();
            cues.rest_offset = flesh.rest.iter().map(|x| dvec3(0.0, 0.1 * x.x * x.x, 0.0)).collect();
            cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81, 0.0) * *m).collect();
            cues.goals = vec![Goal { at: Row(3), to: DVec3::Y, velocity: DVec3::ZERO, settle_secs: 0.1 }];
            cues.drag = vec![Drag { at: Row(4), matrix: Sym3::IDENTITY, wind: DVec3::X }];
            if number % 2 == 1 {
                cues.pins = vec![Pin { at: Row(0), to: flesh.rest[0], velocity: DVec3::ZERO }];
            }
        }
        Self { solver, states, cues, report: StepReport::default() }
    }

    fn steps(&mut self, count: usize, contacts: &[Vec<sinew_solve::Contact>]) {
        for _ in 0..count {
            self.report.clear();
            let input = StepInput { cues: &self.cues, contacts, touching: &[], h_secs: 0.01, stop: None };
            self.solver.step(&mut self.states, &input, &mut self.report).unwrap();
        }
    }
}

#[test]
fn any_pool_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut crowd = Crowd::new();
        let contacts = vec![Vec::new(); crowd.states.len()];
        pool.install(|| crowd.steps(15, &contacts));
        crowd.states
    };
    let one = run(1);
    for threads in [2, 8] {
        assert!(run(threads) == one, "{threads} threads differ");
    }
}

#[test]
fn a_warm_step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let counted = pool.install(|| {
        let mut crowd = Crowd::new();
        let contacts = vec![Vec::new(); crowd.states.len()];
        crowd.steps(2, &contacts);
        let before = ALLOCATIONS.get();
        crowd.steps(10, &contacts);
        ALLOCATIONS.get() - before
    });
    assert_eq!(counted, 0, "allocations in ten steps");
}

/// Stopping, keeping only the states, and going on with a fresh solver equals never having stopped.
#[test]
fn a_fresh_solver_continues_from_states_alone() {
    let mut straight = Crowd::new();
    let contacts = vec![Vec::new(); straight.states.len()];
    straight.steps(8, &contacts);
    let mut resumed = Crowd::new();
    resumed.states.clone_from(&straight.states);
    straight.steps(8, &contacts);
    resumed.steps(8, &contacts);
    assert!(straight.states == resumed.states);
}
