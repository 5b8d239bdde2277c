//! Nanoseconds per region and pass of a whole shape matching step, on one thread.
//!
//! `cargo run --release -p sinew_solve --example shape_matching_speed [VERTICES]`

use sinew_geom::structured::{bar, bar_cells};
use sinew_math::{DVec3, Sym3, dvec3};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew_solve::{Asked, BodyState, CueWriter, Cues, Damping, Flesh, Material, Solver, StepReport};
use std::sync::Arc;
use std::time::Instant;

const H_SECS: f64 = 1.0 / 96.0;
/// Repeats of a measurement; the quickest and the median are printed.
const REPEATS: usize = 15;
/// Regions and passes of one repeat, about.
const WORK: usize = 1_000_000;

struct Case {
    name: &'static str,
    vertices: usize,
    copies: usize,
    iterations: u32,
}

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    println!(
        "{:<10} {:>8} {:>3} {:>10} {:>10}   ns per region and pass: best, median",
        "case", "regions", "N", "best ms", "median ms"
    );
    let cases = [
        Case { name: "bar", vertices: 315, copies: 1, iterations: 6 },
        Case { name: "bar", vertices: 847, copies: 1, iterations: 2 },
        Case { name: "bar", vertices: 1575, copies: 1, iterations: 6 },
        Case { name: "bar", vertices: 20_000, copies: 1, iterations: 1 },
        Case { name: "bar", vertices: 100_000, copies: 1, iterations: 1 },
        Case { name: "31 bars", vertices: 315, copies: 31, iterations: 1 },
        Case { name: "101 bars", vertices: 73, copies: 101, iterations: 1 },
    ];
    let only: Option<usize> = std::env::args().nth(1).and_then(|vertices| vertices.parse().ok());
    for case in cases.iter().filter(|case| only.is_none_or(|vertices| vertices == case.vertices)) {
        pool.install(|| measure(case));
    }
}

fn measure(case: &Case) {
    let size = dvec3(4.0, 1.0, 1.0);
    let mesh = bar(size, bar_cells(size, case.vertices));
    let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0).expect("a bar is a valid mesh"));
    let material = Material { damping: Damping { wobble_per_sec: 2.0, ..Damping::default() }, ..Material::default() };
    let params = ShapeMatchingParams { iterations: case.iterations, ..ShapeMatchingParams::default() };
    let body = ShapeMatchingBody { flesh: flesh.clone(), material, params };
    let mut solver = ShapeMatchingSolver::new(vec![body; case.copies]).expect("a bar can be matched");
    let mut states: Vec<BodyState> = (0..case.copies).map(|i| solver.rest_state(i)).collect();
    let mut cues = vec![Cues::default(); case.copies];
    let contacts = vec![Vec::new(); case.copies];
    let mut report = StepReport::default();
    let regions = flesh.point_count() * case.copies;
    let passes = case.iterations as usize + 1;
    let steps = (WORK / (regions * passes)).max(4);
    let mut tick = 0usize;
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let mut spent = 0.0;
            for _ in 0..steps {
                tick += 1;
                cue_all(&flesh, &mut cues, tick);
                let start = Instant::now();
                let asked = Asked { cues: &cues, contacts: &contacts, touching: &[], h_secs: H_SECS };
                solver.step(&mut states, &asked, &mut report).expect("a finite step");
                spent += start.elapsed().as_secs_f64();
            }
            spent / steps as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0] * 1e3, times[REPEATS / 2] * 1e3);
    let each = |step_ms: f64| step_ms * 1e6 / (regions * passes) as f64;
    let (name, n) = (case.name, case.iterations);
    println!("{name:<10} {regions:>8} {n:>3} {best:>10.3} {median:>10.3} {:>10.1} {:>10.1}", each(best), each(median));
}

/// Gravity-free wave of contraction along the bar: rotations and stretches change in every step.
fn cue_all(flesh: &Flesh, cues: &mut [Cues], tick: usize) {
    for cues in cues {
        cues.clear();
        let mut writer = CueWriter::new(flesh, cues, 1.0);
        writer.acceleration(DVec3::ZERO);
        for (i, x) in flesh.rest.iter().enumerate() {
            let phase = (x.x * 2.0 + tick as f64 * 0.05).sin() * 0.3 * x.y.signum();
            writer.log_stretch(i, Sym3::along(DVec3::X, phase));
        }
    }
}
