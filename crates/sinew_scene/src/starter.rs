//! Commented scenes to start from. Lines that begin with `# | ` become part of the scene when that mark is taken away.

use crate::builtin;
use crate::nearest::did_you_mean;
use crate::problem::SceneError;
use toml_edit::Value;

/// A scene with one of the built-in models.
pub fn of_model(model: &str) -> Result<String, SceneError> {
    let names: Vec<&str> = builtin::models().iter().map(|known| known.name).collect();
    if !names.contains(&model) {
        let message = format!("unknown model {model:?}");
        return Err(SceneError::without_place("--model", message, Some(did_you_mean(model, &names))));
    }
    let flesh = if model == "cloth" { SHELL } else { TETS };
    // What has sharp edges shows its own flesh; what is round looks better with a finer skin.
    let vertices = if STRUCTURED.contains(&model) { "" } else { ", vertices = 20000" };
    Ok(scene(model, &format!("{{ model = \"{model}\"{vertices} }}"), flesh, MATCHED))
}

/// A scene with a mesh file, named relative to where the scene will be.
pub fn of_mesh(mesh: &str) -> String {
    let stem = mesh.rsplit(['/', '\\']).next().and_then(|file| file.split('.').next()).unwrap_or("");
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let name = if name.trim_matches('-').is_empty() { "body".into() } else { name };
    let mesh = Value::from(if mesh.is_empty() { "my.obj" } else { mesh }).to_string();
    scene(&name, &format!("{{ mesh = {mesh}, unit = \"m\", up = \"y\" }}   # units m, cm, mm, in, ft"), TETS, ELASTIC)
}

const STRUCTURED: [&str; 4] = ["bar", "cylinder", "cloth", "bell"];
const TETS: &str = "{ kind = \"tets\", vertices = 500 }";
const MATCHED: &str = "{ kind = \"shape_matching\", iterations = 2 }";
/// A user's mesh may have any size: FEM gives it the material's stiffness whatever that is.
const ELASTIC: &str =
    "{ kind = \"fem\", method = \"descent\", iterations = 20 }   # method = \"newton\" for final quality";
const SHELL: &str = "{ kind = \"shell\", vertices = 500 }";

fn scene(name: &str, skin: &str, flesh: &str, solver: &str) -> String {
    format!(
        r##"# What this scene shows, in one line.
sinew = 1                               # version of the format

[scene]
fps = 24                                # or a ratio such as [24000, 1001]
frames = [1, 96]                        # both included
substeps = 4
gravity = [0.0, -9.81, 0.0]             # metres, kilograms, seconds; Y is up

[[body]]
name = "{name}"
skin = {skin}
at = [0.0, 1.0, 0.0]
material = {{ preset = "jelly" }}         # jelly, rubber, muscle, fat, cloth, worm; any number can be overridden
flesh = {flesh}
solver = {solver}

# Directors say how the body should move; several act together. Take the "# | " away to try these.
# |
# | [body.sets]
# | top = {{ side = "y", within = 0.1 }}
# |
# | [[body.director]]
# | name = "hold"
# | kind = "pin"                          # also goal, force, path, rest_shape, muscle, material
# | on = "top"
# | move = [0.0, [[1, 0.0, "smooth"], [48, 0.3, "smooth"], [96, 0.0]], 0.0]   # keys of [frame, value]
# |
# | [[body.director]]
# | name = "breathe"
# | kind = "muscle"
# | period = 2.0                          # seconds
# | primary = [[0.0, 1.0], [0.5, 0.8]]    # [phase, rate]: shorter than at rest below 1
# | fibres = {{ around = "y" }}

[[obstacle]]
name = "ground"
shape = "plane"

[camera]
eye = [0.0, 1.2, 3.5]
look_at = [0.0, 0.7, 0.0]
"##
    )
}
