//! Whatever a body starts from, and whatever is asked of it, descent stays finite and bounded.

use crate::elastic::{LAWS, clamped, descent, flesh, random, step};
use sinew_math::{DVec3, dvec3};
use sinew_solve::{BodyState, Cues, Material, Solver, StretchLaw};

/// Farthest point from the mass centre, in sizes of the body.
fn reach(state: &BodyState, size_m: f64) -> f64 {
    state.x.iter().map(|x| x.distance(state.origin)).fold(0.0, f64::max) / size_m
}

/// Scattered, flattened and inverted starts: a neo-Hookean bar finds back to its shape, the others stay in bounds.
#[test]
fn wild_starts_are_recovered_from() {
    let flesh = flesh(dvec3(1.0, 0.3, 0.3), [6, 2, 2]);
    let size = flesh.size_m();
    let mut random = random(3);
    let mut starts: Vec<(&str, Vec<DVec3>)> = Vec::new();
    starts.push(("flattened", flesh.rest.iter().map(|x| dvec3(x.x, 0.0, x.z)).collect()));
    starts.push(("a point", vec![DVec3::ZERO; flesh.point_count()]));
    starts.push(("inverted", flesh.rest.iter().map(|x| dvec3(-x.x, x.y, x.z)).collect()));
    starts.push(("scattered", flesh.rest.iter().map(|_| dvec3(random(), random(), random()) * 0.5).collect()));
    for law in LAWS {
        let material = Material { young_pa: 1.0e5, law, ..Material::default() };
        for (name, x) in &starts {
            if *name == "a point" && law != StretchLaw::Corotated {
                continue; // no force there: the other laws' energies are even about a point
            }
            let mut solver = descent(&flesh, material, 10);
            let mut state = solver.rest_state(0);
            state.x.clone_from(x);
            state.recentre(&flesh.mass_kg);
            let mut far = 0.0f64;
            for _ in 0..600 {
                step(&mut solver, &mut state, &Cues::default(), &[], 1.0 / 60.0);
                far = far.max(reach(&state, size));
            }
            println!(
                "{law:?} {name}: farthest {far}, ends at {}, energy {}",
                reach(&state, size),
                solver.energy(0, &state, &Cues::default())
            );
            assert!(far < 3.0, "{law:?} {name}: {far}");
            if law == StretchLaw::NeoHookean {
                let end = reach(&state, size);
                assert!((end - 0.5).abs() < 0.02, "{name} ends with a reach of {end}");
            }
        }
    }
}

/// Steps from 1/24 to 1/2400 s, stiffness from 100 Pa to 1 GPa, forces up to a million times the weight, any number of sweeps.
#[test]
fn any_step_stiffness_and_force_stays_bounded() {
    let flesh = flesh(dvec3(1.0, 0.2, 0.2), [5, 1, 1]);
    for law in LAWS {
        for young_pa in [1e2, 1e5, 1e9] {
            for h in [1.0 / 24.0, 1.0 / 240.0, 1.0 / 2400.0] {
                for (iterations, load) in [(1, 1.0), (4, 1e6), (10, 1e3), (10, 1e6)] {
                    let material = Material { young_pa, law, ..Material::default() };
                    let mut solver = descent(&flesh, material, iterations);
                    let mut state = solver.rest_state(0);
                    let cues = clamped(&flesh, -9.81 * load);
                    for _ in 0..40 {
                        step(&mut solver, &mut state, &cues, &[], h);
                    }
                    // No farther than falling freely would have taken it, and a body's length.
                    let free = 9.81 * load * (40.0 * h) * (41.0 * h) / 2.0 + 2.0;
                    let reach = state.x.iter().map(|x| x.length()).fold(0.0, f64::max);
                    assert!(
                        reach <= free,
                        "{law:?} E {young_pa} h {h} sweeps {iterations} load {load}: {reach} of {free} m"
                    );
                }
            }
        }
    }
}
