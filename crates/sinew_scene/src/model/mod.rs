//! The one model of a scene: TOML in files, JSON on the wire. Plain data, no simulation.
//!
//! Lengths are metres, angles degrees, times seconds unless a name says otherwise; Y is up. The doc comments of these
//! types are the text of the published JSON Schema and of the reference page.

mod axis;
mod body;
mod channel;
mod channel_form;
mod copies;
mod director;
mod event;
mod friction;
mod key_shapes;
mod material;
mod metaphor;
mod muscle;
mod names;
mod paint;
mod plan;
mod sets;
mod skin;
mod start;
mod take_edit;
mod world;

pub use axis::Axis;
pub use body::{Body, FemElements, FemMethod, FemTime, Flesh, Grown, MeshFlesh, Scale, Solver, SpringsMethod};
pub(crate) use channel::READER;
pub use channel::{Channel, Channel3, ChannelError, Chart, constant3};
pub use copies::{Copies, Placing, Ring};
pub use director::{ContactRule, Direction, Director, Force, Goal, MaterialChange, Path, Pin, RestShape, TurnKey};
pub use event::Event;
pub use friction::{DirectedFriction, FibresWord, Friction, FrictionAlong};
pub use key_shapes::{Between, KeyShape, KeyShapes};
pub use material::{
    Damping, DampingPreset, DampingValues, Material, MaterialFields, MaterialPreset, MaterialValues, StretchLaw,
};
pub use metaphor::{
    Act, Arrow, CylinderRegion, Cylinders, GoalBy, Joint, Metaphor, MetaphorGoal, Push, Pushed, PushedRegion, Switch,
    Twist, WidgetFrame,
};
pub use muscle::{Amplitude, Fibres, Field, Muscle, Respond, ScriptedTouch, Spiral, Stimulus, Volume};
pub use names::is_name;
pub(crate) use names::{COLOUR_PATTERN, NAME_PATTERN, is_colour};
pub use paint::{FillTool, Line, Paint, PaintMethod, PaintSettings};
pub use plan::{Plan, PlanEnergy, PlanKey, PlanLaw};
pub use sets::{ALL, Bounds, SphereRegion, VertexSet};
pub use skin::{MeshSkin, Model, Part, PartSkin, PartsSkin, Skin, Unit, Up};
pub use start::Start;
pub use take_edit::{TakeEdit, TakeKey};
pub use world::{Camera, Colour, Light, Medium, Obstacle, ObstacleShape};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of scene files that this build writes.
pub const FORMAT_VERSION: u32 = 1;

/// A scene: what the user writes and saves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the format; this one is 1.
    pub sinew: u32,
    /// Time and gravity.
    #[serde(rename = "scene", default)]
    pub shot: Shot,
    /// The soft things of the scene.
    #[serde(rename = "body", default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// Ground and other hard things that bodies touch.
    #[serde(rename = "obstacle", default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
    /// Water or air around everything; left out, there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<Medium>,
    /// What pictures are taken with.
    #[serde(default)]
    pub camera: Camera,
    /// The main light.
    #[serde(default)]
    pub light: Light,
}

/// Time and gravity of a scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Shot {
    /// Frames per second: a whole number, or a ratio such as [24000, 1001].
    pub fps: Fps,
    /// First and last frame, both included. The first is the initial state, at time 0.
    pub frames: [i32; 2],
    /// Steps of the simulation per frame.
    #[schemars(range(min = 1, max = 1000))]
    pub substeps: u32,
    /// Acceleration of free fall, m/s².
    pub gravity: Channel3,
}

impl Default for Shot {
    fn default() -> Self {
        Self { fps: Fps::default(), frames: [1, 96], substeps: 4, gravity: constant3([0.0, -9.81, 0.0]) }
    }
}

/// Frames per second as a ratio, so that time is counted and never summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "FpsForm", into = "FpsForm")]
pub struct Fps {
    pub numerator: u32,
    pub denominator: u32,
}

/// Frames per second: a whole number, or a ratio such as [24000, 1001].
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FpsForm {
    Whole(#[schemars(range(min = 1, max = 1000))] u32),
    Ratio(#[schemars(inner(range(min = 1, max = 1_000_000)))] [u32; 2]),
}

impl Default for Fps {
    fn default() -> Self {
        Self { numerator: 24, denominator: 1 }
    }
}

impl Fps {
    pub fn per_sec(&self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }
}

impl From<FpsForm> for Fps {
    fn from(form: FpsForm) -> Self {
        match form {
            FpsForm::Whole(numerator) => Self { numerator, denominator: 1 },
            FpsForm::Ratio([numerator, denominator]) => Self { numerator, denominator },
        }
    }
}

impl From<Fps> for FpsForm {
    fn from(fps: Fps) -> Self {
        if fps.denominator == 1 { Self::Whole(fps.numerator) } else { Self::Ratio([fps.numerator, fps.denominator]) }
    }
}

impl Scene {
    /// An empty scene of the present version.
    pub fn new() -> Self {
        Self {
            sinew: FORMAT_VERSION,
            shot: Shot::default(),
            bodies: Vec::new(),
            obstacles: Vec::new(),
            medium: None,
            camera: Camera::default(),
            light: Light::default(),
        }
    }

    pub fn body(&self, name: &str) -> Option<&Body> {
        self.bodies.iter().find(|body| body.name == name)
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}
