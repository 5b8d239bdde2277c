//! How far few blended passes are from many plain ones, and what both cost.
//!
//! `cargo run --release -p sinew_solve --example shape_matching_acceleration`

use sinew_geom::structured::{bar, bar_cells};
use sinew_math::{DVec3, Sym3, dvec3};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew_solve::{Asked, BodyState, Cues, Damping, Flesh, Material, Pin, Row, Solver, StepReport};
use std::sync::Arc;
use std::time::Instant;

const H_SECS: f64 = 1.0 / 96.0;
const STEPS: usize = 480;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for held in [true, false] {
        for iterations in [6u32, 30, 100] {
            let plain = pool.install(|| run(iterations, None, held));
            println!("{} N={iterations}: {:.4} ms", if held { "held at one end" } else { "wave" }, plain.1);
            let fewest = ShapeMatchingParams { iterations, ..Default::default() }.fewest_passes();
            for passes in fewest..fewest + 5 {
                let fast = pool.install(|| run(iterations, Some(passes), held));
                report(&format!("{passes} passes"), &plain, &fast);
            }
            for n in [1, iterations / 4, iterations / 2] {
                report(&format!("N={n} plain"), &plain, &pool.install(|| run(n, None, held)));
            }
        }
    }
}

type Run = (Vec<Vec<DVec3>>, f64, f64);

fn report(name: &str, plain: &Run, fast: &Run) {
    let (mut sum, mut worst, mut count) = (0.0, 0.0f64, 0);
    for (a, b) in plain.0.iter().zip(&fast.0) {
        for (a, b) in a.iter().zip(b) {
            sum += a.distance_squared(*b);
            worst = worst.max(a.distance(*b));
            count += 1;
        }
    }
    let rms = (sum / f64::from(count)).sqrt() / plain.2;
    println!(
        "  {name:<14} {:.4} ms, {:.2} x faster, rms {:.3} % of size, worst {:.3} %",
        fast.1,
        plain.1 / fast.1,
        rms * 100.0,
        worst / plain.2 * 100.0
    );
}

fn run(iterations: u32, passes: Option<u32>, held: bool) -> Run {
    let size = dvec3(4.0, 1.0, 1.0);
    let flesh = Arc::new(Flesh::from_tets(bar(size, bar_cells(size, 1575)), 1000.0).expect("a bar"));
    let material = Material { damping: Damping { wobble_per_sec: 2.0, ..Damping::default() }, ..Material::default() };
    let params = ShapeMatchingParams { iterations, passes, ..Default::default() };
    let body = ShapeMatchingBody { flesh: flesh.clone(), material, params };
    let mut solver = ShapeMatchingSolver::new(vec![body]).expect("a bar can be matched");
    let mut state: BodyState = solver.rest_state(0);
    let mut cues = Cues::default();
    let mut shapes = Vec::new();
    let mut times = Vec::new();
    for step in 0..STEPS {
        cues.clear();
        if held {
            let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
            let ends = (0..flesh.point_count()).filter(|&i| flesh.rest[i].x < end);
            cues.pins = ends.map(|i| Pin { at: Row(i as u32), to: flesh.rest[i], velocity: DVec3::ZERO }).collect();
            cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81, 0.0) * *m).collect();
        } else {
            let ln = |x: &DVec3| Sym3::along(DVec3::X, (x.x * 2.0 - step as f64 * 0.05).sin() * 0.5 * x.y.signum());
            cues.log_stretch = flesh.rest.iter().map(ln).collect();
        }
        let begun = Instant::now();
        let asked = Asked { cues: std::slice::from_ref(&cues), contacts: &[Vec::new()], h_secs: H_SECS };
        solver.step(std::slice::from_mut(&mut state), &asked, &mut StepReport::default()).expect("finite");
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        shapes.push(state.x.clone());
    }
    times.sort_by(f64::total_cmp);
    (shapes, times[times.len() / 4], flesh.size_m())
}
