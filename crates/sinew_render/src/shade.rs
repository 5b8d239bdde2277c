//! The look: how surfaces, ground and backdrop are lit and coloured.
//!
//! A soft studio: a large key lamp from the user's direction, a weak cool fill from the other side of the camera, a
//! rim light from behind, a sky that darkens where bodies shade it, and a little light off the ground. Flesh lets
//! light in, so the key light wraps past the edge of its shadow and the shadow side is more saturated. All numbers
//! were tuned by eye on the pictures of `examples/showcase.rs`.

use crate::camera::View;
use crate::colour::{Linear, Rgb};
use crate::frame::{Light, Style};
use crate::lines::Ink;
use crate::occlusion::Reach;
use sinew_math::DVec3;

const KEY: Linear = Linear { r: 0.98, g: 0.93, b: 0.86 };
const FILL: Linear = Linear { r: 0.10, g: 0.12, b: 0.16 };
const RIM: Linear = Linear { r: 0.42, g: 0.46, b: 0.56 };
const SKY: Linear = Linear { r: 0.27, g: 0.29, b: 0.33 };
const BOUNCE: Linear = Linear { r: 0.055, g: 0.055, b: 0.06 };
/// How far past its edge light wraps around flesh, as a share of the way to the far side.
const WRAP: f32 = 0.32;
/// Between these cosines the maps take over from light inside the flesh.
const KEY_EDGE: [f32; 2] = [-0.1, 0.25];
/// How much more saturated the shadow side is.
const SHADOW_SATURATION: f32 = 0.35;
const GLOSS: f32 = 0.10;
const GLOSS_POWER: i32 = 42;

/// Lights and colours of one picture.
pub(crate) struct Looks {
    key_towards: DVec3,
    key: Linear,
    /// Sky, fill and bounced light against what is usual.
    ambient: f32,
    fill_towards: DVec3,
    rim_towards: DVec3,
}

/// A point of a mesh to be coloured.
pub(crate) struct Surface {
    pub(crate) normal: DVec3,
    pub(crate) to_eye: DVec3,
    pub(crate) albedo: Linear,
    /// Whether the colour means something (a field) rather than being decoration.
    pub(crate) is_field: bool,
}

pub(crate) struct GridInk {
    /// Added to the ground on a line.
    pub(crate) line: Linear,
    pub(crate) x_axis: Linear,
    pub(crate) z_axis: Linear,
    pub(crate) axis_share: f32,
}

impl Looks {
    pub(crate) fn new(view: &View, light: &Light) -> Self {
        let key_towards = light.direction.normalize_or(DVec3::Y);
        // The fill comes from the side of the camera that the key does not.
        let side = if key_towards.dot(view.right) > 0.0 { -1.0 } else { 1.0 };
        Self {
            key_towards,
            key: light.colour.map_or(KEY, Rgb::to_linear) * light.strength as f32,
            ambient: (light.ambient / Light::USUAL_AMBIENT) as f32,
            fill_towards: (view.right * side + view.up * 0.25 + view.back * 0.6).normalize(),
            rim_towards: (view.right * (0.55 * side) + view.up * 0.7 - view.back).normalize(),
        }
    }

    /// Whether light straight from the lamp counts on a surface facing `normal`.
    pub(crate) fn sees_key(&self, normal: DVec3) -> bool {
        normal.dot(self.key_towards) > f64::from(KEY_EDGE[0])
    }

    pub(crate) fn surface(&self, style: Style, surface: &Surface, reach: Reach) -> Linear {
        match style {
            Style::Shaded => self.shaded(surface, reach),
            Style::Lines => self.drawn(surface, reach),
        }
    }

    fn shaded(&self, surface: &Surface, reach: Reach) -> Linear {
        let Surface { normal, to_eye, albedo, is_field } = *surface;
        let facing_key = normal.dot(self.key_towards) as f32;
        let wrapped = ((facing_key + WRAP) / (1.0 + WRAP)).max(0.0);
        // Past the edge the maps see the body's own far side; what wraps there is light inside the flesh.
        let own_edge = smooth(KEY_EDGE[0], KEY_EDGE[1], facing_key);
        let key = wrapped * wrapped.sqrt() * (reach.key * own_edge + 0.30 * (1.0 - own_edge));
        let fill = (0.5 + 0.5 * normal.dot(self.fill_towards) as f32).powi(2);
        let up = normal.y as f32;
        let sky = (0.5 + 0.5 * up) * (0.25 + 0.75 * reach.sky);
        let around = FILL * fill + SKY * sky + BOUNCE * (0.5 - 0.5 * up);
        let light = self.key * key + around * self.ambient;
        let depth = if is_field { 0.0 } else { SHADOW_SATURATION * (1.0 - smooth(0.0, 0.6, key)) };
        let lit = albedo.saturated(depth) * light;
        lit + self.sheen(normal, to_eye, reach, is_field)
    }

    /// The lamp's reflection, and the rim seen from the side.
    fn sheen(&self, normal: DVec3, to_eye: DVec3, reach: Reach, is_field: bool) -> Linear {
        let halfway = (self.key_towards + to_eye).normalize_or(normal);
        let mirror = (normal.dot(halfway) as f32).max(0.0).powi(GLOSS_POWER);
        let grazing = 1.0 - (normal.dot(to_eye) as f32).clamp(0.0, 1.0);
        let rim = (0.35 + 0.65 * normal.dot(self.rim_towards) as f32).max(0.0) * grazing * grazing * grazing;
        let strength = if is_field { 0.4 } else { 1.0 };
        (self.key * (GLOSS * mirror * reach.key) + RIM * (rim * (0.4 + 0.6 * reach.sky))) * strength
    }

    /// Paper tinted with the body's colour, a touch darker away from the light.
    fn drawn(&self, surface: &Surface, reach: Reach) -> Linear {
        let tint = if surface.is_field { 0.85 } else { 0.30 };
        let paper = Rgb::hex(0xfbfbfa).to_linear().mix(surface.albedo, tint);
        let light = 0.5 + 0.5 * surface.normal.dot(self.key_towards) as f32;
        paper * (0.72 + 0.2 * light + 0.08 * reach.sky * (0.5 + 0.5 * reach.key))
    }

    /// The ground without its lines; `from_middle` in distances from camera to subject.
    pub(crate) fn ground(&self, style: Style, reach: Reach, from_middle: f32, backdrop: Linear) -> Linear {
        match style {
            Style::Shaded => {
                let albedo = Linear { r: 0.044, g: 0.048, b: 0.055 };
                let pool = 1.0 / (1.0 + 1.6 * from_middle * from_middle);
                let key = self.key * (self.key_towards.y.max(0.0) as f32 * reach.key * (0.25 + 0.75 * pool));
                let sky = SKY * (1.1 * self.ambient * reach.sky * reach.sky);
                albedo * (key * 0.8 + sky)
            }
            Style::Lines => backdrop * (1.0 - 0.16 * (1.0 - reach.key) - 0.22 * (1.0 - reach.sky)),
        }
    }

    pub(crate) fn grid(&self, style: Style) -> GridInk {
        match style {
            Style::Shaded => GridInk {
                line: Linear { r: 0.016, g: 0.017, b: 0.019 },
                x_axis: Rgb::hex(0xc2525a).to_linear(),
                z_axis: Rgb::hex(0x4b80cc).to_linear(),
                axis_share: 0.5,
            },
            Style::Lines => GridInk {
                line: Linear::grey(-0.07),
                x_axis: Rgb::hex(0xcf3038).to_linear(),
                z_axis: Rgb::hex(0x2765cf).to_linear(),
                axis_share: 0.45,
            },
        }
    }

    /// Behind everything; `x` and `y` from the upper left, 0 to 1.
    pub(crate) fn backdrop(&self, style: Style, x: f32, y: f32) -> Linear {
        let (top, bottom, glow) = match style {
            Style::Shaded => (Rgb::hex(0x23272d), Rgb::hex(0x191c20), Rgb::hex(0x3a414a)),
            Style::Lines => (Rgb::hex(0xf4f5f6), Rgb::hex(0xeceef0), Rgb::hex(0xfafafa)),
        };
        let from_glow2 = (x - 0.5) * (x - 0.5) * 2.2 + (y - 0.34) * (y - 0.34) * 3.2;
        let glowing = (1.0 - from_glow2).clamp(0.0, 1.0).powi(2);
        top.to_linear().mix(bottom.to_linear(), y).mix(glow.to_linear(), 0.8 * glowing)
    }

    pub(crate) fn ink(&self, ink: Ink) -> Linear {
        match ink {
            Ink::Outline => Rgb::hex(0x14181d).to_linear(),
            Ink::Crease => Rgb::hex(0x3a434e).to_linear(),
            Ink::Mesh => Rgb::hex(0x9aa3ae).to_linear(),
        }
    }
}

fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
