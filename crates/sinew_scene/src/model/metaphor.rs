//! Control metaphors: stretch, compress, twist and bend by forces on regions of a body.

use super::{Bounds, Channel, SphereRegion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Forces on regions of a body that stretch, compress, twist or bend it where the widget is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metaphor {
    /// What `at`, `along` and `up` are told in.
    #[serde(default, skip_serializing_if = "WidgetFrame::is_rest")]
    pub frame: WidgetFrame,
    /// Where the widget is on the body at rest; left out, at its centre. It is welded to the nearest vertex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 3]>,
    /// The widget's long axis in rest coordinates: what is stretched and twisted along it, or bent out of it.
    #[serde(default = "along_x")]
    pub along: [f64; 3],
    /// The way that a bend's ends go, in rest coordinates; what is across the long axis counts.
    #[serde(default = "up_y")]
    pub up: [f64; 3],
    /// What it does, with the sizes of its regions.
    pub act: Act,
    /// Force on each region over frames, newton; negative reverses it. Keys with `outside = "zero"` act between the first and the last only.
    #[serde(default = "no_force")]
    pub newton: Channel,
    /// How far it is to get, and when. `sinew refine goal` finds what brings it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<MetaphorGoal>,
    /// A goal from inside: how far the rest shape goes over frames, in the goal's unit, for the body to be there in time and to stop when it is let go.
    /// `sinew refine goal` finds it; left out, the rest shape is what is wanted, and a body that swings goes beyond it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contraction: Option<Channel>,
    /// Which scene the force or contraction was found for: written by `sinew refine goal`, so that a change of what it depends on is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solved_for: Option<String>,
    /// Takes off what would move or turn the body as a whole.
    #[serde(default)]
    pub balanced: Switch,
    /// Keeps the force below what the material bears.
    #[serde(default)]
    pub bounded: Switch,
    /// As in the paper: the force is that of every vertex in a region, neither balanced nor bounded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paper: bool,
}

/// A yes that need not be written out. It knows whether it was: what a scene writes out and another key overrules is told.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(from = "bool", into = "bool")]
#[schemars(with = "bool", inline)]
pub struct Switch {
    is_on: bool,
    is_written: bool,
}

impl Switch {
    pub fn is_on(self) -> bool {
        self.is_on
    }

    /// Whether the scene says yes in words.
    pub fn is_written_on(self) -> bool {
        self.is_on && self.is_written
    }
}

impl Default for Switch {
    fn default() -> Self {
        Self { is_on: true, is_written: false }
    }
}

impl From<bool> for Switch {
    fn from(is_on: bool) -> Self {
        Self { is_on, is_written: true }
    }
}

impl From<Switch> for bool {
    fn from(switch: Switch) -> Self {
        switch.is_on
    }
}

/// Two scenes that do the same are the same, however they are written.
impl PartialEq for Switch {
    fn eq(&self, other: &Self) -> bool {
        self.is_on == other.is_on
    }
}

/// What a widget's place and axes are told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WidgetFrame {
    /// The coordinates of the body at rest.
    #[default]
    Rest,
    /// The body's own frame: its centre of mass and principal axes, x the longest and z the shortest. An axis points to the longer, thinner
    /// end; where both are alike, its largest component is positive.
    Principal,
}

impl WidgetFrame {
    fn is_rest(&self) -> bool {
        *self == Self::Rest
    }
}

/// How far a metaphor is to get: there at a frame, held, and let go.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetaphorGoal {
    /// Degrees of a bend or twist, per cent of a stretch or compression; negative goes the other way.
    pub amount: f64,
    /// Frame at which it begins.
    pub from: i32,
    /// Frame at which it is there.
    pub at: i32,
    /// Frames for which it stays.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub hold: i32,
    /// Frames in which it goes back.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub release: i32,
    /// What brings it there.
    #[serde(default)]
    pub by: GoalBy,
}

/// What brings a metaphor to its goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GoalBy {
    /// The force, which `sinew refine goal` finds.
    #[default]
    Force,
    /// The rest shape: the flesh bends itself, and no outer force acts.
    Inside,
}

/// What a metaphor does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Act {
    /// Pulls apart.
    Stretch {
        /// Pulls two cylinders apart along the axis.
        stretch: Cylinders,
    },
    /// Presses together.
    Compress {
        /// Presses two cylinders together along the axis.
        compress: Cylinders,
    },
    /// Turns.
    Twist {
        /// Turns two cylinders against each other about the axis.
        twist: Twist,
    },
    /// Bends.
    Bend {
        /// Pushes two ends one way and the pivot between them the other.
        bend: Joint,
    },
    /// Anything else.
    Custom {
        /// Regions and directions of your own.
        #[schemars(length(min = 1))]
        custom: Vec<Pushed>,
    },
}

/// Two cylinders about the axis, on either side of the plane through the widget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinders {
    /// Where they begin, metres from the plane.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub near: f64,
    /// Where they end.
    #[schemars(range(min = 0))]
    pub far: f64,
    /// How wide they are.
    #[schemars(range(min = 0))]
    pub radius: f64,
}

/// Two cylinders that are turned against each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Twist {
    /// Where they begin, metres from the plane through the widget.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub near: f64,
    /// Where they end.
    #[schemars(range(min = 0))]
    pub far: f64,
    /// How wide they are.
    #[schemars(range(min = 0))]
    pub radius: f64,
    /// Forces grow with the distance from the axis, as those of a stiff disc; else they are the same everywhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_radius: bool,
}

/// Three balls: a pivot, and an end on either side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// From the pivot's middle to those of the ends, metres.
    #[schemars(range(min = 0))]
    pub arm: f64,
    /// Of the ends' balls.
    #[schemars(range(min = 0))]
    pub radius: f64,
    /// Of the pivot's ball; left out, as the ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub pivot_radius: Option<f64>,
    /// The angle between the arms at rest, degrees; 180 is straight.
    #[serde(default = "straight")]
    #[schemars(range(min = 1, max = 180))]
    pub angle_deg: f64,
}

/// A region and the way that it is pushed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pushed {
    /// Which vertices, by where they are at rest.
    pub region: PushedRegion,
    /// Which way, in the widget's frame: x along its axis, y up.
    pub push: Push,
}

/// A region in the widget's frame: x along its axis, y up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum PushedRegion {
    /// About the axis.
    Cylinder {
        /// A cylinder about the axis.
        cylinder: CylinderRegion,
    },
    /// A ball.
    Sphere {
        /// A ball in the widget's frame.
        sphere: SphereRegion,
    },
    /// A box.
    Box {
        /// A box with sides along the widget's axes.
        #[serde(rename = "box")]
        bounds: Bounds,
    },
    /// A set.
    Set {
        /// A named set of the body.
        set: String,
    },
}

/// A cylinder about the widget's axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderRegion {
    /// Where it begins along the axis, metres.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How wide it is.
    #[schemars(range(min = 0))]
    pub radius: f64,
}

/// Which way a region is pushed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Push {
    /// One way.
    Along {
        /// The same way everywhere, in the widget's frame; its length is a factor on the force.
        along: [f64; 3],
    },
    /// About the axis.
    Around {
        /// About the axis by the right hand, times this factor.
        around: f64,
    },
    /// Away from the axis.
    Away {
        /// Away from the axis, times this factor.
        away: f64,
    },
    /// A field of your own.
    Field {
        /// Arrows in the widget's frame; between them the push is blended by the inverse square of the distance at rest.
        #[schemars(length(min = 1))]
        field: Vec<Arrow>,
    },
}

/// One arrow of a field.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrow {
    /// Where it is, in the widget's frame.
    pub at: [f64; 3],
    /// The push there; its length is a factor on the force.
    pub push: [f64; 3],
}

fn along_x() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

fn up_y() -> [f64; 3] {
    [0.0, 1.0, 0.0]
}

fn no_force() -> Channel {
    Channel(0.0.into())
}

fn straight() -> f64 {
    180.0
}
