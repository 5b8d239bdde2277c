//! Coulomb friction, with a direction where a body has one.

use super::{Axis, Channel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One Coulomb coefficient, or one for each direction. A worm's bristles slide forward and hold backward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "a scene holds a few of them, and patterns stay plain")]
pub enum Friction {
    Even(#[schemars(extend("minimum" = 0, "maximum" = 100))] Channel),
    Directed(DirectedFriction),
}

/// Friction with a direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectedFriction {
    /// Against sliding forward.
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub forward: Channel,
    /// Against sliding backward.
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub backward: Channel,
    /// Against sliding sideways; left out, the larger of the other two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub sideways: Option<Channel>,
    /// What forward means.
    pub along: FrictionAlong,
}

/// What forward means for friction: the fibres of the body's first muscle director, or an axis of the rest shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FrictionAlong {
    Fibres(FibresWord),
    Axis(Axis),
}

/// The fibres of the body's first muscle director.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum FibresWord {
    #[serde(rename = "fibres")]
    Fibres,
}

impl Friction {
    pub const fn even(coefficient: f64) -> Self {
        Self::Even(Channel::constant(coefficient))
    }

    /// What forward means; none: friction is the same in every direction.
    pub const fn along(&self) -> Option<FrictionAlong> {
        match self {
            Self::Even(_) => None,
            Self::Directed(directed) => Some(directed.along),
        }
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::even(0.5)
    }
}
