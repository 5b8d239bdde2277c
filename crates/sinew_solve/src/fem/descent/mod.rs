//! Vertex block descent: implicit Euler as a minimum, looked for one vertex at a time.
//!
//! Chen, Liu, Yang, Yuksel, "Vertex Block Descent", SIGGRAPH 2024 [VBD]: a step minimises `Σ m/2h² |x − x̂|² + W(x) + …` (their eq. 3), and each vertex in turn
//! goes to the minimum of what it alone can change, by one Newton step with a 3×3 matrix (eq. 9–13). Vertices of one colour share no
//! tetrahedron and move at once. Every step goes downhill, so that any number of sweeps is stable; more of them come closer to the
//! answer of [`super::FemSolver`], and what is missing looks softer.
//!
//! Departures. Lanes hold the difference from the body's own rigid motion (see `kernel.rs`), in f32; states stay in f64. The six rigid motions
//! are solved for by themselves before, between and after sweeps (`implicit/rigid_modes.rs`), which lets landings go through the whole body at once and takes back the
//! momentum that unfinished sweeps add. The adaptive first guess (§3.7) takes its acceleration from the forces at the start of the step and not from the
//! step before, so that nothing more has to be remembered. Contact acts on all its points as they were when the sweep
//! began, with a matrix that bounds the sum (`batch.rs`), so that contacts need no colours. Damping by stiffness is that of the reference, in
//! the frame that tetrahedra had, and not the paper's (eq. 17), which also slows down rotation.
//!
//! Sweeps pass a push on by about a cell each. What is stiffer than that lets them reach, and whatever they leave far from equilibrium, is
//! solved for by Newton's method with swept conjugate gradients (`newton_fallback.rs`).
//!
//! Limits. Contact is looked at in one thread.

mod accelerate;
mod batch;
mod body_contacts;
mod contraction;
mod dampers;
mod external;
mod kernel;
mod laws;
mod layout;
mod member;
mod moments;
mod newton_fallback;
mod rigid_modes;

use super::body::Interval;
use super::{FemBody, FemError, FemMethod};
use crate::implicit::RigidSystem;
use crate::simd::Path;
use crate::{BodyId, BodyState, Cells, Cues, Flesh, Material, Solver, StepError, StepInput, StepReport, StretchLaw};
use batch::Batch;
use body_contacts::BodyContacts;
use member::Member;
use newton_fallback::NewtonFallback;
use rayon::prelude::*;

/// A solver's points together, from which on threads share them.
const PARALLEL_POINTS: usize = 4096;
/// Steps of the rigid motions before sweeps begin, and after they end.
const FIRST_RIGID_STEPS: usize = 2;
const LAST_RIGID_STEPS: usize = 2;
/// Steps that end this close to equilibrium are taken at their word about the torque of inner forces.
const CONVERGED: f64 = 0.05;

/// Moves all bodies that ask for descent.
pub struct DescentSolver {
    members: Vec<Member>,
    batches: Vec<Batch>,
    /// Sweeps of each batch.
    sweeps: Vec<u32>,
    body_contacts: BodyContacts,
    rigid_system: RigidSystem,
    newton_fallback: NewtonFallback,
    /// How far from equilibrium sweeps have ended, for each body: see [`crate::Residual`].
    residuals: Vec<f64>,
}

impl DescentSolver {
    /// Bodies whose method is not descent are swept as often as it is by default.
    pub fn new(bodies: Vec<FemBody>) -> Result<Self, FemError> {
        Self::with_path(bodies, Path::best())
    }

    fn with_path(bodies: Vec<FemBody>, path: Path) -> Result<Self, FemError> {
        let mut kinds: Vec<(StretchLaw, u32)> = Vec::new();
        let mut members = Vec::with_capacity(bodies.len());
        let mut sizes: Vec<(usize, usize)> = Vec::new();
        for body in bodies {
            let Cells::Tets(tets) = &body.flesh.cells else { return Err(FemError::NotTets) };
            let kind = (body.material.law, iterations(&body));
            let batch = kinds.iter().position(|other| *other == kind).unwrap_or_else(|| {
                kinds.push(kind);
                sizes.push((0, 0));
                kinds.len() - 1
            });
            let (first_point, first_tet) = sizes[batch];
            sizes[batch] = (first_point + body.flesh.point_count(), first_tet + tets.len());
            members.push(Member::new(body, batch, first_point, first_tet));
        }
        let build = |(number, (law, _)): (usize, &(StretchLaw, u32))| {
            let tets = |member: &'_ Member| match &member.setup.flesh.cells {
                Cells::Tets(tets) => tets.clone(),
                Cells::Shell(_) => Vec::new(),
            };
            let of: Vec<_> =
                members.iter().filter(|m| m.batch == number).map(|m| (m.flesh().point_count(), tets(m))).collect();
            let of: Vec<(usize, &[[u32; 4]])> = of.iter().map(|(points, tets)| (*points, &tets[..])).collect();
            Batch::new(*law, path, &of)
        };
        let batches = kinds.iter().enumerate().map(build).collect();
        Ok(Self {
            newton_fallback: NewtonFallback::new(members.iter().map(|member| &member.setup))?,
            sweeps: kinds.iter().map(|kind| kind.1).collect(),
            residuals: vec![0.0; members.len()],
            members,
            batches,
            body_contacts: BodyContacts::default(),
            rigid_system: RigidSystem::default(),
        })
    }
}

fn iterations(body: &FemBody) -> u32 {
    match body.params.method {
        FemMethod::Descent { iterations } => iterations,
        FemMethod::Newton => FemMethod::DESCENT_ITERATIONS,
    }
}

impl Solver for DescentSolver {
    fn body_count(&self) -> usize {
        self.members.len()
    }

    fn flesh(&self, body: usize) -> &Flesh {
        self.members[body].flesh()
    }

    fn rest_state(&self, body: usize) -> BodyState {
        super::rest_state(&self.members[body].setup)
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
        super::body::elastic_energy(&self.members[body].setup, state, cues)
    }
}

/// What stays the same for one body in a step.
fn interval<'a>(setups: &'a FemBody, number: usize, states: &'a [BodyState], input: &'a StepInput<'_>) -> Interval<'a> {
    let contacts = input.contacts.get(number).map_or(&[][..], |contacts| &contacts[..]);
    let (cues, touching, h) = (&input.cues[number], input.touching, input.h_secs);
    Interval { body: setups, start: &states[number], cues, contacts, number, touching, h }
}

impl DescentSolver {
    /// Steps the bodies that take part, of those that touch each other all or none.
    pub(crate) fn step_where(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
        takes_part: impl Fn(usize) -> bool,
    ) -> Result<(), StepError> {
        self.newton_fallback.choose(input, &takes_part);
        if !self.newton_fallback.is_all() {
            self.begin(bodies, input);
            self.sweep(bodies, input);
            self.finish(bodies, input);
        }
        input.check_stop()?;
        self.newton_fallback.step(bodies, input);
        input.check_stop()?;
        for (number, (state, member)) in bodies.iter().zip(&self.members).enumerate() {
            if takes_part(number) {
                let (reactions, residual) =
                    self.newton_fallback.answer(number).unwrap_or((&member.reactions, self.residuals[number]));
                report.add_body(BodyId(number as u32), state, reactions, residual)?;
            }
        }
        Ok(())
    }

    fn is_parallel(&self) -> bool {
        let points: usize = self.members.iter().map(|member| member.predicted.len()).sum();
        points >= PARALLEL_POINTS && rayon::current_num_threads() > 1
    }

    /// Everything that does not change while the step is solved for.
    fn begin(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        let each = |(number, member): (usize, &mut Member)| {
            let setup = member.setup.clone();
            member.begin(&interval(&setup, number, states, input));
        };
        if self.is_parallel() {
            self.members.par_iter_mut().enumerate().for_each(each);
        } else {
            self.members.iter_mut().enumerate().for_each(each);
        }
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let of = || self.members.iter().zip(input.cues).filter(|(member, _)| member.batch == number);
            let is_damped = |material: &Material| material.damping.rayleigh_stiffness_secs > 0.0;
            batch.begin(
                of().any(|(_, cues)| !(cues.log_stretch.is_empty() && cues.rest_offset.is_empty())),
                of().any(|(member, _)| is_damped(&member.setup.material)),
            );
        }
        for (number, member) in self.members.iter_mut().enumerate() {
            let setup = member.setup.clone();
            self.batches[member.batch].load(member, &interval(&setup, number, states, input));
        }
        let parallel = self.is_parallel();
        self.batches.iter_mut().for_each(|batch| batch.start_dampers(parallel));
        let members = &self.members;
        let at = |number: usize| interval(&members[number].setup, number, states, input);
        self.body_contacts.begin(members.len(), input.touching, at);
        self.guess(states, input);
    }

    /// Where sweeps of bodies begin that something holds up: with no more of the outer forces' acceleration than their flesh lets
    /// through where they are.
    fn guess(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        let parallel = self.is_parallel();
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let of = |(body, member): &(usize, &Member)| {
                member.batch == number && (member.is_held() || self.body_contacts.touches(*body))
            };
            let is_pushed = |(body, _): &(usize, &Member)| !input.cues[*body].force_n.is_empty();
            let held = || self.members.iter().enumerate().filter(of).filter(is_pushed);
            if held().next().is_none() {
                continue;
            }
            for (number, member) in held() {
                member.put_at_start(&interval(&member.setup, number, states, input), batch);
            }
            batch.find_gradient(parallel);
            for (number, member) in held() {
                let at = interval(&member.setup, number, states, input);
                member.put_at_guess(&at, batch, self.body_contacts.touches(number));
                member.limit_guess(&at, batch);
            }
        }
        self.body_contacts.limit_guess(&self.members, states, &mut self.batches, input.h_secs);
    }

    fn sweep(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        let parallel = self.is_parallel();
        for _ in 0..FIRST_RIGID_STEPS {
            self.solve_rigid_modes(states, input, false);
        }
        self.batches.iter_mut().for_each(|batch| batch.before.copy_from_slice(&batch.points));
        for iteration in 0..self.sweeps.iter().copied().max().unwrap_or(0) {
            if input.check_stop().is_err() {
                return;
            }
            self.keep_active(states, input);
            self.put_external(states, input);
            for (batch, sweeps) in self.batches.iter_mut().zip(&self.sweeps) {
                if iteration < *sweeps {
                    batch.enter();
                    batch.sweep(parallel);
                }
            }
            self.hold_rows(input);
            self.body_contacts.take_back(&self.members, &mut self.batches);
            self.solve_rigid_modes(states, input, false);
            self.accelerate(iteration);
        }
    }

    /// Carries bodies on after sweep number `iteration`, but for the last.
    fn accelerate(&mut self, iteration: u32) {
        for member in &mut self.members {
            if iteration + 1 < self.sweeps[member.batch] {
                accelerate::carry_on(member, &mut self.batches[member.batch]);
            }
        }
    }

    /// Contact as it is now, in the lanes.
    fn put_external(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        self.body_contacts.clear(&self.members, &mut self.batches);
        for (number, member) in self.members.iter_mut().enumerate() {
            if member.has_external() {
                let setup = member.setup.clone();
                member.put_external(&interval(&setup, number, states, input), &mut self.batches[member.batch]);
            }
        }
        self.body_contacts.put(&self.members, &mut self.batches, input.h_secs);
    }

    /// Pinned rows of several points go back to where they are held.
    fn hold_rows(&mut self, input: &StepInput<'_>) {
        for (member, cues) in self.members.iter_mut().zip(input.cues) {
            if member.constraints.has_rows() {
                member.hold_rows(cues, &mut self.batches[member.batch]);
            }
        }
    }

    fn finish(&mut self, states: &mut [BodyState], input: &StepInput<'_>) {
        let parallel = self.is_parallel();
        for _ in 0..LAST_RIGID_STEPS {
            self.solve_rigid_modes(states, input, true);
        }
        self.balance_islands();
        self.find_gradients(states, input);
        self.measure_residuals(states, input);
        self.report_reactions(states, input);
        let Self { members, batches, newton_fallback, body_contacts, residuals, .. } = self;
        let each = |(number, ((member, state), cues)): (usize, ((&mut Member, &mut BodyState), &Cues))| {
            if !newton_fallback.takes(number) {
                let converged = !body_contacts.touches(number) && residuals[number] < CONVERGED;
                member.finish(state, cues, input.h_secs, &batches[member.batch], converged);
            }
        };
        if parallel {
            members.par_iter_mut().zip(states.par_iter_mut()).zip(input.cues.par_iter()).enumerate().for_each(each);
        } else {
            members.iter_mut().zip(states).zip(input.cues).enumerate().for_each(each);
        }
    }

    /// The gradient of the objective where sweeps have led.
    fn find_gradients(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        self.update_normal_forces(states, input);
        self.put_external(states, input);
        let parallel = self.is_parallel();
        self.batches.iter_mut().for_each(|batch| batch.find_gradient(parallel));
    }

    /// How far from equilibrium sweeps have ended; where that is too far, Newton's method goes on.
    fn measure_residuals(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        let Self { members, batches, newton_fallback, residuals, .. } = self;
        residuals.resize(members.len(), 0.0);
        let unbalanced = members.iter().enumerate().map(|(number, member)| {
            member.unbalanced(&interval(&member.setup, number, states, input), &batches[member.batch])
        });
        newton_fallback.judge(input, unbalanced, residuals);
        for (number, member) in members.iter().enumerate() {
            if newton_fallback.takes(number) {
                newton_fallback.give(number, member.places(&batches[member.batch]));
            }
        }
    }

    fn report_reactions(&mut self, states: &[BodyState], input: &StepInput<'_>) {
        for (number, member) in self.members.iter_mut().enumerate() {
            let setup = member.setup.clone();
            let at = interval(&setup, number, states, input);
            member.report_reactions(&at, &self.batches[member.batch]);
        }
    }
}

#[cfg(test)]
mod tests;
