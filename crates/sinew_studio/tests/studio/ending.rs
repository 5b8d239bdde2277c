//! A studio that is asked to end keeps what was not saved.

#![cfg(unix)]

use crate::files::project;
use crate::house::House;
use serde_json::json;
use sinew_scene::Document;
use sinew_studio::{Opening, StudioOptions, serve};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The studio of the tests below, in a process of its own.
#[test]
#[ignore = "a process of its own: the tests below start it"]
fn a_studio_that_is_served() {
    let Some(folder) = std::env::var_os("SINEW_SERVED_FOLDER") else { return };
    let folder = Path::new(&folder);
    let opening =
        Opening { name: "served".into(), document: Document::open(folder).unwrap(), folder: folder.to_owned() };
    let state_folder = Some(folder.join(".state"));
    serve(opening, StudioOptions { open: false, state_folder, ..StudioOptions::default() }).unwrap();
}

fn start(folder: &Path) -> (Child, House) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ending::a_studio_that_is_served", "--ignored", "--nocapture"])
        .env("SINEW_SERVED_FOLDER", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let url = said.filter_map(|line| line.find("http://").map(|at| line[at..].to_owned())).next().unwrap();
    (child, House::at(&url))
}

#[test]
fn an_edit_right_before_ctrl_c_or_a_shutdown_is_offered_again() {
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT"] {
        let folder = tempfile::tempdir().unwrap();
        project(folder.path(), "bar-pin", [1, 8]);
        let (mut child, house) = start(folder.path());
        let mut page = house.page();
        page.set("scene.gravity", &json!([0.0, -6.5, 0.0]));
        page.document(|document| document["unsaved"] == true);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        child.wait().unwrap();
        let kept = std::fs::read_to_string(folder.path().join(".scene.toml.autosave")).unwrap();
        assert!(kept.contains("-6.5"), "{signal}: {kept}");
        let again = House::scene(Opening {
            name: "again".into(),
            document: Document::open(folder.path()).unwrap(),
            folder: folder.path().to_owned(),
        });
        assert_eq!(again.page().document(|_| true)["recovered"], json!(true), "{signal}");
    }
}
