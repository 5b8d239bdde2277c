//! What light reaches a point: depth maps of the scene seen from many directions.
//!
//! Williams, "Casting Curved Shadows on Curved Surfaces", SIGGRAPH 1978, once per direction. Directions spread over
//! the lamp give soft shadows that are sharp at contact and wide far from it; directions spread over the sky give
//! ambient occlusion. A map is small and most triangles of a fine skin miss all of its texel centres, so tens of maps
//! cost as much as one large one. Directions are fixed, so there is no noise and a film does not flicker.

use crate::frame::{Frame, Light};
use sinew_math::libm::{cos, sin, tan};
use sinew_math::{DVec3, dvec3};

const KEY_DIRECTIONS: usize = 20;
const SKY_DIRECTIONS: usize = 24;
/// Sky light closer to the horizon than this is left out: its shadows would reach across the whole ground.
const SKY_LOWEST: f64 = 0.18;
const KEY_TEXELS: usize = 256;
const SKY_TEXELS: usize = 128;

/// The scene as seen by its lights.
pub(crate) struct Occlusion {
    key: Vec<DepthMap>,
    sky: Vec<DepthMap>,
}

/// Shares of the key light and of the sky light that reach a point, 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    pub(crate) key: f32,
    pub(crate) sky: f32,
}

impl Reach {
    pub(crate) const ALL: Self = Self { key: 1.0, sky: 1.0 };
}

impl Occlusion {
    pub(crate) fn new(frame: &Frame, light: &Light) -> Self {
        let Some(bounds) = frame.bounds() else { return Self { key: Vec::new(), sky: Vec::new() } };
        let map = |texels: usize| move |towards: DVec3| DepthMap::new(frame, towards, bounds, texels);
        Self {
            key: lamp_directions(light).map(map(KEY_TEXELS)).collect(),
            sky: sky_directions().map(map(SKY_TEXELS)).collect(),
        }
    }

    /// Light on a surface at `point` facing `normal`; sky light counts by how much the surface faces it.
    pub(crate) fn reach(&self, point: DVec3, normal: DVec3) -> Reach {
        if self.key.is_empty() {
            return Reach::ALL;
        }
        let key: f32 = self.key.iter().map(|map| map.light(point, normal)).sum();
        let (mut sky, mut all) = (0.0, 0.0);
        for map in &self.sky {
            let facing = normal.dot(map.towards) as f32;
            if facing > 0.0 {
                sky += facing * map.light(point, normal);
                all += facing;
            }
        }
        Reach { key: key / self.key.len() as f32, sky: if all > 0.0 { sky / all } else { 1.0 } }
    }

    /// All directions of light, for finding where shadows may fall.
    pub(crate) fn key_directions(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.key.iter().map(|map| map.towards)
    }
}

/// Points on the lamp's disk, evenly spread (Vogel's sunflower), as directions towards it.
fn lamp_directions(light: &Light) -> impl Iterator<Item = DVec3> {
    let middle = light.direction.normalize_or(DVec3::Y);
    let (side, across) = middle.any_orthonormal_pair();
    let radius = tan(light.softness_deg.to_radians());
    sunflower(KEY_DIRECTIONS).map(move |(share, angle)| {
        let r = radius * share.sqrt();
        (middle + side * (r * cos(angle)) + across * (r * sin(angle))).normalize()
    })
}

/// Directions evenly spread over the sky.
fn sky_directions() -> impl Iterator<Item = DVec3> {
    sunflower(SKY_DIRECTIONS).map(|(share, angle)| {
        let up = 1.0 - share * (1.0 - SKY_LOWEST);
        let level = (1.0 - up * up).sqrt();
        dvec3(level * cos(angle), up, level * sin(angle))
    })
}

/// Shares of a disk's area and angles, each the golden angle after the last.
fn sunflower(count: usize) -> impl Iterator<Item = (f64, f64)> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    (0..count).map(move |i| ((i as f64 + 0.5) / count as f64, i as f64 * GOLDEN_ANGLE))
}

/// The nearest surface to a far light, on a grid of texels around the scene.
struct DepthMap {
    towards: DVec3,
    /// Texels per metre along the map's two axes, as vectors.
    across: DVec3,
    down: DVec3,
    origin: DVec3,
    texel_m: f64,
    side: usize,
    /// Distance towards the light of what is first hit; minus infinity where nothing is.
    height: Vec<f32>,
}

impl DepthMap {
    fn new(frame: &Frame, towards: DVec3, bounds: (DVec3, DVec3), side: usize) -> Self {
        let (u, v) = towards.any_orthonormal_pair();
        let centre = 0.5 * (bounds.0 + bounds.1);
        let half = 0.5 * (bounds.1 - bounds.0);
        let reach = |axis: DVec3| half.dot(axis.abs()).max(1e-6 * half.max_element()).max(f64::MIN_POSITIVE);
        // Two texels stay empty around the scene, so that looking beside it finds light.
        let scale = |axis: DVec3| (side as f64 - 5.0) / (2.0 * reach(axis));
        let (across, down) = (u * scale(u), v * scale(v));
        let middle = 0.5 * (side as f64 - 1.0);
        let origin = centre - u * (middle / scale(u)) - v * (middle / scale(v));
        let texel_m = 1.0 / scale(u).min(scale(v));
        let mut map =
            Self { towards, across, down, origin, texel_m, side, height: vec![f32::NEG_INFINITY; side * side] };
        for mesh in &frame.meshes {
            let places: Vec<[f32; 3]> = mesh.positions.iter().map(|x| map.place(*x)).collect();
            for triangle in mesh.triangles {
                map.draw(triangle.map(|v| places[v as usize]));
            }
        }
        map
    }

    /// Texel coordinates (whole at texel centres) and height towards the light.
    fn place(&self, world: DVec3) -> [f32; 3] {
        let offset = world - self.origin;
        [offset.dot(self.across) as f32, offset.dot(self.down) as f32, offset.dot(self.towards) as f32]
    }

    fn draw(&mut self, corners: [[f32; 3]; 3]) {
        let [a, b, c] = corners;
        let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]).ceil().max(0.0);
        let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]).floor().min(self.side as f32 - 1.0);
        let (left, right, top, bottom) = (low(0), high(0), low(1), high(1));
        if left > right || top > bottom {
            return;
        }
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 {
            return;
        }
        let inverse = 1.0 / area;
        for y in top as usize..=bottom as usize {
            for x in left as usize..=right as usize {
                let (dx, dy) = (x as f32 - a[0], y as f32 - a[1]);
                let to_b = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) * inverse;
                let to_c = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) * inverse;
                // Slightly generous, so that rounding leaves no pinholes between neighbours.
                if to_b >= -1e-4 && to_c >= -1e-4 && to_b + to_c <= 1.0001 {
                    let height = a[2] + to_b * (b[2] - a[2]) + to_c * (c[2] - a[2]);
                    let texel = &mut self.height[y * self.side + x];
                    *texel = texel.max(height);
                }
            }
        }
    }

    /// 1 where the light is free, 0 where it is blocked, in between across the border of a texel.
    fn light(&self, point: DVec3, normal: DVec3) -> f32 {
        // Leaving the surface keeps it from shading itself through the coarseness of the map.
        let [x, y, height] = self.place(point + normal * (1.5 * self.texel_m));
        let (left, top) = (x.floor(), y.floor());
        let last = self.side as f32 - 1.0;
        if !(left >= 0.0 && top >= 0.0 && left < last && top < last) {
            return 1.0;
        }
        let height = height + 0.5 * self.texel_m as f32;
        let (fx, fy) = (x - left, y - top);
        let corner = top as usize * self.side + left as usize;
        let free = |texel: usize| if self.height[texel] > height { 0.0 } else { 1.0_f32 };
        let upper = free(corner) * (1.0 - fx) + free(corner + 1) * fx;
        let lower = free(corner + self.side) * (1.0 - fx) + free(corner + self.side + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paint, Rgb, Shown};
    use sinew_geom::structured;

    #[test]
    fn a_sheet_blocks_the_lamp_below_it_and_only_there() {
        let sheet = structured::cloth(2.0, 2.0, [8, 8]);
        let frame = Frame { meshes: vec![Shown::mesh(&sheet, Paint::Flat(Rgb(0, 0, 0)))], ground: None };
        let light = Light { direction: DVec3::Y, softness_deg: 5.0, strength: 1.0 };
        let occlusion = Occlusion::new(&frame, &light);
        let below = occlusion.reach(dvec3(0.1, -0.5, 0.2), DVec3::Y);
        let beside = occlusion.reach(dvec3(4.0, -0.5, 0.2), DVec3::Y);
        let above = occlusion.reach(dvec3(0.1, 0.0, 0.2), DVec3::Y);
        let edge = occlusion.reach(dvec3(1.0, -0.5, 0.0), DVec3::Y);
        assert_eq!(below.key, 0.0);
        assert!(below.sky < 0.45, "{below:?}");
        assert_eq!((beside.key, above.key, above.sky), (1.0, 1.0, 1.0));
        assert!((0.3..0.7).contains(&edge.key), "half of the lamp is seen from below the edge: {edge:?}");
    }
}
