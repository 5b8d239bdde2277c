//! A mesh file from a page becomes part of the open scene: another body, or an obstacle.

use super::jobs::Told;
use super::{Desk, DeskOrder, Refusal};
use crate::desk::import::{Beside, Unpacked, faults, sentence};
use crate::http::LARGEST_IMPORT_BYTES;
use crate::protocol::{AddedPart, Notice};
use serde_json::{Value, json};
use sinew_bake::project::{DROP_SHARE, from_mesh_in};
use sinew_io::Dir;
use sinew_scene::{Body, Command, Scene, Unit};
use std::io;
use std::path::{Path, PathBuf};

/// What a mesh becomes in the open scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Obstacle,
}

/// A mesh that lies in the project, and the body that it would be.
pub(crate) struct Added {
    told: Told,
    part: Part,
    outcome: Result<Brought, String>,
}

struct Brought {
    body: Body,
    size_m: f64,
    file: String,
    faults: Vec<Notice>,
}

impl Desk {
    /// Puts the file into the project beside the open scene, on a thread of its own.
    pub(super) fn start_adding(
        &mut self,
        name: String,
        file: tempfile::TempPath,
        beside: Beside,
        part: Part,
    ) -> Result<u32, Refusal> {
        if self.document.path().is_none() {
            return Err(Refusal::new("save the scene first: its meshes lie beside it", ""));
        }
        let project = self.folder.dir().dir(self.folder.project_name(self.document.path()));
        let project =
            project.map_err(|error| Refusal::new(format!("the scene's folder cannot be opened: {error}"), ""))?;
        let told = self.jobs.begin_import(&format!("adding {name}"), "reading")?;
        let (id, own, own_told) = (told.id, self.own.clone(), told.clone());
        let work = move || {
            let outcome = bring_beside(&name, &file, &beside, &project, &told);
            let _ = own.send(DeskOrder::Added(Box::new(Added { told, part, outcome })));
        };
        if std::thread::Builder::new().name("import".into()).spawn(work).is_err() {
            own_told.end(Err("no thread could be started".to_owned()));
        }
        Ok(id)
    }

    /// The mesh is there: it is added beside what is on stage, as one step of the history.
    pub(super) fn take_added(&mut self, added: Added) {
        let Added { told, part, outcome } = added;
        let brought = match outcome {
            _ if told.is_stopped() => return,
            Err(why) => return told.end(Err(why)),
            Ok(brought) => brought,
        };
        let Brought { mut body, size_m, file, faults } = brought;
        let scene = self.document.scene();
        body.name = free_name(scene, part, &body.name);
        body.at[0] = rounded(body.at[0] + self.right_of_bodies() + 0.6 * size_m, size_m);
        let (list, value) = match part {
            Part::Body => ("body", serde_json::to_value(&body).unwrap_or_default()),
            Part::Obstacle => ("obstacle", obstacle(&body, size_m)),
        };
        let add = Command::Add { to: list.to_owned(), value, index: None, name: None };
        let label = Some(format!("add {}", body.name));
        match self.edit(&Command::Batch { label, commands: vec![add] }) {
            Err(refusal) => told.end(Err(refusal.what)),
            Ok(()) => {
                let path = format!("{list}.{}", body.name);
                let faults = faults.into_iter().map(|notice| Notice { path: Some(path.clone()), ..notice });
                self.import_notices.extend(faults);
                self.notices.extend(self.import_notices.clone());
                told.end_with(Ok(vec![self.in_project(&file)]), Some(AddedPart { path, size_m }));
                self.tell();
            }
        }
    }

    /// Where the bodies on stage end, along x.
    fn right_of_bodies(&self) -> f64 {
        let Some(on_stage) = &self.on_stage else { return 0.0 };
        let ends = on_stage.seating.iter().map(|seat| {
            let source = on_stage.scene.bodies.iter().find(|body| seat.name.starts_with(&body.name));
            source.map_or(0.0, |body| body.at[0]) + seat.canvas.flesh().rest.iter().map(|x| x.x).fold(0.0, f64::max)
        });
        ends.reduce(f64::max).unwrap_or(0.0)
    }
}

/// The mesh of a body as an obstacle that stands on the ground.
fn obstacle(body: &Body, size_m: f64) -> Value {
    let skin = serde_json::to_value(&body.skin).unwrap_or_default();
    let [x, y, z] = body.at;
    // A body begins a little over the ground.
    json!({
        "name": body.name, "shape": "mesh", "mesh": skin["mesh"], "unit": skin["unit"], "up": skin["up"],
        "at": [x, rounded(y - DROP_SHARE * size_m, size_m), z],
    })
}

/// To four digits of the size.
fn rounded(place: f64, size_m: f64) -> f64 {
    let step = 10f64.powf(size_m.max(f64::MIN_POSITIVE).log10().floor() - 3.0);
    let steps = (place / step).round();
    // Whole numbers of a step are divided, so that they come out short.
    if step < 1.0 { steps / (1.0 / step).round() + 0.0 } else { steps * step + 0.0 }
}

/// `cow`, or `cow-2` where there is one.
fn free_name(scene: &Scene, part: Part, stem: &str) -> String {
    let taken = |name: &String| match part {
        Part::Body => scene.bodies.iter().any(|body| body.name == *name),
        Part::Obstacle => scene.obstacles.iter().any(|obstacle| obstacle.name.as_ref() == Some(name)),
    };
    let mut names = std::iter::once(stem.to_owned()).chain((2..).map(|number| format!("{stem}-{number}")));
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// Reads the file, puts it into the project's assets under a name that is free there, and says what is wrong with it.
fn bring_beside(name: &str, file: &Path, beside: &Beside, project: &Dir, told: &Told) -> Result<Brought, String> {
    let free = free_asset(name, file, project).map_err(|error| format!("{name} cannot be read: {error}"))?;
    let unpacked = Unpacked::new(&free, file, beside)?;
    let made = from_mesh_in(&unpacked.mesh(), Unit::Metre, project, false).map_err(|error| sentence(&error, name))?;
    if told.step("looking for faults", None).is_break() {
        return Err("it was stopped".to_owned());
    }
    let body = made.document.scene().bodies.first().cloned().ok_or("the file holds no body")?;
    let faults = made.surface.map(|surface| faults(&surface, &format!("body.{}.skin", body.name))).unwrap_or_default();
    let file = PathBuf::from("assets").join(free).to_string_lossy().into_owned();
    Ok(Brought { body, size_m: made.size_m, file, faults })
}

/// The name itself where nothing, or the same file, is there; else one with a number.
fn free_asset(name: &str, file: &Path, project: &Dir) -> io::Result<String> {
    let bytes = std::fs::read(file)?;
    let (stem, ending) = name.split_once('.').unwrap_or((name, ""));
    let mut names = std::iter::once(name.to_owned()).chain((2..1000).map(|number| format!("{stem}-{number}.{ending}")));
    let is_free = |name: &String| {
        let asset = Path::new("assets").join(name);
        !project.has(&asset) || project.read(&asset, LARGEST_IMPORT_BYTES).is_ok_and(|there| there == bytes)
    };
    Ok(names.find(is_free).unwrap_or_else(|| name.to_owned()))
}
