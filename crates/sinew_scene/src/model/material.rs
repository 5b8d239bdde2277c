//! What bodies are made of: presets, and the numbers that override them.

use super::{Field, PaintSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A preset, with any of its numbers overridden.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Where the numbers come from that are not given here.
    #[serde(default)]
    pub preset: MaterialPreset,
    /// Density, kg/m³.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-3, max = 1e6))]
    pub density_kg_m3: Option<f64>,
    /// Young's modulus, Pa: resistance to stretching.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 1e12))]
    pub young_pa: Option<f64>,
    /// Poisson's ratio: 0 squeezes freely, towards 0.5 keeps its volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -0.9, max = 0.4999))]
    pub poisson: Option<f64>,
    /// How stress follows from strain (fem).
    #[serde(default, skip_serializing_if = "StretchLaw::is_default")]
    pub law: StretchLaw,
    /// How motion dies away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Damping>,
    /// Where in the body it differs from these numbers: painted, or by formulas.
    #[serde(default, skip_serializing_if = "MaterialFields::are_none")]
    pub fields: MaterialFields,
}

/// Where in a body its material differs. Beyond the reach of paint it is as the numbers say.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialFields {
    /// Factor on stiffness, 0.001 to 1000, spread by its logarithm. Shape matching gets no stiffer than a solver stiffness of 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<Field>,
    /// Factor on damping, 0 to 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<Field>,
    /// Factor on density, 0.001 to 1000, spread by its logarithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Field>,
    /// Poisson's ratio itself, −0.9 to 0.4999 (fem).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poisson: Option<Field>,
    /// How paint becomes fields.
    #[serde(default, skip_serializing_if = "PaintSettings::are_default")]
    pub paint: PaintSettings,
}

impl MaterialFields {
    /// Whether the material is the same everywhere.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Materials with sensible numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaterialPreset {
    /// Soft, wet, wobbly: 1050 kg/m³, 20 kPa, Poisson 0.45.
    #[default]
    Jelly,
    /// Firm and springy: 1100 kg/m³, 1 MPa, Poisson 0.48.
    Rubber,
    /// Relaxed muscle: 1060 kg/m³, 60 kPa, Poisson 0.47.
    Muscle,
    /// Fat: 920 kg/m³, 5 kPa, Poisson 0.48.
    Fat,
    /// Woven cloth: 400 kg/m³, 1 MPa, Poisson 0.3.
    Cloth,
    /// A worm's body: 1050 kg/m³, 40 kPa, Poisson 0.4.
    Worm,
}

/// How stress follows from strain. All are the same for small strains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StretchLaw {
    /// Rubber that finds back even from being turned inside out (stable neo-Hookean).
    #[default]
    NeoHookean,
    /// Linear in each element's turned frame: what most games use.
    Corotated,
    /// Linear in Green's strain: stiffens when stretched, gives way when squeezed to half.
    StVenantKirchhoff,
}

impl StretchLaw {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How motion dies away: a word, or numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Damping {
    Preset(DampingPreset),
    Values(DampingValues),
}

/// Damping in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DampingPreset {
    /// Nothing beyond what the solver itself loses.
    None,
    /// Wobbles for a second or two.
    Light,
    /// Wobbles a few times.
    Medium,
    /// Comes to rest almost at once.
    Heavy,
}

/// Damping in numbers. All are physical rates, so that the look does not depend on the step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DampingValues {
    /// How fast velocities beyond the body's rigid motion die: e^(−rate·t), and a swing's amplitude by half that rate.
    /// Falling and spinning are not damped; in a body with pins, neither is the motion that they leave free.
    #[schemars(range(min = 0, max = 1e4))]
    pub wobble_per_sec: f64,
    /// Rayleigh damping proportional to mass: the same law as `wobble_per_sec`, and added to it (fem, springs).
    #[schemars(range(min = 0, max = 1e4))]
    pub rayleigh_mass_per_sec: f64,
    /// Rayleigh damping proportional to stiffness; it acts on the rate of deformation and leaves spin alone (fem, springs).
    #[schemars(range(min = 0, max = 10))]
    pub rayleigh_stiffness_secs: f64,
}

/// A material with every number settled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialValues {
    pub density_kg_m3: f64,
    pub young_pa: f64,
    pub poisson: f64,
    pub damping: DampingValues,
}

impl Material {
    /// The preset's numbers with the overrides put over them.
    pub fn values(&self) -> MaterialValues {
        let preset = self.preset.values();
        MaterialValues {
            density_kg_m3: self.density_kg_m3.unwrap_or(preset.density_kg_m3),
            young_pa: self.young_pa.unwrap_or(preset.young_pa),
            poisson: self.poisson.unwrap_or(preset.poisson),
            damping: self.damping.map_or(preset.damping, |damping| damping.values()),
        }
    }
}

impl MaterialPreset {
    /// Orders of magnitude of soft tissue and rubber as found in handbooks; damping was chosen to look right.
    pub fn values(self) -> MaterialValues {
        let of = |density_kg_m3, young_pa, poisson, damping: DampingPreset| MaterialValues {
            density_kg_m3,
            young_pa,
            poisson,
            damping: damping.values(),
        };
        match self {
            Self::Jelly => of(1050.0, 2.0e4, 0.45, DampingPreset::Light),
            Self::Rubber => of(1100.0, 1.0e6, 0.48, DampingPreset::Light),
            Self::Muscle => of(1060.0, 6.0e4, 0.47, DampingPreset::Medium),
            Self::Fat => of(920.0, 5.0e3, 0.48, DampingPreset::Medium),
            Self::Cloth => of(400.0, 1.0e6, 0.3, DampingPreset::Medium),
            Self::Worm => of(1050.0, 4.0e4, 0.4, DampingPreset::Heavy),
        }
    }
}

impl Damping {
    pub fn values(&self) -> DampingValues {
        match self {
            Self::Preset(preset) => preset.values(),
            Self::Values(values) => *values,
        }
    }
}

impl DampingPreset {
    pub fn values(self) -> DampingValues {
        let of = |wobble_per_sec, rayleigh_mass_per_sec, rayleigh_stiffness_secs| DampingValues {
            wobble_per_sec,
            rayleigh_mass_per_sec,
            rayleigh_stiffness_secs,
        };
        match self {
            Self::None => of(0.0, 0.0, 0.0),
            Self::Light => of(1.0, 0.0, 0.002),
            Self::Medium => of(4.0, 0.0, 0.01),
            Self::Heavy => of(15.0, 0.0, 0.04),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_lie_over_the_preset() {
        let material = Material { young_pa: Some(7.0), preset: MaterialPreset::Fat, ..Material::default() };
        let (values, fat) = (material.values(), MaterialPreset::Fat.values());
        assert_eq!(values, MaterialValues { young_pa: 7.0, ..fat });
        let stiff = Material { damping: Some(Damping::Preset(DampingPreset::Heavy)), ..material.clone() };
        assert_eq!(stiff.values().damping, DampingPreset::Heavy.values());
    }
}
