//! The cut through a body that is known by its skin alone: the part of a plane that lies inside.
//!
//! A grid is laid on the plane and each of its triangles clipped where the signed distance to the skin passes zero, so
//! that holes, several pieces and dirty skins need no care of their own. Edges are as fine as the grid; within a cell they are straight.

use super::{Making, Section};
use crate::TriangleMesh;
use crate::distance::{Distance, SurfaceDistance};
use rayon::prelude::*;
use sinew_math::{DVec2, DVec3, dvec2};
use std::collections::HashMap;

/// The part of a plane inside `skin`, facing along `normal`, of cells as wide as the cut over `cells`. Empty where the plane
/// misses the skin.
pub fn plane_cap(skin: &TriangleMesh, through: DVec3, normal: DVec3, cells: usize) -> TriangleMesh {
    let normal = normal.normalize_or(DVec3::Y);
    let right = normal.any_orthonormal_vector();
    let up = normal.cross(right);
    let Some((low, high)) = crossed(skin, through, normal, right, up) else { return TriangleMesh::default() };
    let cell_m = (high - low).max_element() / cells.max(1) as f64;
    let count = ((high - low) / cell_m).ceil();
    // One cell more on every side, so that the edge is crossed everywhere.
    let [wide, tall] = [count.x as usize + 3, count.y as usize + 3];
    let place = |n: usize| {
        let at = low + (dvec2((n % wide) as f64, (n / wide) as f64) - 1.0) * cell_m;
        through + right * at.x + up * at.y
    };
    let distance = SurfaceDistance::new(skin);
    let positions: Vec<DVec3> = (0..wide * tall).map(place).collect();
    let side: Vec<f64> = positions.par_iter().map(|x| distance.at(*x)).collect();
    let mut making = Making { section: Section::default(), numbers: HashMap::new(), side: &side };
    for row in 0..tall - 1 {
        for column in 0..wide - 1 {
            let corner = |i: usize, j: usize| ((row + j) * wide + column + i) as u32;
            making.clip([corner(0, 0), corner(1, 0), corner(1, 1)]);
            making.clip([corner(0, 0), corner(1, 1), corner(0, 1)]);
        }
    }
    TriangleMesh { positions: making.section.positions(&positions), triangles: making.section.skin }
}

/// The box on the plane around what it crosses.
fn crossed(skin: &TriangleMesh, through: DVec3, normal: DVec3, right: DVec3, up: DVec3) -> Option<(DVec2, DVec2)> {
    let height = |v: u32| (skin.positions[v as usize] - through).dot(normal);
    let mut bounds: Option<(DVec2, DVec2)> = None;
    for triangle in &skin.triangles {
        for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|ends| ends.map(|n: usize| triangle[n])) {
            let (from, to) = (height(a), height(b));
            if (from < 0.0) == (to < 0.0) {
                continue;
            }
            let x = skin.positions[a as usize].lerp(skin.positions[b as usize], from / (from - to)) - through;
            let at = dvec2(x.dot(right), x.dot(up));
            let (low, high) = bounds.unwrap_or((at, at));
            bounds = Some((low.min(at), high.max(at)));
        }
    }
    bounds.filter(|(low, high)| (*high - *low).max_element() > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Shape;
    use crate::extraction::extract;
    use crate::stuffing::Fineness;
    use sinew_math::dvec3;
    use std::f64::consts::PI;

    /// A thick shell cut off its middle: a ring of known area that faces along the normal.
    #[test]
    fn a_cut_shell_shows_a_ring() {
        let shell = Shape::sphere(1.0).subtract(Shape::sphere(0.6), 0.0);
        let skin = extract(&shell, Fineness::CellM(0.05)).unwrap().mesh;
        let (through, normal) = (dvec3(0.0, 0.3, 0.0), dvec3(0.2, 1.0, 0.1).normalize());
        let cap = plane_cap(&skin, through, normal, 100);
        let off = through.dot(normal);
        let exact = PI * ((1.0 - off * off) - (0.36 - off * off));
        assert!((cap.area() / exact - 1.0).abs() < 0.01, "{} for {exact}", cap.area());
        for triangle in &cap.triangles {
            let [a, b, c] = triangle.map(|v| cap.positions[v as usize]);
            assert!((a - through).dot(normal).abs() < 1e-12 && (b - a).cross(c - a).dot(normal) > -1e-15);
        }
    }

    #[test]
    fn a_plane_that_misses_has_no_cap() {
        let skin = extract(&Shape::sphere(1.0), Fineness::CellM(0.2)).unwrap().mesh;
        assert_eq!(plane_cap(&skin, dvec3(0.0, 2.0, 0.0), DVec3::Y, 50), TriangleMesh::default());
    }
}
