//! Bars and steps for tests of both ways to solve finite elements.

use sinew_geom::structured::bar;
use sinew_math::{DVec3, dvec3};
use sinew_solve::fem::{DescentSolver, FemBody, FemMethod, FemParams, FemSolver};
use sinew_solve::{
    BodyState, Contact, CueWriter, Cues, Flesh, Material, Pin, Row, Solver, StepInput, StepReport, StretchLaw,
};
use std::sync::Arc;

pub(crate) const LAWS: [StretchLaw; 3] = [StretchLaw::NeoHookean, StretchLaw::Corotated, StretchLaw::StVenantKirchhoff];

pub(crate) fn flesh(size_m: DVec3, cells: [usize; 3]) -> Arc<Flesh> {
    Arc::new(Flesh::from_tets(bar(size_m, cells), 1000.0).unwrap())
}

pub(crate) fn descent(flesh: &Arc<Flesh>, material: Material, iterations: u32) -> DescentSolver {
    let params =
        FemParams { method: FemMethod::Descent { iterations }, sweep_tolerance: f64::INFINITY, ..FemParams::default() };
    DescentSolver::new(vec![FemBody { flesh: flesh.clone(), material, params }]).unwrap()
}

pub(crate) fn newton(flesh: &Arc<Flesh>, material: Material) -> FemSolver {
    let params = FemParams { newton_iterations: 60, tolerance: 1e-12, linear_tolerance: 1e-4, ..FemParams::default() };
    FemSolver::new(vec![FemBody { flesh: flesh.clone(), material, params }]).unwrap()
}

/// One step of a single body.
pub(crate) fn step(
    solver: &mut dyn Solver,
    state: &mut BodyState,
    cues: &Cues,
    contacts: &[Contact],
    h_secs: f64,
) -> StepReport {
    let mut report = StepReport::default();
    let input = StepInput {
        cues: std::slice::from_ref(cues),
        contacts: &[contacts.to_vec()],
        touching: &[],
        h_secs,
        stop: None,
    };
    solver.step(std::slice::from_mut(state), &input, &mut report).unwrap();
    report
}

/// Gravity, and the end at the lowest x clamped.
pub(crate) fn clamped(flesh: &Flesh, gravity: f64) -> Cues {
    let mut cues = Cues::default();
    CueWriter::new(flesh, &mut cues, 1.0).acceleration(dvec3(0.0, gravity, 0.0));
    let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
    let held = flesh.rest.iter().enumerate().filter(|(_, x)| x.x < end);
    cues.pins.extend(held.map(|(i, x)| Pin { at: Row(i as u32), to: *x, velocity: DVec3::ZERO }));
    cues
}

/// The largest distance between two states' points.
pub(crate) fn apart(a: &BodyState, b: &BodyState) -> f64 {
    a.x.iter().zip(&b.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Numbers in −1..1, the same in every run.
pub(crate) fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut seed = seed;
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1u32 << 30) - 1.0
    }
}
