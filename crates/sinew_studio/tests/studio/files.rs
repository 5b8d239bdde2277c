//! Saving, recovering, takes, exports and imports: what the studio writes, and where it never does.

use crate::beside::processor_secs;
use crate::house::{Heard, House, Page};
use serde_json::{Value, json};
use sinew_scene::{Document, builtin};
use sinew_studio::Opening;
use std::fs;
use std::path::Path;

/// A project of a short built-in scene.
pub(crate) fn project(folder: &Path, scene: &str, frames: [i32; 2]) -> Opening {
    let text = builtin::find(scene).unwrap().toml;
    let mut document = Document::parse(text, scene).unwrap();
    let frames = sinew_scene::Command::Set { path: "scene.frames".into(), value: json!(frames) };
    document.apply(&frames).unwrap();
    document.save_as(&folder.join("scene.toml")).unwrap();
    Opening { name: scene.to_owned(), document: Document::open(folder).unwrap(), folder: folder.to_owned() }
}

fn heard_job(heard: &Heard) -> Option<Value> {
    match heard {
        Heard::Event(event) if event["event"] == "job" => Some(event.clone()),
        _ => None,
    }
}

/// How the next job ends.
pub(crate) fn ended_job(page: &mut Page) -> Value {
    page.until(|heard| match heard {
        Heard::Event(event)
            if event["event"] == "job" && (event["done"].is_object() || event["failed"].is_string()) =>
        {
            Some(event.clone())
        }
        _ => None,
    })
}

/// Records the whole shot, ready to be kept.
pub(crate) fn record(page: &mut Page, last: i32) {
    page.ask(&json!({ "do": "record", "on": true }));
    page.transport(|now| now["recording"] == true && now["recorded_to"] == last);
    page.ask(&json!({ "do": "record", "on": false }));
}

#[test]
fn a_built_in_scene_asks_for_a_name_and_becomes_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    page.set("scene.gravity", &json!([0.0, -3.0, 0.0]));
    page.document(|document| document["unsaved"] == true);
    page.ask(&json!({ "do": "save" }));
    assert_eq!(page.event("refused")["what"], "choose a name");
    for wrong in ["../out", "/tmp/out", "a\\b", "con", ".hidden", "a//b", ""] {
        page.ask(&json!({ "do": "save_as", "file": wrong }));
        page.event("refused");
    }
    page.ask(&json!({ "do": "save_as", "file": "my bar" }));
    let saved = page.document(|document| document["unsaved"] == false);
    assert_eq!((&saved["file"], &saved["name"]), (&json!("my bar/scene.toml"), &json!("my bar")));
    let text = fs::read_to_string(folder.path().join("my bar/scene.toml")).unwrap();
    assert!(text.contains("gravity = [0.0, -3.0, 0.0]"), "{text}");
    let gallery = house.page().event("gallery");
    assert_eq!(gallery["files"], json!(["my bar/scene.toml"]));
    page.ask(&json!({ "do": "save_as", "file": "my bar/scene.toml" }));
    page.ask(&json!({ "do": "undo" }));
    page.document(|document| document["unsaved"] == true);
    page.ask(&json!({ "do": "save" }));
    page.document(|document| document["unsaved"] == false);
    page.ask(&json!({ "do": "open", "scene": "my bar/scene.toml" }));
    let reopened = page.document(|document| document["undo"] == json!([]));
    assert_eq!(reopened["name"], "my bar");
}

#[test]
fn work_that_was_never_saved_is_offered_again_and_two_studios_do_not_share_it() {
    let folder = tempfile::tempdir().unwrap();
    let opening = || project(folder.path(), "bar-pin", [1, 24]);
    let first = House::scene(opening());
    let mut page = first.page();
    page.set("scene.gravity", &json!([0.0, -4.0, 0.0]));
    page.document(|document| document["unsaved"] == true);
    page.ask(&json!({ "do": "open", "scene": "bar-goal" })); // keeps what was not saved
    page.document(|document| document["name"] == "bar-goal");
    page.ask(&json!({ "do": "open", "scene": "scene.toml" }));
    let back = page.document(|document| document["file"] == "scene.toml");
    assert_eq!((&back["recovered"], &back["unsaved"]), (&json!(true), &json!(false)));
    let second = House::scene(Opening {
        name: "again".into(),
        document: Document::open(folder.path()).unwrap(),
        folder: folder.path().to_owned(),
    });
    assert_eq!(second.page().document(|_| true)["recovered"], json!(false), "the first studio is still at it");
    page.ask(&json!({ "do": "recover", "keep": true }));
    let kept = page.document(|document| document["recovered"] == false);
    assert_eq!(kept["scene"]["scene"]["gravity"], json!([0.0, -4.0, 0.0]));
    assert_eq!(kept["undo"], json!(["recover unsaved work"]));
}

#[test]
fn work_is_offered_again_however_often_the_scene_was_opened() {
    let folder = tempfile::tempdir().unwrap();
    let opening = || project(folder.path(), "bar-pin", [1, 24]);
    {
        let house = House::scene(opening());
        let mut page = house.page();
        page.set("scene.gravity", &json!([0.0, -4.0, 0.0]));
        page.document(|document| document["unsaved"] == true);
        // The same scene again: the work in the first slot is this studio's own.
        page.ask(&json!({ "do": "open", "scene": "scene.toml" }));
        let again = page.document(|document| document["unsaved"] == false && document["building"].is_null());
        assert_eq!(again["recovered"], json!(true));
        // It is not answered for; newer work does not take its place.
        page.set("scene.gravity", &json!([0.0, -5.0, 0.0]));
        page.document(|document| document["unsaved"] == true);
        page.ask(&json!({ "do": "open", "scene": "bar-goal" }));
        page.document(|document| document["name"] == "bar-goal");
        page.ask(&json!({ "do": "open", "scene": "scene.toml" }));
        let mut found = Vec::new();
        for _ in 0..2 {
            page.document(|document| document["file"] == "scene.toml" && document["recovered"] == true);
            page.ask(&json!({ "do": "recover", "keep": true }));
            let kept = page.document(|document| document["unsaved"] == true);
            found.push(kept["scene"]["scene"]["gravity"][1].as_f64().unwrap());
            page.ask(&json!({ "do": "undo" }));
            page.document(|document| document["unsaved"] == false);
        }
        assert_eq!(found, [-5.0, -4.0], "the newest first");
    }
}

#[test]
fn work_in_the_second_slot_of_a_studio_that_was_killed_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let opening = project(folder.path(), "bar-pin", [1, 24]);
    let text = fs::read_to_string(folder.path().join("scene.toml")).unwrap();
    let edited = text.replacen("sinew = 1", "sinew = 1 # worked on", 1);
    fs::write(folder.path().join(".scene.toml-2.autosave"), &edited).unwrap();
    let house = House::scene(opening);
    let mut page = house.page();
    assert_eq!(page.document(|_| true)["recovered"], json!(true));
    page.ask(&json!({ "do": "recover", "keep": true }));
    page.document(|document| document["recovered"] == false && document["unsaved"] == true);
    page.ask(&json!({ "do": "save" }));
    page.document(|document| document["unsaved"] == false);
    assert_eq!(fs::read_to_string(folder.path().join("scene.toml")).unwrap(), edited);
}

#[test]
fn a_page_cannot_make_the_scene_read_files_outside_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.obj"), "v 0 0 0\n").unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 24]));
    let mut page = house.page();
    let name = page.event("welcome")["scene"]["bodies"][0]["name"].as_str().unwrap().to_owned();
    let absolute = outside.path().join("secret.obj").display().to_string();
    for mesh in [absolute.as_str(), "../secret.obj", "/etc/passwd", "..\\x.obj", "nul", "missing.obj"] {
        page.set(&format!("body.{name}.skin"), &json!({ "mesh": mesh }));
        let refused = page.event("refused");
        assert!(refused["what"].as_str().unwrap().contains("cannot be the mesh"), "{refused}");
    }
    assert_eq!(house.page().document(|_| true)["undo"], json!([]));
}

#[test]
fn takes_are_kept_shown_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-drop", [1, 16]));
    let mut page = house.page();
    page.ask(&json!({ "do": "record", "on": true }));
    page.transport(|now| now["recording"] == true && now["recorded_to"] == 16);
    page.ask(&json!({ "do": "record", "on": false }));
    page.ask(&json!({ "do": "keep_take", "name": "../first" }));
    page.event("refused");
    page.ask(&json!({ "do": "keep_take", "name": "first" }));
    let takes = page.until(|heard| match heard {
        Heard::Event(event) if event["event"] == "takes" && event["names"] != json!([]) => Some(event.clone()),
        _ => None,
    });
    assert_eq!(takes["names"], json!([{ "name": "first", "frames": 16 }]));
    assert!(folder.path().join("takes/first.take").exists());
    page.set("scene.gravity", &json!([0.0, 2.0, 0.0]));
    page.ask(&json!({ "do": "show_take", "name": "first", "instead": false }));
    page.ask(&json!({ "do": "pause" }));
    page.ask(&json!({ "do": "seek", "frame": 5 }));
    page.until(|heard| matches!(heard, Heard::Take { frame: 5 }).then_some(()));
    page.ask(&json!({ "do": "show_take", "name": null }));
    page.until(|heard| {
        matches!(heard, Heard::Event(event) if event["event"] == "takes" && event["shown"].is_null()).then_some(())
    });
    page.ask(&json!({ "do": "drop_take", "name": "first" }));
    let asked = page.event("exists");
    assert_eq!(asked["files"], json!(["first"]));
    assert!(folder.path().join("takes/first.take").exists(), "a take goes only when that was said twice");
    page.ask(&asked["again"]);
    page.until(|heard| {
        matches!(heard, Heard::Event(event) if event["event"] == "takes" && event["names"] == json!([])).then_some(())
    });
    assert!(!folder.path().join("takes/first.take").exists());
}

#[test]
fn every_export_and_picture_lands_in_the_folder_and_can_be_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 4]));
    let mut page = house.page();
    let formats = ["glb", "usda", "mdd", "pc2", "obj", "ply", "pvd", "npz"];
    for format in formats {
        page.ask(&json!({ "do": "export", "file": format!("out/motion-{format}"), "format": format }));
        let job = ended_job(&mut page);
        assert!(job["failed"].is_null(), "{format}: {job}");
        let files = job["done"]["files"].as_array().unwrap();
        for file in files {
            let file = file.as_str().unwrap();
            assert!(folder.path().join(file).is_file(), "{file}");
        }
        let answer = house.get(&format!("/files/{}", files[0].as_str().unwrap()));
        assert_eq!(answer.status, 200, "{format}");
    }
    for format in ["png", "gif", "apng"] {
        let options = json!({ "size": [64, 48], "field": "speed" });
        page.ask(&json!({ "do": "render", "file": "out/film", "format": format, "options": options }));
        let job = ended_job(&mut page);
        assert_eq!(job["done"]["files"], json!([format!("out/film.{format}")]), "{job}");
        let answer = house.get(&format!("/files/out/film.{format}"));
        assert_eq!(answer.header("content-type"), Some(&*format!("image/{format}")));
    }
}

/// With ffmpeg an MP4 file, part by part; without it the job says what to install.
#[test]
fn a_film_in_mp4_is_one_or_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 4]));
    let mut page = house.page();
    page.ask(&json!({ "do": "render", "file": "film", "format": "mp4", "options": { "size": [64, 48], "field": "stiffness" } }));
    let job = ended_job(&mut page);
    if std::process::Command::new("ffmpeg").arg("-version").output().is_err() {
        assert!(job["failed"].as_str().unwrap().contains("needs ffmpeg"), "{job}");
        assert!(std::env::var_os("SINEW_STRICT").is_none(), "there is no ffmpeg");
        return;
    }
    assert_eq!(job["done"]["files"], json!(["film.mp4"]), "{job}");
    assert_eq!(house.get("/files/film.mp4").header("content-type"), Some("video/mp4"));
    let bytes = fs::read(folder.path().join("film.mp4")).unwrap();
    let (mut boxes, mut at) = (Vec::new(), 0);
    while at + 8 <= bytes.len() {
        let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        boxes.push(String::from_utf8_lossy(&bytes[at + 4..at + 8]).into_owned());
        assert!(size >= 8, "{boxes:?}");
        at += size;
    }
    assert_eq!(at, bytes.len(), "the boxes fill the file: {boxes:?}");
    let place = |name: &str| boxes.iter().position(|known| known == name).unwrap();
    assert!(place("ftyp") == 0 && place("moov") < place("mdat"), "it can be played while it loads: {boxes:?}");
    let mut probe = std::process::Command::new("ffprobe");
    probe.args([
        "-v",
        "error",
        "-count_frames",
        "-show_entries",
        "stream=width,height,nb_read_frames",
        "-of",
        "csv=p=0",
    ]);
    if let Ok(seen) = probe.arg(folder.path().join("film.mp4")).output() {
        assert_eq!(
            String::from_utf8_lossy(&seen.stdout).trim(),
            "64,48,4",
            "{}",
            String::from_utf8_lossy(&seen.stderr)
        );
    }
}

#[test]
fn a_job_can_be_stopped_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::scene(project(folder.path(), "jellyfish", [1, 2000]));
    let mut page = house.page();
    page.ask(&json!({ "do": "render", "file": "long", "format": "gif" }));
    let job = page.until(|heard| match heard {
        Heard::Event(event) if event["event"] == "job" && event["fraction"].is_number() => Some(event.clone()),
        _ => None,
    });
    assert_eq!((&job["what"], &job["step"]), (&json!("drawing long.gif"), &json!("simulating")));
    page.ask(&json!({ "do": "stop_job", "id": job["id"] }));
    assert_eq!(ended_job(&mut page)["failed"], "it was stopped");
    assert!(!folder.path().join("long.gif").exists());
    page.ask(&json!({ "do": "stop_job", "id": 99 }));
    page.event("refused");
}

#[test]
fn a_mesh_becomes_a_project_with_progress_and_its_faults_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    // A tetrahedron without its base: one hole.
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let answer = house.post("/import?name=open%20tet.obj", obj.as_bytes());
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"job":1}"#));
    let job = page.until(|heard| {
        let event = heard_job(heard)?;
        // How far it is comes with every word of it, however few of them this page hears.
        let share = event["fraction"].as_f64();
        assert!(event["step"] != "meshing" || share.is_some_and(|share| (0.0..=1.0).contains(&share)), "{event}");
        (!event["done"].is_null() || !event["failed"].is_null()).then_some(event)
    });
    assert_eq!(job["fraction"], 1.0);
    assert_eq!(job["done"]["files"], json!(["open tet/scene.toml", "open tet/assets/open tet.obj"]), "{job}");
    // The new stage may have come before the job's end: a page that comes now hears of it in any case.
    house.page().until(|heard| {
        matches!(heard, Heard::Event(event) if event["event"] == "welcome" && event["scene"]["name"] == "open tet")
            .then_some(())
    });
    let document = house.page().document(|document| document["building"].is_null());
    assert_eq!(document["notices"][0]["text"], "1 hole was closed");
    assert_eq!(document["file"], "open tet/scene.toml");
    assert_eq!(document["undo"], json!([]), "how it was made is nothing to undo");
    let again = house.post("/import?name=open%20tet.obj", obj.as_bytes());
    assert_eq!(again.status, 200);
    assert_eq!(ended_job(&mut page)["done"]["files"][0], "open tet-2/scene.toml");
}

#[test]
fn an_import_that_is_stopped_ends_at_once_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    // Long enough that it is still being read when it is stopped.
    let mut obj = String::new();
    for n in 0..600_000u64 {
        obj.push_str(&format!("v {} {} {}\n", n % 1000, n / 1000, (n * 7919) % 1000));
    }
    for n in 0..600_000u64 {
        obj.push_str(&format!("f {} {} {}\n", n + 1, (n * 31) % 600_000 + 1, (n * 17 + 5) % 600_000 + 1));
    }
    for _ in 0..6 {
        let answer = house.post("/import?name=big.obj", obj.as_bytes());
        assert_eq!(answer.status, 200, "{}: no slot is kept by those that were stopped", answer.body);
        let id: Value = serde_json::from_str(&answer.body).unwrap();
        let asked = processor_secs();
        page.ask(&json!({ "do": "stop_job", "id": id["job"] }));
        let ended = ended_job(&mut page);
        assert_eq!((&ended["id"], &ended["failed"]), (&id["job"], &json!("it was stopped")), "{ended}");
        // Reading and repairing the whole of it takes tens of seconds of the processor.
        let took = processor_secs() - asked;
        assert!(took < 1.0, "{took} s of the processor");
    }
    let began = std::time::Instant::now();
    let left = || fs::read_dir(folder.path()).unwrap().flatten().filter(|entry| entry.file_name() != ".state").count();
    while left() > 0 {
        assert!(began.elapsed() < crate::house::PATIENCE, "folders of stopped imports stay");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

#[test]
fn what_is_no_mesh_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    for (name, status) in [("a.exe", 415), ("noending", 415), ("..%2fa.obj", 409), ("a%2fb.obj", 409), ("con.obj", 409)]
    {
        assert_eq!(house.post(&format!("/import?name={name}"), b"v 0 0 0\n").status, status, "{name}");
    }
    assert_eq!(house.post("/import", b"v 0 0 0\n").status, 400);
    let mut zip_bomb = b"PK\x03\x04".to_vec();
    zip_bomb.extend(vec![0; 1 << 20]);
    let huge_stl = [&[0u8; 80][..], &u32::MAX.to_le_bytes(), &[0; 50]].concat();
    let huge_ply = b"ply\nformat binary_little_endian 1.0\nelement vertex 4294967295\nproperty float x\nend_header\n";
    let deep_gltf = [b"{\"a\":".as_slice(), &b"[".repeat(200_000)].concat();
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff".to_vec();
    let bad: [(&str, &[u8]); 7] = [
        ("bomb.obj", &zip_bomb),
        ("bomb.glb", &zip_bomb),
        ("huge.stl", &huge_stl),
        ("huge.ply", huge_ply),
        ("deep.gltf", &deep_gltf),
        ("picture.off", &image),
        ("empty.obj", b""),
    ];
    for (name, bytes) in bad {
        assert_eq!(
            house.post(&format!("/import?name={name}"), bytes).status,
            200,
            "{name}: the job says what is wrong"
        );
        let job = ended_job(&mut page);
        let why = job["failed"].as_str().unwrap_or_else(|| panic!("{name}: {job}"));
        assert!(!why.contains(folder.path().to_str().unwrap()), "{name}: no paths of this machine in {why}");
    }
    let left = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    assert_eq!(left.filter(|name| name != ".state").collect::<Vec<_>>(), Vec::<String>::new());
    page.transport(|now| now["frame"].as_i64() > Some(3));
}

#[test]
fn only_what_was_made_is_given_away_and_nothing_outside() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.png"), "secret").unwrap();
    fs::write(folder.path().join("a.png"), "made").unwrap();
    fs::write(folder.path().join("notes.txt"), "private").unwrap();
    fs::write(folder.path().join(".hidden.png"), "private").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret.png"), folder.path().join("link.png")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    let house = House::scene(project(folder.path(), "bar-pin", [1, 4]));
    assert_eq!((house.get("/files/a.png").status, house.get("/files/a.png").body.as_str()), (200, "made"));
    let up = outside.path().file_name().unwrap().to_str().unwrap();
    let wrong = [
        format!("/files/../{up}/secret.png"),
        format!("/files/%2e%2e/{up}/secret.png"),
        format!("/files/..%2f{up}%2fsecret.png"),
        format!("/files/..%5c{up}%5csecret.png"),
        format!("/files/{}", outside.path().join("secret.png").display()),
        format!("/files/%2f{}", outside.path().join("secret.png").display()),
        "/files//a.png".into(),
        "/files/./a.png".into(),
        "/files/a.png%00".into(),
        "/files/a%00.png".into(),
        "/files/a.png%3fraw".into(),
        "/files/link.png".into(),
        "/files/out/secret.png".into(),
        "/files/notes.txt".into(),
        "/files/.hidden.png".into(),
        "/files/con.png".into(),
        "/files/%ff.png".into(),
        "/files/".into(),
        "/files".into(),
        "/gallery/../a.png".into(),
        "/gallery/jellyfish".into(),
        "/schema.json/".into(),
    ];
    for target in wrong {
        let answer = house.get(&target);
        assert!(answer.status == 404 || answer.status == 400, "{target}: {} {}", answer.status, answer.body);
    }
    assert_eq!(house.get("/files/a.png?raw").status, 200, "a query changes nothing");
    let schema = house.get("/schema.json");
    assert!(schema.status == 200 && schema.body.contains("\"$defs\""));
}

/// Whether a file somewhere in a folder holds a text.
fn holds(folder: &Path, text: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        if path.is_dir() { holds(&path, text) } else { fs::read_to_string(&path).is_ok_and(|kept| kept.contains(text)) }
    })
}

/// The studio of the next test, in a process of its own.
#[test]
#[ignore = "a process of its own: the next test starts it and kills it"]
fn a_studio_that_will_be_killed() {
    let Some(folder) = std::env::var_os("SINEW_KILLED_FOLDER") else { return };
    let house = House::builtin("bar-pin", Path::new(&folder));
    let mut page = house.page();
    page.set("scene.gravity", &json!([0.0, -5.0, 0.0]));
    page.document(|document| document["unsaved"] == true);
    println!("edited");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn a_studio_that_is_killed_loses_no_more_than_ten_seconds() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "files::a_studio_that_will_be_killed", "--ignored", "--nocapture"])
        .env("SINEW_KILLED_FOLDER", folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.contains("edited")));
    // Kept by itself, every eight seconds; nothing else is asked of the studio meanwhile.
    let began = std::time::Instant::now();
    while !holds(&folder.path().join(".state"), "-5.0") {
        assert!(began.elapsed() < crate::house::PATIENCE, "nothing is kept");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap(); // SIGKILL
    child.wait().unwrap();
    let house = House::builtin("bar-pin", folder.path());
    let mut page = house.page();
    assert_eq!(page.document(|_| true)["recovered"], true);
    page.ask(&json!({ "do": "recover", "keep": true }));
    let document = page.document(|document| document["recovered"] == false);
    assert_eq!(document["scene"]["scene"]["gravity"], json!([0.0, -5.0, 0.0]));
}
