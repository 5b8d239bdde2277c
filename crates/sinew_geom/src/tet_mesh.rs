//! Tetrahedral meshes: positions, tets, and the checks that let everything below trust them.

use crate::adjacency::boundary_triangles;
use crate::ids::{Id, PerVertex, TetId, VertexId};
use sinew_math::{DMat3, DVec3};

/// Vertices in metres and tetrahedra of positive volume.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    pub positions: Vec<DVec3>,
    pub tets: Vec<[u32; 4]>,
}

/// Why vertices and tets are not a mesh that can be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    #[error("the mesh has no tetrahedra")]
    Empty,
    #[error("vertex {vertex} is not a finite number")]
    NotFinite { vertex: VertexId },
    #[error("tet {tet} names vertex {vertex}, but the mesh has {vertex_count}")]
    VertexOutOfRange { tet: TetId, vertex: VertexId, vertex_count: usize },
    #[error("tet {tet} is inverted: signed volume {volume_m3:e} m³, expected a positive one")]
    Inverted { tet: TetId, volume_m3: f64 },
    #[error("tet {tet} is flat: volume {volume_m3:e} m³ with edges of {edge_m:e} m")]
    Flat { tet: TetId, volume_m3: f64, edge_m: f64 },
    #[error("tet {tet} has the same corners as tet {first}")]
    Twice { tet: TetId, first: TetId },
    #[error("vertex {vertex} belongs to no tet")]
    Loose { vertex: VertexId },
}

impl TetMesh {
    /// Checks that the tets can be simulated.
    pub fn new(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        /// Volume over cubed edge below which a tet has no usable shape matrix (a regular one has 0.118).
        const FLAT: f64 = 1e-9;
        if tets.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(vertex) = positions.iter().position(|x| !x.is_finite()) {
            return Err(MeshError::NotFinite { vertex: VertexId::new(vertex) });
        }
        let mesh = Self { positions, tets };
        let mut used = vec![false; mesh.positions.len()];
        for tet in mesh.tet_ids() {
            for vertex in mesh.corners(tet) {
                let vertex_count = mesh.positions.len();
                let out_of_range = MeshError::VertexOutOfRange { tet, vertex, vertex_count };
                *used.get_mut(vertex.index()).ok_or(out_of_range)? = true;
            }
            let edges = mesh.edge_matrix(tet);
            let volume_m3 = edges.determinant() / 6.0;
            let edge_m = edges.x_axis.length().max(edges.y_axis.length()).max(edges.z_axis.length());
            if volume_m3.abs() <= FLAT * edge_m.powi(3) {
                return Err(MeshError::Flat { tet, volume_m3, edge_m });
            }
            if volume_m3 < 0.0 {
                return Err(MeshError::Inverted { tet, volume_m3 });
            }
        }
        if let Some((first, tet)) = mesh.first_twin() {
            return Err(MeshError::Twice { tet, first });
        }
        match used.iter().position(|used| !used) {
            Some(vertex) => Err(MeshError::Loose { vertex: VertexId::new(vertex) }),
            None => Ok(mesh),
        }
    }

    /// Two tets between the same corners, in whatever order: of the first that is repeated.
    fn first_twin(&self) -> Option<(TetId, TetId)> {
        let sorted = |tet: &[u32; 4]| {
            let mut corners = *tet;
            corners.sort_unstable();
            corners
        };
        let mut all: Vec<([u32; 4], usize)> = self.tets.iter().map(sorted).zip(0..).collect();
        all.sort_unstable();
        let twins = all.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
        twins.min_by_key(|(_, again)| *again).map(|(first, again)| (TetId::new(first), TetId::new(again)))
    }

    pub fn tet_ids(&self) -> impl Iterator<Item = TetId> + use<> {
        (0..self.tets.len()).map(TetId::new)
    }

    pub fn corners(&self, tet: TetId) -> [VertexId; 4] {
        self.tets[tet.index()].map(VertexId)
    }

    /// Where a tet's corners are.
    pub fn places(&self, tet: TetId) -> [DVec3; 4] {
        self.corners(tet).map(|vertex| self.positions[vertex.index()])
    }

    /// Columns `x1 − x0`, `x2 − x0`, `x3 − x0` of a tet.
    pub fn edge_matrix(&self, tet: TetId) -> DMat3 {
        let [a, b, c, d] = self.places(tet);
        DMat3::from_cols(b - a, c - a, d - a)
    }

    pub fn tet_volume(&self, tet: TetId) -> f64 {
        self.edge_matrix(tet).determinant() / 6.0
    }

    pub fn volume(&self) -> f64 {
        self.tet_ids().map(|tet| self.tet_volume(tet)).sum()
    }

    /// A quarter of each tet's volume to each of its corners.
    pub fn vertex_volumes(&self) -> PerVertex<f64> {
        let mut volumes = PerVertex::filled(0.0, self.positions.len());
        for tet in self.tet_ids() {
            let share = self.tet_volume(tet) / 4.0;
            for vertex in self.corners(tet) {
                volumes[vertex] += share;
            }
        }
        volumes
    }

    /// Triangles with one tet behind them, seen from outside counter-clockwise.
    pub fn boundary(&self) -> Vec<[u32; 3]> {
        boundary_triangles(&self.tets)
    }

    /// Smallest and largest dihedral angle of all tets, in degrees.
    pub fn dihedral_range_deg(&self) -> (f64, f64) {
        self.tet_ids()
            .flat_map(|tet| self.dihedral_angles_deg(tet))
            .fold((180.0, 0.0), |(low, high), angle| (f64::min(low, angle), f64::max(high, angle)))
    }

    pub(crate) fn dihedral_angles_deg(&self, tet: TetId) -> [f64; 6] {
        let corner = self.places(tet);
        // Each edge (a, b) with the two corners (c, d) opposite to it.
        [(0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2), (1, 2, 0, 3), (1, 3, 0, 2), (2, 3, 0, 1)].map(|(a, b, c, d)| {
            let edge = (corner[b] - corner[a]).normalize();
            let across = |to: usize| {
                let arm = corner[to] - corner[a];
                arm - edge * arm.dot(edge)
            };
            across(c).angle_between(across(d)).to_degrees()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn corner_tet() -> Vec<DVec3> {
        vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]
    }

    #[test]
    fn corner_tet_has_known_volume_and_angles() {
        let mesh = TetMesh::new(corner_tet(), vec![[0, 1, 2, 3]]).unwrap();
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
        let (low, high) = mesh.dihedral_range_deg();
        assert!((low - (1.0f64 / 3.0f64.sqrt()).acos().to_degrees()).abs() < 1e-9 && (high - 90.0).abs() < 1e-9);
    }

    #[test]
    fn faulty_meshes_are_refused_with_the_culprit_named() {
        let inverted = TetMesh::new(corner_tet(), vec![[0, 2, 1, 3]]);
        assert!(matches!(inverted, Err(MeshError::Inverted { tet: TetId(0), .. })));
        let out_of_range = TetMesh::new(corner_tet(), vec![[0, 1, 2, 9]]);
        assert_eq!(
            out_of_range,
            Err(MeshError::VertexOutOfRange { tet: TetId(0), vertex: VertexId(9), vertex_count: 4 })
        );
        let mut flat = corner_tet();
        flat[3] = dvec3(0.3, 0.3, 0.0);
        assert!(matches!(TetMesh::new(flat, vec![[0, 1, 2, 3]]), Err(MeshError::Flat { tet: TetId(0), .. })));
        let twice = TetMesh::new(corner_tet(), vec![[0, 1, 2, 3], [1, 2, 0, 3]]);
        assert_eq!(twice, Err(MeshError::Twice { tet: TetId(1), first: TetId(0) }));
        let mut loose = corner_tet();
        loose.push(DVec3::ONE);
        assert_eq!(TetMesh::new(loose, vec![[0, 1, 2, 3]]), Err(MeshError::Loose { vertex: VertexId(4) }));
        let mut broken = corner_tet();
        broken[2].x = f64::NAN;
        assert_eq!(TetMesh::new(broken, vec![[0, 1, 2, 3]]), Err(MeshError::NotFinite { vertex: VertexId(2) }));
        assert_eq!(TetMesh::new(Vec::new(), Vec::new()), Err(MeshError::Empty));
    }
}
