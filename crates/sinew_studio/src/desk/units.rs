//! Files do not say what their numbers are. A body of 773 m, or of 2 mm, is asked about; one click puts it right.

use crate::protocol::{Command, Level, Notice, NoticeAction};
use serde_json::{Value, json};
use sinew_scene::{Command as Edit, Scene, Skin, Unit};

/// Sizes that people have on a desk or a stage.
const USUAL_M: [f64; 2] = [0.01, 50.0];

/// Asks about the size of a scene's first body, which was read as metres; none where it is a usual one.
pub(super) fn question(scene: &Scene, size_m: f64) -> Option<Notice> {
    let body = scene.bodies.first()?;
    matches!(body.skin, Skin::Mesh(_)).then(|| question_of(scene, "body", &body.name, size_m)).flatten()
}

/// The same for any body or obstacle that is a mesh.
pub(super) fn question_of(scene: &Scene, list: &str, name: &str, size_m: f64) -> Option<Notice> {
    if (USUAL_M[0]..=USUAL_M[1]).contains(&size_m) {
        return None;
    }
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
    let asked = if size_m > 1.0 { "is this millimetres?" } else { "is this metres?" };
    Some(Notice {
        level: Level::Warning,
        path: Some(if list == "body" { format!("body.{name}.skin") } else { format!("{list}.{name}") }),
        text: format!("{name} is {} from corner to corner: {asked}", length(size_m)),
        help: Some("its file does not say; numbers were read as metres".to_owned()),
        actions,
    })
}

/// What the size of the body or obstacle at a path comes from, to be compared; none where there is none.
pub(super) fn size_of(scene: &Scene, path: &str) -> Option<String> {
    let path = path.strip_suffix(".skin").unwrap_or(path);
    let (list, name) = path.split_once('.')?;
    if list == "body" {
        return scene.body(name).map(|body| format!("{:?} {:?}", body.skin, body.scale));
    }
    let own = scene.obstacles.iter().find(|obstacle| obstacle.name.as_deref() == Some(name))?;
    Some(format!("{:?}", own.shape))
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
