//! A bar clamped at one end under gravity: ν 0.4, 1000 kg/m³, E 1e5 Pa unless asked otherwise.

use super::super::median_ms;
use crate::failure::Failure;
use sinew::geom::{TetMesh, structured};
use sinew::math::{DVec3, dvec3};
use sinew::solve::fem::FemBody;
use sinew::solve::{BodyState, CueWriter, Cues, Flesh, Material, Pin, Row as FleshRow, Solver, StepInput, StepReport};
use sinew::solve::{StretchLaw, fem::FemParams};
use std::sync::Arc;
use std::time::Instant;

/// What the benchmark bars are made of.
pub(super) fn material(law: StretchLaw, young_pa: f64) -> Material {
    Material { law, young_pa, poisson: 0.4, ..Material::default() }
}

pub(super) const YOUNG_PA: f64 = 1.0e5;

/// A bar of so many cubes of 0.1 m.
pub(super) fn mesh(cells: [usize; 3]) -> TetMesh {
    structured::bar(dvec3(0.1, 0.1, 0.1) * dvec3(cells[0] as f64, cells[1] as f64, cells[2] as f64), cells)
}

/// Ours, ready to be stepped on one thread.
pub(super) struct Bar<S> {
    solver: S,
    states: Vec<BodyState>,
    cues: Vec<Cues>,
    report: StepReport,
    pool: rayon::ThreadPool,
    h_secs: f64,
    /// Where each point stands in the mesh.
    file_order: Vec<u32>,
}

impl<S: Solver> Bar<S> {
    pub(super) fn new(
        mesh: TetMesh,
        material: Material,
        params: FemParams,
        h_secs: f64,
        solver: impl FnOnce(FemBody) -> Result<S, Failure>,
    ) -> Result<Self, Failure> {
        let flesh = Arc::new(Flesh::from_tets(mesh, 1000.0)?);
        let solver = solver(FemBody { flesh: flesh.clone(), material, params })?;
        let states = vec![solver.rest_state(0)];
        let mut cues = vec![Cues::default()];
        CueWriter::new(&flesh, &mut cues[0], 1.0).acceleration(dvec3(0.0, -9.81, 0.0));
        let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-6;
        let clamped = flesh.rest.iter().enumerate().filter(|(_, x)| x.x < end);
        cues[0].pins.extend(clamped.map(|(i, x)| Pin { at: FleshRow(i as u32), to: *x, velocity: DVec3::ZERO }));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let file_order = flesh.file_order.clone();
        Ok(Self { solver, states, cues, report: StepReport::default(), pool, h_secs, file_order })
    }

    pub(super) fn points(&self) -> usize {
        self.states[0].x.len()
    }

    /// Where points are after one step from rest, in the order of the mesh, and the median of the time that it takes.
    pub(super) fn first_step(&mut self, repeats: usize) -> Result<(f64, Vec<DVec3>), Failure> {
        let Self { solver, states, cues, report, pool, h_secs, file_order } = self;
        let contacts = [Vec::new()];
        let input = StepInput { cues, contacts: &contacts, touching: &[], h_secs: *h_secs, stop: None };
        let mut times_ms = Vec::new();
        for _ in 0..repeats {
            states[0] = solver.rest_state(0);
            report.clear();
            // Within the pool, as a bake steps: handing over to it is no part of a step.
            let timed = pool.install(|| {
                let begun = Instant::now();
                solver.step(states, &input, report).map(|()| begun.elapsed())
            })?;
            times_ms.push(timed.as_secs_f64() * 1e3);
        }
        times_ms.sort_unstable_by(f64::total_cmp);
        let mut places = vec![DVec3::ZERO; file_order.len()];
        file_order.iter().zip(&states[0].x).for_each(|(at, x)| places[*at as usize] = *x);
        Ok((times_ms[repeats / 2], places))
    }

    /// The median of `steps` steps.
    pub(super) fn step_ms(&mut self, steps: usize) -> f64 {
        let Self { solver, states, cues, report, pool, h_secs, .. } = self;
        let contacts = [Vec::new()];
        let input = StepInput { cues, contacts: &contacts, touching: &[], h_secs: *h_secs, stop: None };
        pool.install(|| {
            median_ms(steps, || {
                report.clear();
                let stepped = solver.step(states, &input, report);
                debug_assert!(stepped.is_ok(), "a hanging bar can always be stepped");
            })
        })
    }
}
