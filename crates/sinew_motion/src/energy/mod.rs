//! What deformation costs: densities at points, and their sums over a body as functions of nodal places.

mod density;
mod elastic;

pub use density::{Curvature, Density, Elastic, Hessian, LEAST_J, cofactor};
pub use elastic::ElasticForm;
