//! Reading a take: any frame at once, the exact states between, inputs and warnings.

use super::disk::read_exact_at;
use super::exact::{decode, take_hash};
use super::frame::decode_frame;
use super::index::{Entry, Index, head_at};
use super::record::{HEAD_BYTES, Kind, MAGIC, OLDEST_VERSION, PREAMBLE_BYTES, RecordHead, VERSION, array};
use super::span::{Span, SpanStart};
use super::{FrameView, Tail, TakeError, TakeHeader, TakeOptions, TakeTotals, Tear};
use sinew_io::disk::open_regular;
use sinew_solve::{Input, Measure, StageState, Warning};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// An open take. Only the index is held in memory; everything else is read, and checked, when asked for.
#[derive(Debug)]
pub struct TakeReader {
    pub(super) file: File,
    pub(super) path: PathBuf,
    pub(super) header: TakeHeader,
    pub(super) options: TakeOptions,
    pub(super) index: Index,
}

impl TakeReader {
    /// Opens a take, finished or not. What is behind a torn record is left out: see [`tail`](Self::tail).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TakeError> {
        let path = path.as_ref();
        let file = open_regular(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
        Self::from_file(file, path)
    }

    /// Opens a take whose file is open already; `path` is what errors call it.
    pub fn from_file(file: File, path: &Path) -> Result<Self, TakeError> {
        check_preamble(&file, path)?;
        let (header, options, after_header) = read_header(&file, path)?;
        let mut reader = Self { file, path: path.to_owned(), header, options, index: Index::new(after_header) };
        reader.refresh()?;
        Ok(reader)
    }

    /// Takes in what was appended since the take was opened.
    pub fn refresh(&mut self) -> Result<(), TakeError> {
        let scanned = self.index.scan(&self.file);
        scanned.map_err(|source| self.read_error(self.index.scanned, source))?;
        self.check_end();
        Ok(())
    }

    /// An end marker that does not say what the take holds is a tear.
    fn check_end(&mut self) {
        let Some(end) = self.index.end else { return };
        let recorded = take_hash(self.index.frames.iter().map(|entry| &entry.head.digest));
        let what = match self.value::<TakeTotals>(&end) {
            Ok(totals) if totals.hash == *recorded.as_bytes() => return,
            Ok(_) => "the end marker is of other frames".to_owned(),
            Err(error) => error.to_string(),
        };
        self.index.forget_after(end.offset);
        self.index.tear = Some(Tear { offset: end.offset, what });
    }

    /// What the end marker of a finished take says.
    pub fn totals(&self) -> Option<TakeTotals> {
        self.index.end.and_then(|end| self.value(&end).ok())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the first frames were made of; [`spans`](Self::spans) tells of all.
    pub fn header(&self) -> &TakeHeader {
        &self.header
    }

    /// The texts of the scene, one after the other: more than one where it was edited as it was recorded.
    pub fn spans(&self) -> Result<Vec<Span>, TakeError> {
        let first = self.frames().map_or(self.header.clock.first_frame, |frames| *frames.start());
        let mut spans = vec![Span { from: first, header: self.header.clone(), start: None }];
        for entry in &self.index.spans {
            let SpanStart { header, state } = self.value(entry)?;
            spans.push(Span { from: entry.head.frame, header, start: Some(state) });
        }
        Ok(spans)
    }

    /// What the last frames were made of.
    pub fn last_header(&self) -> Result<TakeHeader, TakeError> {
        match self.index.spans.last() {
            Some(entry) => Ok(self.value::<SpanStart>(entry)?.header),
            None => Ok(self.header.clone()),
        }
    }

    pub fn options(&self) -> &TakeOptions {
        &self.options
    }

    /// The recorded frames; none if there are none yet.
    pub fn frames(&self) -> Option<RangeInclusive<i32>> {
        self.index.frames()
    }

    /// The frames that have an exact checkpoint.
    pub fn checkpoints(&self) -> impl ExactSizeIterator<Item = i32> + '_ {
        self.index.checkpoints.iter().map(|entry| entry.head.frame)
    }

    pub fn tail(&self) -> Tail {
        match (&self.index.tear, self.index.end) {
            (Some(tear), _) => Tail::Torn(tear.clone()),
            (None, Some(_)) => Tail::Finished,
            (None, None) => Tail::Unfinished,
        }
    }

    /// Reads one frame into `view`. On an error the view is unspecified.
    pub fn read_frame(&self, frame: i32, view: &mut FrameView) -> Result<(), TakeError> {
        let entry = self.frame_entry(frame)?;
        let FrameView { bodies, raw, .. } = view;
        let payload = self.payload(entry, raw)?;
        decode_frame(&self.header, &self.options, payload, bodies).map_err(|what| self.damaged(entry, what))?;
        (view.frame, view.tick, view.digest) = (frame, entry.head.tick, entry.head.digest);
        Ok(())
    }

    /// The nearest exact state to go on from.
    pub fn checkpoint_at_or_before(&self, frame: i32) -> Result<(i32, StageState), TakeError> {
        let found = self.index.checkpoint_at_or_before(frame);
        let entry = found.ok_or_else(|| TakeError::NoCheckpoint { path: self.path.clone(), frame })?;
        Ok((entry.head.frame, self.value(entry)?))
    }

    /// Inputs of this tick and all later ones, by tick.
    pub fn inputs_from(&self, tick: u64) -> Result<Vec<(u64, Vec<Input>)>, TakeError> {
        let wanted = self.index.inputs.iter().filter(|entry| entry.head.tick >= tick);
        wanted.map(|entry| Ok((entry.head.tick, self.value(entry)?))).collect()
    }

    pub fn warnings(&self) -> Result<Vec<Warning>, TakeError> {
        self.index.warnings.iter().map(|entry| self.value(entry)).collect()
    }

    /// What was measured, by frame.
    pub fn measures(&self) -> Result<BTreeMap<i32, Vec<Measure>>, TakeError> {
        self.index.measures.iter().map(|entry| Ok((entry.head.frame, self.value(entry)?))).collect()
    }

    /// The hash of the exact states of these frames.
    pub fn hash(&self, frames: RangeInclusive<i32>) -> Result<blake3::Hash, TakeError> {
        let (first, last) = (self.frame_entry(*frames.start())?, self.frame_entry(*frames.end())?);
        let within = |entry: &&Entry| (first.head.frame..=last.head.frame).contains(&entry.head.frame);
        Ok(take_hash(self.index.frames.iter().filter(within).map(|entry| &entry.head.digest)))
    }

    fn frame_entry(&self, frame: i32) -> Result<&Entry, TakeError> {
        let missing = || TakeError::NoFrame { path: self.path.clone(), frame, have: self.frames() };
        self.index.frame(frame).ok_or_else(missing)
    }

    fn value<T: serde::de::DeserializeOwned>(&self, entry: &Entry) -> Result<T, TakeError> {
        let mut raw = Vec::new();
        decode(self.payload(entry, &mut raw)?).map_err(|what| self.damaged(entry, what))
    }

    /// Reads and checks a whole record; `raw` keeps its memory for the next one.
    fn payload<'a>(&self, entry: &Entry, raw: &'a mut Vec<u8>) -> Result<&'a [u8], TakeError> {
        // The index only holds records that lie within the file, so this is bounded by its size.
        raw.resize(HEAD_BYTES + entry.head.payload_bytes as usize, 0);
        read_exact_at(&self.file, raw, entry.offset).map_err(|source| self.read_error(entry.offset, source))?;
        let (head, payload) = raw.split_at(HEAD_BYTES);
        if RecordHead::from_bytes(&array(head), entry.offset) != Ok(entry.head) {
            return Err(self.damaged(entry, "this record was changed since the take was opened"));
        }
        if !entry.head.matches(payload) {
            return Err(self.damaged(entry, format!("{} does not match its checksum", describe(&entry.head))));
        }
        Ok(payload)
    }

    pub(super) fn damaged(&self, entry: &Entry, what: impl Into<String>) -> TakeError {
        TakeError::Damaged { path: self.path.clone(), offset: entry.offset, what: what.into() }
    }

    pub(super) fn read_error(&self, offset: u64, source: io::Error) -> TakeError {
        TakeError::Read { path: self.path.clone(), offset, source }
    }
}

pub(super) fn describe(head: &RecordHead) -> String {
    match head.kind {
        Kind::Header => "the header".to_owned(),
        Kind::Frame => format!("frame {}", head.frame),
        Kind::Checkpoint => format!("the checkpoint of frame {}", head.frame),
        Kind::Input => format!("the inputs of tick {}", head.tick),
        Kind::Warning => format!("a warning of tick {}", head.tick),
        Kind::End => "the end marker".to_owned(),
        Kind::Measures => format!("what was measured at frame {}", head.frame),
        Kind::Span => format!("the scene's text from frame {} on", head.frame),
    }
}

/// Fails unless the file begins like a take of a version that can be read.
fn check_preamble(file: &File, path: &Path) -> Result<(), TakeError> {
    let mut preamble = [0; PREAMBLE_BYTES as usize];
    match read_exact_at(file, &mut preamble, 0) {
        Ok(()) if preamble[..MAGIC.len()] == MAGIC => {}
        Ok(()) => return Err(TakeError::NotATake { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(TakeError::NotATake { path: path.to_owned() });
        }
        Err(source) => return Err(TakeError::Read { path: path.to_owned(), offset: 0, source }),
    }
    match u32::from_le_bytes(array(&preamble[MAGIC.len()..])) {
        OLDEST_VERSION..=VERSION => Ok(()),
        found => Err(TakeError::Version { path: path.to_owned(), found, known: VERSION }),
    }
}

/// The header and where the records after it begin.
fn read_header(file: &File, path: &Path) -> Result<(TakeHeader, TakeOptions, u64), TakeError> {
    let offset = PREAMBLE_BYTES;
    let damaged = |what: String| TakeError::Damaged { path: path.to_owned(), offset, what };
    let unread = |source| TakeError::Read { path: path.to_owned(), offset, source };
    let len = file.metadata().map_err(unread)?.len();
    let head = head_at(file, offset, len).map_err(unread)?.map_err(damaged)?;
    if head.kind != Kind::Header {
        return Err(damaged("the first record is not a header".to_owned()));
    }
    let mut payload = vec![0; head.payload_bytes as usize];
    read_exact_at(file, &mut payload, offset + HEAD_BYTES as u64).map_err(unread)?;
    if !head.matches(&payload) {
        return Err(damaged("the header does not match its checksum".to_owned()));
    }
    let (header, options): (TakeHeader, TakeOptions) = decode(&payload).map_err(damaged)?;
    super::header::check_clock(&header.clock)
        .and_then(|()| options.check())
        .map_err(|error| damaged(error.to_string()))?;
    Ok((header, options, offset + HEAD_BYTES as u64 + head.payload_bytes))
}
