//! The command line's contract, by the program itself.

use crate::program::{fails, json, run, small_scene, text, write};
use tempfile::tempdir;

#[test]
fn every_command_shows_an_example() {
    let folder = tempdir().unwrap();
    for command in [
        "studio", "list", "new", "check", "schema", "apply", "bake", "info", "key", "mesh", "export", "render", "bench",
    ] {
        let output = run(folder.path(), &[command, "-h"]);
        assert!(text(&output.stdout).contains("Example: "), "{command}");
    }
}

#[test]
fn built_in_scenes_are_listed_checked_and_known_by_name() {
    let folder = tempdir().unwrap();
    let list = json(folder.path(), &["list", "--json"]);
    let scenes = list["scenes"].as_array().unwrap();
    assert!(scenes.iter().any(|scene| scene["name"] == "jellyfish"));
    for scene in scenes {
        let name = scene["name"].as_str().unwrap();
        assert_eq!(json(folder.path(), &["check", name, "--json"])["ok"], true, "{name}");
    }
    let said = fails(folder.path(), 1, &["check", "jelyfish"]);
    assert!(said.contains("did you mean `jellyfish`"), "{said}");
}

#[test]
fn a_new_project_bakes_exports_and_renders() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    json(path, &["new", "wobble", "--model", "cylinder", "--json"]);
    assert!(fails(path, 1, &["new", "wobble"]).contains("exists already"));
    let baked = json(path, &["bake", "wobble", "-o", "wobble/takes/a.take", "--frames", "1..12", "--json"]);
    assert_eq!((&baked["frames"], &baked["substeps"]), (&12.into(), &44.into()));
    assert!(baked["step_ms"]["median"].as_f64().unwrap() > 0.0);
    assert_eq!(baked["hash"].as_str().unwrap().len(), 64);
    let info = json(path, &["info", "wobble/takes/a.take", "--json"]);
    assert_eq!(
        (&info["frames"], &info["complete"], &info["hash"]),
        (&serde_json::json!([1, 12]), &true.into(), &baked["hash"])
    );
    for extension in ["npz", "glb", "usda", "mdd", "pc2", "obj", "ply", "pvd"] {
        let output = format!("{extension}/a.{extension}");
        std::fs::create_dir(path.join(extension)).unwrap();
        let exported = json(path, &["export", "wobble/takes/a.take", "-o", &output, "--json"]);
        for file in exported["files"].as_array().unwrap() {
            assert!(std::fs::metadata(path.join(file.as_str().unwrap())).unwrap().len() > 100, "{file}");
        }
    }
    json(path, &["render", "wobble/takes/a.take", "-o", "a.png", "--frame", "6", "--size", "160x90", "--json"]);
    json(path, &["render", "wobble/takes/a.take", "-o", "a.gif", "--size", "80x45", "--json"]);
    assert!(std::fs::read(path.join("a.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(std::fs::read(path.join("a.gif")).unwrap().starts_with(b"GIF89a"));
}

#[test]
fn frames_and_settings_and_threads_mean_what_they_say() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let hash = |words: &[&str]| json(path, words)["hash"].clone();
    let whole = hash(&["bake", "bar-stretch", "-o", "a.take", "--frames", "3..9", "--json"]);
    assert_eq!(whole, hash(&["bake", "bar-stretch", "-o", "b.take", "--frames", "3..9", "--threads", "8", "--json"]));
    assert_eq!(
        whole,
        hash(&["bake", "bar-stretch", "-o", "c.take", "--frames", "3..9", "--within", "0.001", "--json"])
    );
    let info = json(path, &["info", "a.take", "--json"]);
    assert_eq!(info["frames"], serde_json::json!([3, 9]));
    let stiffer = hash(&[
        "bake",
        "bar-stretch",
        "-o",
        "d.take",
        "--frames",
        "3..9",
        "--set",
        "body.bar.solver.iterations=5",
        "--json",
    ]);
    assert_ne!(whole, stiffer);
    assert!(
        fails(path, 1, &["bake", "bar-stretch", "-o", "e.take", "--frames", "0..9"]).contains("not within the scene's")
    );
    assert!(fails(path, 2, &["bake", "bar-stretch", "-o", "e.take", "--frames", "9..3"]).contains("before the first"));
    let said = fails(path, 1, &["bake", "bar-stretch", "-o", "e.take", "--set", "body.bar.solver.iteration=5"]);
    assert!(said.contains("iterations"), "{said}");
}

#[test]
fn npz_holds_the_contract_arrays_in_the_order_of_the_file() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    json(path, &["bake", "bar-pin", "-o", "a.take", "--frames", "1..3", "--json"]);
    json(path, &["export", "a.take", "-o", "a.npz", "--json"]);
    let npz = sinew::io::npz::NpzReader::open(path.join("a.npz")).unwrap();
    let shape = |name: &str| npz.array(name).unwrap().shape;
    let points = shape("bar/mass")[0];
    assert_eq!(shape("bar/flesh"), [3, points, 3]);
    assert_eq!(shape("bar/velocity"), [3, points, 3]);
    assert_eq!(shape("bar/flesh_rest"), [points, 3]);
    assert_eq!(shape("bar/tets")[1], 4);
    assert_eq!((shape("bar/skin")[0], shape("bar/faces")[1]), (3, 3));
    assert_eq!((shape("times"), shape("frames")), (vec![3], vec![3]));
    // The structured bar's file order runs along x first.
    let sinew::io::npz::Values::F8(rest) = npz.array("bar/flesh_rest").unwrap().values else { panic!("f64 expected") };
    assert!(rest[0] < rest[3] && rest[1] == rest[4] && rest[2] == rest[5], "{:?}", &rest[..6]);
}

#[test]
fn wrong_scenes_are_refused_with_line_and_remedy() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let cases = [
        ("solvr = { kind = \"fem\" }", "solver"),
        ("solver = { kind = \"fme\" }", "fem"),
        ("scale = \"big\"", "scale"),
        ("flesh2 = 1", "flesh"),
        ("velocity = [0.0, nan, 0.0]", "velocity"),
        ("at = [0.0, 1e300, 0.0]", "at"),
        ("solver = { kind = \"shape_matching\", iterations = -3 }", "iterations"),
        ("[[body.director]]\nkind = \"pin\"\non = \"rot\"\n[body.sets]\nroot = { side = \"-x\" }", "root"),
        (
            "[[body.director]]\nkind = \"pin\"\non = \"far\"\n[body.sets]\nfar = { sphere = { centre = [9.0, 9.0, 9.0], radius = 0.1 } }",
            "no vertex",
        ),
    ];
    for (extra, wanted) in cases {
        write(path, "s.toml", &small_scene(extra));
        let said = fails(path, 1, &["check", "s.toml"]);
        assert!(said.contains(wanted), "{extra}: {said}");
    }
    // What only building finds is shown at its line too.
    let far = "[[body.director]]\nkind = \"pin\"\non = \"far\"\n[body.sets]\nfar = { sphere = { centre = [9.0, 9.0, 9.0], radius = 0.1 } }";
    write(path, "s.toml", &small_scene(far));
    assert!(fails(path, 1, &["check", "s.toml"]).contains("s.toml:12"));
    write(path, "s.toml", &small_scene("").replace("[1, 8]", "[8, 1]"));
    assert!(fails(path, 1, &["check", "s.toml"]).contains("s.toml:3"), "the line of the frame range");
    write(path, "s.toml", &small_scene("").replace("sinew = 1", "sinew = 99"));
    assert!(fails(path, 1, &["check", "s.toml"]).contains("99"));
    write(path, "s.toml", "sinew = 1\n[[body]\n");
    assert!(fails(path, 1, &["check", "s.toml"]).contains("s.toml:2"));
    let error = run(path, &["check", "s.toml", "--json"]);
    let object: serde_json::Value = serde_json::from_slice(&error.stdout).unwrap();
    assert_eq!(object["problems"][0]["line"], 2);
}

#[test]
fn missing_and_broken_meshes_are_named() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let scene = small_scene("")
        .replace("{ model = \"bar\" }", "{ mesh = \"none.mesh\" }")
        .replace("flesh = { kind = \"tets\", vertices = 60 }\n", "");
    write(path, "s.toml", &scene);
    assert!(fails(path, 1, &["check", "s.toml"]).contains("none.mesh"));
    write(path, "none.mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 x 0\n");
    assert!(fails(path, 1, &["check", "s.toml"]).contains('5'), "the line of the broken vertex");
    write(path, "none.mesh", "");
    fails(path, 1, &["check", "s.toml"]);
    write(
        path,
        "none.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 0 0\nTetrahedra\n1\n1 2 3 4 0\nEnd\n",
    );
    assert!(fails(path, 1, &["check", "s.toml"]).contains("tet 0 is flat"));
}

#[test]
fn takes_of_other_scenes_and_unwritable_places_are_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    json(path, &["bake", "bar-stretch", "-o", "a.take", "--frames", "1..3", "--json"]);
    assert!(fails(path, 1, &["bake", "bar-goal", "-o", "a.take", "--resume"]).contains("not of this scene"));
    assert!(fails(path, 1, &["bake", "bar-goal", "-o", "no/such/folder/a.take"]).contains("no/such/folder"));
    assert!(fails(path, 1, &["export", "a.take", "-o", "no/such/a.npz"]).contains("no/such"));
    assert!(fails(path, 1, &["export", "a.take", "-o", "no/such/a.glb"]).contains("no/such"));
    assert!(fails(path, 2, &["export", "a.take", "-o", "a.glb", "--bound", "0"]).contains("a bound of 0"));
    assert!(fails(path, 2, &["export", "a.take", "-o", "a.doc"]).contains(".npz"));
    assert!(fails(path, 1, &["render", "a.take", "-o", "a.png", "--frame", "77"]).contains("no frame 77"));
    write(path, "text.take", "this is no take");
    assert!(fails(path, 1, &["info", "text.take"]).contains("not a take"));
    assert!(
        fails(path, 1, &["bake", "bar-goal", "-o", "text.take"]).contains("text.take"),
        "a file that is no take is not overwritten"
    );
    if std::path::Path::new("/dev/full").exists() {
        fails(path, 1, &["bake", "bar-goal", "-o", "/dev/full", "--frames", "1..3"]);
    }
}

#[test]
fn apply_edits_a_scene_and_keeps_its_comments() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "s.toml", &small_scene("scale = 0.25 # small"));
    let commands = r#"[{"do":"set","path":"body.bar.scale","value":0.5},{"do":"set","path":"scene.fps","value":25}]"#;
    write(path, "c.json", commands);
    json(path, &["apply", "s.toml", "c.json", "--json"]);
    let edited = std::fs::read_to_string(path.join("s.toml")).unwrap();
    assert!(edited.contains("scale = 0.5 # small") && edited.contains("fps = 25"), "{edited}");
    write(
        path,
        "c.json",
        r#"[{"do":"set","path":"scene.fps","value":30},{"do":"set","path":"body.bar.scale","value":-7}]"#,
    );
    fails(path, 1, &["apply", "s.toml", "c.json"]);
    assert_eq!(std::fs::read_to_string(path.join("s.toml")).unwrap(), edited, "a refused edit changes nothing");
}

/// Real meshes that nobody here made; they are not part of the project.
#[test]
fn real_tetrahedra_bake() {
    let Some(octopus) = crate::beside::model("octopus-low.mesh") else { return };
    let folder = tempdir().unwrap();
    let path = folder.path();
    json(path, &["new", "octopus", "--mesh", &octopus.to_string_lossy(), "--json"]);
    for solver in ["shape_matching", "fem"] {
        let set = format!("body.octopus-low.solver={{kind=\"{solver}\"}}");
        let take = format!("{solver}.take");
        let baked = json(path, &["bake", "octopus", "-o", &take, "--frames", "1..6", "--set", &set, "--json"]);
        assert_eq!(baked["warnings"], serde_json::json!([]), "{solver}");
    }
}

#[test]
fn texture_coordinates_of_a_skin_reach_the_exports() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let mut cube = String::new();
    for i in 0..8 {
        cube.push_str(&format!("v {} {} {}\n", i & 1, (i >> 1) & 1, (i >> 2) & 1));
    }
    cube.push_str("vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n");
    for [a, b, c, d] in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        cube.push_str(&format!("f {a}/1 {b}/2 {c}/3 {d}/4\n"));
    }
    write(path, "cube.obj", &cube);
    json(path, &["new", "box", "--mesh", "cube.obj", "--json"]);
    json(path, &["bake", "box", "-o", "box/takes/a.take", "--frames", "1..2", "--json"]);
    for (file, written, sign) in [
        ("a.obj", "a.0001.obj", "vt 1.0 0.0"),
        ("a.usda", "a.usda", "texCoord2f[] primvars:st"),
        ("a.glb", "a.glb", "TEXCOORD_0"),
    ] {
        json(path, &["export", "box/takes/a.take", "-o", file, "--json"]);
        let bytes = std::fs::read(path.join(written)).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains(sign), "{file}");
    }
    let info = json(path, &["info", "a.glb", "--json"]);
    assert_eq!((&info["kind"], &info["triangles"]), (&"surface".into(), &12.into()));
}

/// Lines along the fibres have their own colour; a cut takes half of the bar away, and shows what the other half asks for.
#[test]
fn pictures_show_directions_and_bodies_cut_open() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let muscle = "[[body.director]]\nkind = \"muscle\"\nperiod = 1.0\nprimary = [[0.0, 0.5]]\nfibres = { along = \"x\" }\n\
                  [camera]\neye = [0.3, 0.6, 1.3]\nlook_at = [0.0, 0.0, 0.0]\n";
    write(path, "scene.toml", &small_scene(muscle));
    json(path, &["bake", "scene.toml", "-o", "a.take", "--frames", "1..2", "--set", "scene.gravity=[0,0,0]", "--json"]);
    let drawn = |extra: &[&str]| {
        let words =
            [&["render", "a.take", "-o", "a.gif", "--frame", "1", "--size", "320x180", "--json"], extra].concat();
        json(path, &words);
        std::fs::read(path.join("a.gif")).unwrap()
    };
    // Colours of the palette that are far more red than green and blue: lines along the fibres are, the bar is not.
    let palette = |gif: &[u8]| -> Vec<[u8; 3]> {
        let count = 2usize << (gif[10] & 7);
        gif[13..13 + 3 * count].chunks(3).map(|c| [c[0], c[1], c[2]]).collect()
    };
    let is_red = |[r, g, b]: &[u8; 3]| i32::from(*r) > i32::from(*g.max(b)) + 50;
    let reds = |gif: &[u8]| palette(gif).iter().filter(|colour| is_red(colour)).count();
    let plain = drawn(&[]);
    let fibres = drawn(&["--field", "fibre"]);
    assert!(reds(&fibres) > 2 + reds(&plain), "{} reds, {} without lines", reds(&fibres), reds(&plain));
    let [second, third] = ["second", "third"].map(|field| drawn(&["--field", field]));
    assert!(second != third && second != fibres);
    let [left, right] = ["x=0", "-x=0"].map(|plane| drawn(&["--cut", plane, "--field", "contraction"]));
    assert!(left != right && left != drawn(&["--field", "contraction"]));
    assert_eq!(drawn(&["--cut", "0,0,0:1,0,0", "--field", "contraction"]), left);
    assert!(drawn(&["--eye", "0,4,0.1", "--look-at", "0,0,0"]) != plain);
    let words = ["render", "a.take", "-o", "a.gif", "--cut", "w=1"];
    assert!(fails(path, 2, &words).contains("is not a plane such as y=0.8"));
}

/// Where ffmpeg is there; without it the error says so.
#[test]
fn a_take_becomes_a_film_in_mp4_and_a_picture_in_colours() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "a.take", "--json"]);
    for field in ["speed", "stretch"] {
        let drawn = json(path, &["render", "a.take", "-o", "a.png", "--field", field, "--size", "80x45", "--json"]);
        let range = drawn["field_range"].as_array().unwrap();
        assert!(range[0].as_f64().unwrap() < range[1].as_f64().unwrap(), "{drawn}");
    }
    let words = ["render", "a.take", "-o", "a.mp4", "--size", "81x45", "--json"];
    let without = crate::program::sinew().args(words).current_dir(path).env("PATH", "").output().unwrap();
    let said = text(&without.stderr) + &text(&without.stdout);
    assert!(!without.status.success() && said.contains("needs ffmpeg"), "{said}");
    assert!(!path.join("a.mp4").exists());
    if std::process::Command::new("ffmpeg").arg("-version").output().is_err() {
        assert!(std::env::var_os("SINEW_STRICT").is_none(), "there is no ffmpeg");
        println!("skipped: there is no ffmpeg");
        return;
    }
    json(path, &words);
    let bytes = std::fs::read(path.join("a.mp4")).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp", "an MP4 file");
    let left: Vec<_> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "nothing is left behind: {left:?}");
}
