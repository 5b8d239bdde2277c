//! Numbers at every point of a body: distances through it, and smooth fields through what a user painted.
//!
//! [`mesh_distance`] measures along the material of a mesh, [`GridMarcher`] inside a signed distance. [`SmoothField`] solves for a field on the mesh, [`Rbf`] for one of the
//! space around it. [`harmonic_in_tets`] tells how far along the way from here to there a place is.

mod harmonic;
mod march;
mod mesh_distance;
mod nearest_first;
mod rbf;
mod smooth;

pub use harmonic::{harmonic_in_tets, harmonic_on_sheet};
pub use march::{GridDistance, GridMarcher, MarchError};
pub use mesh_distance::{MeshDistance, mesh_distance};
pub use rbf::Rbf;
pub use smooth::{MaterialPoint, SmoothField};
