//! Vertex block descent against Newton's (`newton-physics`): same number of sweeps.

use super::bar::{Bar, YOUNG_PA, material, mesh};
use crate::bench::{Peers, Row, in_turns};
use crate::failure::Failure;
use sinew::solve::StretchLaw;
use sinew::solve::fem::{DescentSolver, FemMethod, FemParams};

/// Vertices and cubes of each bar.
const BARS: [(usize, [usize; 3]); 4] =
    [(315, [8, 6, 4]), (1575, [24, 8, 6]), (20_000, [49, 19, 19]), (100_000, [49, 49, 39])];
const SWEEPS: [u32; 2] = [1, 10];
const H_SECS: f64 = 0.005;

pub(super) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (vertices, cells) in BARS {
        let mesh = mesh(cells);
        for sweeps in SWEEPS {
            let steps = (400_000 / (vertices * sweeps as usize)).clamp(4, 400);
            let params = FemParams { method: FemMethod::Descent { iterations: sweeps }, ..FemParams::default() };
            let solver = |body| Ok(DescentSolver::new(vec![body])?);
            let material = material(StretchLaw::default(), YOUNG_PA);
            let mut ours = Bar::new(mesh.clone(), material, params, H_SECS, solver)?;
            let name = format!("descent {vertices}, {sweeps} sweep{}, 1 thread", if sweeps > 1 { "s" } else { "" });
            let mut row = in_turns(
                name,
                "Newton 1.7 vertex block descent",
                || ours.step_ms(steps),
                || peers.newton_ms(&mesh, steps.min(20), sweeps),
            );
            row.ns_per_vertex_sweep = Some(row.ours_ms * 1e6 / (ours.points() * sweeps as usize) as f64);
            rows.push(row.told());
        }
    }
    Ok(rows)
}
