//! Tetrahedra per second for a bumpy ball of 25k triangles, and the time to bind a skin of 100k vertices.

use sinew_geom::distance::SurfaceDistance;
use sinew_geom::primitive::capsule;
use sinew_geom::stuffing::{Fineness, stuff};
use sinew_geom::{Embedding, TriangleMesh};
use std::time::Instant;

fn blob(around: usize) -> TriangleMesh {
    let mut mesh = capsule(1.0, 0.0, around);
    for x in &mut mesh.positions {
        let bumps = (5.0 * x.x).sin() * (4.0 * x.y + 1.0).sin() * (6.0 * x.z).cos();
        *x *= 1.0 + 0.15 * bumps;
    }
    mesh
}

fn main() {
    let surface = blob(160);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let Ok(pool) = pool else { return };
        let mut best: Option<(f64, usize)> = None;
        for _ in 0..5 {
            let started = Instant::now();
            let made = pool.install(|| stuff(&SurfaceDistance::new(&surface), Fineness::Vertices(20_000)));
            let seconds = started.elapsed().as_secs_f64();
            if let Ok(stuffed) = made
                && best.is_none_or(|(least, _)| seconds < least)
            {
                best = Some((seconds, stuffed.mesh.tets.len()));
            }
        }
        if let Some((seconds, tets)) = best {
            let triangles = surface.triangles.len();
            println!(
                "{threads} threads: {triangles} triangles to {tets} tets in {seconds:.3} s, {:.0} tets/s",
                tets as f64 / seconds
            );
        }
    }
    let skin = blob(440);
    let Ok(flesh) = stuff(&SurfaceDistance::new(&surface), Fineness::Vertices(5000)) else { return };
    let started = Instant::now();
    let embedding = Embedding::of_skin(&skin, &flesh.mesh);
    println!("{} skin vertices bound in {:.3} s", embedding.len(), started.elapsed().as_secs_f64());
    let least = |row: usize| {
        let (starts, _, weights) = embedding.rows.as_parts();
        weights[starts[row] as usize..starts[row + 1] as usize].iter().copied().fold(f32::MAX, f32::min)
    };
    let mut lows: Vec<f32> = (0..embedding.len()).map(least).collect();
    lows.sort_by(f32::total_cmp);
    let at = |share: f64| lows[(share * (lows.len() - 1) as f64) as usize];
    println!(
        "least weights: worst {}, 0.1 % {}, 1 % {}, 10 % {}, median {}",
        at(0.0),
        at(0.001),
        at(0.01),
        at(0.1),
        at(0.5)
    );
}
