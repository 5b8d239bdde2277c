//! Shapes and measurements that several tests share.

use sinew_geom::TriangleMesh;
use sinew_math::{DVec3, dvec3};
use sinew_render::{Image, Rgb};

/// Meridians and parallels of a sphere.
pub(crate) fn sphere(centre: DVec3, radius_m: f64, parallels: usize) -> TriangleMesh {
    let meridians = 2 * parallels;
    let mut positions = vec![centre + DVec3::Y * radius_m];
    for i in 1..parallels {
        let polar = i as f64 / parallels as f64 * std::f64::consts::PI;
        for j in 0..meridians {
            let around = j as f64 / meridians as f64 * std::f64::consts::TAU;
            let direction = dvec3(polar.sin() * around.cos(), polar.cos(), polar.sin() * around.sin());
            positions.push(centre + direction * radius_m);
        }
    }
    positions.push(centre - DVec3::Y * radius_m);
    let at = |i: usize, j: usize| (1 + (i - 1) * meridians + j % meridians) as u32;
    let south = (positions.len() - 1) as u32;
    let mut triangles = Vec::new();
    for j in 0..meridians {
        triangles.push([0, at(1, j + 1), at(1, j)]);
        triangles.push([south, at(parallels - 1, j), at(parallels - 1, j + 1)]);
        for i in 1..parallels - 1 {
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    TriangleMesh { positions, triangles }
}

/// Mean of the three channels, 0 to 255.
pub(crate) fn tone(colour: Rgb) -> f64 {
    (f64::from(colour.0) + f64::from(colour.1) + f64::from(colour.2)) / 3.0
}

/// Pixels that differ between two pictures.
pub(crate) fn differing(a: &Image, b: &Image) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}
