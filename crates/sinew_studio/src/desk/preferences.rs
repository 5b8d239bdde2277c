//! What a person prefers on this machine, such as a light page: kept in the user's state folder, so that it holds whatever port the
//! studio listens on and whatever browser shows it.
//!
//! Pages choose the names. A file that is no such list, or what is too long in it, is as if it were not there.

use super::autosave::{make_private, narrow};
use super::{Desk, Done, Refusal};
use sinew_io::{AtomicFile, Dir};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

pub(crate) type Preferences = BTreeMap<String, String>;

const FILE: &str = "preferences.json";
/// More than a page has settings.
const MOST: usize = 64;
const LONGEST_KEY: usize = 64;
const LONGEST_VALUE: usize = 2048;
const LARGEST_BYTES: u64 = 256 << 10;

/// Those that are kept; none where nothing readable is.
pub(super) fn read(folder: &Path) -> Preferences {
    let kept = Dir::open(folder).and_then(|dir| dir.read(Path::new(FILE), LARGEST_BYTES)).unwrap_or_default();
    let found: Preferences = serde_json::from_slice(&kept).unwrap_or_default();
    found.into_iter().filter(|(key, value)| check(key, value).is_ok()).take(MOST).collect()
}

/// Keeps one more, or forgets it where there is no value: what another studio kept meanwhile stays. All of them as they are then.
fn keep(folder: &Path, key: &str, value: Option<&str>) -> io::Result<Preferences> {
    make_private(folder)?;
    let mut all = read(folder);
    match value {
        Some(value) if all.len() < MOST || all.contains_key(key) => drop(all.insert(key.to_owned(), value.to_owned())),
        Some(_) => return Err(io::Error::other("there are too many")),
        None => drop(all.remove(key)),
    }
    let mut file = AtomicFile::create_in(Dir::open(folder)?, Path::new(FILE))?;
    narrow(file.file(), None)?;
    file.write_all(&serde_json::to_vec_pretty(&all).map_err(io::Error::other)?)?;
    file.commit()?;
    Ok(all)
}

/// Names are words of a page: letters, digits and dots.
pub(crate) fn check(key: &str, value: &str) -> Result<(), String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if key.is_empty() || key.len() > LONGEST_KEY || !key.chars().all(is_word) {
        return Err(format!("a preference is named by up to {LONGEST_KEY} letters, digits and dots"));
    }
    let good = value.len() <= LONGEST_VALUE;
    good.then_some(())
        .ok_or_else(|| format!("a preference of {} bytes is too long: up to {LONGEST_VALUE}", value.len()))
}

impl Desk {
    /// Keeps what a person prefers. Where it cannot be kept it holds until the studio ends.
    pub(super) fn prefer(&mut self, key: &str, value: Option<&str>) -> Done {
        let kept = match &self.state_folder {
            Some(folder) => keep(folder, key, value),
            None => Err(io::Error::other("there is no folder for it")),
        };
        match kept {
            Ok(all) => {
                self.board.preferences.send_replace(all);
                Ok(())
            }
            Err(why) => {
                self.board.preferences.send_modify(|all| match value {
                    Some(value) if all.len() < MOST => drop(all.insert(key.to_owned(), value.to_owned())),
                    Some(_) => {}
                    None => drop(all.remove(key)),
                });
                Err(Refusal::new(format!("{key} is not kept for the next time: {why}"), ""))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_there_for_the_next_studio_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        assert_eq!(read(&state), Preferences::new());
        keep(&state, "theme", Some("light")).unwrap();
        keep(&state, "tour", Some("seen")).unwrap();
        assert_eq!(keep(&state, "theme", None).unwrap().keys().collect::<Vec<_>>(), ["tour"]);
        for number in 0..MOST - 1 {
            keep(&state, &format!("p{number}"), Some("x")).unwrap();
        }
        assert!(keep(&state, "one-too-many", Some("x")).is_err());
        keep(&state, "tour", Some("again")).unwrap();
        assert_eq!(read(&state).get("tour").map(String::as_str), Some("again"));
    }

    #[test]
    fn a_file_of_something_else_is_as_if_it_were_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let long = format!("{{\"a\":\"{}\",\"b/../c\":\"x\",\"good\":\"y\"}}", "x".repeat(LONGEST_VALUE + 1));
        for (text, found) in [("[1, 2]", 0), ("{\"a\": 3}", 0), ("not json", 0), (&*long, 1)] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(read(folder.path()).len(), found, "{text:.20}");
        }
        assert!(check("theme", "light").is_ok());
        assert!(check("", "").is_err() && check("a b", "").is_err() && check(&"a".repeat(65), "").is_err());
    }
}
