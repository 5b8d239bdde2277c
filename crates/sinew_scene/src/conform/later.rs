//! Names that the format will have but this version does not: better said plainly than called unknown.

use crate::problem::Step;

/// The table a key stands in, the key, the word it has (or none: the key itself comes later), and what to do today.
const LATER: &[(&str, &str, Option<&str>, &str)] = &[
    ("flesh", "kind", Some("nodes"), "meshless nodes are not there yet; use kind = \"tets\""),
    ("solver", "kind", Some("meshless"), "the meshless solver is not there yet; use shape_matching or fem"),
    ("director", "kind", Some("rig"), "skeletons are not there yet; use pin"),
    ("director", "kind", Some("cache"), "imported motion is not there yet; use goal or pin"),
    ("fibres", "file", None, "fields from files are not there yet; use along, around or spiral"),
    ("phase", "file", None, "fields from files are not there yet; use along, around or distance"),
    ("amplitude", "file", None, "fields from files are not there yet; use along, around or distance"),
];

/// The note for a key that comes later; `path` ends in it.
pub(super) fn key(path: &[Step]) -> Option<&'static str> {
    find(path, None)
}

/// The note for a word that comes later; `path` ends in the key that has it.
pub(super) fn word(path: &[Step], word: &str) -> Option<&'static str> {
    find(path, Some(word))
}

fn find(path: &[Step], word: Option<&str>) -> Option<&'static str> {
    let mut keys = path.iter().rev().filter_map(|step| match step {
        Step::Key(key) => Some(key.as_str()),
        Step::Index(_) => None,
    });
    let (key, table) = (keys.next()?, keys.next()?);
    LATER.iter().find(|entry| (entry.0, entry.1, entry.2) == (table, key, word)).map(|entry| entry.3)
}
