//! Projects: a folder with a scene, its meshes in `assets/` and its takes in `takes/`.

use serde_json::json;
use sinew_geom::{TriangleError, TriangleMesh};
use sinew_io::ReadError;
use sinew_math::{DVec3, dvec3, libm};
use sinew_scene::{Command, Document, SceneError, Unit, starter};
use std::path::Path;

/// Why a mesh does not become a project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Tets(#[from] sinew_geom::MeshError),
    #[error(transparent)]
    Surface(#[from] TriangleError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error("cannot write {what}")]
    Write { what: String, source: std::io::Error },
}

/// A scene that begins with a mesh.
pub struct MeshProject {
    pub document: Document,
    /// The body's size from corner to corner.
    pub size_m: f64,
    /// The surface as the file has it; none where the file holds tetrahedra.
    pub surface: Option<TriangleMesh>,
}

/// Copies a mesh into the folder `dir` and makes a scene that begins with it, which is not saved yet.
pub fn from_mesh(mesh: &Path, unit: Unit, dir: &Path) -> Result<MeshProject, ProjectError> {
    let name = mesh.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let surface = read_surface(mesh)?;
    let positions = match &surface {
        Some(surface) => surface.positions.clone(),
        None => sinew_io::read_tets(mesh)?.into_mesh()?.0.positions,
    };
    let assets = dir.join("assets");
    let unwritten = |source| ProjectError::Write { what: assets.join(&name).display().to_string(), source };
    std::fs::create_dir_all(&assets).map_err(unwritten)?;
    std::fs::copy(mesh, assets.join(&name)).map_err(unwritten)?;
    let mut document = Document::parse(&starter::of_mesh(&format!("assets/{name}")), "scene.toml")?;
    let body = document.scene().bodies.first().map(|body| body.name.clone()).unwrap_or_default();
    document.apply(&Command::Set { path: format!("body.{body}.skin.unit"), value: json!(unit) })?;
    let metres: Vec<DVec3> = positions.iter().map(|x| *x * unit.metres()).collect();
    let size_m = frame(&mut document, &body, &metres)?;
    // Read anew: how it was made is nothing that anyone did, and nothing to undo.
    let document = Document::parse(document.text(), "scene.toml")?;
    Ok(MeshProject { document, size_m, surface })
}

fn read_surface(mesh: &Path) -> Result<Option<TriangleMesh>, ProjectError> {
    if sinew_io::holds_tets(mesh) {
        return Ok(None);
    }
    let file = sinew_io::read_surface(mesh)?;
    Ok(Some(TriangleMesh::new(file.positions, file.triangles)?))
}

/// Puts the body a little above the ground, so that soft feet land it and do not throw it over, and the camera where it sees
/// all of the fall.
fn frame(document: &mut Document, body: &str, positions: &[DVec3]) -> Result<f64, SceneError> {
    let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let size = (high - low).length();
    let middle = (low + high) * 0.5;
    let places = [
        (format!("body.{body}.at"), dvec3(-middle.x, 0.2 * size - low.y, -middle.z)),
        ("camera.eye".to_owned(), dvec3(0.8, 0.7, 1.7) * size),
        ("camera.look_at".to_owned(), dvec3(0.0, 0.35, 0.0) * size),
    ];
    for (path, place) in places {
        // Four digits of the size are as many as anyone wants to read.
        let per_step = libm::pow(10.0, 3.0 - libm::floor(libm::log10(size.max(f64::MIN_POSITIVE))));
        // Plus nothing: no one writes -0.
        let rounded = place.to_array().map(|c| json!((c * per_step).round() / per_step + 0.0));
        document.apply(&Command::Set { path, value: json!(rounded) })?;
    }
    Ok(size)
}
