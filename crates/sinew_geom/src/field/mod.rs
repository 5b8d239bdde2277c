//! Numbers at every point of a body: distances through it, and smooth fields through what a user painted.
//!
//! [`mesh_distance`] measures along the material of a mesh.

mod mesh_distance;

pub use mesh_distance::{MeshDistance, mesh_distance};
