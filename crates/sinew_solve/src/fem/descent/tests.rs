//! What sweeps balance is the energy of the reference, nothing is felt of rigid motion, and every path gives the same bits.

use super::*;
use crate::fem::FemParams;
use sinew_geom::structured::bar;
use sinew_math::{DVec3, Sym3, dvec3};
use std::sync::Arc;

const LAWS: [StretchLaw; 3] = [StretchLaw::NeoHookean, StretchLaw::Corotated, StretchLaw::StVenantKirchhoff];

fn body(law: StretchLaw) -> FemBody {
    let flesh =
        Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.4, 0.3), [5, 2, 2]), 1000.0).unwrap_or_else(|e| panic!("{e}")));
    FemBody { flesh, material: Material { law, ..Material::default() }, params: FemParams::default() }
}

fn deform(state: &mut BodyState) {
    for x in &mut state.x {
        let o = *x;
        *x += dvec3(0.2 * o.y + 0.1 * o.x * o.x, 0.3 * o.x * o.z, 0.15 * (4.0 * o.x).sin() - 0.1 * o.z);
    }
}

fn stretched(flesh: &Flesh) -> Cues {
    let ln_t = |x: &DVec3| Sym3::along(dvec3(0.6, 0.8, 0.0), 0.3 * (3.0 * x.x).sin());
    Cues { log_stretch: flesh.rest.iter().map(ln_t).collect(), ..Cues::default() }
}

/// Known answer 4: what sweeps balance is the gradient of the energy that the reference solver minimises, at second order.
#[test]
fn gradients_match_differences_of_the_energy() {
    for law in LAWS {
        let body = body(law);
        let mut solver = DescentSolver::new(vec![body.clone()]).unwrap();
        let mut state = solver.rest_state(0);
        deform(&mut state);
        for cues in [Cues::default(), stretched(&body.flesh)] {
            let states = [state.clone()];
            // So long a step that inertia has no say.
            let input = StepInput {
                cues: std::slice::from_ref(&cues),
                contacts: &[Vec::new()],
                touching: &[],
                h_secs: 1e6,
                stop: None,
            };
            solver.begin(&states, &input);
            solver.batches[0].find_gradient(false);
            let energy = |i: usize, by: DVec3| {
                let mut state = state.clone();
                state.x[i] += by;
                solver.energy(0, &state, &cues)
            };
            let slots = &solver.batches[0].layout.slot_of;
            let size = (0..state.x.len())
                .map(|i| member::place_of(&solver.batches[0].gradient, slots, i).length())
                .fold(0.0, f64::max);
            for i in 0..state.x.len() {
                let found = solver.members[0].frame.turn * member::place_of(&solver.batches[0].gradient, slots, i);
                let difference = |d: f64| {
                    let along = |axis: DVec3| (energy(i, axis * d) - energy(i, axis * -d)) / (2.0 * d);
                    dvec3(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
                };
                let off = found.distance(difference(1e-4)) / size;
                assert!(off < 2e-5, "{law:?} point {i}: off by {off} of the largest");
            }
        }
    }
}

/// Known answer 3, for forces: a rest shape that was only moved and turned feels nothing.
#[test]
fn rigid_motion_gives_no_force() {
    for law in LAWS {
        let body = body(law);
        let mut solver = DescentSolver::new(vec![body]).unwrap();
        let mut states = [solver.rest_state(0)];
        let turn = sinew_math::DQuat::from_axis_angle(dvec3(2.0, -1.0, 0.5).normalize(), 2.4);
        let motion = crate::RigidMotion { turn, ..crate::RigidMotion::shift(dvec3(100.0, -40.0, 7.0)) };
        solver.move_rigidly(&mut states[0], &motion);
        let cues = [Cues::default()];
        let input = StepInput { cues: &cues, contacts: &[Vec::new()], touching: &[], h_secs: 1e6, stop: None };
        solver.begin(&states, &input);
        solver.batches[0].find_gradient(false);
        let most = solver.batches[0].gradient.iter().flat_map(|g| g.0).map(f32::abs).fold(0.0, f32::max);
        // Positions 100 m away have 1e-14 m left; times 1e5 Pa and cells of 0.2 m.
        assert!(most < 1e-8, "{law:?}: {most} N");
    }
}

/// Bent, contracted and damped bars of every law, after some steps on one path.
fn run(path: Path) -> Vec<BodyState> {
    let mut bodies: Vec<FemBody> = LAWS.into_iter().map(body).collect();
    bodies[0].material.damping.rayleigh_stiffness_secs = 1e-3;
    let cues: Vec<Cues> = bodies.iter().map(|body| stretched(&body.flesh)).collect();
    let mut solver = DescentSolver::with_path(bodies, path).unwrap();
    let mut states: Vec<BodyState> = (0..3).map(|i| solver.rest_state(i)).collect();
    states.iter_mut().for_each(deform);
    let contacts = vec![Vec::new(); 3];
    for _ in 0..20 {
        let input = StepInput { cues: &cues, contacts: &contacts, touching: &[], h_secs: 0.01, stop: None };
        solver.step(&mut states, &input, &mut StepReport::default()).unwrap();
    }
    states
}

#[test]
fn every_path_gives_the_same_bits() {
    let portable = run(Path::PORTABLE);
    for path in Path::all() {
        assert!(run(path) == portable, "{path:?} differs");
    }
}
