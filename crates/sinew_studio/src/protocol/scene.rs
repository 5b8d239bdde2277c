//! The stage as a page sees it: what is fixed until it is made anew.

use serde::Serialize;
use sinew_geom::TriangleMesh;
use sinew_solve::Shape;
#[cfg(test)]
use ts_rs::TS;

/// What is fixed until the stage is made anew.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct SceneInfo {
    pub name: String,
    pub fps: [u32; 2],
    pub substeps: u32,
    pub first_frame: i32,
    pub last_frame: i32,
    pub camera: Option<CameraInfo>,
    pub bodies: Vec<BodyInfo>,
    /// Where they are comes with each frame.
    pub obstacles: Vec<ObstacleInfo>,
    pub model_count: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct CameraInfo {
    pub eye: [f64; 3],
    pub look_at: [f64; 3],
    pub fov_deg: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct BodyInfo {
    pub name: String,
    /// Where it is in the document, such as `body.jelly`; copies share one.
    pub path: String,
    /// Which of the binary models it is drawn with; copies share one.
    pub model: u32,
    pub solver: String,
    /// Red, green and blue from 0 to 1 as a screen shows them; none leaves the choice to the page.
    pub colour: Option<[f32; 3]>,
    pub points: u32,
    /// Tetrahedra, or triangles where the flesh is a shell.
    pub cells: u32,
    pub is_shell: bool,
    pub mass_kg: f64,
    pub skin_vertices: u32,
    pub skin_triangles: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
pub struct ObstacleInfo {
    pub name: String,
    /// Where it is in the document, such as `obstacle.ground`.
    pub path: String,
    pub shape: ObstacleShape,
}

/// In the obstacle's own frame, metres.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ObstacleShape {
    /// The half space below y = 0.
    Plane,
    Sphere {
        radius_m: f64,
    },
    Box {
        half_m: [f64; 3],
    },
    /// Along y, rounded beyond its half length.
    Capsule {
        half_length_m: f64,
        radius_m: f64,
    },
    /// What triangles enclose: x, y and z of each vertex, and three vertices of each triangle.
    Mesh {
        positions: Vec<f32>,
        triangles: Vec<u32>,
    },
}

impl From<Shape> for ObstacleShape {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Plane => Self::Plane,
            Shape::Sphere { radius_m } => Self::Sphere { radius_m },
            Shape::Box { half_m } => Self::Box { half_m: half_m.to_array() },
            Shape::Capsule { half_length_m, radius_m } => Self::Capsule { half_length_m, radius_m },
            Shape::Mesh(mesh) => {
                let TriangleMesh { positions, triangles } = mesh.mesh();
                let positions = positions.iter().flat_map(|x| x.as_vec3().to_array()).collect();
                Self::Mesh { positions, triangles: triangles.concat() }
            }
        }
    }
}
