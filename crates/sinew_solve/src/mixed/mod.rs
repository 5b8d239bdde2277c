//! Bodies of several implicit methods that touch each other, solved as one island.
//!
//! Newton's method on elements, vertex block descent and implicit springs all minimise an objective of one form (`implicit/objective.rs`). An
//! island whose bodies have different methods is therefore one minimum too, and the same Newton's method finds it: contact between
//! them is as stiff, as rough and as well converged as between bodies of one method. Bodies that touch only their own kind are
//! left to their own solver.
//!
//! Springs with adaptive inner steps take the implicit step while they are in such an island.

mod any_body;

use crate::contact::{IslandMap, Spot};
use crate::fem::{DescentSolver, FemBody, FemError, FemSolver};
use crate::implicit::{Implicit, Islands};
use crate::springs::{SpringsBody, SpringsError, SpringsSolver};
use crate::{BodyContact, BodyId, BodyState, Cues, Flesh, Solver, StepError, StepInput, StepReport, Warning};
use any_body::{AnyBody, AnyScratch};
use std::ops::Range;

/// Moves bodies of all implicit methods. They are numbered by method: Newton's, descent, springs.
pub struct MixedSolver {
    newton: FemSolver,
    descent: DescentSolver,
    springs: SpringsSolver,
    bodies: Vec<AnyBody>,
    scratch: Vec<AnyScratch>,
    islands: Islands,
    map: IslandMap,
    /// Whether a body is in an island of several methods.
    is_mixed: Vec<bool>,
    /// Contacts among the other bodies of each method, in its own numbers.
    within: [Vec<BodyContact>; METHODS],
    /// Contacts in islands of several methods.
    across: Vec<BodyContact>,
}

const METHODS: usize = 3;

/// Why bodies cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MixedError {
    #[error(transparent)]
    Fem(#[from] FemError),
    #[error(transparent)]
    Springs(#[from] SpringsError),
}

impl MixedSolver {
    pub fn new(newton: Vec<FemBody>, descent: Vec<FemBody>, springs: Vec<SpringsBody>) -> Result<Self, MixedError> {
        let mut bodies = Vec::with_capacity(newton.len() + descent.len() + springs.len());
        bodies.extend(newton.iter().chain(&descent).cloned().map(AnyBody::Fem));
        for body in &springs {
            bodies.push(AnyBody::springs(body.clone())?);
        }
        Ok(Self {
            newton: FemSolver::new(newton)?,
            descent: DescentSolver::new(descent)?,
            springs: SpringsSolver::new(springs)?,
            scratch: bodies.iter().map(AnyScratch::new).collect::<Result<_, _>>()?,
            islands: Islands::new(bodies.len()),
            map: IslandMap::default(),
            is_mixed: vec![false; bodies.len()],
            within: Default::default(),
            across: Vec::new(),
            bodies,
        })
    }

    /// Bodies of each method.
    fn ranges(&self) -> [Range<usize>; METHODS] {
        let first = self.newton.body_count();
        let second = first + self.descent.body_count();
        [0..first, first..second, second..self.bodies.len()]
    }

    fn part(&self, body: usize) -> (&dyn Solver, usize) {
        let parts: [&dyn Solver; METHODS] = [&self.newton, &self.descent, &self.springs];
        let ranges = self.ranges();
        let number = ranges.iter().position(|range| range.contains(&body)).unwrap_or(METHODS - 1);
        (parts[number], body - ranges[number].start)
    }

    /// Finds islands of several methods, and hands contacts out.
    fn divide(&mut self, touching: &[BodyContact]) {
        let ranges = self.ranges();
        let method = |body: usize| ranges.iter().position(|range| range.contains(&body));
        self.map.find(self.bodies.len(), touching, |_| true);
        // The lowest body of an island names it.
        let mut island_is_mixed = vec![false; self.bodies.len()];
        for body in 0..self.bodies.len() {
            island_is_mixed[self.map.of(body)] |= method(body) != method(self.map.of(body));
        }
        for (body, is_mixed) in self.is_mixed.iter_mut().enumerate() {
            *is_mixed = island_is_mixed[self.map.of(body)];
        }
        self.within.iter_mut().for_each(Vec::clear);
        self.across.clear();
        for contact in touching {
            let vertex = contact.vertex.body.0 as usize;
            let Some(method) = method(vertex).filter(|_| !self.is_mixed[vertex]) else {
                self.across.push(*contact);
                continue;
            };
            let first = ranges[method].start as u32;
            let mut own = *contact;
            own.vertex.body = BodyId(own.vertex.body.0 - first);
            own.face.body = BodyId(own.face.body.0 - first);
            self.within[method].push(own);
        }
    }

    /// Steps the bodies that touch none of another method.
    fn step_apart(
        &mut self,
        states: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let [newton, descent, springs] = self.ranges();
        let is_mixed = &self.is_mixed[..];
        let mut numbered = Numbered { report };
        numbered.run(newton.start, |report| {
            let apart = |number: usize| !is_mixed[newton.start + number];
            let input = part_of(input, &newton, &self.within[0]);
            self.newton.step_where(&mut states[newton.clone()], &input, report, apart)
        })?;
        numbered.run(descent.start, |report| {
            let apart = |number: usize| !is_mixed[descent.start + number];
            let input = part_of(input, &descent, &self.within[1]);
            self.descent.step_where(&mut states[descent.clone()], &input, report, apart)
        })?;
        numbered.run(springs.start, |report| {
            let apart = |number: usize| !is_mixed[springs.start + number];
            let input = part_of(input, &springs, &self.within[2]);
            self.springs.step_where(&mut states[springs.clone()], &input, report, apart)
        })
    }

    /// Steps the islands of several methods.
    fn step_together(
        &mut self,
        states: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Self { newton, bodies, scratch, islands, is_mixed, across, .. } = self;
        if across.is_empty() {
            return Ok(());
        }
        let input = StepInput { touching: across, ..*input };
        islands.step(bodies, scratch, states, &input, |number| is_mixed[number]);
        input.check_stop()?;
        for number in (0..bodies.len()).filter(|&number| is_mixed[number]) {
            let unknowns = scratch[number].unknowns();
            let body = BodyId(number as u32);
            report.add_body(body, &states[number], &unknowns.reactions, unknowns.residual)?;
            let complaint = if scratch[number].take_refusal() { newton.note_refusal(number) } else { None };
            report.warnings.extend(complaint.map(|what| Warning { body, tick: 0, what: what.into() }));
        }
        Ok(())
    }
}

/// What is asked of the bodies of one method, which touch each other by `touching`.
fn part_of<'a>(input: &StepInput<'a>, bodies: &Range<usize>, touching: &'a [BodyContact]) -> StepInput<'a> {
    StepInput {
        cues: &input.cues[bodies.clone()],
        contacts: input.contacts.get(bodies.clone()).unwrap_or_default(),
        touching,
        h_secs: input.h_secs,
        stop: input.stop,
    }
}

/// A report to which solvers add in their own numbers.
struct Numbered<'a> {
    report: &'a mut StepReport,
}

impl Numbered<'_> {
    /// Runs a solver whose first body is `first`, and turns what it has reported into the numbers of all.
    fn run(
        &mut self,
        first: usize,
        step: impl FnOnce(&mut StepReport) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        let report = &mut *self.report;
        let (reactions, residuals, warnings) = (report.reactions.len(), report.residuals.len(), report.warnings.len());
        let offset = |body: BodyId| BodyId(body.0 + first as u32);
        step(report).map_err(|error| match error {
            StepError::NotFinite { body, vertex } => StepError::NotFinite { body: offset(body), vertex },
            other => other,
        })?;
        report.reactions[reactions..].iter_mut().for_each(|reaction| reaction.body = offset(reaction.body));
        report.residuals[residuals..].iter_mut().for_each(|residual| residual.body = offset(residual.body));
        report.warnings[warnings..].iter_mut().for_each(|warning| warning.body = offset(warning.body));
        Ok(())
    }
}

impl Solver for MixedSolver {
    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    fn flesh(&self, body: usize) -> &Flesh {
        self.bodies[body].flesh()
    }

    fn rest_state(&self, body: usize) -> BodyState {
        let (part, number) = self.part(body);
        part.rest_state(number)
    }

    fn step(
        &mut self,
        bodies: &mut [BodyState],
        input: &StepInput<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.divide(input.touching);
        self.step_apart(bodies, input, report)?;
        self.step_together(bodies, input, report)
    }

    fn inverse_mass(&self, body: usize, row: &Spot) -> f64 {
        let (part, number) = self.part(body);
        part.inverse_mass(number, row)
    }

    fn energy(&self, body: usize, state: &BodyState, cues: &Cues) -> f64 {
        let (part, number) = self.part(body);
        part.energy(number, state, cues)
    }
}
