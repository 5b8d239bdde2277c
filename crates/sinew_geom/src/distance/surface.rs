//! Signed distance to a triangle mesh: exact distance by a tree of boxes, side by winding numbers.

use super::bvh::TriangleTree;
use super::orient::orient;
use super::winding::Winding;
use super::{Distance, SurfaceSample};
use crate::TriangleMesh;
use sinew_math::{DVec3, dvec3};
use std::f64::consts::PI;

/// A body that a surface encloses, also one with holes, crossings, doubled vertices or triangles that face both ways.
///
/// A point is inside where the surface winds around it more than half a time. Across a hole the side changes where no
/// triangle is near, so values jump there.
#[derive(Debug, Clone)]
pub struct SurfaceDistance {
    tree: TriangleTree,
    winding: Winding,
    bounds: (DVec3, DVec3),
    landmarks: Vec<(DVec3, u32)>,
    open_length_m: f64,
    /// Out of the body, by the tree's numbers of triangles; zero for those without an area.
    normals: Vec<DVec3>,
}

impl SurfaceDistance {
    pub fn new(mesh: &TriangleMesh) -> Self {
        let oriented = orient(mesh);
        let tree = TriangleTree::new(&oriented.positions, &oriented.triangles);
        let winding = Winding::new(&tree);
        let mut landmarks = Vec::new();
        let mut is_taken = vec![false; oriented.positions.len()];
        for (triangle, piece) in oriented.triangles.iter().zip(&oriented.pieces) {
            let corners = triangle.map(|v| oriented.positions[v as usize]);
            landmarks.push((corners.iter().sum::<DVec3>() / 3.0, *piece));
            for (vertex, corner) in triangle.iter().zip(corners) {
                if !std::mem::replace(&mut is_taken[*vertex as usize], true) {
                    landmarks.push((corner, *piece));
                }
            }
        }
        let bounds = tree.nodes.first().map_or((DVec3::ZERO, DVec3::ZERO), |root| (root.low, root.high));
        let normal = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|v| oriented.positions[v as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals = oriented.triangles.iter().map(normal).collect();
        Self { tree, winding, bounds, landmarks, open_length_m: oriented.open_length_m, normals }
    }

    /// The signed distance, and the direction in which it grows: from the nearest place on the surface, or out of it for
    /// a point that lies on it.
    pub fn with_normal(&self, point: DVec3) -> (f64, DVec3) {
        /// Share of the body's size below which the way from the surface is rounding.
        const ON_IT: f64 = 1e-9;
        let Some(hit) = self.tree.nearest(point) else { return (f64::INFINITY, DVec3::Y) };
        let (low, high) = self.bounds;
        let is_outside = point.cmplt(low).any() || point.cmpgt(high).any() || self.winds(point) <= 0.5;
        let distance = hit.distance_squared.sqrt();
        let (value, side) = if is_outside { (distance, 1.0) } else { (-distance, -1.0) };
        let normal = if distance > ON_IT * (high - low).length() {
            (point - hit.place) * (side / distance)
        } else {
            self.normals[hit.triangle as usize]
        };
        (value, normal)
    }

    /// The distance to the nearest triangle whose outward normal is `wanted`, and that normal.
    pub fn nearest_facing(&self, point: DVec3, wanted: impl Fn(DVec3) -> bool) -> Option<(f64, DVec3)> {
        let normal = |triangle: u32| self.normals[triangle as usize];
        let faces = |triangle: u32| normal(triangle) != DVec3::ZERO && wanted(normal(triangle));
        let hit = self.tree.nearest_within(point, f64::INFINITY, faces)?;
        Some((hit.distance_squared.sqrt(), normal(hit.triangle)))
    }

    /// Every triangle whose box overlaps a box.
    pub fn each_triangle_in(&self, low: DVec3, high: DVec3, tell: impl FnMut([DVec3; 3])) {
        self.tree.each_in(low, high, tell);
    }

    /// Triangles that have to be measured for the nearest one, on average over the box about the surface. An ordinary surface has
    /// tens; where it is more than thousands, triangles lie on each other and every question takes as long as there are of them.
    pub fn crowding(&self) -> usize {
        const SIDE: u32 = 4;
        let (low, high) = self.bounds;
        let share = |n: u32| (f64::from(n) + 0.5) / f64::from(SIDE);
        let place =
            |n: u32| low + (high - low) * dvec3(share(n % SIDE), share(n / SIDE % SIDE), share(n / SIDE / SIDE));
        let count = SIDE * SIDE * SIDE;
        (0..count).map(|n| self.tree.measured_for(place(n))).sum::<usize>() / count as usize
    }

    fn is_closed(&self) -> bool {
        self.open_length_m == 0.0
    }

    fn winds(&self, point: DVec3) -> f64 {
        self.winding.at(&self.tree, point)
    }

    fn unsigned(&self, point: DVec3) -> f64 {
        self.tree.nearest(point).map_or(f64::INFINITY, |hit| hit.distance_squared.sqrt())
    }
}

impl Distance for SurfaceDistance {
    fn at(&self, point: DVec3) -> f64 {
        let distance = self.unsigned(point);
        if self.winds(point) > 0.5 { -distance } else { distance }
    }

    fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }

    /// Without a hole, nothing changes as far as the nearest triangle. With holes the winding number itself changes in
    /// between, at most by L/(4πr²) per metre at a distance r from open edges of total length L (Biot–Savart).
    fn probe(&self, point: DVec3) -> (f64, f64) {
        let (distance, winds) = (self.unsigned(point), self.winds(point));
        let value = if winds > 0.5 { -distance } else { distance };
        if self.is_closed() {
            return (value, distance);
        }
        // Within half the distance, r is at least the other half.
        let change_per_m = self.open_length_m / (PI * distance * distance);
        (value, (0.5 * distance).min((winds - 0.5).abs() / change_per_m))
    }

    /// From point to point the distance changes by no more than the step, which bounds the search; and a step that is
    /// shorter than both its ends' distances together cannot cross a closed surface.
    fn at_each(&self, points: &[DVec3], values: &mut [f64]) {
        let mut last: Option<(DVec3, f64)> = None;
        for (point, value) in points.iter().zip(values) {
            let step = last.map(|(place, _)| place.distance(*point));
            let reach = last.zip(step).map_or(f64::INFINITY, |((_, value), step)| (value.abs() + step) * (1.0 + 1e-9));
            let hit = self.tree.nearest_within(*point, reach * reach, |_| true);
            let distance = hit.map_or_else(|| self.unsigned(*point), |hit| hit.distance_squared.sqrt());
            let inside = match last.zip(step) {
                Some(((_, value), step)) if self.is_closed() && value.abs() + distance > 1.000_001 * step => {
                    value < 0.0
                }
                _ => self.winds(*point) > 0.5,
            };
            *value = if inside { -distance } else { distance };
            last = Some((*point, *value));
        }
    }

    fn landmarks(&self) -> Vec<(DVec3, u32)> {
        self.landmarks.clone()
    }

    fn surface_samples(&self, apart_m: f64) -> Vec<SurfaceSample> {
        /// Along an edge: no triangle of a body that is meshed at all has more cells.
        const MOST: f64 = 400.0;
        let mut samples = Vec::new();
        // Of many triangles on a small place, the tree's neighbours, one in so many is enough.
        let (mut owed, per_m2) = (1.0, 2.0 / (apart_m * apart_m));
        for (facet, number) in self.tree.facets.iter().zip(&self.tree.numbers) {
            let outward = self.normals[*number as usize];
            let [u, v] = facet.edges;
            let longest_m = u.length().max(v.length()).max(u.distance(v));
            let count = (longest_m / apart_m).ceil().clamp(1.0, MOST) as u32;
            if outward == DVec3::ZERO {
                continue;
            }
            if count == 1 {
                owed += 0.5 * u.cross(v).length() * per_m2;
                if owed < 1.0 {
                    continue;
                }
                owed = 0.0;
            }
            // The middles of the small triangles that stand as the large one does.
            for i in 0..count {
                for j in 0..count - i {
                    let [a, b] = [i, j].map(|n| (f64::from(n) + 1.0 / 3.0) / f64::from(count));
                    samples.push(SurfaceSample { place: facet.corner + u * a + v * b, outward });
                }
            }
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitive::{capsule, cuboid};

    fn is_ball(body: &SurfaceDistance, radius: f64, within: f64) {
        for n in 0..300u32 {
            let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 3.0 - 1.5;
            let point = dvec3(at(0), at(1), at(2));
            let wanted = point.length() - radius;
            assert!((body.at(point) - wanted).abs() < within, "{point}: {} for {wanted}", body.at(point));
        }
    }

    #[test]
    fn a_box_is_measured_exactly() {
        let body = SurfaceDistance::new(&cuboid(dvec3(0.5, 1.0, 1.5)));
        for (point, wanted) in [
            (DVec3::ZERO, -0.5),
            (dvec3(1.5, 0.0, 0.0), 1.0),
            (dvec3(1.5, 2.0, 0.0), 2f64.sqrt()),
            (dvec3(0.0, 0.9, 0.0), -0.1),
        ] {
            assert!((body.at(point) - wanted).abs() < 1e-12, "{point}");
        }
    }

    #[test]
    fn dirt_leaves_the_body_whole() {
        let clean = capsule(1.0, 0.0, 48);
        is_ball(&SurfaceDistance::new(&clean), 1.0, 5e-3);
        // Every triangle with vertices of its own, every third one turned.
        let mut soup = TriangleMesh::default();
        for (n, t) in clean.triangles.iter().enumerate() {
            let base = soup.positions.len() as u32;
            soup.positions.extend(t.map(|v| clean.positions[v as usize]));
            soup.triangles.push(if n % 3 == 0 { [base, base + 2, base + 1] } else { [base, base + 1, base + 2] });
        }
        is_ball(&SurfaceDistance::new(&soup), 1.0, 5e-3);
        // Inside out.
        let mut turned = clean.clone();
        turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        is_ball(&SurfaceDistance::new(&turned), 1.0, 5e-3);
        // A hole at the pole: the side is right everywhere but near it.
        let mut open = clean.clone();
        open.triangles.retain(|t| t.iter().all(|v| clean.positions[*v as usize].y < 0.97));
        let open = SurfaceDistance::new(&open);
        assert!(!open.is_closed());
        assert!(open.at(dvec3(0.0, 0.8, 0.0)) < 0.0 && open.at(dvec3(0.0, 1.1, 0.0)) > 0.0);
    }

    #[test]
    fn bodies_that_cross_are_one() {
        let ball = capsule(1.0, 0.0, 32);
        let mut two = ball.clone();
        two.positions.extend(ball.positions.iter().map(|x| *x + dvec3(1.0, 0.0, 0.0)));
        let base = ball.positions.len() as u32;
        two.triangles.extend(ball.triangles.iter().map(|t| t.map(|v| v + base)));
        let body = SurfaceDistance::new(&two);
        assert!(body.at(dvec3(0.5, 0.0, 0.0)) < 0.0 && body.at(dvec3(1.8, 0.0, 0.0)) < 0.0);
        assert!(body.at(dvec3(0.5, 0.95, 0.0)) > 0.0);
    }

    #[test]
    fn walking_gives_what_asking_each_point_gives() {
        let body = SurfaceDistance::new(&capsule(0.5, 0.7, 32));
        let points: Vec<DVec3> =
            (0..200u32).map(|n| dvec3(f64::from(n % 10), f64::from(n / 10 % 10), f64::from(n / 100)) * 0.15).collect();
        let mut values = vec![0.0; points.len()];
        body.at_each(&points, &mut values);
        for (point, value) in points.iter().zip(values) {
            assert_eq!(value, body.at(*point), "{point}");
        }
    }
}
