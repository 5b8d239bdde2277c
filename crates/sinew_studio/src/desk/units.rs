//! Files do not say what their numbers are. A body of 773 m, or of 2 mm, is asked about; one click puts it right.

use crate::protocol::{Command, Level, Notice, NoticeAction};
use crate::show::Show;
use serde_json::{Value, json};
use sinew_math::DVec3;
use sinew_scene::model::ObstacleShape;
use sinew_scene::{Command as Edit, Document, Scene, Skin, Unit};
use sinew_solve::Shape;

/// Sizes that people have on a desk or a stage.
const USUAL_M: [f64; 2] = [0.01, 50.0];

/// A mesh on stage: a body's skin, or an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MeshSize {
    pub(super) list: &'static str,
    pub(super) name: String,
    /// Of its box, from corner to corner.
    pub(super) size_m: f64,
}

/// How large the meshes of a scene are on the stage that was made of it.
pub(super) fn sizes(scene: &Scene, show: &dyn Show) -> Vec<MeshSize> {
    let of_bodies = scene.bodies.iter().filter(|body| matches!(body.skin, Skin::Mesh(_))).filter_map(|body| {
        let shown = show.bodies().iter().find(|shown| shown.path == format!("body.{}", body.name))?;
        Some(MeshSize { list: "body", name: body.name.clone(), size_m: diagonal(&shown.skin.mesh.positions) })
    });
    let obstacles = scene.obstacles.iter().enumerate().zip(show.obstacles_at(0));
    let of_obstacles = obstacles.filter_map(|((place, obstacle), shown)| match shown.shape {
        Shape::Mesh(mesh) => {
            let size_m = diagonal(&mesh.mesh().positions);
            Some(MeshSize { list: "obstacle", name: obstacle.name_at(place), size_m })
        }
        _ => None,
    });
    of_bodies.chain(of_obstacles).collect()
}

fn diagonal(positions: &[DVec3]) -> f64 {
    let (low, high) =
        positions.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)));
    if positions.is_empty() { 0.0 } else { low.distance(high) }
}

/// Asks about meshes of an unusual size that nobody has answered for: by another unit, or by a scale, be it 1. The answer is an edit
/// like any other, so that what is undone is asked again.
pub(super) fn questions(document: &Document, staged: &Scene, sizes: &[MeshSize]) -> Vec<Notice> {
    let scene = document.scene();
    let is_usual = |size_m: f64| (USUAL_M[0]..=USUAL_M[1]).contains(&size_m);
    let open = sizes.iter().filter(|mesh| !is_usual(mesh.size_m)).filter(|mesh| {
        let source = source_of(scene, mesh);
        let is_unanswered = source.as_ref().is_some_and(|source| source.unit == Unit::Metre && source.is_whole);
        // While another size is being made, what is on stage says nothing.
        is_unanswered
            && source == source_of(staged, mesh)
            && !document.is_written(&format!("{}.{}.scale", mesh.list, mesh.name))
    });
    open.map(|mesh| question(scene, mesh)).collect()
}

/// What the size of a mesh comes from.
#[derive(Debug, Clone, PartialEq)]
struct MeshSource {
    file: String,
    unit: Unit,
    /// Whether its scale is 1.
    is_whole: bool,
}

fn source_of(scene: &Scene, mesh: &MeshSize) -> Option<MeshSource> {
    if mesh.list == "body" {
        let body = scene.body(&mesh.name)?;
        let Skin::Mesh(skin) = &body.skin else { return None };
        return Some(MeshSource { file: skin.mesh.clone(), unit: skin.unit, is_whole: body.scale.0 == [1.0; 3] });
    }
    let own = scene.obstacles.iter().enumerate().find(|(place, obstacle)| obstacle.name_at(*place) == mesh.name)?;
    let ObstacleShape::Mesh { mesh, unit, scale, .. } = &own.1.shape else { return None };
    Some(MeshSource { file: mesh.clone(), unit: *unit, is_whole: *scale == 1.0 })
}

fn question(scene: &Scene, mesh: &MeshSize) -> Notice {
    let MeshSize { list, name, size_m } = mesh;
    let (list, size_m) = (*list, *size_m);
    let unit_key = if list == "body" { "skin.unit" } else { "unit" };
    let usual = |unit: &(Unit, &str)| (USUAL_M[0]..=USUAL_M[1]).contains(&(size_m * unit.0.metres()));
    let units = [(Unit::Millimetre, "millimetres"), (Unit::Centimetre, "centimetres"), (Unit::Inch, "inches")];
    let mut actions: Vec<NoticeAction> = units
        .iter()
        .filter(|unit| usual(unit))
        .map(|(unit, word)| NoticeAction {
            name: format!("It is {word}"),
            command: resize(scene, (list, name), unit.metres(), &[(unit_key, json!(unit))]),
        })
        .collect();
    if size_m < USUAL_M[0] {
        let factor = 10f64.powf((1.0 / size_m).log10().round());
        actions.push(NoticeAction {
            name: format!("Make it {factor} times larger"),
            command: resize(scene, (list, name), factor, &[("scale", json!(factor))]),
        });
    }
    let keep = Edit::Set { path: format!("{list}.{name}.scale"), value: json!(1.0) };
    actions.push(NoticeAction {
        name: "It is metres".to_owned(),
        command: Command::Edit {
            command: Edit::Batch { label: Some(format!("keep the size of {name}")), commands: vec![keep] },
        },
    });
    let asked = if size_m > 1.0 { "is this millimetres?" } else { "is this metres?" };
    let file = source_of(scene, mesh).map(|source| source.file.to_ascii_lowercase()).unwrap_or_default();
    let help = if file.ends_with(".glb") || file.ends_with(".gltf") {
        "glTF is in metres, but not every program keeps to that"
    } else {
        "its file does not say; numbers were read as metres"
    };
    Notice {
        level: Level::Warning,
        path: Some(if list == "body" { format!("body.{name}.skin") } else { format!("{list}.{name}") }),
        text: format!("{name} is {} from corner to corner: {asked}", length(size_m)),
        help: Some(help.to_owned()),
        actions,
    }
}

/// One step that makes a body or obstacle `factor` times as large, on the ground as it was; a body alone on the stage is framed as it was. Its
/// stiffness grows along, so that it stands as it did.
fn resize(scene: &Scene, (list, body): (&str, &str), factor: f64, also: &[(&str, Value)]) -> Command {
    let value = serde_json::to_value(scene).unwrap_or_default();
    let entries = value[list].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = entries.iter().find(|entry| entry["name"] == body);
    let of_body = own.unwrap_or(&Value::Null);
    let scaled = |value: &Value| match value {
        Value::Array(numbers) => {
            json!(numbers.iter().map(|n| rounded(n.as_f64().unwrap_or(0.0) * factor)).collect::<Vec<_>>())
        }
        number => json!(rounded(number.as_f64().unwrap_or(0.0) * factor)),
    };
    let mut places = vec![(format!("{list}.{body}.at"), scaled(&of_body["at"]))];
    if of_body["material"]["young_pa"].is_number() {
        places.push((format!("body.{body}.material.young_pa"), scaled(&of_body["material"]["young_pa"])));
    }
    let is_alone = list == "body" && entries.len() == 1;
    for place in ["eye", "look_at"].into_iter().filter(|_| is_alone) {
        places.push((format!("camera.{place}"), scaled(&value["camera"][place])));
    }
    places.extend(also.iter().map(|(key, value)| (format!("{list}.{body}.{key}"), value.clone())));
    let commands = places.into_iter().map(|(path, value)| Edit::Set { path, value }).collect();
    Command::Edit { command: Edit::Batch { label: Some(format!("resize {body}")), commands } }
}

/// Six digits are as many as a file needs.
fn rounded(number: f64) -> f64 {
    let step = 10f64.powf(number.abs().max(f64::MIN_POSITIVE).log10().floor() - 5.0);
    if number == 0.0 { 0.0 } else { (number / step).round() * step }
}

fn length(metres: f64) -> String {
    match metres {
        m if m < 0.01 => format!("{:.1} mm", m * 1e3),
        m if m < 1.0 => format!("{:.1} cm", m * 1e2),
        m => format!("{m:.0} m"),
    }
}
