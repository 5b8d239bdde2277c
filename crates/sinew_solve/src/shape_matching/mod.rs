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
//! | `iterations`      | N            | goals are matched again N times: N + 1 passes                  |      |
//! | `pull`            | α            | share of g − x closed in a step (eq. 8)                        |      |
//!
//! Departures. Eq. 7 divides by |N_i| and takes R, T, c of each region that holds vertex i (as printed it does
//! neither). Lanes work on the difference from the body's own rigid motion, in f32; the state stays in f64. The net
//! linear and angular momentum that matching adds (rounding; and for N ≥ 1 or uneven stiffness the method itself) is
//! removed from bodies without pins. `pull` is rescaled by the step ([`ShapeMatchingParams::pull_over`]).
//! T turns with a key shape: T' = R_o T R_oᵀ.
//!
//! Limits. Stiffness grows only with N, and with it the cost. The sum of momenta is not restored in a body with pins.
//! A wholly collinear body keeps its spin about its own axis as it is.

mod energy;
mod hold;
mod lanes;
mod matcher;
mod model;
mod params;
mod passes;
mod rotation;
mod stretch;

pub use params::{REFERENCE_STEP_SECS, ShapeMatchingError, ShapeMatchingParams};

use crate::{
    Asked, BodyId, BodyState, Contact, Cues, Flesh, Material, Memory, Reaction, Solver, StepError, StepReport, rigid,
};
use hold::{Hold, Moving};
use lanes::Record;
use matcher::{Matcher, Points};
use model::Model;
use passes::Path;
use rayon::prelude::*;
use sinew_math::{DVec3, libm};
use std::sync::Arc;

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
}

/// A body with its scratch.
struct Body {
    material: Material,
    params: ShapeMatchingParams,
    size_m: f64,
    matcher: Matcher,
    hold: Hold,
    pull: Vec<DVec3>,
    not_finite: Option<usize>,
}

/// A solver's points together, from which on bodies are shared among threads.
const PARALLEL_POINTS: usize = 2048;

impl ShapeMatchingSolver {
    pub fn new(bodies: Vec<ShapeMatchingBody>) -> Result<Self, ShapeMatchingError> {
        Self::with_path(bodies, Path::best())
    }

    fn with_path(bodies: Vec<ShapeMatchingBody>, path: Path) -> Result<Self, ShapeMatchingError> {
        let mut models: Vec<Arc<Model>> = Vec::new();
        let mut build = |(number, body): (usize, ShapeMatchingBody)| {
            check(number, &body)?;
            let shared = models.iter().find(|model| Arc::ptr_eq(&model.flesh, &body.flesh)).cloned();
            let model = shared.unwrap_or_else(|| {
                models.push(Arc::new(Model::new(&body.flesh)));
                models[models.len() - 1].clone()
            });
            Ok(Body {
                material: body.material,
                params: body.params,
                size_m: body.flesh.size_m(),
                pull: vec![DVec3::ZERO; body.flesh.point_count()],
                matcher: Matcher::new(&model, path),
                hold: Hold::default(),
                not_finite: None,
            })
        };
        Ok(Self { bodies: bodies.into_iter().enumerate().map(&mut build).collect::<Result<_, _>>()? })
    }
}

fn check(number: usize, body: &ShapeMatchingBody) -> Result<(), ShapeMatchingError> {
    let pull = body.params.pull;
    if !(0.0..=1.0).contains(&pull) {
        return Err(ShapeMatchingError::Pull { body: number, pull });
    }
    // Neighbours are 32-bit byte offsets into records.
    let (points, most) = (body.flesh.point_count(), u32::MAX as usize / Record::BYTES - lanes::BLOCK - 1);
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
        &self.bodies[body].matcher.model.flesh
    }

    fn rest_state(&self, body: usize) -> BodyState {
        let flesh = self.flesh(body);
        let mut state = BodyState {
            origin: DVec3::ZERO,
            x: flesh.rest.clone(),
            v: vec![DVec3::ZERO; flesh.point_count()],
            memory: Memory::ShapeMatching { rotation: vec![[0.0, 0.0, 0.0, 1.0]; flesh.point_count()] },
        };
        state.recentre(&flesh.mass_kg);
        state
    }

    fn step(&mut self, bodies: &mut [BodyState], asked: &Asked<'_>, report: &mut StepReport) -> Result<(), StepError> {
        let h_secs = asked.h_secs;
        let points: usize = self.bodies.iter().map(|body| body.pull.len()).sum();
        let contacts = |number: usize| asked.contacts.get(number).map_or(&[][..], |contacts| &contacts[..]);
        if points >= PARALLEL_POINTS && self.bodies.len() > 1 && rayon::current_num_threads() > 1 {
            let all = self.bodies.par_iter_mut().zip(bodies.par_iter_mut()).zip(asked.cues.par_iter()).enumerate();
            all.for_each(|(number, ((body, state), cues))| body.step(state, cues, contacts(number), h_secs));
        } else {
            let all = self.bodies.iter_mut().zip(bodies).zip(asked.cues).enumerate();
            all.for_each(|(number, ((body, state), cues))| body.step(state, cues, contacts(number), h_secs));
        }
        for (number, (body, cues)) in self.bodies.iter().zip(asked.cues).enumerate() {
            body.report(BodyId(number as u32), cues, h_secs, report)?;
        }
        Ok(())
    }

    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64 {
        let Body { matcher, params, .. } = &self.bodies[body];
        energy::elastic_energy(&matcher.model, params, state, cues)
    }
}

impl Body {
    /// One body over one interval (PD eq. 8–9). Same inputs, same bits out.
    fn step(&mut self, state: &mut BodyState, cues: &Cues, contacts: &[Contact], h_secs: f64) {
        self.match_shape(state, cues, h_secs);
        self.accelerate(state, cues, h_secs);
        self.damp(state, cues, h_secs);
        let flesh = &*self.matcher.model.flesh;
        let BodyState { x, v, .. } = state;
        let mut moving = Moving { flesh, size_m: self.size_m, x, v, h_secs };
        self.hold.settle(&mut moving, cues, contacts);
        for (x, v) in moving.x.iter_mut().zip(&*moving.v) {
            *x += *v * h_secs;
        }
        self.hold.fix_pins(&mut moving, &cues.pins);
        state.recentre(&flesh.mass_kg);
        self.not_finite = state.first_not_finite();
    }

    /// Goals of every point, and the velocity change towards them.
    fn match_shape(&mut self, state: &mut BodyState, cues: &Cues, h_secs: f64) {
        let params = self.params;
        let even = params.pull_over(h_secs, 1.0) / h_secs;
        let share = |i: usize| match cues.stiffness.get(i) {
            Some(factor) => params.pull_over(h_secs, *factor) / h_secs,
            None => even,
        };
        let rotation = rotations(&mut state.memory, self.pull.len());
        let mut at = Points { x: &state.x, origin: state.origin, rotation };
        let passes = params.iterations as usize + 1;
        self.matcher.pull(&mut at, cues, passes, share, cues.pins.is_empty(), &mut self.pull);
    }

    /// v + α (g − x)/h + h f/m.
    fn accelerate(&self, state: &mut BodyState, cues: &Cues, h_secs: f64) {
        for (v, pull) in state.v.iter_mut().zip(&self.pull) {
            *v += *pull;
        }
        let masses = &self.matcher.model.flesh.mass_kg;
        for ((v, force), mass) in state.v.iter_mut().zip(&cues.force_n).zip(masses) {
            if *mass > 0.0 {
                *v += *force * (h_secs / *mass);
            }
        }
    }

    /// Wobble dies away; the body's fall and spin do not.
    fn damp(&self, state: &mut BodyState, cues: &Cues, h_secs: f64) {
        let rate = self.material.damping.wobble_per_sec * h_secs;
        if rate > 0.0 {
            let even = libm::exp(-rate);
            rigid::damp_wobble(&self.matcher.model.flesh.mass_kg, state, |i| match cues.damping.get(i) {
                Some(factor) => libm::exp(-rate * factor),
                None => even,
            });
        }
    }

    fn report(&self, id: BodyId, cues: &Cues, h_secs: f64, report: &mut StepReport) -> Result<(), StepError> {
        if let Some(vertex) = self.not_finite {
            return Err(StepError::NotFinite { body: id, vertex });
        }
        for (pin, impulse) in cues.pins.iter().zip(&self.hold.pin_impulses) {
            report.reactions.push(Reaction { body: id, row: pin.at, force_n: *impulse / h_secs });
        }
        Ok(())
    }
}

/// The warm starts; a state that comes from elsewhere starts from none.
fn rotations(memory: &mut Memory, points: usize) -> &mut Vec<[f32; 4]> {
    const NONE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    if !matches!(memory, Memory::ShapeMatching { rotation } if rotation.len() == points) {
        *memory = Memory::ShapeMatching { rotation: vec![NONE; points] };
    }
    match memory {
        Memory::ShapeMatching { rotation } => rotation,
        Memory::Fem { .. } => unreachable!("replaced above"),
    }
}
