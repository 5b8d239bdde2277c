//! From a frame to a picture.

use crate::camera::{Camera, View};
use crate::colour::{Linear, Rgb};
use crate::frame::{Frame, Light, Options, Paint, RenderError, Style};
use crate::ground::GroundLook;
use crate::image::Image;
use crate::lines;
use crate::normals::corner_normals;
use crate::occlusion::{Occlusion, Reach};
use crate::project::{Bins, Primitive, Source, triangles};
use crate::raster::{BACKGROUND, FIRST_PRIMITIVE, GROUND, TILE_PX, Tile};
use crate::shade::{Looks, Surface};
use crate::solid::is_solid;
use sinew_math::DVec3;

/// Shows `frame` as `camera` sees it under `light`. Same input, same bytes out.
pub fn render(frame: &Frame, camera: &Camera, light: &Light, options: &Options) -> Result<Image, RenderError> {
    options.check()?;
    light.check()?;
    frame.check()?;
    let scene = Scene::new(frame, camera, light, options)?;
    match options.samples {
        0..=1 => scene.picture::<1>(),
        2..=4 => scene.picture::<4>(),
        5..=8 => scene.picture::<8>(),
        _ => scene.picture::<16>(),
    }
}

/// Everything prepared for looking up colours.
struct Scene<'a> {
    frame: &'a Frame<'a>,
    options: &'a Options,
    view: View,
    primitives: Vec<Primitive>,
    /// Per mesh, three per triangle.
    normals: Vec<Vec<[DVec3; 3]>>,
    occlusion: Occlusion,
    ground: Option<GroundLook>,
    looks: Looks,
}

impl<'a> Scene<'a> {
    fn new(frame: &'a Frame, camera: &Camera, light: &Light, options: &'a Options) -> Result<Self, RenderError> {
        let view = camera.view(options.size)?;
        let mut primitives = triangles(frame, &view);
        if options.style == Style::Lines {
            primitives.extend(lines::primitives(frame, &view));
        }
        let solid: Vec<bool> = frame.meshes.iter().map(is_solid).collect();
        let occlusion = Occlusion::new(frame, &solid, light);
        Ok(Self {
            frame,
            options,
            view,
            primitives,
            normals: frame.meshes.iter().map(corner_normals).collect(),
            ground: GroundLook::new(frame, &view, camera.look_at, options.style, &occlusion),
            occlusion,
            looks: Looks::new(&view, light),
        })
    }

    fn picture<const N: usize>(&self) -> Result<Image, RenderError> {
        let [width, height] = self.options.size;
        let mut image = Image::black(width, height)?;
        let bins = Bins::new(&self.primitives, self.options.size, TILE_PX);
        let plane = self.ground.as_ref().map(GroundLook::plane);
        let mut tile = Tile::<N>::new();
        for row in 0..bins.rows {
            for column in 0..bins.columns {
                tile.begin(column * TILE_PX, row * TILE_PX, self.options.size, plane);
                for &index in bins.tile(column, row) {
                    tile.draw(&self.primitives[index as usize], index + FIRST_PRIMITIVE);
                }
                self.resolve(&tile, &mut image);
            }
        }
        Ok(image)
    }

    /// Turns the samples of a tile into pixels.
    fn resolve<const N: usize>(&self, tile: &Tile<N>, image: &mut Image) {
        for y in 0..tile.height {
            for x in 0..tile.width {
                let (column, row) = (tile.left + x, tile.top + y);
                let light = self.pixel(tile.surfaces(x, y), tile, column, row);
                image.set_pixel(column, row, quantised(light, column, row));
            }
        }
    }

    /// Each surface in the pixel is coloured once, in the middle of the samples that see it.
    fn pixel<const N: usize>(&self, surfaces: &[u32; N], tile: &Tile<N>, column: u32, row: u32) -> Linear {
        let mut reached = Reached::default();
        let mut light = Linear::BLACK;
        let mut done = [false; N];
        for first in 0..N {
            if done[first] {
                continue;
            }
            let (mut count, mut x, mut y) = (0.0, 0.0, 0.0);
            for s in first..N {
                if surfaces[s] == surfaces[first] {
                    done[s] = true;
                    count += 1.0_f32;
                    x += tile.pattern().x[s];
                    y += tile.pattern().y[s];
                }
            }
            let (x, y) = (f64::from(column) + f64::from(x / count), f64::from(row) + f64::from(y / count));
            light += self.colour(surfaces[first], x, y, &mut reached) * (count / N as f32);
        }
        light
    }

    fn colour(&self, surface: u32, x_px: f64, y_px: f64, reached: &mut Reached) -> Linear {
        let style = self.options.style;
        if surface >= FIRST_PRIMITIVE {
            return match self.primitives[(surface - FIRST_PRIMITIVE) as usize].source {
                Source::Triangle { mesh, triangle } => {
                    self.triangle(mesh as usize, triangle as usize, x_px, y_px, reached)
                }
                Source::Ink(ink) => self.looks.ink(ink),
            };
        }
        debug_assert!(surface == BACKGROUND || surface == GROUND);
        let backdrop = self.looks.backdrop(style, (x_px / self.view.width) as f32, (y_px / self.view.height) as f32);
        match &self.ground {
            Some(ground) if surface == GROUND => ground.colour(x_px, y_px, backdrop, &self.looks),
            _ => backdrop,
        }
    }

    fn triangle(&self, mesh: usize, triangle: usize, x_px: f64, y_px: f64, reached: &mut Reached) -> Linear {
        let shown = &self.frame.meshes[mesh];
        let vertices = shown.triangles[triangle].map(|v| v as usize);
        let corners = vertices.map(|v| shown.positions[v]);
        let ray = self.view.ray(x_px, y_px);
        let shares = barycentric(corners, self.view.eye, ray);
        let point = mixed(corners, shares);
        let to_eye = (self.view.eye - point).normalize_or(self.view.back);
        let normal = facing(mixed(self.normals[mesh][triangle], shares), corners, to_eye);
        let surface = Surface {
            normal,
            to_eye,
            albedo: albedo(&shown.paint, triangle, vertices, shares),
            is_field: !matches!(shown.paint, Paint::Flat(_) | Paint::Picture { .. }),
        };
        let pixel_m = point.distance(self.view.eye) / self.view.focal_px;
        let reach = reached
            .near(mesh, point, 2.0 * pixel_m, || self.occlusion.reach(point, normal, self.looks.sees_key(normal)));
        self.looks.surface(self.options.style, &surface, reach)
    }
}

/// Light found at points of this pixel: neighbouring triangles share it.
#[derive(Default)]
struct Reached {
    found: [Option<(usize, DVec3, Reach)>; 4],
    count: usize,
}

impl Reached {
    fn near(&mut self, mesh: usize, point: DVec3, within_m: f64, find: impl FnOnce() -> Reach) -> Reach {
        for (known_mesh, place, reach) in self.found.iter().flatten() {
            if *known_mesh == mesh && place.distance_squared(point) <= within_m * within_m {
                return *reach;
            }
        }
        let reach = find();
        self.found[self.count % self.found.len()] = Some((mesh, point, reach));
        self.count += 1;
        reach
    }
}

/// Where a ray meets a triangle's plane, as shares of its corners, kept inside the triangle.
fn barycentric(corners: [DVec3; 3], eye: DVec3, ray: DVec3) -> [f64; 3] {
    let [a, b, c] = corners;
    let (to_b, to_c, from_a) = (b - a, c - a, eye - a);
    let across = ray.cross(to_c);
    let determinant = to_b.dot(across);
    let share_b = from_a.dot(across) / determinant;
    let share_c = ray.dot(from_a.cross(to_b)) / determinant;
    // A triangle seen edge-on has no answer; its middle is as good as any point.
    if !(share_b.is_finite() && share_c.is_finite()) {
        return [1.0 / 3.0; 3];
    }
    let share_b = share_b.clamp(0.0, 1.0);
    let share_c = share_c.clamp(0.0, 1.0 - share_b);
    [1.0 - share_b - share_c, share_b, share_c]
}

fn mixed(values: [DVec3; 3], shares: [f64; 3]) -> DVec3 {
    values[0] * shares[0] + values[1] * shares[1] + values[2] * shares[2]
}

/// The side of the surface that is seen has its normal towards the eye; a smooth normal that leans away near an
/// outline is bent back to the outline.
fn facing(normal: DVec3, corners: [DVec3; 3], to_eye: DVec3) -> DVec3 {
    let [a, b, c] = corners;
    let flipped = if (b - a).cross(c - a).dot(to_eye) < 0.0 { -normal } else { normal };
    let away = flipped.dot(to_eye).min(0.0);
    (flipped - to_eye * away).normalize_or(to_eye)
}

fn albedo(paint: &Paint, triangle: usize, vertices: [usize; 3], shares: [f64; 3]) -> Linear {
    match paint {
        Paint::Flat(colour) => colour.to_linear(),
        Paint::Vertices(colours) => {
            let corner = |i: usize| colours[vertices[i]].to_linear() * shares[i] as f32;
            corner(0) + corner(1) + corner(2)
        }
        Paint::Field { values, map, range } => {
            let [a, b, c] = vertices.map(|v| values[v]);
            // Equal corners give exactly their value: the ends of a layer have colours of their own.
            let value = if a == b && b == c { a } else { a * shares[0] + b * shares[1] + c * shares[2] };
            map.within(value, *range).to_linear()
        }
        Paint::Picture { size, pixels, corner_uvs } => {
            let at = |axis: usize| (0..3).map(|i| f64::from(corner_uvs[triangle][i][axis]) * shares[i]).sum::<f64>();
            between_pixels(*size, pixels, [at(0), at(1)])
        }
    }
}

/// The light between the four pixels around a place.
fn between_pixels([width, height]: [usize; 2], pixels: &[[u8; 3]], [u, v]: [f64; 2]) -> Linear {
    let (x, y) = (u * width as f64 - 0.5, v * height as f64 - 0.5);
    let column = |x: f64| (x.max(0.0) as usize).min(width - 1);
    let row = |y: f64| (y.max(0.0) as usize).min(height - 1);
    let light = |x: f64, y: f64| {
        let [r, g, b] = pixels[row(y) * width + column(x)];
        Rgb(r, g, b).to_linear()
    };
    let (s, t) = ((x - x.floor()) as f32, (y - y.floor()) as f32);
    let (left, top) = (x.floor(), y.floor());
    let above = light(left, top) * (1.0 - s) + light(left + 1.0, top) * s;
    let below = light(left, top + 1.0) * (1.0 - s) + light(left + 1.0, top + 1.0) * s;
    above * (1.0 - t) + below * t
}

/// Bytes, with less than one byte of a fixed pattern added so that slow gradients show no bands.
fn quantised(light: Linear, column: u32, row: u32) -> Rgb {
    let threshold = ordered_threshold(column, row);
    let [r, g, b] = light.encode().map(|value| (value + threshold) as u8);
    Rgb(r, g, b)
}

/// Bayer's 8×8 pattern, 0 to 1: bits of x xor y and of y, interleaved from the lowest.
fn ordered_threshold(column: u32, row: u32) -> f32 {
    let (x, y) = (column & 7, row & 7);
    let mixed = x ^ y;
    let rank = (0..3).fold(0, |rank, bit| rank << 2 | (mixed >> bit & 1) << 1 | (y >> bit & 1));
    (rank as f32 + 0.5) / 64.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dither_pattern_holds_every_threshold_once() {
        let mut ranks: Vec<u32> = (0..64).map(|i| (ordered_threshold(i % 8, i / 8) * 64.0) as u32).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, (0..64).collect::<Vec<u32>>());
    }

    #[test]
    fn shares_of_a_hit_rebuild_the_point() {
        let corners = [DVec3::ZERO, DVec3::new(2.0, 0.0, 1.0), DVec3::new(0.0, 3.0, -1.0)];
        let inside = mixed(corners, [0.2, 0.3, 0.5]);
        let eye = DVec3::new(1.0, 2.0, 9.0);
        let shares = barycentric(corners, eye, inside - eye);
        assert!(mixed(corners, shares).distance(inside) < 1e-12);
    }
}
