//! `sinew key`: shapes and paths from takes and meshes, and what is refused.

use crate::program::{fails, json, small_scene, write};
use tempfile::tempdir;

#[test]
fn a_recorded_shape_becomes_a_key_and_a_path() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let spring =
        "velocity = [0.0, 0.0, 1.2]\n[[body.director]]\nname = \"bent\"\nkind = \"rest_shape\"\nbend_deg = 60.0";
    write(path, "free.toml", &small_scene(spring));
    json(path, &["bake", "free.toml", "-o", "free.take", "--json"]);
    write(path, "scene.toml", &small_scene(""));
    json(path, &["key", "add", "scene.toml", "--body", "bar", "--frame", "1", "--json"]);
    let added = json(
        path,
        &[
            "key",
            "add",
            "scene.toml",
            "--body",
            "bar",
            "--frame",
            "6",
            "--take",
            "free.take",
            "--name",
            "bent",
            "--json",
        ],
    );
    assert_eq!(added["applied"], "key shape of bar at frame 6");
    json(
        path,
        &["key", "path", "scene.toml", "--body", "bar", "--take", "free.take", "--every", "3", "--turns", "--json"],
    );
    let text = std::fs::read_to_string(path.join("scene.toml")).unwrap();
    assert!(text.contains("key_shapes") && text.contains("assets/key-") && text.contains("turns"), "{text}");
    json(path, &["bake", "scene.toml", "-o", "keyed.take", "--json"]);
    let info = json(path, &["info", "keyed.take", "--json"]);
    let of = |name: &str| {
        let all = info["measures"].as_array().unwrap();
        let values = all.iter().find(|measure| measure["name"] == name).unwrap()["values"].clone();
        values.as_array().unwrap().iter().map(|pair| pair[1].as_f64().unwrap()).collect::<Vec<f64>>()
    };
    assert!(of("distance_from_path").iter().all(|off| *off < 1e-9), "{:?}", of("distance_from_path"));
    assert!(of("key_residual").iter().all(|off| *off < 12.0), "{:?}", of("key_residual"));
    assert!(json(path, &["tidy", ".", "--json"])["unused"].as_array().unwrap().is_empty());
    // A take in a folder of its own still finds the shapes it names.
    std::fs::create_dir(path.join("takes")).unwrap();
    std::fs::rename(path.join("keyed.take"), path.join("takes/keyed.take")).unwrap();
    json(path, &["render", "takes/keyed.take", "-o", "a.png", "--frame", "6", "--size", "80x45", "--json"]);
}

/// Any state of a take is a pose of a plan; the plan is found, written as one edit, and followed.
#[test]
fn a_recorded_state_becomes_a_pose_of_a_plan_and_the_plan_is_found() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let thrown =
        "velocity = [0.0, 0.0, 1.2]\n[[body.director]]\nname = \"bent\"\nkind = \"rest_shape\"\nbend_deg = 60.0";
    write(path, "free.toml", &small_scene(thrown));
    json(path, &["bake", "free.toml", "-o", "free.take", "--json"]);
    write(path, "scene.toml", &small_scene(""));
    let key = ["key", "add", "scene.toml", "--body", "bar", "--frame", "6", "--plan", "--take", "free.take", "--json"];
    assert_eq!(json(path, &key)["applied"], "pose of bar at frame 6");
    let found = json(path, &["refine", "plan", "scene.toml", "-o", "scene.toml", "--json"]);
    let outcome = found["alternatives"][0]["outcome"].as_array().unwrap().clone();
    let missed = outcome.iter().find(|each| each["name"] == "bar/key_residual").unwrap()["value"].as_f64().unwrap();
    assert!(missed < 0.01, "{missed} %");
    let text = std::fs::read_to_string(path.join("scene.toml")).unwrap();
    assert!(text.contains("kind = \"plan\"") && text.contains("assets/plan-") && text.contains("solved_for"), "{text}");
    json(path, &["bake", "scene.toml", "-o", "planned.take", "--json"]);
    let info = json(path, &["info", "planned.take", "--json"]);
    let off =
        info["measures"].as_array().unwrap().iter().find(|measure| measure["name"] == "off_plan").unwrap().clone();
    let values: Vec<f64> = off["values"].as_array().unwrap().iter().filter_map(|pair| pair[1].as_f64()).collect();
    assert!(!values.is_empty() && values.iter().all(|off| *off < 1e-3), "{values:?}");
    let refused = fails(path, 1, &["refine", "plan", "scene.toml", "--group", "nobody"]);
    assert!(refused.contains("there is no plan \"nobody\"") && refused.contains("bar"), "{refused}");
}

/// CM-35: what a metaphor made of a body is a key of another scene's, which has no metaphor.
#[test]
fn what_a_metaphor_reached_becomes_a_key() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let metaphor = "[[body.director]]\nname = \"bend\"\nkind = \"metaphor\"\nalong = [1.0, 0.0, 0.0]\nup = [0.0, 1.0, 0.0]\n\
        act = { bend = { arm = 0.35, radius = 0.2 } }";
    write(path, "bent.toml", &small_scene(&format!("{metaphor}\nnewton = 60.0")));
    json(path, &["bake", "bent.toml", "-o", "bent.take", "--json"]);
    // A metaphor without force measures, and does nothing else.
    write(path, "scene.toml", &small_scene(&format!("{metaphor}\nnewton = 0.0")));
    let key = |frame: &str, more: &[&str]| {
        let words = ["key", "add", "scene.toml", "--body", "bar", "--frame", frame, "--json"];
        json(path, &[&words, more].concat());
    };
    key("1", &[]);
    key("6", &["--take", "bent.take"]);
    json(path, &["bake", "scene.toml", "-o", "keyed.take", "--json"]);
    let bend = |take: &str| {
        let info = json(path, &["info", take, "--json"]);
        let all = info["measures"].as_array().unwrap();
        let values = all.iter().find(|measure| measure["name"] == "bend").unwrap()["values"].clone();
        let at_6 = values.as_array().unwrap().iter().find(|pair| pair[0] == 6).unwrap()[1].as_f64();
        at_6.unwrap()
    };
    let [wanted, got] = ["bent.take", "keyed.take"].map(bend);
    assert!(wanted > 3.0 && (got / wanted - 1.0).abs() < 0.35, "{got}° of {wanted}°");
}

#[test]
fn a_mesh_of_the_same_topology_becomes_a_key_and_another_does_not() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "a.take", "--json"]);
    json(path, &["export", "a.take", "-o", "skin.obj", "--json"]);
    let skin = std::fs::read_to_string(path.join("skin.0001.obj")).unwrap();
    let moved = |change: &dyn Fn([f64; 3]) -> [f64; 3]| {
        let line = |line: &str| match line.strip_prefix("v ") {
            Some(numbers) => {
                let mut x = numbers.split_whitespace().map(|word| word.parse::<f64>().unwrap());
                let [x, y, z] = change([x.next().unwrap(), x.next().unwrap(), x.next().unwrap()]);
                format!("v {x} {y} {z}")
            }
            None => line.to_owned(),
        };
        skin.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    let add = ["key", "add", "scene.toml", "--body", "bar", "--frame", "4", "--mesh"];
    write(path, "bent.obj", &moved(&|[x, y, z]| [x, y + 0.4 * x * x, z]));
    json(path, &[&add[..], &["bent.obj", "--json"]].concat());
    json(path, &["check", "scene.toml", "--json"]);
    write(path, "flat.obj", &moved(&|[x, _, z]| [x, 0.0, z]));
    write(path, "inside-out.obj", &moved(&|[x, y, z]| [-x, y, z]));
    write(path, "other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    let before = std::fs::read_to_string(path.join("scene.toml")).unwrap();
    for (file, what) in
        [("flat.obj", "is no shape of body"), ("inside-out.obj", "is no shape of body"), ("other.obj", "4 vertices")]
    {
        let said = fails(path, 1, &[&add[..], &[file]].concat());
        assert!(said.contains(what) && said.contains(file) && said.contains("help"), "{said}");
    }
    assert!(fails(path, 1, &["key", "add", "scene.toml", "--body", "foo", "--frame", "4"]).contains("there are bar"));
    assert!(fails(path, 1, &["key", "add", "bounce", "--body", "ball", "--frame", "4"]).contains("built in"));
    assert_eq!(std::fs::read_to_string(path.join("scene.toml")).unwrap(), before, "nothing is lost");
}

#[test]
fn a_keys_shape_is_edited_and_what_is_no_edit_is_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["key", "add", "scene.toml", "--body", "bar", "--frame", "4", "--json"]);
    let edit = ["key", "edit", "scene.toml", "--body", "bar", "--frame", "4"];
    let squash = r#"{"do":"scale","part":{},"by":[1.2,0.7,1.2]}"#;
    let edited = json(path, &[&edit[..], &[squash, "--json"]].concat());
    assert_eq!(edited["applied"], "scale key 4 of bar");
    json(path, &["check", "scene.toml", "--json"]);
    let before = std::fs::read_to_string(path.join("scene.toml")).unwrap();
    assert!(before.contains("assets/key-"), "{before}");
    for (wrong, what) in [
        (r#"{"do":"melt"}"#, "is no edit"),
        (r#"{"do":"smooth","part":{"points":[9999]},"rounds":1}"#, "has points 0 to"),
    ] {
        let said = fails(path, 1, &[&edit[..], &[wrong]].concat());
        assert!(said.contains(what) && said.contains("help"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(path.join("scene.toml")).unwrap(), before);
    write(path, "copy.json", r#"{"do":"copy_director","from":"body.bar.director.shape","to":"body.bar","mirror":"y"}"#);
    json(path, &["apply", "scene.toml", "copy.json", "--json"]);
    assert!(std::fs::read_to_string(path.join("scene.toml")).unwrap().contains(r#"mirror = "y""#));
    json(path, &["check", "scene.toml", "--json"]);
}

/// The commands of `docs/book/keys-tutorial.md`, one after the other: on the ball that `sinew new` makes, whatever its landing does to it.
#[test]
fn the_tutorial_goes_through() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    json(path, &["new", "hop", "--model", "ball", "--json"]);
    let shorter = r#"{"do":"set","path":"scene.frames","value":[1,30]}"#;
    write(path, "shorter.json", shorter);
    json(path, &["apply", "hop/scene.toml", "shorter.json", "--json"]);
    std::fs::create_dir_all(path.join("hop/takes")).unwrap();
    json(path, &["bake", "hop/scene.toml", "-o", "hop/takes/free.take", "--json"]);
    let scene = ["hop/scene.toml", "--body", "ball"];
    let contacts = ["-o", "hop/scene.toml", "--choose", "2", "--json"];
    json(path, &[&["refine", "contacts"], &scene[..], &contacts].concat());
    json(path, &["export", "hop/takes/free.take", "-o", "frames.obj", "--json"]);
    let mesh = ["--frame", "14", "--mesh", "frames.0014.obj", "--json"];
    json(path, &[&["key", "add"], &scene[..], &mesh].concat());
    let take = ["--take", "hop/takes/free.take", "--every", "6", "--json"];
    json(path, &[&["key", "path"], &scene[..], &take].concat());
    json(path, &["bake", "hop/scene.toml", "-o", "hop/takes/good.take", "--json"]);
    let pull = r#"{"do":"pull","at":[0,0.2,0],"by":[0,0.08,0],"radius":0.25}"#;
    let edit = ["--take", "hop/takes/good.take", "--frame", "24", "--width", "5", pull, "--json"];
    let edited = json(path, &[&["key", "take"], &scene[..], &edit].concat());
    assert_eq!(edited["applied"], "edit the take of ball at frame 24");
    json(path, &["bake", "hop/scene.toml", "-o", "hop/takes/edited.take", "--json"]);
    let info = json(path, &["info", "hop/takes/edited.take", "--json"]);
    let measured = |name: &str| {
        info["measures"].as_array().unwrap().iter().any(|own| own["director"] == "take" && own["name"] == name)
    };
    assert!(measured("residual") && measured("unbalanced") && measured("key_residual"), "{info}");
    let said = fails(path, 1, &[&["key", "take"], &scene[..], &["--frame", "99"]].concat());
    assert!(said.contains("frames 2 to 30 can"), "{said}");
}
