//! Eighty mistakes that people make. Each message names the file or argument, the place in it where there is one, the cause, and
//! what to do.

use crate::program::{run, sinew, small_scene, text, write};
use std::path::Path;
use tempfile::tempdir;

struct Mistake {
    words: &'static [&'static str],
    code: i32,
    /// The file or argument it is about.
    file: &'static str,
    /// Where in it; empty where it is about the whole.
    place: &'static str,
    cause: &'static str,
    remedy: &'static str,
}

const fn of(words: &'static [&'static str], code: i32, [file, place, cause, remedy]: [&'static str; 4]) -> Mistake {
    Mistake { words, code, file, place, cause, remedy }
}

const MISTAKES: [Mistake; 78] = [
    of(&["studio", "cube.obj", "--no-open"], 1, ["cube.obj", "", "is a mesh", "sinew new cube --mesh cube.obj"]),
    of(&["studio", "t.take", "--no-open"], 1, ["t.take", "", "is a take", "sinew render t.take"]),
    of(&["studio", "empty", "--no-open"], 1, ["empty/scene.toml", "", "does not exist", "sinew new empty"]),
    of(&["studio", "--port", "99999"], 2, ["--port", "99999", "not in", "0..=65535"]),
    of(&["studio", "jelyfish", "--no-open"], 1, ["jelyfish", "", "no built-in scene", "did you mean `jellyfish`?"]),
    of(&["bake", "t.take", "-o", "u.take"], 1, ["t.take", "", "is a take", "which is what this command wants"]),
    of(&["bake", "cube.obj", "-o", "u.take"], 1, ["cube.obj", "", "is a mesh", "sinew new"]),
    of(&["bake", "scene.toml", "-o", "b.glb"], 2, ["b.glb", "", "a take is written", "sinew export b.take -o b.glb"]),
    of(&["bake", "scene.toml", "-o", "b.gif"], 2, ["b.gif", "", "a take is written", "sinew render b.take -o b.gif"]),
    of(&["bake", "scene.toml", "-o", "b.toml"], 2, ["b.toml", "", "named as a scene", "-o b.take"]),
    of(&["bake", "scene.toml", "-o", "no/b.take"], 1, ["no/b.take", "", "No such file", "make the folder first"]),
    of(&["bake", "scene.toml", "-o", "empty"], 1, ["empty", "", "is a folder", "name a file"]),
    of(&["bake", "scene.toml", "-o", "notes.txt"], 1, ["notes.txt", "", "is not a take", "end in .take"]),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--frames", "1..99"],
        1,
        ["scene", "1 to 99", "not within", "scene.frames"],
    ),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--frames", "5..2"],
        2,
        ["--frames", "5..2", "comes before", "the first 5"],
    ),
    of(&["bake", "scene.toml", "-o", "b.take", "--frames", "x"], 2, ["--frames", "x", "not a range", "such as 1..48"]),
    of(&["bake", "scene.toml", "-o", "b.take", "--set", "nokey"], 2, ["--set", "nokey", "has no `=`", "PATH=VALUE"]),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--set", "body.bar.nope=3"],
        1,
        ["scene.toml", "--set body.bar.nope=3", "body[0].nope: unknown key", "known here"],
    ),
    of(&["bake", "scene.toml", "-o", "b.take", "--threads", "0"], 2, ["--threads", "0", "not in", "1..=1024"]),
    of(&["bake", "scene.toml", "-o", "b.take", "--dump", "d.txt"], 2, ["d.txt", "", ".npz", "name it d.npz"]),
    of(&["bake", "scene.toml", "-o", "b.take", "--within", "-1"], 1, ["bound", "-1", "not usable", "1e-9 up"]),
    of(&["bake", "scene.toml"], 2, ["--output", "", "not provided", "Usage"]),
    of(&["bake", "nomesh.toml", "-o", "b.take"], 1, ["nomesh.toml", ":6:8", "none.obj", "relative to the scene, in /"]),
    of(
        &["bake", "huge.toml", "-o", "b.take"],
        1,
        ["huge.obj", "vertex 8", "farther from the origin", "check the unit"],
    ),
    of(&["bake", "fbx.toml", "-o", "b.take"], 1, ["a.fbx", ":6:8", "not a mesh file", "sinew reads"]),
    of(
        &["bake", "scene.toml", "--set", "scene.fps=30", "--resume", "-o", "t.take"],
        1,
        ["t.take", "line 4", "not of this scene", "bake to another file"],
    ),
    of(&["check", "model.toml"], 1, ["model.toml", ":6:18", "unknown model", "did you mean `jellyfish`?"]),
    of(&["check", "key.toml"], 1, ["key.toml", ":3:1", "unknown key `framez`", "did you mean `frames`?"]),
    of(&["check", "zero.toml"], 1, ["zero.toml", ":7:37", "found 0", "from 4 to"]),
    of(&["check", "syntax.toml"], 1, ["syntax.toml", ":2:7", "not TOML", "expected `]`"]),
    of(&["check", "version.toml"], 1, ["version.toml", ":1:9", "version 9", "a newer sinew"]),
    of(&["check", "empty.toml"], 1, ["empty.toml", ":1:1", "does not say which version", "sinew = 1"]),
    of(&["check", "binary.toml"], 1, ["binary.toml", "byte 0", "not text", "UTF-8"]),
    of(&["check", "none.toml"], 1, ["none.toml", "", "there is no file", "check the path"]),
    of(
        &["render", "scene.toml", "-o", "f.gif"],
        1,
        ["scene.toml", "", "is a scene", "sinew bake scene.toml -o scene.take"],
    ),
    of(&["render", "jellyfish", "-o", "f.gif"], 1, ["jellyfish", "", "is a scene", "bake it first"]),
    of(&["render", "t.take", "-o", "f.bmp"], 2, ["f.bmp", "", "no extension", ".png, .gif"]),
    of(
        &["render", "t.take", "-o", "f.png", "--frame", "99"],
        1,
        ["t.take", "frame 99", "has no frame", "frames 1 to 8"],
    ),
    of(&["render", "t.take", "-o", "f.png", "--size", "0x0"], 1, ["picture", "0×0", "each side", "1 to 16384"]),
    of(&["render", "t.take", "-o", "f.png", "--size", "big"], 2, ["--size", "big", "not a size", "such as 640x360"]),
    of(&["render", "none.take", "-o", "f.png"], 1, ["none.take", "", "there is no take", "check the path"]),
    of(&["render", "torn.take", "-o", "f.png"], 1, ["torn.take", "", "holds no frames", "--resume"]),
    of(&["render", "notes.txt", "-o", "f.png"], 1, ["notes.txt", "", "is not a take", "sinew bake"]),
    of(&["render", "t.take", "-o", "no/f.png"], 1, ["no/f.png", "", "No such file", "make the folder first"]),
    of(&["render", "t.take", "-o", "f.png", "--cut", "q=1"], 2, ["--cut", "q=1", "not a plane", "such as y=0.8"]),
    of(&["export", "t.take", "-o", "f.abc"], 2, ["f.abc", "", "no extension", ".glb .usda"]),
    of(&["export", "t.take", "-o", "f.glb", "--bound", "0"], 2, ["bound", "0", "no share", "above 0"]),
    of(&["export", "t.take", "-o", "no/f.glb"], 1, ["no/f.glb", "", "No such file", "make the folder first"]),
    of(&["mesh", "cube.obj", "-o", "c.msh", "--vertices", "0"], 2, ["--vertices", "0", "not in", "4..="]),
    of(&["mesh", "cube.obj", "-o", "c.msh", "--cell", "-1"], 1, ["cube.obj", "-1", "not a size", "--cell"]),
    of(&["mesh", "cube.obj", "-o", "c.stl"], 2, ["c.stl", "", "cannot write tetrahedra", ".mesh, .msh"]),
    of(&["mesh", "a.fbx", "-o", "c.msh"], 1, ["a.fbx", "", "not read", "export it as .glb"]),
    of(&["mesh", "none.obj", "-o", "c.msh"], 1, ["none.obj", "", "No such file", "check the path"]),
    of(&["mesh", "huge.obj", "-o", "c.msh"], 1, ["huge.obj", "vertex 8", "farther from the origin", "check the unit"]),
    of(&["new", "p", "--mesh", "none.obj"], 1, ["none.obj", "", "No such file", "check the path"]),
    of(&["new", "notes.txt/p"], 1, ["notes.txt/p", "", "Not a directory", "choose a folder"]),
    of(
        &["apply", "scene.toml", "cmd.json"],
        1,
        ["cmd.json", "command 1", "unknown variant `sett`", "expected one of `set`"],
    ),
    of(&["apply", "scene.toml", "broken.json"], 1, ["broken.json", "line 2", "not JSON", "looks like"]),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--set", "body.bar.at=1"],
        1,
        ["scene.toml", "--set body.bar.at=1", "expected a list of 3, found the number 1", "write values as in a scene"],
    ),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--set", "fps=30"],
        1,
        ["scene.toml", "--set fps=30", "unknown key `fps`", "did you mean `scene.fps`?"],
    ),
    of(&["bake", "scene.tml", "-o", "b.take"], 1, ["scene.tml", "", "there is no file", "did you mean scene.toml?"]),
    of(&["render", "t.tke", "-o", "f.png"], 1, ["t.tke", "", "there is no take", "did you mean t.take?"]),
    of(&REACH_NAN, 2, ["--goal", "nan", "not a number", "such as 0.5"]),
    of(&REACH_LATE, 1, ["scene.toml", "frame 999", "not within the scene's 1 to 8", "make the scene longer"]),
    of(
        &["render", "t.take", "-o", "f.png", "--eye", "0,0,0", "--look-at", "0,0,0"],
        1,
        ["camera", "eye", "are the same point", "--eye and --look-at"],
    ),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--within", "1e-300"],
        1,
        ["bound", "1e-300 m", "not usable", "1e-9 up"],
    ),
    of(&["check", "cycle.toml"], 1, ["cycle.toml", ":13:", "the period 0 to 1e-300", "move the key"]),
    of(
        &["bake", "torn.toml", "-o", "b.take"],
        1,
        ["torn.toml", "body \"bar\"", "it is stretched to", "make its material stiffer"],
    ),
    of(&["info", "flat.vtu"], 1, ["flat.vtu", "tet 0", "is flat", "repair the file"]),
    of(&["new", "p", "--mesh", "flat.vtu"], 1, ["flat.vtu", "tet 0", "is flat", "repair the file"]),
    of(&["info", "face.obj"], 1, ["face.obj", "line 4", "3000 corners on 3 vertices", "repair the file"]),
    of(&["new", ".", "--force"], 1, ["./scene.toml", "", "not overwritten by --force", "move that scene away"]),
    of(&["check", "gltf.toml"], 1, ["cube.gltf", ":6:8", "\"cube.bin\", which cannot be read", "put that file where"]),
    of(&["info", "cube.gltf"], 1, ["cube.gltf", "\"cube.bin\"", "No such file", "put that file where"]),
    of(&["check", "custom.toml"], 1, ["custom.toml", ":12:", "a list of at least 1", "leave out what holds the list"]),
    of(&["check", "flood.toml"], 1, ["flood.toml", ":250001:", "too much for a scene", "in files of their own"]),
    of(&["check", "strange.toml"], 1, ["strange.toml", ":2:1", "unknown key `k0`", "more problems at least"]),
    of(
        &["bake", "scene.toml", "-o", "b.take", "--dump", "d.npz", "--log-file", "d.npz"],
        2,
        ["d.npz", "", "a log is a file of its own", "--log-file"],
    ),
];

const REACH_NAN: [&str; 11] = [
    "refine",
    "reach",
    "scene.toml",
    "--change",
    "body.bar.at",
    "--measure",
    "bar/centre_y",
    "--frame",
    "2",
    "--goal",
    "nan",
];
const REACH_LATE: [&str; 11] = [
    "refine",
    "reach",
    "scene.toml",
    "--change",
    "body.bar.at",
    "--measure",
    "bar/centre_y",
    "--frame",
    "999",
    "--goal",
    "1",
];

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\n\
    f 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

/// A force that pulls at one end.
fn force(outside: &str, newton: &str) -> String {
    format!(
        "[body.sets]\nend = {{ side = \"x\", within = 0.2 }}\n[[body.director]]\nkind = \"force\"\non = \"end\"\n\
         newton = [{{ keys = [[1, 0.0], [2, {newton}]], {outside} }}, 0.0, 0.0]\n"
    )
}

const CUSTOM: &str = "\n\n[[body.director]]\nkind = \"metaphor\"\nact = { custom = [] }\n";

const FLAT_VTU: &str = "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>\
    <DataArray type=\"Float64\" format=\"ascii\">0 0 0 1 0 0 2 0 0 3 0 0</DataArray></Points><Cells>\
    <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\
    <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray>\
    <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";

/// A folder with everything that can be got wrong.
fn prepare(folder: &Path) {
    let scene = small_scene("");
    let files = [
        ("scene.toml", scene.clone()),
        ("cube.obj", CUBE.to_owned()),
        ("huge.obj", CUBE.replace("v 1 1 1", "v 1e200 1e200 1e200")),
        ("a.fbx", "Kaydara FBX Binary".to_owned()),
        ("notes.txt", "remember the milk\n".to_owned()),
        ("cmd.json", "{\"do\":\"sett\",\"path\":\"a\"}\n".to_owned()),
        ("broken.json", "{\n".to_owned()),
        ("nomesh.toml", scene.replace("model = \"bar\"", "mesh = \"none.obj\"")),
        ("huge.toml", scene.replace("model = \"bar\"", "mesh = \"huge.obj\"")),
        ("fbx.toml", scene.replace("model = \"bar\"", "mesh = \"a.fbx\"")),
        ("model.toml", scene.replace("model = \"bar\"", "model = \"jelyfish\"")),
        ("key.toml", scene.replace("frames", "framez")),
        ("zero.toml", scene.replace("vertices = 60", "vertices = 0")),
        ("syntax.toml", "sinew = 1\n[scene\n".to_owned()),
        ("version.toml", "sinew = 9\n".to_owned()),
        ("empty.toml", String::new()),
        ("cycle.toml", small_scene(&force("outside = { cycle = 1e-300 }", "1.0"))),
        ("torn.toml", small_scene(&force("outside = \"hold\"", "1e14"))),
        ("custom.toml", small_scene(CUSTOM)),
        ("flood.toml", format!("sinew = 1\n{}", (0..300_000).map(|n| format!("k{n} = 1\n")).collect::<String>())),
        ("strange.toml", format!("sinew = 1\n{}", (0..1000).map(|n| format!("k{n} = 1\n")).collect::<String>())),
        ("face.obj", format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf {}\n", "1 2 3 ".repeat(1000))),
        ("flat.vtu", FLAT_VTU.to_owned()),
        ("cube.gltf", r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"cube.bin","byteLength":12}]}"#.to_owned()),
        ("gltf.toml", scene.replace("model = \"bar\"", "mesh = \"cube.gltf\"")),
    ];
    files.iter().for_each(|(name, content)| write(folder, name, content));
    std::fs::write(folder.join("binary.toml"), b"\xff\xfe").unwrap();
    std::fs::create_dir(folder.join("empty")).unwrap();
    assert!(run(folder, &["bake", "scene.toml", "-o", "t.take", "--threads", "1"]).status.success());
    let take = std::fs::read(folder.join("t.take")).unwrap();
    std::fs::write(folder.join("torn.take"), &take[..400]).unwrap();
}

#[test]
fn every_mistake_is_told_with_file_place_cause_and_remedy() {
    let folder = tempdir().unwrap();
    prepare(folder.path());
    told(folder.path(), &MISTAKES);
    // What was wrong was said before anything was written.
    for name in ["b.take", "d.npz", "f.png", "f.gif", "c.msh", "p"] {
        assert!(name == "b.take" || !folder.path().join(name).exists(), "{name}");
    }
}

/// What only some systems have: pipes, and files that may not be written.
#[cfg(unix)]
#[test]
fn pipes_and_locked_files_are_told_with_file_place_cause_and_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    let path = folder.path();
    let scene = small_scene("");
    write(path, "p.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    assert!(std::process::Command::new("mkfifo").arg(path.join("p.ele")).status().unwrap().success());
    write(path, "pipe.toml", &scene.replace("kind = \"tets\", vertices = 60", "mesh = \"p.node\""));
    write(path, "locked.toml", &scene);
    std::fs::set_permissions(path.join("locked.toml"), std::fs::Permissions::from_mode(0o444)).unwrap();
    write(path, "fine.json", "{\"do\":\"set\",\"path\":\"scene.fps\",\"value\":25}\n");
    told(
        path,
        &[
            of(&["check", "pipe.toml"], 1, ["pipe.toml", ":7:9", "p.ele is a pipe", "put a regular file there"]),
            of(&["info", "p.node"], 1, ["p.ele", "", "is a pipe", "put a regular file there"]),
            of(&["apply", "locked.toml", "fine.json"], 1, ["locked.toml", "", "read-only", "chmod u+w"]),
        ],
    );
}

/// What the system refuses is told with what would help.
#[cfg(unix)]
#[test]
fn what_the_system_refuses_is_told_with_what_would_help() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    prepare(path);
    let long = format!("{}.take", "n".repeat(300));
    let cases: [(&str, &str, [&str; 3]); 10] = [
        ("info scene.toml > /dev/full", "", ["standard output", "No space left", "is done"]),
        (
            "bake scene.toml -o full.take --frames 1..2 > /dev/full",
            "",
            ["standard output", "No space left", "files are whole"],
        ),
        ("mesh cube.obj --vertices 60 -o none/x.msh", "", ["none/x.msh", "No such file", "make the folder first"]),
        ("bake scene.toml -o LONG", "", ["nnn.take", "too long", "shorter name"]),
        ("bake scene.toml -o files.take", "ulimit -n 6;", ["", "Too many open files", "ulimit -n"]),
        ("bake scene.toml -o -x.take", "", ["-x", "unexpected argument", "is written --output=-x.take"]),
        ("bake scene.toml -o 'a\nb.take'", "", ["a\\nb.take", "control characters", "choose a name"]),
        ("bake scene.toml -o b.take --set scene.fps=nan", "", ["--set", "nan", "numbers are finite"]),
        (
            "render t.take -o huge.png --size 14000x14000",
            "ulimit -v 500000;",
            ["14000×14000", "MB of memory", "smaller --size"],
        ),
        ("bake scene.toml -o b.take --frames 1..0 --json", "", ["--frames", "comes before", "\"help\""]),
    ];
    for (words, limit, parts) in cases {
        let words = words.replace("LONG", &long);
        let program = env!("CARGO_BIN_EXE_sinew");
        let output = std::process::Command::new("bash")
            .args(["-c", &format!("{limit} RAYON_NUM_THREADS=1 '{program}' {words}")])
            .current_dir(path)
            .output()
            .unwrap();
        let said = text(&output.stderr) + &text(&output.stdout);
        let code = output.status.code();
        assert!(code == Some(1) || code == Some(2), "{words}: {:?}: {said}", output.status);
        parts.iter().for_each(|part| assert!(said.contains(part), "{words} lacks {part:?}:\n{said}"));
    }
    assert!(run(path, &["info", "full.take"]).status.success());
}

/// A picture that is missing costs the body its looks, which is worth a word.
#[test]
fn missing_pictures_are_warned_of() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "cube.obj", &format!("mtllib cube.mtl\nmtllib none.mtl\nusemtl m\n{CUBE}"));
    write(path, "cube.mtl", "newmtl m\nKd 1 0 0\nmap_Kd tex.png\n");
    write(path, "scene.toml", &small_scene("").replace("model = \"bar\"", "mesh = \"cube.obj\""));
    let checked = run(path, &["check", "scene.toml"]);
    let said = text(&checked.stdout);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    for part in [
        "warning: body.bar.skin: cube.obj: its looks lack \"tex.png\": No such file",
        "none.mtl",
        "help: put that file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = text(&run(path, &["info", "cube.obj"]).stdout);
    assert!(said.contains("missing") && said.contains("tex.png"), "{said}");
}

/// Runs every one, and fails with all messages that lack something.
fn told(folder: &Path, mistakes: &[Mistake]) {
    let mut wrong = Vec::new();
    for Mistake { words, code, file, place, cause, remedy } in mistakes {
        let output = run(folder, words);
        let said = text(&output.stderr);
        let missing: Vec<&str> =
            [*file, *place, *cause, *remedy].into_iter().filter(|part| !said.contains(part)).collect();
        if output.status.code() != Some(*code) || !missing.is_empty() || said.contains("panicked") {
            wrong.push(format!("{words:?} (code {:?}) lacks {missing:?}:\n{said}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{} messages:\n{}", wrong.len(), wrong.join("\n"));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_named() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"a\xff=1");
    let output = sinew().args(["bake", "bar-pin", "-o", "x.take", "--set"]).arg(odd).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("argument 6") && said.contains("not UTF-8") && said.contains("help:"), "{said}");
    // Files may be called anything.
    let file = std::ffi::OsStr::from_bytes(b"sc\xff.toml");
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join(file), small_scene("")).unwrap();
    assert!(sinew().arg("check").arg(file).current_dir(folder.path()).output().unwrap().status.success());
}
