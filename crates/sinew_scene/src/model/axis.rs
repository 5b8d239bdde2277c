//! The six directions along the axes of a body's rest shape.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// A direction along an axis of the rest shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Axis {
    #[serde(rename = "x")]
    X,
    #[serde(rename = "-x")]
    MinusX,
    #[serde(rename = "y")]
    Y,
    #[serde(rename = "-y")]
    MinusY,
    #[serde(rename = "z")]
    Z,
    #[serde(rename = "-z")]
    MinusZ,
}

impl Axis {
    pub const fn direction(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::MinusX => DVec3::NEG_X,
            Self::Y => DVec3::Y,
            Self::MinusY => DVec3::NEG_Y,
            Self::Z => DVec3::Z,
            Self::MinusZ => DVec3::NEG_Z,
        }
    }

    /// 0, 1 or 2 for x, y or z.
    pub const fn index(self) -> usize {
        match self {
            Self::X | Self::MinusX => 0,
            Self::Y | Self::MinusY => 1,
            Self::Z | Self::MinusZ => 2,
        }
    }

    pub const fn is_negative(self) -> bool {
        matches!(self, Self::MinusX | Self::MinusY | Self::MinusZ)
    }
}
