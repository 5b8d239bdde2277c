//! Shape matching: every 1-ring region is pulled towards the best rotated copy of its rest shape, which directors may
//! have stretched.
//!
//! Ijiri, Takayama, Yokota, Igarashi: "ProcDef: Local-to-global Deformation for Skeleton-free Character Animation",
//! Pacific Graphics 2009 [PD]; Müller, Heidelberger, Teschner, Gross: "Meshless Deformations Based on Shape Matching",
//! SIGGRAPH 2005; Rivers, James: "FastLSM", SIGGRAPH 2007.
//!
//! | here              | [PD]         | meaning                                                        | unit |
//! |-------------------|--------------|----------------------------------------------------------------|------|
//! | region            | N_r          | a vertex and its neighbours; one per vertex                    |      |
//! | `shared_mass_kg`  | m̃_i          | m_i / |N_i|                                                    | kg   |
//! | `rest`            | x⁰_i, here o | rest position, x0 plus the offset that cues ask for            | m    |
//! | `centre`          | c⁰_r         | centre of a rest region (eq. 3)                                | m    |
//! | `stretch`         | T_r          | local rest transform, exp(ln T) at the region's centre vertex  |      |
//! | `turn`            | R_r          | best rotation of T_r (o − c⁰) onto the present shape (eq. 4–5) |      |
//! | `goal`            | g_i          | mean of the places all regions of a vertex want it at (eq. 7)  | m    |
//! | `iterations`      | N            | as stiff as goals matched again N times: N + 1 passes          |      |
//! | `pull`            | α            | share of g − x closed in a step (eq. 8)                        |      |
//!
//! Departures. Shapes are matched ahead, at x + h v, unless [`ShapeMatchingParams::foresight`] says otherwise: eq. 8
//! as printed never loses energy, and a body rings on. Eq. 7 divides by |N_i| and takes R, T, c of each region that
//! holds vertex i (as printed it does neither). Lanes work on the difference from the body's own rigid motion, in f32;
//! the state stays in f64. The net linear and angular momentum that matching adds (rounding; and for N ≥ 1 or uneven
//! stiffness the method itself) is removed from bodies that nothing clamps. `pull` is rescaled by the step
//! ([`ShapeMatchingParams::pull_over`]). T turns with a key shape: T' = R_o T R_oᵀ.
//!
//! Where stiffness is painted below 1, regions count less in every pass ([`soften`]).
//!
//! `passes` reaches the stiffness of N with fewer passes ([`accelerate`]).
//!
//! Limits. Stiffness costs passes, the root of N at best. The sum of momenta is not restored in a body that is clamped.
//! A wholly collinear body keeps its spin about its own axis as it is.

mod accelerate;
mod answers;
mod batches;
mod body;
mod compliance;
mod damp_regions;
mod energy;
mod exchange;
mod frame;
mod hold;
mod matcher;
mod model;
mod params;
mod passes;
mod rigid_newton;
mod rigid_pgs;
pub(crate) mod rotation;
mod schedule;
mod small_islands;
mod soften;
mod stages;
mod stretch;
mod vertex_pgs;
mod work;

pub use params::{REFERENCE_STEP_SECS, ShapeMatchingError, ShapeMatchingParams, region_spread_m2};
pub use work::MatchingWork;

use crate::simd::Path;
use crate::simd::Record;
use crate::{BodyId, BodyState, Cues, Flesh, Material, Memory, Solver, StepError, StepInput, StepReport};
use body::Body;
use matcher::Matcher;
use model::Model;
use rayon::prelude::*;
use std::sync::Arc;
use vertex_pgs::VertexPgs;

/// One body to match.
#[derive(Debug, Clone)]
pub struct ShapeMatchingBody {
    pub flesh: Arc<Flesh>,
    pub material: Material,
    pub params: ShapeMatchingParams,
}

/// Matches all bodies of a stage that ask for it.
pub struct ShapeMatchingSolver {
    bodies: Vec<Body>,
    /// What bodies of one flesh take turns with, on one thread.
    matchers: Vec<Matcher>,
    vertex_pgs: VertexPgs,
    path: Path,
}

/// A solver's points together, from which on bodies are shared among threads.
const PARALLEL_POINTS: usize = 2048;

impl ShapeMatchingSolver {
    pub fn new(bodies: Vec<ShapeMatchingBody>) -> Result<Self, ShapeMatchingError> {
        Self::with_path(bodies, Path::best())
    }

    fn with_path(bodies: Vec<ShapeMatchingBody>, path: Path) -> Result<Self, ShapeMatchingError> {
        let mut models: Vec<Arc<Model>> = Vec::new();
        let mut matchers: Vec<Matcher> = Vec::new();
        let mut build = |(number, body): (usize, ShapeMatchingBody)| {
            check(number, &body)?;
            let shared = models.iter().find(|model| Arc::ptr_eq(&model.flesh, &body.flesh)).cloned();
            let model = shared.unwrap_or_else(|| {
                models.push(Arc::new(Model::new(&body.flesh)));
                models[models.len() - 1].clone()
            });
            let blends = body.params.blends();
            let shared = matchers.iter().position(|matcher| matcher.fits(&model, &blends)).unwrap_or_else(|| {
                matchers.push(Matcher::new(&model, path, blends));
                matchers.len() - 1
            });
            Ok(Body::new(&body, model, shared))
        };
        let bodies = bodies.into_iter().enumerate().map(&mut build).collect::<Result<_, _>>()?;
        Ok(Self { bodies, matchers, vertex_pgs: VertexPgs::default(), path })
    }
}

fn check(number: usize, body: &ShapeMatchingBody) -> Result<(), ShapeMatchingError> {
    let pull = body.params.pull;
    if !(0.0..=1.0).contains(&pull) {
        return Err(ShapeMatchingError::Pull { body: number, pull });
    }
    let foresight = body.params.foresight;
    if !(0.0..=1.0).contains(&foresight) {
        return Err(ShapeMatchingError::Foresight { body: number, foresight });
    }
    let rate = body.params.region_damping_per_sec;
    if !(rate.is_finite() && rate >= 0.0) {
        return Err(ShapeMatchingError::RegionDamping { body: number, rate });
    }
    if let Some(passes) = body.params.passes
        && passes < body.params.fewest_passes()
    {
        let ShapeMatchingParams { iterations, .. } = body.params;
        let fewest = body.params.fewest_passes();
        return Err(ShapeMatchingError::Passes { body: number, passes, iterations, fewest });
    }
    // Neighbours are 32-bit byte offsets into records.
    let (points, most) = (body.flesh.point_count(), u32::MAX as usize / Record::BYTES - crate::simd::BLOCK - 1);
    if points > most {
        return Err(ShapeMatchingError::TooLarge { body: number, points, most });
    }
    let masses = &body.flesh.mass_kg;
    if let Some(point) = masses.iter().position(|m| !(m.is_finite() && *m >= 0.0)) {
        return Err(ShapeMatchingError::Mass { body: number, point, mass_kg: masses[point] });
    }
    if !masses.iter().any(|m| *m > 0.0) {
        return Err(ShapeMatchingError::Massless { body: number });
    }
    Ok(())
}

impl Solver for ShapeMatchingSolver {
    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn flesh(&self, body: usize) -> &Flesh {
        &self.bodies[body].model.flesh
    }

    fn rest_state(&self, body: usize) -> BodyState {
        let flesh = self.flesh(body);
        let rotation = vec![[0.0, 0.0, 0.0, 1.0]; flesh.point_count()];
        BodyState::at_rest(flesh, Memory::ShapeMatching { rotation })
    }

    fn step(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let h_secs = input.h_secs;
        vertex_pgs::mark_touched(&mut self.bodies, input);
        self.begin(bodies, input);
        input.check_stop()?;
        self.vertex_pgs.solve(self.path, &mut self.bodies, bodies, input);
        input.check_stop()?;
        compliance::give_way(&mut self.bodies, bodies, self.vertex_pgs.islands(), h_secs);
        if self.bodies.iter().any(|body| body.touched) {
            self.carry_on(bodies, input);
        }
        for (number, (body, cues)) in self.bodies.iter().zip(input.cues).enumerate() {
            body.report(BodyId(number as u32), cues, h_secs, report)?;
        }
        Ok(())
    }

    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64 {
        let Body { model, params, .. } = &self.bodies[body];
        energy::elastic_energy(model, params, state, cues)
    }
}

impl ShapeMatchingSolver {
    /// Whether bodies are shared among threads.
    fn is_parallel(&self) -> bool {
        let points: usize = self.bodies.iter().map(|body| body.model.points()).sum();
        points >= PARALLEL_POINTS && self.bodies.len() > 1 && rayon::current_num_threads() > 1
    }

    /// Every body up to where others have a say, on all threads where that is worth it.
    fn begin(&mut self, bodies: &mut [BodyState], input: &StepInput<'_>) {
        let contacts = |number: usize| input.contacts.get(number).map_or(&[][..], |contacts| &contacts[..]);
        let (path, h_secs) = (self.path, input.h_secs);
        if self.is_parallel() {
            let all = self.bodies.par_iter_mut().zip(bodies.par_iter_mut()).zip(input.cues.par_iter()).enumerate();
            all.for_each(|(number, ((body, state), cues))| {
                let mut own = body.take_own(path);
                body.begin(&mut own, state, cues, contacts(number), h_secs);
                body.own = Some(own);
            });
        } else {
            let all = self.bodies.iter_mut().zip(bodies).zip(input.cues).enumerate();
            for (number, ((body, state), cues)) in all {
                if body.own.is_none() && cues.rest_offset.is_empty() {
                    body.begin(&mut self.matchers[body.shared], state, cues, contacts(number), h_secs);
                } else {
                    let mut own = body.take_own(path);
                    body.begin(&mut own, state, cues, contacts(number), h_secs);
                    body.own = Some(own);
                }
            }
        }
    }

    /// Every body that others had a say in, the rest of the way.
    fn carry_on(&mut self, bodies: &mut [BodyState], input: &StepInput<'_>) {
        let h_secs = input.h_secs;
        if self.is_parallel() {
            let all = self.bodies.par_iter_mut().zip(bodies.par_iter_mut()).zip(input.cues.par_iter());
            all.for_each(|((body, state), cues)| body.carry_on(state, cues, h_secs));
        } else {
            let all = self.bodies.iter_mut().zip(bodies).zip(input.cues);
            all.for_each(|((body, state), cues)| body.carry_on(state, cues, h_secs));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::{bar, cloth};
    use sinew_math::{DVec3, Sym3, dvec3};

    /// A bent, contracting bar, a crushed one, and a sheet, after some steps on one path.
    fn run(path: Path) -> Vec<BodyState> {
        let tets = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [9, 3, 2]), 1000.0).unwrap());
        let sheet = Arc::new(Flesh::from_shell(&cloth(1.0, 1.0, [7, 8]), 0.2));
        let body = |flesh: &Arc<Flesh>, iterations, passes| ShapeMatchingBody {
            flesh: flesh.clone(),
            material: Material::default(),
            params: ShapeMatchingParams { iterations, passes, ..Default::default() },
        };
        let bodies = vec![body(&tets, 2, None), body(&tets, 12, Some(5)), body(&sheet, 2, None)];
        let mut solver = ShapeMatchingSolver::with_path(bodies, path).unwrap();
        let mut states: Vec<BodyState> = (0..3).map(|i| solver.rest_state(i)).collect();
        states[0].x.iter_mut().for_each(|x| x.y += x.x * x.x);
        states[1].x.iter_mut().for_each(|x| *x = dvec3(x.x, 0.0, 0.01 * x.z * x.y));
        states[2].x.iter_mut().for_each(|x| x.y += (7.0 * x.x).sin() * x.z);
        let mut cues = vec![Cues::default(); 3];
        for step in 0..40 {
            let ln_t = |x: &DVec3| Sym3::along(DVec3::X, 0.3 * (5.0 * x.x + 0.1 * f64::from(step)).sin());
            cues[0].log_stretch = tets.rest.iter().map(ln_t).collect();
            cues[2].log_stretch = sheet.rest.iter().map(ln_t).collect();
            let contacts = vec![Vec::new(); 3];
            let input = StepInput { cues: &cues, contacts: &contacts, touching: &[], h_secs: 0.01, stop: None };
            solver.step(&mut states, &input, &mut StepReport::default()).unwrap();
        }
        states
    }

    #[test]
    fn every_path_gives_the_same_bits() {
        let portable = run(Path::PORTABLE);
        for path in Path::all() {
            assert!(run(path) == portable, "{path:?} differs");
        }
    }

    #[test]
    fn copies_share_one_model() {
        let flesh = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [3, 1, 1]), 1000.0).unwrap());
        let body = ShapeMatchingBody { flesh, material: Material::default(), params: ShapeMatchingParams::default() };
        let solver = ShapeMatchingSolver::new(vec![body; 3]).unwrap();
        assert!(Arc::ptr_eq(&solver.bodies[0].model, &solver.bodies[2].model));
    }
}
