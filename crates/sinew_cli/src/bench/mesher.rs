//! Isosurface stuffing against tetgen and fTetWild: the same surface of 25,600 triangles to about 100,000 tets, in time per
//! 1000 tets, since none of them meets a count exactly. Ours includes the search for the cell size.

use super::surface::bumpy_ball;
use super::{Peers, Row, in_turns};
use crate::failure::Failure;
use sinew::geom::distance::SurfaceDistance;
use sinew::geom::stuffing::{Fineness, stuff};
use std::time::Instant;

const AROUND: usize = 160;
const TETS: usize = 100_000;
/// Gives about that many tets of this surface.
const VERTICES: usize = 20_000;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let surface = bumpy_ball(AROUND);
    let all = crate::commands::bake::all_cores();
    let mut tets = 0;
    let mut rows = Vec::new();
    // tetgen uses one thread, fTetWild all.
    for (peer, tool, threads) in [("tetgen 0.8.4", "tetgen", 1), ("fTetWild (pytetwild 0.4.2)", "pytetwild", all)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut failure = None;
        let mut ours = || {
            let begun = Instant::now();
            match pool.install(|| stuff(&SurfaceDistance::new(&surface), Fineness::Vertices(VERTICES))) {
                Ok(stuffed) => tets = stuffed.mesh.tets.len(),
                Err(error) => failure = Some(error),
            }
            begun.elapsed().as_secs_f64() * 1e3 / (tets.max(1) as f64 / 1000.0)
        };
        // The first one wakes the pool.
        ours();
        let name = format!("1000 tets of {} triangles, {threads} thread{}", surface.triangles.len(), plural(threads));
        let theirs = || peers.mesher_ms(&surface, tool, TETS);
        rows.push(if tool == "tetgen" {
            in_turns(name, peer, ours, theirs)
        } else {
            // It takes a minute and more; once is enough.
            let mut mine = [ours(), ours(), ours()];
            mine.sort_unstable_by(f64::total_cmp);
            Row::new(name, mine[1], peer, theirs())
        });
        if let Some(error) = failure {
            return Err(error.into());
        }
    }
    Ok(rows)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}
