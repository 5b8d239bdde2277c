//! What says how a body should move: one kind of director for every cue.

use super::{Axis, Channel, Channel3, KeyShapes, Metaphor, Muscle, NAME_PATTERN, Plan, TakeEdit, constant3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that says what a body should do over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Director {
    /// A name to tell directors of one body apart: letters, digits, _ and -.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// What it asks for.
    #[serde(flatten)]
    pub direction: Direction,
    /// How strongly it speaks: 0 is silent, 1 is in full.
    #[serde(default = "in_full")]
    #[schemars(extend("minimum" = 0))]
    pub weight: Channel,
    /// Whether it is silenced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mute: bool,
}

impl Director {
    /// Its name, or the one it has by its kind and its place among the body's directors, counted from 0.
    pub fn name_at(&self, place: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("{}-{}", self.direction.kind(), place + 1))
    }
}

fn in_full() -> Channel {
    Channel::constant(1.0)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// What a director asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Direction {
    /// Tissue that contracts and expands along its fibres in a cycle.
    Muscle(Box<Muscle>),
    /// Another shape at rest: scaled, twisted or bent.
    RestShape(RestShape),
    /// Shapes to have at frames.
    KeyShapes(KeyShapes),
    /// A recorded motion, edited at frames.
    TakeEdit(TakeEdit),
    /// Designed motion through key poses.
    Plan(Box<Plan>),
    /// A force on a set.
    Force(Force),
    /// A soft pull of a set to a place.
    Goal(Goal),
    /// A set held exactly where it is told to be.
    Pin(Pin),
    /// The way of the body as a whole.
    Path(Path),
    /// Stiffness and damping changed over time.
    Material(MaterialChange),
    /// Forces that stretch, compress, twist or bend.
    Metaphor(Box<Metaphor>),
}

impl Direction {
    /// The word in the file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Muscle(_) => "muscle",
            Self::RestShape(_) => "rest_shape",
            Self::KeyShapes(_) => "key_shapes",
            Self::TakeEdit(_) => "take_edit",
            Self::Plan(_) => "plan",
            Self::Force(_) => "force",
            Self::Goal(_) => "goal",
            Self::Pin(_) => "pin",
            Self::Path(_) => "path",
            Self::Material(_) => "material",
            Self::Metaphor(_) => "metaphor",
        }
    }

    /// The vertex set it acts on, if it names one.
    pub fn on(&self) -> Option<&str> {
        match self {
            Self::Muscle(_) | Self::KeyShapes(_) | Self::TakeEdit(_) | Self::Plan(_) => None,
            Self::Path(_) | Self::Metaphor(_) => None,
            Self::RestShape(RestShape { on, .. }) | Self::Material(MaterialChange { on, .. }) => on.as_deref(),
            Self::Force(Force { on, .. }) | Self::Goal(Goal { on, .. }) | Self::Pin(Pin { on, .. }) => Some(on),
        }
    }
}

/// Another shape at rest. Scaled first, then twisted, then bent, about the middle of what it acts on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestShape {
    /// Factor along x, y and z.
    #[serde(default = "unscaled")]
    pub scale: Channel3,
    /// The long axis: what twist turns about and bend runs along.
    #[serde(default = "axis_x")]
    pub along: Axis,
    /// How far one end is turned against the other about the long axis, degrees.
    #[serde(default)]
    pub twist_deg: Channel,
    /// The angle between the two ends, degrees.
    #[serde(default)]
    pub bend_deg: Channel,
    /// The axis that the ends turn about when bent.
    #[serde(default = "axis_z")]
    pub bend_about: Axis,
    /// The set it acts on; left out, the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}

fn unscaled() -> Channel3 {
    constant3([1.0; 3])
}

fn axis_x() -> Axis {
    Axis::X
}

fn axis_z() -> Axis {
    Axis::Z
}

/// A force on a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Force {
    /// The set it acts on.
    pub on: String,
    /// Newton, over the whole set, shared by mass.
    pub newton: Channel3,
}

/// A soft pull of a set to a place: give `move` or `to`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The set it acts on.
    pub on: String,
    /// Offset from where the set starts in the world, metres.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Channel3>,
    /// Where the set's centre should be in the world, metres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Channel3>,
    /// Seconds it takes to get there, about: smaller pulls harder.
    #[serde(default = "settle_secs")]
    #[schemars(extend("minimum" = 1e-4, "maximum" = 1e3))]
    pub settle: Channel,
}

fn settle_secs() -> Channel {
    Channel::constant(0.1)
}

/// A set held exactly where it is told to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The set it acts on.
    pub on: String,
    /// Offset from where the set starts in the world, metres.
    #[serde(rename = "move", default)]
    pub offset: Channel3,
    /// Turn about the set's centre: about x, then y, then z, degrees.
    #[serde(default)]
    pub turn: Channel3,
}

/// The way of the body as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// Where the body's centre of mass should be in the world, metres.
    pub at: Channel3,
    /// Its turn from rest about x, then y, then z, degrees; left out, it turns freely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Channel3>,
    /// Its turns from rest as keys of a quaternion curve, which is smooth at any spacing and takes the shorter way; instead of `turn`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnKey>,
    /// Share of the gap that is closed in 1/24 s: 0 leaves it free, 1 is exact.
    #[serde(default = "in_full")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub strength: Channel,
    /// Which of path and contact gives way.
    #[serde(default)]
    pub contact: ContactRule,
    /// As in the paper: the body's turn is the mean of its elements' rotations, not the best fit of its rest shape.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
}

/// How a body is turned from rest at a frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnKey {
    /// When.
    pub frame: f64,
    /// The turn as a quaternion x, y, z, w; its length does not matter.
    pub turn: [f64; 4],
}

/// Which of path and contact gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactRule {
    /// Contact may keep the body off its path.
    #[default]
    Wins,
    /// The path holds, whatever is in its way.
    Yields,
}

/// Stiffness and damping changed over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialChange {
    /// The set it acts on; left out, the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Factor on stiffness.
    #[serde(default = "in_full")]
    #[schemars(extend("minimum" = 0))]
    pub stiffness: Channel,
    /// Factor on damping.
    #[serde(default = "in_full")]
    #[schemars(extend("minimum" = 0))]
    pub damping: Channel,
}
