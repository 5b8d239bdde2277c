//! Named sets of flesh vertices, chosen in rest coordinates so that they survive remeshing.

use super::{Axis, Line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The set that every body has without saying so: all of its vertices.
pub const ALL: &str = "all";

/// Which vertices of the flesh belong to a set, by where they are at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum VertexSet {
    /// Every vertex.
    All {
        /// Always true.
        all: bool,
    },
    /// Vertices in a box.
    Box {
        /// The box, in rest coordinates.
        #[serde(rename = "box")]
        bounds: Bounds,
    },
    /// Vertices in a ball.
    Sphere {
        /// The ball, in rest coordinates.
        sphere: SphereRegion,
    },
    /// Vertices near one side of the body's bounding box.
    Side {
        /// Which side.
        side: Axis,
        /// How deep, as a share of the body's extent along that axis.
        #[serde(default = "thin_side")]
        #[schemars(range(min = 0, max = 1))]
        within: f64,
    },
    /// Vertices near painted strokes.
    Strokes {
        /// Lines in rest coordinates, as a brush draws them.
        #[schemars(length(min = 1))]
        strokes: Vec<Line>,
        /// Of the brush, metres: how far from a line a vertex belongs to it.
        #[schemars(range(min = 0))]
        radius: f64,
    },
    /// Vertices by number, in the order of the mesh file.
    Vertices {
        /// Numbers from 0.
        vertices: Vec<u32>,
    },
}

fn thin_side() -> f64 {
    0.02
}

/// A box with sides along the axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Lowest corner.
    pub min: [f64; 3],
    /// Highest corner.
    pub max: [f64; 3],
}

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereRegion {
    /// Its middle, in rest coordinates.
    pub centre: [f64; 3],
    /// Metres.
    #[schemars(range(min = 0))]
    pub radius: f64,
}
