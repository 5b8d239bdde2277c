//! `sinew new`: a project folder with a commented scene.

use crate::args::New;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::geom::TriangleMesh;
use sinew::math::{DVec3, dvec3, libm};
use sinew::scene::{Command, Document, SceneError, starter};
use std::path::Path;

pub(crate) fn run(args: &New, output: Output) -> Result<(), Failure> {
    let scene_file = args.dir.join("scene.toml");
    if scene_file.exists() {
        return Err(Failure::new(format!("{} exists already", scene_file.display()), "choose another folder"));
    }
    let mut document = match &args.mesh {
        Some(mesh) => from_mesh(mesh, &args.dir)?,
        None => Document::parse(&starter::of_model(&args.model)?, "scene.toml")?,
    };
    std::fs::create_dir_all(args.dir.join("takes"))?;
    document.save_as(&scene_file)?;
    output.finish(&json!({ "scene": scene_file.display().to_string() }), || {
        format!(
            "{0}\nNext: sinew studio {1}, or sinew bake {1} -o {1}/takes/first.take",
            scene_file.display(),
            args.dir.display()
        )
    })
}

/// Copies the mesh into the project and refers to it there.
fn from_mesh(mesh: &Path, dir: &Path) -> Result<Document, Failure> {
    let name = mesh.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let positions = if sinew::io::holds_tets(mesh) {
        sinew::io::read_tets(mesh)?.into_mesh()?.0.positions
    } else {
        let file = sinew::io::read_surface(mesh)?;
        TriangleMesh::new(file.positions, file.triangles)?.positions
    };
    std::fs::create_dir_all(dir.join("assets"))?;
    std::fs::copy(mesh, dir.join("assets").join(&name))
        .map_err(|error| SceneError::without_place(mesh.display().to_string(), error.to_string(), None))?;
    let mut document = Document::parse(&starter::of_mesh(&format!("assets/{name}")), "scene.toml")?;
    frame(&mut document, &positions)?;
    Ok(document)
}

/// Puts the body a little above the ground, so that soft feet land it and do not throw it over, and the camera where it sees
/// all of the fall.
fn frame(document: &mut Document, positions: &[DVec3]) -> Result<(), Failure> {
    let low = positions.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
    let high = positions.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
    let size = (high - low).length();
    let middle = (low + high) * 0.5;
    let body = document.scene().bodies.first().map(|body| body.name.clone()).unwrap_or_default();
    let places = [
        (format!("body.{body}.at"), dvec3(-middle.x, 0.2 * size - low.y, -middle.z)),
        ("camera.eye".to_owned(), dvec3(0.8, 0.7, 1.7) * size),
        ("camera.look_at".to_owned(), dvec3(0.0, 0.35, 0.0) * size),
    ];
    for (path, place) in places {
        // Four digits of the size are as many as anyone wants to read.
        let per_step = libm::pow(10.0, 3.0 - libm::floor(libm::log10(size.max(f64::MIN_POSITIVE))));
        let rounded = place.to_array().map(|c| json!((c * per_step).round() / per_step));
        document.apply(&Command::Set { path, value: json!(rounded) })?;
    }
    Ok(())
}
