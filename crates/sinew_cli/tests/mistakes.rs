//! Fifty mistakes that people make. Each message names the file or argument, the place in it where there is one, the cause, and
//! what to do.

#![allow(clippy::unwrap_used, reason = "a test may fail anywhere")]

mod program;

use program::{run, sinew, small_scene, text, write};
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

const MISTAKES: [Mistake; 58] = [
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
        ["scene.toml", ":8:1", "unknown key", "known here"],
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
    of(&["render", "t.take", "-o", "no/f.png"], 1, ["no/f.png", "", "No such file", "choose a file in a folder"]),
    of(&["render", "t.take", "-o", "f.png", "--cut", "q=1"], 2, ["--cut", "q=1", "not a plane", "such as y=0.8"]),
    of(&["export", "t.take", "-o", "f.abc"], 2, ["f.abc", "", "no extension", ".glb .usda"]),
    of(&["export", "t.take", "-o", "f.glb", "--bound", "0"], 2, ["bound", "0", "no share", "above 0"]),
    of(&["export", "t.take", "-o", "no/f.glb"], 1, ["no/f.glb", "", "No such file", "a folder that exists"]),
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
];

/// A folder with everything that can be got wrong.
fn prepare(folder: &Path) {
    let scene = small_scene("");
    let cube = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\n\
        f 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";
    let files = [
        ("scene.toml", scene.clone()),
        ("cube.obj", cube.to_owned()),
        ("huge.obj", cube.replace("v 1 1 1", "v 1e200 1e200 1e200")),
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
    let mut wrong = Vec::new();
    for Mistake { words, code, file, place, cause, remedy } in &MISTAKES {
        let output = run(folder.path(), words);
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
