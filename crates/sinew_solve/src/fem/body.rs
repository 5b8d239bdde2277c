//! One body's implicit step: its elements on top of the motion that all implicit steps share.

use super::elements::Elements;
use super::midpoint::Refusals;
use super::tets::{Rate, Tets};
use super::{FemBody, FemError, FemMethod, FemParams, Smoothing, TimeScheme};
use crate::implicit::{BodyModel, Implicit, InitialGuess, NewtonParams, Stiffness, Unknowns};
use crate::spin::{Rule, carried};
use crate::wobble::damping_factor;
use crate::{BodyState, Cells, Cues, Memory, StretchLaw};
use rayon::prelude::*;
use sinew_math::{DQuat, DVec3};

/// A contact spring against the diagonal of the matrix there: stiff enough that penetration does not show.
const CONTACT_STIFFNESS: f64 = 10.0;
/// How far a contact gives way within a step before it stiffens, as a share of the edge of the flesh around a vertex.
const DEEP_CONTACT: f64 = 0.005;
/// Newton iterations where sweeps have not come close enough.
const AFTER_SWEEPS: u32 = 12;
/// Points per parallel piece.
const PIECE: usize = 256;

/// Everything a body's step works in, sized once.
pub(crate) struct FemScratch {
    pub(super) elements: Kind,
    pub(super) unknowns: Unknowns,
    /// Where points were when the interval began, carried on with the body's spin: what damping measures from. Empty where nothing is damped.
    pub(super) carried: Vec<DVec3>,
    pub(super) refusals: Refusals,
    /// Elastic energy at the present displacement, where it is known.
    energy_j: Option<f64>,
    /// Whether the elements hold the gradient that belongs to that energy.
    has_pulls: bool,
    /// Whether the matrix has been filled along with the gradient.
    is_assembled: bool,
}

/// What a body's elements are.
pub(super) enum Kind {
    Tets(Tets),
    Smoothed(Box<Elements>),
}

pub(super) type Interval<'a> = crate::implicit::Interval<'a, FemBody>;

impl FemBody {
    pub(super) fn model(&self) -> BodyModel<'_> {
        BodyModel { flesh: &self.flesh, material: &self.material }
    }

    /// Whether its step is the classic one with warped stiffness.
    fn is_warped(&self) -> bool {
        let FemParams { newton_iterations, smoothing, .. } = self.params;
        newton_iterations == 1 && smoothing == Smoothing::None && self.material.law == StretchLaw::Corotated
    }
}

impl FemScratch {
    pub(crate) fn new(body: &FemBody) -> Result<Self, FemError> {
        let Cells::Tets(tets) = &body.flesh.cells else { return Err(FemError::NotTets) };
        let points = body.flesh.point_count();
        let (elements, matrix) = match body.params.smoothing {
            Smoothing::None => {
                let mut tets = Tets::new(tets, points, body.material.law);
                let matrix = tets.matrix();
                (Kind::Tets(tets), matrix)
            }
            Smoothing::Edges => {
                let mut elements = Elements::new(tets, points, body.params.smoothing);
                let matrix = elements.matrix();
                (Kind::Smoothed(Box::new(elements)), matrix)
            }
        };
        Ok(Self {
            unknowns: Unknowns::new(matrix),
            elements,
            carried: Vec::new(),
            refusals: Refusals::default(),
            energy_j: None,
            has_pulls: false,
            is_assembled: false,
        })
    }

    /// Whether a midpoint step was refused since this was last asked.
    pub(crate) fn take_refusal(&mut self) -> bool {
        self.refusals.take()
    }

    /// Rest shapes as asked, and what damps in this interval.
    fn measure_rest(&mut self, at: &Interval<'_>) {
        let Memory::Fem { rotation } = &at.start.memory else { return };
        let is_damped = at.body.material.damping.rayleigh_stiffness_secs > 0.0;
        self.carried.clear();
        let mut turn = DQuat::IDENTITY;
        if is_damped {
            turn = carried(&at.body.flesh.mass_kg, at.start, at.turning_forces(), at.h, &mut self.carried);
        }
        let warm = |element: usize| turn * rotation.get(element).copied().unwrap_or(DQuat::IDENTITY);
        match &mut self.elements {
            Kind::Tets(tets) => {
                tets.measure_rest(&at.body.flesh, &at.body.material, at.cues);
                let rate = |points: &[u32]| element_damping(at, points) / at.h;
                tets.begin(&self.carried, warm, is_damped.then_some(&rate as Rate<'_>));
            }
            Kind::Smoothed(elements) => {
                elements.measure_rest(&at.body.flesh, &at.body.material, at.cues);
                let start = if is_damped { &self.carried } else { &at.start.x };
                elements.strain_at_start(start, warm, is_damped);
            }
        }
    }

    /// Takes the rotations found last along in the state.
    fn keep_turns(&self, state: &mut BodyState) {
        if let Memory::Fem { rotation } = &mut state.memory {
            match &self.elements {
                Kind::Tets(tets) => rotation.iter_mut().zip(tets.turns()).for_each(|(kept, turn)| *kept = turn),
                Kind::Smoothed(elements) => {
                    rotation.iter_mut().zip(elements.turns()).for_each(|(kept, turn)| *kept = turn);
                }
            }
        }
    }
}

impl Implicit for FemScratch {
    type Body = FemBody;

    fn params(body: &FemBody) -> NewtonParams {
        let params = body.params;
        if let FemMethod::Descent { .. } = params.method {
            return NewtonParams {
                iterations: AFTER_SWEEPS,
                tolerance: params.sweep_tolerance,
                linear_tolerance: params.linear_tolerance,
                linear: params.linear,
            };
        }
        NewtonParams {
            iterations: params.newton_iterations,
            tolerance: params.tolerance,
            // After the only iteration there is no other to make up for a loose solve.
            linear_tolerance: match params.newton_iterations {
                1 => params.linear_tolerance.min(params.tolerance),
                _ => params.linear_tolerance,
            },
            linear: params.linear,
        }
    }

    /// Stiff against what an element gives a vertex, taken from rest data so that it does not change within a step.
    fn contact_stiffness(at: &Interval<'_>, terms: impl Iterator<Item = (usize, f64)>) -> Stiffness {
        let (lambda, mu) = at.body.material.lame();
        let mass: f64 = terms.map(|(dof, weight)| weight * at.body.flesh.mass_kg[dof]).sum();
        let volume = mass / at.body.material.density_kg_m3;
        let edge_m = volume.cbrt();
        let n_per_m = CONTACT_STIFFNESS * (mass / (at.h * at.h) + (lambda + 2.0 * mu) * edge_m);
        Stiffness { n_per_m, deep_m: DEEP_CONTACT * edge_m, size_m: at.body.flesh.size_m() }
    }

    fn begin(&mut self, at: &Interval<'_>) {
        (self.energy_j, self.has_pulls) = (None, false);
        self.measure_rest(at);
        let anchors = &at.body.flesh.anchors;
        self.unknowns.begin(at.body.model(), at, |row| Self::contact_stiffness(at, anchors.terms(row)));
    }

    /// With great forces the prediction is far off, and where the body is now is the better guess; the classic step is linear about there.
    fn initial_guesses(at: &Interval<'_>) -> &'static [InitialGuess] {
        match at.body.params.newton_iterations {
            1 => &[InitialGuess::Current],
            _ if at.contacts.is_empty() => &[InitialGuess::Ballistic, InitialGuess::Current],
            _ => &InitialGuess::ALL,
        }
    }

    fn evaluate(&mut self, at: &Interval<'_>) {
        self.unknowns.find_pressing(at.body.model(), at);
        let Self { unknowns, elements, carried, energy_j, has_pulls, is_assembled, .. } = self;
        let mut gradient = std::mem::take(&mut unknowns.gradient);
        gradient.par_iter_mut().with_min_len(PIECE).enumerate().for_each(|(i, g)| {
            *g = unknowns.inertia_at(at.body.model(), at, i);
        });
        match elements {
            Kind::Tets(tets) => {
                *is_assembled = at.body.is_warped();
                *energy_j = Some(if *is_assembled {
                    let Unknowns { predicted, moved, matrix, .. } = unknowns;
                    tets.linearise(|v| predicted[v] + moved[v], &mut gradient, matrix)
                } else {
                    let found = energy_j.filter(|_| *has_pulls);
                    let energy_j = found.unwrap_or_else(|| tets.find_pulls(|v| unknowns.place(v)));
                    *has_pulls = true;
                    tets.add_pulls(&mut gradient);
                    energy_j
                });
            }
            Kind::Smoothed(elements) => {
                elements.strain(|v| unknowns.place(v));
                elements.damp(|v| unknowns.place(v) - carried[v], |points| element_damping(at, points) / at.h);
                let add = |(i, g): (usize, &mut DVec3)| *g += elements.gradient_at(i);
                gradient.par_iter_mut().with_min_len(PIECE).enumerate().for_each(add);
            }
        }
        unknowns.gradient = gradient;
        unknowns.add_row_gradients(at.body.model());
    }

    fn evaluate_at_pins(&mut self, at: &Interval<'_>) {
        let Self { unknowns, elements: Kind::Tets(tets), energy_j, has_pulls, .. } = self else {
            return self.evaluate(at);
        };
        if unknowns.constraints.has_rows() {
            return self.evaluate(at);
        }
        unknowns.find_pressing(at.body.model(), at);
        let mut gradient = std::mem::take(&mut unknowns.gradient);
        for (i, gradient) in gradient.iter_mut().enumerate() {
            *gradient = unknowns.inertia_at(at.body.model(), at, i);
        }
        tets.add_gradient_at(|v| unknowns.constraints.is_pinned(v), |v| unknowns.place(v), &mut gradient);
        (*energy_j, *has_pulls) = (None, false);
        unknowns.gradient = gradient;
        unknowns.add_row_gradients(at.body.model());
    }

    fn assemble(&mut self, at: &Interval<'_>) {
        let matrix = &mut self.unknowns.matrix;
        match &mut self.elements {
            Kind::Tets(_) if self.is_assembled => {}
            Kind::Tets(tets) => tets.assemble(matrix),
            Kind::Smoothed(elements) => elements.assemble(matrix, |points| element_damping(at, points) / at.h),
        }
        self.unknowns.add_diagonals(at.body.model(), at);
    }

    fn objective(&mut self, at: &Interval<'_>) -> f64 {
        let Self { unknowns, elements, carried, energy_j, .. } = self;
        let place = |v: usize| unknowns.place(v);
        let elastic = energy_j.unwrap_or_else(|| match elements {
            Kind::Tets(tets) => tets.energy(place),
            Kind::Smoothed(elements) => {
                let gone = |v: usize| place(v) - carried[v];
                elements.energy(place, gone, |points| element_damping(at, points) / at.h)
            }
        });
        self.unknowns.objective(at.body.model(), at) + elastic
    }

    /// Finds the gradient on the way, for an iteration that goes on from here.
    fn trial_objective(&mut self, at: &Interval<'_>) -> f64 {
        let Self { unknowns, elements, energy_j, has_pulls, .. } = self;
        if let Kind::Tets(tets) = elements
            && energy_j.is_none()
            && !at.body.is_warped()
        {
            *energy_j = Some(tets.find_pulls(|v| unknowns.place(v)));
            *has_pulls = true;
        }
        self.objective(at)
    }

    fn has_moved(&mut self) {
        (self.energy_j, self.has_pulls) = (None, false);
    }

    /// The classic step takes its one linear solve as it is, as production code does: looking would cost a pass over all elements, and halving would slow a body down in mid-air.
    fn needs_no_line_search(body: &FemBody) -> bool {
        body.is_warped()
    }

    fn is_midpoint(body: &FemBody) -> bool {
        body.params.time == TimeScheme::Midpoint
    }

    fn finish(&mut self, body: &FemBody, state: &mut BodyState, cues: &Cues, h: f64) {
        self.unknowns.write(body.model(), state, cues, h, Rule::Euler);
        self.unknowns.settle(body.model(), state, cues, h);
        self.keep_turns(state);
    }

    fn finish_midpoint(&mut self, at: &Interval<'_>, state: &mut BodyState, cues: &Cues) -> bool {
        let is_kept = self.write_midpoint(at, state, cues);
        if is_kept {
            self.unknowns.settle(at.body.model(), state, cues, Rule::Midpoint.steps() * at.h);
            self.keep_turns(state);
        }
        is_kept
    }

    fn model(body: &FemBody) -> BodyModel<'_> {
        body.model()
    }

    fn unknowns(&self) -> &Unknowns {
        &self.unknowns
    }

    fn unknowns_mut(&mut self) -> &mut Unknowns {
        &mut self.unknowns
    }
}

pub(super) fn element_damping(at: &Interval<'_>, points: &[u32]) -> f64 {
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
