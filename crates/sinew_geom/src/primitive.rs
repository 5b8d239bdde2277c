//! Surfaces of simple solids, to look at.

use crate::TriangleMesh;
use sinew_math::libm::{cos, sin};
use sinew_math::{DVec3, dvec3};
use std::f64::consts::{PI, TAU};

/// A rod along y with round ends: `half_length_m` from its middle to the centre of each. A ball where that is zero.
pub fn capsule(radius_m: f64, half_length_m: f64, around: usize) -> TriangleMesh {
    let (around, rings) = (around.max(3), (around / 2).max(2));
    let mut positions = vec![dvec3(0.0, radius_m + half_length_m, 0.0)];
    for ring in 1..=rings {
        let polar = PI * (ring as f64 - 0.5) / rings as f64;
        let shift = if polar < 0.5 * PI { half_length_m } else { -half_length_m };
        for i in 0..around {
            let angle = TAU * i as f64 / around as f64;
            let out = radius_m * sin(polar);
            positions.push(dvec3(out * cos(angle), radius_m * cos(polar) + shift, out * sin(angle)));
        }
    }
    let last = positions.len() as u32;
    positions.push(dvec3(0.0, -radius_m - half_length_m, 0.0));
    let at = |ring: usize, i: usize| (1 + ring * around + i % around) as u32;
    let mut triangles = Vec::new();
    for i in 0..around {
        triangles.push([0, at(0, i + 1), at(0, i)]);
        for ring in 0..rings - 1 {
            triangles.push([at(ring, i), at(ring, i + 1), at(ring + 1, i)]);
            triangles.push([at(ring, i + 1), at(ring + 1, i + 1), at(ring + 1, i)]);
        }
        triangles.push([last, at(rings - 1, i), at(rings - 1, i + 1)]);
    }
    TriangleMesh { positions, triangles }
}

/// A thin square rod around each line, for many lines at once.
pub fn rods(lines: &[[DVec3; 2]], radius_m: f64) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for &[from, to] in lines {
        let Some(along) = (to - from).try_normalize() else { continue };
        let (right, up) = along.any_orthonormal_pair();
        let first = mesh.positions.len() as u32;
        for end in [from, to] {
            mesh.positions.extend([right, up, -right, -up].map(|out| end + out * radius_m));
        }
        for i in 0..4 {
            let [a, b] = [i, (i + 1) % 4].map(|n| first + n);
            mesh.triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
        mesh.triangles.extend([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]].map(|t| t.map(|n| first + n)));
    }
    mesh
}

/// A box of these half extents.
pub fn cuboid(half_m: DVec3) -> TriangleMesh {
    let corner = |n: u32| {
        let sign = |bit: u32| if n >> bit & 1 == 1 { 1.0 } else { -1.0 };
        dvec3(sign(0), sign(1), sign(2)) * half_m
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriangleMesh { positions: (0..8).map(corner).collect(), triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed volume by the divergence theorem: positive where triangles face outward and the surface is closed.
    fn volume(mesh: &TriangleMesh) -> f64 {
        let six = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
            a.dot(b.cross(c))
        };
        mesh.triangles.iter().map(six).sum::<f64>() / 6.0
    }

    #[test]
    fn surfaces_are_closed_face_outward_and_hold_their_volume() {
        assert!((volume(&cuboid(dvec3(0.5, 1.0, 1.5))) - 6.0).abs() < 1e-12);
        let ball = volume(&capsule(1.0, 0.0, 96));
        assert!((ball / (4.0 / 3.0 * PI) - 1.0).abs() < 5e-3, "{ball}");
        let rod = volume(&capsule(0.5, 2.0, 96));
        assert!((rod / (PI * 0.25 * 4.0 + 4.0 / 3.0 * PI * 0.125) - 1.0).abs() < 2e-2, "{rod}");
    }
}
