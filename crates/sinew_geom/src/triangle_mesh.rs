//! Triangle meshes: what people see, and the flesh of shells.

use crate::ids::{Id, PerVertex, TriangleId, VertexId};
use sinew_math::DVec3;

/// Vertices in metres and triangles, counter-clockwise seen from outside.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TriangleMesh {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Why vertices and triangles are not a surface that can be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TriangleError {
    #[error("the surface has no triangles")]
    Empty,
    #[error("vertex {vertex} is not a finite number")]
    NotFinite { vertex: VertexId },
    #[error("triangle {triangle} names vertex {vertex}, but the surface has {vertex_count}")]
    VertexOutOfRange { triangle: TriangleId, vertex: VertexId, vertex_count: usize },
}

impl TriangleMesh {
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, TriangleError> {
        if triangles.is_empty() {
            return Err(TriangleError::Empty);
        }
        if let Some(vertex) = positions.iter().position(|x| !x.is_finite()) {
            return Err(TriangleError::NotFinite { vertex: VertexId::new(vertex) });
        }
        let vertex_count = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertex_count) {
                let (triangle, vertex) = (TriangleId::new(triangle), VertexId(vertex));
                return Err(TriangleError::VertexOutOfRange { triangle, vertex, vertex_count });
            }
        }
        Ok(Self { positions, triangles })
    }

    /// Twice the area times the unit normal.
    pub fn area_vector2(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.triangles[triangle].map(|v| self.positions[v as usize]);
        (b - a).cross(c - a)
    }

    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| 0.5 * self.area_vector2(t).length()).sum()
    }

    /// A third of each triangle's area to each of its corners.
    pub fn vertex_areas(&self) -> PerVertex<f64> {
        let mut areas = PerVertex::filled(0.0, self.positions.len());
        for (t, corners) in self.triangles.iter().enumerate() {
            let share = self.area_vector2(t).length() / 6.0;
            for &vertex in corners {
                areas[VertexId(vertex)] += share;
            }
        }
        areas
    }

    /// Smooth normals: area-weighted means of the triangles around each vertex (up where there are none).
    pub fn vertex_normals(&self) -> Vec<DVec3> {
        let mut normals = vec![DVec3::ZERO; self.positions.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            let area = self.area_vector2(t);
            for &vertex in corners {
                normals[vertex as usize] += area;
            }
        }
        normals.iter().map(|n| n.try_normalize().unwrap_or(DVec3::Y)).collect()
    }

    /// Smallest and largest coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.positions.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_has_its_area_and_normal() {
        let mesh = TriangleMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        assert_eq!(mesh.area(), 0.5);
        assert_eq!(mesh.vertex_normals(), vec![DVec3::Z; 3]);
        let total: f64 = mesh.vertex_areas().iter().sum();
        assert!((total - 0.5).abs() < 1e-15);
    }

    #[test]
    fn indices_are_checked() {
        let bad = TriangleMesh::new(vec![DVec3::ZERO; 2], vec![[0, 1, 2]]);
        assert_eq!(
            bad,
            Err(TriangleError::VertexOutOfRange { triangle: TriangleId(0), vertex: VertexId(2), vertex_count: 2 })
        );
    }
}
