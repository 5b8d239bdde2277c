//! Which assets a project names: a search of all its files for their hashes.

use super::{AssetError, DIGITS};
use crate::take::TakeReader;
use sinew_io::disk::open_regular;
use std::collections::BTreeMap;
use std::fs::TryLockError;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What is larger is no scene, whose strings would be read.
const LARGEST_SCENE_BYTES: u64 = 16 << 20;

/// An error while a studio holds the place where it keeps unsaved work of a scene (`.NAME.lock`).
pub(super) fn check_no_studio(project: &Path) -> Result<(), AssetError> {
    let unread = |source| AssetError::Read { path: project.to_owned(), source };
    for (path, _) in entries(project).map_err(unread)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_lock = name.starts_with('.') && name.ends_with(".lock");
        let held = |file: std::fs::File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if is_lock && open_regular(&path).is_ok_and(held) {
            return Err(AssetError::Open { lock: path });
        }
    }
    Ok(())
}

/// Takes every asset that a file below `project` names out of `unnamed`, which holds names by hash.
pub(super) fn remove_named(project: &Path, unnamed: &mut BTreeMap<String, String>) -> Result<(), AssetError> {
    let mut folders = vec![project.to_owned()];
    while let Some(folder) = folders.pop().filter(|_| !unnamed.is_empty()) {
        for (path, is_folder) in entries(&folder).map_err(|source| AssetError::Read { path: folder.clone(), source })? {
            if is_folder {
                folders.push(path);
            } else {
                search_file(&path, unnamed).map_err(|source| AssetError::Read { path, source })?;
            }
        }
    }
    Ok(())
}

/// Folders and regular files. Links to folders are not followed; pipes and devices name nothing.
fn entries(folder: &Path) -> io::Result<Vec<(PathBuf, bool)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
        if kind.is_dir() || path.is_file() {
            all.push((path, kind.is_dir()));
        }
    }
    Ok(all)
}

fn search_file(path: &Path, unnamed: &mut BTreeMap<String, String>) -> io::Result<()> {
    let mut file = open_regular(path)?;
    let is_small = file.metadata()?.len() <= LARGEST_SCENE_BYTES;
    let mut search = Search::default();
    let mut bytes = vec![0; 1 << 20];
    let mut text = Vec::new();
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            read => {
                search.bytes(&bytes[..read], unnamed);
                if is_small {
                    text.extend_from_slice(&bytes[..read]);
                }
            }
        }
    }
    if let Ok(text) = String::from_utf8(text) {
        search_strings(&text, unnamed);
    }
    if let Ok(spans) = TakeReader::open(path).and_then(|take| take.spans()) {
        spans.iter().for_each(|span| search_strings(&span.header.scene_text, unnamed));
    }
    Ok(())
}

/// The strings of a scene's text, which may spell a name with escapes.
fn search_strings(text: &str, unnamed: &mut BTreeMap<String, String>) {
    if !text.contains('\\') {
        return;
    }
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let mut values: Vec<&toml::Value> = table.values().collect();
    while let Some(value) = values.pop() {
        match value {
            toml::Value::String(string) => Search::default().bytes(string.as_bytes(), unnamed),
            toml::Value::Array(array) => values.extend(array),
            toml::Value::Table(table) => values.extend(table.values()),
            _ => {}
        }
    }
}

/// Finds hashes in bytes that come piece by piece.
#[derive(Default)]
struct Search {
    /// The hexadecimal digits that came last without a gap.
    digits: Vec<u8>,
}

impl Search {
    fn bytes(&mut self, bytes: &[u8], unnamed: &mut BTreeMap<String, String>) {
        for byte in bytes {
            if !byte.is_ascii_hexdigit() {
                self.digits.clear();
                continue;
            }
            self.digits.push(byte.to_ascii_lowercase());
            if self.digits.len() >= DIGITS {
                let last = &self.digits[self.digits.len() - DIGITS..];
                if let Ok(hash) = str::from_utf8(last) {
                    unnamed.remove(hash);
                }
                if self.digits.len() >= 4 * DIGITS {
                    self.digits.drain(..3 * DIGITS);
                }
            }
        }
    }
}
