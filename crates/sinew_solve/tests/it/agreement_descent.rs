//! Descent and Newton look for the same minimum.

use crate::elastic::{LAWS, apart, clamped, descent, flesh, newton, step};
use sinew_math::{DVec3, dvec3};
use sinew_solve::contact::{BodyContactFinder, CollisionBody, ContactSurface};
use sinew_solve::fem::{DescentSolver, FemBody, FemMethod, FemParams, FemSolver};
use sinew_solve::{Cues, Damping, Flesh, Friction, Material, Pin, Row, Solver, StepInput, StepReport};
use std::sync::Arc;

/// One step of a bar that hangs from one end, bent and moving: the more sweeps, the closer to Newton's answer, without end.
#[test]
fn more_sweeps_come_closer_to_newton() {
    let flesh = flesh(dvec3(1.0, 0.2, 0.2), [8, 2, 2]);
    for law in LAWS {
        let damping = Damping { rayleigh_stiffness_secs: 1e-3, rayleigh_mass_per_sec: 0.3, ..Damping::default() };
        let material = Material { young_pa: 2.0e4, law, damping, ..Material::default() };
        let cues = clamped(&flesh, -9.81);
        let mut first = newton(&flesh, material).rest_state(0);
        first.x.iter_mut().for_each(|x| x.y -= 0.1 * (x.x + 0.5).powi(2));
        first.v.iter_mut().zip(&flesh.rest).for_each(|(v, x)| v.z = x.x + 0.5);
        let mut exact = first.clone();
        step(&mut newton(&flesh, material), &mut exact, &cues, &[], 0.01);
        let way = apart(&first, &exact);
        let mut last = f64::MAX;
        let mut curve = Vec::new();
        for sweeps in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            let mut state = first.clone();
            step(&mut descent(&flesh, material, sweeps), &mut state, &cues, &[], 0.01);
            let error = apart(&state, &exact) / way;
            curve.push((sweeps, error));
            assert!(error < last.max(3e-6), "{law:?}: {curve:?}");
            last = error;
        }
        println!("{law:?} {curve:?}");
        assert!(last < 1e-5, "{law:?}: {curve:?}");
    }
}

/// The first steps of a stiff, finer bar that falls onto its clamp, from rest: long waves need more sweeps, and get there.
#[test]
fn stiff_bars_need_more_sweeps_and_get_there() {
    let flesh = flesh(dvec3(1.0, 0.2, 0.2), [20, 4, 4]);
    let material = Material { young_pa: 1.0e6, ..Material::default() };
    let cues = clamped(&flesh, -9.81);
    let mut exact = newton(&flesh, material).rest_state(0);
    let mut reference = newton(&flesh, material);
    for _ in 0..4 {
        step(&mut reference, &mut exact, &cues, &[], 1.0 / 96.0);
    }
    let first = newton(&flesh, material).rest_state(0);
    let way = apart(&first, &exact);
    let mut curve: Vec<(u32, f64)> = Vec::new();
    for sweeps in [5, 10, 20, 40, 80, 160, 320, 640] {
        let mut solver = descent(&flesh, material, sweeps);
        let mut state = first.clone();
        for _ in 0..4 {
            step(&mut solver, &mut state, &cues, &[], 1.0 / 96.0);
        }
        curve.push((sweeps, apart(&state, &exact) / way));
    }
    println!("stiff {curve:?}");
    assert!(curve.windows(2).all(|pair| pair[1].1 < pair[0].1.max(1e-4)), "{curve:?}");
    assert!(curve[7].1 < 1e-2, "{curve:?}");
}

/// A block that lands on another which is held: how low it comes, by sweeps alone and by Newton's method. Contacts that sweeps closed unseen
/// stopped it within a third of the way, with any number of sweeps.
#[test]
fn sweeps_alone_stop_what_lands_on_flesh_as_newtons_method_does() {
    let lowest = |method: FemMethod| {
        let flesh = flesh(dvec3(0.4, 0.4, 0.4), [4, 4, 4]);
        let damping = Damping { rayleigh_stiffness_secs: 0.01, ..Damping::default() };
        let material = Material { young_pa: 1.0e5, poisson: 0.4, damping, ..Material::default() };
        let params = FemParams { method, sweep_tolerance: f64::INFINITY, ..FemParams::default() };
        let body = || FemBody { flesh: flesh.clone(), material, params };
        let mut solver: Box<dyn Solver> = match method {
            FemMethod::Newton => Box::new(FemSolver::new(vec![body(), body()]).unwrap()),
            FemMethod::Descent { .. } => Box::new(DescentSolver::new(vec![body(), body()]).unwrap()),
        };
        let mut states = [solver.rest_state(0), solver.rest_state(1)];
        states[1].x.iter_mut().for_each(|x| *x += dvec3(0.003, 0.402, 0.002));
        states[1].v.fill(dvec3(0.0, -1.0, 0.0));
        let cues = [held_below(&flesh), Cues::default()];
        let surface = Some(Arc::new(ContactSurface::new(&flesh).unwrap()));
        let collision = CollisionBody { surface, touches_itself: false };
        let mut finder = BodyContactFinder::new(vec![collision.clone(), collision]);
        let grip = |_: usize, _: usize| (Friction::default(), DVec3::ZERO);
        let (h_secs, mut touching, mut lowest) = (1.0 / 384.0, Vec::new(), f64::INFINITY);
        for _ in 0..60 {
            finder.find(&states, h_secs, &grip, &mut touching);
            let input =
                StepInput { cues: &cues, contacts: &[Vec::new(), Vec::new()], touching: &touching, h_secs, stop: None };
            solver.step(&mut states, &input, &mut StepReport::default()).unwrap();
            lowest = lowest.min(states[1].x.iter().map(|x| x.y).sum::<f64>() / states[1].x.len() as f64);
        }
        lowest
    };
    let newton = lowest(FemMethod::Newton);
    let pressed = 0.4 - newton;
    assert!(pressed > 0.02, "{pressed} m of way: too little to compare");
    for (iterations, most) in [(10, 0.25), (30, 0.03), (100, 5e-3)] {
        let found = lowest(FemMethod::Descent { iterations });
        let off = (found - newton) / pressed;
        assert!(
            off.abs() < most,
            "{iterations} sweeps: {found} m where Newton's method has {newton}, {off} of the way"
        );
    }
}

/// The lowest layer of points is held.
fn held_below(flesh: &Flesh) -> Cues {
    let below = flesh.rest.iter().map(|x| x.y).fold(f64::MAX, f64::min) + 1e-9;
    let held = flesh.rest.iter().enumerate().filter(|(_, x)| x.y < below);
    let pin = |(i, x): (usize, &DVec3)| Pin { at: Row(i as u32), to: *x, velocity: DVec3::ZERO };
    Cues { pins: held.map(pin).collect(), ..Cues::default() }
}
