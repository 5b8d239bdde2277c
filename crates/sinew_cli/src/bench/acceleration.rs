//! Stiffness against time (PD-67): how far blended passes are from the many plain ones they stand for, and what both
//! cost. Fewer plain passes stand beside them: what one would have got for the same time without blending.

use super::{Peers, Row};
use crate::failure::Failure;
use sinew::geom::structured;
use sinew::math::{DVec3, Sym3, dvec3, libm};
use sinew::solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew::solve::{
    BodyState, CueWriter, Cues, Damping, Flesh, Material, Pin, Row as Point, Solver, StepInput, StepReport,
};
use std::sync::Arc;
use std::time::Instant;

const H_SECS: f64 = 1.0 / 96.0;
/// Two and a half seconds: the held bar swings down and comes to rest.
const STEPS: usize = 240;
const VERTICES: usize = 1575;

/// What is done to the bar.
#[derive(Clone, Copy)]
enum Trial {
    /// Held at one end, and sags.
    Held,
    /// A wave of contraction bends it to and fro.
    Writhing,
}

/// A performance: every shape, and the time of a step.
struct Performance {
    shapes: Vec<Vec<DVec3>>,
    step_ms: f64,
    size_m: f64,
}

pub(crate) fn measure(_: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for (trial, what) in [(Trial::Held, "held bar"), (Trial::Writhing, "writhing bar")] {
        for iterations in [6u32, 30, 100] {
            let plain = ShapeMatchingParams { iterations, ..Default::default() };
            let wanted = pool.install(|| perform(plain, trial))?;
            let fewest = plain.fewest_passes();
            for passes in [fewest, fewest + 1, fewest + 3] {
                let blended = pool.install(|| perform(ShapeMatchingParams { passes: Some(passes), ..plain }, trial))?;
                let name = format!("{what}, N={iterations} in {passes} passes");
                rows.push(compared(name, &wanted, &blended, iterations));
            }
            for iterations_too_few in [fewest - 1, iterations / 2] {
                let few = ShapeMatchingParams { iterations: iterations_too_few, ..plain };
                let name = format!("{what}, N={iterations_too_few} plain");
                rows.push(compared(name, &wanted, &pool.install(|| perform(few, trial))?, iterations));
            }
        }
    }
    Ok(rows)
}

fn compared(name: String, wanted: &Performance, got: &Performance, iterations: u32) -> Row {
    let pairs = || wanted.shapes.iter().flatten().zip(got.shapes.iter().flatten());
    let squares: f64 = pairs().map(|(a, b)| a.distance_squared(*b)).sum();
    let mut row = Row::new(name, got.step_ms, format!("N={iterations}, plain passes"), Ok(wanted.step_ms));
    row.off_share = Some((squares / pairs().count() as f64).sqrt() / wanted.size_m);
    row
}

fn perform(params: ShapeMatchingParams, trial: Trial) -> Result<Performance, Failure> {
    let size = dvec3(4.0, 1.0, 1.0);
    let flesh = Arc::new(Flesh::from_tets(structured::bar(size, structured::bar_cells(size, VERTICES)), 1000.0)?);
    let material = Material { damping: Damping { wobble_per_sec: 2.0, ..Damping::default() }, ..Material::default() };
    let body = ShapeMatchingBody { flesh: flesh.clone(), material, params };
    let mut solver = ShapeMatchingSolver::new(vec![body])?;
    let mut state: BodyState = solver.rest_state(0);
    let (mut cues, mut report) = (Cues::default(), StepReport::default());
    let (mut shapes, mut times) = (Vec::new(), Vec::new());
    for step in 0..STEPS {
        cues.clear();
        report.clear();
        direct(trial, step, &flesh, &mut cues);
        let contacts = [Vec::new()];
        let input = StepInput {
            cues: std::slice::from_ref(&cues),
            contacts: &contacts,
            touching: &[],
            h_secs: H_SECS,
            stop: None,
        };
        let begun = Instant::now();
        solver.step(std::slice::from_mut(&mut state), &input, &mut report)?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        shapes.push(state.x.clone());
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(Performance { shapes, step_ms: times[times.len() / 2], size_m: flesh.size_m() })
}

fn direct(trial: Trial, step: usize, flesh: &Flesh, cues: &mut Cues) {
    match trial {
        Trial::Held => {
            let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
            let held = (0..flesh.point_count()).filter(|&i| flesh.rest[i].x < end);
            let pin = |i: usize| Pin { at: Point(i as u32), to: flesh.rest[i], velocity: DVec3::ZERO };
            cues.pins.extend(held.map(pin));
            CueWriter::new(flesh, cues, 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        }
        Trial::Writhing => {
            let wave = |x: &DVec3| 0.5 * libm::sin(x.x * 2.0 - step as f64 * 0.05) * x.y.signum();
            let all = flesh.rest.iter().map(|x| Sym3::along(DVec3::X, wave(x)));
            CueWriter::new(flesh, cues, 1.0).log_stretches(all);
        }
    }
}
