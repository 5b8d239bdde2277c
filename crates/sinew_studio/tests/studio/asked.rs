//! Nothing is overwritten without asking.

use crate::files::{ended_job, project, record};
use crate::house::{Heard, House, Page};
use serde_json::{Value, json};
use std::fs;

/// The question, or the end of the job that needed none.
fn answer(page: &mut Page) -> Value {
    page.until(|heard| match heard {
        Heard::Event(event) if event["event"] == "exists" => Some(event.clone()),
        Heard::Event(event)
            if event["event"] == "job" && (event["done"].is_object() || event["failed"].is_string()) =>
        {
            Some(event.clone())
        }
        _ => None,
    })
}

#[test]
fn an_export_over_files_that_are_there_is_a_question_first() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 3]));
    let mut page = house.page();
    for (format, there) in [
        ("glb", "out.glb"),
        ("mdd", "out.obj"),
        ("obj", "out.0002.obj"),
        ("pvd", "out/beam.0003.vtu"),
        ("npz", "out.npz"),
    ] {
        let there = if format == "pvd" {
            let name = page_body(&house);
            format!("out/{name}.0003.vtu")
        } else {
            there.to_owned()
        };
        fs::create_dir_all(folder.path().join("out")).unwrap();
        fs::write(folder.path().join(&there), "a user's").unwrap();
        page.ask(&json!({ "do": "export", "file": "out", "format": format }));
        let asked = answer(&mut page);
        assert_eq!((&asked["event"], &asked["files"]), (&json!("exists"), &json!([there])), "{format}");
        assert_eq!(fs::read_to_string(folder.path().join(&there)).unwrap(), "a user's", "{format}");
        page.ask(&asked["again"]);
        let done = ended_job(&mut page);
        assert!(done["failed"].is_null(), "{format}: {done}");
        assert_ne!(fs::read(folder.path().join(&there)).unwrap(), b"a user's", "{format}");
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            if file.file_name().to_string_lossy().starts_with("out.") {
                fs::remove_file(file.path()).unwrap();
            }
        }
    }
    fs::write(folder.path().join("film.png"), "a user's").unwrap();
    page.ask(&json!({ "do": "render", "file": "film", "format": "png", "options": { "size": [64, 48] } }));
    assert_eq!(answer(&mut page)["files"], json!(["film.png"]));
}

fn page_body(house: &House) -> String {
    house.page().event("welcome")["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_take_of_the_same_name_is_a_question_first() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-drop", [1, 8]));
    let mut page = house.page();
    record(&mut page, 8);
    let kept = |page: &mut Page| {
        page.until(|heard| {
            matches!(heard, Heard::Event(event) if event["event"] == "takes" && event["names"] != json!([]))
                .then_some(())
        });
    };
    page.ask(&json!({ "do": "keep_take", "name": "one" }));
    kept(&mut page);
    let before = fs::read(folder.path().join("takes/one.take")).unwrap();
    page.ask(&json!({ "do": "keep_take", "name": "one" }));
    let asked = page.event("exists");
    assert_eq!(asked["files"], json!(["one"]));
    assert_eq!(fs::read(folder.path().join("takes/one.take")).unwrap(), before);
    page.ask(&asked["again"]);
    kept(&mut page);
}
