//! Midpoint steps that keep their energy.
//!
//! The midpoint rule keeps quadratic energies. What elasticity makes of a step beyond that, `W(x₁) − W(x₀) − (x₁ − x₀)·∇W(x½)`, changes sign from step to step where steps are short, and
//! adds up to anything where they are long against the body's quickest waves, or where Newton's method has stopped early. It is taken
//! from the velocities beyond rigid, or given to them, so that energy changes by the work of outer forces and damping only (projection on the energy:
//! Hairer, Lubich, Wanner, *Geometric Numerical Integration*, §IV.4). Where they do not hold as much, the step is refused, and Euler's is taken.

use super::body::{FemScratch, Interval, Kind, element_damping};
use crate::implicit::Unknowns;
use crate::spin::Rule;
use crate::{BodyState, Cues, Flesh, wobble};
use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;

/// The most that is taken from the energy of velocities beyond rigid, as a share of it; and the most that is given.
const MOST_TAKEN: f64 = 0.5;
const MOST_GIVEN: f64 = 0.05;
/// Energy that counts as none, as a share of what the body has beside its flight: a thousand such steps gain a hundredth.
const NEGLIGIBLE: f64 = 1e-5;

/// Whether midpoint steps were refused.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refusals {
    now: bool,
    is_told: bool,
}

impl Refusals {
    pub(super) fn begin_step(&mut self) {
        *self = Self { now: false, is_told: self.is_told || self.now };
    }

    /// Notes a step that was refused elsewhere.
    pub(super) fn note(&mut self) {
        self.now = true;
    }

    /// Whether a step was refused since this was last asked.
    pub(super) fn take(&mut self) -> bool {
        std::mem::take(&mut self.now)
    }

    /// What to say when a step has been refused for the first time.
    pub(super) fn complaint(&self) -> Option<&'static str> {
        let what = "a midpoint step would have gained energy; the step of Euler's rule was taken. Raise `substeps`, \
                    damp or soften the body, or write time = \"euler\"";
        (self.now && !self.is_told).then_some(what)
    }
}

impl FemScratch {
    /// Writes a midpoint step to the state, with no more energy than outer forces have worked; false where that cannot be.
    pub(super) fn write_midpoint(&mut self, at: &Interval<'_>, state: &mut BodyState, cues: &Cues) -> bool {
        let of = at.body.model();
        if self.unknowns.is_unmoved() {
            self.unknowns.write(of, state, cues, at.h, Rule::Midpoint);
            return true;
        }
        let Gain { gain_j, moved_j, rounding_j } = self.energy_gain(at, cues);
        self.unknowns.write(of, state, cues, at.h, Rule::Midpoint);
        let held_j = wobble::kinetic_energy(of.flesh, &cues.pins, state);
        let negligible_j = NEGLIGIBLE * (moved_j + energy_about_centre(of.flesh, state)) + rounding_j;
        let is_kept = gain_j <= MOST_TAKEN * held_j + negligible_j;
        if !is_kept {
            state.clone_from(at.start);
            self.refusals.note();
            return false;
        }
        // What damping has taken is not given back.
        let most_given = if self.carried.is_empty() { MOST_GIVEN } else { 0.0 };
        if held_j > 0.0 {
            let left = (1.0 - gain_j / held_j).clamp(1.0 - MOST_TAKEN, 1.0 + most_given);
            wobble::damp(of.flesh, &cues.pins, state, false, |_| left.sqrt());
        }
        true
    }

    /// How much energy the step gains that no outer force has worked: by elasticity, and by what Newton's method has left unbalanced.
    fn energy_gain(&mut self, at: &Interval<'_>, cues: &Cues) -> Gain {
        let of = at.body.model();
        let mut way: Vec<DVec3> = (0..at.start.x.len())
            .map(|i| (at.start.v[i] + self.unknowns.gained(of, cues, at.h, i)) * (Rule::Midpoint.steps() * at.h))
            .collect();
        if self.unknowns.constraints.is_empty() {
            // Forces on a body that nothing holds sum to zero. They work nothing on its flight, which is long beside the rest of the way: rounding errors would be.
            let flight = mass_centre(&way, &of.flesh.mass_kg);
            way.iter_mut().for_each(|way| *way -= flight);
        }
        let mut gradient = std::mem::take(&mut self.unknowns.gradient);
        gradient.fill(DVec3::ZERO);
        self.add_elastic_gradient(at, &mut gradient);
        let work = |gradient: &[DVec3]| gradient.iter().zip(&way).map(|(g, way)| g.dot(*way)).sum::<f64>();
        let worked = work(&gradient);
        self.unknowns.gradient = gradient;
        for i in 0..way.len() {
            let inertia = self.unknowns.inertia_at(of, at, i);
            self.unknowns.gradient[i] += inertia;
        }
        self.unknowns.add_row_gradients(of);
        // What is unbalanced at pins is theirs.
        let mut gradient = std::mem::take(&mut self.unknowns.gradient);
        self.unknowns.constraints.project(&mut gradient);
        let unbalanced = work(&gradient);
        self.unknowns.gradient = gradient;
        let local = |v: usize| at.start.x[v] - at.start.origin;
        let (before, after) = (self.elastic_energy(local), self.elastic_energy(|v| local(v) + way[v]));
        let moved_j = before.abs() + after.abs() + worked.abs();
        let way_m = way.iter().map(|way| way.length_squared()).sum::<f64>().sqrt();
        let rounding_j = Unknowns::energy_rounding(of) + self.unknowns.negligible_force(of, at.h) * way_m;
        Gain { gain_j: after - before - worked + unbalanced, moved_j, rounding_j }
    }

    /// Adds the gradient of elasticity and damping.
    fn add_elastic_gradient(&mut self, at: &Interval<'_>, gradient: &mut [DVec3]) {
        let Self { unknowns, elements, carried, .. } = self;
        match elements {
            Kind::Tets(tets) => {
                tets.find_pulls(|v| unknowns.place(v));
                tets.add_pulls(gradient);
            }
            Kind::Smoothed(elements) => {
                elements.strain(|v| unknowns.place(v));
                elements.damp(|v| unknowns.place(v) - carried[v], |points| element_damping(at, points) / at.h);
                gradient.iter_mut().enumerate().for_each(|(i, g)| *g += elements.gradient_at(i));
            }
        }
    }

    fn elastic_energy(&mut self, place: impl Fn(usize) -> DVec3 + Sync) -> f64 {
        match &mut self.elements {
            Kind::Tets(tets) => tets.elastic_energy(place),
            Kind::Smoothed(elements) => elements.elastic_energy(place),
        }
    }
}

struct Gain {
    gain_j: f64,
    /// Elastic energy and work.
    moved_j: f64,
    /// How far all of that can be told: from rounding errors of energies, and from forces that count as balanced.
    rounding_j: f64,
}

/// Kinetic energy about the mass centre.
fn energy_about_centre(flesh: &Flesh, state: &BodyState) -> f64 {
    let drift = mass_centre(&state.v, &flesh.mass_kg);
    state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| 0.5 * m * (*v - drift).length_squared()).sum()
}
