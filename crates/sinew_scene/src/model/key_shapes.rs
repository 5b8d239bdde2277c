//! Key shapes: what a body should look like at frames.

use super::{Axis, NAME_PATTERN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rest shape of a body from key to key: at a key's frame it is the key's shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyShapes {
    /// Shapes at frames. The first is held before it, the last after it.
    #[schemars(length(min = 1))]
    pub keys: Vec<KeyShape>,
    /// How the rest shape goes from key to key.
    #[serde(default)]
    pub between: Between,
    /// With between = "physical": the share of the way that damped flesh would leave open at the next key, which is then closed. Small
    /// is quick at first, near 1 is even.
    #[serde(default = "damping", skip_serializing_if = "is_usual_damping")]
    #[schemars(range(min = 1e-4, max = 0.99))]
    pub damping: f64,
}

/// How a rest shape goes from key to key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// As rigidly as possible: every part turns and stretches evenly, slowly out of one key and into the next.
    #[default]
    Rigid,
    /// The same at an even pace.
    Linear,
    /// As heavily damped flesh, let go in one key, creeps to the next.
    Physical,
}

/// A shape at a frame: that of an asset or the body at rest, then scaled, twisted and bent about its middle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyShape {
    /// When the body is to have it.
    pub frame: f64,
    /// A name to tell it by: letters, digits, _ and -.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The file of the shape, as `sinew key` makes it; left out, the body at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub asset: Option<String>,
    /// Factor along x, y and z.
    #[serde(default = "unscaled", skip_serializing_if = "is_unscaled")]
    #[schemars(inner(range(min = 0.01, max = 100)))]
    pub scale: [f64; 3],
    /// The long axis: what twist turns about and bend runs along.
    #[serde(default = "axis_x", skip_serializing_if = "is_x")]
    pub along: Axis,
    /// How far one end is turned against the other about the long axis, degrees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub twist_deg: f64,
    /// The angle between the two ends, degrees.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bend_deg: f64,
    /// The angle that each half is bent by, the second the other way, degrees: an S.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub s_bend_deg: f64,
    /// The axis that the ends turn about when bent.
    #[serde(default = "axis_z", skip_serializing_if = "is_z")]
    pub bend_about: Axis,
    /// Mirrored along this axis, about the middle of the body at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<Axis>,
    /// How many frames earlier the rest shape is this key's, and stays so until its frame: time for flesh that lags behind. At most back to the key before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0))]
    pub lead: f64,
    /// The file of the rest shape that brings the simulated body to this key, as `sinew refine keys` finds it; left out, the key's own shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub rest: Option<String>,
    /// Which shape, frame and lead that rest shape was found for; a key that was changed since goes without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_for: Option<String>,
}

impl KeyShape {
    /// The body at rest at a frame.
    pub fn rest_at(frame: f64) -> Self {
        Self {
            frame,
            name: None,
            asset: None,
            scale: unscaled(),
            along: axis_x(),
            twist_deg: 0.0,
            bend_deg: 0.0,
            s_bend_deg: 0.0,
            bend_about: axis_z(),
            mirror: None,
            lead: 0.0,
            rest: None,
            rest_for: None,
        }
    }

    /// What `rest_for` is of a rest shape that was found for this key: a number made of its frame, shape and lead (FNV-1a).
    pub fn rest_mark(&self) -> String {
        let bare = Self { name: None, rest: None, rest_for: None, ..self.clone() };
        let text = serde_json::to_string(&bare).unwrap_or_default();
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// Whether its rest shape was found for another shape, frame or lead than it has now.
    pub fn is_rest_stale(&self) -> bool {
        self.rest.is_some() && self.rest_for.as_ref().is_some_and(|mark| *mark != self.rest_mark())
    }
}

fn damping() -> f64 {
    0.05
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
fn is_usual_damping(value: &f64) -> bool {
    *value == damping()
}

pub(super) fn unscaled() -> [f64; 3] {
    [1.0; 3]
}

pub(super) fn is_unscaled(scale: &[f64; 3]) -> bool {
    *scale == unscaled()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

pub(super) fn axis_x() -> Axis {
    Axis::X
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
pub(super) fn is_x(axis: &Axis) -> bool {
    *axis == axis_x()
}

pub(super) fn axis_z() -> Axis {
    Axis::Z
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
pub(super) fn is_z(axis: &Axis) -> bool {
    *axis == axis_z()
}
