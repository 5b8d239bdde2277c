//! A body in the middle of an implicit step, whatever makes it elastic: its displacement from the free prediction, inertia,
//! pins, goals, drag and contact.
//!
//! The step minimises `Σ m/2h² |q|² + W(x̂ + q) + rows(q)` in the displacement q from x̂ = x + h v + h² f/m, so that free fall is
//! exact whatever the numbers. W belongs to the solver; everything else is here.

use super::ssor::Layout;
use super::{
    BlockMatrix, Constraints, ContactPenalty, Direct, InitialGuess, Interval, Predicted, RowTerm, Stiffness,
    share_force,
};
use crate::spin::{Rule, Stepped};
use crate::{BodyState, Cues, Flesh, Material, Row, wobble};
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_math::{DMat3, DVec3, Sym3};

/// Unbalanced force that counts as none: what would move the body by this share of its size in a step.
const NEGLIGIBLE: f64 = 1e-11;
/// Rounding errors of elastic forces, as a share of stiffness times the body's size times the size of its coordinates; of elastic energies, as a share of stiffness times volume.
const ROUNDING: f64 = 1e-14;
/// The least share of inertia in a diagonal block that a matrix of f32 stands for: two digits above what it cannot tell from nothing.
const LEAST_INERTIA: f64 = 1e-5;

/// The unknowns of one body's step and their working memory. Sized once, used in every step.
pub(crate) struct Unknowns {
    pub(crate) matrix: BlockMatrix,
    /// Made when first needed.
    direct: Option<Direct>,
    pub(super) ssor: Option<Layout>,
    pub(crate) constraints: Constraints,
    pub(crate) predicted: Vec<DVec3>,
    /// The same from the body's origin: far from the world's, elasticity keeps its digits.
    local: Vec<DVec3>,
    /// The displacement from the prediction.
    pub(crate) moved: Vec<DVec3>,
    trial: Vec<DVec3>,
    /// Where another method has led; empty where none has.
    given: Vec<DVec3>,
    pub(crate) gradient: Vec<DVec3>,
    smooth: Vec<RowTerm>,
    /// Contacts with obstacles; those that press, by their tangents.
    springs: Vec<ContactPenalty>,
    /// Whether Newton's method is near its end: see [`ContactPenalty::follow_slide`].
    pub(crate) is_near: bool,
    pressing: Vec<RowTerm>,
    pub(crate) reactions: Vec<(Row, DVec3)>,
    /// How far from equilibrium its island ended: see [`crate::Residual`].
    pub(crate) residual: f64,
    /// Whether nothing but outer forces acts on the body from outside.
    is_alone: bool,
}

/// The model of a body that all of this needs: what does not change.
#[derive(Clone, Copy)]
pub(crate) struct BodyModel<'a> {
    pub(crate) flesh: &'a Flesh,
    pub(crate) material: &'a Material,
}

impl Unknowns {
    pub(crate) fn new(matrix: BlockMatrix) -> Self {
        let n = matrix.size();
        Self {
            matrix,
            direct: None,
            ssor: None,
            constraints: Constraints::default(),
            predicted: vec![DVec3::ZERO; n],
            local: vec![DVec3::ZERO; n],
            moved: vec![DVec3::ZERO; n],
            trial: vec![DVec3::ZERO; n],
            given: Vec::new(),
            gradient: vec![DVec3::ZERO; n],
            smooth: Vec::new(),
            springs: Vec::new(),
            is_near: false,
            pressing: Vec::new(),
            reactions: Vec::new(),
            residual: 0.0,
            is_alone: false,
        }
    }

    /// Prediction, pins, goals, drag and contact of an interval, with springs of `stiffness(row)`.
    pub(crate) fn begin<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>, stiffness: impl Fn(Row) -> Stiffness) {
        for (i, (predicted, local)) in self.predicted.iter_mut().zip(&mut self.local).enumerate() {
            let force = at.cues.force_n.get(i).copied().unwrap_or_default();
            let way = (at.start.v[i] + force * (at.h / of.flesh.mass_kg[i])) * at.h;
            (*predicted, *local) = (at.start.x[i] + way, (at.start.x[i] - at.start.origin) + way);
        }
        self.pressing.clear();
        self.constraints.prepare(of.flesh, at.cues);
        let predicted = Predicted { flesh: of.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        predicted.smooth_terms(at.cues, &mut self.smooth);
        predicted.contact_springs(at.contacts, stiffness, &mut self.springs);
        self.start_from(of, at, InitialGuess::Ballistic);
    }

    /// Takes the displacement of a first guess, its pins where they are held.
    pub(crate) fn start_from<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>, guess: InitialGuess) {
        if guess == InitialGuess::Ballistic && self.constraints.is_empty() {
            // Exactly: a difference of places would leave a rounding error of free fall.
            self.moved.fill(DVec3::ZERO);
            return;
        }
        match guess {
            InitialGuess::Ballistic => self.moved.copy_from_slice(&self.predicted),
            InitialGuess::Inertial => {
                let places = at.start.x.iter().zip(&at.start.v);
                self.moved.iter_mut().zip(places).for_each(|(moved, (x, v))| *moved = *x + *v * at.h);
            }
            InitialGuess::Current => self.moved.copy_from_slice(&at.start.x),
            InitialGuess::Given => self.moved.copy_from_slice(&self.given),
        }
        self.constraints.meet(of.flesh, at.cues, |pin| pin.to, &mut self.moved);
        self.moved.iter_mut().zip(&self.predicted).for_each(|(moved, predicted)| *moved -= *predicted);
    }

    /// The next step begins where another method has led; nowhere: by the objective.
    pub(crate) fn give(&mut self, places: impl Iterator<Item = DVec3>) {
        self.given.clear();
        self.given.extend(places);
    }

    pub(crate) fn is_given(&self) -> bool {
        !self.given.is_empty()
    }

    /// From the body's origin when the interval began.
    pub(crate) fn place(&self, point: usize) -> DVec3 {
        self.local[point] + self.moved[point]
    }

    /// Factors the assembled matrix; false where it cannot be.
    pub(crate) fn factor(&mut self) -> bool {
        if self.direct.is_none() {
            self.direct = Direct::new(&self.matrix).ok();
        }
        let Self { direct, matrix, constraints, .. } = self;
        direct.as_mut().is_some_and(|direct| direct.factor(matrix, |i| constraints.is_pinned(i)).is_ok())
    }

    /// The inverse of the factored matrix times `of`, in place.
    pub(crate) fn solve_factored(&self, of: &mut [DVec3]) {
        if let Some(direct) = &self.direct {
            direct.solve(of);
        }
    }

    /// Whether sweeps can solve with the assembled matrix: not where single precision would not tell the body's inertia from nothing beside
    /// its stiffness, nor where pins hold several points at once.
    pub(crate) fn can_be_swept<B>(&self, of: BodyModel<'_>, at: &Interval<'_, B>) -> bool {
        let Self { matrix, constraints, .. } = self;
        let share = |i: usize| {
            let diagonal = matrix.diagonal(i);
            3.0 * of.flesh.mass_kg[i] / (at.h * at.h) / (diagonal.x_axis.x + diagonal.y_axis.y + diagonal.z_axis.z)
        };
        let is_light = |i: usize| !constraints.is_pinned(i) && share(i) < LEAST_INERTIA;
        !constraints.has_rows() && !(0..matrix.size()).any(is_light)
    }

    /// Fills what is swept with the assembled matrix.
    pub(crate) fn fill_ssor(&mut self) {
        let Self { ssor, matrix, constraints, .. } = self;
        ssor.get_or_insert_with(|| Layout::new(matrix)).fill(matrix, |i| constraints.is_pinned(i));
    }

    /// Rows of several weights that goals, drag and contact act on.
    pub(crate) fn wide_rows(&self, of: BodyModel<'_>) -> impl Iterator<Item = &RowTerm> {
        let anchors = &of.flesh.anchors;
        self.smooth.iter().chain(&self.pressing).filter(|term| anchors.single(term.at).is_none())
    }

    /// Contacts that press at the present displacement.
    pub(crate) fn find_pressing<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>) {
        let predicted = Predicted { flesh: of.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        predicted.contact_terms(at.contacts, &mut self.springs, &self.moved, self.is_near, &mut self.pressing);
    }

    /// Gradient of inertia at one point.
    pub(crate) fn inertia_at<B>(&self, of: BodyModel<'_>, at: &Interval<'_, B>, i: usize) -> DVec3 {
        self.moved[i] * (of.flesh.mass_kg[i] / (at.h * at.h))
    }

    /// Adds the gradients of goals, drag and contact.
    pub(crate) fn add_row_gradients(&mut self, of: BodyModel<'_>) {
        let anchors = &of.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            let force = term.gradient(anchors.at(term.at, &self.moved));
            for (dof, weight) in anchors.terms(term.at) {
                self.gradient[dof] += force * weight;
            }
        }
    }

    /// Adds the Hessians of inertia, goals, drag and contact to the matrix's diagonal blocks.
    pub(crate) fn add_diagonals<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>) {
        for (i, mass) in of.flesh.mass_kg.iter().enumerate() {
            *self.matrix.diagonal_mut(i) += DMat3::from_diagonal(DVec3::splat(mass / (at.h * at.h)));
        }
        let anchors = &of.flesh.anchors;
        for term in self.smooth.iter().chain(&self.pressing) {
            for (dof, weight) in anchors.terms(term.at) {
                *self.matrix.diagonal_mut(dof) += term.matrix.to_mat() * (weight * weight);
            }
        }
    }

    /// Rows of several weights couple degrees of freedom beyond their diagonal blocks.
    pub(crate) fn multiply_rows(&self, of: BodyModel<'_>, direction: &[DVec3], image: &mut [DVec3]) {
        let anchors = &of.flesh.anchors;
        for term in self.wide_rows(of) {
            let whole = anchors.at(term.at, direction);
            for (dof, weight) in anchors.terms(term.at) {
                image[dof] += term.matrix * (whole - direction[dof] * weight) * weight;
            }
        }
    }

    /// The objective without the elastic part.
    pub(crate) fn objective<B>(&self, of: BodyModel<'_>, at: &Interval<'_, B>) -> f64 {
        let inertia = |i: usize| 0.5 * of.flesh.mass_kg[i] / (at.h * at.h) * self.moved[i].length_squared();
        let row = |term: &RowTerm| term.energy(of.flesh.anchors.at(term.at, &self.moved));
        let predicted = Predicted { flesh: of.flesh, start: at.start, x: &self.predicted, h_secs: at.h };
        let contact = predicted.contact_energy(at.contacts, &self.springs, &self.moved);
        (0..self.moved.len()).map(inertia).sum::<f64>() + self.smooth.iter().map(row).sum::<f64>() + contact
    }

    /// Keeps the displacement for [`Self::apply_step`] and [`Self::restore`].
    pub(crate) fn save(&mut self) {
        self.trial.copy_from_slice(&self.moved);
    }

    /// Moves by a share of the step from the saved displacement.
    pub(crate) fn apply_step(&mut self, step: &[DVec3], share: f64) {
        for ((moved, kept), step) in self.moved.iter_mut().zip(&self.trial).zip(step) {
            *moved = *kept + *step * share;
        }
    }

    /// The sum of squares of all outer forces.
    pub(crate) fn pushed_n2(cues: &Cues) -> f64 {
        cues.force_n.iter().map(|force| force.length_squared()).sum()
    }

    /// The sum of squares of inertia's forces: what moves the body against its free prediction.
    pub(crate) fn inertia_n2(&self, of: BodyModel<'_>, h: f64) -> f64 {
        let force = |(moved, mass): (&DVec3, &f64)| (*moved * (mass / (h * h))).length_squared();
        self.moved.iter().zip(&of.flesh.mass_kg).map(force).sum()
    }

    /// The sum of squares of the forces of contacts with obstacles.
    pub(crate) fn pressing_n2(&self, of: BodyModel<'_>) -> f64 {
        let at = |term: &RowTerm| term.gradient(of.flesh.anchors.at(term.at, &self.moved)).length_squared();
        self.pressing.iter().map(at).sum()
    }

    /// Takes the saved displacement back.
    pub(crate) fn restore(&mut self) {
        self.moved.copy_from_slice(&self.trial);
    }

    /// Contacts with obstacles.
    pub(crate) fn contact_penalties(&self) -> &[ContactPenalty] {
        &self.springs
    }

    /// Goals, drag, and contacts that press.
    pub(crate) fn row_terms(&self) -> impl Iterator<Item = &RowTerm> {
        self.smooth.iter().chain(&self.pressing)
    }

    /// Contacts with obstacles.
    pub(crate) fn springs_mut(&mut self) -> impl Iterator<Item = &mut ContactPenalty> {
        self.springs.iter_mut()
    }

    /// Unbalanced force that counts as none.
    pub(crate) fn negligible_force(&self, of: BodyModel<'_>, h: f64) -> f64 {
        let flesh = of.flesh;
        let (size_m, points) = (flesh.size_m(), flesh.point_count() as f64);
        let (lambda_pa, mu_pa) = of.material.lame();
        // Places are known to a rounding of the way from the body's origin, and stress with them.
        let reach_m = self.local.first().map_or(0.0, |x| x.abs().max_element()).max(size_m);
        let rounding_n = ROUNDING * (lambda_pa + 2.0 * mu_pa) * size_m * reach_m;
        (NEGLIGIBLE * size_m * flesh.total_mass_kg() / (h * h) / points.sqrt()).max(rounding_n)
    }

    /// How far the objective can be told: elastic energies are sums over terms of the size of stiffness times volume, however little is left of them.
    pub(crate) fn energy_rounding(of: BodyModel<'_>) -> f64 {
        let (lambda_pa, mu_pa) = of.material.lame();
        let volume_m3 = of.flesh.total_mass_kg() / of.material.density_kg_m3;
        ROUNDING * (lambda_pa + 2.0 * mu_pa) * volume_m3
    }

    /// Elastic forces sum to zero; what the inexact solve left of a net force is taken back as a translation. `others` is
    /// the force of other bodies that touch it.
    pub(crate) fn balance_momentum<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>, others: Option<DVec3>) {
        self.is_alone =
            others.is_none() && self.constraints.is_empty() && self.smooth.is_empty() && self.pressing.is_empty();
        if !self.constraints.is_empty() {
            return;
        }
        let flesh = of.flesh;
        let mut stiffness = Sym3::IDENTITY * (flesh.total_mass_kg() / (at.h * at.h));
        let mut outside = others.unwrap_or_default();
        for term in self.smooth.iter().chain(&self.pressing) {
            let reach: f64 = flesh.anchors.terms(term.at).map(|(_, w)| w).sum();
            outside -= term.gradient(flesh.anchors.at(term.at, &self.moved)) * reach;
            stiffness += term.matrix * (reach * reach);
        }
        let net = (0..self.moved.len()).fold(DVec3::ZERO, |sum, i| sum + self.inertia_at(of, at, i));
        if net == DVec3::ZERO && outside == DVec3::ZERO {
            return;
        }
        let back = stiffness.to_mat().inverse() * (outside - net);
        self.moved.iter_mut().for_each(|moved| *moved += back);
    }

    /// Moves the body as a whole by what its points have moved, in the shape that it had; pinned bodies stay as they are.
    pub(crate) fn make_rigid(&mut self, flesh: &Flesh, start: &BodyState) {
        if !self.constraints.is_empty() {
            return;
        }
        let from: Vec<DVec3> = start.x.iter().map(|x| *x - start.origin).collect();
        let to: Vec<DVec3> = (0..from.len()).map(|i| self.place(i)).collect();
        let turn = best_fit_rotation(&from, &to, &flesh.mass_kg);
        let [first, last] = [&from, &to].map(|places| mass_centre(places, &flesh.mass_kg));
        for ((moved, local), from) in self.moved.iter_mut().zip(&self.local).zip(&from) {
            *moved = last + turn * (*from - first) - *local;
        }
    }

    /// Forces of pins; the gradient must be that of the solution.
    pub(crate) fn report_reactions<B>(&mut self, of: BodyModel<'_>, at: &Interval<'_, B>) {
        self.reactions.clear();
        if self.constraints.is_empty() {
            return;
        }
        let reactions = &mut self.reactions;
        self.constraints.reactions(of.flesh, at.cues, &self.gradient, |row, force| reactions.push((row, force)));
    }

    /// Writes the new state: v = v + h f/m + Δ/h, x = x + h v, so that a body nothing holds moves exactly; with the spin that Euler's rule takes.
    /// `h` is half of the whole with the midpoint rule.
    pub(crate) fn write(&mut self, of: BodyModel<'_>, state: &mut BodyState, cues: &Cues, h: f64, rule: Rule) {
        self.trial.copy_from_slice(&state.v);
        let steps = rule.steps();
        for i in 0..self.moved.len() {
            let gained = self.gained(of, cues, h, i);
            state.x[i] += (state.v[i] + gained) * (h * steps);
            state.v[i] += gained * steps;
        }
        if self.is_unmoved() {
            return;
        }
        let stepped = Stepped { flesh: of.flesh, pins: &cues.pins, start_v: &self.trial, h_secs: h * steps, rule };
        let moved = &self.moved;
        let balanced = |i: usize| cues.balanced_n.get(i).map_or(DVec3::ZERO, |force| *force / of.flesh.mass_kg[i]);
        let inner = |i: usize| moved[i] * (steps / h) + balanced(i) * (h * steps);
        stepped.restore_spin(state, self.is_alone.then_some(&inner));
    }

    /// Whether the body goes where velocities and outer forces lead, so that nothing else has acted.
    pub(crate) fn is_unmoved(&self) -> bool {
        self.moved.iter().all(|moved| *moved == DVec3::ZERO)
    }

    /// The change of a point's velocity in `h`.
    pub(crate) fn gained(&self, of: BodyModel<'_>, cues: &Cues, h: f64, i: usize) -> DVec3 {
        let force = cues.force_n.get(i).copied().unwrap_or_default();
        force * (h / of.flesh.mass_kg[i]) + self.moved[i] / h
    }

    /// What ends every step: the body's own wobble dies, pins hold exactly, the origin is its centre.
    pub(crate) fn settle(&mut self, of: BodyModel<'_>, state: &mut BodyState, cues: &Cues, h: f64) {
        let impulse = wobble::damp_by_mass(of.flesh, &of.material.damping, cues, h, state);
        if impulse != DVec3::ZERO {
            share_force(of.flesh, impulse / h, &mut self.reactions);
        }
        self.constraints.meet(of.flesh, cues, |pin| pin.to, &mut state.x);
        self.constraints.hold_velocities(of.flesh, cues, h, &mut state.v, &mut self.reactions);
        state.recentre(&of.flesh.mass_kg);
    }
}

/// Whether forces are those of an even field, which turns nothing.
pub(crate) fn is_even(force_n: &[DVec3], mass_kg: &[f64]) -> bool {
    let Some(first) = force_n.first().zip(mass_kg.first()).map(|(force, mass)| *force / *mass) else { return true };
    let mut each = force_n.iter().zip(mass_kg);
    each.all(|(force, mass)| (*force - first * *mass).length() <= 1e-9 * force.length())
}
