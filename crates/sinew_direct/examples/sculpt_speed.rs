//! How long a drag on a key's shape takes: the press, a step, and the end, on cubes of flesh whose far side alone stays. Figures are in
//! `docs/book/keys.md`. Run with `cargo run --release --example sculpt_speed`.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on has failed")]

use sinew_direct::key_shapes::{Sculptor, ShapeCells, check_shape};
use sinew_geom::structured::bar;
use sinew_math::{DVec3, dvec3};
use sinew_solve::Flesh;
use std::sync::Arc;
use std::time::Instant;

const STEPS: usize = 40;

fn main() {
    for side in [10, 16, 26] {
        let flesh = Flesh::from_tets(bar(DVec3::ONE, [side; 3]), 1000.0).unwrap();
        let cells = Arc::new(ShapeCells::new(&flesh).unwrap());
        let mut sculptor = Sculptor::new(cells.clone(), flesh.rest.clone());
        let pull = |sculptor: &mut Sculptor, step: usize| {
            let by = dvec3(0.004, 0.003, 0.0) * step as f64;
            let began = Instant::now();
            let shape = sculptor.pull(dvec3(0.5, 0.5, 0.5), by, 2.2).unwrap();
            check_shape(&cells, &shape).unwrap();
            began.elapsed().as_secs_f64() * 1e3
        };
        let press = pull(&mut sculptor, 0);
        let mut steps: Vec<f64> = (1..=STEPS).map(|step| pull(&mut sculptor, step)).collect();
        steps.sort_by(f64::total_cmp);
        let began = Instant::now();
        sculptor.settle();
        let end = began.elapsed().as_secs_f64() * 1e3;
        println!(
            "{:6} points: press {press:.0} ms, step {:.1} ms (median), {:.1} ms (slowest), end {end:.0} ms",
            flesh.point_count(),
            steps[STEPS / 2],
            steps[STEPS - 1]
        );
    }
}
