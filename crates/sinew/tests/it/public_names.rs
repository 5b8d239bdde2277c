//! The public names of `sinew_solve`, `sinew_stage` and `sinew_bake` are listed in `public.txt` beside them:
//! changing one is a decision.
//!
//! `cargo xtask bless` writes the lists anew. The lint
//! `unreachable_pub` makes sure that what says `pub` is public.

use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every public declaration, as `file: declaration` up to its body.
fn public_names(name: &str) -> String {
    let src = folder(name).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut names = String::new();
    for file in files {
        let place = file.strip_prefix(&src).unwrap().display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for line in code.lines().map(str::trim).filter(|line| line.starts_with("pub ")) {
            let declaration = line.split(" {").next().unwrap_or(line).trim_end_matches([',', ';', '(']);
            names.push_str(&format!("{place}: {declaration}\n"));
        }
    }
    names
}

fn bless_or_compare(name: &str) {
    let list = folder(name).join("public.txt");
    let names = public_names(name);
    if std::env::var_os("SINEW_BLESS").is_some() {
        std::fs::write(&list, names).unwrap();
        return;
    }
    let listed = std::fs::read_to_string(&list).unwrap_or_default();
    let (now, before): (Vec<&str>, Vec<&str>) = (names.lines().collect(), listed.lines().collect());
    let added: Vec<_> = now.iter().filter(|line| !before.contains(line)).collect();
    let gone: Vec<_> = before.iter().filter(|line| !now.contains(line)).collect();
    assert!(names == listed, "public names of {name} changed (cargo xtask bless)\nnew: {added:#?}\ngone: {gone:#?}");
}

#[test]
fn names_of_sinew_solve_are_listed() {
    bless_or_compare("sinew_solve");
}

#[test]
fn names_of_sinew_stage_are_listed() {
    bless_or_compare("sinew_stage");
}

#[test]
fn names_of_sinew_bake_are_listed() {
    bless_or_compare("sinew_bake");
}
