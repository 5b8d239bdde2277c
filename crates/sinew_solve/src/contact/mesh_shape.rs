//! An obstacle that a triangle mesh encloses: exact distances by a tree of boxes, sides by winding numbers.

use super::tuning::CONTACT;
use sinew_geom::TriangleMesh;
use sinew_geom::distance::{Distance, SurfaceDistance, TriangleTree};
use sinew_math::DVec3;

/// Places on the surface that are looked at for the thickness.
const SAMPLES: usize = 2000;

/// A mesh in the obstacle's own frame.
#[derive(Debug)]
pub struct MeshShape {
    mesh: TriangleMesh,
    distance: SurfaceDistance,
    reach_m: f64,
    half_thickness_m: f64,
}

impl MeshShape {
    pub fn new(mesh: TriangleMesh) -> Self {
        let distance = SurfaceDistance::new(&mesh);
        let reach_m = mesh.positions.iter().map(|x| x.length()).fold(0.0, f64::max);
        let half_thickness_m = 0.5 * thickness_m(&mesh, &distance);
        Self { mesh, distance, reach_m, half_thickness_m }
    }

    /// The surface that encloses it.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// Signed distance of `p` and the direction in which it grows.
    pub(super) fn distance(&self, p: DVec3) -> (f64, DVec3) {
        self.distance.with_normal(p)
    }

    /// No point of it is farther from the origin than this.
    pub(super) fn reach_m(&self) -> f64 {
        self.reach_m
    }

    pub(super) fn half_thickness_m(&self) -> f64 {
        self.half_thickness_m
    }

    /// How deep `p` is behind the nearest triangle whose normal is `wanted`, and that normal.
    pub(super) fn behind(&self, p: DVec3, wanted: impl Fn(DVec3) -> bool) -> Option<(f64, DVec3)> {
        self.distance.nearest_facing(p, wanted).map(|(distance, normal)| (-distance, normal))
    }

    /// The edges of triangles that reach into a box; shared ones once for each triangle.
    pub(super) fn edges_in(&self, low: DVec3, high: DVec3, mut tell: impl FnMut([DVec3; 2])) {
        self.distance.each_triangle_in(low, high, |[a, b, c]| [[a, b], [b, c], [c, a]].into_iter().for_each(&mut tell));
    }
}

impl PartialEq for MeshShape {
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh
    }
}

/// How far it is from one side to the other where it is thin: straight in from places on its surface.
fn thickness_m(mesh: &TriangleMesh, distance: &SurfaceDistance) -> f64 {
    let tree = TriangleTree::new(&mesh.positions, &mesh.triangles);
    let (low, high) = distance.bounds();
    let size_m = (high - low).length();
    let mut through: Vec<f64> = Vec::new();
    for triangle in mesh.triangles.iter().step_by(mesh.triangles.len().div_ceil(SAMPLES).max(1)) {
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
        let step = 1e-6 * size_m;
        // Winding may be mixed: inwards is where the distance falls.
        let middle = (a + b + c) / 3.0;
        let inwards = if distance.at(middle - normal * step) < 0.0 { -normal } else { normal };
        through.extend(tree.cast(middle + inwards * step, inwards).map(|hit| hit.distance));
    }
    through.sort_by(f64::total_cmp);
    through.get((CONTACT.obstacles.thin_share * through.len() as f64) as usize).copied().unwrap_or(size_m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Shape;
    use sinew_geom::primitive::cuboid;
    use sinew_math::dvec3;
    use std::sync::Arc;

    #[test]
    fn a_box_made_of_triangles_is_the_box() {
        let half_m = dvec3(0.5, 0.05, 0.8);
        let (exact, meshed) = (Shape::Box { half_m }, Shape::Mesh(Arc::new(MeshShape::new(cuboid(half_m)))));
        assert!((meshed.half_thickness_m() - 0.05).abs() < 1e-5 && meshed.reach_m() == exact.reach_m());
        for n in 0..400u32 {
            let at = |k: u32| f64::from((n * 7919 + k * 104_729) % 2003) / 2003.0 * 2.0 - 1.0;
            let p = dvec3(at(0), at(1), at(2));
            let ((d, normal), (wanted, out)) = (meshed.distance(p), exact.distance(p));
            assert!((d - wanted).abs() < 1e-12, "{p}: {d} for {wanted}");
            assert!(normal.distance(out) < 1e-9, "{p}: {normal} for {out}");
        }
        // A surface that looks up came in from below, however near the upper side is.
        let (inside, up) = (dvec3(0.1, 0.04, 0.0), DVec3::Y);
        let (depth, normal) = meshed.way_out(inside, up).unwrap();
        let (wanted, side) = exact.way_out(inside, up).unwrap();
        assert!((depth - wanted).abs() < 1e-12 && normal == side, "{depth} {normal}");
        assert_eq!(meshed.way_out(inside, -up), None, "the nearest side is the one it faces");
    }
}
