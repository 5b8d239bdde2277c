//! Energy densities summed over a body's quadrature points, as functions of its nodal places `y = x + u`.
//!
//! Adams et al. 2009, Eq. 12 and 13, with volumes that partition the body and points beside the nodes: strain
//! at the nodes alone leaves motions without energy. The sum is a mean over the body's volume, so that
//! weights mean the same for every body.

use super::{Curvature, Elastic};
use sinew_geom::meshless::{Quadrature, ShapeFunctions};
use sinew_math::rotation::outer;
use sinew_math::{DMat3, DVec3};

/// Shares of the volume and gradients of shape functions at quadrature points.
#[derive(Debug, Clone, PartialEq)]
pub struct ElasticForm {
    shares: Vec<f64>,
    functions: ShapeFunctions,
    nodes: usize,
}

impl ElasticForm {
    pub fn new(nodes: usize, quadrature: &Quadrature) -> Self {
        let total: f64 = quadrature.volume_m3.iter().sum();
        let shares = quadrature.volume_m3.iter().map(|v| v / total).collect();
        Self { shares, functions: quadrature.functions.clone(), nodes }
    }

    /// `∇f` at a quadrature point.
    pub fn deformation_gradient(&self, point: usize, places: &[DVec3]) -> DMat3 {
        let row = self.functions.row(point);
        let terms = row.nodes.iter().zip(row.gradients);
        terms.fold(DMat3::ZERO, |sum, (node, g)| sum + outer(places[*node as usize], *g))
    }

    /// Strain term, volume term.
    pub fn values(&self, elastic: &Elastic, places: &[DVec3]) -> [f64; 2] {
        self.shares.iter().enumerate().fold([0.0; 2], |[strain, volume], (point, share)| {
            let [s, v] = elastic.values(self.deformation_gradient(point, places));
            [strain + share * s, volume + share * v]
        })
    }

    /// Volume of the pose as a share of that at rest, and the least `det ∇f`.
    pub fn volume_share(&self, places: &[DVec3]) -> (f64, f64) {
        self.shares.iter().enumerate().fold((0.0, f64::INFINITY), |(sum, least), (point, share)| {
            let j = self.deformation_gradient(point, places).determinant();
            (sum + share * j, least.min(j))
        })
    }

    /// Adds `weight` times the gradient, three numbers a node; gives the strain and volume terms, unweighted.
    pub fn add_gradient(&self, elastic: &Elastic, places: &[DVec3], weight: f64, gradient: &mut [DVec3]) -> [f64; 2] {
        let mut values = [0.0; 2];
        for (point, share) in self.shares.iter().enumerate() {
            let f = self.deformation_gradient(point, places);
            let [strain, volume] = elastic.values(f);
            values = [values[0] + share * strain, values[1] + share * volume];
            let stress = elastic.density(f).gradient * (weight * share);
            let row = self.functions.row(point);
            for (node, g) in row.nodes.iter().zip(row.gradients) {
                gradient[*node as usize] += stress * *g;
            }
        }
        values
    }

    /// Adds `weight` times the Hessian to the lower triangle of a dense matrix of `stride` rows, column by
    /// column.
    pub fn add_hessian(
        &self,
        elastic: &Elastic,
        places: &[DVec3],
        weight: f64,
        curvature: Curvature,
        matrix: &mut [f64],
        stride: usize,
    ) {
        let mut turned: Vec<[[f64; 3]; 9]> = Vec::new();
        for (point, share) in self.shares.iter().enumerate() {
            let h = elastic.hessian(self.deformation_gradient(point, places), curvature);
            let row = self.functions.row(point);
            let scale = weight * share;
            turned.clear();
            // T_b = H ∇Φ_b, then blocks ∇Φ_aᵀ T_b.
            turned.extend(row.gradients.iter().map(|g| {
                let g = *g * scale;
                std::array::from_fn(|rc| {
                    std::array::from_fn(|s| h[rc][s] * g.x + h[rc][s + 3] * g.y + h[rc][s + 6] * g.z)
                })
            }));
            for (b, t) in row.nodes.iter().zip(&turned) {
                for (a, g) in row.nodes.iter().zip(row.gradients) {
                    if a < b {
                        continue;
                    }
                    for s in 0..3 {
                        let column = &mut matrix[(3 * *b as usize + s) * stride + 3 * *a as usize..][..3];
                        column[0] += g.x * t[0][s] + g.y * t[3][s] + g.z * t[6][s];
                        column[1] += g.x * t[1][s] + g.y * t[4][s] + g.z * t[7][s];
                        column[2] += g.x * t[2][s] + g.y * t[5][s] + g.z * t[8][s];
                    }
                }
            }
        }
    }

    /// `Σ_q share Φᵢ Φⱼ`, N × N: the mean square of a field over the body is `vᵀ M v`.
    pub fn mass(&self) -> Vec<f64> {
        let n = self.nodes;
        let mut mass = vec![0.0; n * n];
        for (point, share) in self.shares.iter().enumerate() {
            let row = self.functions.row(point);
            for (a, va) in row.nodes.iter().zip(row.values) {
                for (b, vb) in row.nodes.iter().zip(row.values) {
                    mass[*a as usize * n + *b as usize] += share * va * vb;
                }
            }
        }
        mass
    }
}
