//! Going on with a take that was stopped, and going back to an earlier frame of one.

use super::disk::{open_in, read_exact_at};
use super::index::Entry;
use super::reader::describe;
use super::record::{HEAD_BYTES, PREAMBLE_BYTES};
use super::recorded::Recorded;
use super::swap::{Swap, rebake_path};
use super::writer::may_be_replaced;
use super::{Span, TakeError, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use sinew_io::Dir;
use sinew_io::disk::DiskFile;
use sinew_solve::{Input, StageState};
use std::fs::File;
use std::path::Path;

/// A take to be continued.
pub struct Resumed {
    pub writer: TakeWriter,
    /// Where to go on; none means from the scene's first frame.
    pub from: Option<ResumePoint>,
    /// Inputs in the file that the frames to come depend on: replay them, tick by tick, also through
    /// [`TakeWriter::input`].
    pub inputs: Vec<(u64, Vec<Input>)>,
    /// The texts of the scene that the file holds frames of; the last one goes on.
    pub spans: Vec<Span>,
}

/// The exact state of a recorded frame. The next frame to give to the writer is the one after it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumePoint {
    pub frame: i32,
    pub state: StageState,
}

impl TakeWriter {
    /// Continues the take at `path`, whose last frames must be of the scene that `header` describes; starts it if there is none.
    ///
    /// Every record is read and checked; from the first damaged one on the file is cut. Frames behind the last
    /// checkpoint stay, and are compared when they are given again. `options` count for a new take only.
    pub fn resume(path: impl AsRef<Path>, header: &TakeHeader, options: TakeOptions) -> Result<Resumed, TakeError> {
        let path = path.as_ref();
        let (dir, name) = Dir::of(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
        let file = open_in(&dir, &name)?;
        let part = rebake_path(&name);
        let is_torn = dir.has(&part) && dir.file(&part).is_ok_and(|part| begins_torn(&part, &name).unwrap_or(false));
        if is_torn || is_of(&dir, &part, header) {
            // The take was being recorded anew: that is what was cut off.
            let (swap, file) = Swap::rebake(dir, &name, file)?;
            if is_torn {
                let writer = Self::begin_swapped(swap, file, header, options)?;
                return Ok(Resumed { writer, from: None, inputs: Vec::new(), spans: Vec::new() });
            }
            let mut reader = TakeReader::from_file(file, &swap.part_path())?;
            keep_intact(&mut reader)?;
            let resumed = continue_from(reader, i32::MAX)?;
            return Ok(Resumed { writer: resumed.writer.with_swap(Some(swap)), ..resumed });
        }
        if begins_torn(&file, path)? {
            let writer = Self::begin(Box::new(DiskFile::new(file)), path, header, options)?;
            return Ok(Resumed { writer, from: None, inputs: Vec::new(), spans: Vec::new() });
        }
        let mut reader = TakeReader::from_file(file, path)?;
        keep_intact(&mut reader)?;
        if let Some(difference) = reader.last_header()?.difference(header) {
            return Err(TakeError::OtherScene { path: path.to_owned(), difference });
        }
        continue_from(reader, i32::MAX)
    }

    /// Goes back to `frame`: everything recorded after it is cut, and simulated anew from the nearest checkpoint on.
    pub fn rewind_to(path: impl AsRef<Path>, frame: i32) -> Result<Resumed, TakeError> {
        let path = path.as_ref();
        if !path.exists() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(TakeError::Open { path: path.to_owned(), source });
        }
        let (dir, name) = Dir::of(path).map_err(|source| TakeError::Open { path: path.to_owned(), source })?;
        let mut reader = TakeReader::from_file(open_in(&dir, &name)?, path)?;
        keep_intact(&mut reader)?;
        let missing = TakeError::NoFrame { path: path.to_owned(), frame, have: reader.frames() };
        let shown = reader.index.frame(frame).ok_or(missing)?;
        let checkpoint = reader.index.checkpoints.iter().find(|entry| entry.head.frame == frame);
        let len = checkpoint.map_or(shown.end(), |entry| entry.end().max(shown.end()));
        reader.index.forget_after(len);
        continue_from(reader, frame)
    }
}

/// Whether a file is a take of this scene.
fn is_of(dir: &Dir, name: &Path, header: &TakeHeader) -> bool {
    let reader = dir.file(name).ok().and_then(|file| TakeReader::from_file(file, name).ok());
    let made_of = reader.and_then(|reader| reader.last_header().ok());
    made_of.is_some_and(|made_of| made_of.difference(header).is_none())
}

/// Whether a file holds nothing, or a take that was killed before its header was whole.
fn begins_torn(file: &File, path: &Path) -> Result<bool, TakeError> {
    let unread = |source| TakeError::Read { path: path.to_owned(), offset: 0, source };
    let len = file.metadata().map_err(unread)?.len();
    if !may_be_replaced(file).map_err(unread)? {
        return Err(TakeError::NotATake { path: path.to_owned() });
    }
    Ok(len < PREAMBLE_BYTES + HEAD_BYTES as u64 || !header_is_whole(file, len).map_err(unread)?)
}

fn header_is_whole(file: &File, len: u64) -> std::io::Result<bool> {
    let mut bytes = [0; HEAD_BYTES];
    read_exact_at(file, &mut bytes, PREAMBLE_BYTES)?;
    // A head that is damaged, not short, is left to the reader to complain about.
    let head = super::record::RecordHead::from_bytes(&bytes, PREAMBLE_BYTES);
    Ok(head.map_or(true, |head| head.record_bytes().is_some_and(|whole| PREAMBLE_BYTES + whole <= len)))
}

/// Forgets everything from the first damaged record on, and the end marker.
fn keep_intact(reader: &mut TakeReader) -> Result<(), TakeError> {
    let mut buffer = vec![0; 1 << 20];
    let end = reader.index.end.map(|entry| entry.offset);
    let mut intact = reader.index.scanned.min(end.unwrap_or(u64::MAX));
    for entry in reader.index.in_file_order() {
        if entry.offset < intact && !is_intact(reader, &entry, &mut buffer)? {
            intact = entry.offset;
        }
    }
    reader.index.forget_after(intact);
    Ok(())
}

/// Checks a payload piece by piece, so that memory does not grow with it.
fn is_intact(reader: &TakeReader, entry: &Entry, buffer: &mut [u8]) -> Result<bool, TakeError> {
    let mut hasher = blake3::Hasher::new();
    let mut at = entry.offset + HEAD_BYTES as u64;
    while at < entry.end() {
        let piece = &mut buffer[..(entry.end() - at).min(1 << 20) as usize];
        read_exact_at(&reader.file, piece, at).map_err(|source| reader.read_error(at, source))?;
        hasher.update(piece);
        at += piece.len() as u64;
    }
    Ok(entry.head.matches_digest(hasher.finalize().as_bytes()))
}

/// Cuts the file to what the index holds, and makes a writer that knows it.
fn continue_from(reader: TakeReader, frame: i32) -> Result<Resumed, TakeError> {
    let index = &reader.index;
    let from = match index.checkpoint_at_or_before(frame) {
        Some(entry) => {
            let (frame, state) = reader.checkpoint_at_or_before(entry.head.frame)?;
            // Where another text takes over it goes on from that text's state.
            let taken_over = reader.spans()?.pop().filter(|span| span.from == frame).and_then(|span| span.start);
            Some(ResumePoint { frame, state: taken_over.unwrap_or(state) })
        }
        None => None,
    };
    let replay_tick = from.as_ref().map_or(0, |point| point.state.tick);
    let all_inputs = reader.inputs_from(0)?;
    let inputs = all_inputs.iter().filter(|(tick, _)| *tick >= replay_tick).cloned().collect();
    let first_frame = index.frames().map(|frames| *frames.start());
    let next_frame = from.as_ref().map_or(first_frame, |point| point.frame.checked_add(1));
    let reached_tick = index.frames.last().map_or(0, |entry| entry.head.tick);
    let digests = index.frames.iter().map(|entry| entry.head.digest).collect();
    let recorded = Recorded::replaying(first_frame.unwrap_or_default(), digests, next_frame, reached_tick)
        .with_checkpoints(index.checkpoints.len(), from.as_ref().map(|point| point.frame))
        .with_log(&all_inputs, reader.warnings()?, replay_tick)
        .with_measured(index.measures.iter().map(|entry| entry.head.frame));
    let spans = reader.spans()?;
    let TakeReader { file, path, header, options, index } = reader;
    let mut file = DiskFile::new(file);
    file.cut(index.scanned).map_err(|source| {
        let what = index.frames.last().map_or_else(|| "a new end".to_owned(), |entry| describe(&entry.head));
        TakeError::Write { path: path.clone(), what, source }
    })?;
    let writer = TakeWriter::continuing(Box::new(file), &path, header, options, index.scanned, recorded);
    Ok(Resumed { writer, from, inputs, spans })
}
