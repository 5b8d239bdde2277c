//! Opening and saving. A save is atomic: whatever happens, the file holds the old text or the new one.

use super::Document;
use crate::problem::SceneError;
use sinew_io::disk::{DirLock, read_regular, remedy};
use sinew_io::{AtomicFile, Dir};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Scenes are small; what is larger than this is some other file.
const LARGEST_BYTES: u64 = 16 << 20;
/// The scene of a project folder.
const SCENE_OF_FOLDER: &str = "scene.toml";

/// A file in a folder that is held open: links below it are not followed.
#[derive(Debug, Clone)]
pub(super) struct Place {
    dir: Arc<Dir>,
    name: PathBuf,
}

impl Place {
    fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }
}

impl Document {
    /// Opens a scene file, or the `scene.toml` of a folder. A file that is a link is followed; a folder's is not.
    pub fn open(path: &Path) -> Result<Self, SceneError> {
        if path.is_dir() {
            let dir = Dir::open(path).map_err(|error| unread(path, &error))?;
            return Self::open_in(Arc::new(dir), Path::new(SCENE_OF_FOLDER));
        }
        let text = read_regular(path, LARGEST_BYTES).map_err(|error| unread(path, &error))?;
        Self::opened(text, path)
    }

    /// Opens a scene file of a folder, and saves it there: no link below the folder is followed.
    pub fn open_in(dir: Arc<Dir>, name: &Path) -> Result<Self, SceneError> {
        let place = Place { dir, name: name.to_owned() };
        let path = place.path();
        let text = place.dir.read(name, LARGEST_BYTES).map_err(|error| unread(&path, &error))?;
        let mut document = Self::opened(text, &path)?;
        document.place = Some(place);
        Ok(document)
    }

    fn opened(bytes: Vec<u8>, path: &Path) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let what = format!("this is not text: byte {at} is not UTF-8");
            SceneError::without_place(&file, what, Some("scene files are UTF-8".into()))
        })?;
        let mut document = Self::parse(&text, &file)?;
        document.saved = Some(text);
        document.path = Some(path.to_owned());
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

    /// Whether the file holds something that was neither read from it nor saved to it here: another program wrote it since. A
    /// file that is gone holds nothing that could be lost.
    pub fn is_changed_on_disk(&self) -> bool {
        let there = match (&self.place, &self.path) {
            (Some(Place { dir, name }), _) => dir.read(name, LARGEST_BYTES),
            (None, Some(path)) => read_regular(path, LARGEST_BYTES),
            (None, None) => return false,
        };
        match there {
            Ok(there) => self.saved.as_deref().map(str::as_bytes) != Some(&there) && there != self.text.as_bytes(),
            // What cannot be read is not overwritten either: saving says why.
            Err(error) => error.kind() == io::ErrorKind::FileTooLarge,
        }
    }

    /// Saves to where it was opened from, unless another program wrote to the file since: then nothing is written.
    pub fn save_unless_changed(&mut self) -> Result<(), SceneError> {
        let _lock = self.lock();
        if self.is_changed_on_disk() {
            let message = "another program changed the file since it was read; nothing was written";
            return Err(SceneError::without_place(
                &self.file,
                message,
                Some("look at the change, then try again".into()),
            ));
        }
        self.save()
    }

    /// Keeps other programs of sinew from saving in the scene's folder until what is returned is dropped.
    pub fn lock(&self) -> Option<DirLock> {
        match &self.place {
            Some(Place { dir, name }) => dir.dir(name.parent()?).ok()?.lock().ok(),
            None => Dir::of(&fs::canonicalize(self.path.as_ref()?).ok()?).ok()?.0.lock().ok(),
        }
    }

    /// What the file holds is not what was edited here: saving is to be asked for.
    pub fn distrust_file(&mut self) {
        self.saved = None;
    }

    /// Saves to where it was opened from.
    pub fn save(&mut self) -> Result<(), SceneError> {
        match (self.place.clone(), self.path.clone()) {
            (Some(Place { dir, name }), _) => self.save_in(dir, &name),
            (None, Some(path)) => self.save_as(&path),
            (None, None) => {
                let message = "this scene has never been saved, so it has no file";
                Err(SceneError::without_place(&self.file, message, Some("say where to save it".into())))
            }
        }
    }

    /// Saves to a file, which is the document's from then on.
    pub fn save_as(&mut self, path: &Path) -> Result<(), SceneError> {
        write_atomically(path, self.text.as_bytes()).map_err(|error| unwritten(path, &error))?;
        self.saved_at(path, None);
        Ok(())
    }

    /// Saves to a file of a folder, which is the document's from then on. No link below the folder is followed.
    pub fn save_in(&mut self, dir: Arc<Dir>, name: &Path) -> Result<(), SceneError> {
        let place = Place { dir, name: name.to_owned() };
        let path = place.path();
        write_in(&place.dir, name, self.text.as_bytes()).map_err(|error| unwritten(&path, &error))?;
        self.saved_at(&path, Some(place));
        Ok(())
    }

    fn saved_at(&mut self, path: &Path, place: Option<Place>) {
        self.saved = Some(self.text.clone());
        self.path = Some(path.to_owned());
        self.file = path.display().to_string();
        self.place = place;
    }
}

fn unread(path: &Path, error: &io::Error) -> SceneError {
    let (message, help) = match error.kind() {
        io::ErrorKind::FileTooLarge => {
            ("this is too large for a scene".into(), Some("meshes lie in files of their own"))
        }
        io::ErrorKind::NotFound => (format!("cannot read it: {error}"), Some("check the path")),
        io::ErrorKind::PermissionDenied => (format!("cannot read it: {error}"), Some("ask for the right to read it")),
        _ => (format!("cannot read it: {error}"), Some("name a scene file, or a folder with a scene.toml in it")),
    };
    SceneError::without_place(path.display().to_string(), message, help.map(Into::into))
}

fn unwritten(path: &Path, error: &io::Error) -> SceneError {
    let how = match error.kind() {
        io::ErrorKind::PermissionDenied if path.exists() => {
            "allow it to be written (chmod u+w, for the file and its folder), or save under another name"
        }
        _ => remedy(error).unwrap_or("choose a folder that can be written to"),
    };
    let help = format!("the scene is unchanged on disk; {how}");
    SceneError::without_place(path.display().to_string(), format!("cannot save: {error}"), Some(help))
}

/// Writes beside the file, then puts the new one in its place. Links and permissions stay.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (dir, name) = Dir::of(&path)?;
    write_in(&dir, &name, bytes)
}

/// The same for a file of a folder: what is no regular file there, such as a link, is an error.
pub fn write_in(dir: &Dir, name: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = dir.dir(name.parent().unwrap_or(Path::new("")))?;
    let name = name.file_name().map(PathBuf::from).unwrap_or_default();
    if dir.dir(&name).is_ok() {
        return Err(io::Error::other("a folder is there"));
    }
    if dir.has(&name) {
        dir.file(&name)?;
    }
    let mut new = AtomicFile::create_in(dir, &name)?;
    new.write_all(bytes)?;
    new.commit_and_sync()
}
