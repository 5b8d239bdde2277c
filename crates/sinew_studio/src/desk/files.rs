//! Saving, recovering, and which files a scene may name.

use super::autosave::Autosave;
use super::copying::Copies;
use super::folder::check_name;
use super::opening::name_of;
use super::{Desk, Done, Folder, Refusal};
use crate::protocol::{Command as Asked, Event, Level, Notice};
use sinew_bake::assets::Assets;
use sinew_scene::model::{ObstacleShape, PartSkin};
use sinew_scene::{Command, Document, Flesh, Scene, SceneError, Skin};
use std::path::Path;
use tokio::sync::mpsc;

impl Desk {
    /// Looks whether another program wrote to the scene's file. Whether that is new.
    pub(super) fn look_for_changes(&mut self) -> bool {
        let found = self.document.path().and_then(|path| std::fs::metadata(path).ok());
        let now = found.and_then(|found| Some((found.len(), found.modified().ok()?)));
        if now == self.file_seen && !self.is_changed_outside {
            return false;
        }
        self.file_seen = now;
        let is_changed = self.document.is_changed_on_disk();
        std::mem::replace(&mut self.is_changed_outside, is_changed) != is_changed
    }

    pub(super) fn changed_notice(&self) -> Option<Notice> {
        let file = self.document.path()?.file_name()?.to_string_lossy().into_owned();
        self.is_changed_outside.then(|| Notice {
            level: Level::Warning,
            path: None,
            text: format!("{file} was changed by another program; what is shown is older"),
            help: Some("open the scene again to see that change; saving asks before it is overwritten".to_owned()),
            actions: Vec::new(),
        })
    }

    /// Saves the scene to its file. Where another program wrote to it since, the page is asked first.
    pub(super) fn save(&mut self, overwrite: bool, reply: &mpsc::Sender<Event>) -> Done {
        let Some(path) = self.document.path() else {
            return Err(Refusal::new("choose a name", "this scene has no file yet"));
        };
        let _lock = self.document.lock();
        if !overwrite && self.document.is_changed_on_disk() {
            let files = vec![self.folder.relative(path).unwrap_or_else(|| self.name.clone())];
            let _ = reply.try_send(Event::Exists { files, again: Asked::Save { overwrite: true } });
            return Ok(());
        }
        self.end_gesture();
        self.document.save()?;
        tracing::info!(path = ?self.document.path(), "saved");
        self.autosave.discard();
        self.is_changed_outside = false;
        self.tell();
        Ok(())
    }

    /// Saves under another name: a file, or a new project folder where the name has no ending.
    pub(super) fn save_as(&mut self, file: &str, reply: &mpsc::Sender<Event>) -> Done {
        let name = if file.ends_with(".toml") { file.to_owned() } else { format!("{file}/scene.toml") };
        let outside = |why: String| Refusal::new(format!("cannot save as {file:?}: {why}"), "choose another name");
        let path = self.folder.place(&name).map_err(outside)?;
        if self.folder.dir().has(&name) {
            let real = |path: &Path| path.canonicalize().ok();
            let is_own = self.document.path().is_some_and(|own| real(own) == real(&path));
            let taken = || Refusal::new(format!("{name} exists already"), "choose another name");
            return if is_own { self.save(false, reply) } else { Err(taken()) };
        }
        self.end_gesture();
        let unwritable = |error: std::io::Error| {
            Refusal::new(
                format!("cannot save as {file:?}: {error}"),
                "choose another name, in a folder that you may write to",
            )
        };
        let home = self.folder.dir();
        let project = Path::new(&name).parent().unwrap_or(Path::new(""));
        let old_project = home.dir(self.folder.project_name(self.document.path())).map_err(unwritable)?;
        let there = home.dir(project).ok();
        let to = self.folder.home().join(project);
        let copies = Copies::plan(self.document.scene(), &old_project, (&to, there.as_ref()))?;
        let project = home.make_dir(project).map_err(unwritable)?;
        copies.carry_out(&old_project, &project).map_err(unwritable)?;
        let assets = Assets::of(project.path()).copy_named(self.document.text(), &Assets::of(old_project.path()));
        assets.map_err(|error| Refusal::new(format!("cannot save as {file:?}: {error}"), error.help()))?;
        for body in self.on_stage.iter().flat_map(|on_stage| &on_stage.seating) {
            body.shelf.move_to(project.path());
        }
        self.document.save_in(home, Path::new(&name))?;
        self.autosave.discard();
        self.builtin = None;
        self.name = name_of(&path);
        self.autosave.release();
        self.autosave = Autosave::of(&self.document, None, self.state_folder.as_deref(), self.folder.home());
        self.tell_gallery(); // first: who hears that it is saved finds it there
        self.tell();
        Ok(())
    }

    /// Takes back what an earlier run left, as one step of the history, or throws it away.
    pub(super) fn recover(&mut self, keep: bool) -> Done {
        let Some(text) = self.autosave.found().map(str::to_owned) else {
            return Err(Refusal::new("there is nothing to recover", ""));
        };
        self.end_gesture();
        if keep {
            let before = self.document.clone();
            self.autosave.bring_assets(&text);
            self.document.replace("recover unsaved work", &text)?;
            // Whoever packed the project may have written it.
            if let Err(error) = check_inside(&self.folder, &self.document) {
                self.document = before;
                return Err(error.into());
            }
            if self.is_file_newer_than_found() {
                self.document.distrust_file();
            }
            // It is on the disk in its new place before it goes from the old one.
            self.autosave.keep_now(&self.document);
        }
        self.autosave.drop_found();
        if keep {
            self.follow();
        } else {
            self.tell();
        }
        Ok(())
    }

    /// Whether the scene was saved after the unsaved work that was found.
    fn is_file_newer_than_found(&self) -> bool {
        let saved_at = self.document.path().and_then(|path| path.metadata().ok()?.modified().ok());
        saved_at.zip(self.autosave.found_at()).is_some_and(|(saved_at, kept_at)| saved_at > kept_at)
    }

    /// Carries out an edit of a page, unless the scene would name files it may not read.
    pub(super) fn check_meshes(
        &mut self,
        command: &Command,
        edit: impl Fn(&mut Document, &Command) -> Result<(), SceneError>,
    ) -> Done {
        if !mentions_mesh(command) {
            return Ok(edit(&mut self.document, command)?);
        }
        let known: Vec<String> = meshes(self.document.scene()).into_iter().map(|(_, mesh)| mesh.to_owned()).collect();
        let before = self.document.clone();
        edit(&mut self.document, command)?;
        let foreign = meshes(self.document.scene()).into_iter().find_map(|(path, mesh)| {
            let why = if known.iter().any(|known| known == mesh) { None } else { self.foreign(mesh) };
            Some((path, mesh.to_owned(), why?))
        });
        match foreign {
            None => Ok(()),
            Some((path, mesh, why)) => {
                self.document = before;
                let what = format!("{mesh:?} cannot be the mesh: {why}");
                Err(Refusal {
                    path: Some(path),
                    ..Refusal::new(what, "import the file: drop it on the page, or copy it into the folder")
                })
            }
        }
    }

    /// Why a mesh that a page names is out of bounds.
    fn foreign(&self, mesh: &str) -> Option<String> {
        check_name(mesh).err().or_else(|| self.folder.file(&self.in_project(mesh)).err())
    }
}

/// A mesh comes into a scene by a key of that name, in the path or the value.
fn mentions_mesh(command: &Command) -> bool {
    serde_json::to_string(command).is_ok_and(|text| text.contains("mesh"))
}

/// Every mesh file a scene names, and where.
pub(super) fn meshes(scene: &Scene) -> Vec<(String, &str)> {
    let mut all = Vec::new();
    for body in &scene.bodies {
        match &body.skin {
            Skin::Mesh(mesh) => all.push((format!("body.{}.skin", body.name), mesh.mesh.as_str())),
            Skin::Parts(parts) => {
                for (number, part) in parts.parts.iter().enumerate() {
                    if let PartSkin::Mesh(mesh) = &part.skin {
                        all.push((format!("body.{}.skin.parts[{number}]", body.name), mesh.mesh.as_str()));
                    }
                }
            }
            Skin::Model(_) => {}
        }
        if let Flesh::Mesh(mesh) = &body.flesh {
            all.push((format!("body.{}.flesh", body.name), mesh.mesh.as_str()));
        }
    }
    for (number, obstacle) in scene.obstacles.iter().enumerate() {
        if let ObstacleShape::Mesh { mesh, .. } = &obstacle.shape {
            let name = obstacle.name.clone().unwrap_or_else(|| number.to_string());
            all.push((format!("obstacle.{name}"), mesh.as_str()));
        }
    }
    all
}

/// Whether every mesh of a scene file lies in the opened folder.
pub(super) fn check_inside(folder: &Folder, document: &Document) -> Result<(), SceneError> {
    let project = folder.project_of(document.path());
    match meshes(document.scene()).into_iter().find(|(_, mesh)| !folder.holds(&project, mesh)) {
        None => Ok(()),
        Some((path, mesh)) => {
            let what = format!("{mesh:?} lies outside of the opened folder, and the studio reads no file there");
            let help = "copy the file into the scene's folder and name it there, such as mesh = \"assets/body.obj\"";
            Err(document.problem_at(&path, what, Some(help.to_owned())))
        }
    }
}
