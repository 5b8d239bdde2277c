//! What a user painted on a body, kept as it was done: places in rest coordinates, so that it survives remeshing and can be
//! written by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One act of painting a number. Later ones cover earlier ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Paint {
    /// A part of the surface.
    Fill {
        /// How far it goes.
        fill: FillTool,
        /// Where: the nearest place of the surface counts.
        at: [f64; 3],
        /// Degrees by which neighbouring faces may differ where a flat part goes on; 30 where it is left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 180))]
        angle: Option<f64>,
        /// The number.
        value: f64,
    },
    /// A line on the surface, on a cut or on a layer inside.
    Stroke {
        /// The line's points.
        stroke: Line,
        /// The number.
        value: f64,
        /// Number at the line's end; left out, it is the same all along.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
}

/// How far a fill goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FillTool {
    /// One face of the flesh's surface.
    Face,
    /// The part of the surface that no crease bounds.
    Flat,
}

/// Points of a line, in rest coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Line(#[schemars(length(min = 1))] pub Vec<[f64; 3]>);

/// How paint becomes fields.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PaintSettings {
    /// What spreads values from where they were painted.
    #[serde(default)]
    pub method: PaintMethod,
    /// Metres from paint beyond which the formula beneath it holds; left out, a fifth of the body's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub reach: Option<f64>,
}

/// What spreads values from where they were painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaintMethod {
    /// The flesh: limbs that lie side by side do not see each other.
    #[default]
    Mesh,
    /// Radial basis functions of space, as in the ProcDef paper.
    Rbf,
}

impl Paint {
    /// Every number that is painted, with its key.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Fill { value, .. } | Self::Stroke { value, to: None, .. } => vec![("value", *value)],
            Self::Stroke { value, to: Some(to), .. } => vec![("value", *value), ("to", *to)],
        }
    }
}

impl PaintSettings {
    pub(super) fn are_default(&self) -> bool {
        *self == Self::default()
    }
}
