//! The shape in which a body begins.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape in which a body begins. All but the first are wrecks: they show that a solver finds back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Its rest shape.
    #[default]
    Rest,
    /// All points in one plane, pressed flat from above.
    Flattened,
    /// The mirror image, so that every cell is inside out.
    InsideOut,
    /// Every point at a random place in the body's box.
    Scattered,
}

impl Start {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
