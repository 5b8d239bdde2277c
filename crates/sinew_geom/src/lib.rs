//! Meshes and what is computed on them, without any notion of time or of simulation.
//!
//! Start with [`TetMesh`] and [`TriangleMesh`]; [`structured`] makes bars, cylinders, cloths and bells; [`Rows`] is the sparse map
//! that anchors and embeddings are made of. [`distance`] measures to composed shapes and to surfaces, and [`stuffing`] fills
//! what it measures with tetrahedra; [`extraction`] draws its surface, and [`cast`] has bodies made that way.
//! [`SurfaceReport`] says what is wrong with a surface.

pub mod adjacency;
mod carried;
pub mod cast;
pub mod distance;
pub mod embedding;
pub mod extraction;
pub mod field;
pub mod ids;
pub mod manifold;
pub mod meshless;
pub mod order;
pub mod primitive;
pub mod quality;
mod rows;
pub mod section;
mod spread;
pub mod structured;
pub mod stuffing;
mod surface_report;
mod tet_mesh;
mod triangle_mesh;

pub use carried::CarriedDirections;
pub use embedding::Embedding;
pub use ids::{Id, PerTet, PerTriangle, PerVertex, TetId, TriangleId, VertexId};
pub use rows::{Row, Rows};
pub use spread::spread;
pub use surface_report::SurfaceReport;
pub use tet_mesh::{MeshError, TetMesh};
pub use triangle_mesh::{TriangleError, TriangleMesh};
