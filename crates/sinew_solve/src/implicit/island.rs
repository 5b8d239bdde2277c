//! Bodies that touch each other, solved as one.
//!
//! A contact between two bodies is a stiff one-sided spring between a vertex and a face with Coulomb friction, as with
//! obstacles (`press.rs`). Its gradient goes to both with opposite signs, so that what
//! one gains the other loses. Conjugate gradients run over the degrees of freedom of the whole island.

use super::matrix::{CgScratch, Preconditioner, System, dot, solve};
use super::{ContactSpring, Interval, Motion, Press, Stuff, midpoint};
use crate::{Asked, BodyContact, BodyState};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew_math::{DVec3, Sym3};
use std::borrow::Cow;

/// Halvings of a Newton step before it is taken as it is.
const HALVINGS: u32 = 14;

/// When Newton's method stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NewtonParams {
    pub(crate) iterations: u32,
    /// Share of the first unbalanced force that counts as none.
    pub(crate) tolerance: f64,
    pub(crate) linear_tolerance: f64,
    pub(crate) linear: LinearSolve,
}

/// How the linear systems of Newton's method are solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum LinearSolve {
    /// Conjugate gradients, and where they take as long as factoring would, that.
    #[default]
    Auto,
    /// Conjugate gradients with block-Jacobi preconditioning.
    Gradients,
    /// Sparse Cholesky.
    Cholesky,
}

/// One body's implicit step as an island sees it: an objective in the displacement from a prediction, with derivatives.
pub(crate) trait Implicit: Send + Sync + Sized {
    /// What is fixed about it.
    type Body: Sync;

    fn params(body: &Self::Body) -> NewtonParams;
    /// The spring of a contact at a row, N/m.
    fn contact_stiffness(at: &Interval<'_, Self::Body>, terms: impl Iterator<Item = (usize, f64)>) -> f64;

    /// Prepares for an interval.
    fn begin(&mut self, at: &Interval<'_, Self::Body>);
    /// Gradient of the body's own objective at its present displacement.
    fn evaluate(&mut self, at: &Interval<'_, Self::Body>);
    /// Its Hessian there, made positive.
    fn assemble(&mut self, at: &Interval<'_, Self::Body>);
    fn objective(&self, at: &Interval<'_, Self::Body>) -> f64;
    /// Writes the new state; `steps` is 2 where the interval of `h` was half of the whole, else 1.
    fn finish(&mut self, body: &Self::Body, state: &mut BodyState, cues: &crate::Cues, h: f64, steps: f64);

    fn stuff(body: &Self::Body) -> Stuff<'_>;
    fn motion(&self) -> &Motion;
    fn motion_mut(&mut self) -> &mut Motion;
    /// Takes note that the displacement is another.
    fn has_moved(&mut self) {}

    /// Whether the body, the one of this number, steps by the midpoint rule in this interval.
    fn is_midpoint(_number: usize, _body: &Self::Body, _asked: &Asked<'_>) -> bool {
        false
    }

    /// Steps bodies that touch each other in a way of its own; false leaves them to Newton's method.
    fn step_together(_members: &mut [Member<'_, Self>], _contacts: &[BodyContact]) -> bool {
        false
    }
}

/// Which bodies are solved together.
pub(crate) struct Islands {
    /// The island of each body, named by its lowest member.
    of: Vec<usize>,
    scratch: Vec<IslandScratch>,
}

#[derive(Default)]
struct IslandScratch {
    contacts: Vec<BodyContact>,
    /// All contacts, and those that press by their tangents.
    pressing: Vec<ContactSpring>,
    springs: Vec<Spring>,
    downhill: Vec<DVec3>,
    step: Vec<DVec3>,
    cg: CgScratch,
}

/// A contact that presses: the energy ½ q·A q − b·q in the vertex's displacement against the face's.
struct Spring {
    contact: usize,
    matrix: Sym3,
    pull: DVec3,
}

impl Islands {
    pub(crate) fn new(bodies: usize) -> Self {
        Self { of: vec![0; bodies], scratch: (0..bodies).map(|_| IslandScratch::default()).collect() }
    }

    /// Steps all bodies; islands side by side, each in the order of its bodies.
    pub(crate) fn step<S: Implicit>(
        &mut self,
        bodies: &[S::Body],
        scratch: &mut [S],
        states: &mut [BodyState],
        asked: &Asked<'_>,
    ) {
        self.divide(asked.touching);
        let mut islands: Vec<Option<Island<'_, S>>> = self.scratch.iter_mut().map(|s| Some(Island::new(s))).collect();
        let each = scratch.iter_mut().zip(states).zip(bodies).zip(asked.cues).zip(asked.contacts).enumerate();
        for (number, ((((scratch, state), body), cues), contacts)) in each {
            let Some(island) = &mut islands[self.of[number]] else { continue };
            let (h, now) = if S::is_midpoint(number, body, asked) {
                (
                    0.5 * asked.h_secs,
                    Cow::Owned(midpoint::half_way(&S::stuff(body).flesh.anchors, state, cues, asked.h_secs)),
                )
            } else {
                (asked.h_secs, Cow::Borrowed(cues))
            };
            let at_end = cues;
            island.members.push(Member { number, scratch, state, body, cues: now, at_end, contacts, h, first: 0 });
        }
        for contact in asked.touching {
            if let Some(island) = &mut islands[self.of[contact.vertex.body.0 as usize]] {
                island.scratch.contacts.push(*contact);
            }
        }
        islands.par_iter_mut().flatten().filter(|island| !island.members.is_empty()).for_each(Island::step);
    }

    /// Bodies joined by a contact get one number: the lowest of them.
    fn divide(&mut self, touching: &[BodyContact]) {
        self.scratch.iter_mut().for_each(|scratch| scratch.contacts.clear());
        for (number, of) in self.of.iter_mut().enumerate() {
            *of = number;
        }
        loop {
            let mut joined = false;
            for contact in touching {
                let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
                let lowest = self.of[a].min(self.of[b]);
                joined |= self.of[a] != lowest || self.of[b] != lowest;
                (self.of[a], self.of[b]) = (lowest, lowest);
            }
            if !joined {
                return;
            }
        }
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
    pub(crate) h: f64,
    /// Where its degrees of freedom begin in the island's.
    first: usize,
}

impl<S: Implicit> Member<'_, S> {
    /// What stays the same in a step, and what changes.
    pub(crate) fn split(&mut self) -> (Interval<'_, S::Body>, &mut S) {
        let Self { body, contacts, h, .. } = *self;
        (Interval { body, start: self.state, cues: &self.cues, contacts, h }, self.scratch)
    }

    fn at(&self) -> Interval<'_, S::Body> {
        Interval { body: self.body, start: self.state, cues: &self.cues, contacts: self.contacts, h: self.h }
    }

    fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.scratch.motion().moved.len()
    }
}

struct Island<'a, S: Implicit> {
    members: Vec<Member<'a, S>>,
    scratch: &'a mut IslandScratch,
}

impl<'a, S: Implicit> Island<'a, S> {
    fn new(scratch: &'a mut IslandScratch) -> Self {
        Self { members: Vec::new(), scratch }
    }

    fn step(&mut self) {
        if S::step_together(&mut self.members, &self.scratch.contacts) {
            return;
        }
        let mut first = 0;
        for member in &mut self.members {
            member.first = first;
            first += member.scratch.motion().moved.len();
            let (at, scratch) = member.split();
            scratch.begin(&at);
        }
        self.prepare_springs();
        self.scratch.downhill.resize(first, DVec3::ZERO);
        self.scratch.step.resize(first, DVec3::ZERO);
        self.newton();
        self.finish();
    }

    fn newton(&mut self) {
        let params = self.members.iter().map(|member| S::params(member.body));
        let iterations = params.clone().map(|params| params.iterations).max().unwrap_or(0);
        let tolerance = params.clone().map(|params| params.tolerance).fold(f64::MAX, f64::min);
        let linear_tolerance = params.map(|params| params.linear_tolerance).fold(f64::MAX, f64::min);
        let negligible = self
            .members
            .iter()
            .map(|m| m.scratch.motion().negligible_force(S::stuff(m.body), m.h).powi(2))
            .sum::<f64>()
            .sqrt();
        let mut first_norm = None;
        for _ in 0..iterations {
            self.evaluate();
            self.find_downhill();
            let norm = dot(&self.scratch.downhill, &self.scratch.downhill).sqrt();
            let first = *first_norm.get_or_insert(norm);
            if norm.is_nan() || norm <= tolerance * first && norm < first || norm <= negligible {
                break;
            }
            self.assemble();
            self.solve(linear_tolerance);
            self.descend();
        }
    }

    /// Gradients of all members, contacts between them included.
    fn evaluate(&mut self) {
        for member in &mut self.members {
            let (at, scratch) = member.split();
            scratch.evaluate(&at);
        }
        self.find_springs();
        let Self { members, scratch } = self;
        for spring in &scratch.springs {
            let contact = &scratch.contacts[spring.contact];
            let force = spring.gradient(slip(members, contact));
            for (member, dof, weight) in ends(members, contact) {
                members[member].scratch.motion_mut().gradient[dof] += force * weight;
            }
        }
    }

    /// Contacts as springs between vertex and face.
    fn prepare_springs(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, pressing, .. } = &mut **scratch;
        pressing.clear();
        pressing.extend(contacts.iter().map(|contact| {
            let [mine, theirs] = [&contact.vertex, &contact.face].map(|spot| &members[place(members, spot.body.0)]);
            let start = contact.vertex.at(&mine.state.x) - contact.face.at(&theirs.state.x);
            let [a, b] = [(mine, contact.vertex), (theirs, contact.face)]
                .map(|(member, spot)| S::contact_stiffness(&member.at(), spot.terms()));
            let first_gap = contact.gap_at(start, DVec3::ZERO);
            ContactSpring::new(contact.normal, start, a * b / (a + b), first_gap)
        }));
    }

    /// Those that press at the present displacement; friction goes by that from now on.
    fn find_springs(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, pressing, springs, .. } = &mut **scratch;
        springs.clear();
        for (number, (contact, spring)) in contacts.iter().zip(pressing).enumerate() {
            spring.look(contact.gap_at(apart(members, contact), DVec3::ZERO));
            if let Some(Press { gradient, matrix, .. }) = press(members, contact, spring) {
                let pull = matrix * slip(members, contact) - gradient;
                springs.push(Spring { contact: number, matrix, pull });
            }
        }
    }

    fn find_downhill(&mut self) {
        for member in &mut self.members {
            let downhill = &mut self.scratch.downhill[member.range()];
            downhill.iter_mut().zip(&member.scratch.motion().gradient).for_each(|(down, gradient)| *down = -*gradient);
            member.scratch.motion().constraints.project(downhill);
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
                *members[member].scratch.motion_mut().matrix.diagonal_mut(dof) +=
                    spring.matrix.to_mat() * (weight * weight);
            }
        }
    }

    /// Finds the Newton step.
    fn solve(&mut self, tolerance: f64) {
        let points: usize = self.members.iter().map(|member| member.scratch.motion().moved.len()).sum();
        let asked = |kind: LinearSolve| self.members.iter().all(|member| S::params(member.body).linear == kind);
        // Factoring takes about as long as this many iterations: measured on bars of 1600 and 20000 points.
        let worth_factoring = (4.0 * (points as f64).sqrt()) as usize;
        let most = if asked(LinearSolve::Gradients) { 10 * points.max(30) } else { worth_factoring };
        let is_direct = asked(LinearSolve::Cholesky);
        if !is_direct && self.solve_by_gradients(tolerance, most, false) {
            return;
        }
        let is_factored = self.members.iter_mut().all(|member| member.scratch.motion_mut().factor());
        self.solve_by_gradients(tolerance, 10 * points.max(30), is_factored);
    }

    fn solve_by_gradients(&mut self, tolerance: f64, most: usize, is_factored: bool) -> bool {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, springs, downhill, step, cg, .. } = &mut **scratch;
        let multiply = |direction: &[DVec3], image: &mut [DVec3]| {
            for member in &*members {
                let (direction, image) = (&direction[member.range()], &mut image[member.range()]);
                member.scratch.motion().matrix.multiply(direction, image);
                member.scratch.motion().multiply_rows(S::stuff(member.body), direction, image);
            }
            for spring in &*springs {
                // The diagonal blocks are in the matrices already.
                let all = ends(members, &contacts[spring.contact]);
                let at = |(member, dof, _): (usize, usize, f64)| members[member].first + dof;
                let whole = all.clone().fold(DVec3::ZERO, |sum, end| sum + direction[at(end)] * end.2);
                for end in all {
                    image[at(end)] += spring.matrix * (whole - direction[at(end)] * end.2) * end.2;
                }
            }
        };
        let diagonal = |i: usize| {
            let member = &members[members.partition_point(|member| member.first <= i) - 1];
            member.scratch.motion().matrix.diagonal(i - member.first)
        };
        let inverse = |of: &mut [DVec3]| {
            members.iter().for_each(|member| member.scratch.motion().solve_factored(&mut of[member.range()]));
        };
        let project = |motion: &mut [DVec3]| {
            members.iter().for_each(|member| member.scratch.motion().constraints.project(&mut motion[member.range()]));
        };
        let precondition =
            if is_factored { Preconditioner::Inverse(&inverse) } else { Preconditioner::Diagonal(&diagonal) };
        let system = System { multiply: &multiply, precondition, project: &project };
        solve(&system, downhill, step, tolerance, most, cg)
    }

    /// Takes the Newton step, halved until the objective falls (Armijo).
    fn descend(&mut self) {
        let slope = -dot(&self.scratch.downhill, &self.scratch.step);
        self.members.iter_mut().for_each(|member| member.scratch.motion_mut().keep());
        let before = self.objective();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            for member in &mut self.members {
                let step = &self.scratch.step[member.range()];
                member.scratch.motion_mut().go(step, share);
                member.scratch.has_moved();
            }
            let after = self.objective();
            if after <= before + 1e-4 * share * slope || slope.abs() <= 1e-12 * before.abs() {
                return;
            }
            share *= 0.5;
        }
    }

    fn objective(&self) -> f64 {
        let own: f64 = self.members.iter().map(|member| member.scratch.objective(&member.at())).sum();
        let IslandScratch { contacts, pressing, .. } = &*self.scratch;
        let energy = |(contact, spring): (&BodyContact, &ContactSpring)| {
            press(&self.members, contact, spring).map_or(0.0, |press| press.energy)
        };
        own + contacts.iter().zip(pressing).map(energy).sum::<f64>()
    }

    /// Momenta exactly, reactions of pins, new states.
    fn finish(&mut self) {
        let reacting = self.members.iter().any(|member| !member.scratch.motion().constraints.is_empty());
        let Self { members, scratch } = self;
        let mut forces = vec![DVec3::ZERO; members.len()];
        for spring in &scratch.springs {
            let contact = &scratch.contacts[spring.contact];
            let force = spring.gradient(slip(members, contact));
            forces[place(members, contact.vertex.body.0)] -= force;
            forces[place(members, contact.face.body.0)] += force;
        }
        for (member, others) in members.iter_mut().zip(forces) {
            let (at, scratch) = member.split();
            scratch.motion_mut().balance_momentum(S::stuff(at.body), &at, others);
        }
        if reacting {
            self.evaluate();
        }
        for member in &mut self.members {
            let (at, scratch) = member.split();
            scratch.motion_mut().report_reactions(S::stuff(at.body), &at);
            let Member { scratch, state, body, cues, at_end, h, .. } = member;
            let steps = if matches!(cues, Cow::Owned(_)) { 2.0 } else { 1.0 };
            scratch.finish(body, state, at_end, *h, steps);
        }
    }
}

impl Spring {
    fn gradient(&self, q: DVec3) -> DVec3 {
        self.matrix * q - self.pull
    }
}

/// The member that is this body of the solver.
fn place<S: Implicit>(members: &[Member<'_, S>], body: u32) -> usize {
    members.partition_point(|member| member.number < body as usize)
}

/// How far the vertex has moved from the face's point, against their predictions.
fn slip<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact) -> DVec3 {
    let moved = |body: u32| &members[place(members, body)].scratch.motion().moved;
    contact.vertex.at(moved(contact.vertex.body.0)) - contact.face.at(moved(contact.face.body.0))
}

/// Where the vertex is from the face's point.
fn apart<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact) -> DVec3 {
    let predicted = |body: u32| &members[place(members, body)].scratch.motion().predicted;
    let ahead = contact.vertex.at(predicted(contact.vertex.body.0)) - contact.face.at(predicted(contact.face.body.0));
    ahead + slip(members, contact)
}

/// What a contact does at the present displacement.
fn press<S: Implicit>(members: &[Member<'_, S>], contact: &BodyContact, spring: &ContactSpring) -> Option<Press> {
    let (x, h) = (apart(members, contact), members[place(members, contact.vertex.body.0)].h);
    spring.press(x, contact.gap_at(x, DVec3::ZERO), h, |slide, pressed, least| contact.rub(slide, pressed, least))
}

/// Member, degree of freedom and signed weight of everything a contact acts on.
fn ends<S: Implicit>(
    members: &[Member<'_, S>],
    contact: &BodyContact,
) -> impl Iterator<Item = (usize, usize, f64)> + Clone + use<S> {
    let [mine, theirs] = [contact.vertex.body, contact.face.body].map(|body| place(members, body.0));
    let vertex = contact.vertex.terms().map(move |(dof, weight)| (mine, dof, weight));
    vertex.chain(contact.face.terms().map(move |(dof, weight)| (theirs, dof, -weight)))
}
