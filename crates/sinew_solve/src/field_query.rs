//! Field queries: what of a director can be looked at. Its fields, and what it asks for at a moment.

use crate::Material;
use sinew_math::{DVec3, libm};

/// A field of a director, one value per point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldQuery {
    /// How much shorter (negative) or longer (positive) tissue is asked to be along its fibres: the logarithm of the rate.
    Contraction,
    /// How strongly tissue acts, 0 to 1.
    Excitation,
    /// How deep tissue lies, 0 outermost to 1 innermost.
    Layer,
    /// How strongly tissue may act, −1 to 1.
    Amplitude,
    /// When tissue acts, 0 first to 1 last.
    Phase,
    /// Directions along the fibres, across the layers, and across both.
    Primary,
    Secondary,
    Tertiary,
    /// Factors on the material's stiffness, damping and density, and its Poisson ratio.
    Stiffness,
    Damping,
    Density,
    Poisson,
}

/// The values of a field, one entry per point.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValues {
    Numbers(Vec<f64>),
    /// Unit vectors in the axes of the rest shape; their sign means nothing.
    Directions(Vec<DVec3>),
}

impl FieldQuery {
    pub const ALL: [Self; 12] = [
        Self::Contraction,
        Self::Excitation,
        Self::Layer,
        Self::Amplitude,
        Self::Phase,
        Self::Primary,
        Self::Secondary,
        Self::Tertiary,
        Self::Stiffness,
        Self::Damping,
        Self::Density,
        Self::Poisson,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contraction => "contraction",
            Self::Excitation => "excitation",
            Self::Layer => "layer",
            Self::Amplitude => "amplitude",
            Self::Phase => "phase",
            Self::Primary => "primary",
            Self::Secondary => "secondary",
            Self::Tertiary => "tertiary",
            Self::Stiffness => "stiffness",
            Self::Damping => "damping",
            Self::Density => "density",
            Self::Poisson => "poisson",
        }
    }

    /// Two directors' on one body: stretches add up, factors multiply, the more excited one shows, of fields the first.
    pub fn joined(self, first: f64, second: f64) -> f64 {
        match self {
            Self::Contraction => first + second,
            Self::Excitation => first.max(second),
            Self::Stiffness | Self::Damping => first * second,
            _ => first,
        }
    }

    /// What of a value is left at a director's weight: what is asked for fades, fields do not.
    pub fn faded(self, value: f64, weight: f64) -> f64 {
        match self {
            Self::Contraction | Self::Excitation => value * weight,
            Self::Stiffness | Self::Damping => libm::pow(value, weight),
            _ => value,
        }
    }

    /// What it is where no director says anything, of things that every body of this material has.
    pub const fn of_material(self, material: &Material) -> Option<f64> {
        match self {
            Self::Stiffness | Self::Damping | Self::Density => Some(1.0),
            Self::Poisson => Some(material.poisson),
            _ => None,
        }
    }
}
