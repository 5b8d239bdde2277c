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
    full: Vec<Matrix>,
    couplings: Vec<Coupling>,
    residual: Vec<Twist>,
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
        self.full.clear();
        self.full.extend(self.quadratics.iter().map(RigidQuadratic::matrix));
        for of in [&mut self.step, &mut self.image, &mut self.direction] {
            of.clear();
            of.resize(count, Twist::NONE);
        }
        self.residual.clear();
        self.residual.extend(self.quadratics.iter().map(RigidQuadratic::neg_gradient));
        let (mut size, mut first) = (0.0, 0.0);
        for iteration in 0..MOST.max(6 * count).min(MOST_OF_ALL) {
            let eased = |(matrix, residual): (&Matrix, &Twist)| (matrix.solve(*residual), *residual);
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
        let Self { full, couplings, direction, image, .. } = self;
        for ((image, full), direction) in image.iter_mut().zip(full).zip(&*direction) {
            *image = full.times(direction);
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
