//! `sinew new`: a project folder with a commented scene.

use crate::args::New;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::geom::TriangleMesh;
use sinew::scene::{Document, SceneError, starter};
use std::path::Path;

pub(crate) fn run(args: &New, output: Output) -> Result<(), Failure> {
    let scene_file = args.dir.join("scene.toml");
    if scene_file.exists() {
        return Err(Failure::new(format!("{} exists already", scene_file.display()), "choose another folder"));
    }
    let text = match &args.mesh {
        Some(mesh) => from_mesh(mesh, &args.dir)?,
        None => starter::of_model(&args.model)?,
    };
    std::fs::create_dir_all(args.dir.join("takes"))?;
    let mut document = Document::parse(&text, "scene.toml")?;
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
fn from_mesh(mesh: &Path, dir: &Path) -> Result<String, Failure> {
    let name = mesh.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if sinew::io::holds_tets(mesh) {
        sinew::io::read_tets(mesh)?.into_mesh()?;
    } else {
        let file = sinew::io::read_surface(mesh)?;
        TriangleMesh::new(file.positions, file.triangles)?;
    }
    std::fs::create_dir_all(dir.join("assets"))?;
    std::fs::copy(mesh, dir.join("assets").join(&name))
        .map_err(|error| SceneError::without_place(mesh.display().to_string(), error.to_string(), None))?;
    Ok(starter::of_mesh(&format!("assets/{name}")))
}
