//! Bodies that touch each other, solved as one.
//!
//! A contact between two bodies is a stiff one-sided spring between a vertex and a face with Coulomb friction, as with
//! obstacles (`contact_penalty.rs`). Its gradient goes to both with opposite signs, so that what
//! one gains the other loses. Conjugate gradients run over the degrees of freedom of the whole island.

mod joint;
mod reach;
mod springs;

pub(super) use springs::multiply_springs;

use super::matrix::{CgScratch, dot};
use super::ssor::{Buffers, Couplings};
use super::{BodyModel, ContactPenalty, Implicit, InitialGuess, Interval, Unknowns, is_free, midpoint};
use crate::contact::IslandMap;
use crate::solver::is_set;
use crate::spin::shift_arms;
use crate::{BodyContact, BodyState, Residual, StepInput, StopFlag};
use joint::Joint;
use rayon::prelude::*;
use sinew_math::DVec3;
use springs::{Spring, ends, penalty, place, slip};
use std::borrow::Cow;

/// Halvings of a Newton step before it is taken as it is.
const HALVINGS: u32 = 14;

/// Least iterations where something is touched: contacts come and go in the first of them.
const IN_CONTACT: u32 = 20;

/// Iterations while more than [`FAR`] of the forces do not balance.
const WHILE_FAR: u32 = 40;
const FAR: f64 = 0.1;

/// What is tolerated of the usual share where rest shapes change.
const RESHAPED: f64 = 0.01;

/// A Newton step by more than this share of a body's size is not the last one, however well forces balance after it: muscles and pulls make forces beside which those that bend a limb are small.
const LONG_STEP: f64 = 2e-3;

/// How far waves may run in a step, in sizes of the body, for its deformation to be worth anything where a solve does not converge.
const FOLLOWED_SIZES: f64 = 300.0;

/// Which bodies are solved together.
pub(crate) struct Islands {
    map: IslandMap,
    scratch: Vec<IslandScratch>,
}

#[derive(Default)]
pub(super) struct IslandScratch {
    pub(super) contacts: Vec<BodyContact>,
    /// All contacts, and those that press by their tangents.
    pressing: Vec<ContactPenalty>,
    pub(super) springs: Vec<Spring>,
    pub(super) neg_gradient: Vec<DVec3>,
    pub(super) step: Vec<DVec3>,
    pub(super) cg: CgScratch,
    pub(super) sweeps: Buffers,
    pub(super) couplings: Couplings,
    pub(super) joint: Joint,
}

impl Islands {
    pub(crate) fn new(bodies: usize) -> Self {
        Self { map: IslandMap::default(), scratch: (0..bodies).map(|_| IslandScratch::default()).collect() }
    }

    /// Steps the bodies that take part, of an island all or none; islands side by side, each in the order of its bodies.
    pub(crate) fn step<S: Implicit>(
        &mut self,
        bodies: &[S::Body],
        scratch: &mut [S],
        states: &mut [BodyState],
        input: &StepInput<'_>,
        takes_part: impl Fn(usize) -> bool,
    ) {
        self.divide(input.touching);
        let mut islands: Vec<Option<Island<'_, S>>> = self.scratch.iter_mut().map(|s| Some(Island::new(s))).collect();
        let each = scratch.iter_mut().zip(states).zip(bodies).zip(input.cues).zip(input.contacts).enumerate();
        for (number, ((((scratch, state), body), cues), contacts)) in each {
            let Some(island) = islands[self.map.of(number)].as_mut().filter(|_| takes_part(number)) else { continue };
            let touching = input.touching;
            let force_arm = if S::is_midpoint(body) && is_free(number, contacts, touching) { 0.5 } else { 1.0 };
            island.members.push(Member {
                number,
                scratch,
                state,
                body,
                cues: Cow::Borrowed(cues),
                at_end: cues,
                contacts,
                touching,
                h: input.h_secs,
                force_arm,
                stop: input.stop,
                first: 0,
            });
        }
        for contact in input.touching {
            if let Some(island) = &mut islands[self.map.of(contact.vertex.body.0 as usize)] {
                island.scratch.contacts.push(*contact);
            }
        }
        islands.par_iter_mut().flatten().filter(|island| !island.members.is_empty()).for_each(Island::step);
    }

    /// The island of a body as last divided.
    pub(crate) fn of(&self, body: usize) -> usize {
        self.map.of(body)
    }

    /// Finds the islands of bodies that touch.
    pub(crate) fn divide(&mut self, touching: &[BodyContact]) {
        self.scratch.iter_mut().for_each(|scratch| scratch.contacts.clear());
        self.map.find(self.scratch.len(), touching, |_| true);
    }
}

pub(crate) struct Member<'a, S: Implicit> {
    /// In the solver.
    pub(crate) number: usize,
    pub(crate) scratch: &'a mut S,
    pub(crate) state: &'a mut BodyState,
    pub(crate) body: &'a S::Body,
    /// What is asked where the step is solved.
    pub(crate) cues: Cow<'a, crate::Cues>,
    /// What is asked at the end of the interval: the same, unless the step is solved half-way.
    at_end: &'a crate::Cues,
    pub(crate) contacts: &'a [crate::Contact],
    /// Where bodies touch, in the whole solver.
    pub(crate) touching: &'a [BodyContact],
    pub(crate) h: f64,
    /// At which arms directors were asked for forces: [`crate::Seen::force_arm`].
    force_arm: f64,
    stop: Option<&'a StopFlag>,
    /// Where its degrees of freedom begin in the island's.
    pub(super) first: usize,
}

impl<S: Implicit> Member<'_, S> {
    /// What stays the same in a step, and what changes.
    pub(crate) fn split(&mut self) -> (Interval<'_, S::Body>, &mut S) {
        let Self { body, contacts, number, touching, h, .. } = *self;
        (Interval { body, start: self.state, cues: &self.cues, contacts, number, touching, h }, self.scratch)
    }

    pub(super) fn at(&self) -> Interval<'_, S::Body> {
        let Self { body, contacts, number, touching, h, .. } = *self;
        Interval { body, start: self.state, cues: &self.cues, contacts, number, touching, h }
    }

    /// Takes the deformation of a solve that did not converge away from a body whose waves run through it hundreds of times in a step: that is rounding, and its energy more
    /// than the body's motion holds. It moves as a rigid one.
    fn move_rigidly_if_too_stiff(&mut self) {
        let BodyModel { flesh, material } = S::model(self.body);
        let waves_m = (material.young_pa / material.density_kg_m3).sqrt() * self.h;
        let is_reshaped = !(self.cues.log_stretch.is_empty() && self.cues.rest_offset.is_empty());
        if waves_m > FOLLOWED_SIZES * flesh.size_m() && !is_reshaped {
            self.scratch.unknowns_mut().make_rigid(flesh, self.state);
            self.scratch.has_moved();
        }
    }

    /// Whether the step is abandoned.
    pub(crate) fn is_stopped(&self) -> bool {
        is_set(self.stop)
    }

    /// Turns to the midpoint rule, which is solved for half-way.
    fn go_half_way(&mut self) {
        let anchors = &S::model(self.body).flesh.anchors;
        self.cues = Cow::Owned(midpoint::half_way(anchors, self.state, self.at_end, self.h));
        self.h *= 0.5;
    }

    /// Turns from the midpoint rule to Euler's, which is solved for at the end.
    fn go_whole_way(&mut self) {
        if self.is_half_way() {
            (self.h, self.cues) = (2.0 * self.h, Cow::Borrowed(self.at_end));
        }
    }

    fn is_half_way(&self) -> bool {
        matches!(self.cues, Cow::Owned(_))
    }

    /// Gives forces the arms for which directors were asked, where the step has had others: the midpoint rule has those of the middle, and Euler's those of the end.
    fn fit_arms(&mut self) {
        let (h, arm) = if self.is_half_way() { (2.0 * self.h, 0.5) } else { (self.h, 1.0) };
        let by_secs = (self.force_arm - arm) * h;
        if by_secs != 0.0 && self.scratch.unknowns().constraints.is_empty() {
            shift_arms(S::model(self.body).flesh, &self.at_end.unbalanced_n(), self.state, h, by_secs);
        }
    }

    /// Writes the new state; false where a midpoint step is refused.
    fn write(&mut self) -> bool {
        let Self { scratch, state, body, cues, at_end, h, contacts, number, touching, .. } = self;
        if matches!(cues, Cow::Borrowed(_)) {
            scratch.finish(body, state, at_end, *h);
            return true;
        }
        let start = state.clone();
        let at = Interval { body: *body, start: &start, cues, contacts, number: *number, touching, h: *h };
        scratch.finish_midpoint(&at, state, at_end)
    }

    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.scratch.unknowns().moved.len()
    }
}

pub(super) struct Island<'a, S: Implicit> {
    pub(super) members: Vec<Member<'a, S>>,
    pub(super) scratch: &'a mut IslandScratch,
}

impl<'a, S: Implicit> Island<'a, S> {
    fn new(scratch: &'a mut IslandScratch) -> Self {
        Self { members: Vec::new(), scratch }
    }

    fn step(&mut self) {
        if S::step_together(&mut self.members, &self.scratch.contacts) {
            return;
        }
        if !self.touches() {
            let midpoint = self.members.iter_mut().filter(|member| S::is_midpoint(member.body));
            midpoint.for_each(Member::go_half_way);
            return self.step_once();
        }
        self.step_by_reach();
    }

    /// Steps all members, with the contacts between them that the scratch has.
    fn step_once(&mut self) {
        self.solve_step();
        if is_set(self.stop()) {
            return;
        }
        if !self.finish() {
            // A midpoint step that would gain energy: Euler's instead. Its body is alone.
            self.members.iter_mut().for_each(Member::go_whole_way);
            self.solve_step();
            self.finish();
        }
        self.members.iter_mut().for_each(Member::fit_arms);
    }

    fn solve_step(&mut self) {
        let mut first = 0;
        for member in &mut self.members {
            member.first = first;
            first += member.scratch.unknowns().moved.len();
            let (at, scratch) = member.split();
            scratch.unknowns_mut().is_near = false;
            scratch.begin(&at);
        }
        self.prepare_springs();
        self.scratch.joint.lay_out(&self.members, &self.scratch.contacts);
        self.choose_initial_guess();
        self.scratch.neg_gradient.resize(first, DVec3::ZERO);
        self.scratch.step.resize(first, DVec3::ZERO);
        let residual = self.newton();
        for member in &mut self.members {
            member.scratch.unknowns_mut().residual = residual;
            if residual > Residual::FAR {
                member.move_rigidly_if_too_stiff();
            }
        }
    }

    /// What abandons the step.
    pub(super) fn stop(&self) -> Option<&'a StopFlag> {
        self.members.first().and_then(|member| member.stop)
    }

    /// Newton's method; answers how far from equilibrium it ended.
    fn newton(&mut self) -> f64 {
        let params = self.members.iter().map(|member| S::params(member.body));
        let mut iterations = params.clone().map(|params| params.iterations).max().unwrap_or(0);
        if iterations > 1 && self.touches() {
            iterations = iterations.max(IN_CONTACT);
        }
        let tolerance = params.clone().map(|params| params.tolerance).fold(f64::MAX, f64::min) * self.carefulness();
        let linear_tolerance = params.map(|params| params.linear_tolerance).fold(f64::MAX, f64::min);
        let negligible = self
            .members
            .iter()
            .map(|m| m.scratch.unknowns().negligible_force(S::model(m.body), m.h).powi(2))
            .sum::<f64>()
            .sqrt();
        let (mut first_norm, mut began, mut last_step) = (None, 0.0, 0.0);
        let most = if iterations > 1 { iterations.max(WHILE_FAR) } else { iterations };
        for iteration in 1..=most {
            if is_set(self.stop()) {
                return 0.0;
            }
            let norm = self.find_unbalanced();
            if iteration == 1 {
                began = norm;
            }
            let first = *first_norm.get_or_insert_with(|| norm.max(self.moving_if_given()));
            let scale = self.acting().unwrap_or(first);
            let balances = norm <= tolerance * scale && norm < scale;
            let goes_on = last_step > LONG_STEP && iteration <= iterations;
            if norm.is_nan() || balances && !goes_on || norm <= negligible {
                return if norm <= negligible { 0.0 } else { norm / scale };
            }
            let is_near = norm <= FAR * scale;
            if iteration > iterations && is_near {
                break;
            }
            self.members.iter_mut().for_each(|member| member.scratch.unknowns_mut().is_near = is_near);
            self.assemble();
            self.solve(linear_tolerance);
            self.line_search(iteration >= iterations);
            last_step = self.step_in_sizes();
        }
        // The classic step has nothing to converge to: it is the answer of one linear system.
        if iterations <= 1 {
            return 0.0;
        }
        let mut norm = self.find_unbalanced();
        if norm > began && self.is_given() {
            // Contacts that come and go can lead it astray: what was given is closer.
            self.members.iter_mut().for_each(|member| member.start_from(InitialGuess::Given));
            norm = self.find_unbalanced();
        }
        let scale = self.acting().unwrap_or_else(|| first_norm.unwrap_or(0.0).max(self.moving()));
        if norm <= negligible { 0.0 } else { norm / scale }
    }

    /// Factor on what is tolerated. Where muscles or keys change rest shapes, the forces at the first guess are those of the whole change, beside which what bends a limb is small.
    fn carefulness(&self) -> f64 {
        let is_reshaped =
            |member: &Member<'_, S>| !member.cues.log_stretch.is_empty() || !member.cues.rest_offset.is_empty();
        if self.members.iter().any(is_reshaped) { RESHAPED } else { 1.0 }
    }

    /// How far the last step of Newton's method moved a point at most, in sizes of its body, had it been taken whole.
    fn step_in_sizes(&self) -> f64 {
        let of_member = |member: &Member<'_, S>| {
            let farthest =
                self.scratch.step[member.range()].iter().fold(0.0f64, |most, step| most.max(step.length_squared()));
            farthest.sqrt() / S::model(member.body).flesh.size_m()
        };
        self.members.iter().map(of_member).fold(0.0, f64::max)
    }

    /// The norm of inertia's forces.
    fn moving(&self) -> f64 {
        let inertia = |member: &Member<'_, S>| member.scratch.unknowns().inertia_n2(S::model(member.body), member.h);
        self.members.iter().map(inertia).sum::<f64>().sqrt()
    }

    /// The same where another method has led here: the forces at a good guess are no measure of what is small.
    fn moving_if_given(&self) -> f64 {
        if self.is_given() { self.moving() } else { 0.0 }
    }

    pub(super) fn is_given(&self) -> bool {
        self.members.iter().all(|member| member.scratch.unknowns().is_given())
    }

    /// The norm of the forces that do not balance where bodies are.
    fn find_unbalanced(&mut self) -> f64 {
        self.evaluate(S::evaluate);
        self.find_neg_gradient();
        dot(&self.scratch.neg_gradient, &self.scratch.neg_gradient).sqrt()
    }

    /// The size of what acts on bodies that touch something, where they are now: outer forces, inertia, contacts. None where nothing is touched.
    /// The forces at the first guess tell nothing there: a guess that is a millimetre inside a stiff body has a thousand times those of the answer.
    fn acting(&self) -> Option<f64> {
        let outer = |member: &Member<'_, S>| Unknowns::pushed_n2(&member.cues);
        let pressing = |member: &Member<'_, S>| member.scratch.unknowns().pressing_n2(S::model(member.body));
        let norm = |square: &dyn Fn(&Member<'_, S>) -> f64| self.members.iter().map(square).sum::<f64>().sqrt();
        let IslandScratch { contacts, springs, .. } = &*self.scratch;
        let spring = |spring: &Spring| spring.gradient(slip(&self.members, &contacts[spring.contact])).length_squared();
        let between = || springs.iter().map(spring).sum::<f64>().sqrt();
        self.touches().then(|| norm(&outer).max(self.moving()).max(norm(&pressing)).max(between()))
    }

    /// Whether bodies touch each other or obstacles.
    fn touches(&self) -> bool {
        !self.scratch.contacts.is_empty() || self.members.iter().any(|member| !member.contacts.is_empty())
    }

    /// Gradients of all members by `evaluate`, contacts between them included.
    fn evaluate(&mut self, evaluate: impl Fn(&mut S, &Interval<'_, S::Body>)) {
        for member in &mut self.members {
            let (at, scratch) = member.split();
            evaluate(scratch, &at);
        }
        self.find_springs();
        let Self { members, scratch } = self;
        for spring in &scratch.springs {
            let contact = &scratch.contacts[spring.contact];
            let force = spring.gradient(slip(members, contact));
            for (member, dof, weight) in ends(members, contact) {
                members[member].scratch.unknowns_mut().gradient[dof] += force * weight;
            }
        }
    }

    fn find_neg_gradient(&mut self) {
        for member in &mut self.members {
            let neg_gradient = &mut self.scratch.neg_gradient[member.range()];
            neg_gradient
                .iter_mut()
                .zip(&member.scratch.unknowns().gradient)
                .for_each(|(down, gradient)| *down = -*gradient);
            member.scratch.unknowns().constraints.project(neg_gradient);
        }
    }

    fn assemble(&mut self) {
        for member in &mut self.members {
            let (at, scratch) = member.split();
            scratch.assemble(&at);
        }
        let Self { members, scratch } = self;
        for spring in &scratch.springs {
            for (member, dof, weight) in ends(members, &scratch.contacts[spring.contact]) {
                *members[member].scratch.unknowns_mut().matrix.diagonal_mut(dof) +=
                    spring.matrix.to_mat() * (weight * weight);
            }
        }
    }

    /// Line search: takes the Newton step, halved until the objective falls (Armijo). If the step assumed that sliding contacts keep
    /// sliding and the objective rose, rejects the step and drops that assumption for the next iteration (not in the last one).
    fn line_search(&mut self, is_last: bool) {
        let slope = -dot(&self.scratch.neg_gradient, &self.scratch.step);
        self.members.iter_mut().for_each(|member| member.scratch.unknowns_mut().save());
        if self.needs_no_line_search() {
            return self.apply_step(1.0);
        }
        let before = self.objective();
        // A fall that the objective cannot tell from rounding is no reason to shorten a step: near rest nothing else is left.
        let energy_rounding = |member: &Member<'_, S>| Unknowns::energy_rounding(S::model(member.body));
        let rounding = 1e-12 * before.abs() + self.members.iter().map(energy_rounding).sum::<f64>();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            self.apply_step(share);
            let after = self.objective_by(S::trial_objective);
            if after <= before + 1e-4 * share * slope || slope.abs() <= rounding {
                return;
            }
            if !is_last && self.drop_sliding_assumptions() {
                for member in &mut self.members {
                    member.scratch.unknowns_mut().restore();
                    member.scratch.has_moved();
                }
                return;
            }
            share *= 0.5;
        }
    }

    /// Drops the assumption that contacts keep sliding; whether any did.
    fn drop_sliding_assumptions(&mut self) -> bool {
        let of_members = self.members.iter_mut().flat_map(|member| member.scratch.unknowns_mut().springs_mut());
        // All of them, not up to the first.
        of_members
            .chain(&mut self.scratch.pressing)
            .filter_map(|spring| spring.drop_sliding_assumption().then_some(()))
            .count()
            > 0
    }

    fn needs_no_line_search(&self) -> bool {
        let alone = |member: &Member<'_, S>| member.contacts.is_empty() && S::needs_no_line_search(member.body);
        self.scratch.contacts.is_empty() && self.members.iter().all(alone)
    }

    /// Moves by a share of the step from where bodies were kept.
    fn apply_step(&mut self, share: f64) {
        for member in &mut self.members {
            let step = &self.scratch.step[member.range()];
            member.scratch.unknowns_mut().apply_step(step, share);
            member.scratch.has_moved();
        }
    }

    pub(super) fn objective(&mut self) -> f64 {
        self.objective_by(S::objective)
    }

    /// The objective of all members, each by `own`, and of the contacts between them.
    fn objective_by(&mut self, own: impl Fn(&mut S, &Interval<'_, S::Body>) -> f64) -> f64 {
        let own = |member: &mut Member<'_, S>| {
            let (at, scratch) = member.split();
            own(scratch, &at)
        };
        let own: f64 = self.members.iter_mut().map(own).sum();
        let IslandScratch { contacts, pressing, .. } = &*self.scratch;
        let energy = |(contact, spring): (&BodyContact, &ContactPenalty)| {
            penalty(&self.members, contact, spring).map_or(0.0, |penalty| penalty.energy)
        };
        own + contacts.iter().zip(pressing).map(energy).sum::<f64>()
    }

    /// Momenta exactly, reactions of pins, new states. False where a body's midpoint step is refused.
    fn finish(&mut self) -> bool {
        let reacting = self.members.iter().any(|member| !member.scratch.unknowns().constraints.is_empty());
        let Self { members, scratch } = self;
        let mut forces = vec![None; members.len()];
        for spring in &scratch.springs {
            let contact = &scratch.contacts[spring.contact];
            let force = spring.gradient(slip(members, contact));
            for (body, force) in [(contact.vertex.body, -force), (contact.face.body, force)] {
                *forces[place(members, body.0)].get_or_insert(DVec3::ZERO) += force;
            }
        }
        for (member, others) in members.iter_mut().zip(forces) {
            let (at, scratch) = member.split();
            scratch.unknowns_mut().balance_momentum(S::model(at.body), &at, others);
        }
        if reacting {
            self.evaluate(S::evaluate_at_pins);
        }
        let mut is_done = true;
        for member in &mut self.members {
            let (at, scratch) = member.split();
            scratch.unknowns_mut().report_reactions(S::model(at.body), &at);
            is_done &= member.write();
        }
        is_done
    }
}
