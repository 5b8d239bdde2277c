//! Plain shape matching on the benchmark bars (five tets per cube of 0.1 m), against rapier3d's soft bodies and pyPBD's
//! shape matching: same mesh, same steps, runs of ours and theirs taking turns.

use super::{Peers, Row, in_turns, median_ms};
use crate::failure::Failure;
use sinew::geom::{TetMesh, structured};
use sinew::math::dvec3;
use sinew::solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew::solve::{BodyState, CueWriter, Cues, Flesh, Material, Solver, StepInput, StepReport};
use std::sync::Arc;

/// Vertices and cubes of each bar.
const BARS: [(usize, [usize; 3]); 5] =
    [(315, [8, 6, 4]), (847, [10, 10, 6]), (1575, [24, 8, 6]), (20_000, [49, 19, 19]), (100_000, [49, 49, 39])];
const H_SECS: f64 = 0.005;

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let all = crate::commands::bake::all_cores();
    let mut rows = Vec::new();
    for (vertices, cells) in BARS {
        let mesh =
            structured::bar(dvec3(0.1, 0.1, 0.1) * dvec3(cells[0] as f64, cells[1] as f64, cells[2] as f64), cells);
        let steps = (400_000 / vertices).clamp(4, 400);
        for threads in if all > 1 { vec![1, all] } else { vec![1] } {
            let name =
                format!("shape matching {vertices}, 1 pass, {threads} thread{}", if threads > 1 { "s" } else { "" });
            let mut ours = Ours::new(mesh.clone(), 0, threads)?;
            rows.push(in_turns(
                name,
                "rapier3d 0.36 corotated, 1 iteration",
                || ours.step_ms(steps),
                || peers.rapier_ms(vertices, steps.min(50), threads),
            ));
        }
        let passes = if vertices <= 2000 { 3 } else { 2 };
        let mut ours = Ours::new(mesh.clone(), passes - 1, 1)?;
        if vertices <= 20_000 {
            let name = format!("shape matching {vertices}, {passes} passes, 1 thread");
            rows.push(in_turns(
                name,
                "pyPBD 2.2.2, 1-ring regions",
                || ours.step_ms(steps),
                || peers.pypbd_ms(&mesh, steps.min(50), passes as usize, 1),
            ));
        }
    }
    Ok(rows)
}

/// A falling bar under shape matching.
struct Ours {
    solver: ShapeMatchingSolver,
    states: Vec<BodyState>,
    cues: Vec<Cues>,
    report: StepReport,
    pool: rayon::ThreadPool,
}

impl Ours {
    fn new(mesh: TetMesh, iterations: u32, threads: usize) -> Result<Self, Failure> {
        let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0)?);
        let params = ShapeMatchingParams { iterations, ..ShapeMatchingParams::default() };
        let body = ShapeMatchingBody { flesh: flesh.clone(), material: Material::default(), params };
        let solver = ShapeMatchingSolver::new(vec![body])?;
        let mut states = vec![solver.rest_state(0)];
        // A start that is not at rest: the same bar 5 % longer, so that every region has something to match.
        states[0].x.iter_mut().for_each(|x| x.x *= 1.05);
        let mut cues = vec![Cues::default()];
        CueWriter::new(&flesh, &mut cues[0], 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { solver, states, cues, report: StepReport::default(), pool })
    }

    /// The median of `steps` steps.
    fn step_ms(&mut self, steps: usize) -> f64 {
        let Self { solver, states, cues, report, pool } = self;
        let contacts = [Vec::new()];
        let input = StepInput { cues, contacts: &contacts, touching: &[], h_secs: H_SECS, stop: None };
        pool.install(|| {
            median_ms(steps, || {
                report.clear();
                let stepped = solver.step(states, &input, report);
                debug_assert!(stepped.is_ok(), "a falling bar can always be stepped");
            })
        })
    }
}
