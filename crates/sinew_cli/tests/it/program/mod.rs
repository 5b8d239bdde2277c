//! The `sinew` program as tests run it.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) fn sinew() -> Command {
    Command::new(env!("CARGO_BIN_EXE_sinew"))
}

/// Runs to the end in `folder`.
pub(crate) fn run(folder: &Path, words: &[&str]) -> Output {
    sinew().args(words).current_dir(folder).output().unwrap()
}

/// Runs with success and gives the one JSON object on stdout.
pub(crate) fn json(folder: &Path, words: &[&str]) -> Value {
    let output = run(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("not one JSON object: {}", text(&output.stdout)))
}

/// Runs, must fail with `code` and without a panic, and gives what it said on stderr.
pub(crate) fn fails(folder: &Path, code: i32, words: &[&str]) -> String {
    let output = run(folder, words);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?} said: {said}{}", text(&output.stdout));
    assert!(!said.contains("panicked"), "{words:?}: {said}");
    said
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn write(folder: &Path, name: &str, content: &str) {
    std::fs::write(folder.join(name), content).unwrap();
}

/// A small bar that falls, with `extra` lines in its body.
pub(crate) fn small_scene(extra: &str) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 8]\n[[body]]\nname = \"bar\"\nskin = {{ model = \"bar\" }}\nflesh = {{ kind = \"tets\", vertices = 60 }}\n{extra}\n"
    )
}
