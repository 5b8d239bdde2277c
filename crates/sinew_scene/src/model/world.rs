//! What is around the bodies: camera, light, medium, obstacles.

use super::{COLOUR_PATTERN, Channel, Channel3, NAME_PATTERN, Unit, Up, constant3, is_colour};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What pictures are taken with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Camera {
    /// Where it stands, metres.
    pub eye: Channel3,
    /// The point in the middle of the picture, metres.
    pub look_at: Channel3,
    /// Vertical field of view, degrees; give this or `lens_mm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 170))]
    pub fov_deg: Option<Channel>,
    /// Focal length on a full frame (24 mm high).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 1, "maximum" = 2000))]
    pub lens_mm: Option<Channel>,
}

impl Default for Camera {
    fn default() -> Self {
        Self { eye: constant3([0.0, 1.2, 3.0]), look_at: constant3([0.0, 0.5, 0.0]), fov_deg: None, lens_mm: None }
    }
}

impl Camera {
    /// Vertical field of view where neither angle nor lens is given.
    pub const DEFAULT_FOV_DEG: f64 = 40.0;
    const FULL_FRAME_HEIGHT_MM: f64 = 24.0;

    /// The vertical field of view at a frame, degrees.
    pub fn fov_deg_at(&self, frame: f64) -> f64 {
        match (&self.fov_deg, &self.lens_mm) {
            (Some(fov), _) => fov.value(frame),
            (None, Some(lens)) => {
                let half = sinew_math::libm::atan(0.5 * Self::FULL_FRAME_HEIGHT_MM / lens.value(frame).max(1e-3));
                2.0 * half.to_degrees()
            }
            (None, None) => Self::DEFAULT_FOV_DEG,
        }
    }
}

/// The main light, far away, and the light from everywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Light {
    /// The direction it comes from.
    pub from: Channel3,
    /// Its brightness; 1 is usual.
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub strength: Channel,
    /// Brightness of the light from everywhere.
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub ambient: Channel,
    /// Its colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<Colour>,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            from: constant3([0.5, 1.0, 0.7]),
            strength: Channel::constant(1.0),
            ambient: Channel::constant(0.35),
            colour: None,
        }
    }
}

/// Water or air around everything, which pushes on skins that move through it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Medium {
    /// Drag against motion across the surface: force per area over the square of the speed, kg/m³. It acts on the front and on the back of a closed body: a blunt one in water (drag coefficient 1) has 250.
    #[schemars(extend("minimum" = 0))]
    pub normal_drag: Channel,
    /// Drag against motion along the surface, kg/m³.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub tangential_drag: Channel,
    /// Velocity of the medium itself, m/s.
    #[serde(default)]
    pub wind: Channel3,
}

impl Obstacle {
    /// Its name, or the one it has by its place among the scene's obstacles, counted from 0.
    pub fn name_at(&self, place: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("obstacle-{}", place + 1))
    }
}

/// Something hard that bodies touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Obstacle {
    /// A name of letters, digits, _ and -, different from every other obstacle's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// Its shape and size.
    #[serde(flatten)]
    pub shape: ObstacleShape,
    /// Where its centre is, metres.
    #[serde(default)]
    pub at: Channel3,
    /// Its turn about x, then y, then z, degrees.
    #[serde(default)]
    pub turn: Channel3,
    /// How rough it is: multiplies the friction of what touches it.
    #[serde(default = "as_it_is")]
    #[schemars(extend("minimum" = 0, "maximum" = 100))]
    pub friction: Channel,
}

fn as_it_is() -> Channel {
    Channel::constant(1.0)
}

/// Shapes of obstacles, in their own frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum ObstacleShape {
    /// Everything below its y = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Metres.
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
    },
    /// A box.
    Box {
        /// Length along x, y and z, metres.
        #[schemars(inner(range(min = 1e-6, max = 1e6)))]
        size: [f64; 3],
    },
    /// A rod along y with round ends.
    Capsule {
        /// Metres.
        #[schemars(range(min = 1e-6, max = 1e6))]
        radius: f64,
        /// Metres between the centres of its round ends.
        #[schemars(range(min = 0, max = 1e6))]
        length: f64,
    },
    /// What the surface of a file encloses, also one with holes.
    Mesh {
        /// The file, relative to the scene.
        #[schemars(length(min = 1))]
        mesh: String,
        /// The file's unit of length.
        #[serde(default)]
        unit: Unit,
        /// The axis that points up in the file.
        #[serde(default)]
        up: Up,
        /// Its size: a factor.
        #[serde(default = "one")]
        #[schemars(range(min = 1e-6, max = 1e6))]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// Red, green and blue from 0 to 1 as a screen shows them (sRGB).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "ColourForm", into = "ColourForm")]
pub struct Colour(pub [f64; 3]);

/// Red, green and blue from 0 to 1, or "#rrggbb".
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum ColourForm {
    Rgb(#[schemars(inner(range(min = 0, max = 1)))] [f64; 3]),
    Hex(#[schemars(regex(pattern = COLOUR_PATTERN))] String),
}

impl TryFrom<ColourForm> for Colour {
    type Error = String;

    fn try_from(form: ColourForm) -> Result<Self, String> {
        match form {
            ColourForm::Rgb(rgb) => Ok(Self(rgb)),
            ColourForm::Hex(text) => {
                if !is_colour(&text) {
                    return Err(format!("{text:?} is not a colour such as \"#e08040\""));
                }
                let number = u32::from_str_radix(&text[1..], 16).map_err(|error| error.to_string())?;
                Ok(Self([16, 8, 0].map(|shift| f64::from(number >> shift & 0xff) / 255.0)))
            }
        }
    }
}

impl From<Colour> for ColourForm {
    fn from(Colour(rgb): Colour) -> Self {
        Self::Rgb(rgb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lens_of_half_the_frames_height_sees_ninety_degrees() {
        // tan(fov/2) = 12 mm / 12 mm.
        let camera = Camera { lens_mm: Some(Channel::constant(12.0)), ..Camera::default() };
        assert!((camera.fov_deg_at(1.0) - 90.0).abs() < 1e-12);
        assert_eq!(Camera::default().fov_deg_at(1.0), Camera::DEFAULT_FOV_DEG);
    }

    #[test]
    fn colours_are_read_from_hex() {
        let read = |text: &str| serde_json::from_value::<Colour>(text.into()).ok();
        assert_eq!(read("#ff0033"), Some(Colour([1.0, 0.0, 0.2])));
        assert_eq!((read("#ff003"), read("red"), read("#gg0000")), (None, None, None));
    }
}
