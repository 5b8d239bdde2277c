//! `sinew new`: a project folder with a commented scene.

use crate::args::New;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use sinew::scene::nearest::did_you_mean;
use sinew::scene::{Document, SceneError};
use std::path::Path;

const MODELS: [(&str, &str); 4] = [
    ("bar", "flesh = { kind = \"tets\", vertices = 315 }"),
    ("cylinder", "flesh = { kind = \"tets\", vertices = 400 }"),
    ("bell", "flesh = { kind = \"tets\", vertices = 850 }"),
    ("cloth", "flesh = { kind = \"shell\", vertices = 400 }"),
];

pub(crate) fn run(args: &New, output: Output) -> Result<(), Failure> {
    let scene_file = args.dir.join("scene.toml");
    if scene_file.exists() {
        return Err(Failure::new(format!("{} exists already", scene_file.display()), "choose another folder"));
    }
    let (skin, flesh) = match &args.mesh {
        Some(mesh) => from_mesh(mesh, &args.dir)?,
        None => from_model(&args.model)?,
    };
    std::fs::create_dir_all(args.dir.join("takes"))?;
    let text = scene_text(&skin, &flesh);
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

fn from_model(model: &str) -> Result<(String, String), Failure> {
    let names = MODELS.map(|(name, _)| name);
    let (name, flesh) = MODELS
        .iter()
        .find(|(name, _)| *name == model)
        .ok_or_else(|| Failure::usage(format!("there is no built-in model {model:?}"), did_you_mean(model, &names)))?;
    Ok((format!("skin = {{ model = \"{name}\" }}"), (*flesh).to_owned()))
}

/// Vertices of flesh grown in a user's surface.
const GROWN_VERTICES: usize = 1000;

/// Copies the mesh into the project and refers to it there.
fn from_mesh(mesh: &Path, dir: &Path) -> Result<(String, String), Failure> {
    let name = mesh.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let flesh = if sinew::io::holds_tets(mesh) {
        sinew::io::read_tets(mesh)?.into_mesh()?;
        "# The file's tetrahedra are the flesh.".to_owned()
    } else {
        let file = sinew::io::read_surface(mesh)?;
        sinew::geom::TriangleMesh::new(file.positions, file.triangles)?;
        format!("flesh = {{ kind = \"tets\", vertices = {GROWN_VERTICES} }}   # grown inside the surface")
    };
    std::fs::create_dir_all(dir.join("assets"))?;
    std::fs::copy(mesh, dir.join("assets").join(&name))
        .map_err(|error| SceneError::without_place(mesh.display().to_string(), error.to_string(), None))?;
    Ok((format!("skin = {{ mesh = \"assets/{name}\", unit = \"m\", up = \"y\" }}"), flesh))
}

fn scene_text(skin: &str, flesh: &str) -> String {
    format!(
        r#"# A soft body that falls on the ground. Change anything, then: sinew bake . -o takes/first.take
sinew = 1                          # version of this format

[scene]
fps = 24                           # or [24000, 1001]
frames = [1, 96]                   # first and last, both included
substeps = 4                       # steps of the simulation per frame
gravity = [0.0, -9.81, 0.0]        # m/s²; Y is up

[[body]]
name = "body"
{skin}
at = [0.0, 1.0, 0.0]               # metres; also: turn (degrees), scale, velocity
material = {{ preset = "jelly" }}    # jelly, rubber, muscle, fat, cloth, worm; young_pa = 2.0e4 overrides
{flesh}
solver = {{ kind = "shape_matching", iterations = 2 }}   # or {{ kind = "fem" }}, on tetrahedra

# Directors say how the body should move. Any number may be a curve: [[frame, value], …]
# [[body.director]]
# kind = "muscle"                  # also: rest_shape, force, goal, pin, path, material
# period = 1.0
# primary = [[0.0, 1.0], [0.4, 0.7]]
# fibres = {{ along = "x" }}

[[obstacle]]
shape = "plane"

[camera]
eye = [1.5, 1.5, 3.0]
look_at = [0.0, 0.4, 0.0]
"#
    )
}
