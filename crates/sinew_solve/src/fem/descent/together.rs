//! The rigid motions of bodies that touch each other, solved for together.
//!
//! One body at a time, two that press on each other hardly move as one: each finds the other in its way. Conjugate gradients over six
//! numbers per body, with each body's own matrix as preconditioner, know both, and what one body gains another loses.

use super::pairs::Joint;
use super::whole::{Lift, Matrix, Rigid, Whole};

/// Most iterations: enough for a tower of ten, and few beside a sweep.
const MOST: usize = 40;
/// Share of the residual that may stay.
const LEFT: f64 = 1e-7;

/// Buffers, one entry per body that takes part.
#[derive(Default)]
pub(super) struct Together {
    pub(super) bodies: Vec<usize>,
    /// Gradients and matrices, without other bodies until they are solved with.
    pub(super) wholes: Vec<Whole>,
    pub(super) joints: Vec<Joint>,
    /// Where bodies are lifted from, and Newton's step.
    pub(super) from: Vec<Lift>,
    pub(super) step: Vec<Rigid>,
    /// By island: the share of the step that is taken, and the objective before and after it.
    pub(super) share: Vec<f64>,
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    own: Vec<Matrix>,
    full: Vec<Matrix>,
    residual: Vec<Rigid>,
    direction: Vec<Rigid>,
    image: Vec<Rigid>,
}

impl Together {
    pub(super) fn clear(&mut self, islands: usize) {
        self.bodies.clear();
        self.wholes.clear();
        self.joints.clear();
        self.from.clear();
        for of in [&mut self.share, &mut self.before, &mut self.after] {
            of.clear();
            of.resize(islands, 1.0);
        }
    }

    /// Whether every island went downhill.
    pub(super) fn all_fell(&self) -> bool {
        self.before.iter().zip(&self.after).all(|(before, after)| after <= before)
    }

    /// Halves the steps of islands that went uphill, or gives them up; whether there was none.
    pub(super) fn shorten(&mut self, give_up: bool) -> bool {
        let mut all_fell = true;
        for ((share, before), after) in self.share.iter_mut().zip(&self.before).zip(&self.after) {
            if after > before && *share > 0.0 {
                *share = if give_up { 0.0 } else { *share * 0.5 };
                all_fell = false;
            }
        }
        all_fell
    }

    /// Newton's step of all bodies.
    pub(super) fn solve(&mut self) {
        let count = self.bodies.len();
        self.own.clear();
        self.own.extend(self.wholes.iter().map(Whole::matrix));
        self.joints.iter().for_each(|joint| joint.add_to(&mut self.wholes));
        self.full.clear();
        self.full.extend(self.wholes.iter().map(Whole::matrix));
        for of in [&mut self.step, &mut self.image, &mut self.direction] {
            of.clear();
            of.resize(count, Rigid::NONE);
        }
        self.residual.clear();
        self.residual.extend(self.wholes.iter().map(Whole::downhill));
        let (mut size, mut first) = (0.0, 0.0);
        for iteration in 0..MOST {
            let eased = |(matrix, residual): (&Matrix, &Rigid)| (matrix.solve(*residual), *residual);
            let now: f64 = self.full.iter().zip(&self.residual).map(eased).map(|(e, r)| e.dot(&r)).sum();
            first = if iteration == 0 { now } else { first };
            if !(now > LEFT * LEFT * first && now.is_finite()) {
                return;
            }
            let carry = if iteration == 0 { 0.0 } else { now / size };
            for (k, direction) in self.direction.iter_mut().enumerate() {
                let mut next = self.full[k].solve(self.residual[k]);
                next.add(direction, carry);
                *direction = next;
            }
            self.multiply();
            let curvature: f64 = self.direction.iter().zip(&self.image).map(|(d, i)| d.dot(i)).sum();
            if !(curvature > 0.0 && curvature.is_finite()) {
                return;
            }
            let share = now / curvature;
            for k in 0..count {
                self.step[k].add(&self.direction[k], share);
                self.residual[k].add(&self.image[k], -share);
            }
            size = now;
        }
    }

    fn multiply(&mut self) {
        let Self { own, joints, direction, image, .. } = self;
        for ((image, own), direction) in image.iter_mut().zip(own).zip(&*direction) {
            *image = own.times(direction);
        }
        for joint in joints {
            joint.multiply(direction, image);
        }
    }
}
