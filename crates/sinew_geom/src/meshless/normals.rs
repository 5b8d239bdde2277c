//! Normals of a surface that nodes move: exact, and in the fast form that a graphics card sums.
//!
//! [AWO09] (see [`super`]) Eq. 7: n' = (∇f)⁻ᵀ n. Departure: cof(∇f) n has the same direction, needs no
//! inverse, and survives inversion. Eq. 8–9: n' ≈ ∇f n = n + Σ (∇Φ_iᵀ n) u_i, with the scalars computed once.
//! It is exact where the motion is locally rigid; elsewhere shear and unequal stretch turn it the wrong way.

use super::functions::ShapeFunctions;
use rayon::prelude::*;
use sinew_math::{DMat3, DVec3};

/// Normals as sums over the nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct FastNormals {
    rest: Vec<DVec3>,
    start: Vec<u32>,
    nodes: Vec<u32>,
    scalars: Vec<f64>,
}

impl ShapeFunctions {
    /// Unit normals where the points that had `rest_normals` are displaced: cof(∇f) n.
    pub fn normals(&self, rest_normals: &[DVec3], displacement: &[DVec3]) -> Vec<DVec3> {
        let turned = |(point, normal): (usize, &DVec3)| {
            (cofactors(self.gradient(point, displacement)) * *normal).normalize_or(*normal)
        };
        rest_normals.par_iter().enumerate().take(self.len()).map(turned).collect()
    }

    /// The fast form, ready for any displacement.
    pub fn fast_normals(&self, rest_normals: &[DVec3]) -> FastNormals {
        let mut fast =
            FastNormals { rest: rest_normals.to_vec(), start: vec![0], nodes: Vec::new(), scalars: Vec::new() };
        for (row, normal) in self.rows().zip(rest_normals) {
            fast.nodes.extend_from_slice(row.nodes);
            fast.scalars.extend(row.gradients.iter().map(|slope| slope.dot(*normal)));
            fast.start.push(fast.nodes.len() as u32);
        }
        fast
    }
}

impl FastNormals {
    /// Unit normals: n + Σ (∇Φ_iᵀ n) u_i.
    pub fn normals(&self, displacement: &[DVec3]) -> Vec<DVec3> {
        let turned = |(range, rest): (&[u32], &DVec3)| {
            let range = range[0] as usize..range[1] as usize;
            let terms = self.nodes[range.clone()].iter().zip(&self.scalars[range]);
            terms.fold(*rest, |sum, (node, scalar)| sum + displacement[*node as usize] * *scalar).normalize_or(*rest)
        };
        self.start.windows(2).zip(&self.rest).map(turned).collect()
    }
}

/// The matrix of cofactors: det(F) F⁻ᵀ, where F has an inverse.
fn cofactors(f: DMat3) -> DMat3 {
    DMat3::from_cols(f.y_axis.cross(f.z_axis), f.z_axis.cross(f.x_axis), f.x_axis.cross(f.y_axis))
}
