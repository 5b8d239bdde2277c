//! ARCHITECTURE.md names what is there, and nothing that is gone.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn crates() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What stands between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_crate_is_described_and_every_described_crate_exists() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let words = quoted(&page);
    let crates = crates();
    for name in &crates {
        assert!(words.contains(&name.as_str()), "ARCHITECTURE.md does not describe {name}");
    }
    for word in words.iter().filter(|word| word.starts_with("sinew_") && !word.contains(['/', ':'])) {
        assert!(crates.iter().any(|name| name == word), "ARCHITECTURE.md names {word}, which is gone");
    }
}

/// A path is one from the top, one below `crates/`, or, as a short name, one in the folder that was named before it.
#[test]
fn every_file_it_names_exists() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let is_path = |word: &&str| (word.contains('/') || word.ends_with(".rs")) && !word.contains(' ');
    let mut folder = root();
    for word in quoted(&page).into_iter().filter(is_path) {
        if folder.join(word).exists() {
            continue;
        }
        let known = [root().join(word), root().join("crates").join(word)].into_iter().find(|path| path.exists());
        let path = known.unwrap_or_else(|| panic!("ARCHITECTURE.md names {word}, which is gone"));
        folder = if path.is_dir() { path } else { path.parent().unwrap().to_owned() };
    }
}

/// The glossary leads to files below `crates/`.
#[test]
fn every_file_of_the_glossary_exists() {
    let page = std::fs::read_to_string(root().join("docs/book/glossary.md")).unwrap();
    let paths: Vec<&str> =
        quoted(&page).into_iter().filter(|word| word.starts_with("sinew_") && word.contains('/')).collect();
    assert!(paths.len() > 40, "{}", paths.len());
    for path in paths {
        assert!(root().join("crates").join(path).exists(), "the glossary names {path}, which is gone");
    }
}
