//! Assets: files of a project that are named by what they hold, `assets/KIND-HASH.EXTENSION`, and never
//! change.
//!
//! Key shapes, sculpts and plans are too large for a scene's text. The text names them, so that undo stays
//! text and a take, which holds the text, says what it used. The hash in the name is the first half of the
//! file's BLAKE3: a file that is missing, or is no longer what its name says, is an error and never read as
//! something else. What no text names any more is removed by [`Assets::unused`]'s list.

mod named;

use sinew_io::disk::{read_regular, remedy};
use sinew_io::{AtomicFile, Dir};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is larger is no key shape of a body that could be simulated.
const LARGEST_BYTES: u64 = 4 << 30;
/// Digits of the hash in a name.
const DIGITS: usize = 32;
const FOLDER: &str = "assets";
/// What was made just now may be about to be named.
pub const YOUNG: Duration = Duration::from_secs(600);

/// A file that is to be an asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    /// What a scene knows it by.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Asset {
    pub fn new(kind: &str, extension: &str, bytes: Vec<u8>) -> Self {
        Self { name: format!("{FOLDER}/{}", file_name(kind, extension, &bytes)), bytes }
    }
}

/// The assets of one project.
#[derive(Debug)]
pub struct Assets {
    project: PathBuf,
}

/// Why an asset cannot be had. All name the file.
#[derive(Debug, thiserror::Error)]
pub enum AssetError {
    #[error("{name:?} is no name of an asset: these are called assets/KIND-HASH.EXTENSION")]
    Name { name: String },
    #[error("asset {name} is missing in {}", project.display())]
    Missing { name: String, project: PathBuf },
    #[error("asset {name} in {} is not what it was: its content has changed", project.display())]
    Changed { name: String, project: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write asset {name}: {source}")]
    Write { name: String, source: io::Error },
    #[error("a studio has the project open (it holds {}), and its undo may need assets that no file names", lock.display())]
    Open { lock: PathBuf },
}

impl AssetError {
    /// What would be right.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Name { .. } => "name an asset as the scene does that was made with it",
            Self::Missing { .. } => {
                "bring the file back from where the project came from, or take what names it out of the scene"
            }
            Self::Changed { .. } => "bring the file back as it was; an edited one needs a name of its own",
            Self::Open { .. } => "close the studio first",
            Self::Read { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "ask its owner for the right to read it: what it names must not be removed"
            }
            Self::Read { source, .. } => remedy(source).unwrap_or("name a file that you may read"),
            Self::Write { source, .. } => remedy(source).unwrap_or("choose a folder that you may write to"),
        }
    }
}

impl Assets {
    /// Of the project in this folder, which need not have any yet.
    pub fn of(project: &Path) -> Self {
        Self { project: project.to_owned() }
    }

    /// Keeps `bytes` and gives the name that a scene knows them by. What is there already is not written
    /// again.
    pub fn store(&self, kind: &str, extension: &str, bytes: &[u8]) -> Result<String, AssetError> {
        let asset = Asset::new(kind, extension, bytes.to_vec());
        self.store_asset(&asset)?;
        Ok(asset.name)
    }

    /// The same of a file whose name is known.
    pub fn store_asset(&self, asset: &Asset) -> Result<(), AssetError> {
        let Asset { name, bytes } = asset;
        let Some(file) = name.strip_prefix("assets/").filter(|_| parts(name).is_some()) else {
            return Err(AssetError::Name { name: name.clone() });
        };
        if self.read(name).is_ok() {
            return Ok(());
        }
        let written = Dir::open(&self.project).and_then(|dir| dir.make_dir(FOLDER)).and_then(|dir| {
            let mut out = AtomicFile::create_in(dir, Path::new(file))?;
            out.write_all(bytes)?;
            out.commit_and_sync()
        });
        written.map_err(|source| AssetError::Write { name: name.clone(), source })
    }

    /// Copies the assets that a text names from another project; those that are missing there are left to whoever needs them.
    pub fn copy_named(&self, scene_text: &str, from: &Self) -> Result<(), AssetError> {
        for name in named_assets(scene_text) {
            if let Ok(bytes) = from.read(&name) {
                self.store_asset(&Asset { name, bytes })?;
            }
        }
        Ok(())
    }

    /// What an asset holds.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, AssetError> {
        let (kind, _, extension) = parts(name).ok_or_else(|| AssetError::Name { name: name.to_owned() })?;
        let path = self.project.join(name);
        let bytes = read_regular(&path, LARGEST_BYTES).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => AssetError::Missing { name: name.to_owned(), project: self.project.clone() },
            _ => AssetError::Read { path, source },
        })?;
        if name != format!("{FOLDER}/{}", file_name(kind, extension, &bytes)) {
            return Err(AssetError::Changed { name: name.to_owned(), project: self.project.clone() });
        }
        Ok(bytes)
    }

    /// Assets that nothing in the project names, by name. A file of any kind that holds an asset's hash keeps it: scenes under
    /// whatever name, unsaved work, copies, whole and damaged takes. Files of `assets/` that are called otherwise, such as
    /// meshes that were brought in, are nobody's to remove.
    ///
    /// Files in `elsewhere` count too: unsaved work may be kept there. Nothing is unused that is younger than [`YOUNG`], for who made it may be about
    /// to name it, nor while a studio has a scene of the project open, whose undo names what no file does.
    pub fn unused(&self, elsewhere: &[PathBuf]) -> Result<Vec<String>, AssetError> {
        let dir = match Dir::open(&self.project).and_then(|dir| dir.dir(FOLDER)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            dir => dir.map_err(|source| AssetError::Read { path: self.project.join(FOLDER), source })?,
        };
        named::check_no_studio(&self.project)?;
        let names = files_in(dir.path())?;
        let names = names.iter().filter(|path| is_old(path)).filter_map(|path| path.file_name()?.to_str());
        let names = names.map(|name| format!("{FOLDER}/{name}"));
        let mut unnamed: BTreeMap<String, String> =
            names.filter_map(|name| Some((parts(&name)?.1.to_owned(), name))).collect();
        for folder in std::iter::once(&self.project).chain(elsewhere.iter().filter(|folder| folder.is_dir())) {
            named::remove_named(folder, &mut unnamed)?;
        }
        Ok(unnamed.into_values().collect())
    }

    pub fn remove(&self, name: &str) -> Result<(), AssetError> {
        parts(name).ok_or_else(|| AssetError::Name { name: name.to_owned() })?;
        let removed = Dir::open(&self.project).and_then(|dir| dir.remove(name));
        removed.map_err(|source| AssetError::Write { name: name.to_owned(), source })
    }
}

fn file_name(kind: &str, extension: &str, bytes: &[u8]) -> String {
    format!("{kind}-{}.{extension}", &blake3::hash(bytes).to_hex()[..DIGITS])
}

/// Kind, hash and extension of an asset's name.
fn parts(name: &str) -> Option<(&str, &str, &str)> {
    let (stem, extension) = name.strip_prefix(FOLDER)?.strip_prefix('/')?.rsplit_once('.')?;
    let (kind, hash) = stem.rsplit_once('-')?;
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_hash = hash.len() == DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit() && !b.is_ascii_uppercase());
    (is_word(kind) && is_word(extension) && is_hash).then_some((kind, hash, extension))
}

/// Every asset that a scene's text names.
pub(crate) fn named_assets(scene_text: &str) -> BTreeSet<String> {
    let words = scene_text.split(|c: char| c.is_whitespace() || "\"',=[]{}".contains(c));
    words.filter(|word| parts(word).is_some()).map(str::to_owned).collect()
}

/// A file whose age is not known is young.
fn is_old(path: &Path) -> bool {
    let modified = std::fs::metadata(path).and_then(|found| found.modified()).ok();
    modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age >= YOUNG)
}

/// The files in a folder, by name; none where there is no folder.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>, AssetError> {
    let unread = |source| AssetError::Read { path: folder.to_owned(), source };
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unread)?,
    };
    let mut files =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>().map_err(unread)?;
    files.retain(|path| path.is_file());
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_what_its_name_says_or_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let assets = Assets::of(folder.path());
        let name = assets.store("key", "npz", b"a squashed ball").unwrap();
        assert!(name.starts_with("assets/key-") && name.ends_with(".npz"), "{name}");
        assert_eq!(assets.store("key", "npz", b"a squashed ball").unwrap(), name);
        assert_ne!(assets.store("key", "npz", b"another").unwrap(), name);
        assert_eq!(assets.read(&name).unwrap(), b"a squashed ball");
        std::fs::write(folder.path().join(&name), b"a squashed balk").unwrap();
        let changed = assets.read(&name).unwrap_err();
        assert!(matches!(changed, AssetError::Changed { .. }) && changed.to_string().contains(&name), "{changed}");
        assert_eq!(assets.store("key", "npz", b"a squashed ball").unwrap(), name, "storing it again mends it");
        assert_eq!(assets.read(&name).unwrap(), b"a squashed ball");
        assets.remove(&name).unwrap();
        let missing = assets.read(&name).unwrap_err();
        assert!(matches!(missing, AssetError::Missing { .. }) && missing.to_string().contains(&name), "{missing}");
        for wrong in
            ["assets/bunny.obj", "../key-00000000000000000000000000000000.npz", "assets/../a-0.npz", "scene.toml"]
        {
            assert!(matches!(assets.read(wrong), Err(AssetError::Name { .. })), "{wrong}");
        }
        assert!(matches!(assets.store("a/b", "npz", b""), Err(AssetError::Name { .. })));
    }

    /// In whatever file, under whatever name, and in strings with escapes.
    #[test]
    fn only_what_no_file_names_is_unused() {
        let folder = tempfile::tempdir().unwrap();
        let assets = Assets::of(folder.path());
        let unused = || assets.unused(&[folder.path().join("../none")]);
        assert_eq!(unused().unwrap(), [""; 0]);
        let contents: Vec<String> = (0..9).map(|number| format!("shape {number}")).collect();
        let names: Vec<String> =
            contents.iter().map(|bytes| assets.store("key", "npz", bytes.as_bytes()).unwrap()).collect();
        let put = |file: &str, bytes: &[u8]| {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        put("assets/bunny.obj", b"v 0 0 0");
        put("scene.toml", format!("shape = \"{}\"\n", names[0]).as_bytes());
        put(".scene.toml.autosave", format!("shapes = ['{}','./{}']", names[1], names[2]).as_bytes());
        put("other.TOML", format!("shape = \"{}\"", names[3].replace('/', "\\u002f")).as_bytes());
        // A hash with an escaped digit is found by reading the text as TOML.
        let escaped = names[4].replacen("key-", "key\\u002d", 1);
        let (before, digit, after) = {
            let at = escaped.find("\\u002d").unwrap() + 6;
            (&escaped[..at], escaped.as_bytes()[at], &escaped[at + 1..])
        };
        put("escaped.toml", format!("shape = \"{before}\\u{:04x}{after}\"", u32::from(digit)).as_bytes());
        put("deep/er/scene.toml.bak", format!("shape = \"../{}\" and no TOML", names[5]).as_bytes());
        // A name across the end of what is read at once, in a file that is no text.
        let mut damaged = vec![0xff; (1 << 20) - 20];
        damaged.extend(names[6].as_bytes());
        put("takes/damaged", &damaged);
        put("takes/shouted", names[7].to_uppercase().as_bytes());
        assert_eq!(unused().unwrap(), [""; 0], "what is young may be named in a moment");
        for name in &names {
            let file = std::fs::File::options().write(true).open(folder.path().join(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - 2 * YOUNG).unwrap();
        }
        assert_eq!(unused().unwrap(), [names[8].clone()]);
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join("bounce.autosave"), &names[8]).unwrap();
        assert_eq!(assets.unused(&[state.path().to_owned()]).unwrap(), [""; 0]);
        let lock = std::fs::File::create(folder.path().join(".scene.toml.lock")).unwrap();
        lock.try_lock().unwrap();
        assert!(matches!(unused(), Err(AssetError::Open { .. })));
        drop(lock);
        assert_eq!(unused().unwrap(), [names[8].clone()]);
    }
}
