//! The surface people see: a built-in model, a mesh file, or several parts.

use super::{Colour, Scale};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a body's skin comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Skin {
    /// One of the built-in models.
    Model(Model),
    /// A mesh file.
    Mesh(MeshSkin),
    /// Several parts that move as one body.
    Parts(PartsSkin),
}

/// A skin of several parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartsSkin {
    /// The parts, each placed in the body's rest frame.
    #[schemars(length(min = 1))]
    pub parts: Vec<Part>,
}

/// One part of a skin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// A name to tell parts apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its surface.
    pub skin: PartSkin,
    /// Where it is, metres in the body's rest frame.
    #[serde(default)]
    pub at: [f64; 3],
    /// Its turn about x, then y, then z, degrees.
    #[serde(default)]
    pub turn: [f64; 3],
    /// Its size: a factor, or one for each axis.
    #[serde(default)]
    pub scale: Scale,
    /// Its colour; left out, the body's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
}

/// The surface of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PartSkin {
    /// One of the built-in models.
    Model(Model),
    /// A mesh file.
    Mesh(MeshSkin),
}

/// A mesh file beside the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshSkin {
    /// The file, relative to the scene.
    #[schemars(length(min = 1))]
    pub mesh: String,
    /// The file's unit of length.
    #[serde(default)]
    pub unit: Unit,
    /// The axis that points up in the file.
    #[serde(default)]
    pub up: Up,
}

/// A unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    #[default]
    #[serde(rename = "m")]
    Metre,
    #[serde(rename = "cm")]
    Centimetre,
    #[serde(rename = "mm")]
    Millimetre,
    #[serde(rename = "in")]
    Inch,
    #[serde(rename = "ft")]
    Foot,
}

impl Unit {
    pub const fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
        }
    }
}

/// The axis that points up in a file. A file with z up is turned about x so that y is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    #[default]
    Y,
    Z,
}

/// The built-in models, centred at the origin of the rest frame unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum Model {
    /// A box with sharp edges.
    Bar {
        /// Length along x, y and z, metres.
        #[serde(default = "bar_size")]
        #[schemars(inner(range(min = 1e-6, max = 1e6)))]
        size: [f64; 3],
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A solid cylinder about the y axis.
    Cylinder {
        /// Metres.
        #[serde(default = "cylinder_radius")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
        /// Metres, along y.
        #[serde(default = "one")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        height: f64,
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A ball.
    Ball {
        /// Metres.
        #[serde(default = "cylinder_radius")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A flat sheet in the xz plane.
    Cloth {
        /// Width along x and depth along z, metres.
        #[serde(default = "cloth_size")]
        #[schemars(inner(range(min = 1e-6, max = 1e6)))]
        size: [f64; 2],
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A jellyfish's bell: a dome open below, its rim at y = 0 and its apex at y = height.
    Bell {
        /// Metres, at the widest.
        #[serde(default = "bell_radius")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
        /// Metres, from rim to apex.
        #[serde(default = "bell_height")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        height: f64,
        /// Metres, of the wall at the apex; it thins towards the rim.
        #[serde(default = "bell_thickness")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        thickness: f64,
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A jellyfish with a scalloped bell, arms and tentacles; its rim is about y = 0, its apex above.
    Jellyfish {
        /// How many tentacles hang from the rim. More than 8 are thinner; a multiple of 3 are of three lengths.
        #[serde(default = "tentacles")]
        #[schemars(range(min = 3, max = 36))]
        tentacles: u32,
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// An earthworm along x, its head at +x.
    Worm {
        /// Metres, from tail to head.
        #[serde(default = "one")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        length: f64,
        /// Metres, at the thickest.
        #[serde(default = "worm_radius")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A snail with a coiled shell and eye stalks, that crawls towards +x on y = 0.
    Snail {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A snake along x, its head at +x.
    Snake {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A heart with two ventricles, hollow, under its great vessels; its axis is y, its apex below.
    Heart {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// An S-shaped tube in the xy plane, open at both ends.
    Bowel {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A rabbit that sits up on y = 0 and looks towards +x, its ears side by side.
    Rabbit {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A winged dragon that walks towards +x on y = 0.
    Dragon {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A biped that stands on y = 0 and faces +z, fingers and legs apart.
    Biped {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A cartoon arm along x with a gloved hand.
    Arm {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
    /// A cartoon head that faces +z, with cheeks to puff.
    Head {
        /// About how many vertices the skin has; left out, the flesh's own surface is seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 4, max = 500_000))]
        vertices: Option<u32>,
    },
}

impl Model {
    /// About how many vertices its skin should have, where that was said.
    pub const fn skin_vertices(&self) -> Option<u32> {
        match *self {
            Self::Bar { vertices, .. }
            | Self::Cylinder { vertices, .. }
            | Self::Ball { vertices, .. }
            | Self::Cloth { vertices, .. }
            | Self::Bell { vertices, .. }
            | Self::Jellyfish { vertices, .. }
            | Self::Worm { vertices, .. }
            | Self::Snail { vertices }
            | Self::Snake { vertices }
            | Self::Heart { vertices }
            | Self::Bowel { vertices }
            | Self::Rabbit { vertices }
            | Self::Dragon { vertices }
            | Self::Biped { vertices }
            | Self::Arm { vertices }
            | Self::Head { vertices } => vertices,
        }
    }
}

fn bar_size() -> [f64; 3] {
    [1.0, 0.2, 0.2]
}

fn cylinder_radius() -> f64 {
    0.2
}

fn one() -> f64 {
    1.0
}

fn cloth_size() -> [f64; 2] {
    [1.0, 1.0]
}

fn bell_radius() -> f64 {
    0.5
}

fn bell_height() -> f64 {
    0.45
}

fn bell_thickness() -> f64 {
    0.1
}

fn tentacles() -> u32 {
    8
}

fn worm_radius() -> f64 {
    0.06
}
