//! How good tetrahedra are: angles, aspect ratios, edge lengths.

use crate::TetMesh;
use crate::adjacency::edges;
use crate::ids::{PerTet, TetId};

/// Width of a bar of the histogram of dihedral angles.
pub const HISTOGRAM_STEP_DEG: f64 = 10.0;

/// Measures of a whole mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    pub dihedral_min_deg: f64,
    pub dihedral_max_deg: f64,
    /// Dihedral angles in steps of [`HISTOGRAM_STEP_DEG`].
    pub dihedral_histogram: [usize; 18],
    /// The worst tet's circumradius over three times its inradius: 1 for a regular tet.
    pub worst_aspect: f64,
    /// Which tet that is; none in an empty mesh.
    pub worst_tet: Option<TetId>,
    pub edge_min_m: f64,
    pub edge_mean_m: f64,
    pub edge_max_m: f64,
}

impl TetMesh {
    pub fn quality(&self) -> Quality {
        let (dihedral_min_deg, dihedral_max_deg) = self.dihedral_range_deg();
        let mut dihedral_histogram = [0; 18];
        for angle in self.tet_ids().flat_map(|tet| self.dihedral_angles_deg(tet)) {
            dihedral_histogram[((angle / HISTOGRAM_STEP_DEG) as usize).min(17)] += 1;
        }
        let length = |[a, b]: [u32; 2]| self.positions[a as usize].distance(self.positions[b as usize]);
        let lengths: Vec<f64> = edges(self.positions.len(), &self.tets).into_iter().map(length).collect();
        let aspects = self.aspects();
        let worst = aspects.pairs().max_by(|a, b| a.1.total_cmp(b.1));
        Quality {
            dihedral_min_deg,
            dihedral_max_deg,
            dihedral_histogram,
            worst_aspect: worst.map_or(1.0, |(_, aspect)| *aspect),
            worst_tet: worst.map(|(tet, _)| tet),
            edge_min_m: lengths.iter().copied().fold(f64::INFINITY, f64::min),
            edge_mean_m: lengths.iter().sum::<f64>() / lengths.len().max(1) as f64,
            edge_max_m: lengths.iter().copied().fold(0.0, f64::max),
        }
    }

    /// Of each tet, its circumradius over three times its inradius: 1 for a regular one.
    pub fn aspects(&self) -> PerTet<f64> {
        self.tet_ids().map(|tet| self.aspect(tet)).collect()
    }

    fn aspect(&self, tet: TetId) -> f64 {
        let edge = self.edge_matrix(tet);
        let (u, v, w) = (edge.x_axis, edge.y_axis, edge.z_axis);
        let six_volumes = edge.determinant();
        let to_centre =
            u.length_squared() * v.cross(w) + v.length_squared() * w.cross(u) + w.length_squared() * u.cross(v);
        let circumradius = to_centre.length() / (2.0 * six_volumes);
        let areas = [v.cross(w), w.cross(u), u.cross(v), (v - u).cross(w - u)].map(|a| 0.5 * a.length());
        let inradius = 0.5 * six_volumes / areas.iter().sum::<f64>();
        circumradius / (3.0 * inradius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::{DVec3, dvec3};

    #[test]
    fn a_regular_tet_is_perfect_and_a_flat_one_is_not() {
        let regular = [[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]].map(|x| DVec3::from_array(x.map(f64::from)));
        let mesh = TetMesh { positions: regular.to_vec(), tets: vec![[0, 1, 3, 2]] };
        let quality = mesh.quality();
        assert!((quality.worst_aspect - 1.0).abs() < 1e-12, "{quality:?}");
        assert!((quality.dihedral_min_deg - (1f64 / 3.0).acos().to_degrees()).abs() < 1e-9);
        assert_eq!(quality.dihedral_histogram[7], 6);
        assert!((quality.edge_mean_m - 2f64.sqrt()).abs() < 1e-12);
        let mut flat = mesh.clone();
        flat.positions[3] = dvec3(0.6, 0.5, 0.4);
        assert!(flat.quality().worst_aspect.abs() > 3.0);
    }
}
