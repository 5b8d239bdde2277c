//! Vertex block descent on the benchmark bars (five tets per cube of 0.1 m), against Newton's: same mesh, same steps, same number of
//! sweeps, one thread, runs of ours and theirs taking turns.

use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use sinew::geom::{TetMesh, structured};
use sinew::math::{DVec3, dvec3};
use sinew::solve::fem::{DescentSolver, FemBody, FemMethod, FemParams};
use sinew::solve::{Asked, BodyState, CueWriter, Cues, Flesh, Material, Pin, Row as FleshRow, Solver, StepReport};
use std::sync::Arc;

/// Vertices and cubes of each bar.
const BARS: [(usize, [usize; 3]); 4] =
    [(315, [8, 6, 4]), (1575, [24, 8, 6]), (20_000, [49, 19, 19]), (100_000, [49, 49, 39])];
const SWEEPS: [u32; 2] = [1, 10];
const H_SECS: f64 = 0.005;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (vertices, cells) in BARS {
        let mesh =
            structured::bar(dvec3(0.1, 0.1, 0.1) * dvec3(cells[0] as f64, cells[1] as f64, cells[2] as f64), cells);
        for sweeps in SWEEPS {
            let steps = (400_000 / (vertices * sweeps as usize)).clamp(4, 400);
            let mut ours = Ours::new(mesh.clone(), sweeps)?;
            let name = format!("descent {vertices}, {sweeps} sweep{}, 1 thread", if sweeps > 1 { "s" } else { "" });
            let mut row = in_turns(
                name,
                "Newton 1.7 vertex block descent",
                || ours.step_ms(steps),
                || peers.newton_ms(&mesh, steps.min(20), sweeps),
            );
            row.ns_per_vertex_sweep = Some(row.ours_ms * 1e6 / (ours.points() * sweeps as usize) as f64);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A clamped bar under gravity.
struct Ours {
    solver: DescentSolver,
    states: Vec<BodyState>,
    cues: Vec<Cues>,
    report: StepReport,
    pool: rayon::ThreadPool,
}

impl Ours {
    fn new(mesh: TetMesh, iterations: u32) -> Result<Self, Failure> {
        let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0)?);
        let params = FemParams { method: FemMethod::Descent { iterations }, ..FemParams::default() };
        let body = FemBody { flesh: flesh.clone(), material: Material::default(), params };
        let solver = DescentSolver::new(vec![body])?;
        let states = vec![solver.rest_state(0)];
        let mut cues = vec![Cues::default()];
        CueWriter::new(&flesh, &mut cues[0], 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-6;
        let clamped = flesh.rest.iter().enumerate().filter(|(_, x)| x.x < end);
        cues[0].pins.extend(clamped.map(|(i, x)| Pin { at: FleshRow(i as u32), to: *x, velocity: DVec3::ZERO }));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        Ok(Self { solver, states, cues, report: StepReport::default(), pool })
    }

    fn points(&self) -> usize {
        self.states[0].x.len()
    }

    /// The median of `steps` steps.
    fn step_ms(&mut self, steps: usize) -> f64 {
        let Self { solver, states, cues, report, pool } = self;
        let contacts = [Vec::new()];
        let asked = Asked { cues, contacts: &contacts, touching: &[], h_secs: H_SECS };
        pool.install(|| {
            median_ms(steps, || {
                report.clear();
                let stepped = solver.step(states, &asked, report);
                debug_assert!(stepped.is_ok(), "a hanging bar can always be stepped");
            })
        })
    }
}
