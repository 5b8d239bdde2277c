//! Opening scenes: the first one, and others while the studio runs.

use super::autosave::Autosave;
use super::files::check_inside;
use super::{Desk, Done, Folder, Refusal};
use crate::runner::Order;
use sinew_io::Dir;
use sinew_io::disk::as_private_as;
use sinew_scene::nearest::did_you_mean;
use sinew_scene::{Document, builtin};
use std::path::{Path, PathBuf};

/// What the studio opens first.
pub struct Opening {
    /// What pages call the scene.
    pub name: String,
    /// A built-in scene has no path.
    pub document: Document,
    /// Files are opened and saved in here, and nowhere else.
    pub folder: PathBuf,
}

impl Desk {
    /// Opens a built-in scene, or a scene file of the folder. Unsaved work is kept first.
    pub(super) fn open_scene(&mut self, scene: &str) -> Done {
        let (name, document, builtin) = match builtin::find(scene) {
            Some(found) => {
                (found.name.to_owned(), Document::parse(found.toml, found.name)?, Some(found.name.to_owned()))
            }
            None => {
                let known = self
                    .folder
                    .file(scene)
                    .or_else(|why| self.folder.file(&format!("{scene}/scene.toml")).map_err(|_| why));
                known.map_err(|why| self.unknown_scene(scene, &why))?;
                let name = if scene.ends_with(".toml") { scene.to_owned() } else { format!("{scene}/scene.toml") };
                let document = Document::open_in(self.folder.dir(), Path::new(&name)).map_err(Refusal::of_file)?;
                check_inside(&self.folder, &document)?;
                (name_of(document.path().unwrap_or(Path::new(scene))), document, None)
            }
        };
        self.take_document(name, document, builtin);
        Ok(())
    }

    /// Another document takes the place of this one.
    pub(super) fn take_document(&mut self, name: String, document: Document, builtin: Option<String>) {
        self.end_gesture();
        self.autosave.keep_now(&self.document);
        // Given back first: the next scene may be the same one.
        self.autosave.release();
        self.autosave = Autosave::of(&document, builtin.as_deref(), self.state_folder.as_deref(), self.folder.home());
        as_private_as(document.path());
        (self.name, self.document, self.builtin) = (name, document, builtin);
        (self.file_seen, self.is_changed_outside) = (None, false);
        self.notices.clear();
        self.import_notices.clear();
        self.meshing = None;
        self.takes.find(takes_of(&self.folder, &self.document));
        self.on_stage = None;
        let _ = self.stage.send(Order::Stop);
        self.builder.scene_number += 1;
        self.tell_gallery();
        self.follow();
    }

    fn unknown_scene(&self, scene: &str, why: &str) -> Refusal {
        let names: Vec<&str> = builtin::scenes().iter().map(|known| known.name).collect();
        let what = format!("{scene:?} is neither a built-in scene nor a file that can be opened: {why}");
        Refusal::new(what, &did_you_mean(scene, &names))
    }
}

/// The `takes/` of a document's project, if it has one that is a folder and no link.
pub(super) fn takes_of(folder: &Folder, document: &Document) -> Option<Dir> {
    document.path()?;
    folder.dir().dir(folder.project_name(document.path()).join("takes")).ok()
}

/// What a scene file is called: after its folder, if it is the folder's scene.
pub(super) fn name_of(path: &Path) -> String {
    let text = |name: Option<&std::ffi::OsStr>| name.map(|name| name.to_string_lossy().into_owned());
    let stem = text(path.file_stem()).unwrap_or_default();
    if stem == "scene" { text(path.parent().and_then(Path::file_name)).unwrap_or(stem) } else { stem }
}
