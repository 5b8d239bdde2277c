//! No work is lost without a word: not what others wrote, not what belongs to a scene, not what was never saved.

use crate::files::{project, record};
use crate::house::{Heard, House, Page};
use serde_json::{Value, json};
use sinew_scene::Document;
use sinew_studio::Opening;
use std::fs;
use std::path::Path;

fn opening(folder: &Path) -> Opening {
    Opening { name: "lost".into(), document: Document::open(folder).unwrap(), folder: folder.to_owned() }
}

/// Edits gravity; unsaved from then on.
fn edit(page: &mut Page, gravity: f64) {
    page.set("scene.gravity", &json!([0.0, gravity, 0.0]));
    page.document(|document| {
        document["unsaved"] == true && document["scene"]["scene"]["gravity"] == json!([0.0, gravity, 0.0])
    });
}

#[test]
fn what_an_editor_wrote_into_the_scene_is_overwritten_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let house = House::scene(project(folder.path(), "bar-pin", [1, 8]));
    let mut page = house.page();
    edit(&mut page, -2.0);
    for command in [json!({ "do": "save" }), json!({ "do": "save_as", "file": "scene.toml" })] {
        let theirs = format!("# an hour of work\n{}", fs::read_to_string(&file).unwrap());
        fs::write(&file, &theirs).unwrap();
        page.ask(&command);
        let asked = page.event("exists");
        assert_eq!(asked["files"], json!(["scene.toml"]), "{command}");
        assert_eq!(fs::read_to_string(&file).unwrap(), theirs, "{command}");
        page.ask(&asked["again"]);
        page.document(|document| document["unsaved"] == false);
        let ours = fs::read_to_string(&file).unwrap();
        assert!(ours.contains("-2.0") && !ours.contains("an hour"), "{command}: {ours}");
    }
    // What the studio itself saved is no surprise to it, and a file that is gone no loss.
    edit(&mut page, -3.0);
    fs::remove_file(&file).unwrap();
    page.ask(&json!({ "do": "save" }));
    page.document(|document| document["unsaved"] == false);
    assert!(fs::read_to_string(&file).unwrap().contains("-3.0"));
}

#[test]
fn what_another_studio_saved_is_overwritten_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) =
        (House::scene(project(folder.path(), "bar-pin", [1, 8])), House::scene(opening(folder.path())));
    let (mut one, mut other) = (first.page(), second.page());
    edit(&mut one, -2.0);
    one.ask(&json!({ "do": "save" }));
    one.document(|document| document["unsaved"] == false);
    edit(&mut other, -5.0);
    other.ask(&json!({ "do": "save" }));
    other.event("exists");
    assert!(fs::read_to_string(folder.path().join("scene.toml")).unwrap().contains("-2.0"));
}

const MESHES: &str = r#"sinew = 1
[scene]
frames = [1, 3]
[[body]]
name = "a"
skin = { mesh = "assets/cube.gltf" }
flesh = { mesh = "assets/cube.node" }
at = [0.0, 1.0, 0.0]
[[body]]
name = "b"
skin = { mesh = "assets/cube.obj" }
flesh = { kind = "tets", vertices = 60 }
at = [3.0, 1.0, 0.0]
[[obstacle]]
shape = "mesh"
mesh = "floor/slab.obj"
"#;

/// A picture of one pixel.
const RED_PIXEL: &[u8] =
    b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82";

/// A scene whose meshes have side files: a buffer, the other half of a pair, materials, a picture.
fn with_meshes(folder: &Path) {
    let corners: Vec<[f32; 3]> =
        (0..8u8).map(|i| [i >> 2 & 1, i >> 1 & 1, i & 1].map(|bit| f32::from(bit) - 0.5)).collect();
    let faces: [[u16; 3]; 12] = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
        [1, 5, 7],
        [1, 7, 3],
    ];
    let vertices: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let lines: String = faces.iter().map(|f| format!("f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1)).collect();
    let mut nodes: String = corners.iter().enumerate().map(|(i, [x, y, z])| format!("{i} {x} {y} {z}\n")).collect();
    nodes += "8 0 0 0\n";
    let tets: String = faces.iter().enumerate().map(|(i, [a, b, c])| format!("{i} {a} {b} {c} 8\n")).collect();
    let mut buffer: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    buffer.extend(faces.iter().flatten().flat_map(|index| index.to_le_bytes()));
    let gltf = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "buffers": [{ "uri": "cube.bin", "byteLength": buffer.len() }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 96 }, { "buffer": 0, "byteOffset": 96, "byteLength": 72 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5] },
            { "bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR" },
        ],
    })
    .to_string();
    for sub in ["assets", "floor"] {
        fs::create_dir(folder.join(sub)).unwrap();
    }
    let files: [(&str, &[u8]); 9] = [
        ("scene.toml", MESHES.as_bytes()),
        ("assets/cube.obj", &format!("mtllib cube.mtl\n{vertices}usemtl m\n{lines}").into_bytes()),
        ("assets/cube.mtl", b"newmtl m\nKd 1 0 0\nmap_Kd tex.png\n"),
        ("assets/tex.png", RED_PIXEL),
        ("assets/cube.gltf", gltf.as_bytes()),
        ("assets/cube.bin", &buffer),
        ("assets/cube.node", &format!("9 3 0 0\n{nodes}").into_bytes()),
        ("assets/cube.ele", &format!("12 4 0\n{tets}").into_bytes()),
        ("floor/slab.obj", &format!("{vertices}{lines}").into_bytes()),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

#[test]
fn a_scene_saved_elsewhere_takes_all_files_of_its_meshes_along() {
    let folder = tempfile::tempdir().unwrap();
    with_meshes(folder.path());
    let house = House::scene(opening(folder.path()));
    let mut page = house.page();
    page.ask(&json!({ "do": "save_as", "file": "shot2/scene.toml" }));
    page.document(|document| document["file"] == "shot2/scene.toml");
    let shot = folder.path().join("shot2");
    for name in ["cube.obj", "cube.mtl", "tex.png", "cube.gltf", "cube.bin", "cube.node", "cube.ele"] {
        let file = format!("assets/{name}");
        assert_eq!(fs::read(shot.join(&file)).unwrap(), fs::read(folder.path().join(&file)).unwrap(), "{file}");
    }
    let document = Document::open(&shot).unwrap();
    sinew_bake::build(document.scene(), &shot, 1).unwrap();
}

#[test]
fn a_scene_is_not_saved_where_another_file_has_the_name_of_its_mesh() {
    let folder = tempfile::tempdir().unwrap();
    with_meshes(folder.path());
    let shot = folder.path().join("shot2");
    fs::create_dir_all(shot.join("assets")).unwrap();
    fs::copy(folder.path().join("assets/cube.obj"), shot.join("assets/cube.obj")).unwrap();
    fs::write(shot.join("assets/cube.bin"), "another's").unwrap();
    let house = House::scene(opening(folder.path()));
    let mut page = house.page();
    page.ask(&json!({ "do": "save_as", "file": "shot2/scene.toml" }));
    let refused = page.event("refused");
    assert!(refused["what"].as_str().unwrap().contains("assets/cube.bin"), "{refused}");
    assert_eq!(fs::read(shot.join("assets/cube.bin")).unwrap(), b"another's");
    assert_eq!(fs::read_dir(shot.join("assets")).unwrap().count(), 2, "nothing was copied");
    assert!(!shot.join("scene.toml").exists());
    // The same file is no clash.
    fs::remove_file(shot.join("assets/cube.bin")).unwrap();
    page.ask(&json!({ "do": "save_as", "file": "shot2/scene.toml" }));
    page.document(|document| document["file"] == "shot2/scene.toml");
}

/// Folders in the place of every lock: the project's folder takes no unsaved work.
fn take_all_slots(folder: &Path) {
    for number in 1..=20 {
        let stem = if number == 1 { ".scene.toml".to_owned() } else { format!(".scene.toml-{number}") };
        fs::create_dir(folder.join(format!("{stem}.lock"))).unwrap();
    }
}

#[test]
fn work_on_a_scene_whose_folder_takes_none_is_kept_elsewhere_and_offered_again() {
    let folder = tempfile::tempdir().unwrap();
    take_all_slots(folder.path());
    let house = House::scene(project(folder.path(), "bar-pin", [1, 8]));
    let mut page = house.page();
    edit(&mut page, -2.0);
    page.ask(&json!({ "do": "open", "scene": "bar-goal" })); // keeps what was not saved
    page.document(|document| document["name"] == "bar-goal");
    page.ask(&json!({ "do": "open", "scene": "scene.toml" }));
    page.document(|document| document["file"] == "scene.toml" && document["recovered"] == true);
    page.ask(&json!({ "do": "recover", "keep": true }));
    let back = page.document(|document| document["recovered"] == false);
    assert_eq!(back["scene"]["scene"]["gravity"], json!([0.0, -2.0, 0.0]));
}

#[test]
fn work_on_a_built_in_scene_is_kept_in_the_opened_folder_where_there_is_no_state_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".state"), "no folder").unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    edit(&mut page, -2.0);
    page.ask(&json!({ "do": "open", "scene": "bar-goal" })); // keeps what was not saved
    page.document(|document| document["name"] == "bar-goal");
    let kept = fs::read_to_string(folder.path().join(".bar-pin.autosave")).unwrap();
    assert!(kept.contains("-2.0"), "{kept}");
    page.ask(&json!({ "do": "open", "scene": "bar-pin" }));
    page.document(|document| document["name"] == "bar-pin" && document["recovered"] == true);
}

/// A program that is no studio writes to the scene.
fn change_outside(folder: &Path) {
    let path = folder.join("scene.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}\n# changed by hand\n")).unwrap();
}

#[test]
fn a_scene_that_another_program_changed_is_told_and_not_overwritten_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 8]));
    let mut page = house.page();
    page.document(|document| document["notices"] == json!([]));
    change_outside(folder.path());
    let is_told = |document: &Value| document["notices"].to_string().contains("was changed by another program");
    page.document(is_told);
    edit(&mut page, -2.0);
    page.ask(&json!({ "do": "save" }));
    let asked = page.event("exists");
    assert!(fs::read_to_string(folder.path().join("scene.toml")).unwrap().contains("by hand"));
    page.ask(&asked["again"]);
    page.document(|document| document["unsaved"] == false && !is_told(document));
}

/// The scene was changed after the studio that kept the work had ended.
#[test]
fn recovered_work_does_not_overwrite_what_was_changed_since() {
    let folder = tempfile::tempdir().unwrap();
    let opening = project(folder.path(), "bar-pin", [1, 8]);
    let text = fs::read_to_string(folder.path().join("scene.toml")).unwrap();
    fs::write(folder.path().join(".scene.toml.autosave"), format!("{text}# kept\n")).unwrap();
    let kept = fs::File::options().write(true).open(folder.path().join(".scene.toml.autosave")).unwrap();
    kept.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    let house = House::scene(opening);
    let mut page = house.page();
    page.document(|document| document["recovered"] == true);
    page.ask(&json!({ "do": "recover", "keep": true }));
    page.document(|document| document["recovered"] == false && document["unsaved"] == true);
    page.ask(&json!({ "do": "save" }));
    page.event("exists");
    assert_eq!(fs::read_to_string(folder.path().join("scene.toml")).unwrap(), text);
}

#[test]
fn takes_that_come_and_go_outside_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-drop", [1, 8]));
    let mut page = house.page();
    record(&mut page, 8);
    page.ask(&json!({ "do": "keep_take", "name": "one" }));
    let takes = |page: &mut Page, wanted: &[&str]| {
        page.until(|heard| {
            let Heard::Event(event) = heard else { return None };
            let names: Vec<&str> = event["names"].as_array()?.iter().filter_map(|take| take["name"].as_str()).collect();
            (event["event"] == "takes" && names == wanted).then_some(())
        });
    };
    takes(&mut page, &["one"]);
    let at = |name: &str| folder.path().join("takes").join(name);
    fs::copy(at("one.take"), at("two.take")).unwrap();
    takes(&mut page, &["one", "two"]);
    page.ask(&json!({ "do": "show_take", "name": "one", "instead": true }));
    page.transport(|now| now["of_take"] == true);
    fs::remove_file(at("one.take")).unwrap();
    takes(&mut page, &["two"]);
    page.transport(|now| now["of_take"] == false);
    // On many disks they would be one file.
    page.ask(&json!({ "do": "keep_take", "name": "TWO" }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("take \"TWO\" for the same"));
    // One that a bake is at is neither deleted nor replaced.
    let baking = fs::File::open(at("two.take")).unwrap();
    baking.try_lock().unwrap();
    for command in [
        json!({ "do": "drop_take", "name": "two", "sure": true }),
        json!({ "do": "keep_take", "name": "two", "overwrite": true }),
    ] {
        page.ask(&command);
        let what = page.event("refused")["what"].as_str().unwrap().to_owned();
        assert!(what.contains("being written by another"), "{what}");
    }
    assert!(at("two.take").exists());
}

#[test]
fn work_that_can_be_kept_nowhere_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    take_all_slots(folder.path());
    fs::write(folder.path().join(".state"), "no folder").unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 8]));
    let mut page = house.page();
    edit(&mut page, -2.0);
    let is_warned = |document: &Value| {
        let notices = document["notices"].as_array().unwrap();
        notices.iter().any(|notice| notice["text"].as_str().unwrap().contains("not being kept"))
    };
    page.document(is_warned);
    page.ask(&json!({ "do": "save" }));
    page.document(|document| document["unsaved"] == false && !is_warned(document));
}

#[cfg(unix)]
#[test]
fn kept_work_is_as_private_as_its_scene() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    let opening = project(folder.path(), "bar-pin", [1, 8]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let house = House::scene(opening);
    let mut page = house.page();
    edit(&mut page, -2.0);
    page.ask(&json!({ "do": "open", "scene": "bar-goal" }));
    page.document(|document| document["name"] == "bar-goal");
    let kept = fs::metadata(folder.path().join(".scene.toml.autosave")).unwrap();
    assert_eq!(kept.permissions().mode() & 0o777, 0o600);
}
