//! `sinew new`: a project folder with a commented scene.

use crate::args::New;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::geom::TriangleMesh;
use sinew::math::{DVec3, dvec3, libm};
use sinew::scene::model::Unit;
use sinew::scene::{Command, Document, SceneError, starter};
use std::path::Path;

pub(crate) fn run(args: &New, output: Output) -> Result<(), Failure> {
    let scene_file = args.dir.join("scene.toml");
    if scene_file.exists() {
        return Err(Failure::new(format!("{} exists already", scene_file.display()), "choose another folder"));
    }
    let (mut document, size_m) = match &args.mesh {
        Some(mesh) => from_mesh(mesh, &args.unit, &args.dir)?,
        None => (Document::parse(&starter::of_model(&args.model)?, "scene.toml")?, None),
    };
    std::fs::create_dir_all(args.dir.join("takes"))?;
    document.save_as(&scene_file)?;
    let odd = size_m.filter(|size| !LIKELY_M.contains(size)).map(|size| {
        format!("\nThe body is {size:.3} m from corner to corner; if that is not meant, say what the file counts in, as --unit cm does.")
    });
    output.finish(&json!({ "scene": scene_file.display().to_string(), "size_m": size_m }), || {
        format!(
            "{0}{2}\nNext: sinew studio {1}, or sinew bake {1} -o {1}/takes/first.take",
            scene_file.display(),
            args.dir.display(),
            odd.unwrap_or_default()
        )
    })
}

/// Sizes that nobody is surprised by.
const LIKELY_M: std::ops::RangeInclusive<f64> = 0.005..=30.0;

/// Copies the mesh into the project and refers to it there; gives the body's size too.
fn from_mesh(mesh: &Path, unit: &str, dir: &Path) -> Result<(Document, Option<f64>), Failure> {
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
    let body = document.scene().bodies.first().map(|body| body.name.clone()).unwrap_or_default();
    document.apply(&Command::Set { path: format!("body.{body}.skin.unit"), value: json!(unit) })?;
    let metres = serde_json::from_value::<Unit>(json!(unit))?.metres();
    let size_m = frame(&mut document, &body, &positions.iter().map(|x| *x * metres).collect::<Vec<_>>())?;
    Ok((document, Some(size_m)))
}

/// Puts the body a little above the ground, so that soft feet land it and do not throw it over, and the camera where it sees
/// all of the fall.
fn frame(document: &mut Document, body: &str, positions: &[DVec3]) -> Result<f64, Failure> {
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
        let rounded = place.to_array().map(|c| json!((c * per_step).round() / per_step));
        document.apply(&Command::Set { path, value: json!(rounded) })?;
    }
    Ok(size)
}
