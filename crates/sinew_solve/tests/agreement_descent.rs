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
