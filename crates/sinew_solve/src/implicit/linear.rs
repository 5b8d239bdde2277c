//! The linear system of one Newton iteration, over all degrees of freedom of an island.
//!
//! First by conjugate gradients in single precision with an SSOR preconditioner (`ssor`), refined until the residual in double precision is as small
//! as asked; where f32 would not do, by conjugate gradients in double precision; where those take as long as factoring would, by that.

use super::island::{Island, IslandScratch, Member, multiply_springs};
use super::matrix::{Preconditioner, System, dot, solve};
use super::ssor::{self, Layout, Swept};
use super::{Implicit, LinearSolve};
use crate::solver::is_set;
use sinew_math::DVec3;

/// A residual that sweeps in f32 tell truly by themselves; a smaller one is looked at in f64.
const TRUSTED: f64 = 1e-3;
/// The residual falls this far in one solve in f32 at the most, as a share.
const REACH: f64 = 2e-6;
/// Solves for what is left of the residual before f32 counts as not enough.
const REFINEMENTS: usize = 6;
/// So many times as many iterations are worth it where points touch points.
const COUPLED: usize = 8;

impl<S: Implicit> Island<'_, S> {
    /// Finds the Newton step.
    pub(super) fn solve(&mut self, tolerance: f64) {
        let points: usize = self.members.iter().map(|member| member.scratch.unknowns().moved.len()).sum();
        let asked = |kind: LinearSolve| self.members.iter().all(|member| S::params(member.body).linear == kind);
        // Factoring takes about as long as this many iterations: measured on bars of 1600 and 20000 points.
        let worth_factoring = (4.0 * (points as f64).sqrt()) as usize;
        // Factors know nothing of contacts between points, with which they are only the beginning.
        let worth_more = if self.scratch.springs.is_empty() { 1 } else { COUPLED };
        let most = if asked(LinearSolve::Gradients) { 10 * points.max(30) } else { worth_more * worth_factoring };
        let is_direct = asked(LinearSolve::Cholesky);
        if !is_direct && (self.solve_by_sweeps(tolerance, most) || self.solve_by_gradients(tolerance, most, false)) {
            return;
        }
        if is_set(self.stop()) {
            return;
        }
        let is_factored = self.members.iter_mut().all(|member| member.scratch.unknowns_mut().factor());
        self.solve_by_gradients(tolerance, 10 * points.max(30), is_factored);
    }

    /// Solves in single precision; false where that does not get there.
    fn solve_by_sweeps(&mut self, tolerance: f64, most: usize) -> bool {
        let can_be_swept = |member: &Member<'_, S>| {
            let at = member.at();
            member.scratch.unknowns().can_be_swept(S::model(at.body), &at)
        };
        if !self.members.iter().all(can_be_swept) {
            return false;
        }
        self.fill_layouts();
        self.find_couplings();
        let stop = self.stop();
        let Self { members, scratch } = self;
        let IslandScratch { contacts, springs, neg_gradient, step, cg, sweeps, couplings, joint, .. } = &mut **scratch;
        let layouts: Vec<&Layout> = if contacts.is_empty() {
            members.iter().filter_map(|member| member.scratch.unknowns().ssor.as_ref()).collect()
        } else {
            vec![joint.layout()]
        };
        let system = Swept { layouts: &layouts, couplings, stop };
        step.fill(DVec3::ZERO);
        if tolerance >= TRUSTED {
            return ssor::solve(&system, neg_gradient, step, tolerance, most, sweeps).is_some();
        }
        let (residual, image) = cg.residual_and_image(neg_gradient.len());
        residual.copy_from_slice(neg_gradient);
        let goal = tolerance * dot(neg_gradient, neg_gradient).sqrt();
        let mut left = goal / tolerance;
        for _ in 0..REFINEMENTS {
            // The norm of the preconditioner weighs otherwise: what is asked of it is a little more.
            let asked = (0.5 * goal / left).max(REACH);
            if ssor::solve(&system, residual, step, asked, most, sweeps).is_none() {
                return false;
            }
            for member in &*members {
                let (step, image) = (&step[member.range()], &mut image[member.range()]);
                member.scratch.unknowns().matrix.multiply(step, image);
                member.scratch.unknowns().multiply_rows(S::model(member.body), step, image);
            }
            multiply_springs(members, contacts, springs, step, image);
            for ((residual, image), down) in residual.iter_mut().zip(&*image).zip(&*neg_gradient) {
                *residual = *down - *image;
            }
            members
                .iter()
                .for_each(|member| member.scratch.unknowns().constraints.project(&mut residual[member.range()]));
            left = dot(residual, residual).sqrt();
            if left <= goal {
                return true;
            }
        }
        false
    }

    /// Fills what is swept: bodies that touch each other have one matrix.
    fn fill_layouts(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { contacts, springs, joint, .. } = &mut **scratch;
        if contacts.is_empty() {
            members.iter_mut().for_each(|member| member.scratch.unknowns_mut().fill_ssor());
        } else {
            joint.fill(members, contacts, springs);
        }
    }

    /// What rows of several weights couple beyond the matrices that are swept, by their places in them.
    fn find_couplings(&mut self) {
        let Self { members, scratch } = self;
        let IslandScratch { couplings, joint, contacts, .. } = &mut **scratch;
        couplings.clear();
        let mut places = 0;
        for member in members.iter() {
            let of = S::model(member.body);
            let own = member.scratch.unknowns().ssor.as_ref().filter(|_| contacts.is_empty());
            let place = |dof: usize| {
                own.map_or_else(|| joint.layout().place_of(member.first + dof), |own| places + own.place_of(dof))
            };
            for term in member.scratch.unknowns().wide_rows(of) {
                let ends = of.flesh.anchors.terms(term.at).map(|(dof, weight)| (place(dof), weight));
                couplings.push(term.matrix, ends);
            }
            places += own.map_or(0, Layout::places);
        }
    }

    fn solve_by_gradients(&mut self, tolerance: f64, most: usize, is_factored: bool) -> bool {
        let stop = self.stop();
        let Self { members, scratch } = self;
        let IslandScratch { contacts, springs, neg_gradient, step, cg, .. } = &mut **scratch;
        let multiply = |direction: &[DVec3], image: &mut [DVec3]| {
            for member in &*members {
                let (direction, image) = (&direction[member.range()], &mut image[member.range()]);
                member.scratch.unknowns().matrix.multiply(direction, image);
                member.scratch.unknowns().multiply_rows(S::model(member.body), direction, image);
            }
            multiply_springs(members, contacts, springs, direction, image);
        };
        let diagonal = |i: usize| {
            let member = &members[members.partition_point(|member| member.first <= i) - 1];
            member.scratch.unknowns().matrix.diagonal(i - member.first)
        };
        let inverse = |of: &mut [DVec3]| {
            members.iter().for_each(|member| member.scratch.unknowns().solve_factored(&mut of[member.range()]));
        };
        let project = |motion: &mut [DVec3]| {
            members
                .iter()
                .for_each(|member| member.scratch.unknowns().constraints.project(&mut motion[member.range()]));
        };
        let precondition =
            if is_factored { Preconditioner::Inverse(&inverse) } else { Preconditioner::Diagonal(&diagonal) };
        let system = System { multiply: &multiply, precondition, project: &project, stop };
        solve(&system, neg_gradient, step, tolerance, most, cg)
    }
}
