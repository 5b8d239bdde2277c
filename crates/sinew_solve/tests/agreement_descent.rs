//! Descent and Newton look for the same minimum.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod elastic;

use elastic::{LAWS, apart, clamped, descent, flesh, newton, step};
use sinew_math::dvec3;
use sinew_solve::{Damping, Material, Solver};

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
