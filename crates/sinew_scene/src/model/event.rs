//! What hands do to a body, written down: touches and pulls at frames of the shot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a hand does to the body, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A tap. Muscles that respond to touch answer it.
    Touch {
        /// The frame at which it happens.
        frame: i32,
        /// Where, in rest coordinates.
        at: [f64; 3],
        /// The number of the copy it is done to, from 1; left out, to all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        copy: Option<u32>,
    },
    /// A hold on one point, which is pulled through the world and then let go.
    Pull {
        /// The frame at which it is taken hold of.
        frame: i32,
        /// The point that is held, in rest coordinates.
        at: [f64; 3],
        /// Where the hand is: frames since it took hold, then x, y and z in the world, metres. The last entry is when
        /// it lets go.
        #[schemars(length(min = 2))]
        path: Vec<[f64; 4]>,
        /// The number of the copy it is done to, from 1; left out, to all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        copy: Option<u32>,
    },
}

impl Event {
    /// The frame at which it begins.
    pub const fn frame(&self) -> i32 {
        match self {
            Self::Touch { frame, .. } | Self::Pull { frame, .. } => *frame,
        }
    }

    /// The number of the copy it is done to, from 1.
    pub const fn copy(&self) -> Option<u32> {
        match self {
            Self::Touch { copy, .. } | Self::Pull { copy, .. } => *copy,
        }
    }
}
