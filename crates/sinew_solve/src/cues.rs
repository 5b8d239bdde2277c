//! The one currency of direction: everything asked of one body over one interval [t, t+h].
//!
//! Targets (pins, goals, rest, path) hold at the interval's end; forces are constant over it; whatever is stiff is a
//! goal, a pin or drag, which solvers treat implicitly, never a force. Order of effect within a step: pins and goals →
//! rest positions → local rest transforms → forces → solve with contact → reshape → path → last non-penetration pass (for bodies on a path that yields to contact).

use crate::{Flesh, Row};
use serde::{Deserialize, Serialize};
use sinew_math::{DQuat, DVec3, Sym3, libm};
use std::borrow::Cow;
use std::ops::{Add, Mul};

/// StepInput of one body over one interval. Per-point lists are empty where nothing was asked, else one entry per point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Cues {
    /// Rest positions o(t+h) minus x0.
    pub rest_offset: Vec<DVec3>,
    /// ln T in the axes of x0. Regions take their centre's; tets and edges the mean, which keeps det T = 1.
    pub log_stretch: Vec<Sym3>,
    /// Newton, on degrees of freedom.
    pub force_n: Vec<DVec3>,
    /// The part of `force_n` that neither moves nor turns a free body, whatever arms its solver has in the step.
    pub balanced_n: Vec<DVec3>,
    pub drag: Vec<Drag>,
    pub goals: Vec<Goal>,
    pub pins: Vec<Pin>,
    pub path: Option<PathCue>,
    pub reshape: Option<Reshape>,
    /// Factors on the material's stiffness and damping.
    pub stiffness: Vec<f64>,
    pub damping: Vec<f64>,
    /// Added to the material's Poisson ratio; solvers keep the sum within what a solid can have.
    pub poisson: Vec<f64>,
}

/// The implicit force −D (v − wind) on a row; D in kg/s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Drag {
    pub at: Row,
    pub matrix: Sym3,
    pub wind: DVec3,
}

/// A pull towards `to` that settles in `settle_secs` = τ: k = m/τ², c = 2m/τ (critical), the same look at any step and
/// in any solver. m is the row's effective mass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    pub at: Row,
    pub to: DVec3,
    pub velocity: DVec3,
    pub settle_secs: f64,
}

/// A hard position (and velocity) at the interval's end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    pub at: Row,
    pub to: DVec3,
    pub velocity: DVec3,
}

/// Where the body as a whole should be at the interval's end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PathCue {
    pub x: DVec3,
    pub v: DVec3,
    /// The turn from rest, and the spin; none leaves both to the solver.
    pub turn: Option<(DQuat, DVec3)>,
    /// Share of the gap closed in 1/24 s: 0 free, 1 exact.
    pub strength: f64,
    /// Whether contact may keep the body off its path.
    pub yields_to_contact: bool,
    /// Takes the mean of its elements' rotations for the body's, as the paper does; else the best fit of its rest shape.
    pub mean_rotation: bool,
}

/// Draws the body's shape to its rest shape, best placed, whatever the elastic forces. It changes neither the motion of the
/// centre of mass nor the angular momentum: the stage applies it after the solve, for every solver alike.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reshape {
    /// The time in which the distance falls to 1/e.
    pub settle_secs: f64,
    /// Whether this is the first interval of it, which the user is told about.
    pub begins: bool,
}

impl Cues {
    pub fn clear(&mut self) {
        self.rest_offset.clear();
        self.log_stretch.clear();
        self.force_n.clear();
        self.balanced_n.clear();
        self.drag.clear();
        self.goals.clear();
        self.pins.clear();
        self.path = None;
        self.reshape = None;
        self.stiffness.clear();
        self.damping.clear();
        self.poisson.clear();
    }

    /// The rest position of a point at the interval's end.
    pub fn rest(&self, flesh: &Flesh, point: usize) -> DVec3 {
        flesh.rest[point] + self.rest_offset.get(point).copied().unwrap_or_default()
    }

    /// What outer forces have in them that may move or turn a free body.
    pub fn unbalanced_n(&self) -> Cow<'_, [DVec3]> {
        if self.balanced_n.is_empty() {
            return Cow::Borrowed(&self.force_n);
        }
        Cow::Owned(self.force_n.iter().zip(&self.balanced_n).map(|(all, balanced)| *all - *balanced).collect())
    }

    /// Which kind of cue holds a number that is not finite, if one does.
    pub fn not_finite(&self) -> Option<&'static str> {
        // What is finite is 0 when multiplied by 0, and nothing else: no branch for each number.
        let all = |values: &[DVec3]| zeros(values) == DVec3::ZERO;
        let stretches = |values: &[Sym3]| zeros(values) == Sym3::ZERO;
        let positive = |values: &[f64]| values.iter().all(|v| v.is_finite() && *v >= 0.0);
        let checks = [
            (all(&self.rest_offset), "rest position"),
            (stretches(&self.log_stretch), "stretch"),
            (all(&self.force_n), "force"),
            (self.drag.iter().all(|d| d.matrix.is_finite() && d.wind.is_finite()), "drag"),
            (self.goals.iter().all(|g| g.to.is_finite() && g.velocity.is_finite() && g.settle_secs > 0.0), "goal"),
            (self.pins.iter().all(|p| p.to.is_finite() && p.velocity.is_finite()), "pin"),
            (self.path.is_none_or(|p| p.x.is_finite() && p.v.is_finite() && p.strength.is_finite()), "path"),
            (self.reshape.is_none_or(|r| r.settle_secs.is_finite() && r.settle_secs > 0.0), "settling time"),
            (positive(&self.stiffness), "stiffness"),
            (positive(&self.damping), "damping"),
            (self.poisson.iter().all(|v| v.is_finite()), "Poisson ratio"),
        ];
        checks.iter().find(|(finite, _)| !finite).map(|(_, what)| *what)
    }
}

/// The sum of all, each times 0. Four sums at once: one would wait for itself.
pub(crate) fn zeros<T: Copy + Default + Add<Output = T> + Mul<f64, Output = T>>(values: &[T]) -> T {
    let mut sums = [T::default(); 4];
    let mut fours = values.chunks_exact(sums.len());
    for four in &mut fours {
        for (sum, value) in sums.iter_mut().zip(four) {
            *sum = *sum + *value * 0.0;
        }
    }
    let [a, b, c, d] = sums;
    fours.remainder().iter().fold((a + b) + (c + d), |sum, value| sum + *value * 0.0)
}

/// How a director writes into [`Cues`]: every word is weighted here, once, so that any director can be faded.
pub struct CueWriter<'a> {
    flesh: &'a Flesh,
    cues: &'a mut Cues,
    weight: f64,
    warnings: Option<&'a mut Vec<String>>,
}

impl<'a> CueWriter<'a> {
    /// `weight` is 0 (silent) to 1 (in full); more than 1 exaggerates what is additive.
    pub fn new(flesh: &'a Flesh, cues: &'a mut Cues, weight: f64) -> Self {
        Self { flesh, cues, weight, warnings: None }
    }

    /// What everything additive that is written is multiplied by.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The same, with warnings told to `warnings`.
    pub fn warning_to(self, warnings: &'a mut Vec<String>) -> Self {
        Self { warnings: Some(warnings), ..self }
    }

    /// Something the user should know: what is wrong, and what would help.
    pub fn warn(&mut self, what: impl Into<String>) {
        if let Some(warnings) = &mut self.warnings {
            warnings.push(what.into());
        }
    }

    /// Newton at a row.
    pub fn force(&mut self, at: Row, newton: DVec3) {
        let points = self.flesh.point_count();
        let force_n = filled(&mut self.cues.force_n, points, DVec3::ZERO);
        for (dof, weight) in self.flesh.anchors.terms(at) {
            force_n[dof] += newton * (weight * self.weight);
        }
    }

    /// Newton at a row, of forces that balance: together they are to neither move nor turn the body.
    pub fn balanced_force(&mut self, at: Row, newton: DVec3) {
        self.force(at, newton);
        let points = self.flesh.point_count();
        let balanced_n = filled(&mut self.cues.balanced_n, points, DVec3::ZERO);
        for (dof, weight) in self.flesh.anchors.terms(at) {
            balanced_n[dof] += newton * (weight * self.weight);
        }
    }

    /// An acceleration of every point, such as gravity.
    pub fn acceleration(&mut self, metres_per_sec2: DVec3) {
        if metres_per_sec2 == DVec3::ZERO {
            return;
        }
        let points = self.flesh.point_count();
        let force_n = filled(&mut self.cues.force_n, points, DVec3::ZERO);
        for (force, mass) in force_n.iter_mut().zip(&self.flesh.mass_kg) {
            *force += metres_per_sec2 * (*mass * self.weight);
        }
    }

    #[inline]
    pub fn drag(&mut self, drag: Drag) {
        self.cues.drag.push(Drag { matrix: drag.matrix * self.weight, ..drag });
    }

    /// A weaker director settles more slowly: weight scales k = m/τ².
    pub fn goal(&mut self, goal: Goal) {
        if self.weight > 0.0 {
            self.cues.goals.push(Goal { settle_secs: goal.settle_secs / self.weight.sqrt(), ..goal });
        }
    }

    /// A pin at full weight; a goal that softens as the weight falls, whatever the step.
    pub fn pin(&mut self, pin: Pin) {
        /// A goal this fast is hardly told from a pin.
        const ALMOST_PINNED_SECS: f64 = 1.0 / 96.0;
        if self.weight >= 1.0 {
            self.cues.pins.push(pin);
        } else {
            self.goal(Goal { at: pin.at, to: pin.to, velocity: pin.velocity, settle_secs: ALMOST_PINNED_SECS });
        }
    }

    /// Adds to the rest position of a point.
    pub fn rest_offset(&mut self, point: usize, by: DVec3) {
        let points = self.flesh.point_count();
        filled(&mut self.cues.rest_offset, points, DVec3::ZERO)[point] += by * self.weight;
    }

    /// Adds to ln T of a point: stretches of several directors multiply.
    pub fn log_stretch(&mut self, point: usize, ln_t: Sym3) {
        let points = self.flesh.point_count();
        filled(&mut self.cues.log_stretch, points, Sym3::ZERO)[point] += ln_t * self.weight;
    }

    /// Adds to ln T of every point, in their order: what [`Self::log_stretch`] does to one.
    pub fn log_stretches(&mut self, ln_t: impl Iterator<Item = Sym3>) {
        let weight = self.weight;
        if self.cues.log_stretch.is_empty() {
            self.cues.log_stretch.extend(ln_t.take(self.flesh.point_count()).map(|ln_t| ln_t * weight));
            self.cues.log_stretch.resize(self.flesh.point_count(), Sym3::ZERO);
        } else {
            for (sum, ln_t) in self.cues.log_stretch.iter_mut().zip(ln_t) {
                *sum += ln_t * weight;
            }
        }
    }

    /// Steers the whole body; of several paths the last one written holds. Without strength it is none: the body is free.
    pub fn path(&mut self, path: PathCue) {
        if path.strength * self.weight == 0.0 {
            return;
        }
        self.cues.path = Some(PathCue { strength: (path.strength * self.weight).clamp(0.0, 1.0), ..path });
    }

    /// Draws the whole body to its rest shape; a weaker director takes longer.
    pub fn reshape(&mut self, reshape: Reshape) {
        if self.weight > 0.0 {
            self.cues.reshape = Some(Reshape { settle_secs: reshape.settle_secs / self.weight, ..reshape });
        }
    }

    /// Multiplies a point's stiffness and damping.
    pub fn material(&mut self, point: usize, stiffness: f64, damping: f64) {
        let points = self.flesh.point_count();
        let faded = |factor: f64| libm::pow(factor, self.weight);
        filled(&mut self.cues.stiffness, points, 1.0)[point] *= faded(stiffness);
        filled(&mut self.cues.damping, points, 1.0)[point] *= faded(damping);
    }

    /// Multiplies the stiffness of every point, in their order.
    pub fn stiffnesses(&mut self, factors: &[f64]) {
        multiply(filled(&mut self.cues.stiffness, self.flesh.point_count(), 1.0), factors, self.weight);
    }

    /// Multiplies the damping of every point, in their order.
    pub fn dampings(&mut self, factors: &[f64]) {
        multiply(filled(&mut self.cues.damping, self.flesh.point_count(), 1.0), factors, self.weight);
    }

    /// Adds to the Poisson ratio of every point, in their order.
    pub fn poisson_offsets(&mut self, offsets: &[f64]) {
        let sums = filled(&mut self.cues.poisson, self.flesh.point_count(), 0.0);
        sums.iter_mut().zip(offsets).for_each(|(sum, offset)| *sum += offset * self.weight);
    }
}

fn multiply(products: &mut [f64], factors: &[f64], weight: f64) {
    for (product, factor) in products.iter_mut().zip(factors) {
        // In full, as it is nearly always, a power is its base.
        *product *= if weight == 1.0 { *factor } else { libm::pow(*factor, weight) };
    }
}

fn filled<T: Clone>(values: &mut Vec<T>, count: usize, value: T) -> &mut [T] {
    if values.is_empty() {
        values.resize(count, value);
    }
    values
}
