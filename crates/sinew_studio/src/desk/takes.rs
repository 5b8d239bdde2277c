//! Named takes: runs that were kept, to be shown beside the live bodies, exported and drawn. They lie in the project's
//! `takes/`; those of a scene that was never saved in a folder that goes with the studio.

use super::folder::check_name;
use super::{Desk, DeskOrder, Done, OnStage, Refusal};
use crate::board::Board;
use crate::protocol::{Command, Event, TakeInfo, Takes};
use crate::runner::{Frames, Order, Shapes, ShownTake};
use crate::scratch;
use crate::wire;
use axum::body::Bytes;
use sinew_bake::Run;
use sinew_bake::take::{BodyHeader, FrameView, TakeError, TakeOptions, TakeReader};
use sinew_io::Dir;
use sinew_math::DVec3;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::mpsc;

pub(super) struct KeptTakes {
    board: Arc<Board>,
    /// Where takes of a scene without a folder are.
    scratch: Option<tempfile::TempDir>,
    kept: BTreeMap<String, Kept>,
    shown: Option<String>,
    instead: bool,
    /// The project's folder of takes, and what was seen in it last.
    folder: Option<Arc<Dir>>,
    seen: Vec<(PathBuf, u64, Option<SystemTime>)>,
}

struct Kept {
    /// The folder it lies in, and its name there.
    dir: Arc<Dir>,
    file: PathBuf,
    frames: u32,
}

impl Kept {
    fn read(&self) -> Result<TakeReader, TakeError> {
        let path = self.dir.path().join(&self.file);
        let file = self.dir.file(&self.file).map_err(|source| TakeError::Open { path: path.clone(), source })?;
        TakeReader::from_file(file, &path)
    }
}

/// A run on its way to be kept.
pub(crate) struct KeptRun {
    name: String,
    run: Box<Run>,
    reply: mpsc::Sender<Event>,
}

impl KeptTakes {
    pub(super) fn new(board: Arc<Board>) -> Self {
        let (kept, seen) = (BTreeMap::new(), Vec::new());
        Self { board, scratch: None, kept, shown: None, instead: false, folder: None, seen }
    }

    fn get(&self, name: &str) -> Result<&Kept, Refusal> {
        self.kept.get(name).ok_or_else(|| Refusal::new(format!("there is no take {name:?}"), ""))
    }

    /// A take, opened where it was found: a link in its place is not followed.
    pub(super) fn reader(&self, name: &str) -> Result<TakeReader, Refusal> {
        let cannot = |error: TakeError| Refusal::new(format!("take {name:?} cannot be read: {error}"), "");
        self.get(name)?.read().map_err(cannot)
    }

    /// Names and frames of what a take holds.
    pub(super) fn header(&self, name: &str) -> Result<(Vec<String>, RangeInclusive<i32>), Refusal> {
        let reader = self.reader(name)?;
        let names = reader.header().bodies.iter().map(|body| body.name.clone()).collect();
        Ok((names, reader.frames().unwrap_or(1..=1)))
    }

    /// Forgets the takes of another scene and finds those of this project.
    pub(super) fn find(&mut self, folder: Option<Dir>) {
        (self.shown, self.instead) = (None, false);
        (self.kept, self.seen) = (BTreeMap::new(), Vec::new());
        self.folder = folder.map(Arc::new);
        self.read_folder();
    }

    /// Takes that other programs brought, changed or took away since. Whether the one that is shown is gone.
    pub(super) fn look_again(&mut self, folder: Option<Dir>) -> bool {
        if self.folder.is_none() {
            self.folder = folder.map(Arc::new);
        }
        let was_shown = self.shown.is_some();
        if self.listed() != self.seen {
            self.read_folder();
        }
        was_shown && self.shown.is_none()
    }

    /// What is in the folder: names, sizes and times.
    fn listed(&self) -> Vec<(PathBuf, u64, Option<SystemTime>)> {
        /// More takes than anyone compares.
        const MOST: usize = 200;
        let Some(dir) = &self.folder else { return Vec::new() };
        let entries = std::fs::read_dir(dir.path()).into_iter().flatten().flatten().take(MOST);
        let entry = |entry: std::fs::DirEntry| {
            let found = entry.metadata().ok();
            let time = found.as_ref().and_then(|found| found.modified().ok());
            (PathBuf::from(entry.file_name()), found.map_or(0, |found| found.len()), time)
        };
        let mut listed: Vec<_> = entries.map(entry).collect();
        listed.sort();
        listed
    }

    /// Reads what is new or changed in the folder. Takes that lie elsewhere, of a scene that was never saved, stay.
    fn read_folder(&mut self) {
        let now = self.listed();
        let before = std::mem::replace(&mut self.seen, now);
        if let Some(dir) = self.folder.clone() {
            let is_known =
                |kept: &Kept| kept.dir.path() != dir.path() || self.seen.iter().any(|(file, ..)| *file == kept.file);
            self.kept.retain(|_, kept| is_known(kept));
            for (file, ..) in self.seen.clone().into_iter().filter(|entry| !before.contains(entry)) {
                let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                if file.extension().is_none_or(|extension| extension != "take") || check_name(&name).is_err() {
                    continue;
                }
                let mut kept = Kept { dir: dir.clone(), file, frames: 0 };
                self.kept.remove(&name);
                if let Some(frames) = kept.read().ok().and_then(|take| take.frames()) {
                    kept.frames = frames.count() as u32;
                    self.kept.insert(name, kept);
                }
            }
        }
        if self.shown.as_ref().is_some_and(|shown| !self.kept.contains_key(shown)) {
            (self.shown, self.instead) = (None, false);
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
    pub(super) fn keep_take(&mut self, name: String, overwrite: bool, reply: mpsc::Sender<Event>) -> Done {
        if name.contains('/') {
            return Err(Refusal::new(format!("{name:?} is no name of a take"), "leave the / out"));
        }
        check_name(&name).map_err(|why| Refusal::new(format!("no take can be called so: {why}"), ""))?;
        let alike = |known: &&String| **known != name && known.to_lowercase() == name.to_lowercase();
        if let Some(known) = self.takes.kept.keys().find(alike) {
            let what = format!("there is a take {known:?}, and many disks take {name:?} for the same");
            return Err(Refusal::new(what, "choose another name"));
        }
        let taken = self.takes_folder().is_ok_and(|dir| dir.has(file_of(&name)));
        if taken && !overwrite {
            let again = Command::KeepTake { name: name.clone(), overwrite: true };
            let _ = reply.try_send(Event::Exists { files: vec![name], again });
            return Ok(());
        }
        let own = self.own.clone();
        let answer = move |run| {
            let _ = own.send(DeskOrder::Kept(Box::new(KeptRun { name, run, reply })));
        };
        let _ = self.stage.send(Order::Snapshot(Box::new(answer)));
        Ok(())
    }

    /// Writes a run to its file.
    pub(super) fn take_kept(&mut self, run: KeptRun) {
        let KeptRun { name, run, reply } = run;
        if let Err(refusal) = self.write_take(&name, &run) {
            let _ = reply.try_send(refusal.told());
        }
    }

    fn write_take(&mut self, name: &str, run: &Run) -> Done {
        if run.first_missing().is_some() {
            return Err(Refusal::new("the run is too long to be kept whole", "play a shorter range and keep that"));
        }
        let cannot = |error: &dyn std::fmt::Display| Refusal::new(format!("the take could not be kept: {error}"), "");
        let folder = self.takes_folder().map_err(|error| cannot(&error))?;
        let file = file_of(name);
        let totals = run.write(&folder, &file, TakeOptions::default()).map_err(|error| cannot(&error))?;
        let frames = totals.frames as u32;
        self.takes.kept.insert(name.to_owned(), Kept { dir: Arc::new(folder), file, frames });
        self.takes.tell();
        Ok(())
    }

    /// `takes/` of the project, or a folder of this run.
    fn takes_folder(&mut self) -> std::io::Result<Dir> {
        if self.document.path().is_some() {
            return self.folder.dir().make_dir(self.folder.project_name(self.document.path()).join("takes"));
        }
        let scratch = match self.takes.scratch.take() {
            Some(scratch) => scratch,
            None => tempfile::Builder::new().prefix("takes-").tempdir_in(scratch::folder()?)?,
        };
        Dir::open(self.takes.scratch.insert(scratch).path())
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
        let reader = self.takes.get(name)?.read().map_err(|error| cannot(&error))?;
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

    /// Where a body is in the take that is shown instead of the live bodies; none where none is.
    pub(super) fn shapes_in_shown_take(&self, body: u32, wanted: Frames) -> Result<Option<Shapes>, Refusal> {
        let Some(name) = self.takes.shown.as_ref().filter(|_| self.takes.instead) else { return Ok(None) };
        let cannot = |error: TakeError| Refusal::new(format!("take {name:?} cannot be read: {error}"), "");
        let reader = self.takes.get(name)?.read().map_err(cannot)?;
        let Some(frames) = reader.frames() else { return Ok(Some(Vec::new())) };
        let wanted: Vec<i32> = match wanted {
            Frames::One(frame) => vec![frame].into_iter().filter(|frame| frames.contains(frame)).collect(),
            Frames::Every(step) => {
                (*frames.start()..*frames.end()).step_by(step as usize).chain([*frames.end()]).collect()
            }
        };
        let mut view = FrameView::default();
        let mut shapes = Vec::new();
        for frame in wanted {
            reader.read_frame(frame, &mut view).map_err(cannot)?;
            let Some(of) = view.bodies.get(body as usize) else { continue };
            let place = |offset: &[f32; 3]| of.origin + DVec3::from_array(offset.map(f64::from));
            shapes.push((frame, of.offsets.iter().map(place).collect()));
        }
        Ok(Some(shapes))
    }

    pub(super) fn drop_take(&mut self, name: &str, sure: bool, reply: &mpsc::Sender<Event>) -> Done {
        let Kept { dir, file, .. } = self.takes.get(name)?;
        let (dir, file) = (dir.clone(), file.clone());
        if !sure {
            let again = Command::DropTake { name: name.to_owned(), sure: true };
            let _ = reply.try_send(Event::Exists { files: vec![name.to_owned()], again });
            return Ok(());
        }
        // A bake that records it anew would bring it back.
        let is_locked = |file: std::fs::File| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock));
        if dir.file(&file).is_ok_and(is_locked) {
            return Err(Refusal::new(
                format!("take {name:?} is being written by another program"),
                "wait until that is done",
            ));
        }
        if self.takes.shown.as_deref() == Some(name) {
            self.show_take(None, false)?;
        }
        dir.remove(&file).map_err(|error| Refusal::new(format!("take {name:?} cannot be removed: {error}"), ""))?;
        self.takes.kept.remove(name);
        self.takes.tell();
        Ok(())
    }
}

fn file_of(name: &str) -> PathBuf {
    PathBuf::from(format!("{name}.take"))
}
