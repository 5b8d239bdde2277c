//! Meshless shape functions: a body moves with a few nodes, by moving least squares of first order.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas. "Meshless Shape and Motion Design for Multiple Deformable
//! Objects". Computer Graphics Forum 2009. Cited below as [AWO09].
//!
//! [`Nodes::over`] samples a body of tets. [`Nodes::functions_at`] evaluates the functions Φ_i and their
//! gradients at points of the body: f(x) = x + Σ Φ_i(x) u_i (Eq. 1). [`Nodes::quadrature`] gives points with
//! volumes for energies. [`ShapeFunctions::normals`] and [`FastNormals`] turn normals. [`InnerSpheres`] and
//! [`SurfaceSamples`] stand for the body where it may touch others.
//!
//! Nodal values are no positions: Φ_i(x_j) ≠ δ_ij. Constraints belong on f(x), never on u_i.

mod error;
mod functions;
mod inner_spheres;
mod links;
mod material;
mod nodes;
mod normals;
mod quadrature;
mod sampling;
mod surface_samples;

pub use error::MeshlessError;
pub use functions::{ShapeFunctions, ShapeRow};
pub use inner_spheres::InnerSpheres;
pub use links::Link;
pub use nodes::{Fit, MeshlessOptions, Nodes};
pub use normals::FastNormals;
pub use quadrature::Quadrature;
pub use surface_samples::SurfaceSamples;
