//! A project that someone else packed: links, pipes and devices in it under the names that the studio uses.

#![cfg(unix)]

use crate::files::{ended_job, project, record};
use crate::house::{Heard, House};
use serde_json::json;
use sinew_scene::Document;
use sinew_studio::{Opening, Studio, StudioError, StudioOptions};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// A project beside a file that nobody may touch.
struct Received {
    folder: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Received {
    fn new() -> Self {
        let received = Self { folder: tempfile::tempdir().unwrap(), outside: tempfile::tempdir().unwrap() };
        project(received.path(), "bar-pin", [1, 8]);
        fs::write(received.victim(), "precious").unwrap();
        received
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn victim(&self) -> std::path::PathBuf {
        self.outside.path().join("victim")
    }

    fn open(&self) -> House {
        House::scene(Opening {
            name: "received".into(),
            document: Document::open(self.path()).unwrap(),
            folder: self.path().to_owned(),
        })
    }

    fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(self.victim()).unwrap(), "precious");
        assert_eq!(fs::read_dir(self.outside.path()).unwrap().count(), 1, "nothing was made outside");
    }
}

#[test]
fn links_under_the_names_of_lock_and_autosave_are_not_followed() {
    let received = Received::new();
    symlink(received.victim(), received.path().join(".scene.toml.lock")).unwrap();
    symlink(received.victim(), received.path().join(".scene.toml-2.autosave")).unwrap();
    symlink("/dev/zero", received.path().join(".scene.toml.autosave")).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(received.path().join(".scene.toml-3.autosave"))
            .status()
            .unwrap()
            .success()
    );
    let house = received.open();
    let mut page = house.page();
    assert_eq!(page.document(|_| true)["recovered"], json!(false));
    page.set("scene.gravity", &json!([0.0, -2.0, 0.0]));
    page.document(|document| document["unsaved"] == true);
    page.ask(&json!({ "do": "open", "scene": "bar-goal" })); // keeps what was not saved
    page.document(|document| document["name"] == "bar-goal");
    received.assert_untouched();
    // The work is kept all the same, in a slot that is what it seems.
    page.ask(&json!({ "do": "open", "scene": "scene.toml" }));
    page.document(|document| document["file"] == "scene.toml" && document["recovered"] == true);
}

#[test]
fn scenes_that_lead_outside_are_neither_opened_nor_saved() {
    let received = Received::new();
    let scene = fs::read(received.path().join("scene.toml")).unwrap();
    fs::write(received.victim(), &scene).unwrap();
    fs::create_dir(received.path().join("sub")).unwrap();
    symlink(received.victim(), received.path().join("sub/scene.toml")).unwrap();
    symlink(received.outside.path(), received.path().join("away")).unwrap();
    let house = received.open();
    let mut page = house.page();
    for scene in ["sub/scene.toml", "sub", "away/victim", "away/scene.toml"] {
        page.ask(&json!({ "do": "open", "scene": scene }));
        page.event("refused");
    }
    for file in ["sub/scene.toml", "away/new.toml", "away/deep"] {
        page.ask(&json!({ "do": "save_as", "file": file }));
        page.event("refused");
    }
    // A scene that becomes a link while it is open is not saved through it.
    page.set("scene.gravity", &json!([0.0, -2.0, 0.0]));
    page.document(|document| document["unsaved"] == true);
    fs::remove_file(received.path().join("scene.toml")).unwrap();
    symlink(received.victim(), received.path().join("scene.toml")).unwrap();
    page.ask(&json!({ "do": "save" }));
    let refused = page.event("refused");
    assert!(refused["what"].as_str().unwrap().contains("link"), "{refused}");
    assert_eq!(fs::read(received.victim()).unwrap(), scene);
    assert_eq!(fs::read_dir(received.outside.path()).unwrap().count(), 1);
}

#[test]
fn takes_that_lead_outside_are_neither_listed_nor_written_nor_dropped() {
    let received = Received::new();
    symlink(received.outside.path(), received.path().join("takes")).unwrap();
    let house = received.open();
    let mut page = house.page();
    assert_eq!(page.event("takes")["names"], json!([]));
    record(&mut page, 8);
    page.ask(&json!({ "do": "keep_take", "name": "first" }));
    let refused = page.event("refused");
    assert!(refused["what"].as_str().unwrap().contains("link"), "{refused}");
    received.assert_untouched();
    fs::remove_file(received.path().join("takes")).unwrap();
    fs::create_dir(received.path().join("takes")).unwrap();
    symlink(received.victim(), received.path().join("takes/second.take")).unwrap();
    page.ask(&json!({ "do": "keep_take", "name": "second" }));
    page.until(|heard| matches!(heard, Heard::Event(event) if event["event"] == "exists").then_some(()));
    page.ask(&json!({ "do": "keep_take", "name": "second", "overwrite": true }));
    page.until(|heard| {
        matches!(heard, Heard::Event(event) if event["event"] == "takes" && event["names"] != json!([])).then_some(())
    });
    received.assert_untouched();
    assert!(fs::symlink_metadata(received.path().join("takes/second.take")).unwrap().is_file());
}

#[test]
fn meshes_that_are_links_or_pipes_are_refused_and_nothing_waits() {
    let received = Received::new();
    fs::create_dir(received.path().join("assets")).unwrap();
    symlink("/dev/zero", received.path().join("assets/endless.obj")).unwrap();
    assert!(
        std::process::Command::new("mkfifo").arg(received.path().join("assets/pipe.obj")).status().unwrap().success()
    );
    let house = received.open();
    let mut page = house.page();
    let name = page.event("welcome")["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned();
    for mesh in ["assets/endless.obj", "assets/pipe.obj"] {
        page.set(&format!("body.{name}.skin"), &json!({ "mesh": mesh }));
        page.event("refused");
    }
}

#[test]
fn an_export_does_not_follow_a_folder_that_becomes_a_link_while_it_runs() {
    let received = Received::new();
    project(received.path(), "bar-pin", [1, 400]);
    fs::write(received.outside.path().join("v.npz"), "precious").unwrap();
    let sub = received.path().join("sub");
    fs::create_dir(&sub).unwrap();
    let house = received.open();
    let mut page = house.page();
    for overwrite in [false, true] {
        page.ask(&json!({ "do": "export", "file": "sub/v.npz", "format": "npz", "overwrite": overwrite }));
        page.event("job");
        fs::remove_dir(&sub).unwrap();
        symlink(received.outside.path(), &sub).unwrap();
        let ended = ended_job(&mut page);
        assert!(ended["failed"].as_str().is_some_and(|why| why.contains("link")), "{ended}");
        assert_eq!(fs::read(received.outside.path().join("v.npz")).unwrap(), b"precious");
        fs::remove_file(&sub).unwrap();
        fs::create_dir(&sub).unwrap();
    }
    // What comes to be there while it runs stays.
    page.ask(&json!({ "do": "export", "file": "sub/v.npz", "format": "npz" }));
    page.event("job");
    fs::write(sub.join("v.npz"), "a user's").unwrap();
    let ended = ended_job(&mut page);
    assert!(ended["failed"].as_str().is_some_and(|why| why.contains("sub/v.npz")), "{ended}");
    assert_eq!(fs::read(sub.join("v.npz")).unwrap(), b"a user's");
    page.ask(&json!({ "do": "export", "file": "sub/v.npz", "format": "npz", "overwrite": true }));
    let ended = ended_job(&mut page);
    assert_eq!(ended["done"]["files"], json!(["sub/v.npz"]), "{ended}");
    assert!(fs::read(sub.join("v.npz")).unwrap().starts_with(b"PK"));
}

fn scene_with_mesh(mesh: &str) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 3]\n[[body]]\nname = \"b\"\nskin = {{ mesh = {mesh:?} }}\nflesh = {{ kind = \"tets\", vertices = 60 }}\n"
    )
}

#[test]
fn meshes_outside_the_opened_folder_are_not_read() {
    let above = tempfile::tempdir().unwrap();
    let folder = above.path().join("project");
    fs::create_dir(&folder).unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    fs::write(above.path().join("private.obj"), tetrahedron).unwrap();
    let absolute = above.path().join("private.obj").display().to_string();
    project(&folder, "bar-pin", [1, 3]);
    for mesh in ["../private.obj", absolute.as_str()] {
        fs::write(folder.join("foreign.toml"), scene_with_mesh(mesh)).unwrap();
        let document = Document::open(&folder.join("foreign.toml")).unwrap();
        let opening = Opening { name: "foreign".into(), document, folder: folder.clone() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let Err(StudioError::Scene(error)) = runtime.block_on(Studio::open(opening, StudioOptions::default())) else {
            panic!("{mesh} was read");
        };
        let problem = &error.problems[0];
        assert!(problem.message.contains("outside of the opened folder"), "{error}");
    }
    // Nor by opening such a scene later, by an edit, or by work that somebody packed with the project.
    fs::write(folder.join(".scene.toml.autosave"), scene_with_mesh("../private.obj")).unwrap();
    let document = Document::open(&folder).unwrap();
    let house = House::scene(Opening { name: "project".into(), document, folder });
    let mut page = house.page();
    let name = page.event("welcome")["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned();
    page.ask(&json!({ "do": "open", "scene": "foreign.toml" }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("outside"));
    page.set(&format!("body.{name}.skin"), &json!({ "mesh": "../private.obj" }));
    assert!(page.event("refused")["help"].as_str().unwrap().contains("import"));
    page.ask(&json!({ "do": "recover", "keep": true }));
    assert!(page.event("refused")["what"].as_str().unwrap().contains("outside"));
    // From the folder above, the same scene reads a file of the opened folder.
    let document = Document::open(&above.path().join("project/foreign.toml")).unwrap();
    let house = House::scene(Opening { name: "above".into(), document, folder: above.path().to_owned() });
    assert_eq!(house.page().event("welcome")["scene"]["bodies"][0]["name"], "b");
}

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// The opened folder is moved away, and a link to somewhere else has its name.
#[test]
fn an_import_goes_where_the_folder_is_and_not_where_its_name_leads() {
    let above = tempfile::tempdir().unwrap();
    let (folder, moved, outside) = (above.path().join("f"), above.path().join("moved"), above.path().join("outside"));
    fs::create_dir(&folder).unwrap();
    fs::create_dir(&outside).unwrap();
    project(&folder, "bar-pin", [1, 8]);
    let document = Document::open(&folder).unwrap();
    let house = House::scene(Opening { name: "moved".into(), document, folder: folder.clone() });
    let mut page = house.page();
    page.document(|_| true);
    fs::rename(&folder, &moved).unwrap();
    symlink(&outside, &folder).unwrap();
    for address in ["/import?name=tet.obj", "/import?name=tet.obj&as=body"] {
        if house.post(address, TETRAHEDRON.as_bytes()).status == 200 {
            ended_job(&mut page);
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{address}: something was made outside");
    }
}

/// A name that a link has is taken: a project of another name is made.
#[test]
fn an_import_leaves_a_link_of_its_name_alone() {
    let received = Received::new();
    symlink(received.outside.path(), received.path().join("tet")).unwrap();
    let house = received.open();
    let mut page = house.page();
    assert_eq!(house.post("/import?name=tet.obj", TETRAHEDRON.as_bytes()).status, 200);
    assert_eq!(ended_job(&mut page)["done"]["files"][0], "tet-2/scene.toml");
    received.assert_untouched();
}

/// A take holds the text of its scene, and whoever packed it wrote that text.
#[test]
fn a_take_whose_mesh_lies_outside_is_neither_exported_nor_drawn() {
    let received = Received::new();
    fs::write(received.victim(), TETRAHEDRON).unwrap();
    let private = received.outside.path().join("private.obj");
    fs::rename(received.victim(), &private).unwrap();
    let text = scene_with_mesh(&private.display().to_string());
    let scene = sinew_scene::Scene::from_toml(&text, "planted").unwrap();
    let mut built = sinew_bake::build(&scene, received.path(), 1).unwrap();
    fs::create_dir(received.path().join("takes")).unwrap();
    let asked = sinew_bake::Bake {
        frames: 1..=2,
        resume: false,
        options: sinew_bake::take::TakeOptions::default(),
        dump: None,
    };
    let take = received.path().join("takes/planted.take");
    sinew_bake::bake(&mut built, &text, &take, &asked, |_| std::ops::ControlFlow::Continue(())).unwrap();
    let house = received.open();
    let mut page = house.page();
    page.until(|heard| {
        matches!(heard, Heard::Event(event) if event["event"] == "takes" && event["names"] != json!([])).then_some(())
    });
    for order in [
        json!({ "do": "export", "file": "a.obj", "format": "obj", "options": { "take": "planted" } }),
        json!({ "do": "render", "file": "a.png", "format": "png", "options": { "take": "planted" } }),
    ] {
        page.ask(&order);
        let refused = page.event("refused");
        assert!(refused["what"].as_str().unwrap().contains("outside of the opened folder"), "{refused}");
        assert!(refused["help"].as_str().is_some_and(|help| help.contains("copy the file")), "{refused}");
    }
}
