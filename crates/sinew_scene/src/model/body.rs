//! One soft thing: its skin, flesh, material, solver and directors.

use super::sets::VertexSet;
use super::{Colour, Copies, Director, Event, Friction, Material, NAME_PATTERN, Skin, Start, Unit, Up};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One soft thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A name of letters, digits, _ and -, different from every other body's.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// The surface people see.
    pub skin: Skin,
    /// Where the origin of its rest frame starts, metres.
    #[serde(default)]
    pub at: [f64; 3],
    /// Its turn about x, then y, then z, degrees.
    #[serde(default)]
    pub turn: [f64; 3],
    /// Its size: a factor, or one for each axis of the rest shape.
    #[serde(default)]
    pub scale: Scale,
    /// Its velocity at the first frame, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// The shape in which it begins.
    #[serde(default, skip_serializing_if = "Start::is_default")]
    pub start: Start,
    /// More bodies like this one, which share its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<Copies>,
    /// What it is made of.
    #[serde(default)]
    pub material: Material,
    /// Coulomb friction: a number, or one for each direction.
    #[serde(default)]
    pub friction: Friction,
    /// Share of its speed that it keeps when it runs into something, 0 to 1; 0 leaves bouncing to what it is made of. Between two bodies the geometric mean of theirs.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0, max = 1))]
    pub restitution: f64,
    /// Whether its parts keep out of each other.
    #[serde(default, skip_serializing_if = "is_false")]
    pub self_contact: bool,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
    /// What is simulated.
    #[serde(default)]
    pub flesh: Flesh,
    /// How it is simulated.
    #[serde(default)]
    pub solver: Solver,
    /// Named vertex sets that directors act on. Every body has the set "all".
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sets: BTreeMap<String, VertexSet>,
    /// What says how the body should move; they act together.
    #[serde(rename = "director", default, skip_serializing_if = "Vec::is_empty")]
    pub directors: Vec<Director>,
    /// What hands do to it, and when: touches and pulls.
    #[serde(rename = "event", default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Event>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// A factor for each axis; written as one number where all are equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ScaleForm", into = "ScaleForm")]
pub struct Scale(pub [f64; 3]);

/// A factor, or one for each axis.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ScaleForm {
    Even(#[schemars(range(min = 1e-6, max = 1e6))] f64),
    PerAxis(#[schemars(inner(range(min = 1e-6, max = 1e6)))] [f64; 3]),
}

impl Body {
    /// What a copy is called, by its place among the copies, counted from 0.
    pub fn copy_name(&self, place: usize) -> String {
        format!("{}-{}", self.name, place + 1)
    }

    /// Whether a body on stage of this name is one of its copies.
    pub fn has_copy(&self, name: &str) -> bool {
        let number = name.strip_prefix(self.name.as_str()).and_then(|rest| rest.strip_prefix('-'));
        self.copies.is_some() && number.is_some_and(|number| number.parse::<u32>().is_ok())
    }
}

impl Default for Scale {
    fn default() -> Self {
        Self([1.0; 3])
    }
}

impl From<ScaleForm> for Scale {
    fn from(form: ScaleForm) -> Self {
        match form {
            ScaleForm::Even(factor) => Self([factor; 3]),
            ScaleForm::PerAxis(factors) => Self(factors),
        }
    }
}

impl From<Scale> for ScaleForm {
    fn from(Scale(factors): Scale) -> Self {
        if factors == [factors[0]; 3] { Self::Even(factors[0]) } else { Self::PerAxis(factors) }
    }
}

/// What is simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Flesh {
    /// Made from the skin.
    Grown(Grown),
    /// Read from a file.
    Mesh(MeshFlesh),
}

/// Flesh made from the skin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Grown {
    /// Tetrahedra that fill the skin.
    Tets {
        /// About how many vertices.
        #[serde(default = "some_vertices")]
        #[schemars(range(min = 4, max = 2_000_000))]
        vertices: u32,
        /// Larger tets away from the surface, so that more of the vertices lie along it. Bars, cylinders and bells have grids
        /// of their own and do not change.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        graded: bool,
    },
    /// The skin itself as a sheet, for cloth.
    Shell {
        /// About how many vertices.
        #[serde(default = "some_vertices")]
        #[schemars(range(min = 4, max = 2_000_000))]
        vertices: u32,
        /// Metres; with the material's density it gives the sheet its weight.
        #[serde(default = "cloth_thickness")]
        #[schemars(range(min = 1e-6, max = 1e3))]
        thickness: f64,
    },
    /// A grid of points around the skin, which carries it along.
    Lattice {
        /// Points along x, y and z.
        #[serde(default = "muscle_lattice")]
        #[schemars(inner(range(min = 2, max = 200)))]
        size: [u32; 3],
    },
}

fn muscle_lattice() -> [u32; 3] {
    [4, 4, 7]
}

fn some_vertices() -> u32 {
    300
}

fn cloth_thickness() -> f64 {
    0.001
}

impl Default for Flesh {
    fn default() -> Self {
        Self::Grown(Grown::Tets { vertices: some_vertices(), graded: false })
    }
}

/// A file of tetrahedra.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFlesh {
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

/// How a body is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Solver {
    /// Fast and always stable; stiffness comes from passes.
    ShapeMatching {
        /// Extra matching passes: more is stiffer.
        #[serde(default = "one_iteration")]
        #[schemars(range(min = 0, max = 1000))]
        iterations: u32,
        /// Reaches the stiffness of `iterations` in this many passes, from about 1.3 times its root on: 30 in 7 passes
        /// looks the same and takes a quarter of the time. Left out, there is one pass for each iteration and one more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 1001))]
        passes: Option<u32>,
        /// Share of the way to the matched shape that is gone in 1/96 s; below 1 is softer.
        #[serde(default = "full")]
        #[schemars(range(min = 0, max = 1))]
        stiffness: f64,
        /// Share of the shiver within small regions that dies per second; bending and swaying are left alone.
        #[serde(default)]
        #[schemars(range(min = 0, max = 1e4))]
        region_damping: f64,
    },
    /// Finite elements, implicit in time: physical stiffness.
    Fem {
        /// How each step is solved for: "newton" for final quality, "descent" to work with.
        #[serde(default, skip_serializing_if = "FemMethod::is_default")]
        method: FemMethod,
        /// Sweeps of descent over all points: more come closer to newton, fewer look softer.
        #[serde(default = "descent_iterations", skip_serializing_if = "is_descent_iterations")]
        #[schemars(range(min = 1, max = 10000))]
        iterations: u32,
        /// At most this many Newton steps.
        #[serde(default = "newton_iterations")]
        #[schemars(range(min = 1, max = 1000))]
        newton_iterations: u32,
        /// Newton stops when the step's residual is below this share of where it began.
        #[serde(default = "tolerance")]
        #[schemars(range(min = 1e-12, max = 0.5))]
        tolerance: f64,
        /// What elements are made of.
        #[serde(default, skip_serializing_if = "FemElements::is_default")]
        elements: FemElements,
        /// How time is stepped through.
        #[serde(default, skip_serializing_if = "FemTime::is_default")]
        time: FemTime,
    },
    /// Damped springs, for lattices and cloth.
    Springs {
        /// How springs are stepped through time.
        #[serde(default)]
        method: SpringsMethod,
        /// Implicit: Newton stops when the unbalanced force is below this share of where it began. Adaptive: how far a point may
        /// end a substep from its exact path, as a share of the mean spring's length. Left out, it is 1e-4.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1e-12, max = 0.5))]
        tolerance: Option<f64>,
        /// Implicit: at most this many Newton steps.
        #[serde(default = "newton_iterations")]
        #[schemars(range(min = 1, max = 1000))]
        newton_iterations: u32,
        /// Sheets: stiffness along the diagonals of their squares; 1 is an even sheet, cloth has less.
        #[serde(default = "cloth_shear")]
        #[schemars(range(min = 0, max = 10))]
        shear: f64,
        /// Sheets: stiffness across folds.
        #[serde(default = "cloth_bend")]
        #[schemars(range(min = 0, max = 10))]
        bend: f64,
        /// Tetrahedra: also joins the corners opposite each inner face.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        opposite: bool,
    },
}

/// How springs are stepped through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpringsMethod {
    /// Implicit Euler: one step, stable at any stiffness.
    #[default]
    Implicit,
    /// Runge-Kutta of second order in as many inner steps as the error asks for; for soft flesh that swings.
    Adaptive,
}

fn cloth_shear() -> f64 {
    0.3
}

fn cloth_bend() -> f64 {
    0.05
}

/// How a step of finite elements is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FemMethod {
    /// All points at once, until the forces balance.
    #[default]
    Newton,
    /// One point at a time: as many sweeps as are asked for, stable with any number of them.
    Descent,
}

fn descent_iterations() -> u32 {
    10
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_descent_iterations(iterations: &u32) -> bool {
    *iterations == descent_iterations()
}

/// What finite elements are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FemElements {
    /// Each tetrahedron is one: quick, too stiff in bending where flesh is few cells thick.
    #[default]
    Tets,
    /// Edges with the tetrahedra about them: bends as it should with few cells, for several times the work.
    Smoothed,
}

/// How finite elements step through time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FemTime {
    /// Implicit Euler: calm at any step, loses some of the swing.
    #[default]
    Euler,
    /// Implicit midpoint: second order, keeps the swing of a body that touches nothing. In contact it is Euler, and bounces no more than that.
    Midpoint,
}

impl FemMethod {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl FemElements {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl FemTime {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

fn one_iteration() -> u32 {
    1
}

fn full() -> f64 {
    1.0
}

fn newton_iterations() -> u32 {
    8
}

fn tolerance() -> f64 {
    1e-3
}

impl Default for Solver {
    fn default() -> Self {
        Self::ShapeMatching { iterations: one_iteration(), passes: None, stiffness: full(), region_damping: 0.0 }
    }
}
