//! Which surface is nearest at each sample of a tile.
//!
//! A sample lies in a triangle when it is on the inner side of its three edges. The function of an edge is computed so
//! that its neighbour, which walks the edge the other way, gets exactly the negative; with the top-left rule for
//! samples on the edge itself, every sample inside a closed surface is covered once, without cracks.

use crate::project::Primitive;
use sinew_math::DVec3;

pub(crate) const TILE_PX: u32 = 64;

/// Surfaces in a sample: nothing, the ground, or a primitive's index plus [`FIRST_PRIMITIVE`].
pub(crate) const BACKGROUND: u32 = 0;
pub(crate) const GROUND: u32 = 1;
pub(crate) const FIRST_PRIMITIVE: u32 = 2;

/// Where in a pixel its samples lie, 0 to 1. No two share a row or a column, so that edges close to upright or level
/// have as many shades as there are samples.
pub(crate) struct Pattern<const N: usize> {
    pub(crate) x: [f32; N],
    pub(crate) y: [f32; N],
}

/// Eight rooks on a board of sixteenths, spread evenly: row `i` has its rook in this column.
const EIGHT_ROOKS: [f32; 8] = [9.0, 3.0, 13.0, 7.0, 1.0, 11.0, 5.0, 15.0];

impl<const N: usize> Pattern<N> {
    pub(crate) fn new() -> Self {
        let mut pattern = Self { x: [0.5; N], y: [0.5; N] };
        if N == 8 {
            for (i, column) in EIGHT_ROOKS.iter().enumerate() {
                pattern.x[i] = column / 16.0;
                pattern.y[i] = (i as f32 + 0.5) / 8.0;
            }
        } else if N > 1 {
            // A square grid sheared by one sample per row and per column.
            let side = (1..=N).find(|side| side * side >= N).unwrap_or(1);
            for s in 0..N {
                let (i, j) = ((s % side) as f32, (s / side) as f32);
                let n = side as f32;
                pattern.x[s] = (i + (j + 0.5) / n) / n;
                pattern.y[s] = (j + (i + 0.5) / n) / n;
            }
        }
        pattern
    }
}

/// Depth and surface of every sample in a square of pixels.
pub(crate) struct Tile<const N: usize> {
    pattern: Pattern<N>,
    /// Pixel coordinates of the upper left corner.
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Reciprocal distances: larger is nearer, 0 is infinitely far.
    nearness: Vec<[f32; N]>,
    surface: Vec<[u32; N]>,
}

/// Reciprocal distance of the ground as a function of the pixel: `at_origin + x · along_x + y · along_y`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroundPlane {
    pub(crate) at_origin: f64,
    pub(crate) along_x: f64,
    pub(crate) along_y: f64,
}

impl<const N: usize> Tile<N> {
    pub(crate) fn new() -> Self {
        let pixels = (TILE_PX * TILE_PX) as usize;
        Self {
            pattern: Pattern::new(),
            left: 0,
            top: 0,
            width: 0,
            height: 0,
            nearness: vec![[0.0; N]; pixels],
            surface: vec![[BACKGROUND; N]; pixels],
        }
    }

    /// Moves to another part of the picture and forgets everything but the ground.
    pub(crate) fn begin(&mut self, left: u32, top: u32, size: [u32; 2], ground: Option<GroundPlane>) {
        self.left = left;
        self.top = top;
        self.width = TILE_PX.min(size[0] - left);
        self.height = TILE_PX.min(size[1] - top);
        self.nearness.fill([0.0; N]);
        self.surface.fill([BACKGROUND; N]);
        let Some(plane) = ground else { return };
        let (along_x, along_y) = (plane.along_x as f32, plane.along_y as f32);
        for y in 0..self.height {
            for x in 0..self.width {
                let pixel = (y * TILE_PX + x) as usize;
                let corner = plane.at_origin + f64::from(left + x) * plane.along_x + f64::from(top + y) * plane.along_y;
                for s in 0..N {
                    let nearness = corner as f32 + along_x * self.pattern.x[s] + along_y * self.pattern.y[s];
                    if nearness > 0.0 {
                        self.nearness[pixel][s] = nearness;
                        self.surface[pixel][s] = GROUND;
                    }
                }
            }
        }
    }

    pub(crate) fn draw(&mut self, primitive: &Primitive, surface: u32) {
        let origin = DVec3::new(f64::from(self.left), f64::from(self.top), 0.0);
        let corners = primitive.corners.map(|corner| corner - origin);
        let Some(planes) = Planes::<N>::new(corners, &self.pattern) else { return };
        let range =
            |low: f64, high: f64, side: u32| (low.max(0.0) as u32, (high.max(-1.0) + 1.0).min(f64::from(side)) as u32);
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        let (left, right) = range(low.x, high.x, self.width);
        let (top, bottom) = range(low.y, high.y, self.height);
        for y in top..bottom {
            let row = planes.at_row(y as f32);
            for x in left..right {
                let Some(here) = planes.at_pixel(row, x as f32) else { continue };
                let pixel = (y * TILE_PX + x) as usize;
                planes.cover(here, surface, &mut self.nearness[pixel], &mut self.surface[pixel]);
            }
        }
    }

    /// Surfaces seen by the samples of a pixel of this tile.
    pub(crate) fn surfaces(&self, x: u32, y: u32) -> &[u32; N] {
        &self.surface[(y * TILE_PX + x) as usize]
    }

    pub(crate) fn pattern(&self) -> &Pattern<N> {
        &self.pattern
    }
}

/// The three edges (0–2) and the nearness (3) of a triangle as planes over the tile.
struct Planes<const N: usize> {
    along_x: [f32; 4],
    along_y: [f32; 4],
    at_origin: [f32; 4],
    /// What each sample adds to the value at its pixel's corner.
    within: [[f32; N]; 4],
    /// The most that any sample adds: a pixel is left out when even that is outside.
    within_most: [f32; 3],
    /// Inside means at least this: 0 where the edge itself belongs to the triangle, else the least positive number.
    threshold: [f32; 3],
}

impl<const N: usize> Planes<N> {
    fn new(corners: [DVec3; 3], pattern: &Pattern<N>) -> Option<Self> {
        let [a, b, c] = corners;
        let area2 = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        if !(area2.is_finite() && area2 != 0.0) {
            return None;
        }
        let [a, b, c] = if area2 > 0.0 { [a, b, c] } else { [a, c, b] };
        let mut planes = Self {
            along_x: [0.0; 4],
            along_y: [0.0; 4],
            at_origin: [0.0; 4],
            within: [[0.0; N]; 4],
            within_most: [0.0; 3],
            threshold: [0.0; 3],
        };
        let mut nearness = [0.0; 3];
        for (edge, (from, to, opposite)) in [(b, c, a), (c, a, b), (a, b, c)].into_iter().enumerate() {
            let (along_x, along_y) = (from.y - to.y, to.x - from.x);
            let at_origin = from.x * to.y - to.x * from.y;
            planes.along_x[edge] = along_x as f32;
            planes.along_y[edge] = along_y as f32;
            planes.at_origin[edge] = at_origin as f32;
            let owns_its_points = along_x > 0.0 || (along_x == 0.0 && along_y > 0.0);
            planes.threshold[edge] = if owns_its_points { 0.0 } else { f32::MIN_POSITIVE };
            let share = opposite.z / area2.abs();
            nearness = [nearness[0] + share * along_x, nearness[1] + share * along_y, nearness[2] + share * at_origin];
        }
        [planes.along_x[3], planes.along_y[3], planes.at_origin[3]] = nearness.map(|value| value as f32);
        for plane in 0..4 {
            for s in 0..N {
                planes.within[plane][s] = planes.along_x[plane] * pattern.x[s] + planes.along_y[plane] * pattern.y[s];
            }
        }
        for edge in 0..3 {
            planes.within_most[edge] = planes.within[edge].iter().fold(f32::NEG_INFINITY, |most, v| most.max(*v));
        }
        Some(planes)
    }

    fn at_row(&self, y: f32) -> [f32; 4] {
        std::array::from_fn(|plane| self.at_origin[plane] + self.along_y[plane] * y)
    }

    /// Values at the pixel's corner; nothing where no sample of it can be inside.
    fn at_pixel(&self, row: [f32; 4], x: f32) -> Option<[f32; 4]> {
        let here: [f32; 4] = std::array::from_fn(|plane| row[plane] + self.along_x[plane] * x);
        (0..3).all(|edge| here[edge] + self.within_most[edge] >= 0.0).then_some(here)
    }

    fn cover(&self, here: [f32; 4], surface: u32, nearness: &mut [f32; N], surfaces: &mut [u32; N]) {
        for s in 0..N {
            let near = here[3] + self.within[3][s];
            let inside = (here[0] + self.within[0][s] >= self.threshold[0])
                & (here[1] + self.within[1][s] >= self.threshold[1])
                & (here[2] + self.within[2][s] >= self.threshold[2])
                & (near > nearness[s]);
            nearness[s] = if inside { near } else { nearness[s] };
            surfaces[s] = if inside { surface } else { surfaces[s] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Source;
    use std::cmp::Ordering;

    fn primitive(corners: [[f64; 2]; 3], nearness: f64) -> Primitive {
        let corners = corners.map(|[x, y]| DVec3::new(x, y, nearness));
        Primitive { corners, source: Source::Triangle { mesh: 0, triangle: 0 } }
    }

    fn covered<const N: usize>(tile: &Tile<N>, surface: u32) -> usize {
        tile.surface.iter().flatten().filter(|s| **s == surface).count()
    }

    #[test]
    fn a_known_triangle_covers_the_known_pixels() {
        // The half of a 4×4 square below its diagonal; centres on the diagonal belong to exactly one half.
        let mut tile = Tile::<1>::new();
        tile.begin(0, 0, [64, 64], None);
        tile.draw(&primitive([[2.0, 2.0], [6.0, 6.0], [2.0, 6.0]], 1.0), 7);
        tile.draw(&primitive([[2.0, 2.0], [6.0, 2.0], [6.0, 6.0]], 1.0), 8);
        for y in 0..8 {
            for x in 0..8 {
                let outside = !(2..6).contains(&x) || !(2..6).contains(&y);
                let expected: &[u32] = match x.cmp(&y) {
                    _ if outside => &[BACKGROUND],
                    Ordering::Less => &[7],
                    Ordering::Greater => &[8],
                    Ordering::Equal => &[7, 8],
                };
                assert!(expected.contains(&tile.surfaces(x, y)[0]), "pixel {x},{y}: {:?}", tile.surfaces(x, y));
            }
        }
        let (lower, upper) = (covered(&tile, 7), covered(&tile, 8));
        assert!([(6, 10), (10, 6)].contains(&(lower, upper)), "{lower} {upper}");
    }

    #[test]
    fn a_fan_covers_every_sample_of_its_disk_once() {
        // Drawn in turn with ever greater nearness, each sample counts how often it was drawn.
        fn check<const N: usize>() {
            let mut tile = Tile::<N>::new();
            tile.begin(0, 0, [64, 64], None);
            let hub = [31.3, 32.7];
            let rim: Vec<[f64; 2]> = (0..37)
                .map(|i| {
                    let angle = f64::from(i) / 37.0 * std::f64::consts::TAU;
                    [hub[0] + 25.0 * angle.cos(), hub[1] + 25.0 * angle.sin()]
                })
                .collect();
            let mut total = 0;
            for i in 0..37 {
                let mut alone = Tile::<N>::new();
                alone.begin(0, 0, [64, 64], None);
                let triangle = primitive([hub, rim[i], rim[(i + 1) % 37]], 1.0);
                alone.draw(&triangle, 5);
                tile.draw(&triangle, 5);
                total += covered(&alone, 5);
            }
            assert_eq!(covered(&tile, 5), total, "{N} samples: some sample is in two triangles");
            let area = 0.5 * 37.0 * 625.0 * (std::f64::consts::TAU / 37.0).sin();
            let share = total as f64 / (N as f64 * area);
            assert!((share - 1.0).abs() < 0.004, "{N} samples cover {share} of the area: there are cracks");
        }
        check::<4>();
        check::<8>();
        check::<16>();
    }

    #[test]
    fn samples_share_no_row_and_no_column() {
        fn check<const N: usize>() {
            let pattern = Pattern::<N>::new();
            for axis in [pattern.x, pattern.y] {
                let mut cells = axis.map(|v| (v * N as f32) as usize);
                cells.sort_unstable();
                assert_eq!(cells.to_vec(), (0..N).collect::<Vec<_>>());
            }
        }
        check::<1>();
        check::<4>();
        check::<8>();
        check::<16>();
    }
}
