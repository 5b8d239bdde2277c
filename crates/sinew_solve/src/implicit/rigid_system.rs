//! The rigid system: Newton's step of the rigid modes of bodies that touch each other, all at once.
//!
//! Solved one body at a time, two that press on each other hardly move as one: each finds the other in its way. Conjugate gradients
//! run over six numbers per body, with each body's own matrix as preconditioner. What one body gains another loses.

use super::PenaltyForce;
use super::rigid_modes::{Matrix, RigidQuadratic, RigidTransform, Twist, cross};
use sinew_math::{DMat3, DVec3};

/// Most iterations: as many as there are numbers, within reason.
const MOST: usize = 40;
const MOST_OF_ALL: usize = 200;
/// Share of the residual that may stay.
const LEFT: f64 = 1e-7;

/// Buffers, one entry per body that takes part.
#[derive(Default)]
pub(crate) struct RigidSystem {
    pub(crate) bodies: Vec<usize>,
    /// Gradients and matrices, without other bodies until they are solved with.
    pub(crate) quadratics: Vec<RigidQuadratic>,
    pub(crate) joints: Vec<ContactTerm>,
    /// Where bodies are lifted from, and Newton's step.
    pub(crate) from: Vec<RigidTransform>,
    pub(crate) step: Vec<Twist>,
    /// By island: the share of the step that is taken, and the objective before and after it.
    pub(crate) share: Vec<f64>,
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    /// Those that anything acts on: a few of many in a heap, and the others stay where they are.
    pushed: Vec<usize>,
    full: Vec<Matrix>,
    couplings: Vec<Coupling>,
    residual: Vec<Twist>,
    /// The residual under the preconditioner.
    eased: Vec<Twist>,
    direction: Vec<Twist>,
    image: Vec<Twist>,
}

impl RigidSystem {
    pub(crate) fn clear(&mut self, islands: usize) {
        self.bodies.clear();
        self.quadratics.clear();
        self.joints.clear();
        self.from.clear();
        for of in [&mut self.share, &mut self.before, &mut self.after] {
            of.clear();
            of.resize(islands, 1.0);
        }
    }

    /// Whether every island went downhill.
    pub(crate) fn all_fell(&self) -> bool {
        self.before.iter().zip(&self.after).all(|(before, after)| after <= before)
    }

    /// Halves the steps of islands that went uphill, or gives them up; whether there was none.
    pub(crate) fn shorten(&mut self, give_up: bool) -> bool {
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
    pub(crate) fn solve(&mut self) {
        let count = self.quadratics.len();
        self.couplings.clear();
        for joint in &self.joints {
            joint.add_to(&mut self.quadratics);
            joint.couple(&mut self.couplings);
        }
        self.find_pushed();
        self.prepare(count);
        let (mut size, mut first) = (0.0, 0.0);
        for iteration in 0..MOST.max(6 * count).min(MOST_OF_ALL) {
            let mut now = 0.0;
            for &k in &self.pushed {
                self.eased[k] = self.full[k].solve(self.residual[k]);
                now += self.eased[k].dot(&self.residual[k]);
            }
            first = if iteration == 0 { now } else { first };
            if !(now > LEFT * LEFT * first && now.is_finite()) {
                return;
            }
            let carry = if iteration == 0 { 0.0 } else { now / size };
            for &k in &self.pushed {
                let mut next = self.eased[k];
                next.add(&self.direction[k], carry);
                self.direction[k] = next;
            }
            self.multiply();
            let curvature: f64 = self.pushed.iter().map(|&k| self.direction[k].dot(&self.image[k])).sum();
            if !(curvature > 0.0 && curvature.is_finite()) {
                return;
            }
            let share = now / curvature;
            for &k in &self.pushed {
                self.step[k].add(&self.direction[k], share);
                self.residual[k].add(&self.image[k], -share);
            }
            size = now;
        }
    }

    /// Bodies with a gradient, and those that are joined to others.
    fn find_pushed(&mut self) {
        let Self { pushed, quadratics, couplings, .. } = self;
        pushed.clear();
        pushed.extend((0..quadratics.len()).filter(|&k| !quadratics[k].is_at_rest()));
        pushed.extend(couplings.iter().flat_map(|coupling| coupling.bodies));
        pushed.sort_unstable();
        pushed.dedup();
    }

    /// Matrices and residuals of those that are pushed; nothing for the others.
    fn prepare(&mut self, count: usize) {
        self.full.resize(count, Matrix::NOTHING);
        for of in [&mut self.step, &mut self.image, &mut self.direction, &mut self.residual, &mut self.eased] {
            of.clear();
            of.resize(count, Twist::NONE);
        }
        for &k in &self.pushed {
            self.full[k] = self.quadratics[k].matrix();
            self.residual[k] = self.quadratics[k].neg_gradient();
        }
    }

    fn multiply(&mut self) {
        let Self { pushed, full, couplings, direction, image, .. } = self;
        for &k in &*pushed {
            image[k] = full[k].times(&direction[k]);
        }
        for coupling in couplings {
            coupling.multiply(direction, image);
        }
    }
}

/// A contact that presses, between the rigid motions of two bodies.
pub(crate) struct ContactTerm {
    pub(crate) ends: [ContactEnd; 2],
    pub(crate) penalty: PenaltyForce,
}

pub(crate) struct ContactEnd {
    /// Which of those that take part; none stays where it is.
    pub(crate) body: Option<usize>,
    /// Where it is in the body's frame.
    pub(crate) y: DVec3,
    pub(crate) turn: DMat3,
    pub(crate) sign: f64,
}

impl ContactTerm {
    /// The force on its first end after a step, as far as it is linear in that. For ends in the world's axes.
    pub(crate) fn force_after(&self, step: &[Twist]) -> DVec3 {
        let moved = |end: &ContactEnd| end.body.map_or(DVec3::ZERO, |body| step[body].at(end.y) * end.sign);
        -(self.penalty.gradient + self.penalty.matrix * (moved(&self.ends[0]) + moved(&self.ends[1])))
    }

    /// Adds gradient and matrix to each body's own.
    fn add_to(&self, quadratics: &mut [RigidQuadratic]) {
        for end in &self.ends {
            if let Some(body) = end.body {
                let penalty = self.penalty.turned(end.turn.transpose());
                quadratics[body].add_row(1.0, end.y, penalty.gradient * end.sign, penalty.matrix);
            }
        }
    }

    /// Adds what each body's motion does to the other. Contacts of the same two bodies that follow each other are one.
    fn couple(&self, couplings: &mut Vec<Coupling>) {
        let [a, b] = &self.ends;
        let [Some(first), Some(second)] = [a.body, b.body] else { return };
        if couplings.last().is_none_or(|last| last.bodies != [first, second]) {
            couplings.push(Coupling { bodies: [first, second], ..Coupling::NONE });
        }
        let Some(coupling) = couplings.last_mut() else { return };
        let shift = a.turn.transpose() * self.penalty.matrix.to_mat() * b.turn * (a.sign * b.sign);
        let (mine, theirs) = (cross(a.y), cross(b.y));
        coupling.shift += shift;
        coupling.shift_by_spin -= shift * theirs;
        coupling.spin_by_shift += mine * shift;
        coupling.spin -= mine * shift * theirs;
    }
}

/// What the motion of one body does to another through all their contacts: a block of six by six.
#[derive(Debug, Clone, Copy)]
struct Coupling {
    bodies: [usize; 2],
    shift: DMat3,
    shift_by_spin: DMat3,
    spin_by_shift: DMat3,
    spin: DMat3,
}

impl Coupling {
    const NONE: Self = Self {
        bodies: [0; 2],
        shift: DMat3::ZERO,
        shift_by_spin: DMat3::ZERO,
        spin_by_shift: DMat3::ZERO,
        spin: DMat3::ZERO,
    };

    fn multiply(&self, motion: &[Twist], image: &mut [Twist]) {
        let Self { bodies: [a, b], shift, shift_by_spin, spin_by_shift, spin } = self;
        let there = motion[*b];
        let here = Twist {
            shift: *shift * there.shift + *shift_by_spin * there.spin,
            spin: *spin_by_shift * there.shift + *spin * there.spin,
        };
        image[*a].add(&here, 1.0);
        let here = motion[*a];
        let there = Twist {
            shift: shift.transpose() * here.shift + spin_by_shift.transpose() * here.spin,
            spin: shift_by_spin.transpose() * here.shift + spin.transpose() * here.spin,
        };
        image[*b].add(&there, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rigid_modes::RigidInertia;
    use super::*;
    use sinew_math::{Sym3, dvec3};

    /// Two bodies pressed together, the second with this number among `count` of which nothing pushes the others.
    fn steps(count: usize, second: usize) -> [Twist; 2] {
        let turning = DMat3::from_diagonal(dvec3(1.0, 2.0, 3.0));
        let mut system = RigidSystem::default();
        system.quadratics.resize(count, RigidInertia::new(5.0, turning).whole(&Twist::NONE));
        let matrix = Sym3::along(dvec3(0.6, 0.8, 0.0), 400.0);
        let gradient = dvec3(0.6, 0.8, 0.0) * -3.0;
        for y in [dvec3(0.1, -0.3, 0.2), dvec3(-0.2, -0.3, 0.1)] {
            let end = |body, sign| ContactEnd { body: Some(body), y: y * sign, turn: DMat3::IDENTITY, sign };
            let penalty = PenaltyForce { gradient, matrix, bound: matrix, energy: 0.0 };
            system.joints.push(ContactTerm { ends: [end(0, 1.0), end(second, -1.0)], penalty });
        }
        system.solve();
        for (k, step) in system.step.iter().enumerate().filter(|(k, _)| *k != 0 && *k != second) {
            assert!(step.shift == DVec3::ZERO && step.spin == DVec3::ZERO, "body {k} moves: {step:?}");
        }
        [system.step[0], system.step[second]]
    }

    #[test]
    fn bodies_that_nothing_pushes_change_nothing() {
        let (few, many) = (steps(2, 1), steps(9, 4));
        for (few, many) in few.iter().zip(&many) {
            assert!(few.shift == many.shift && few.spin == many.spin, "{few:?} {many:?}");
            assert!(few.shift.length() > 1e-3, "{few:?}");
        }
        assert!((few[0].shift + few[1].shift).length() < 1e-9, "what one gains the other loses: {few:?}");
    }
}
