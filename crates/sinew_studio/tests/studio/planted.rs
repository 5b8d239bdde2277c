//! A project that someone else packed: links, pipes and devices in it under the names that the studio uses.

#![cfg(unix)]

use crate::files::{project, record};
use crate::house::{Heard, House};
use serde_json::json;
use sinew_scene::Document;
use sinew_studio::Opening;
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
