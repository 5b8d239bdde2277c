//! What light reaches a point: depth maps of the scene seen from many directions.
//!
//! Williams, "Casting Curved Shadows on Curved Surfaces", SIGGRAPH 1978, once per direction. Directions spread over
//! the lamp give soft shadows that are sharp at contact and wide far from it; directions spread over the sky give
//! ambient occlusion. A map is small and most triangles of a fine skin miss all of its texel centres, so tens of maps
//! cost as much as one large one. Directions are fixed, so there is no noise and a film does not flicker.

use crate::frame::{Frame, Light, Shown};
use sinew_math::libm::{cos, sin, tan};
use sinew_math::{DVec3, dvec3};

const KEY_DIRECTIONS: usize = 16;
const SKY_DIRECTIONS: usize = 18;
/// Sky light closer to the horizon than this is left out: its shadows would reach across the whole ground.
const SKY_LOWEST: f64 = 0.18;
const KEY_TEXELS: usize = 256;
const SKY_TEXELS: usize = 128;
/// How far beyond its edges a triangle is drawn.
const RIM_TEXELS: f32 = 1e-3;

/// The scene as seen by its lights.
pub(crate) struct Occlusion {
    /// Maps count from here, so that single precision suffices far from the origin.
    centre: DVec3,
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
    /// `solid` says of each mesh whether it is one.
    pub(crate) fn new(frame: &Frame, solid: &[bool], light: &Light) -> Self {
        let Some((low, high)) = frame.bounds() else {
            return Self { centre: DVec3::ZERO, key: Vec::new(), sky: Vec::new() };
        };
        let centre = 0.5 * (low + high);
        let half = 0.5 * (high - low);
        let blockers: Vec<Blocker> =
            frame.meshes.iter().zip(solid).map(|(mesh, solid)| Blocker::new(mesh, centre, *solid)).collect();
        let map = |towards: DVec3, texels: usize| DepthMap::new(&blockers, towards, half, texels);
        Self {
            centre,
            key: lamp_directions(light).map(|towards| map(towards, KEY_TEXELS)).collect(),
            sky: sky_directions().map(|towards| map(towards, SKY_TEXELS)).collect(),
        }
    }

    /// Light on a surface at `point` facing `normal`; sky light counts by how much the surface faces it. The key light
    /// is only looked up where the surface `sees_key` by its direction.
    pub(crate) fn reach(&self, point: DVec3, normal: DVec3, sees_key: bool) -> Reach {
        let (point, normal) = (single(point - self.centre), single(normal));
        let key = if sees_key { mean_light(&self.key, |_| 1.0, point, normal) } else { 0.0 };
        let sky = mean_light(&self.sky, |map| dot(normal, map.towards).max(0.0), point, normal);
        Reach { key, sky }
    }

    /// All directions of light, for finding where shadows may fall.
    pub(crate) fn key_directions(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.key.iter().map(|map| DVec3::from_array(map.towards.map(f64::from)))
    }
}

fn mean_light(maps: &[DepthMap], weight: impl Fn(&DepthMap) -> f32, point: [f32; 3], normal: [f32; 3]) -> f32 {
    let (mut light, mut all) = (0.0, 0.0);
    for map in maps {
        let weight = weight(map);
        if weight > 0.0 {
            light += weight * map.light(point, normal);
            all += weight;
        }
    }
    if all > 0.0 { light / all } else { 1.0 }
}

/// A mesh in single precision about the scene's centre.
struct Blocker<'a> {
    positions: Vec<[f32; 3]>,
    triangles: &'a [[u32; 3]],
    /// Light meets a solid on its outside first, so triangles facing away can be left out.
    is_solid: bool,
}

impl<'a> Blocker<'a> {
    fn new(mesh: &Shown<'a>, centre: DVec3, is_solid: bool) -> Self {
        Self {
            positions: mesh.positions.iter().map(|x| single(*x - centre)).collect(),
            triangles: mesh.triangles,
            is_solid,
        }
    }
}

fn single(v: DVec3) -> [f32; 3] {
    v.to_array().map(|c| c as f32)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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
    towards: [f32; 3],
    /// Texels per metre along the map's two axes, as vectors.
    across: [f32; 3],
    down: [f32; 3],
    /// Texel coordinate of the scene's centre, along both axes.
    middle: f32,
    texel_m: f32,
    side: usize,
    /// Distance towards the light of what is first hit; minus infinity where nothing is.
    height: Vec<f32>,
}

impl DepthMap {
    /// Covers a box of half extents `half` about the centre.
    fn new(blockers: &[Blocker], towards: DVec3, half: DVec3, side: usize) -> Self {
        let (u, v) = towards.any_orthonormal_pair();
        let reach = |axis: DVec3| half.dot(axis.abs()).max(1e-6 * half.max_element()).max(f64::MIN_POSITIVE);
        // Two texels stay empty around the scene, so that looking beside it finds light.
        let scale = |axis: DVec3| (side as f64 - 5.0) / (2.0 * reach(axis));
        let mut map = Self {
            towards: single(towards),
            across: single(u * scale(u)),
            down: single(v * scale(v)),
            middle: 0.5 * (side as f32 - 1.0),
            texel_m: (1.0 / scale(u).min(scale(v))) as f32,
            side,
            height: vec![f32::NEG_INFINITY; side * side],
        };
        let mut places = Vec::new();
        for Blocker { positions, triangles, is_solid } in blockers {
            places.clear();
            places.extend(positions.iter().map(|x| map.place(*x)));
            for triangle in *triangles {
                map.draw(triangle.map(|v| places[v as usize]), *is_solid);
            }
        }
        map
    }

    /// Texel coordinates (whole at texel centres) and height towards the light.
    fn place(&self, point: [f32; 3]) -> [f32; 3] {
        [dot(point, self.across) + self.middle, dot(point, self.down) + self.middle, dot(point, self.towards)]
    }

    fn draw(&mut self, corners: [[f32; 3]; 3], only_facing: bool) {
        let [a, b, c] = corners;
        // Across, down and towards are right-handed: what faces the light is counter-clockwise.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 || (only_facing && area < 0.0) {
            return;
        }
        let (left, right) = texels_between(a[0], b[0], c[0]);
        if left > right {
            return;
        }
        let (top, bottom) = texels_between(a[1], b[1], c[1]);
        if top > bottom || right as usize >= self.side || bottom as usize >= self.side {
            return;
        }
        let inverse = 1.0 / area;
        // A rim, so that rounding leaves no pinholes between neighbours: as wide on both sides of an edge, or at the outline
        // the side that faces away would reach farther than the one that faces the light.
        let rim = |p: [f32; 3], q: [f32; 3]| -RIM_TEXELS * ((p[0] - q[0]).abs() + (p[1] - q[1]).abs()) * inverse.abs();
        let [at_a, at_b, at_c] = [rim(b, c), rim(c, a), rim(a, b)];
        for y in top..=bottom {
            for x in left..=right {
                let (dx, dy) = (x as f32 - a[0], y as f32 - a[1]);
                let to_b = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) * inverse;
                let to_c = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) * inverse;
                if to_b >= at_b && to_c >= at_c && 1.0 - to_b - to_c >= at_a {
                    let height = a[2] + to_b * (b[2] - a[2]) + to_c * (c[2] - a[2]);
                    let texel = &mut self.height[y as usize * self.side + x as usize];
                    *texel = texel.max(height);
                }
            }
        }
    }

    /// 1 where the light is free, 0 where it is blocked, in between across the border of a texel.
    fn light(&self, point: [f32; 3], normal: [f32; 3]) -> f32 {
        // Leaving the surface keeps it from shading itself through the coarseness of the map.
        let off = 1.5 * self.texel_m;
        let [x, y, height] = self.place(std::array::from_fn(|i| point[i] + off * normal[i]));
        let last = self.side as f32 - 1.0;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 1.0;
        }
        let (left, top) = (x as usize, y as usize);
        let height = height + 0.5 * self.texel_m;
        let (fx, fy) = (x - left as f32, y - top as f32);
        let corner = top * self.side + left;
        let free = |texel: usize| if self.height[texel] > height { 0.0 } else { 1.0_f32 };
        let upper = free(corner) * (1.0 - fx) + free(corner + 1) * fx;
        let lower = free(corner + self.side) * (1.0 - fx) + free(corner + self.side + 1) * fx;
        upper * (1.0 - fy) + lower * fy
    }
}

/// First and last whole number between three coordinates, rim included; casts round towards zero and coordinates are positive
/// inside the map, which saves calls to `floor` and `ceil`.
fn texels_between(a: f32, b: f32, c: f32) -> (i32, i32) {
    let low = (a.min(b).min(c) - RIM_TEXELS).max(0.0);
    let high = a.max(b).max(c) + RIM_TEXELS;
    let first = low as i32;
    (first + i32::from((first as f32) < low), high as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paint, Rgb, Shown};
    use sinew_geom::structured;

    #[test]
    fn a_solid_blocks_as_much_as_the_same_surface_drawn_both_ways() {
        let tets = structured::bell(0.5, 0.45, 0.1, 12, 2);
        let triangles = tets.boundary();
        let shown = Shown::new(&tets.positions, &triangles, Paint::Flat(Rgb(0, 0, 0)));
        let frame = Frame { meshes: vec![shown], ground: None };
        let [outside, both] = [true, false].map(|solid| Occlusion::new(&frame, &[solid], &Light::default()));
        let (mesh, centre) = (&frame.meshes[0], outside.centre);
        for (outside, both) in outside.key.iter().zip(&both.key) {
            for texel in (0..outside.height.len()).filter(|texel| outside.height[*texel] != both.height[*texel]) {
                // Around a corner of the outline the rims of triangles that face away reach where no other does: by less
                // than a thousandth of a texel, and never within the outline.
                let at = ((texel % outside.side) as f64, (texel / outside.side) as f64);
                let place =
                    |vertex: u32| outside.place(single(mesh.positions[vertex as usize] - centre)).map(f64::from);
                let covering = mesh.triangles.iter().find(|triangle| covers(triangle.map(place), at));
                assert_eq!(covering, None, "texel {at:?} seen from {:?}", outside.towards);
            }
        }
    }

    /// Whether a triangle holds a place, by its two first coordinates and without any rim.
    fn covers([a, b, c]: [[f64; 3]; 3], (x, y): (f64, f64)) -> bool {
        let side = |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
        let sides = [side(a, b), side(b, c), side(c, a)];
        sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
    }

    #[test]
    fn a_sheet_blocks_the_lamp_below_it_and_only_there() {
        let sheet = structured::cloth(2.0, 2.0, [8, 8]);
        let frame = Frame { meshes: vec![Shown::mesh(&sheet, Paint::Flat(Rgb(0, 0, 0)))], ground: None };
        let light = Light { direction: DVec3::Y, softness_deg: 5.0, strength: 1.0, ..Light::default() };
        let occlusion = Occlusion::new(&frame, &[false], &light);
        let below = occlusion.reach(dvec3(0.1, -0.5, 0.2), DVec3::Y, true);
        let beside = occlusion.reach(dvec3(4.0, -0.5, 0.2), DVec3::Y, true);
        let above = occlusion.reach(dvec3(0.1, 0.0, 0.2), DVec3::Y, true);
        let edge = occlusion.reach(dvec3(1.0, -0.5, 0.0), DVec3::Y, true);
        assert_eq!(below.key, 0.0);
        assert!(below.sky < 0.45, "{below:?}");
        assert_eq!((beside.key, above.key, above.sky), (1.0, 1.0, 1.0));
        assert!((0.3..0.7).contains(&edge.key), "half of the lamp is seen from below the edge: {edge:?}");
    }
}
