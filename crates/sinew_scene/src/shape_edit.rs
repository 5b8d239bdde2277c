//! How the shape of a key is edited by hand. The document holds what comes of it; these are the words of pages and of `sinew key edit`.

use crate::model::Axis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One edit of a key's shape. Places are those of the body at rest; all is in metres and degrees, in the body's own axes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeEdit {
    /// Moves a place; flesh within the radius follows elastically.
    Pull {
        at: [f64; 3],
        by: [f64; 3],
        radius: f64,
    },
    /// The same with flesh that follows by its distance alone.
    Nudge {
        at: [f64; 3],
        by: [f64; 3],
        radius: f64,
    },
    Scale {
        part: ShapePart,
        by: [f64; 3],
    },
    Turn {
        part: ShapePart,
        about: [f64; 3],
        deg: f64,
    },
    Bend {
        part: ShapePart,
        along: [f64; 3],
        about: [f64; 3],
        deg: f64,
    },
    /// Evens out how far points are moved from rest.
    Smooth {
        part: ShapePart,
        rounds: u32,
    },
    /// Brings it a share of the way back to rest.
    Reset {
        part: ShapePart,
        share: f64,
    },
    /// Gives the other side of the body the shape of the one that an axis points to, about the middle of the body at rest.
    Mirror {
        from: Axis,
    },
}

/// A part of a body: its points by their numbers in sets of the scene, those in a box of the body at rest, or all of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShapePart {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<u32>>,
    /// Its lower and upper corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<[[f64; 3]; 2]>,
    /// How far around it flesh follows.
    pub falloff: f64,
}

impl ShapeEdit {
    /// What a user's history calls it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pull { .. } => "pull",
            Self::Nudge { .. } => "nudge",
            Self::Scale { .. } => "scale",
            Self::Turn { .. } => "turn",
            Self::Bend { .. } => "bend",
            Self::Smooth { .. } => "smooth",
            Self::Reset { .. } => "reset",
            Self::Mirror { .. } => "mirror",
        }
    }

    /// The part it is about; none is a place or the whole body.
    pub fn part(&self) -> Option<&ShapePart> {
        match self {
            Self::Scale { part, .. }
            | Self::Turn { part, .. }
            | Self::Bend { part, .. }
            | Self::Smooth { part, .. }
            | Self::Reset { part, .. } => Some(part),
            Self::Pull { .. } | Self::Nudge { .. } | Self::Mirror { .. } => None,
        }
    }
}
