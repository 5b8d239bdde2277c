//! The rigid motion that suits a body best, as an initial guess of Newton's method.
//!
//! What is stiff lands, slides and is pushed as a rigid body would be. Six equations find that motion, with contacts that come and go and
//! friction that begins to slide, for a small part of what one iteration over all points takes. Newton's method has deformation left to
//! find. From a guess that is inside an obstacle it would begin with contact forces a thousand times those of the answer.

use super::Interval;
use super::rigid_modes::{RigidQuadratic, RigidTransform, Twist};
use super::unknowns::{BodyModel, Unknowns};
use sinew_math::{DVec3, Sym3};

/// Newton iterations on rigid motions.
const ITERATIONS: u32 = 20;
/// Halvings of a step before it is given up.
const HALVINGS: u32 = 6;
/// A step by less than this share of the body's size ends the search.
const NEGLIGIBLE: f64 = 1e-9;

impl Unknowns {
    /// Moves the body as a whole to where inertia, goals, drag and contacts with obstacles balance. Friction stays as it was.
    pub(crate) fn solve_rigid<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>) {
        let (kept, size_m) = (self.contact_penalties().to_vec(), of.flesh.size_m());
        for _ in 0..ITERATIONS {
            self.find_pressing(of, at);
            let centre = self.centre(of);
            let step = self.rigid_quadratic(of, at, centre).step();
            if !self.descend_rigidly(of, at, centre, &step) {
                self.springs_mut().for_each(|spring| {
                    spring.drop_sliding_assumption();
                });
            }
            if step.shift.length() + step.spin.length() * size_m <= NEGLIGIBLE * size_m {
                break;
            }
        }
        self.springs_mut().zip(kept).for_each(|(spring, kept)| *spring = kept);
    }

    fn centre(&self, of: BodyModel<'_>) -> DVec3 {
        let sum = |sum: DVec3, (i, mass): (usize, &f64)| sum + self.place(i) * *mass;
        of.flesh.mass_kg.iter().enumerate().fold(DVec3::ZERO, sum) / of.flesh.total_mass_kg()
    }

    /// Gradient and matrix of the objective in rigid motions about `centre`; elasticity has no say in them.
    fn rigid_quadratic<B>(&self, of: BodyModel<'_>, at: &Interval<'_, B>, centre: DVec3) -> RigidQuadratic {
        let (mut force, mut torque, mut arm) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let (mut mass, mut square) = (0.0, Sym3::ZERO);
        for (i, m) in of.flesh.mass_kg.iter().enumerate() {
            let (a, y, gradient) = (m / (at.h * at.h), self.place(i) - centre, self.inertia_at(of, at, i));
            force += gradient;
            torque += y.cross(gradient);
            mass += a;
            arm += y * a;
            square += Sym3::along(y, a);
        }
        let mut quadratic = RigidQuadratic::of_points(force, torque, mass, arm, square);
        let anchors = &of.flesh.anchors;
        for term in self.row_terms() {
            let add = |(sum, y): (f64, DVec3), (dof, weight)| (sum + weight, y + (self.place(dof) - centre) * weight);
            let (weight, y) = anchors.terms(term.at).fold((0.0, DVec3::ZERO), add);
            quadratic.add_row(weight, y, term.gradient(anchors.at(term.at, &self.moved)), term.matrix);
        }
        quadratic
    }

    /// Takes a step by the largest share that goes downhill; false where none does.
    fn descend_rigidly<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>, centre: DVec3, step: &Twist) -> bool {
        let before = self.objective(of, at);
        self.save();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let motion = RigidTransform::NONE.then(step, share);
            for i in 0..self.moved.len() {
                let arm = self.place(i) - centre;
                self.moved[i] += motion.place(arm, 1.0) - arm;
            }
            if self.objective(of, at) <= before {
                return true;
            }
            self.restore();
            share *= 0.5;
        }
        false
    }
}
