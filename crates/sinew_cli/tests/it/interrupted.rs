//! A command that is interrupted leaves nothing half-written; what one that was killed left goes with the next.

#![cfg(unix)]

use crate::program::{json, run, sinew, small_scene, write};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use tempfile::tempdir;

fn parts(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('.')).collect()
}

/// Draws a film until its part is there, and ends it by a signal.
fn cut_off(folder: &Path, film: &str, signal: &str) -> ExitStatus {
    let words = ["render", "t.take", "-o", film, "--size", "1600x1200"];
    let mut child = sinew().args(words).current_dir(folder).stdout(Stdio::null()).spawn().unwrap();
    while parts(folder).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert!(!folder.join(film).exists(), "{film} after {signal}");
    status
}

#[test]
fn nothing_is_left_of_a_command_that_is_interrupted() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        // A shell sees that it was the signal that ended it.
        assert_eq!(cut_off(path, "a.gif", signal).signal(), Some(number));
        assert_eq!(parts(path), [""; 0], "after {signal}");
    }
    // Nobody can clean up after itself when it is killed.
    cut_off(path, "a.gif", "-KILL");
    assert_eq!(parts(path).len(), 1);
    let next = ["render", "t.take", "-o", "b.png", "--size", "16x16"];
    assert!(run(path, &next).status.success());
    assert_eq!(parts(path), [""; 0], "after the next command");
    if Command::new("ffmpeg").arg("-version").output().is_ok() {
        for signal in ["-TERM", "-KILL"] {
            cut_off(path, "a.mp4", signal);
            // ffmpeg may have begun the file just then, and ends a moment later.
            let began = std::time::Instant::now();
            while !parts(path).is_empty() {
                assert!(began.elapsed().as_secs() < 60, "{:?} after {signal}", parts(path));
                assert!(run(path, &next).status.success());
            }
        }
    }
}

/// The search would go on for dozens of performances: the number cannot be met to so many digits.
#[test]
fn a_search_that_is_interrupted_tells_the_best_so_far_and_writes_it() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    let push = "[[body.director]]\nname = \"push\"\nkind = \"force\"\non = \"all\"\nnewton = [2.0, 0.0, 0.0]";
    write(path, "scene.toml", &small_scene(push).replace("frames = [1, 8]", "frames = [1, 400]"));
    let push = ["refine", "reach", "scene.toml", "--change", "body.bar.director.push.newton"];
    let wish =
        ["--measure", "bar/centre_x", "--goal", "0.3", "--frame", "400", "--between", "0..500", "--within", "1e-15"];
    let more = ["-o", "found.toml", "--json", "--log", "sinew_bake=debug"];
    let mut child = sinew();
    let child = child.args(push).args(wish).args(more).current_dir(path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(told.any(|line| line.unwrap().contains("a search has found something")), "it ended before that");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    told.for_each(drop);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{:?}", ended.status);
    let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!((&answer["stopped"], answer["alternatives"].as_array().unwrap().len()), (&true.into(), 1), "{answer}");
    let found = std::fs::read_to_string(path.join("found.toml")).unwrap();
    assert_ne!(found, std::fs::read_to_string(path.join("scene.toml")).unwrap());
}

/// `nohup` and shells that put jobs into the background say that a signal is to be ignored.
#[test]
fn a_signal_that_is_ignored_stays_so() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    let program = env!("CARGO_BIN_EXE_sinew");
    let line = format!("trap '' INT HUP; exec {program} render t.take -o a.gif --size 800x600");
    let mut child = Command::new("sh").args(["-c", &line]).current_dir(path).stdout(Stdio::null()).spawn().unwrap();
    while parts(path).is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was interrupted");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    for signal in ["-INT", "-HUP"] {
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    }
    assert!(child.wait().unwrap().success());
    assert!(path.join("a.gif").exists());
}

/// A limit on the size of files (`ulimit -f`, in blocks of 512 or 1024 bytes) is a full disk: every command that writes says which file.
#[test]
fn a_file_that_may_not_grow_is_an_error_that_names_it() {
    let folder = tempdir().unwrap();
    let path = folder.path();
    write(path, "scene.toml", &small_scene(""));
    json(path, &["bake", "scene.toml", "-o", "t.take", "--json"]);
    let commands: [(&[&str], &str); 3] = [
        (&["bake", "scene.toml", "-o", "b.take"], "b.take"),
        (&["export", "t.take", "-o", "b.npz"], "b.npz"),
        (&["render", "t.take", "-o", "b.png", "--size", "640x480"], "b.png"),
    ];
    for (words, file) in commands {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -f 1; exec \"$0\" \"$@\""]).arg(sinew().get_program());
        let ended = limited.args(words).current_dir(path).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{words:?}: {:?} {said}", ended.status);
        assert!(said.contains(file) && said.contains("too large"), "{words:?}: {said}");
        assert_eq!(parts(path), [""; 0], "after {words:?}");
    }
}
