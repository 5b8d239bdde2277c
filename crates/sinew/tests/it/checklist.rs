//! docs/checklist.md speaks of every item of the five papers, once, and names only tests and scenes that exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many items each paper has.
const ITEMS: [(&str, u32); 6] = [("PD", 69), ("MM", 64), ("CM", 36), ("DA", 20), ("LC", 52), ("XS", 5)];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Item → (state, what shows it). Rows of items that are open may name a range: `PD-5 … PD-9`.
fn rows() -> BTreeMap<String, (String, String)> {
    let page = std::fs::read_to_string(root().join("docs/checklist.md")).unwrap();
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| ") && line.contains('-')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [item, state, shown, ..] = cells[..] else { continue };
        let Some((first, last)) =
            item.split_once(" … ").or((item.contains('-') && !item.starts_with("--")).then_some((item, item)))
        else {
            continue;
        };
        let Some((system, from)) = first.split_once('-') else { continue };
        let (Ok(from), Some(Ok(to))) = (from.parse::<u32>(), last.split_once('-').map(|(_, to)| to.parse::<u32>()))
        else {
            continue;
        };
        for number in from..=to {
            let old = rows.insert(format!("{system}-{number}"), (state.to_owned(), shown.to_owned()));
            assert!(old.is_none(), "{system}-{number} stands twice");
        }
    }
    rows
}

fn all_text(folder: &Path, extension: &str, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            all_text(&path, extension, text);
        } else if path.extension().is_some_and(|e| e == extension) {
            text.push_str(&std::fs::read_to_string(&path).unwrap_or_default());
        }
    }
}

#[test]
fn every_item_stands_once_with_a_known_state() {
    let rows = rows();
    for (system, count) in ITEMS {
        for number in 1..=count {
            let item = format!("{system}-{number}");
            let (state, shown) = rows.get(&item).unwrap_or_else(|| panic!("{item} is missing"));
            assert!(["works", "partly", "open"].contains(&state.as_str()), "{item}: {state}");
            assert!(state == "open" || shown.contains('`'), "{item} is {state}, but names nothing that shows it");
        }
    }
    let known: u32 = ITEMS.iter().map(|(_, count)| count).sum();
    assert_eq!(rows.len() as u32, known, "items that no paper has");
}

#[test]
fn every_test_and_scene_it_names_exists() {
    let mut code = String::new();
    all_text(&root().join("crates"), "rs", &mut code);
    all_text(&root().join("web"), "ts", &mut code);
    for (item, (_, shown)) in rows() {
        for word in shown.split('`').skip(1).step_by(2) {
            let exists = match word.strip_prefix("scene ") {
                Some(scene) => root().join("examples").join(format!("{scene}.toml")).exists(),
                None => code.contains(&format!("fn {word}(")) || code.contains(&format!("'{word}'")),
            };
            assert!(exists, "{item} names `{word}`, which is not there");
        }
    }
}
