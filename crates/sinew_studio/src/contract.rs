//! What pages rely on, compared with checked-in files: the wire's names, and the TypeScript types made from ours.
//!
//! `cargo xtask bless` writes both files. A change in `wire.txt` is a change for
//! every page that is already out there: raise [`WIRE_VERSION`] with it.

use crate::protocol::*;
use crate::{ShownBody, WIRE_VERSION, wire};
use serde::Serialize;
use serde_json::Value;
use sinew_bake::Skin;
use sinew_geom::structured::bar;
use sinew_geom::{Embedding, TetMesh, TriangleMesh};
use sinew_math::{DVec3, dvec3};
use sinew_solve::{Cells, Flesh};
use std::path::Path;
use ts_rs::{Config, TS};

#[test]
fn the_pages_types_are_those_of_the_protocol() {
    let config = Config::default();
    let types = [
        Command::decl(&config),
        KeyFrom::decl(&config),
        Plane::decl(&config),
        SectionStroke::decl(&config),
        ExportFormat::decl(&config),
        ExportOptions::decl(&config),
        RenderFormat::decl(&config),
        RenderOptions::decl(&config),
        scene_command(),
        shape_edit(),
        definition::<sinew_scene::ShapePart>("ShapePart"),
        definition::<sinew_scene::Axis>("Axis"),
        Event::decl(&config),
        SceneInfo::decl(&config),
        CameraInfo::decl(&config),
        BodyInfo::decl(&config),
        ObstacleInfo::decl(&config),
        ObstacleShape::decl(&config),
        Transport::decl(&config),
        Hit::decl(&config),
        MeasureInfo::decl(&config),
        DocumentInfo::decl(&config),
        Notice::decl(&config),
        NoticeAction::decl(&config),
        Level::decl(&config),
        Gallery::decl(&config),
        GalleryScene::decl(&config),
        JobInfo::decl(&config),
        JobDone::decl(&config),
        AddedPart::decl(&config),
        JobKind::decl(&config),
        Takes::decl(&config),
        TakeInfo::decl(&config),
        "type Json = null | boolean | number | string | Json[] | { [key: string]: Json };".to_owned(),
    ];
    let exported: String = types.iter().map(|declaration| format!("\nexport {declaration}\n")).collect();
    let head = "// Made from crates/sinew_studio/src/protocol; do not edit (see contract.rs there).\n";
    let version = format!("\nexport const WIRE_VERSION = {WIRE_VERSION};\n");
    let looks = format!(
        "\n/** What can be seen of a body; its place here is its number in field messages. */\nexport const LOOKS = {LOOKS:?} as const;\n"
    );
    same_as("../../web/src/document/generated/protocol.ts", &[head, &version, &looks, &exported].concat());
}

/// The edits of a scene, which are another crate's words: their TypeScript type is made from their JSON Schema.
fn scene_command() -> String {
    let schema = schemars::schema_for!(sinew_scene::Command).to_value();
    let kinds: Vec<String> = schema["oneOf"].as_array().unwrap().iter().map(typescript).collect();
    format!("type SceneCommand = {};", kinds.join(" | "))
}

/// Edits of shapes, likewise.
fn shape_edit() -> String {
    definition::<sinew_scene::ShapeEdit>("ShapeEdit")
}

fn definition<T: schemars::JsonSchema>(name: &str) -> String {
    let schema = schemars::schema_for!(T).to_value();
    let kinds = schema["oneOf"].as_array().or_else(|| schema["enum"].as_array());
    let whole = kinds.map_or_else(|| typescript(&schema), |kinds| join(kinds, " | "));
    format!("type {name} = {whole};")
}

fn join(schemas: &[Value], with: &str) -> String {
    let word = |schema: &Value| schema.as_str().map_or_else(|| typescript(schema), |word| format!("{word:?}"));
    schemas.iter().map(word).collect::<Vec<_>>().join(with)
}

fn typescript(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|at| at.strip_prefix("#/$defs/")) {
        return name.to_owned();
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("{word:?}");
    }
    if let Some(fields) = schema["properties"].as_object() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let field = |(name, of): (&String, &Value)| {
            let mark = if required.contains(&Value::from(name.as_str())) { "" } else { "?" };
            format!("{name}{mark}: {}", typescript(of))
        };
        return format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "));
    }
    if let Some(either) = schema["anyOf"].as_array() {
        let some: Vec<Value> = either.iter().filter(|schema| schema["type"] != "null").cloned().collect();
        return join(&some, " | ");
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("string") => "string".into(),
        Some("integer" | "number") => "number".into(),
        Some("array") if schema["items"]["$ref"] == "#" => "SceneCommand[]".into(),
        Some("array") => {
            let item = typescript(&schema["items"]);
            match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                (Some(least), Some(most)) if least == most => format!("[{}]", vec![item; least as usize].join(", ")),
                _ => format!("{item}[]"),
            }
        }
        None => "Json".into(),
        Some(other) => panic!("no TypeScript for {other}"),
    }
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
    lines.push(line("measure", &measure(), ""));
    lines.push(line("notice", &notice(), ""));
    lines.push(line("gallery_scene", &gallery_scene(), ""));
    lines.push(line("done", &JobDone { files: Vec::new(), added: None }, ""));
    lines.push(line("take", &TakeInfo { name: String::new(), frames: 1 }, ""));
    lines.push(line("export_options", &export_options(), ""));
    lines.push(line("render_options", &render_options(), ""));
    lines.push(["looks", &LOOKS.join(" ")].join(" "));
    lines.push(
        "binary 1 model points skin_vertices terms triangles colours width height row_start point weight triangle rest number colour uv pixel"
            .into(),
    );
    lines.push("binary 2 frame tick step_ms bodies obstacles at turn origin points about_origin".into());
    lines.push("binary 3 body look frame components points low high values".into());
    lines.push("binary 4 body frame points triangles sides world rest value triangle side".into());
    lines.push("binary 5 as 2, of the shown take".into());
    lines.push("binary 6 as 2, of a time to come, without obstacles; step_ms is the number of the preview".into());
    lines.push("binary 7 place count body director key residual frame origin turn points about_origin".into());
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
    let (zero, up) = ([0.0; 3], [0.0, 1.0, 0.0]);
    let plane = Plane { through: zero, normal: up };
    let stroke = SectionStroke { points: vec![zero, up], direction: up };
    let edit = sinew_scene::Command::Unset { path: "scene.fps".into() };
    let name = String::from("a");
    vec![
        Command::Play,
        Command::Pause,
        Command::StepForward,
        Command::StepBack,
        Command::Seek { frame: 7 },
        Command::Restart,
        Command::Loop { on: true },
        Command::Range { first: Some(1), last: Some(2) },
        Command::History,
        Command::Seen,
        Command::Sync { id: 1 },
        Command::Pick { id: 1, origin: zero, direction: up, clip: Some(plane) },
        Command::Drag { body: 0, at_rest: zero, to: zero },
        Command::LetGo { body: 0 },
        Command::Touch { body: 0, at_rest: zero },
        Command::Edit { command: edit.clone() },
        Command::Begin { label: name.clone() },
        Command::Preview { command: edit },
        Command::Commit,
        Command::Cancel,
        Command::Undo,
        Command::Redo,
        Command::Open { scene: name.clone() },
        Command::Save { overwrite: true },
        Command::SaveAs { file: name.clone() },
        Command::Look {
            body: 0,
            look: Some("phase".into()),
            director: Some("a".into()),
            directions: Some("primary".into()),
            beside: vec!["layer".into()],
        },
        Command::Cut { body: 0, plane: Some(plane), stroke: Some(stroke), layer: Some(0.5) },
        Command::Export { file: name.clone(), format: ExportFormat::Glb, options: export_options(), overwrite: true },
        Command::Render { file: name.clone(), format: RenderFormat::Gif, options: render_options(), overwrite: true },
        Command::BuildAnyway,
        Command::StopJob { id: 1 },
        Command::Record { on: true },
        Command::KeepTake { name: name.clone(), overwrite: true },
        Command::ShowTake { name: Some(name.clone()), instead: false },
        Command::DropTake { name: name.clone(), sure: true },
        Command::Refine { director: name },
        Command::Ghosts { count: 8, every: 6 },
        Command::Keys { body: Some(0) },
        Command::Key { body: 0, frame: 1, from: KeyFrom::Shown, director: Some("a".into()) },
        Command::PlanKey { body: 0, frame: 1, from: KeyFrom::Shown, director: Some("a".into()) },
        Command::KeyPath { body: 0, every: 8, turns: true },
        Command::KeyContacts { body: 0, exaggerated: true },
        Command::Sculpt {
            body: 0,
            director: "a".into(),
            frame: 1.0,
            edit: sinew_scene::ShapeEdit::Pull { at: zero, by: up, radius: 1.0 },
            width: Some(12.0),
        },
        Command::SculptEnd { keep: true },
        Command::Prefer { key: "theme".into(), value: Some("light".into()) },
        Command::Recover { keep: true },
    ]
}

fn events() -> Vec<Event> {
    let transport = Transport {
        playing: true,
        looping: true,
        frame: 1,
        shown: 1,
        recorded_from: 1,
        recorded_to: 1,
        stale_from: None,
        of_take: false,
        range: [1, 2],
        recording: false,
        problem: None,
        warning: None,
        measures: vec![measure()],
    };
    vec![
        Event::Welcome { wire_version: WIRE_VERSION, scene: scene() },
        Event::Document(document()),
        Event::Gallery(Gallery { scenes: vec![gallery_scene()], files: Vec::new() }),
        Event::Transport(transport),
        Event::Picked { id: 1, hit: None },
        Event::Synced { id: 1 },
        Event::Job(JobInfo {
            id: 1,
            kind: JobKind::Export,
            what: String::new(),
            step: String::new(),
            fraction: None,
            done: None,
            failed: None,
        }),
        Event::History { first: 1, step_ms: vec![1.0], heights_m: vec![vec![0.0]] },
        Event::Takes(Takes::default()),
        Event::Exists { files: vec![String::new()], again: Command::Save { overwrite: true } },
        Event::Refused { what: String::new(), help: None, path: None },
    ]
}

fn shapes() -> Vec<ObstacleShape> {
    vec![
        ObstacleShape::Plane,
        ObstacleShape::Sphere { radius_m: 1.0 },
        ObstacleShape::Box { half_m: [1.0; 3] },
        ObstacleShape::Capsule { half_length_m: 1.0, radius_m: 1.0 },
        ObstacleShape::Mesh { positions: vec![0.0; 9], triangles: vec![0, 1, 2] },
    ]
}

fn document() -> DocumentInfo {
    DocumentInfo {
        revision: 1,
        name: String::new(),
        file: None,
        folder: None,
        unsaved: false,
        undo: Vec::new(),
        redo: Vec::new(),
        gesture: None,
        scene: Value::Null,
        staged: true,
        building: None,
        notices: vec![notice()],
        recovered: false,
        autosaved_unix_secs: None,
    }
}

fn notice() -> Notice {
    let actions = vec![NoticeAction { name: String::new(), command: Command::BuildAnyway }];
    Notice { level: Level::Warning, path: None, text: String::new(), help: None, actions }
}

fn gallery_scene() -> GalleryScene {
    GalleryScene { name: String::new(), about: String::new(), picture: None }
}

fn export_options() -> ExportOptions {
    ExportOptions {
        take: Some("a".into()),
        live: Some(true),
        frames: Some([1, 2]),
        bound: Some(0.01),
        no_normals: Some(true),
    }
}

fn render_options() -> RenderOptions {
    RenderOptions {
        take: Some("a".into()),
        live: Some(true),
        frames: Some([1, 2]),
        size: Some([64, 64]),
        frame: Some(1),
        style: Some("lines".into()),
        field: Some("speed".into()),
    }
}

fn measure() -> MeasureInfo {
    let (director, name, unit) = ("bend".to_owned(), "bend".to_owned(), "deg".to_owned());
    MeasureInfo { body: 0, director, name, unit, value: 1.0 }
}

fn hit() -> Hit {
    Hit { body: 0, at_rest: [0.0; 3], at: [0.0; 3] }
}

fn scene() -> SceneInfo {
    let body = BodyInfo {
        name: String::new(),
        path: String::new(),
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
        obstacles: vec![ObstacleInfo { name: String::new(), path: String::new(), shape: ObstacleShape::Plane }],
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

/// A skin in and over flesh that is bent and twisted: as a model message, with the flesh and with the skin where films have it.
#[test]
fn the_page_carries_skins_as_films_do() {
    let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [3, 1, 1]), 1000.0).unwrap();
    let Cells::Tets(tets) = &flesh.cells else { panic!("a bar is made of tets") };
    let fine = bar(dvec3(1.04, 0.33, 0.2), [7, 3, 2]);
    let mesh = TriangleMesh { triangles: fine.boundary(), positions: fine.positions };
    let embedding = Embedding::of_skin(&mesh, &TetMesh { positions: flesh.rest.clone(), tets: tets.clone() });
    let bend = |x: &DVec3| dvec3(x.x - 0.6 * x.x * x.y, x.y + 0.5 * x.x * x.x, x.z + 0.8 * x.x * x.y);
    let now: Vec<DVec3> = flesh.rest.iter().map(bend).collect();
    let mut skin = Vec::new();
    embedding.apply(&now, &mut skin);
    let single = |of: &[DVec3]| of.iter().flat_map(|x| x.to_array().map(|c| c as f32)).collect::<Vec<f32>>();
    let body = ShownBody {
        name: "bar".into(),
        path: "body.bar".into(),
        flesh: flesh.into(),
        skin: Skin::plain(mesh, embedding, None).into(),
        colour: None,
        solver: String::new(),
    };
    let model: String = wire::model_message(0, &body).iter().map(|byte| format!("{byte:02x}")).collect();
    let golden = serde_json::json!({ "model": model, "flesh": single(&now), "skin": single(&skin) });
    same_as("../../web/src/document/generated/carried.json", &format!("{golden}\n"));
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
