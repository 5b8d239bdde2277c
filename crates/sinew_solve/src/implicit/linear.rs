//! The linear system of one Newton iteration, over all degrees of freedom of an island.

use super::island::{Island, IslandScratch, multiply_springs};
use super::matrix::{Preconditioner, System, solve};
use super::{Implicit, LinearSolve};
use sinew_math::DVec3;

impl<S: Implicit> Island<'_, S> {
    /// Finds the Newton step.
    pub(super) fn solve(&mut self, tolerance: f64) {
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
        let IslandScratch { contacts, springs, downhill, step, cg } = &mut **scratch;
        let multiply = |direction: &[DVec3], image: &mut [DVec3]| {
            for member in &*members {
                let (direction, image) = (&direction[member.range()], &mut image[member.range()]);
                member.scratch.motion().matrix.multiply(direction, image);
                member.scratch.motion().multiply_rows(S::stuff(member.body), direction, image);
            }
            multiply_springs(members, contacts, springs, direction, image);
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
}
