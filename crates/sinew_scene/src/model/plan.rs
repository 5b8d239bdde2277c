//! Plans: motion designed by key poses, with paths found between them.

use super::key_shapes::{axis_x, axis_z, is_unscaled, is_x, is_z, is_zero, unscaled};
use super::{Axis, Channel, KeyShape, NAME_PATTERN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A designed motion: the body passes through its key poses, smoothly, without running into anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Bodies of one group are planned together and avoid each other; left out, the body alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub group: Option<String>,
    /// Designed stretches of time, first and last frame of each; elsewhere the body is simulated. Left out: from the first key to the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<[i32; 2]>,
    /// Poses, places and velocities at frames.
    #[schemars(length(min = 1))]
    pub keys: Vec<PlanKey>,
    /// How many nodes move the body; more follow finer poses and take longer.
    #[serde(default = "nodes")]
    #[schemars(range(min = 8, max = 400))]
    pub nodes: u32,
    /// What counts as a good motion.
    #[serde(default)]
    pub energy: PlanEnergy,
    /// Distance kept from obstacles and other bodies, metres; left out, 3 % of the body's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub clearance: Option<f64>,
    /// Obstacles that the plan may pass through, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// At most so many frames are solved for; between them the motion is interpolated.
    #[serde(default = "most_frames")]
    #[schemars(range(min = 2, max = 400))]
    pub most_frames: u32,
    /// Seconds in which the body settles on the plan: what lags behind and swings is secondary motion. 0 follows the plan exactly.
    #[serde(default)]
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    pub secondary: Channel,
    /// The file of the motion that was found, as `sinew refine plan` writes it; left out, keys are interpolated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub plan: Option<String>,
    /// What that motion was found for; a plan whose scene was changed since says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved_for: Option<String>,
}

/// A pose, a place or a velocity at a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanKey {
    /// When.
    pub frame: f64,
    /// The last frame, of a key that holds for some time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<f64>,
    /// A name to tell it by: letters, digits, _ and -.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The file of the pose; left out, the shape at rest.
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
    /// The axis that the ends turn about when bent.
    #[serde(default = "axis_z", skip_serializing_if = "is_z")]
    pub bend_about: Axis,
    /// Mirrored along this axis, about the middle of the body at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mirror: Option<Axis>,
    /// The set that it holds; left out, the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Where the centre of what it holds is in the world, metres; left out, where the body starts, and for a set, where it is when
    /// the key begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// How the pose is turned, as a quaternion x, y, z, w; left out, as the body starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<[f64; 4]>,
    /// How fast what it holds moves, metres per second; left out, as it comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Only where the search begins, no constraint: it chooses the side on which an obstacle is passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guess: bool,
    /// Its velocity may jump here, as in a bounce.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bounce: bool,
    /// It is not moved by gestures on the page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub locked: bool,
    /// The copy it is of, from 1; left out, every copy, carried along from where the body stands to where the copy does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub copy: Option<u32>,
}

impl PlanKey {
    /// The body at rest where it starts, at a frame.
    pub fn at_frame(frame: f64) -> Self {
        Self {
            frame,
            to: None,
            name: None,
            asset: None,
            scale: unscaled(),
            along: axis_x(),
            twist_deg: 0.0,
            bend_deg: 0.0,
            bend_about: axis_z(),
            mirror: None,
            on: None,
            at: None,
            turn: None,
            velocity: None,
            guess: false,
            bounce: false,
            locked: false,
            copy: None,
        }
    }

    /// The shape of its pose.
    pub fn shape(&self) -> KeyShape {
        KeyShape {
            asset: self.asset.clone(),
            scale: self.scale,
            along: self.along,
            twist_deg: self.twist_deg,
            bend_deg: self.bend_deg,
            bend_about: self.bend_about,
            mirror: self.mirror,
            ..KeyShape::rest_at(self.frame)
        }
    }

    /// Whether it is a pose of the whole body.
    pub fn is_pose(&self) -> bool {
        self.on.is_none()
    }
}

/// What counts as a good motion: each term's weight. Lengths count in body sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanEnergy {
    /// Against stretching.
    #[serde(default = "strain")]
    #[schemars(range(min = 0))]
    pub strain: f64,
    /// Against losing or gaining volume.
    #[serde(default = "volume")]
    #[schemars(range(min = 0))]
    pub volume: f64,
    /// How the two are measured.
    #[serde(default)]
    pub law: PlanLaw,
    /// Against acceleration: how smooth the motion is.
    #[serde(default = "acceleration")]
    #[schemars(extend("minimum" = 0))]
    pub acceleration: Channel,
    /// Against changes of the angular velocity.
    #[serde(default = "spin")]
    #[schemars(range(min = 0))]
    pub spin: f64,
    /// Against tumbling; about 20 has an effect.
    #[serde(default = "turn")]
    #[schemars(range(min = 0))]
    pub turn: f64,
}

/// How strain and volume are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanLaw {
    /// Squared strain, and the logarithm of the volume: it does not turn inside out.
    #[default]
    Log,
    /// As in the paper: squared strain, and the squared change of volume.
    Paper,
    /// Stable neo-Hookean, as finite elements have it.
    NeoHookean,
}

impl Default for PlanEnergy {
    fn default() -> Self {
        let (law, acceleration) = (PlanLaw::default(), acceleration());
        Self { strain: strain(), volume: volume(), law, acceleration, spin: spin(), turn: turn() }
    }
}

fn nodes() -> u32 {
    46
}

fn most_frames() -> u32 {
    40
}

fn strain() -> f64 {
    1.0
}

fn volume() -> f64 {
    4.0
}

fn acceleration() -> Channel {
    Channel::constant(1e-3)
}

fn spin() -> f64 {
    1.0
}

fn turn() -> f64 {
    20.0
}
