//! Recording a take, record by record.

use super::disk::{Sink, open_in, read_exact_at};
use super::exact::{digest, encode, take_hash};
use super::frame::encode_frame;
use super::record::{HEAD_BYTES, Kind, MAGIC, PREAMBLE_BYTES, RecordHead, VERSION};
use super::recorded::Recorded;
use super::span::SpanStart;
use super::swap::{Swap, rebake_path};
use super::{Digest, TakeError, TakeHeader, TakeOptions, TakeReader, TakeTotals, reader::describe};
use serde::Serialize;
use sinew_io::Dir;
use sinew_io::disk::DiskFile;
use sinew_solve::{Input, Measure, StageState, Warning};
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Frames between checkpoints at most, however small they are against the state.
const CHECKPOINT_FRAMES: u32 = 240;
/// Syncing costs milliseconds on a real disk, so a fast bake of a small scene does it once a second, not at
/// each of a hundred checkpoints. Only a power failure can tell: what is written survives the end of the
/// process anyway.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Appends to a take. Frames come one after the other; inputs and warnings before the frame they lead to.
pub struct TakeWriter {
    path: PathBuf,
    sink: Box<dyn Sink>,
    header: TakeHeader,
    options: TakeOptions,
    /// Where the last whole record ends.
    end: u64,
    recorded: Recorded,
    due: CheckpointDue,
    /// The last state given: its frame, tick, digest and, in `state`, its canonical bytes.
    last: Option<(i32, u64, Digest)>,
    state: Vec<u8>,
    /// The record being put together: room for its head, then its payload.
    record: Vec<u8>,
    synced: Instant,
    /// Set when a failed write could not be cut off again.
    broken: bool,
    /// What is left to do once it is whole.
    swap: Option<Swap>,
}

/// How much has been recorded since the last checkpoint.
#[derive(Debug, Clone, Copy, Default)]
struct CheckpointDue {
    frames: u32,
    frame_bytes: u64,
}

impl TakeWriter {
    /// Starts a take. A take that was there is replaced when this one is finished, and stays what it was
    /// until then; a file that is something else is left alone.
    pub fn create(path: impl AsRef<Path>, header: &TakeHeader, options: TakeOptions) -> Result<Self, TakeError> {
        options.check()?;
        super::header::check_clock(&header.clock)?;
        let path = path.as_ref();
        let (dir, name) = Dir::of(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
        check_left_over(&dir, &name)?;
        let file = open_in(&dir, &name)?;
        check_replaceable(&file, path)?;
        if !holds_frames(&file, path) {
            let stale = rebake_path(&name);
            if dir.has(&stale) && open_in(&dir, &stale).is_ok_and(|stale| may_be_replaced(&stale).unwrap_or(false)) {
                let _ = dir.remove(&stale);
            }
            return Self::begin(Box::new(DiskFile::new(file)), path, header, options);
        }
        let (swap, file) = Swap::rebake(dir, &name, file)?;
        check_replaceable(&file, &swap.part_path())?;
        Self::begin_swapped(swap, file, header, options)
    }

    /// Starts a take that appears under its name only when it is finished, and leaves nothing otherwise.
    pub fn create_in(
        dir: &Dir,
        name: impl AsRef<Path>,
        header: &TakeHeader,
        options: TakeOptions,
    ) -> Result<Self, TakeError> {
        let name = name.as_ref();
        let path = dir.path().join(name);
        let dir = dir.try_clone().map_err(|source| TakeError::Open { path: path.clone(), source })?;
        let (swap, file) = Swap::atomic(dir, name)?;
        Self::begin_swapped(swap, file, header, options)
    }

    pub(super) fn begin_swapped(
        swap: Swap,
        file: File,
        header: &TakeHeader,
        options: TakeOptions,
    ) -> Result<Self, TakeError> {
        let writer = Self::begin(Box::new(DiskFile::new(file)), &swap.part_path(), header, options)?;
        Ok(writer.with_swap(Some(swap)))
    }

    pub(super) fn with_swap(self, swap: Option<Swap>) -> Self {
        Self { swap, ..self }
    }

    /// Where it is recorded and the take that it will replace, where it does not replace it yet.
    pub fn replaces(&self) -> Option<(PathBuf, PathBuf)> {
        self.swap.as_ref().map(|swap| (swap.part_path(), swap.path()))
    }

    pub(super) fn begin(
        mut sink: Box<dyn Sink>,
        path: &Path,
        header: &TakeHeader,
        options: TakeOptions,
    ) -> Result<Self, TakeError> {
        options.check()?;
        super::header::check_clock(&header.clock)?;
        let preamble = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        let begun = sink.cut(0).and_then(|()| sink.append(&preamble));
        begun.map_err(|source| TakeError::Write { path: path.to_owned(), what: "the beginning".to_owned(), source })?;
        let mut writer = Self::continuing(sink, path, header.clone(), options, PREAMBLE_BYTES, Recorded::default());
        writer.record_value(Kind::Header, 0, &(header, options), "the take's header")?;
        Ok(writer)
    }

    /// A writer that goes on at `end` of a file that holds what `recorded` says.
    pub(super) fn continuing(
        sink: Box<dyn Sink>,
        path: &Path,
        header: TakeHeader,
        options: TakeOptions,
        end: u64,
        recorded: Recorded,
    ) -> Self {
        Self {
            path: path.to_owned(),
            sink,
            header,
            options,
            end,
            recorded,
            due: CheckpointDue::default(),
            last: None,
            state: Vec::new(),
            record: Vec::new(),
            synced: Instant::now(),
            broken: false,
            swap: None,
        }
    }

    pub fn header(&self) -> &TakeHeader {
        &self.header
    }

    /// The frames in the file; after resuming, that may be more than were given to this writer.
    pub fn frames(&self) -> Option<RangeInclusive<i32>> {
        self.recorded.frames()
    }

    /// Records the state of a frame, and a checkpoint where one is due. A frame that the take holds already
    /// (after resuming) is compared with it instead.
    pub fn frame(&mut self, frame: i32, state: &StageState) -> Result<(), TakeError> {
        self.recorded.check_order(frame)?;
        self.begin_record();
        encode_frame(&self.header, &self.options, frame, state, &mut self.record)?;
        self.state.clear();
        encode(state, "a state", &mut self.state)?;
        let digest = digest(&self.state);
        match self.recorded.digest(frame) {
            Some(recorded) if *recorded == digest => {}
            Some(_) => return Err(TakeError::FrameDiffers { frame }),
            None => self.write_record(Kind::Frame, frame, state.tick, digest)?,
        }
        self.recorded.pass_frame(frame, state.tick, digest);
        self.last = Some((frame, state.tick, digest));
        self.due.frames += 1;
        self.due.frame_bytes += self.record.len() as u64;
        if self.due.reached(self.state.len()) || self.recorded.last_checkpoint.is_none() {
            self.checkpoint()
        } else {
            Ok(())
        }
    }

    /// Makes the last frame one that can be gone on from exactly. Done by itself every few frames.
    pub fn checkpoint(&mut self) -> Result<(), TakeError> {
        let Some((frame, tick, digest)) = self.last else { return Ok(()) };
        if self.recorded.last_checkpoint < Some(frame) {
            self.begin_record();
            self.record.extend_from_slice(&self.state);
            self.write_record(Kind::Checkpoint, frame, tick, digest)?;
            self.recorded.add_checkpoint(frame);
            if self.synced.elapsed() >= SYNC_INTERVAL {
                self.sync()?;
            }
        }
        self.due = CheckpointDue::default();
        Ok(())
    }

    /// Logs the live inputs of a tick: once per tick, and before the frame that they lead to.
    pub fn input(&mut self, tick: u64, input: &[Input]) -> Result<(), TakeError> {
        if input.is_empty() || self.recorded.replays_input(tick, input)? {
            return Ok(());
        }
        self.record_value(Kind::Input, tick, &input, "inputs")?;
        self.recorded.add_input(tick);
        Ok(())
    }

    /// What was measured at a frame; once a frame, after it.
    pub fn measures(&mut self, frame: i32, measures: &[Measure]) -> Result<(), TakeError> {
        if measures.is_empty() || !self.recorded.measured.insert(frame) {
            return Ok(());
        }
        self.begin_record();
        encode(&measures, "measured numbers", &mut self.record)?;
        let tick = self.header.clock.tick_of(frame);
        self.write_record(Kind::Measures, frame, tick, [0; 32])
    }

    /// From the last frame on the scene has another text: `state` is that frame's as the stage of the new
    /// text has it. What comes from now on is of that stage.
    pub fn span(&mut self, header: &TakeHeader, state: &StageState) -> Result<(), TakeError> {
        check_same_bodies(&self.header, header)?;
        self.checkpoint()?;
        let Some((frame, tick, _)) = self.last else { return Err(TakeError::SpanBeforeFrames) };
        let start = SpanStart { header: header.clone(), state: state.clone() };
        self.begin_record();
        encode(&start, "another text of the scene", &mut self.record)?;
        self.write_record(Kind::Span, frame, tick, [0; 32])
    }

    pub fn warning(&mut self, warning: &Warning) -> Result<(), TakeError> {
        if self.recorded.replays_warning(warning) {
            return Ok(());
        }
        self.record_value(Kind::Warning, warning.tick, warning, "a warning")?;
        self.recorded.totals.warnings += 1;
        Ok(())
    }

    /// The hash of the exact states of these frames.
    pub fn hash(&self, frames: RangeInclusive<i32>) -> Result<blake3::Hash, TakeError> {
        let have = self.frames();
        let missing = |frame| TakeError::NoFrame { path: self.path.clone(), frame, have: have.clone() };
        let digest = |frame: i32| self.recorded.digest(frame).ok_or_else(|| missing(frame));
        Ok(take_hash(frames.map(digest).collect::<Result<Vec<_>, _>>()?))
    }

    /// Writes the last checkpoint and the end marker, and waits until all of it is on the disk.
    pub fn finish(mut self) -> Result<TakeTotals, TakeError> {
        self.checkpoint()?;
        let totals = self.recorded.totals();
        self.begin_record();
        encode(&totals, "the end marker", &mut self.record)?;
        let last_frame = self.frames().map_or(0, |frames| *frames.end());
        self.write_record(Kind::End, last_frame, self.recorded.reached_tick, [0; 32])?;
        self.sync()?;
        if let Some(swap) = self.swap.take() {
            swap.finish()?;
        }
        Ok(totals)
    }

    fn record_value<T: Serialize>(
        &mut self,
        kind: Kind,
        tick: u64,
        value: &T,
        what: &'static str,
    ) -> Result<(), TakeError> {
        self.begin_record();
        encode(value, what, &mut self.record)?;
        self.write_record(kind, 0, tick, [0; 32])
    }

    fn begin_record(&mut self) {
        self.record.clear();
        self.record.resize(HEAD_BYTES, 0);
    }

    /// Appends the record in one write. If that fails, what got into the file is cut off again.
    fn write_record(&mut self, kind: Kind, frame: i32, tick: u64, digest: Digest) -> Result<(), TakeError> {
        let head = RecordHead { frame, tick, digest, ..RecordHead::of(kind, &self.record[HEAD_BYTES..]) };
        self.record[..HEAD_BYTES].copy_from_slice(&head.to_bytes(self.end));
        let written = if self.broken {
            Err(io::Error::other("an earlier failed write could not be undone"))
        } else {
            self.sink.append(&self.record)
        };
        if written.is_err() {
            self.broken = self.sink.cut(self.end).is_err();
        }
        written.map_err(|source| TakeError::Write { path: self.path.clone(), what: describe(&head), source })?;
        self.end += self.record.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<(), TakeError> {
        self.synced = Instant::now();
        let what = || "what was recorded".to_owned();
        self.sink.sync().map_err(|source| TakeError::Write { path: self.path.clone(), what: what(), source })
    }
}

impl CheckpointDue {
    /// A checkpoint is due when it costs no more than the frames it follows.
    fn reached(&self, state_bytes: usize) -> bool {
        self.frame_bytes >= state_bytes as u64 || self.frames >= CHECKPOINT_FRAMES
    }
}

/// Frames of all texts are stored alike.
fn check_same_bodies(first: &TakeHeader, other: &TakeHeader) -> Result<(), TakeError> {
    let (expected, found) = (first.bodies.len(), other.bodies.len());
    if expected != found {
        return Err(TakeError::BodyCount { found, expected });
    }
    for (first, other) in first.bodies.iter().zip(&other.bodies) {
        let (expected, found) = (first.point_count, other.point_count as usize);
        if expected as usize != found {
            return Err(TakeError::PointCount { body: other.name.clone(), found, velocities: found, expected });
        }
    }
    Ok(())
}

fn check_replaceable(file: &File, path: &Path) -> Result<(), TakeError> {
    match may_be_replaced(file) {
        Ok(true) => Ok(()),
        Ok(false) => Err(TakeError::NotATake { path: path.to_owned() }),
        Err(source) => Err(TakeError::Read { path: path.to_owned(), offset: 0, source }),
    }
}

/// What an earlier recording left beside the take is begun anew. A whole take there is none of those: it is someone's.
fn check_left_over(dir: &Dir, name: &Path) -> Result<(), TakeError> {
    let part = rebake_path(name);
    let path = dir.path().join(&part);
    let reader = dir.file(&part).ok().and_then(|file| TakeReader::from_file(file, &path).ok());
    if reader.is_some_and(|reader| reader.totals().is_some()) {
        return Err(TakeError::WholePart { path });
    }
    Ok(())
}

/// Whether there is something to lose.
fn holds_frames(file: &File, path: &Path) -> bool {
    let reader = file.try_clone().ok().and_then(|file| TakeReader::from_file(file, path).ok());
    reader.is_some_and(|reader| reader.frames().is_some())
}

/// Whether a file is empty or a take, be it only the beginning of one.
pub(super) fn may_be_replaced(file: &File) -> io::Result<bool> {
    let len = file.metadata()?.len().min(MAGIC.len() as u64) as usize;
    let mut begin = [0; MAGIC.len()];
    read_exact_at(file, &mut begin[..len], 0)?;
    Ok(begin[..len] == MAGIC[..len])
}
