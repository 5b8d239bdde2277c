//! Numbers at every point of a body: distances through it, and smooth fields through what a user painted.
//!
//! [`mesh_distance`] measures along the material of a mesh. [`SmoothField`] solves for a field on the mesh, [`Rbf`] for one of the
//! space around it.

mod mesh_distance;
mod rbf;
mod smooth;

pub use mesh_distance::{MeshDistance, mesh_distance};
pub use rbf::Rbf;
pub use smooth::{MaterialPoint, SmoothField};
