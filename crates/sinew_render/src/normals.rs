//! Normals at the corners of triangles: smooth over gentle bends, sharp at creases.
//!
//! A corner's normal is the mean of the triangles around its vertex, each weighted by its area and by how little it
//! bends away from the corner's own triangle. The weight falls gradually around the crease angle, so that flesh
//! bending past it in a film does not flip from smooth to sharp between two frames.

use crate::frame::Shown;
use sinew_math::DVec3;
use sinew_math::libm::cos;

/// The crease angle fades over this much to either side.
const FADE_DEG: f64 = 10.0;
/// Vertices with more triangles than this (the hub of a large fan) get one plain mean, to stay linear in time.
const MOST_AROUND: usize = 64;

/// Three unit normals per triangle.
pub(crate) fn corner_normals(mesh: &Shown) -> Vec<[DVec3; 3]> {
    let areas = area_vectors(mesh);
    let units: Vec<DVec3> = areas.iter().map(|area| area.normalize_or_zero()).collect();
    let around = Around::new(mesh);
    let crease = mesh.crease_deg.clamp(0.0, 180.0);
    let sharp = cos((crease + FADE_DEG).min(180.0).to_radians());
    let smooth = cos((crease - FADE_DEG).max(0.0).to_radians());
    let mut normals: Vec<[DVec3; 3]> = units.iter().map(|unit| [*unit; 3]).collect();
    for vertex in 0..mesh.positions.len() {
        let corners = around.corners(vertex);
        let plain = corners.len() > MOST_AROUND;
        let total: DVec3 = if plain { corners.iter().map(|c| areas[c.0 as usize]).sum() } else { DVec3::ZERO };
        for &(triangle, corner) in corners {
            let own = units[triangle as usize];
            let mean = if plain {
                total
            } else {
                corners.iter().fold(DVec3::ZERO, |sum, &(other, _)| {
                    let alike = own.dot(units[other as usize]);
                    sum + areas[other as usize] * fade(sharp, smooth, alike)
                })
            };
            normals[triangle as usize][corner as usize] = mean.try_normalize().unwrap_or(own);
        }
    }
    normals
}

/// Twice the area times the normal of each triangle.
pub(crate) fn area_vectors(mesh: &Shown) -> Vec<DVec3> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a)
    };
    mesh.triangles.iter().map(area).collect()
}

fn fade(from: f64, to: f64, value: f64) -> f64 {
    if to <= from {
        return f64::from(value >= to);
    }
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The triangles around each vertex and which corner of each it is.
struct Around {
    starts: Vec<u32>,
    corners: Vec<(u32, u8)>,
}

impl Around {
    fn new(mesh: &Shown) -> Self {
        let mut starts = vec![0_u32; mesh.positions.len() + 1];
        for vertex in mesh.triangles.iter().flatten() {
            starts[*vertex as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut corners = vec![(0, 0); 3 * mesh.triangles.len()];
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            for (corner, vertex) in triangle.iter().enumerate() {
                let slot = &mut next[*vertex as usize];
                corners[*slot as usize] = (t as u32, corner as u8);
                *slot += 1;
            }
        }
        Self { starts, corners }
    }

    fn corners(&self, vertex: usize) -> &[(u32, u8)] {
        &self.corners[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Paint, Rgb};
    use sinew_geom::{TriangleMesh, structured};
    use sinew_math::dvec3;

    fn normals(mesh: &TriangleMesh) -> Vec<[DVec3; 3]> {
        corner_normals(&Shown::mesh(mesh, Paint::Flat(Rgb(0, 0, 0))))
    }

    #[test]
    fn a_box_keeps_its_sharp_edges() {
        let tets = structured::bar(dvec3(2.0, 1.0, 1.0), [4, 2, 2]);
        let triangles = tets.boundary();
        let mesh = TriangleMesh::new(tets.positions, triangles).unwrap();
        for (t, corners) in normals(&mesh).iter().enumerate() {
            let face = mesh.area_vector2(t).normalize();
            assert!(corners.iter().all(|n| n.distance(face) < 1e-12));
        }
    }

    #[test]
    fn a_gentle_bend_is_smooth() {
        let mut mesh = structured::cloth(2.0, 1.0, [20, 4]);
        for x in &mut mesh.positions {
            x.y = 0.2 * x.x * x.x;
        }
        let by_corner = normals(&mesh);
        let smooth = mesh.vertex_normals();
        for (corners, vertices) in by_corner.iter().zip(&mesh.triangles) {
            for (n, v) in corners.iter().zip(vertices) {
                assert!(n.distance(smooth[*v as usize]) < 1e-9);
            }
        }
    }
}
