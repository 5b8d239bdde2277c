//! Finite elements on linear tetrahedra, stepped by implicit Euler with projected Newton.
//!
//! A step minimises `Σ m/2h² |x − x̂|² + W(x) + (goals, drag, damping, contact)`, x̂ the free prediction (Martin, Thomaszewski, Grinspun,
//! Gross, "Example-based elastic materials", SIGGRAPH 2011, §3: implicit Euler as a minimum). Unknown is the
//! displacement from x̂, so that free fall is exact whatever the numbers. Elements are corotated (see `element.rs`),
//! the Hessian is projected to be positive semidefinite, and each Newton step is made to descend. Bodies that touch each
//! other are one minimum, an island (see `implicit/island.rs`).
//!
//! Limits: linear tets lock in bending and near ν = 0.5; friction goes by the pressing force of the last Newton iteration.

mod body;
mod descent;
mod element;
mod elements;
mod law;
mod midpoint;
mod params;
mod tets;

pub use crate::implicit::LinearSolve;
pub use descent::DescentSolver;
pub use params::{FemMethod, FemParams, Smoothing, TimeScheme};

use crate::implicit::Islands;
use crate::{
    BodyId, BodyState, Cells, Cues, Flesh, Material, Memory, Solver, StepError, StepInput, StepReport, Warning,
};
pub(crate) use body::FemScratch;
use sinew_math::DQuat;
use std::sync::Arc;

/// One body as the solver takes it.
#[derive(Debug, Clone)]
pub struct FemBody {
    pub flesh: Arc<Flesh>,
    pub material: Material,
    pub params: FemParams,
}

/// Why flesh cannot be simulated by FEM.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FemError {
    #[error("FEM needs tetrahedra, but this flesh is a shell; shape_matching takes shells")]
    NotTets,
}

pub struct FemSolver {
    bodies: Vec<FemBody>,
    scratch: Vec<FemScratch>,
    islands: Islands,
}

impl FemSolver {
    pub fn new(bodies: Vec<FemBody>) -> Result<Self, FemError> {
        let scratch = bodies.iter().map(FemScratch::new).collect::<Result<_, _>>()?;
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
        self.scratch.iter_mut().for_each(|scratch| scratch.refusals.begin_step());
        self.islands.step(&self.bodies, &mut self.scratch, bodies, input, &takes_part);
        input.check_stop()?;
        for (number, (state, scratch)) in bodies.iter().zip(&self.scratch).enumerate() {
            if !takes_part(number) {
                continue;
            }
            let body = BodyId(number as u32);
            report.add_body(body, state, &scratch.unknowns.reactions, scratch.unknowns.residual)?;
            let complaint = scratch.refusals.complaint();
            report.warnings.extend(complaint.map(|what| Warning { body, tick: 0, what: what.into() }));
        }
        Ok(())
    }

    /// What to say of a midpoint step of a body that was refused among bodies of other methods, where it has not been said.
    pub(crate) fn note_refusal(&mut self, number: usize) -> Option<&'static str> {
        let refusals = &mut self.scratch[number].refusals;
        refusals.note();
        refusals.complaint()
    }
}

impl Solver for FemSolver {
    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn flesh(&self, body: usize) -> &Flesh {
        &self.bodies[body].flesh
    }

    fn rest_state(&self, body: usize) -> BodyState {
        rest_state(&self.bodies[body])
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
        body::elastic_energy(&self.bodies[body], state, cues)
    }
}

/// A body at rest in its own frame.
fn rest_state(body: &FemBody) -> BodyState {
    let flesh = &body.flesh;
    let elements = match &flesh.cells {
        Cells::Tets(tets) => elements::Elements::count(tets, body.params.smoothing),
        Cells::Shell(_) => 0,
    };
    let memory = Memory::Fem { rotation: vec![DQuat::IDENTITY; elements] };
    BodyState::at_rest(flesh, memory)
}
