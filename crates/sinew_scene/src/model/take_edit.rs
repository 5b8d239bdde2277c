//! Edits of a finished take: what the body looks like at some of its frames, and how far around them frames follow.

use super::{ContactRule, NAME_PATTERN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A recorded motion of the body with edits on it. Frames near an edit follow it; where none acts the body is free.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeEdit {
    /// The file of the recorded motion, as `sinew key take` and the studio make it.
    #[schemars(length(min = 1))]
    pub take: String,
    /// Edits in the order they were made: each is of the motion that the ones before it left.
    #[serde(default)]
    pub keys: Vec<TakeKey>,
    /// Which of the edited motion and contact gives way.
    #[serde(default)]
    pub contact: ContactRule,
}

/// What the body looks like at a frame of an edited take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeKey {
    /// Which frame.
    pub frame: i32,
    /// A name to tell it by: letters, digits, _ and -.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// How many frames before and after it follow.
    #[serde(default = "width")]
    #[schemars(range(min = 1, max = 1000))]
    pub width: f64,
    /// The file of the shape; left out, that of the take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub asset: Option<String>,
    /// How far the body as a whole is moved, metres.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub shift: [f64; 3],
    /// How the body as a whole is turned about its centre, as a quaternion x, y, z, w.
    #[serde(default = "no_turn", skip_serializing_if = "is_no_turn")]
    pub turn: [f64; 4],
    /// Frames near it follow with the swings of the flesh; else they fade evenly.
    #[serde(default = "swings")]
    pub swings: bool,
}

impl TakeKey {
    /// The take as it is at a frame.
    pub fn unchanged(frame: i32, width: f64) -> Self {
        Self { frame, name: None, width, asset: None, shift: [0.0; 3], turn: no_turn(), swings: swings() }
    }
}

fn width() -> f64 {
    12.0
}

fn is_nothing(shift: &[f64; 3]) -> bool {
    *shift == [0.0; 3]
}

fn no_turn() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

fn is_no_turn(turn: &[f64; 4]) -> bool {
    *turn == no_turn()
}

fn swings() -> bool {
    true
}
