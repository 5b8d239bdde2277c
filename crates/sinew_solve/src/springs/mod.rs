//! Damped Hookean springs between points: lattices, sheets of cloth, and tetrahedra as nets of their edges.
//!
//! `m ẍ = −Σ (k (l − L) + c l̇) d + f`, with constants that give the material's Young's modulus (`network.rs`) and lengths L that
//! follow the cues (`rest_springs.rs`). Two ways through time (`SpringsMethod`): implicit Euler (`body.rs`; Baraff, Witkin, "Large
//! Steps in Cloth Simulation", SIGGRAPH 1998, as a minimum found by Newton's method instead of one linearised step) and Runge–Kutta of second
//! order with inner steps that the error sets (`adaptive.rs`), as Chadwick, Haumann, Parent, "Layered Construction for Deformable
//! Animated Characters", SIGGRAPH 1989, have it for the flesh of their characters.
//!
//! Limits: Poisson's ratio is what the net makes of it, about 1/4 (1/3 in sheets), whatever the material says; volume is not kept until a quarter
//! of it is left (`turned_cells.rs`).

mod adaptive;
mod body;
mod box_springs;
mod calibrate;
mod inner_contact;
mod network;
mod params;
mod rest_springs;
mod turned_cells;

pub use network::{Network, Spring, SpringKind};
pub use params::{SpringsMethod, SpringsParams};

use crate::implicit::Islands;
use crate::{BodyId, BodyState, Cues, Flesh, Material, Memory, Solver, StepError, StepInput, StepReport, Warning};
pub(crate) use body::SpringsScratch;
use rest_springs::{direction, find_rest_springs};
use std::sync::Arc;

/// One body as the solver takes it.
#[derive(Debug, Clone)]
pub struct SpringsBody {
    pub flesh: Arc<Flesh>,
    pub material: Material,
    pub params: SpringsParams,
    pub network: Network,
}

impl SpringsBody {
    /// A body whose springs follow from its material; the numbers of `network` may be changed afterwards.
    pub fn new(flesh: Arc<Flesh>, material: Material, params: SpringsParams) -> Self {
        let network = Network::of(&flesh, &material, &params);
        Self { flesh, material, params, network }
    }
}

/// Why a network cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpringsError {
    #[error("spring {spring} joins point {point}, but there are {count}")]
    NoSuchPoint { spring: usize, point: u32, count: usize },
    #[error("spring {spring} joins point {point} with itself")]
    Loop { spring: usize, point: u32 },
    #[error(
        "spring {spring} has stiffness {stiffness} N/m and damping {damping} N s/m; both must be finite and not negative"
    )]
    Constants { spring: usize, stiffness: f64, damping: f64 },
}

/// A body with what follows from its network.
pub(crate) struct Prepared {
    flesh: Arc<Flesh>,
    material: Material,
    params: SpringsParams,
    network: Network,
    /// Σ k at each point, N/m.
    stiffness_n_per_m: Vec<f64>,
    mean_length_m: f64,
}

impl Prepared {
    pub(crate) fn new(body: SpringsBody) -> Result<Self, SpringsError> {
        let SpringsBody { flesh, material, params, network } = body;
        let mut stiffness_n_per_m = vec![0.0; flesh.point_count()];
        let mut length_m = 0.0;
        for (number, spring) in network.springs.iter().enumerate() {
            check(number, spring, flesh.point_count())?;
            let [a, b] = spring.ends.map(|v| v as usize);
            stiffness_n_per_m[a] += spring.stiffness_n_per_m;
            stiffness_n_per_m[b] += spring.stiffness_n_per_m;
            length_m += flesh.rest[a].distance(flesh.rest[b]);
        }
        let mean_length_m = length_m / network.springs.len().max(1) as f64;
        Ok(Self { flesh, material, params, network, stiffness_n_per_m, mean_length_m })
    }

    pub(crate) fn flesh(&self) -> &Flesh {
        &self.flesh
    }
}

fn check(number: usize, spring: &Spring, count: usize) -> Result<(), SpringsError> {
    let &Spring { ends: [a, b], stiffness_n_per_m: stiffness, damping_n_s_per_m: damping, .. } = spring;
    if let Some(&point) = [a, b].iter().find(|&&point| point as usize >= count) {
        return Err(SpringsError::NoSuchPoint { spring: number, point, count });
    }
    if a == b {
        return Err(SpringsError::Loop { spring: number, point: a });
    }
    let is_fine = |value: f64| value.is_finite() && value >= 0.0;
    if !is_fine(stiffness) || !is_fine(damping) {
        return Err(SpringsError::Constants { spring: number, stiffness, damping });
    }
    Ok(())
}

pub struct SpringsSolver {
    bodies: Vec<Prepared>,
    scratch: Vec<SpringsScratch>,
    islands: Islands,
}

impl SpringsSolver {
    pub fn new(bodies: Vec<SpringsBody>) -> Result<Self, SpringsError> {
        let bodies = bodies.into_iter().map(Prepared::new).collect::<Result<Vec<_>, _>>()?;
        let scratch = bodies.iter().map(SpringsScratch::new).collect();
        Ok(Self { islands: Islands::new(bodies.len()), bodies, scratch })
    }

    /// Steps the bodies that take part, of those that touch each other all or none.
    pub(crate) fn step_where(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
        takes_part: impl Fn(usize) -> bool,
    ) -> Result<(), StepError> {
        self.islands.step(&self.bodies, &mut self.scratch, bodies, input, &takes_part);
        input.check_stop()?;
        for (number, (state, scratch)) in bodies.iter().zip(&self.scratch).enumerate() {
            if !takes_part(number) {
                continue;
            }
            let body = BodyId(number as u32);
            report.add_body(body, state, &scratch.unknowns.reactions, scratch.unknowns.residual)?;
            report.warnings.extend(scratch.inner.complaint().map(|what| Warning { body, tick: 0, what }));
        }
        Ok(())
    }

    /// Inner steps that a body took in the last step: 0 for an implicit one.
    pub fn inner_steps(&self, body: usize) -> u32 {
        self.scratch[body].inner.steps
    }
}

impl Solver for SpringsSolver {
    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn flesh(&self, body: usize) -> &Flesh {
        &self.bodies[body].flesh
    }

    fn rest_state(&self, body: usize) -> BodyState {
        BodyState::at_rest(self.flesh(body), Memory::Springs { length_m: Vec::new(), inner_secs: 0.0 })
    }

    fn step(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.step_where(bodies, input, report, |_| true)
    }

    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64 {
        let Prepared { flesh, network, .. } = &self.bodies[body];
        let mut springs = Vec::new();
        find_rest_springs(flesh, network, cues, &mut springs);
        let energy = |(spring, rest): (&Spring, &rest_springs::RestSpring)| {
            0.5 * rest.k * (direction(flesh, spring, &state.x).0 - rest.length_m).powi(2)
        };
        let of_springs: f64 = network.springs.iter().zip(&springs).map(energy).sum();
        of_springs + turned_cells::energy_j(&self.bodies[body], &state.x, cues)
    }
}
