//! Named takes: runs that were kept, to be shown beside the live bodies, exported and drawn. They lie in the project's
//! `takes/`; those of a scene that was never saved in a folder that goes with the studio.

use super::folder::check_name;
use super::{Desk, DeskOrder, Done, OnStage, Refusal};
use crate::board::Board;
use crate::protocol::{Event, TakeInfo, Takes};
use crate::runner::{Order, ShownTake, Snapshot};
use crate::welcome::Welcome;
use crate::wire;
use axum::body::Bytes;
use sinew_bake::take::{BodyHeader, FrameView, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

pub(super) struct KeptTakes {
    board: Arc<Board>,
    /// Where takes of a scene without a folder are.
    scratch: Option<tempfile::TempDir>,
    kept: BTreeMap<String, Kept>,
    shown: Option<String>,
    instead: bool,
}

struct Kept {
    file: PathBuf,
    frames: u32,
}

/// A run on its way to be kept.
pub(crate) struct KeptRun {
    name: String,
    snapshot: Option<Snapshot>,
    reply: mpsc::Sender<Event>,
}

impl KeptTakes {
    pub(super) fn new(board: Arc<Board>) -> Self {
        Self { board, scratch: None, kept: BTreeMap::new(), shown: None, instead: false }
    }

    /// The file of a take.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf, Refusal> {
        let kept = self.kept.get(name);
        kept.map(|kept| kept.file.clone()).ok_or_else(|| Refusal::new(format!("there is no take {name:?}"), ""))
    }

    /// Forgets the takes of another scene and finds those of this project.
    pub(super) fn find(&mut self, project: Option<&Path>) {
        /// More takes than anyone compares.
        const MOST: usize = 200;
        (self.shown, self.instead) = (None, false);
        self.kept.clear();
        let folder = project.map(|project| project.join("takes"));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
        for entry in entries.take(MOST) {
            let file = entry.path();
            let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if file.extension().is_none_or(|extension| extension != "take") || check_name(&name).is_err() {
                continue;
            }
            if let Some(frames) = TakeReader::open(&file).ok().and_then(|take| take.frames()) {
                self.kept.insert(name, Kept { file, frames: frames.count() as u32 });
            }
        }
        self.tell();
    }

    /// Another stage is shown, and no take beside it.
    pub(super) fn hide(&mut self) {
        if self.shown.take().is_some() {
            self.instead = false;
            self.tell();
        }
    }

    fn tell(&self) {
        let info = |(name, kept): (&String, &Kept)| TakeInfo { name: name.clone(), frames: kept.frames };
        self.board.takes.send_replace(Takes {
            names: self.kept.iter().map(info).collect(),
            shown: self.shown.clone(),
            instead: self.instead,
        });
    }
}

impl Desk {
    /// Asks the stage for what it has recorded; the answer comes back as a [`KeptRun`].
    pub(super) fn keep_take(&mut self, name: String, reply: mpsc::Sender<Event>) -> Done {
        if name.contains('/') {
            return Err(Refusal::new(format!("{name:?} is no name of a take"), "leave the / out"));
        }
        check_name(&name).map_err(|why| Refusal::new(format!("no take can be called so: {why}"), ""))?;
        let own = self.own.clone();
        let answer = move |snapshot| {
            let _ = own.send(DeskOrder::Kept(Box::new(KeptRun { name, snapshot, reply })));
        };
        let _ = self.stage.send(Order::Snapshot(Box::new(answer)));
        Ok(())
    }

    /// Writes a run to its file.
    pub(super) fn take_kept(&mut self, run: KeptRun) {
        let KeptRun { name, snapshot, reply } = run;
        if let Err(refusal) = self.write_take(&name, snapshot) {
            let _ = reply.try_send(refusal.told());
        }
    }

    fn write_take(&mut self, name: &str, snapshot: Option<Snapshot>) -> Done {
        let snapshot = snapshot.ok_or_else(|| {
            Refusal::new("the run is too long to be kept whole", "play a shorter range and keep that")
        })?;
        let on_stage =
            self.on_stage.as_ref().ok_or_else(|| Refusal::new("the stage is being made anew", "try again"))?;
        let header = TakeHeader {
            scene_text: on_stage.text.clone(),
            meshes: on_stage.mesh_hashes.clone(),
            sinew_version: env!("CARGO_PKG_VERSION").to_owned(),
            clock: sinew_bake::clock(&on_stage.scene),
            bodies: body_headers(&snapshot.welcome),
        };
        let cannot = |error: &dyn std::fmt::Display| Refusal::new(format!("the take could not be kept: {error}"), "");
        let folder = self.takes_folder().map_err(|error| cannot(&error))?;
        std::fs::create_dir_all(&folder).map_err(|error| cannot(&error))?;
        let file = folder.join(format!("{name}.take"));
        write(&file, &header, &snapshot).map_err(|error| cannot(&error))?;
        let frames = snapshot.frames.len() as u32;
        self.takes.kept.insert(name.to_owned(), Kept { file, frames });
        self.takes.tell();
        Ok(())
    }

    /// `takes/` of the project, or a folder of this run.
    fn takes_folder(&mut self) -> std::io::Result<PathBuf> {
        match self.document.path().and_then(Path::parent) {
            Some(project) => Ok(project.join("takes")),
            None => {
                let scratch = match self.takes.scratch.take() {
                    Some(scratch) => scratch,
                    None => tempfile::Builder::new().prefix("sinew-takes-").tempdir()?,
                };
                Ok(self.takes.scratch.insert(scratch).path().to_owned())
            }
        }
    }

    pub(super) fn show_take(&mut self, name: Option<String>, instead: bool) -> Done {
        let shown = match &name {
            Some(name) => Some(self.load_take(name, instead)?),
            None => None,
        };
        (self.takes.shown, self.takes.instead) = (name, instead);
        let _ = self.stage.send(Order::ShowTake(shown));
        self.takes.tell();
        Ok(())
    }

    fn load_take(&self, name: &str, instead: bool) -> Result<ShownTake, Refusal> {
        let cannot =
            |error: &dyn std::fmt::Display| Refusal::new(format!("take {name:?} cannot be shown: {error}"), "");
        let reader = TakeReader::open(self.takes.file(name)?).map_err(|error| cannot(&error))?;
        let bodies = |header: &[BodyHeader]| -> Vec<(String, u32)> {
            header.iter().map(|body| (body.name.clone(), body.point_count)).collect()
        };
        let known = self.on_stage.as_ref().map(OnStage::bodies);
        if known.as_ref() != Some(&bodies(&reader.header().bodies)) {
            return Err(Refusal::new(
                format!("take {name:?} is of other bodies than those on stage"),
                "open the scene it was made with",
            ));
        }
        let frames = reader.frames().ok_or_else(|| cannot(&"it has no frames"))?;
        let first_frame = *frames.start();
        let mut view = FrameView::default();
        let read = |frame: i32| -> Result<Bytes, Refusal> {
            reader.read_frame(frame, &mut view).map_err(|error| cannot(&error))?;
            Ok(wire::take_frame(&view))
        };
        let frames: Result<Vec<Bytes>, Refusal> = frames.map(read).collect();
        Ok(ShownTake { first_frame, frames: Arc::new(frames?), instead })
    }

    pub(super) fn drop_take(&mut self, name: &str) -> Done {
        let file = self.takes.file(name)?;
        if self.takes.shown.as_deref() == Some(name) {
            self.show_take(None, false)?;
        }
        std::fs::remove_file(&file)
            .map_err(|error| Refusal::new(format!("take {name:?} cannot be removed: {error}"), ""))?;
        self.takes.kept.remove(name);
        self.takes.tell();
        Ok(())
    }
}

fn body_headers(welcome: &Welcome) -> Vec<BodyHeader> {
    let one = |body: &crate::ShownBody| BodyHeader {
        name: body.name.clone(),
        point_count: body.flesh.point_count() as u32,
        model: body.flesh.digest(),
    };
    welcome.bodies.iter().map(one).collect()
}

fn write(file: &Path, header: &TakeHeader, run: &Snapshot) -> Result<(), sinew_bake::take::TakeError> {
    let mut writer = TakeWriter::create(file, header, TakeOptions::default())?;
    for (frame, state) in (run.first_frame..).zip(&run.states) {
        writer.frame(frame, state)?;
    }
    writer.finish()?;
    Ok(())
}
