//! The muscle director: cyclic charts of rates along the fibres, spread over the body by fields.
//!
//! Fields are formulas in rest coordinates, so that a scene can be written by hand, or painted, or painted on top of formulas.

use super::{Axis, Channel, Chart, Line, Paint, PaintSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tissue that contracts and expands along its fibres in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Muscle {
    /// Seconds of one cycle. Where it changes over time, the cycle runs faster or slower and never jumps.
    #[schemars(extend("minimum" = 1e-3, "maximum" = 1e6))]
    pub period: Channel,
    /// Rate along the fibres over the cycle: below 1 is shorter, above 1 longer than at rest.
    pub primary: Chart,
    /// Rate along the second direction (across the layers); only read where `volume` leaves it free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secondary: Option<Chart>,
    /// Rate along the third direction; only read where `volume` leaves it free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tertiary: Option<Chart>,
    /// Which of the other directions follow so that volume is kept.
    #[serde(default)]
    pub volume: Volume,
    /// Rates stay between 1/limit and limit.
    #[serde(default = "rate_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub rate_limit: f64,
    /// How deep each place lies, painted: 0 outermost, 1 innermost. The second direction leads across the layers; left out, it comes from `fibres`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layer: Vec<Paint>,
    /// The direction of the fibres.
    pub fibres: Fibres,
    /// When each place acts: 0 first, 1 last, as shares of the way that `speed` covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Field>,
    /// How fast the wave runs through the phase field, field units per second.
    #[serde(default = "speed")]
    #[schemars(extend("minimum" = 1e-6, "maximum" = 1e6))]
    pub speed: Channel,
    /// The exponent on the rates at each place: 1 in full, 0 nothing, −1 the opposite.
    #[serde(default)]
    pub amplitude: Amplitude,
    /// How paint becomes fields.
    #[serde(default, skip_serializing_if = "PaintSettings::are_default")]
    pub paint: PaintSettings,
    /// Left out, the cycle runs on its own. With it the body is still until something happens to it; the charts are then
    /// swept once, from there through the body, and `speed` is how many times a second the signal would cross it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub respond: Option<Respond>,
}

/// A response to what happens to the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Respond {
    /// What it responds to.
    #[schemars(length(min = 1))]
    pub to: Vec<Stimulus>,
    /// How many times weaker the response is at the place farthest from where it begins.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 1e6))]
    pub damping: f64,
    /// Seconds before a place that has begun to respond can begin again.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1e6))]
    pub refractory: f64,
    /// Touches that belong to the scene, besides those of a hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<ScriptedTouch>,
}

/// What a muscle can respond to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stimulus {
    /// A tap on the body.
    Touch,
    /// An obstacle or another body that it meets. What lies against it from the start is none.
    Contact,
}

/// A touch that belongs to the scene.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptedTouch {
    /// When.
    pub frame: f64,
    /// Where, in rest coordinates.
    pub at: [f64; 3],
}

fn rate_limit() -> f64 {
    4.0
}

fn speed() -> Channel {
    Channel::constant(1.0)
}

/// Which of the other directions follow the primary chart so that volume is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Volume {
    /// Both follow: 1/√rate each.
    #[default]
    Both,
    /// The second follows with 1/rate; the third stays as it is.
    Secondary,
    /// Neither: each has its own chart, or stays at 1.
    Off,
}

/// The direction of the fibres: a formula in rest coordinates, strokes, or strokes on top of a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Fibres {
    // Comes first: a table with strokes and a formula is the formula's.
    /// Along lines that were drawn on the body, on its layers if it has any.
    Painted {
        /// The lines, whichever way they are drawn.
        #[schemars(length(min = 1))]
        strokes: Vec<Line>,
    },
    /// Straight along an axis.
    Along {
        /// The axis.
        along: Axis,
        /// Lines that fibres follow, whichever way they are drawn; away from them the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        strokes: Vec<Line>,
    },
    /// In rings about an axis through the body's rest origin.
    Around {
        /// The axis.
        around: Axis,
        /// Lines that fibres follow, whichever way they are drawn; away from them the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        strokes: Vec<Line>,
    },
    /// Winding about an axis through the body's rest origin.
    Spiral {
        /// The axis and the pitch.
        spiral: Spiral,
        /// Lines that fibres follow, whichever way they are drawn; away from them the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        strokes: Vec<Line>,
    },
    /// In rings about a line through points, for a bent tube.
    Rings {
        /// The points, in rest coordinates.
        #[schemars(length(min = 2))]
        rings: Vec<[f64; 3]>,
        /// Lines that fibres follow, whichever way they are drawn; away from them the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        strokes: Vec<Line>,
    },
}

/// Fibres that wind about an axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spiral {
    /// The axis.
    pub about: Axis,
    /// Degrees from the ring towards the axis: 0 is a ring, 90 runs along the axis.
    #[schemars(range(min = -90, max = 90))]
    pub pitch_deg: f64,
}

/// A number at every place: a formula in rest coordinates, paint, or paint on top of a formula.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Field {
    // Comes first: a table with paint and a formula is the formula's.
    /// What was painted.
    Painted {
        /// What was painted, in this order.
        #[schemars(length(min = 1))]
        paint: Vec<Paint>,
    },
    /// Rises along an axis over the body's extent.
    Along {
        /// The axis; -y rises downwards.
        along: Axis,
        /// Value where it begins.
        #[serde(default)]
        from: f64,
        /// Value where it ends.
        #[serde(default = "one")]
        to: f64,
        /// What was painted on top; away from it the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paint: Vec<Paint>,
    },
    /// Rises once around an axis through the body's rest origin.
    Around {
        /// The axis.
        around: Axis,
        /// Value where it begins.
        #[serde(default)]
        from: f64,
        /// Value where it ends.
        #[serde(default = "one")]
        to: f64,
        /// What was painted on top; away from it the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paint: Vec<Paint>,
    },
    /// Rises with the distance from a point to the farthest place of the body.
    Distance {
        /// The point, in rest coordinates.
        distance: [f64; 3],
        /// Value at the point nearest to it.
        #[serde(default)]
        from: f64,
        /// Value at the farthest.
        #[serde(default = "one")]
        to: f64,
        /// What was painted on top; away from it the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paint: Vec<Paint>,
    },
    /// Rises along a line through points, for a bent tube.
    Path {
        /// The points, in rest coordinates.
        #[schemars(length(min = 2))]
        path: Vec<[f64; 3]>,
        /// Value where it begins.
        #[serde(default)]
        from: f64,
        /// Value where it ends.
        #[serde(default = "one")]
        to: f64,
        /// What was painted on top; away from it the formula holds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paint: Vec<Paint>,
    },
}

fn one() -> f64 {
    1.0
}

impl Field {
    /// The values where the formula begins and ends; none without one.
    pub const fn range(&self) -> Option<[f64; 2]> {
        match self {
            Self::Painted { .. } => None,
            Self::Along { from, to, .. }
            | Self::Around { from, to, .. }
            | Self::Distance { from, to, .. }
            | Self::Path { from, to, .. } => Some([*from, *to]),
        }
    }

    /// What was painted, alone or on top of the formula.
    pub fn paint(&self) -> &[Paint] {
        match self {
            Self::Painted { paint }
            | Self::Along { paint, .. }
            | Self::Around { paint, .. }
            | Self::Distance { paint, .. }
            | Self::Path { paint, .. } => paint,
        }
    }
}

impl Fibres {
    /// Lines drawn, alone or on top of the formula.
    pub fn strokes(&self) -> &[Line] {
        match self {
            Self::Painted { strokes }
            | Self::Along { strokes, .. }
            | Self::Around { strokes, .. }
            | Self::Spiral { strokes, .. }
            | Self::Rings { strokes, .. } => strokes,
        }
    }
}

/// An amplitude: one number for the whole body, which may change over time, or a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amplitude {
    Even(#[schemars(extend("minimum" = -1, "maximum" = 1))] Channel),
    Field(Field),
}

impl Default for Amplitude {
    fn default() -> Self {
        Self::Even(Channel::constant(1.0))
    }
}
