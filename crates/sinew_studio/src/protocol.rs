//! The words between page and server, as JSON. The page's TypeScript types are generated from here.
//!
//! Numbers of a page are checked on entry ([`Command::check`]): whatever reaches the stage is finite and names a body
//! that exists.

use serde::{Deserialize, Serialize};
use sinew_solve::Shape;
#[cfg(test)]
use ts_rs::TS;

/// What a page may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    Play,
    Pause,
    /// One frame on, then pauses; simulates where nothing is recorded.
    StepForward,
    /// One recorded frame back, then pauses.
    StepBack,
    /// Shows a recorded frame; outside the recorded range, the nearest one.
    Seek {
        frame: i32,
    },
    /// Back to the first frame, forgetting what was recorded.
    Restart,
    /// Whether playing goes on from the first frame after the last.
    Loop {
        on: bool,
    },
    /// Which body a ray hits. Answered by [`Event::Picked`] with the same `id`.
    Pick {
        id: u32,
        origin: [f64; 3],
        direction: [f64; 3],
    },
    /// Holds a body at a point of its rest shape and pulls that point towards a place in the world.
    Drag {
        body: u32,
        at_rest: [f64; 3],
        to: [f64; 3],
    },
    LetGo {
        body: u32,
    },
    /// A tap at a point of the body's rest shape.
    Touch {
        body: u32,
        at_rest: [f64; 3],
    },
}

/// What the server tells a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// First of all messages; the models follow as binary ones.
    Welcome {
        wire_version: u8,
        scene: SceneInfo,
    },
    Transport(Transport),
    Picked {
        id: u32,
        hit: Option<Hit>,
    },
    /// A message could not be obeyed; the connection goes on.
    Refused {
        what: String,
    },
}

/// What is fixed while the scene is open.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct SceneInfo {
    pub name: String,
    pub fps: [u32; 2],
    pub substeps: u32,
    pub first_frame: i32,
    pub last_frame: i32,
    pub camera: Option<CameraInfo>,
    pub bodies: Vec<BodyInfo>,
    /// Where they are comes with each frame.
    pub obstacles: Vec<ObstacleInfo>,
    pub model_count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct CameraInfo {
    pub eye: [f64; 3],
    pub look_at: [f64; 3],
    pub fov_deg: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct BodyInfo {
    pub name: String,
    /// Which of the binary models it is drawn with; copies share one.
    pub model: u32,
    pub solver: String,
    /// Red, green and blue from 0 to 1 as a screen shows them; none leaves the choice to the page.
    pub colour: Option<[f32; 3]>,
    pub points: u32,
    /// Tetrahedra, or triangles where the flesh is a shell.
    pub cells: u32,
    pub is_shell: bool,
    pub mass_kg: f64,
    pub skin_vertices: u32,
    pub skin_triangles: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ObstacleInfo {
    pub name: String,
    pub shape: ObstacleShape,
}

/// In the obstacle's own frame, metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ObstacleShape {
    /// The half space below y = 0.
    Plane,
    Sphere {
        radius_m: f64,
    },
    Box {
        half_m: [f64; 3],
    },
    /// Along y, rounded beyond its half length.
    Capsule {
        half_length_m: f64,
        radius_m: f64,
    },
}

impl From<Shape> for ObstacleShape {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Plane => Self::Plane,
            Shape::Sphere { radius_m } => Self::Sphere { radius_m },
            Shape::Box { half_m } => Self::Box { half_m: half_m.to_array() },
            Shape::Capsule { half_length_m, radius_m } => Self::Capsule { half_length_m, radius_m },
        }
    }
}

/// Where in time the show is. The newest one counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Transport {
    pub playing: bool,
    pub looping: bool,
    pub frame: i32,
    /// Recorded frames, both ends included.
    pub recorded_from: i32,
    pub recorded_to: i32,
    /// Why the stage could not go on, if it could not.
    pub problem: Option<String>,
    /// The last thing the stage warned of since the start.
    pub warning: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct Hit {
    pub body: u32,
    /// The point in the body's rest shape, metres.
    pub at_rest: [f64; 3],
    /// The point in the world now.
    pub at: [f64; 3],
}

impl Command {
    /// Farther than this from the world's origin nothing is pulled: f32 frames have no millimetres left there.
    const REACH_M: f64 = 1.0e5;

    /// Parses and checks a page's message. The error is a sentence for the page.
    pub(crate) fn parse(text: &str, body_count: usize) -> Result<Self, String> {
        let command: Self = serde_json::from_str(text).map_err(|error| not_a_command(&error))?;
        command.check(body_count)?;
        Ok(command)
    }

    fn check(&self, body_count: usize) -> Result<(), String> {
        let near = |what: &str, point: &[f64; 3]| {
            let good = point.iter().all(|c| c.is_finite() && c.abs() <= Self::REACH_M);
            good.then_some(()).ok_or_else(|| {
                format!("{what} {point:?} is out of reach: coordinates are metres up to {}", Self::REACH_M)
            })
        };
        let known = |body: u32| {
            let good = (body as usize) < body_count;
            good.then_some(()).ok_or_else(|| format!("there is no body {body}: the scene has {body_count}, from 0"))
        };
        match self {
            Self::Play | Self::Pause | Self::StepForward | Self::StepBack => Ok(()),
            Self::Seek { .. } | Self::Restart | Self::Loop { .. } => Ok(()),
            Self::Pick { origin, direction, .. } => {
                near("ray origin", origin)?;
                near("ray direction", direction)?;
                let length2: f64 = direction.iter().map(|c| c * c).sum();
                (length2 > 1e-12).then_some(()).ok_or_else(|| "a ray needs a direction".to_owned())
            }
            Self::Drag { body, at_rest, to } => {
                known(*body)?;
                near("held point", at_rest)?;
                near("target", to)
            }
            Self::LetGo { body } => known(*body),
            Self::Touch { body, at_rest } => {
                known(*body)?;
                near("touched point", at_rest)
            }
        }
    }
}

/// The parser's reason, short enough to be shown: it may quote what the page sent.
fn not_a_command(error: &serde_json::Error) -> String {
    const SHOWN: usize = 200;
    let reason = error.to_string();
    let shown: String = reason.chars().take(SHOWN).collect();
    format!("not a command: {shown}")
}
