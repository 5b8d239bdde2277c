//! No output overwrites an input of the same run, whatever it is called, and nothing that was not named goes unasked.

use crate::program::{fails, json, run, small_scene, text, write};
use std::fs;
use std::path::Path;
use tempfile::tempdir;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\n\
    f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

/// A scene of a cube that the user brought, and a take of it.
fn baked(folder: &Path) {
    write(folder, "cube.obj", CUBE);
    write(
        folder,
        "scene.toml",
        "sinew = 1\n[scene]\nframes = [1, 3]\n[[body]]\nname = \"cube\"\nskin = { mesh = \"cube.obj\" }\nflesh = { kind = \"tets\", vertices = 60 }\n",
    );
    json(folder, &["bake", "scene.toml", "-o", "t.take", "--json"]);
}

fn is_refused(folder: &Path, words: &[&str]) {
    let said = fails(folder, 1, words);
    assert!(said.contains("read by this very run") && said.contains("help: choose another name"), "{words:?}: {said}");
}

#[test]
fn an_export_never_lands_on_the_mesh_of_its_scene() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    fs::hard_link(path.join("cube.obj"), path.join("hard.obj")).unwrap();
    fs::hard_link(path.join("t.take"), path.join("t.glb")).unwrap();
    let mut names = vec!["cube.mdd", "cube.pc2", "./cube.mdd", "hard.mdd", "t.glb"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("cube.obj", path.join("soft.obj")).unwrap();
        names.push("soft.pc2");
    }
    for name in names {
        is_refused(path, &["export", "t.take", "-o", name]);
        is_refused(path, &["export", "t.take", "-o", name, "--force"]);
    }
    fs::hard_link(path.join("cube.obj"), path.join("film.png")).unwrap();
    is_refused(path, &["render", "t.take", "-o", "film.png"]);
    assert_eq!(fs::read_to_string(path.join("cube.obj")).unwrap(), CUBE);
    assert!(!path.join("cube.mdd").exists(), "nothing was written");
}

#[test]
fn side_files_that_are_there_need_force() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    fs::create_dir(path.join("list")).unwrap();
    for (output, beside) in
        [("a.mdd", "a.obj"), ("b.obj", "b.0002.obj"), ("c.ply", "c.0003.ply"), ("list.pvd", "list/cube.0001.vtu")]
    {
        write(path, beside, "a user's");
        let said = fails(path, 1, &["export", "t.take", "-o", output]);
        assert!(
            said.contains(beside) && said.contains("exists already") && said.contains("--force"),
            "{output}: {said}"
        );
        assert_eq!(fs::read_to_string(path.join(beside)).unwrap(), "a user's");
        assert!(run(path, &["export", "t.take", "-o", output, "--force"]).status.success(), "{output}");
        assert_ne!(fs::read_to_string(path.join(beside)).unwrap_or_default(), "a user's");
    }
    // What was named is what is meant.
    write(path, "d.npz", "old");
    assert!(run(path, &["export", "t.take", "-o", "d.npz"]).status.success());
}

#[test]
fn a_dump_is_no_scene_and_no_take() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    let scene = fs::read(path.join("scene.toml")).unwrap();
    let said = fails(path, 2, &["bake", "scene.toml", "-o", "t.take", "--dump", "scene.toml"]);
    assert!(said.contains("scene.toml") && said.contains(".npz"), "{said}");
    fs::hard_link(path.join("scene.toml"), path.join("link.npz")).unwrap();
    is_refused(path, &["bake", "scene.toml", "-o", "t.take", "--dump", "link.npz"]);
    is_refused(path, &["bake", "scene.toml", "-o", "link.npz.take", "--dump", "link.npz"]);
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    fs::hard_link(path.join("t.take"), path.join("take.npz")).unwrap();
    let said = fails(path, 1, &["bake", "scene.toml", "-o", "t.take", "--dump", "take.npz"]);
    assert!(said.contains("written twice"), "{said}");
    assert_eq!(fs::read(path.join("scene.toml")).unwrap(), scene);
}

#[test]
fn a_new_project_keeps_the_mesh_it_is_made_of() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    fs::create_dir_all(path.join("p/assets")).unwrap();
    write(path, "p/assets/x.obj", CUBE);
    json(path, &["new", "p", "--mesh", "p/assets/x.obj", "--json"]);
    assert_eq!(fs::read_to_string(path.join("p/assets/x.obj")).unwrap(), CUBE);
    fs::remove_file(path.join("p/scene.toml")).unwrap();
    let other = CUBE.replace("v 1 1 1", "v 2 2 2");
    write(path, "x.obj", &other);
    let said = fails(path, 1, &["new", "p", "--mesh", "x.obj"]);
    assert!(said.contains("p/assets/x.obj exists already") && said.contains("--force"), "{said}");
    assert_eq!(fs::read_to_string(path.join("p/assets/x.obj")).unwrap(), CUBE);
    assert!(!path.join("p/scene.toml").exists());
    json(path, &["new", "p", "--mesh", "x.obj", "--force", "--json"]);
    assert_eq!(fs::read_to_string(path.join("p/assets/x.obj")).unwrap(), other);
}

#[test]
fn a_new_project_has_all_files_of_its_mesh() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "t.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    write(path, "t.ele", "1 4 0\n1 1 2 3 4\n");
    json(path, &["new", "p", "--mesh", "t.ele", "--json"]);
    assert!(path.join("p/assets/t.node").exists());
    json(path, &["check", "p", "--json"]);
}

#[test]
fn tetrahedra_are_not_written_over_their_surface() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "cube.obj", CUBE);
    fs::hard_link(path.join("cube.obj"), path.join("cube.msh")).unwrap();
    is_refused(path, &["mesh", "cube.obj", "-o", "cube.msh"]);
    assert_eq!(fs::read_to_string(path.join("cube.obj")).unwrap(), CUBE);
}

/// A take that is baked anew is the old one until the new one is whole.
#[test]
fn a_finished_take_outlives_a_bake_that_is_cut_off() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    let old = json(path, &["bake", "scene.toml", "-o", "t.take", "--json"])["hash"].clone();
    let other = [
        "bake",
        "scene.toml",
        "--set",
        "scene.gravity=[0.0, -3.0, 0.0]",
        "--set",
        "scene.frames=[1, 4000]",
        "--json",
        "-o",
    ];
    let mut child = crate::program::sinew()
        .args(other)
        .arg("t.take")
        .current_dir(path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let part = path.join("t.take.rebake");
    while fs::metadata(&part).map_or(0, |found| found.len()) < 100_000 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = json(path, &["info", "t.take", "--json"]);
    assert_eq!((&kept["hash"], &kept["complete"]), (&old, &true.into()));
    // Going on means with the new one, to the bits of a straight run.
    let short = "scene.frames=[1, 4000]";
    assert!(other.contains(&short));
    let resumed = json(path, &[&other[..], &["t.take", "--resume"]].concat());
    assert!(resumed["resumed_from"].is_number(), "{resumed}");
    let straight = json(path, &[&other[..], &["straight.take"]].concat());
    assert_eq!(resumed["hash"], straight["hash"]);
    assert!(!part.exists());
    assert_eq!(json(path, &["info", "t.take", "--json"])["hash"], straight["hash"]);
}

#[cfg(unix)]
#[test]
fn a_bake_to_a_link_replaces_what_it_leads_to() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    fs::create_dir(path.join("disk")).unwrap();
    json(path, &["bake", "scene.toml", "-o", "disk/real.take", "--json"]);
    std::os::unix::fs::symlink("disk/real.take", path.join("t.take")).unwrap();
    let made = json(path, &["bake", "scene.toml", "--set", "scene.gravity=[0.0, -3.0, 0.0]", "-o", "t.take", "--json"]);
    assert!(fs::symlink_metadata(path.join("t.take")).unwrap().is_symlink());
    assert_eq!(json(path, &["info", "disk/real.take", "--json"])["hash"], made["hash"]);
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_errors_and_nothing_waits() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    assert!(std::process::Command::new("mkfifo").arg(path.join("p.toml")).status().unwrap().success());
    fs::create_dir(path.join("proj")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path.join("proj/scene.toml")).unwrap();
    for (words, why) in
        [(&["check", "p.toml"][..], "a pipe"), (&["check", "proj"], "a link"), (&["info", "/dev/zero"], "a device")]
    {
        let said = text(run(path, words).stderr.as_slice());
        assert!(said.contains(why), "{words:?}: {said}");
    }
}

/// A search writes a scene: never over the meshes and pictures that it reads, never where its meshes would not be found.
#[test]
fn a_refined_scene_never_lands_on_what_it_is_made_of() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    let reach = ["refine", "reach", "scene.toml", "--change", "body.cube.at", "--measure", "cube/centre_y"];
    let words = |output| [&reach[..], &["--goal", "0.5", "--frame", "2", "-o", output]].concat();
    for output in ["cube.obj", "t.take", "new"] {
        let said = fails(path, 2, &words(output));
        assert!(said.contains("is not named as a scene"), "{output}: {said}");
    }
    fs::hard_link(path.join("cube.obj"), path.join("hard.toml")).unwrap();
    is_refused(path, &words("hard.toml"));
    fs::create_dir(path.join("sub")).unwrap();
    let said = fails(path, 2, &words("sub/o.toml"));
    assert!(said.contains("would not find the meshes") && said.contains("-o o.toml"), "{said}");
    assert_eq!(fs::read_to_string(path.join("cube.obj")).unwrap(), CUBE);
}

/// The file that a take grows in while it is recorded anew may be what is baked again, or have another name.
#[test]
fn a_rebake_in_the_making_is_an_input_like_any_other() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    fs::copy(path.join("t.take"), path.join("x.take.rebake")).unwrap();
    is_refused(path, &["bake", "x.take.rebake", "--again", "-o", "x.take"]);
    assert!(path.join("x.take.rebake").exists());
    let whole = fs::read(path.join("t.take")).unwrap();
    fs::write(path.join("other.take"), &whole[..whole.len() - 10]).unwrap();
    fs::hard_link(path.join("other.take"), path.join("t.take.rebake")).unwrap();
    let before = fs::read(path.join("other.take")).unwrap();
    let said = fails(path, 1, &["bake", "scene.toml", "-o", "t.take", "--frames", "1..2"]);
    assert!(said.contains("which is another file too") && said.contains("help: move that file"), "{said}");
    assert_eq!(fs::read(path.join("other.take")).unwrap(), before);
}

/// What a re-bake that was cut off left is not whole. A whole take of that name is somebody's.
#[test]
fn a_whole_take_beside_is_never_taken_for_what_a_rebake_left() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    fs::copy(path.join("t.take"), path.join("t.take.rebake")).unwrap();
    fs::copy(path.join("t.take"), path.join("new.take.rebake")).unwrap();
    for output in ["t.take", "new.take"] {
        let said = fails(path, 1, &["bake", "scene.toml", "-o", output, "--frames", "1..2"]);
        assert!(said.contains(&format!("{output}.rebake is a whole take")) && said.contains("help: rename"), "{said}");
        assert_eq!(fs::read(path.join(format!("{output}.rebake"))).unwrap(), fs::read(path.join("t.take")).unwrap());
    }
}

/// Whoever made a file read-only or private wants it so.
#[cfg(unix)]
#[test]
fn read_only_files_stay_and_private_ones_stay_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    let commands: [(&str, &[&str]); 7] = [
        ("k.glb", &["export", "t.take", "-o"]),
        ("k.npz", &["export", "t.take", "-o"]),
        ("k.png", &["render", "t.take", "--size", "32x32", "-o"]),
        ("k.gif", &["render", "t.take", "--size", "32x32", "-o"]),
        ("k.msh", &["mesh", "cube.obj", "--vertices", "60", "-o"]),
        ("k.take", &["bake", "scene.toml", "--frames", "1..2", "-o"]),
        ("d.npz", &["bake", "scene.toml", "-o", "dumped.take", "--dump"]),
    ];
    let set_mode = |file: &str, mode| fs::set_permissions(path.join(file), fs::Permissions::from_mode(mode)).unwrap();
    for (file, words) in commands {
        // A take is replaced only by a take.
        if file == "k.take" {
            fs::copy(path.join("t.take"), path.join(file)).map(drop).unwrap();
        } else {
            write(path, file, "kept");
        }
        let before = fs::read(path.join(file)).unwrap();
        let words = [words, &[file]].concat();
        set_mode(file, 0o444);
        let said = fails(path, 1, &words);
        assert!(said.contains(file) && said.contains("read-only") && said.contains("chmod u+w"), "{words:?}: {said}");
        assert_eq!(fs::read(path.join(file)).unwrap(), before, "{words:?}");
        set_mode(file, 0o600);
        let output = run(path, &words);
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
        assert_ne!(fs::read(path.join(file)).unwrap(), before, "{words:?}");
        assert_eq!(fs::metadata(path.join(file)).unwrap().mode() & 0o777, 0o600, "{words:?}");
    }
}

/// Programs that edit one scene at once: what is told as made is in the file.
#[test]
fn edits_at_the_same_time_are_made_or_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    let add = |name: &str| {
        write(
            path,
            &format!("{name}.json"),
            &format!("{{\"do\":\"add\",\"to\":\"obstacle\",\"value\":{{\"name\":\"{name}\",\"shape\":\"plane\"}}}}"),
        );
        let output = run(path, &["apply", "scene.toml", &format!("{name}.json")]);
        let said = text(&output.stderr);
        assert!(output.status.success() || said.contains("another program changed the file"), "{said}");
        output.status.success()
    };
    let told = std::thread::scope(|scope| {
        let programs: Vec<_> = (0..3)
            .map(|program| scope.spawn(move || (0..8).filter(|k| add(&format!("p{program}-{k}"))).count()))
            .collect();
        programs.into_iter().map(|program| program.join().unwrap()).sum::<usize>()
    });
    let made = fs::read_to_string(path.join("scene.toml")).unwrap().matches("name = \"p").count();
    assert!(told >= 8 && told == made, "{told} told, {made} made");
}

/// Others can read nothing that is made of a private scene.
#[cfg(unix)]
#[test]
fn what_is_made_of_a_private_scene_is_private() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    fs::set_permissions(path.join("scene.toml"), fs::Permissions::from_mode(0o600)).unwrap();
    for words in [
        &["bake", "scene.toml", "--dump", "d.npz", "-o", "p.take"][..],
        &["bake", "p.take", "--again", "-o", "again.take"],
        &["export", "p.take", "-o", "p.glb"],
        &["export", "p.take", "-o", "p.obj"],
        &["render", "p.take", "--size", "32x32", "-o", "p.png"],
        &["key", "add", ".", "--body", "cube", "--frame", "2"],
    ] {
        let output = run(path, words);
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    }
    let is_old = |name: &str| ["cube.obj", "t.take"].contains(&name);
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (name, found) = (entry.file_name().into_string().unwrap(), entry.metadata().unwrap());
            if found.is_dir() {
                folders.push(entry.path());
            } else if !is_old(&name) {
                assert_eq!(found.mode() & 0o066, 0, "{name}");
            }
        }
    }
}

/// A folder that all may write to holds files that only their owners may.
#[cfg(target_os = "linux")]
#[test]
fn files_that_the_user_may_not_write_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    // Only root can act as someone else.
    if fs::metadata(path).unwrap().uid() != 0 {
        return;
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    write(path, "fine.json", "{\"do\":\"set\",\"path\":\"scene.fps\",\"value\":25}\n");
    for file in ["o.glb", "o.png", "o.npz", "o.msh"] {
        write(path, file, "precious");
    }
    let before: Vec<Vec<u8>> = ["scene.toml", "o.glb"].map(|file| fs::read(path.join(file)).unwrap()).to_vec();
    let program = path.join("sinew");
    fs::copy(env!("CARGO_BIN_EXE_sinew"), &program).unwrap();
    for words in [
        &["apply", "scene.toml", "fine.json"][..],
        &["key", "add", ".", "--body", "cube", "--frame", "2"],
        &["export", "t.take", "-o", "o.glb"],
        &["render", "t.take", "--size", "32x32", "-o", "o.png"],
        &["bake", "scene.toml", "-o", "n.take", "--dump", "o.npz"],
        &["mesh", "cube.obj", "--vertices", "60", "-o", "o.msh"],
        &["bake", "scene.toml", "-o", "t.take"],
    ] {
        let output = std::process::Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(&program)
            .args(words)
            .current_dir(path)
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(1) && (said.contains("read-only") || said.contains("denied")),
            "{words:?}: {said}"
        );
    }
    let after: Vec<Vec<u8>> = ["scene.toml", "o.glb"].map(|file| fs::read(path.join(file)).unwrap()).to_vec();
    assert!(before == after && fs::metadata(path.join("o.png")).unwrap().uid() == 0);
}

/// On many disks they would be one file.
#[test]
fn bodies_that_differ_in_case_only_do_not_overwrite_each_other() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let body = |name| {
        format!(
            "[[body]]\nname = \"{name}\"\nskin = {{ model = \"bar\" }}\nflesh = {{ kind = \"tets\", vertices = 60 }}\n"
        )
    };
    write(path, "scene.toml", &format!("sinew = 1\n[scene]\nframes = [1, 2]\n{}{}", body("A"), body("a")));
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    for output in ["x.mdd", "x.pvd"] {
        let said = fails(path, 1, &["export", "t.take", "-o", output]);
        assert!(said.contains("case only") && said.contains("help: rename one of the bodies"), "{output}: {said}");
    }
}

/// A mesh that somebody packed names files; only its own are copied, and nobody else may read the copies.
#[cfg(unix)]
#[test]
fn a_new_project_takes_only_what_belongs_to_its_mesh() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    let path = folder.path();
    fs::create_dir_all(path.join("mesh/t1")).unwrap();
    fs::create_dir_all(path.join("mesh/t2")).unwrap();
    fs::create_dir_all(path.join("private")).unwrap();
    write(path, "private/id_rsa", "PRIVATE KEY");
    write(path, "private/cube.obj", "not a mesh");
    let png = b"\x89PNG\r\n\x1a\nsky";
    fs::write(path.join("private/sky.png"), png).unwrap();
    fs::write(path.join("mesh/t1/a.png"), "one").unwrap();
    fs::write(path.join("mesh/t2/a.png"), "two").unwrap();
    let key = path.join("private/id_rsa");
    let maps = ["../private/id_rsa", "../private/cube.obj", "../private/sky.png", "t1/a.png", "t2/a.png"];
    let maps: Vec<String> = maps.iter().map(|map| format!("newmtl m\nmap_Kd {map}\n")).collect();
    write(path, "mesh/cube.mtl", &format!("{}newmtl k\nmap_Kd {}\n", maps.concat(), key.display()));
    write(path, "mesh/cube.obj", &format!("mtllib cube.mtl\nmtllib ../private/id_rsa\n{CUBE}"));
    fs::set_permissions(path.join("mesh/cube.obj"), fs::Permissions::from_mode(0o600)).unwrap();
    run(path, &["new", "p", "--mesh", "mesh/cube.obj"]);
    let assets = path.join("p/assets");
    assert!(!assets.join("id_rsa").exists());
    assert!(fs::read_to_string(assets.join("cube.obj")).unwrap().contains("mtllib"));
    assert_eq!(fs::read(assets.join("sky.png")).unwrap(), png);
    assert_eq!(fs::read(assets.join("t1/a.png")).unwrap(), b"one");
    assert_eq!(fs::read(assets.join("t2/a.png")).unwrap(), b"two");
    let mode = fs::metadata(assets.join("cube.obj")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "{mode:o}");
}

/// What never ends, or must be waited for, is refused at once.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_refused() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    let said = fails(path, 1, &["apply", "scene.toml", "/dev/zero"]);
    assert!(said.contains("/dev/zero") && said.contains("help: name a file of JSON commands"), "{said}");
    assert!(std::process::Command::new("mkfifo").arg(path.join("pipe")).status().unwrap().success());
    let said = fails(path, 2, &["check", "scene.toml", "--log-file", "pipe"]);
    assert!(said.contains("not a regular file"), "{said}");
}

/// What a file holds does not command the terminal, and a message has an end.
#[test]
fn messages_hold_no_control_characters() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", "sinew = 1\n[scene]\n\"a\\u001b[2J\" = 1\n");
    let said = fails(path, 1, &["check", "scene.toml"]);
    assert!(!said.contains('\u{1b}'), "{said:?}");
    write(path, "long.obj", &format!("v {} 0 0\n", "1".repeat(100_000)));
    assert!(fails(path, 1, &["info", "long.obj"]).len() < 10_000);
}

/// Two outputs of one run are two files, whatever they are called: takes, dumps, side files, the log, standard output.
#[test]
fn no_two_outputs_of_a_run_are_one_file() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    baked(path);
    let bake = ["bake", "scene.toml", "-o", "new.take", "--dump", "d.npz", "--log-file"];
    for log in ["d.npz", "./d.npz", "new.take", "scene.toml", "cube.obj"] {
        let said = fails(path, 2, &[&bake[..], &[log]].concat());
        assert!(said.contains(log) && said.contains("help: choose another file with --log-file"), "{log}: {said}");
    }
    write(path, "empty.toml", "");
    fails(path, 2, &["check", "empty.toml", "--log-file", "empty.toml"]);
    assert_eq!(fs::read(path.join("empty.toml")).unwrap(), b"");
    assert!(!path.join("d.npz").exists() && !path.join("new.take").exists(), "nothing was written");
    // Files that nobody names: what a take grows in, and what is written beside an export.
    for words in [
        &["bake", "scene.toml", "-o", "t.take", "--log-file", "t.take.rebake"][..],
        &["export", "t.take", "-o", "a.mdd", "--log-file", "a.obj"],
    ] {
        let said = fails(path, 1, words);
        assert!(said.contains("where the log goes") && said.contains("written twice"), "{words:?}: {said}");
    }
    assert!(!path.join("a.mdd").exists());
    let tets = path.join("c.msh");
    let words = ["mesh", "cube.obj", "-o", "c.msh", "--vertices", "100"];
    let output = crate::program::sinew()
        .args(words)
        .current_dir(path)
        .stdout(fs::File::create(&tets).unwrap())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("where standard output goes"), "{said}");
    assert!(run(path, &words).status.success());
}
