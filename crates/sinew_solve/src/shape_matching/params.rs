//! How stiff shape matching is.

use super::accelerate::{self, Blend};
use crate::{Cells, Flesh, Material};
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// The step at which [`ShapeMatchingParams::pull`] is exactly the share of the gap closed: 24 frames of 4 substeps.
pub const REFERENCE_STEP_SECS: f64 = 1.0 / 96.0;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShapeMatchingParams {
    /// N: goals are matched again N times, which is N + 1 passes. Each pass carries a push one ring farther, so that
    /// more of them make the body stiffer.
    pub iterations: u32,
    /// In how many passes the stiffness of `iterations` is to be reached; none takes N + 1 plain ones. Fewer are faster
    /// and differ a little from them where tissue bends sharply: see [`Self::fewest_passes`].
    pub passes: Option<u32>,
    /// α: share of the gap between a point and its goal that is closed in a step of [`REFERENCE_STEP_SECS`], 0 to 1.
    pub pull: f64,
    /// How far ahead shapes are matched, in steps. At 0 (as the paper has it) goals belong to where points are, and
    /// nothing but damping ever ends a wobble; at 1 to where they are about to be, which calms the quickest wobbles
    /// most, as implicit integration does. A wobble that matching would undo by the share a per step loses the share
    /// 1 − √(1 − a · foresight) of its amplitude.
    pub foresight: f64,
    /// Share of the wobble within regions lost per second, `e^(−rate t)`: calms short waves and leaves bending and
    /// swaying alone (PD-54).
    pub region_damping_per_sec: f64,
}

impl Default for ShapeMatchingParams {
    fn default() -> Self {
        Self { iterations: 1, passes: None, pull: 1.0, foresight: 1.0, region_damping_per_sec: 0.0 }
    }
}

/// Why a body cannot be matched.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum ShapeMatchingError {
    #[error("pull is {pull}, expected a number from 0 (free particles) to 1 (as stiff as it gets)")]
    Pull { body: usize, pull: f64 },
    #[error("foresight is {foresight}, expected a number from 0 (as in the paper) to 1 (calm)")]
    Foresight { body: usize, foresight: f64 },
    #[error("damping of regions is {rate} per second, expected a finite rate of 0 or more")]
    RegionDamping { body: usize, rate: f64 },
    #[error("{passes} passes cannot be as stiff as {iterations} iterations, expected at least {fewest}")]
    Passes { body: usize, passes: u32, iterations: u32, fewest: u32 },
    #[error("point {point} weighs {mass_kg} kg, expected a finite mass of 0 or more")]
    Mass { body: usize, point: usize, mass_kg: f64 },
    #[error("the body has no mass at all; expected at least one point with mass")]
    Massless { body: usize },
    #[error("the body has {points} points, expected at most {most}")]
    TooLarge { body: usize, points: usize, most: usize },
}

impl ShapeMatchingError {
    /// Which of the bodies handed over it is about.
    pub fn body(&self) -> usize {
        match self {
            Self::Pull { body, .. }
            | Self::Foresight { body, .. }
            | Self::RegionDamping { body, .. }
            | Self::Passes { body, .. }
            | Self::Mass { body, .. }
            | Self::Massless { body }
            | Self::TooLarge { body, .. } => *body,
        }
    }
}

impl ShapeMatchingParams {
    /// The fewest passes that can stand for N + 1 plain ones: about 1.3 √N.
    pub fn fewest_passes(&self) -> u32 {
        accelerate::fewest(self.iterations.saturating_add(1))
    }

    pub(super) fn blends(&self) -> Vec<Blend> {
        let plain = self.iterations.saturating_add(1);
        accelerate::blends(plain, self.passes.unwrap_or(plain))
    }

    /// The share of the gap closed in a step of `h_secs` where the material's stiffness is scaled by `factor`.
    ///
    /// A gap closed by the share α in every step is a spring of k/m = α/h². So that it looks alike at every step
    /// length, k h² / (1 + k h²) is closed with the k that closes `pull · factor` (at most 1) in the reference step: it
    /// grows with h² while it is small and never exceeds 1. All of the gap stays all of it at any step: that is the
    /// stiffest there is, and the one setting whose look changes with h.
    pub fn pull_over(&self, h_secs: f64, factor: f64) -> f64 {
        let ratio = h_secs / REFERENCE_STEP_SECS;
        let share = (self.pull * factor).clamp(0.0, 1.0);
        let closed = share * ratio * ratio;
        if closed > 0.0 { closed / (1.0 - share + closed) } else { 0.0 }
    }

    /// Young's modulus that matching a flesh amounts to over steps of `h_secs`, Pa: (N + 1) α ρ d² / h², d² being the mean square offset along an axis within
    /// regions. A goal is the mean over regions of their means: a wave of number k differs from its goals by (k d)² of itself in every pass, and the share α of it
    /// is closed in a step.
    pub fn young_pa(&self, flesh: &Flesh, density_kg_m3: f64, h_secs: f64) -> f64 {
        self.young_of_spread(region_spread_m2(flesh), density_kg_m3, h_secs)
    }

    /// The same for a d² that is known ([`region_spread_m2`]).
    fn young_of_spread(&self, spread_m2: f64, density_kg_m3: f64, h_secs: f64) -> f64 {
        let passes = f64::from(self.iterations.saturating_add(1));
        passes * self.pull_over(h_secs, 1.0) * density_kg_m3 * spread_m2 / (h_secs * h_secs)
    }

    /// The share of a load that a solid body's material carries and matching would not: 1 − E_matching / E, and 0 where the material is softer. Matching gives way
    /// to forces on single vertices by its own modulus, which falls with the size of cells and knows nothing of the material: a rubber cube of 3 cm would
    /// stand at four fifths of its height. This share of what contact does to a body moves it as one.
    pub fn rigid_share(&self, spread_m2: f64, material: &Material, h_secs: f64) -> f64 {
        let matching_pa = self.young_of_spread(spread_m2, material.density_kg_m3, h_secs);
        if matching_pa > 0.0 { (1.0 - matching_pa / material.young_pa).max(0.0) } else { 0.0 }
    }

    /// Spring constant per kilogram behind `pull`, 1/s²: what the elastic energy is measured with.
    pub(super) fn spring_per_kg(&self) -> f64 {
        self.pull / (REFERENCE_STEP_SECS * REFERENCE_STEP_SECS)
    }
}

/// d² of [`ShapeMatchingParams::young_pa`]: the mean square offset along an axis within regions, by mass.
pub fn region_spread_m2(flesh: &Flesh) -> f64 {
    let axes = if matches!(flesh.cells, Cells::Tets(_)) { 3.0 } else { 2.0 };
    let (mut spread, mut total_kg) = (0.0, 0.0);
    for (i, mut ring) in flesh.one_rings().into_iter().enumerate() {
        ring.push(i as u32);
        let mass = |&point: &u32| flesh.mass_kg[point as usize];
        let mass_kg: f64 = ring.iter().map(mass).sum();
        let place = |&point: &u32| flesh.rest[point as usize];
        let middle = ring.iter().map(|point| place(point) * mass(point)).sum::<DVec3>() / mass_kg;
        let square_m2: f64 = ring.iter().map(|point| place(point).distance_squared(middle) * mass(point)).sum();
        if mass_kg > 0.0 {
            spread += flesh.mass_kg[i] * square_m2 / (axes * mass_kg);
            total_kg += flesh.mass_kg[i];
        }
    }
    spread / total_kg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_is_the_share_closed_in_the_reference_step() {
        for pull in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let params = ShapeMatchingParams { iterations: 0, pull, ..Default::default() };
            assert!((params.pull_over(REFERENCE_STEP_SECS, 1.0) - pull).abs() < 1e-15);
            assert!((params.pull_over(REFERENCE_STEP_SECS, 0.5) - 0.5 * pull).abs() < 1e-15);
            assert!(params.pull_over(1.0, 10.0) <= 1.0);
            assert_eq!(params.pull_over(REFERENCE_STEP_SECS, 0.0), 0.0);
        }
    }

    /// k/m = α/h² is the same at small steps, so that the motion is.
    #[test]
    fn stiffness_does_not_depend_on_a_small_step() {
        let params = ShapeMatchingParams { iterations: 0, pull: 0.5, ..Default::default() };
        let k = |h: f64| params.pull_over(h, 1.0) / (h * h);
        assert!((k(1.0e-4) / k(0.5e-4) - 1.0).abs() < 1e-3);
        assert!(params.pull_over(0.01, 1.5) > params.pull_over(0.01, 1.0));
    }
}
