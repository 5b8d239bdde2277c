//! What pages rely on, compared with checked-in files: the wire's names, and the TypeScript types made from ours.
//!
//! `cargo xtask bless` writes both files. A change in `wire.txt` is a change for
//! every page that is already out there: raise [`WIRE_VERSION`] with it.

use crate::WIRE_VERSION;
use crate::protocol::{BodyInfo, CameraInfo, Command, Event, Hit, ObstacleInfo, ObstacleShape, SceneInfo, Transport};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use ts_rs::{Config, TS};

#[test]
fn the_pages_types_are_those_of_the_protocol() {
    let config = Config::default();
    let types = [
        Command::decl(&config),
        Event::decl(&config),
        SceneInfo::decl(&config),
        CameraInfo::decl(&config),
        BodyInfo::decl(&config),
        ObstacleInfo::decl(&config),
        ObstacleShape::decl(&config),
        Transport::decl(&config),
        Hit::decl(&config),
    ];
    let exported: String = types.iter().map(|declaration| format!("\nexport {declaration}\n")).collect();
    let head = "// Made from crates/sinew_studio/src/protocol.rs; do not edit (see contract.rs there).\n";
    let version = format!("\nexport const WIRE_VERSION = {WIRE_VERSION};\n");
    same_as("../../web/src/document/generated/protocol.ts", &[head, &version, &exported].concat());
}

#[test]
fn the_wires_names_are_as_written_down() {
    let mut lines = vec![format!("wire {WIRE_VERSION}")];
    lines.extend(commands().iter().map(|command| line("command", command, "do")));
    lines.extend(events().iter().flat_map(|event| [line("event", event, "event")]));
    lines.push(line("scene", &scene(), ""));
    lines.push(line("camera", &scene().camera, ""));
    lines.push(line("body", &scene().bodies[0], ""));
    lines.push(line("obstacle", &scene().obstacles[0], ""));
    lines.extend(shapes().iter().map(|shape| line("shape", shape, "kind")));
    lines.push(line("hit", &hit(), ""));
    lines.push("binary 1 model points skin_vertices terms triangles row_start point weight triangle rest".into());
    lines.push("binary 2 frame tick step_ms bodies obstacles at turn origin points about_origin".into());
    same_as("wire.txt", &(lines.join("\n") + "\n"));
}

#[test]
fn every_word_is_in_the_list() {
    let config = Config::default();
    assert_eq!(Command::decl(&config).matches("\"do\":").count(), commands().len());
    assert_eq!(ObstacleShape::decl(&config).matches("\"kind\":").count(), shapes().len());
    assert_eq!(Event::decl(&config).matches("\"event\":").count(), events().len());
}

#[test]
fn commands_are_read_as_they_are_written() {
    for command in commands() {
        let text = serde_json::to_string(&command).unwrap();
        assert_eq!(Command::parse(&text, 1), Ok(command), "{text}");
    }
}

#[test]
fn commands_that_make_no_sense_are_refused_with_the_reason() {
    let refused = |text: &str, reason: &str| {
        let error = Command::parse(text, 2).unwrap_err();
        assert!(error.contains(reason) && error.len() < 500, "refused with: {error}");
    };
    refused(r#"{"do":"dance"}"#, "unknown variant `dance`");
    refused(r#"{"do":"seek","frame":1.5}"#, "floating point");
    refused(r#"{"do":"seek","frame":1,"fast":true}"#, "unknown field `fast`");
    refused(r#"{"do":"let_go","body":2}"#, "there is no body 2");
    refused(r#"{"do":"drag","body":0,"at_rest":[0,0,0],"to":[0,1e9,0]}"#, "out of reach");
    refused(r#"{"do":"drag","body":0,"at_rest":[0,0,0],"to":[0,1e999,0]}"#, "out of range");
    refused(r#"{"do":"pick","id":1,"origin":[0,0,0],"direction":[0,0,0]}"#, "needs a direction");
    refused(&format!(r#"{{"do":"seek","frame":{}"#, "[".repeat(5000)), "recursion limit");
    refused(&format!(r#"{{"do":"{}"}}"#, "x".repeat(5000)), "unknown variant");
    refused("", "EOF");
}

fn commands() -> Vec<Command> {
    let zero = [0.0; 3];
    vec![
        Command::Play,
        Command::Pause,
        Command::StepForward,
        Command::StepBack,
        Command::Seek { frame: 7 },
        Command::Restart,
        Command::Loop { on: true },
        Command::Pick { id: 1, origin: zero, direction: [0.0, 1.0, 0.0] },
        Command::Drag { body: 0, at_rest: zero, to: zero },
        Command::LetGo { body: 0 },
        Command::Touch { body: 0, at_rest: zero },
    ]
}

fn events() -> Vec<Event> {
    let transport = Transport {
        playing: true,
        looping: true,
        frame: 1,
        recorded_from: 1,
        recorded_to: 1,
        problem: None,
        warning: None,
    };
    vec![
        Event::Welcome { wire_version: WIRE_VERSION, scene: scene() },
        Event::Transport(transport),
        Event::Picked { id: 1, hit: None },
        Event::Refused { what: String::new() },
    ]
}

fn shapes() -> Vec<ObstacleShape> {
    vec![
        ObstacleShape::Plane,
        ObstacleShape::Sphere { radius_m: 1.0 },
        ObstacleShape::Box { half_m: [1.0; 3] },
        ObstacleShape::Capsule { half_length_m: 1.0, radius_m: 1.0 },
    ]
}

fn hit() -> Hit {
    Hit { body: 0, at_rest: [0.0; 3], at: [0.0; 3] }
}

fn scene() -> SceneInfo {
    let body = BodyInfo {
        name: String::new(),
        model: 0,
        solver: String::new(),
        colour: None,
        points: 0,
        cells: 0,
        is_shell: false,
        mass_kg: 0.0,
        skin_vertices: 0,
        skin_triangles: 0,
    };
    SceneInfo {
        name: String::new(),
        fps: [24, 1],
        substeps: 4,
        first_frame: 1,
        last_frame: 96,
        camera: Some(CameraInfo { eye: [0.0; 3], look_at: [0.0; 3], fov_deg: 35.0 }),
        bodies: vec![body],
        obstacles: vec![ObstacleInfo { name: String::new(), shape: ObstacleShape::Plane }],
        model_count: 1,
    }
}

/// `kind tag field field …` of a value as it is on the wire.
fn line(kind: &str, value: &impl Serialize, tag: &str) -> String {
    let Value::Object(fields) = serde_json::to_value(value).unwrap() else { panic!("{kind} is an object") };
    let name = fields.get(tag).and_then(Value::as_str).unwrap_or_default();
    let keys = fields.keys().filter(|key| *key != tag).map(String::as_str);
    [kind, name].into_iter().chain(keys).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn same_as(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{file} is out of date; `cargo xtask bless` renews it");
}
