//! Opening and saving. A save is atomic: whatever happens, the file holds the old text or the new one.

use super::Document;
use crate::problem::SceneError;
use sinew_io::AtomicFile;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Scenes are small; what is larger than this is some other file.
const LARGEST_BYTES: u64 = 64 << 20;
/// The scene of a project folder.
const SCENE_OF_FOLDER: &str = "scene.toml";

impl Document {
    /// Opens a scene file, or the `scene.toml` of a folder.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        let path = if path.is_dir() { path.join(SCENE_OF_FOLDER) } else { path.to_owned() };
        let file = path.display().to_string();
        let text = read(&path).map_err(|why| SceneError::without_place(&file, why.0, why.1))?;
        let mut document = Self::parse(&text, &file)?;
        document.saved = Some(text);
        document.path = Some(path);
        Ok(document)
    }

    /// Where it was opened from or last saved to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether the file holds what is shown.
    pub fn is_saved(&self) -> bool {
        self.saved.as_deref() == Some(&self.text)
    }

    /// Saves to where it was opened from.
    pub fn save(&mut self) -> Result<(), SceneError> {
        match self.path.clone() {
            Some(path) => self.save_as(&path),
            None => {
                let message = "this scene has never been saved, so it has no file";
                Err(SceneError::without_place(&self.file, message, Some("say where to save it".into())))
            }
        }
    }

    /// Saves to a file, which is the document's from then on.
    pub fn save_as(&mut self, path: &Path) -> Result<(), SceneError> {
        let file = path.display().to_string();
        write_atomically(path, self.text.as_bytes()).map_err(|error| {
            let help = "the scene is unchanged on disk; choose a folder that can be written to";
            SceneError::without_place(&file, format!("cannot save: {error}"), Some(help.into()))
        })?;
        self.saved = Some(self.text.clone());
        self.path = Some(path.to_owned());
        self.file = file;
        Ok(())
    }
}

fn read(path: &Path) -> Result<String, (String, Option<String>)> {
    let cannot = |error: io::Error| {
        let help = (error.kind() == io::ErrorKind::NotFound).then(|| "check the path".to_owned());
        (format!("cannot read it: {error}"), help)
    };
    let mut bytes = Vec::new();
    File::open(path).map_err(cannot)?.take(LARGEST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST_BYTES {
        return Err(("this is too large for a scene".into(), Some("meshes lie in files of their own".into())));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        (format!("this is not text: byte {at} is not UTF-8"), Some("scene files are UTF-8".into()))
    })
}

/// Writes beside the file, then puts the new one in its place. Links and permissions stay.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::Error::other("a folder is there")),
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(_) => None,
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut new = AtomicFile::create(&path)?;
    new.write_all(bytes)?;
    if let Some(permissions) = permissions {
        new.file().set_permissions(permissions)?;
    }
    new.commit()?;
    sync_folder(&folder)
}

/// Makes the new name last through a power cut, where folders can be synced.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}
