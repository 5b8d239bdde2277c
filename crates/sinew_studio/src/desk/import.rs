//! A mesh file from a page becomes a project of its own: its faults are looked at, it is put into the folder, meshed, and opened.

use super::adding::Part;
use super::build::BuildDone;
use super::folder::check_name;
use super::jobs::Told;
use super::opening::name_of;
use super::{Desk, DeskOrder, Refusal};
use crate::protocol::{Level, Notice};
use crate::scratch;
use sinew_bake::project::{MeshProject, from_mesh_in};
use sinew_geom::{SurfaceReport, TriangleMesh};
use sinew_io::Dir;
use sinew_scene::{Document, Unit};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Libraries of materials, pictures and buffers that came with a mesh.
pub(crate) type Beside = Vec<(String, tempfile::TempPath)>;

/// A file that a page sent.
pub(crate) struct Import {
    pub(crate) name: String,
    /// Where it was put for the time being; gone when dropped.
    pub(crate) file: tempfile::TempPath,
    /// Files that belong to it, with their names.
    pub(crate) beside: Beside,
    /// What it becomes in the open scene; none for a scene of its own.
    pub(crate) part: Option<Part>,
    /// The job's number, or why there is none.
    pub(crate) reply: oneshot::Sender<Result<u32, String>>,
}

/// A project that was made of it.
pub(crate) struct Imported {
    told: Told,
    outcome: Result<(Document, PathBuf, Vec<Notice>), String>,
}

/// The job of a scene that is being meshed.
pub(super) struct Meshing {
    told: Told,
    files: Vec<String>,
    notices: Vec<Notice>,
}

impl Desk {
    pub(super) fn import(&mut self, import: Import) {
        let Import { name, file, beside, part, reply } = import;
        let checked = check_file(&name).and_then(|()| check_beside(&name, &beside));
        let started = checked.and_then(|()| match part {
            None => self.start_import(name, file, beside),
            Some(part) => self.start_adding(name, file, beside, part),
        });
        let _ = reply.send(started.map_err(|refusal| refusal.what));
    }

    fn start_import(&mut self, name: String, file: tempfile::TempPath, beside: Beside) -> Result<u32, Refusal> {
        let told = self.jobs.begin_import(&format!("bringing in {name}"), "reading")?;
        let made = self.free_project(&name).inspect_err(|refusal| told.end(Err(refusal.what.clone())))?;
        let (folder, project) = made;
        let (id, own, own_told, home) = (told.id, self.own.clone(), told.clone(), self.folder.dir());
        let work = move || {
            let outcome = bring_in(&name, &file, &beside, project, &told);
            if outcome.is_err() || told.is_stopped() {
                let _ = home.remove_tree(&folder); // made for this file alone
            }
            let _ = own.send(DeskOrder::Imported(Box::new(Imported { told, outcome })));
        };
        if std::thread::Builder::new().name("import".into()).spawn(work).is_err() {
            own_told.end(Err("no thread could be started".to_owned()));
        }
        Ok(id)
    }

    /// A new folder named after the file, and its handle.
    fn free_project(&self, file: &str) -> Result<(String, Dir), Refusal> {
        let stem = file.split('.').next().unwrap_or("mesh");
        check_name(stem).map_err(|why| Refusal::new(why, ""))?;
        let names = std::iter::once(stem.to_owned()).chain((2..1000).map(|number| format!("{stem}-{number}")));
        for name in names {
            match self.folder.dir().make_new_dir(&name) {
                Ok(dir) => return Ok((name, dir)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let what = format!("no project can be made in {}: {error}", self.folder.home().display());
                    return Err(Refusal::new(what, "open a folder that you may write to"));
                }
            }
        }
        Err(Refusal::new(format!("there are too many projects called {stem}"), "rename the file"))
    }

    /// The project is there: it is opened, and the job goes on until it is meshed.
    pub(super) fn take_imported(&mut self, imported: Imported) {
        let Imported { told, outcome } = imported;
        match outcome {
            Err(why) => told.end(Err(why)),
            Ok(_) if told.is_stopped() => {}
            Ok((document, mesh, notices)) => {
                let _ = told.step("meshing", Some(0.0));
                self.builder.meshing = Some(told.clone());
                let path = document.path().map(Path::to_owned).unwrap_or_default();
                let files = [&path, &mesh].into_iter().filter_map(|file| self.folder.relative(file)).collect();
                self.take_document(name_of(&path), document, None);
                self.meshing = Some(Meshing { told, files, notices });
            }
        }
    }

    /// A build that an import waits for has ended.
    pub(super) fn end_meshing(&mut self, done: &BuildDone) {
        if done.scene_number() != self.builder.scene_number {
            return;
        }
        self.builder.meshing = None;
        if let Some(Meshing { told, files, notices }) = self.meshing.take() {
            match done.failure() {
                Some(why) => told.end(Err(why)),
                None => {
                    self.import_notices = notices;
                    told.end(Ok(files));
                }
            }
        }
    }
}

fn check_file(name: &str) -> Result<(), Refusal> {
    if name.contains('/') {
        return Err(Refusal::new(format!("{name:?} is no name of a file"), ""));
    }
    check_name(name).map_err(|why| Refusal::new(why, ""))
}

/// What may belong to a mesh, by the endings of names.
const BESIDE: [&str; 7] = ["mtl", "png", "jpg", "jpeg", "bin", "ele", "node"];

fn check_beside(mesh: &str, beside: &Beside) -> Result<(), Refusal> {
    for (name, _) in beside {
        check_file(name)?;
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
        if !BESIDE.contains(&ending.as_str()) || name == mesh {
            return Err(Refusal::new(format!("{name} is nothing that belongs to a mesh"), ""));
        }
    }
    Ok(())
}

/// A mesh and the files that belong to it in a folder of their own, under the names by which readers know them. Gone when dropped.
pub(super) struct Unpacked {
    folder: tempfile::TempDir,
    name: String,
}

impl Unpacked {
    pub(super) fn new(name: &str, file: &Path, beside: &Beside) -> Result<Self, String> {
        let no_room = |name: &str, error: &std::io::Error| format!("there is no room for {name}: {error}");
        let folder = scratch::folder().and_then(|folder| tempfile::Builder::new().prefix("import-").tempdir_in(folder));
        let folder = folder.map_err(|error| no_room(name, &error))?;
        let all = beside.iter().map(|(name, file)| (name.as_str(), &**file)).chain([(name, file)]);
        for (name, file) in all {
            std::fs::copy(file, folder.path().join(name)).map_err(|error| no_room(name, &error))?;
        }
        Ok(Self { folder, name: name.to_owned() })
    }

    pub(super) fn mesh(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

/// Reads the file, says what is wrong with it, and makes a project of it.
fn bring_in(
    name: &str,
    file: &Path,
    beside: &Beside,
    project: Dir,
    told: &Told,
) -> Result<(Document, PathBuf, Vec<Notice>), String> {
    let unpacked = Unpacked::new(name, file, beside)?;
    let made = from_mesh_in(&unpacked.mesh(), Unit::Metre, &project, false);
    drop(unpacked); // it is in assets/ now
    let MeshProject { mut document, surface, .. } = made.map_err(|error| sentence(&error, name))?;
    if told.step("looking for faults", None).is_break() {
        return Err("it was stopped".to_owned());
    }
    let body = document.scene().bodies.first().map(|body| body.name.clone()).unwrap_or_default();
    let found = surface.map(|surface| faults(&surface, &format!("body.{body}.skin")));
    let notices = found.unwrap_or_default();
    let mesh = project.path().join("assets").join(name);
    document.save_in(Arc::new(project), Path::new("scene.toml")).map_err(|error| error.to_string())?;
    Ok((document, mesh, notices))
}

/// What the flesh makes good of a surface's faults.
pub(super) fn faults(surface: &TriangleMesh, path: &str) -> Vec<Notice> {
    let report = SurfaceReport::of(surface);
    let faults = [
        (report.holes, "hole was closed", "holes were closed"),
        (
            report.turned_triangles,
            "triangle faced the wrong way and was turned",
            "triangles faced the wrong way and were turned",
        ),
        (report.crowded_edges.count, "edge has more than two triangles", "edges have more than two triangles"),
        (report.crossings.count, "triangle is cut by others", "triangles are cut by others"),
        (report.flat_triangles.count, "triangle has no area", "triangles have no area"),
        (report.loose_vertices.count, "vertex belongs to no triangle", "vertices belong to no triangle"),
    ];
    let notice = |(count, one, many): &(usize, &str, &str)| Notice {
        level: Level::Warning,
        path: Some(path.to_owned()),
        text: format!("{count} {}", if *count == 1 { one } else { many }),
        help: Some("the flesh fills the body all the same; look at it where it matters".to_owned()),
        actions: Vec::new(),
    };
    faults.iter().filter(|(count, ..)| *count > 0).map(notice).collect()
}

/// An error without the paths of this machine.
pub(super) fn sentence(error: &dyn std::error::Error, name: &str) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        below = cause.source();
    }
    let marker = format!("/{name}");
    match text.find(&marker) {
        Some(end) => {
            let start = text[..end].rfind(' ').map_or(0, |space| space + 1);
            text.replace_range(start..=end, "");
            text
        }
        None => text,
    }
}
