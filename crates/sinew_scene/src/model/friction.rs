//! Coulomb friction, with a direction where a body has one.

use super::Axis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Coulomb coefficients. A worm's bristles slide forward and hold backward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "FrictionForm", into = "FrictionForm")]
pub struct Friction {
    pub forward: f64,
    pub backward: f64,
    pub sideways: f64,
    /// What forward means; none: friction is the same in every direction.
    pub along: Option<FrictionAlong>,
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

/// One Coulomb coefficient, or one for each direction.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FrictionForm {
    Even(#[schemars(range(min = 0, max = 100))] f64),
    Directed(DirectedFriction),
}

/// Friction with a direction.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DirectedFriction {
    /// Against sliding forward.
    #[schemars(range(min = 0, max = 100))]
    forward: f64,
    /// Against sliding backward.
    #[schemars(range(min = 0, max = 100))]
    backward: f64,
    /// Against sliding sideways; left out, the larger of the other two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    sideways: Option<f64>,
    /// What forward means.
    along: FrictionAlong,
}

impl Friction {
    pub const fn even(coefficient: f64) -> Self {
        Self { forward: coefficient, backward: coefficient, sideways: coefficient, along: None }
    }
}

impl Default for Friction {
    fn default() -> Self {
        Self::even(0.5)
    }
}

impl From<FrictionForm> for Friction {
    fn from(form: FrictionForm) -> Self {
        match form {
            FrictionForm::Even(coefficient) => Self::even(coefficient),
            FrictionForm::Directed(DirectedFriction { forward, backward, sideways, along }) => {
                Self { forward, backward, sideways: sideways.unwrap_or(forward.max(backward)), along: Some(along) }
            }
        }
    }
}

impl From<Friction> for FrictionForm {
    fn from(friction: Friction) -> Self {
        let Friction { forward, backward, sideways, along } = friction;
        match along {
            None => Self::Even(sideways),
            Some(along) => Self::Directed(DirectedFriction { forward, backward, sideways: Some(sideways), along }),
        }
    }
}
