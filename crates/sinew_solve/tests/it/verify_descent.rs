//! Vertex block descent against closed forms.

use crate::elastic::{LAWS, clamped, descent, flesh, newton, random, step};
use sinew_geom::TetMesh;
use sinew_geom::structured::bar;
use sinew_math::{DMat3, DVec3, dvec3};
use sinew_solve::{BodyState, CueWriter, Cues, Damping, Flesh, Material, Pin, Row, Solver};
use std::sync::Arc;

/// Known answer 2: an affine displacement of the boundary is reproduced inside an irregular mesh.
#[test]
fn an_affine_boundary_gives_an_affine_inside() {
    let mut mesh = bar(dvec3(1.0, 1.0, 1.0), [4, 4, 4]);
    let mut random = random(5);
    let inside = |x: &DVec3| x.abs().max_element() < 0.5 - 1e-9;
    for x in mesh.positions.iter_mut().filter(|x| inside(x)) {
        *x += dvec3(random(), random(), random()) * 0.04;
    }
    let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0).unwrap());
    let affine = DMat3::from_cols(dvec3(1.2, 0.1, 0.0), dvec3(-0.1, 0.9, 0.2), dvec3(0.05, 0.0, 1.1));
    let to = |x: DVec3| affine * x + dvec3(0.3, 0.0, -0.2);
    for law in LAWS {
        let mut solver = descent(&flesh, Material { law, ..Material::default() }, 400);
        let mut state = solver.rest_state(0);
        let mut cues = Cues::default();
        for (i, x) in flesh.rest.iter().enumerate().filter(|(_, x)| !inside(x)) {
            cues.pins.push(Pin { at: Row(i as u32), to: to(*x), velocity: DVec3::ZERO });
        }
        // A step this long has no inertia: what is left is the balance of forces.
        step(&mut solver, &mut state, &cues, &[], 1e3);
        let off = state.x.iter().zip(&flesh.rest).map(|(x, o)| x.distance(to(*o))).fold(0.0, f64::max);
        assert!(off < 1e-6, "{law:?}: {off} m");
    }
}

/// Known answer 7: the breathing of a regular tetrahedron is one mode, ω² = 3 (2μ + 3λ)/(ρ R²), and loses (1 + ω²h²)^(−1/2) a step.
#[test]
fn a_mode_loses_what_implicit_euler_takes() {
    let corners = vec![dvec3(1.0, 1.0, 1.0), dvec3(1.0, -1.0, -1.0), dvec3(-1.0, 1.0, -1.0), dvec3(-1.0, -1.0, 1.0)];
    let mesh = TetMesh::new(corners.clone(), vec![[0, 1, 2, 3]]).or_else(|_| TetMesh::new(corners, vec![[0, 2, 1, 3]]));
    let flesh = Arc::new(Flesh::from_tets(mesh.unwrap(), 1000.0).unwrap());
    let material = Material { young_pa: 1.0e5, poisson: 0.3, ..Material::default() };
    let (lambda, mu) = material.lame();
    let omega = (3.0 * (2.0 * mu + 3.0 * lambda) / (1000.0 * 3.0)).sqrt();
    for law in LAWS {
        for h in [0.3 / omega, 2.0 / omega] {
            let mut solver = descent(&flesh, Material { law, ..material }, 60);
            let mut state = solver.rest_state(0);
            let rest = state.x.clone();
            state.x.iter_mut().for_each(|x| *x *= 1.0 + 1e-4);
            let amplitude = |state: &BodyState| {
                let along = |of: &[DVec3]| of.iter().zip(&rest).map(|(a, o)| a.dot(*o)).sum::<f64>() / 12.0;
                (along(&state.x) - 1.0).hypot(along(&state.v) / omega)
            };
            let mut last = amplitude(&state);
            for n in 0..12 {
                step(&mut solver, &mut state, &Cues::default(), &[], h);
                let (now, wanted) = (amplitude(&state), (1.0 + (omega * h).powi(2)).powf(-0.5));
                // The mode is linear to its own size, 1e-4, and f32 tells it to 1e-7 of a length.
                assert!((now / last - wanted).abs() < 2e-3, "{law:?} step {n}: {} instead of {wanted}", now / last);
                last = now;
                if now < 5e-6 {
                    break;
                }
            }
        }
    }
}

fn spinning(flesh: &Flesh, state: &mut BodyState) {
    for (v, x) in state.v.iter_mut().zip(&flesh.rest) {
        *v = dvec3(0.2, 0.1, -0.3) + dvec3(0.5, 3.0, 1.0).cross(*x) + dvec3(x.x * 2.0, 0.0, x.x * x.x * 4.0);
    }
}

/// Free bodies keep their linear momentum to rounding and their spin as Newton's do, with any number of sweeps; what they
/// have of energy only falls.
#[test]
fn free_bodies_keep_momentum_and_lose_energy() {
    let flesh = flesh(dvec3(1.0, 0.3, 0.2), [7, 2, 2]);
    let material = Material { young_pa: 5.0e4, ..Material::default() };
    let momentum = |state: &BodyState| state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| *v * *m).sum::<DVec3>();
    let spin = |state: &BodyState| {
        let each = state.x.iter().zip(&state.v).zip(&flesh.mass_kg);
        each.map(|((x, v), m)| (*x - state.origin).cross(*v) * *m).sum::<DVec3>()
    };
    let mut exact = newton(&flesh, material).rest_state(0);
    spinning(&flesh, &mut exact);
    let first = exact.clone();
    let mut reference = newton(&flesh, material);
    for _ in 0..30 {
        step(&mut reference, &mut exact, &Cues::default(), &[], 0.01);
    }
    // A single sweep starts from where inertia leads, which knows nothing of energy; the bounds say how little is left of that.
    for (sweeps, gain, off_spin) in [(1, 2e-2, 0.3), (3, 1e-3, 0.1), (10, 1e-4, 0.01)] {
        let mut solver = descent(&flesh, material, sweeps);
        let mut state = first.clone();
        let energy = |solver: &dyn Solver, state: &BodyState| {
            let kinetic: f64 = state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| 0.5 * m * v.length_squared()).sum();
            kinetic + solver.energy(0, state, &Cues::default())
        };
        let mut last = energy(&solver, &state);
        let start = last;
        for n in 0..30 {
            step(&mut solver, &mut state, &Cues::default(), &[], 0.01);
            let now = energy(&solver, &state);
            assert!(now < last + gain * start, "{sweeps} sweeps, step {n}: {now} J after {last} J");
            assert!(now < 1.1 * start, "{sweeps} sweeps, step {n}: {now} J from {start} J");
            last = now;
        }
        let off = momentum(&state).distance(momentum(&first)) / momentum(&first).length();
        assert!(off < 1e-12, "{sweeps} sweeps: {off} of the momentum");
        let turned = spin(&state).distance(spin(&exact)) / spin(&first).length();
        assert!(turned < off_spin, "{sweeps} sweeps: {turned} of the spin");
    }
}

/// A body does the same whether it is alone or among others that share its lanes.
#[test]
fn company_changes_no_bit() {
    let (mine, other) = (flesh(dvec3(1.0, 0.3, 0.2), [5, 2, 2]), flesh(dvec3(0.5, 0.5, 0.2), [3, 4, 1]));
    let bodies = |fleshes: &[&Arc<Flesh>]| {
        let body = |flesh: &&Arc<Flesh>| sinew_solve::fem::FemBody {
            flesh: Arc::clone(flesh),
            material: Material::default(),
            params: sinew_solve::fem::FemParams::default(),
        };
        sinew_solve::fem::DescentSolver::new(fleshes.iter().map(body).collect()).unwrap()
    };
    let run = |fleshes: &[&Arc<Flesh>], watched: usize| {
        let mut solver = bodies(fleshes);
        let mut states: Vec<BodyState> = (0..fleshes.len()).map(|i| solver.rest_state(i)).collect();
        let mut cues = vec![Cues::default(); fleshes.len()];
        for (i, state) in states.iter_mut().enumerate() {
            spinning(fleshes[i], state);
            CueWriter::new(fleshes[i], &mut cues[i], 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        }
        let contacts = vec![Vec::new(); fleshes.len()];
        for _ in 0..20 {
            let input =
                sinew_solve::StepInput { cues: &cues, contacts: &contacts, touching: &[], h_secs: 0.01, stop: None };
            solver.step(&mut states, &input, &mut sinew_solve::StepReport::default()).unwrap();
        }
        states.swap_remove(watched)
    };
    assert!(run(&[&mine], 0) == run(&[&other, &mine, &other], 1));
}

/// A body of so many points that threads share its sweeps comes out the same on any number of them.
#[test]
fn threads_that_share_a_large_body_do_not_change_a_bit() {
    let flesh = flesh(dvec3(1.5, 0.6, 0.6), [29, 12, 12]);
    let cues = clamped(&flesh, -9.81);
    for law in LAWS {
        let damping = Damping { rayleigh_stiffness_secs: 0.004, ..Damping::default() };
        let material = Material { law, damping, ..Material::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut solver = descent(&flesh, material, 4);
                let mut state = solver.rest_state(0);
                for _ in 0..4 {
                    step(&mut solver, &mut state, &cues, &[], 1.0 / 60.0);
                }
                state
            })
        };
        let one = run(1);
        assert!(one.x != flesh.rest, "{law:?} does not move");
        assert!([2, 3, 8].into_iter().all(|threads| run(threads) == one), "{law:?}");
    }
}
