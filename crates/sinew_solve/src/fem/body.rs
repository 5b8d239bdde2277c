//! One body's implicit step.

use super::constraints::Constraints;
use super::direct::Direct;
use super::elements::Elements;
use super::external::{Predicted, RowTerm};
use super::matrix::BlockMatrix;
use super::{FemBody, FemError};
use crate::{BodyState, Cells, Contact, Cues, Memory, Row, damp_wobble};
use rayon::prelude::*;
use sinew_math::libm;
use sinew_math::{DMat3, DVec3};

/// A contact spring against the diagonal of the matrix there: stiff enough that penetration does not show.
const CONTACT_STIFFNESS: f64 = 10.0;
/// Unbalanced force that counts as none: what would move the body by this share of its size in a step.
const NEGLIGIBLE: f64 = 1e-11;
/// Points per parallel piece.
const PIECE: usize = 256;

/// Everything a body's step works in, sized once.
pub(super) struct FemScratch {
    elements: Elements,
    pub(super) matrix: BlockMatrix,
    /// Made when first needed.
    direct: Option<Direct>,
    pub(super) constraints: Constraints,
    pub(super) predicted: Vec<DVec3>,
    /// The displacement from the prediction.
    pub(super) moved: Vec<DVec3>,
    trial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    smooth: Vec<RowTerm>,
    pressing: Vec<RowTerm>,
    pub reactions: Vec<(Row, DVec3)>,
}

/// What stays the same during one body's step.
#[derive(Clone, Copy)]
pub(super) struct Interval<'a> {
    pub(super) body: &'a FemBody,
    pub(super) start: &'a BodyState,
    pub(super) cues: &'a Cues,
    pub(super) contacts: &'a [Contact],
    pub(super) h: f64,
}

impl FemScratch {
    pub(super) fn new(body: &FemBody) -> Result<Self, FemError> {
        let Cells::Tets(tets) = &body.flesh.cells else { return Err(FemError::NotTets) };
        let n = body.flesh.point_count();
        let mut elements = Elements::new(tets, n, body.params.smoothing);
        Ok(Self {
            matrix: elements.matrix(),
            direct: None,
            elements,
            constraints: Constraints::default(),
            predicted: vec![DVec3::ZERO; n],
            moved: vec![DVec3::ZERO; n],
            trial: vec![DVec3::ZERO; n],
            gradient: vec![DVec3::ZERO; n],
            smooth: Vec::new(),
            pressing: Vec::new(),
            reactions: Vec::new(),
        })
    }

    /// Everything that does not change while the step is solved for.
    pub(super) fn begin(&mut self, at: &Interval<'_>) {
        self.predict(at);
        self.measure_rest(at);
        self.constraints.prepare(&at.body.flesh, at.cues);
        let predicted = Predicted { flesh: &at.body.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        predicted.smooth_terms(at.cues, &mut self.smooth);
        self.start_at_pins(at);
        self.start_at_rest(at);
    }

    /// Starts from where the body is instead, if that is nearer to the answer: with great forces the prediction is far off.
    fn start_at_rest(&mut self, at: &Interval<'_>) {
        self.pressing.clear();
        let flown = self.objective(at);
        self.keep();
        for (moved, (x, predicted)) in self.moved.iter_mut().zip(at.start.x.iter().zip(&self.predicted)) {
            *moved = *x - *predicted;
        }
        if !self.constraints.is_empty() {
            self.moved.iter_mut().zip(&self.predicted).for_each(|(moved, predicted)| *moved += *predicted);
            self.constraints.meet(&at.body.flesh, at.cues, |pin| pin.to, &mut self.moved);
            self.moved.iter_mut().zip(&self.predicted).for_each(|(moved, predicted)| *moved -= *predicted);
        }
        if self.objective(at).partial_cmp(&flown) != Some(std::cmp::Ordering::Less) {
            self.moved.copy_from_slice(&self.trial);
        }
    }

    /// Gradient of the body's own objective at its present displacement.
    pub(super) fn evaluate(&mut self, at: &Interval<'_>) {
        let Self { elements, predicted, moved, .. } = self;
        elements.strain(|v| predicted[v] + moved[v]);
        self.find_pressing(at);
        self.evaluate_gradient(at);
    }

    /// x̂ = x + h v + h² f/m.
    fn predict(&mut self, at: &Interval<'_>) {
        let mass = &at.body.flesh.mass_kg;
        for (i, predicted) in self.predicted.iter_mut().enumerate() {
            let force = at.cues.force_n.get(i).copied().unwrap_or_default();
            *predicted = at.start.x[i] + (at.start.v[i] + force * (at.h / mass[i])) * at.h;
        }
        self.moved.fill(DVec3::ZERO);
    }

    /// Rest shapes as asked, and what damps in this interval.
    fn measure_rest(&mut self, at: &Interval<'_>) {
        self.elements.measure_rest(&at.body.flesh, &at.body.material, at.cues);
        let Memory::Fem { rotation } = &at.start.memory else { return };
        let is_damped = at.body.material.damping.rayleigh_stiffness_secs > 0.0;
        self.elements.strain_at_start(&at.start.x, rotation, is_damped);
    }

    fn start_at_pins(&mut self, at: &Interval<'_>) {
        if self.constraints.is_empty() {
            return;
        }
        self.trial.copy_from_slice(&self.predicted);
        self.constraints.meet(&at.body.flesh, at.cues, |pin| pin.to, &mut self.trial);
        for ((moved, trial), predicted) in self.moved.iter_mut().zip(&self.trial).zip(&self.predicted) {
            *moved = *trial - *predicted;
        }
    }

    /// Unbalanced force that counts as none.
    pub(super) fn negligible_force(&self, at: &Interval<'_>) -> f64 {
        let flesh = &at.body.flesh;
        NEGLIGIBLE * flesh.size_m() * flesh.total_mass_kg() / (at.h * at.h) / (flesh.point_count() as f64).sqrt()
    }

    fn find_pressing(&mut self, at: &Interval<'_>) {
        let flesh = &at.body.flesh;
        let predicted = Predicted { flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        let spring = |row: Row| contact_stiffness(at, flesh.anchors.terms(row));
        predicted.contact_terms(at.contacts, &self.moved, spring, &mut self.pressing);
    }

    /// ∇ of the objective at the present displacement.
    fn evaluate_gradient(&mut self, at: &Interval<'_>) {
        let Self { gradient, elements, predicted, moved, .. } = self;
        elements.damp(|v| predicted[v] + moved[v] - at.start.x[v], |points| element_damping(at, points) / at.h);
        let damping = at.body.material.damping;
        let mass = &at.body.flesh.mass_kg;
        gradient.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, g)| {
            let velocity = (predicted[i] + moved[i] - at.start.x[i]) / at.h;
            *g = moved[i] * (mass[i] / (at.h * at.h))
                + velocity * (damping.rayleigh_mass_per_sec * damping_factor(at.cues, i) * mass[i])
                + elements.gradient_at(i);
        });
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            let force = term.gradient(anchors.at(term.at, moved));
            for (dof, weight) in anchors.terms(term.at) {
                gradient[dof] += force * weight;
            }
        }
    }

    pub(super) fn assemble(&mut self, at: &Interval<'_>) {
        let Self { matrix, elements, .. } = self;
        elements.assemble(matrix, |points| element_damping(at, points) / at.h);
        for (i, mass) in at.body.flesh.mass_kg.iter().enumerate() {
            let drag = at.body.material.damping.rayleigh_mass_per_sec * damping_factor(at.cues, i) * mass / at.h;
            *matrix.diagonal_mut(i) += DMat3::from_diagonal(DVec3::splat(mass / (at.h * at.h) + drag));
        }
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            for (dof, weight) in anchors.terms(term.at) {
                *matrix.diagonal_mut(dof) += term.matrix.to_mat() * (weight * weight);
            }
        }
    }

    /// Factors the assembled matrix; false where it cannot be.
    pub(super) fn factor(&mut self) -> bool {
        if self.direct.is_none() {
            self.direct = Direct::new(&self.matrix).ok();
        }
        let Self { direct, matrix, constraints, .. } = self;
        direct.as_mut().is_some_and(|direct| direct.factor(matrix, |i| constraints.is_pinned(i)).is_ok())
    }

    /// The inverse of the factored matrix times `of`, in place.
    pub(super) fn solve_factored(&self, of: &mut [DVec3]) {
        if let Some(direct) = &self.direct {
            direct.solve(of);
        }
    }

    /// Adds what does not fit the mesh's sparsity: rows of several weights couple degrees of freedom beyond their
    /// diagonal blocks.
    pub(super) fn multiply_rows(&self, at: &Interval<'_>, direction: &[DVec3], image: &mut [DVec3]) {
        let anchors = &at.body.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing).filter(|term| anchors.single(term.at).is_none()) {
            let whole = anchors.at(term.at, direction);
            for (dof, weight) in anchors.terms(term.at) {
                image[dof] += term.matrix * (whole - direction[dof] * weight) * weight;
            }
        }
    }

    /// Keeps the present displacement, from which steps are tried.
    pub(super) fn keep(&mut self) {
        self.trial.copy_from_slice(&self.moved);
    }

    /// Goes `share` of `step` from what was kept.
    pub(super) fn go(&mut self, step: &[DVec3], share: f64) {
        for ((moved, kept), step) in self.moved.iter_mut().zip(&self.trial).zip(step) {
            *moved = *kept + *step * share;
        }
    }

    pub(super) fn objective(&self, at: &Interval<'_>) -> f64 {
        let flesh = &at.body.flesh;
        let damping = at.body.material.damping;
        let place = |v: usize| self.predicted[v] + self.moved[v];
        let inertia: f64 = (0..self.moved.len())
            .map(|i| {
                let gone = place(i) - at.start.x[i];
                let drag = damping.rayleigh_mass_per_sec * damping_factor(at.cues, i);
                0.5 * flesh.mass_kg[i]
                    * (self.moved[i].length_squared() / (at.h * at.h) + drag / at.h * gone.length_squared())
            })
            .sum();
        let gone = |v: usize| place(v) - at.start.x[v];
        let elastic = self.elements.energy(place, gone, |points| element_damping(at, points) / at.h);
        let anchors = &flesh.anchors;
        let rows: f64 = self.smooth.iter().map(|term| term.energy(anchors.at(term.at, &self.moved))).sum();
        let pressing: f64 = self.pressing.iter().map(|term| term.energy(anchors.at(term.at, &self.moved))).sum();
        inertia + elastic + rows + pressing
    }

    /// Elastic forces sum to zero; what the inexact solve left of a net force is taken back as a translation. `others` is
    /// the force of other bodies.
    pub(super) fn balance_momentum(&mut self, at: &Interval<'_>, others: DVec3) {
        if !self.constraints.is_empty() {
            return;
        }
        let flesh = &at.body.flesh;
        let outside = self.smooth.iter().chain(&self.pressing).fold(others, |sum, term| {
            let reach: f64 = flesh.anchors.terms(term.at).map(|(_, w)| w).sum();
            sum - term.gradient(flesh.anchors.at(term.at, &self.moved)) * reach
        });
        let drag = at.body.material.damping.rayleigh_mass_per_sec;
        let net = (0..self.moved.len()).fold(DVec3::ZERO, |sum, i| {
            let velocity = (self.predicted[i] + self.moved[i] - at.start.x[i]) / at.h;
            sum + (self.moved[i] / (at.h * at.h) + velocity * (drag * damping_factor(at.cues, i))) * flesh.mass_kg[i]
        });
        if net == DVec3::ZERO && outside == DVec3::ZERO {
            return;
        }
        let back = (outside - net) * (at.h * at.h / flesh.total_mass_kg());
        self.moved.iter_mut().for_each(|moved| *moved += back);
    }

    /// Forces of pins; the gradient must be that of the solution.
    pub(super) fn report_reactions(&mut self, at: &Interval<'_>) {
        self.reactions.clear();
        if self.constraints.is_empty() {
            return;
        }
        let reactions = &mut self.reactions;
        self.constraints.reactions(&at.body.flesh, at.cues, &self.gradient, |row, force| reactions.push((row, force)));
    }

    /// Writes the new state: v = v + h f/m + Δ/h, x = x + h v, so that a body nothing holds moves exactly. `steps` is 2 where the
    /// interval of `h` was half of the whole, else 1.
    pub(super) fn finish(&mut self, body: &FemBody, state: &mut BodyState, cues: &Cues, h: f64, steps: f64) {
        let mass = &body.flesh.mass_kg;
        for (i, (moved, mass)) in self.moved.iter().zip(mass).enumerate() {
            let force = cues.force_n.get(i).copied().unwrap_or_default();
            let gained = force * (h / mass) + *moved / h;
            state.x[i] += (state.v[i] + gained) * (h * steps);
            state.v[i] += gained * steps;
        }
        let rate = body.material.damping.wobble_per_sec;
        if rate > 0.0 {
            damp_wobble(mass, state, |i| libm::exp(-rate * damping_factor(cues, i) * h * steps));
        }
        self.constraints.meet(&body.flesh, cues, |pin| pin.to, &mut state.x);
        self.constraints.meet(&body.flesh, cues, |pin| pin.velocity, &mut state.v);
        if let Memory::Fem { rotation } = &mut state.memory {
            rotation.iter_mut().zip(self.elements.turns()).for_each(|(kept, turn)| *kept = turn);
        }
        state.recentre(mass);
    }
}

/// The spring of a contact, N/m: stiff against what an element gives a vertex, taken from rest data so that it does not
/// change within a step.
pub(super) fn contact_stiffness(at: &Interval<'_>, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (lambda, mu) = at.body.material.lame();
    let mass: f64 = terms.map(|(dof, weight)| weight * at.body.flesh.mass_kg[dof]).sum();
    let volume = mass / at.body.material.density_kg_m3;
    CONTACT_STIFFNESS * (mass / (at.h * at.h) + (lambda + 2.0 * mu) * volume.cbrt())
}

fn damping_factor(cues: &Cues, point: usize) -> f64 {
    cues.damping.get(point).copied().unwrap_or(1.0)
}

fn element_damping(at: &Interval<'_>, points: &[u32]) -> f64 {
    let factors: f64 = points.iter().map(|&v| damping_factor(at.cues, v as usize)).sum();
    at.body.material.damping.rayleigh_stiffness_secs * factors / points.len() as f64
}

/// The elastic energy of a body under its asked rest shape.
pub(super) fn elastic_energy(body: &FemBody, state: &BodyState, cues: &Cues) -> f64 {
    let Cells::Tets(tets) = &body.flesh.cells else { return 0.0 };
    let mut elements = Elements::new(tets, body.flesh.point_count(), body.params.smoothing);
    elements.measure_rest(&body.flesh, &body.material, cues);
    elements.energy_at(&state.x)
}
