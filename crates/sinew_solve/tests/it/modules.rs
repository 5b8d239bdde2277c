//! Modules of this crate use each other in one direction: what a file needs can be read before it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of the crate, and which of them each name that the crate exports is from.
fn modules(lib: &str) -> (BTreeSet<String>, BTreeMap<String, String>) {
    let declared =
        |line: &str| Some(line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?.to_owned());
    let modules: BTreeSet<String> = lib.lines().filter_map(declared).collect();
    let mut exported = BTreeMap::new();
    for export in lib.split("pub use ").skip(1) {
        let (module, names) = export.split(';').next().unwrap().split_once("::").unwrap();
        if modules.contains(module) {
            for name in names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()) {
                exported.insert(name.to_owned(), module.to_owned());
            }
        }
    }
    (modules, exported)
}

/// The first words of all paths that begin with `crate::`, those in braces one by one.
fn used(code: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in code.split("crate::").skip(1) {
        let mut depth = 0;
        let mut word = String::new();
        let mut is_first = true;
        for c in path.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                c if c.is_alphanumeric() || c == '_' => {
                    word.push(c);
                    continue;
                }
                _ => {}
            }
            if is_first && !word.is_empty() {
                words.insert(std::mem::take(&mut word));
            }
            word.clear();
            // Behind a comma of the outer braces the next path begins.
            is_first =
                (is_first && c.is_whitespace()) || (depth == 1 && (c == ',' || c == '{')) || (is_first && c == '{');
            if depth <= 0 && c != '{' {
                break;
            }
        }
    }
    words
}

/// A way round, if there is one: every module leads to the next, the last to the first.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left: BTreeMap<&String, BTreeSet<&String>> =
        uses.iter().map(|(of, on)| (of, on.iter().collect())).collect();
    // What uses nothing that is left cannot be part of one.
    while let Some(free) = left.iter().find(|(_, on)| !on.iter().any(|on| left.contains_key(on))).map(|(of, _)| *of) {
        left.remove(free);
    }
    let mut way = vec![(*left.keys().next()?).clone()];
    loop {
        let next = left[way.last()?].iter().find(|on| left.contains_key(*on))?;
        if let Some(begin) = way.iter().position(|seen| seen == *next) {
            return Some(way.split_off(begin));
        }
        way.push((**next).clone());
    }
}

#[test]
fn no_module_uses_one_that_uses_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (modules, exported) = modules(&std::fs::read_to_string(src.join("lib.rs")).unwrap());
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let inside = file.strip_prefix(&src).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" || file.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        let of = |word: String| exported.get(&word).cloned().or_else(|| modules.get(&word).cloned());
        let others = used(&code(&file)).into_iter().filter_map(of).filter(|other| *other != module);
        uses.entry(module.clone()).or_default().extend(others);
    }
    assert!(uses["fem"].contains("implicit") && uses["contact"].contains("simd"), "{uses:#?}");
    assert_eq!(cycle(&uses), None, "modules that use each other in a circle");
}

#[test]
fn circles_and_paths_are_found() {
    let words =
        used("use crate::contact::Rub;\nuse crate::{BodyState, Cues,\n    fem::{A, B}, rigid};\nlet x: crate::Row;");
    assert_eq!(words.into_iter().collect::<Vec<_>>(), ["BodyState", "Cues", "Row", "contact", "fem", "rigid"]);
    let uses = |pairs: &[(&str, &[&str])]| -> BTreeMap<String, BTreeSet<String>> {
        pairs.iter().map(|(of, on)| ((*of).to_owned(), on.iter().map(|on| (*on).to_owned()).collect())).collect()
    };
    assert_eq!(cycle(&uses(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
    let round = cycle(&uses(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &["a"])])).unwrap();
    assert_eq!(round, ["b", "c"]);
}
