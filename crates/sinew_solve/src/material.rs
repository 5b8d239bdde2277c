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
    /// Share of the body's own wobble (motion beyond rigid) lost per second: `e^(−rate t)`. Falling is not damped.
    pub wobble_per_sec: f64,
    /// Rayleigh damping `C = mass·M + stiffness·K` (FEM).
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
    /// Lamé's λ and μ in pascal.
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young_pa, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)))
    }
}
