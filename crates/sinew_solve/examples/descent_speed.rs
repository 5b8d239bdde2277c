//! Nanoseconds per vertex and sweep of a whole step of vertex block descent, on one thread.
//!
//! `cargo run --release -p sinew_solve --example descent_speed [VERTICES]`
//!
//! Bars of 5 tetrahedra per cell, E 1e5 Pa, ν 0.4, 1000 kg/m³, clamped at one end under gravity, h 5 ms.

use sinew_geom::structured::{bar, bar_cells};
use sinew_math::{DVec3, dvec3};
use sinew_solve::fem::{DescentSolver, FemBody, FemMethod, FemParams};
use sinew_solve::{Asked, BodyState, CueWriter, Cues, Flesh, Material, Pin, Row, Solver, StepReport, StretchLaw};
use std::sync::Arc;
use std::time::Instant;

const H_SECS: f64 = 0.005;
/// Repeats of a measurement; the quickest and the median are printed.
const REPEATS: usize = 9;
/// Vertices and sweeps of one repeat, about.
const WORK: usize = 2_000_000;

struct Case {
    name: &'static str,
    vertices: usize,
    copies: usize,
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "{:<10} {:>8} {:>6} {:>18} {:>10} {:>10}   ns per vertex and sweep: best, median",
        "case", "vertices", "sweeps", "law", "best ms", "median ms"
    );
    let cases = [
        Case { name: "bar", vertices: 315, copies: 1 },
        Case { name: "bar", vertices: 1575, copies: 1 },
        Case { name: "bar", vertices: 20_000, copies: 1 },
        Case { name: "bar", vertices: 100_000, copies: 1 },
        Case { name: "31 bars", vertices: 315, copies: 31 },
        Case { name: "101 bars", vertices: 73, copies: 101 },
    ];
    let only: Option<usize> = std::env::args().nth(1).and_then(|vertices| vertices.parse().ok());
    for case in cases.iter().filter(|case| only.is_none_or(|vertices| vertices == case.vertices)) {
        for law in [StretchLaw::NeoHookean, StretchLaw::Corotated, StretchLaw::StVenantKirchhoff] {
            for iterations in [1, 10] {
                pool.install(|| measure(case, law, iterations));
            }
        }
    }
}

fn measure(case: &Case, law: StretchLaw, iterations: u32) {
    let size = dvec3(4.0, 1.0, 1.0);
    let mesh = bar(size, bar_cells(size, case.vertices));
    let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0).expect("a bar is a valid mesh"));
    let material = Material { law, ..Material::default() };
    let params = FemParams { method: FemMethod::Descent { iterations }, ..FemParams::default() };
    let body = FemBody { flesh: flesh.clone(), material, params };
    let mut solver = DescentSolver::new(vec![body; case.copies]).expect("a bar has tetrahedra");
    let mut states: Vec<BodyState> = (0..case.copies).map(|i| solver.rest_state(i)).collect();
    let mut cues = vec![Cues::default(); case.copies];
    let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
    for cues in &mut cues {
        CueWriter::new(&flesh, cues, 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        let clamped = flesh.rest.iter().enumerate().filter(|(_, x)| x.x < end);
        cues.pins.extend(clamped.map(|(i, x)| Pin { at: Row(i as u32), to: *x, velocity: DVec3::ZERO }));
    }
    let contacts = vec![Vec::new(); case.copies];
    let mut report = StepReport::default();
    let vertices = flesh.point_count() * case.copies;
    let steps = (WORK / (vertices * iterations as usize)).clamp(2, 400);
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..steps {
                report.clear();
                let asked = Asked { cues: &cues, contacts: &contacts, touching: &[], h_secs: H_SECS };
                solver.step(&mut states, &asked, &mut report).expect("a finite step");
            }
            start.elapsed().as_secs_f64() / steps as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0] * 1e3, times[REPEATS / 2] * 1e3);
    let each = |step_ms: f64| step_ms * 1e6 / (vertices * iterations as usize) as f64;
    let (name, law) = (case.name, format!("{law:?}"));
    println!(
        "{name:<10} {vertices:>8} {iterations:>6} {law:>18} {best:>10.3} {median:>10.3} {:>10.1} {:>10.1}",
        each(best),
        each(median)
    );
}
