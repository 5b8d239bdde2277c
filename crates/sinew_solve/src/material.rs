//! What flesh is made of.

use serde::{Deserialize, Serialize};

/// How stress follows from strain (FEM).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum StretchLaw {
    /// Linear elasticity in each element's turned frame.
    Corotated,
    /// Linear in Green's strain: the textbook's large-rotation law, soft when squeezed hard.
    StVenantKirchhoff,
    /// Rubber that finds back from being turned inside out.
    #[default]
    NeoHookean,
}

/// How motion dies away. All rates are physical, so that the look does not depend on the step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Damping {
    /// How fast velocities beyond the body's rigid motion die: `e^(−rate t)`, and a swing's amplitude by half that rate. Falling and spinning
    /// are not damped; in a body with pins, neither is the motion that they leave free.
    pub wobble_per_sec: f64,
    /// Rayleigh damping `C = mass·M + stiffness·K` of FEM and springs, without the rigid motion: by mass it is the same law as wobble.
    pub rayleigh_mass_per_sec: f64,
    pub rayleigh_stiffness_secs: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Material {
    pub density_kg_m3: f64,
    pub young_pa: f64,
    pub poisson: f64,
    pub law: StretchLaw,
    pub damping: Damping,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            density_kg_m3: 1000.0,
            young_pa: 1.0e5,
            poisson: 0.4,
            law: StretchLaw::default(),
            damping: Damping::default(),
        }
    }
}

impl Material {
    /// What a solid can have: below −1 and above 0.5 it would gain energy when it is deformed.
    pub const POISSON: [f64; 2] = [-0.9, 0.4999];

    /// Lamé's λ and μ in pascal.
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young_pa, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)))
    }
}

/// Lamé's λ and μ of a material whose Poisson ratio is this much larger, its Young's modulus the same.
pub(crate) fn with_poisson_shifted((lambda, mu): (f64, f64), by: f64) -> (f64, f64) {
    let poisson = lambda / (2.0 * (lambda + mu));
    let young_pa = 2.0 * mu * (1.0 + poisson);
    let [low, high] = Material::POISSON;
    Material { young_pa, poisson: (poisson + by).clamp(low, high), ..Material::default() }.lame()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_poisson_ratio_leaves_youngs_modulus_alone_and_stays_solid() {
        let material = Material { young_pa: 3.0e4, poisson: 0.3, ..Material::default() };
        let shifted = |by: f64| with_poisson_shifted(material.lame(), by);
        let expected = Material { poisson: 0.45, ..material }.lame();
        let close = |a: (f64, f64), b: (f64, f64)| (a.0 / b.0 - 1.0).abs() < 1e-12 && (a.1 / b.1 - 1.0).abs() < 1e-12;
        assert!(close(shifted(0.15), expected));
        assert!(close(shifted(7.0), Material { poisson: 0.4999, ..material }.lame()));
        assert!(close(shifted(-7.0), Material { poisson: -0.9, ..material }.lame()));
    }
}
