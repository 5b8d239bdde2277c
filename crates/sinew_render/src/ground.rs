//! The ground: its grid, the shadows on it, and how it fades into the backdrop.

use crate::camera::View;
use crate::colour::Linear;
use crate::frame::{Frame, Ground, Style};
use crate::occlusion::{Occlusion, Reach};
use crate::raster::GroundPlane;
use crate::shade::Looks;
use sinew_math::{DVec2, DVec3, dvec2, dvec3};

/// Fine lines between two strong ones.
const FINE_PER_CELL: f64 = 5.0;
/// The ground lies this much behind where it is, so that a cloth on it does not flicker through it.
const BEHIND: f64 = 2e-4;
/// The ground has faded by this many distances from camera to subject.
const FADE_DISTANCES: f64 = 4.0;

/// All that is needed to colour a point of the ground.
pub(crate) struct GroundLook {
    ground: Ground,
    view: View,
    style: Style,
    shadow: ShadowMap,
    /// Below the subject: where the pool of light is.
    middle: DVec2,
}

impl GroundLook {
    /// Nothing where there is no ground or the camera is not above it.
    pub(crate) fn new(frame: &Frame, view: &View, look_at: DVec3, style: Style, occlusion: &Occlusion) -> Option<Self> {
        let ground = frame.ground?;
        if view.eye.y <= ground.height_m {
            return None;
        }
        let shadow = ShadowMap::new(frame, ground.height_m, occlusion);
        Some(Self { ground, view: *view, style, shadow, middle: dvec2(look_at.x, look_at.z) })
    }

    pub(crate) fn plane(&self) -> GroundPlane {
        // A ray one unit ahead long meets the ground at distance d where 1/d = ray.y / (height − eye.y).
        let nearness =
            |x: f64, y: f64| self.view.ray(x, y).y / (self.ground.height_m - self.view.eye.y) * (1.0 - BEHIND);
        let at_origin = nearness(0.0, 0.0);
        GroundPlane { at_origin, along_x: nearness(1.0, 0.0) - at_origin, along_y: nearness(0.0, 1.0) - at_origin }
    }

    /// The colour at a point of the picture, fading into `backdrop` with distance.
    pub(crate) fn colour(&self, x_px: f64, y_px: f64, backdrop: Linear, looks: &Looks) -> Linear {
        let Some(here) = self.hit(x_px, y_px) else { return backdrop };
        let from_middle = (here - self.middle).length() / self.view.distance_m;
        let near = (1.0 - (from_middle / FADE_DISTANCES) * (from_middle / FADE_DISTANCES)).max(0.0) as f32;
        let seen = near * near * near;
        if seen == 0.0 {
            return backdrop;
        }
        let reach = self.shadow.at(here);
        let plain = looks.ground(self.style, reach, from_middle as f32, backdrop);
        let lined = match (self.hit(x_px + 1.0, y_px), self.hit(x_px, y_px + 1.0)) {
            (Some(right), Some(below)) => self.grid(here, (right - here).abs() + (below - here).abs(), plain, looks),
            _ => plain,
        };
        backdrop.mix(lined, seen)
    }

    fn hit(&self, x_px: f64, y_px: f64) -> Option<DVec2> {
        let ray = self.view.ray(x_px, y_px);
        let ahead = (self.ground.height_m - self.view.eye.y) / ray.y;
        let point = self.view.eye + ray * ahead;
        (ahead > 0.0 && ahead.is_finite()).then(|| dvec2(point.x, point.z))
    }

    /// Lines over the plain colour; `pixel_m` is how much of the ground a pixel spans along x and z.
    fn grid(&self, here: DVec2, pixel_m: DVec2, plain: Linear, looks: &Looks) -> Linear {
        let cell = self.ground.cell_m;
        let ink = looks.grid(self.style);
        let fine = either(lines_along(here, pixel_m, cell / FINE_PER_CELL));
        let strong = either(lines_along(here, pixel_m, cell));
        let mut colour = plain + ink.line * (0.35 * fine).max(strong);
        if self.ground.axes {
            let on_axis = (here.abs() / pixel_m).map(line_cover);
            // x = 0 is the z axis and z = 0 the x axis.
            colour = colour.mix(ink.z_axis, on_axis.x as f32 * ink.axis_share);
            colour = colour.mix(ink.x_axis, on_axis.y as f32 * ink.axis_share);
        }
        colour
    }
}

fn either(lines: DVec2) -> f32 {
    (lines.x + lines.y - lines.x * lines.y) as f32
}

/// How much of a pixel is on a line of constant x, and on one of constant z; fades to the mean where lines crowd.
fn lines_along(here: DVec2, pixel_m: DVec2, cell_m: f64) -> DVec2 {
    let line = |at: f64, pixel: f64| {
        let distance = (at - cell_m * (at / cell_m).round()).abs();
        let crowded = (3.0 * pixel / cell_m).clamp(0.0, 1.0);
        line_cover(distance / pixel) * (1.0 - crowded)
    };
    dvec2(line(here.x, pixel_m.x), line(here.y, pixel_m.y))
}

/// One and a half pixels wide with soft flanks of one pixel each.
fn line_cover(distance_px: f64) -> f64 {
    (1.25 - distance_px).clamp(0.0, 1.0)
}

const SHADOW_TEXELS: usize = 160;
/// Sky light is blurred by this many passes: it has no sharp edges, but its few directions would show theirs.
const SKY_BLURS: usize = 8;
/// The same for the lamp's directions, which lie closer together.
const KEY_BLURS: usize = 1;

/// Light on the ground around the bodies, on a grid.
struct ShadowMap {
    low: DVec2,
    texel_m: DVec2,
    key: Vec<f32>,
    sky: Vec<f32>,
}

impl ShadowMap {
    fn new(frame: &Frame, height_m: f64, occlusion: &Occlusion) -> Self {
        let Some((low, high)) = shadow_bounds(frame, height_m, occlusion) else {
            return Self { low: DVec2::ZERO, texel_m: DVec2::ONE, key: Vec::new(), sky: Vec::new() };
        };
        let texel_m = (high - low) / (SHADOW_TEXELS as f64 - 1.0);
        let mut map = Self { low, texel_m, key: Vec::new(), sky: Vec::new() };
        for row in 0..SHADOW_TEXELS {
            for column in 0..SHADOW_TEXELS {
                let place = low + texel_m * dvec2(column as f64, row as f64);
                let reach = occlusion.reach(dvec3(place.x, height_m, place.y), DVec3::Y, true);
                map.key.push(reach.key);
                // The map ends where the sky is still a little darkened; nobody should see where.
                let inside = border_fade(column).min(border_fade(row));
                map.sky.push(1.0 - (1.0 - reach.sky) * inside);
            }
        }
        blur(&mut map.key, KEY_BLURS);
        blur(&mut map.sky, SKY_BLURS);
        map
    }

    fn at(&self, place: DVec2) -> Reach {
        let at = (place - self.low) / self.texel_m;
        let last = SHADOW_TEXELS as f64 - 1.0;
        if self.key.is_empty() || !(at.x >= 0.0 && at.y >= 0.0 && at.x < last && at.y < last) {
            return Reach::ALL;
        }
        let corner = at.y as usize * SHADOW_TEXELS + at.x as usize;
        let (fx, fy) = (at.x.fract() as f32, at.y.fract() as f32);
        let between = |values: &[f32]| {
            let upper = values[corner] * (1.0 - fx) + values[corner + 1] * fx;
            let lower = values[corner + SHADOW_TEXELS] * (1.0 - fx) + values[corner + SHADOW_TEXELS + 1] * fx;
            upper * (1.0 - fy) + lower * fy
        };
        Reach { key: between(&self.key), sky: between(&self.sky) }
    }
}

/// Where on the ground shadows may fall: the bodies' box thrown along every direction of the lamp, and the box itself
/// with room for the darkening around it.
fn shadow_bounds(frame: &Frame, height_m: f64, occlusion: &Occlusion) -> Option<(DVec2, DVec2)> {
    /// Flatter light would throw shadows out of any picture.
    const FLATTEST: f64 = 0.05;
    let (box_low, box_high) = frame.bounds()?;
    let room = 0.6 * (box_high - box_low).max_element().max(1e-9);
    let (mut low, mut high) = (dvec2(box_low.x, box_low.z) - room, dvec2(box_high.x, box_high.z) + room);
    for towards in occlusion.key_directions().filter(|towards| towards.y > FLATTEST) {
        for corner in 0..8 {
            let pick = |bit: i32, from: f64, to: f64| if corner & bit == 0 { from } else { to };
            let x = pick(1, box_low.x, box_high.x);
            let y = pick(2, box_low.y, box_high.y).max(height_m);
            let z = pick(4, box_low.z, box_high.z);
            let fall = (y - height_m) / towards.y;
            let place = dvec2(x - towards.x * fall, z - towards.z * fall);
            (low, high) = (low.min(place), high.max(place));
        }
    }
    // A few texels of light on every side.
    let margin = 0.03 * (high - low);
    Some((low - margin, high + margin))
}

fn border_fade(index: usize) -> f32 {
    let from_border = index.min(SHADOW_TEXELS - 1 - index) as f32 / (0.12 * SHADOW_TEXELS as f32);
    let t = from_border.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Weights ¼ ½ ¼ along rows, then along columns, `passes` times.
fn blur(values: &mut Vec<f32>, passes: usize) {
    let side = SHADOW_TEXELS;
    let mut other = values.clone();
    for _ in 0..passes {
        for step in [1, side] {
            for row in 0..side {
                for column in 0..side {
                    let at = row * side + column;
                    let along = if step == 1 { column } else { row };
                    let before = if along == 0 { at } else { at - step };
                    let after = if along == side - 1 { at } else { at + step };
                    other[at] = 0.25 * values[before] + 0.5 * values[at] + 0.25 * values[after];
                }
            }
            std::mem::swap(values, &mut other);
        }
    }
}
