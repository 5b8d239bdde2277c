//! A body of finite elements as a member of an island of bodies that touch each other.

use super::body::{FemScratch, Interval, contact_stiffness};
use super::{FemBody, midpoint};
use crate::implicit::{BlockMatrix, Constraints, Implicit, NewtonParams};
use crate::{Asked, BodyState, Cues};
use sinew_math::DVec3;

impl Implicit for FemScratch {
    type Body = FemBody;

    fn params(body: &FemBody) -> NewtonParams {
        let params = body.params;
        NewtonParams {
            iterations: params.newton_iterations,
            tolerance: params.tolerance,
            linear_tolerance: params.linear_tolerance,
            linear: params.linear,
        }
    }

    fn contact_stiffness(at: &Interval<'_>, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
        contact_stiffness(at, terms)
    }

    fn begin(&mut self, at: &Interval<'_>) {
        self.begin(at);
    }

    fn evaluate(&mut self, at: &Interval<'_>) {
        self.evaluate(at);
    }

    fn assemble(&mut self, at: &Interval<'_>) {
        self.assemble(at);
    }

    fn objective(&self, at: &Interval<'_>) -> f64 {
        self.objective(at)
    }

    fn multiply_rows(&self, at: &Interval<'_>, direction: &[DVec3], image: &mut [DVec3]) {
        self.multiply_rows(at, direction, image);
    }

    fn negligible_force(&self, at: &Interval<'_>) -> f64 {
        self.negligible_force(at)
    }

    fn balance_momentum(&mut self, at: &Interval<'_>, others: DVec3) {
        self.balance_momentum(at, others);
    }

    fn report_reactions(&mut self, at: &Interval<'_>) {
        self.report_reactions(at);
    }

    fn finish(&mut self, body: &FemBody, state: &mut BodyState, cues: &Cues, h: f64, steps: f64) {
        self.finish(body, state, cues, h, steps);
    }

    fn factor(&mut self) -> bool {
        self.factor()
    }

    fn solve_factored(&self, of: &mut [DVec3]) {
        self.solve_factored(of);
    }

    fn half_way(number: usize, body: &FemBody, start: &BodyState, asked: &Asked<'_>) -> Option<Cues> {
        let applies = midpoint::applies(number, body, asked);
        applies.then(|| midpoint::half_way(body, start, &asked.cues[number], asked.h_secs))
    }

    fn moved(&self) -> &[DVec3] {
        &self.moved
    }

    fn predicted(&self) -> &[DVec3] {
        &self.predicted
    }

    fn gradient_mut(&mut self) -> &mut [DVec3] {
        &mut self.gradient
    }

    fn matrix(&self) -> &BlockMatrix {
        &self.matrix
    }

    fn matrix_mut(&mut self) -> &mut BlockMatrix {
        &mut self.matrix
    }

    fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    fn keep(&mut self) {
        self.keep();
    }

    fn go(&mut self, step: &[DVec3], share: f64) {
        self.go(step, share);
    }
}
