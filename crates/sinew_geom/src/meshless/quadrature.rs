//! Points with volumes, at which energies of a body are summed.

use super::error::MeshlessError;
use super::functions::ShapeFunctions;
use super::nodes::Nodes;
use sinew_math::DVec3;

/// Points with volumes that sum to the body's volume, and the functions there. They are points beside the nodes: with strain
/// measured at the nodes alone, some motions would cost nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    pub points: Vec<DVec3>,
    pub volume_m3: Vec<f64>,
    pub functions: ShapeFunctions,
}

impl Nodes {
    /// About `per_node` points for every node; four do.
    pub fn quadrature(&self, per_node: usize) -> Result<Quadrature, MeshlessError> {
        let mesh = self.mesh();
        let middles: Vec<DVec3> = mesh.tet_ids().map(|tet| mesh.places(tet).iter().sum::<DVec3>() / 4.0).collect();
        let count = (per_node * self.len()).clamp(1, middles.len());
        let points: Vec<DVec3> = (0..count).map(|n| middles[n * middles.len() / count]).collect();
        let mut volume_m3 = vec![0.0; count];
        for (tet, middle) in mesh.tet_ids().zip(&middles) {
            let away = |n: usize| points[n].distance_squared(*middle);
            let nearest = (0..count).fold(0, |best, n| if away(n) < away(best) { n } else { best });
            volume_m3[nearest] += mesh.tet_volume(tet);
        }
        let functions = self.functions_at(&points)?;
        Ok(Quadrature { points, volume_m3, functions })
    }
}
