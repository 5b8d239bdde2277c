//! Where each record of a take lies: found by walking from head to head, without reading payloads.

use super::disk::read_exact_at;
use super::record::{HEAD_BYTES, Kind, RecordHead};
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;

/// How a take ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tail {
    /// With its end marker: the recording was finished.
    Finished,
    /// After a whole record, but without an end marker: it is still being written, or was stopped.
    Unfinished,
    /// In something that is not a whole record; everything before it is readable.
    Torn(Tear),
}

/// Where a take stops being readable, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tear {
    pub offset: u64,
    pub what: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub offset: u64,
    pub head: RecordHead,
}

impl Entry {
    pub(super) fn end(&self) -> u64 {
        self.offset + HEAD_BYTES as u64 + self.head.payload_bytes
    }
}

/// All whole records after the header, in the order of the file.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub frames: Vec<Entry>,
    pub checkpoints: Vec<Entry>,
    pub inputs: Vec<Entry>,
    pub warnings: Vec<Entry>,
    /// Where the scene's text changed.
    pub spans: Vec<Entry>,
    /// What was measured at frames.
    pub measures: Vec<Entry>,
    pub end: Option<Entry>,
    /// Where the next record would begin.
    pub scanned: u64,
    pub tear: Option<Tear>,
}

impl Index {
    pub(super) fn new(after_header: u64) -> Self {
        Self { scanned: after_header, ..Self::default() }
    }

    /// Walks on from where the last walk stopped.
    pub(super) fn scan(&mut self, file: &File) -> io::Result<()> {
        let len = file.metadata()?.len();
        self.tear = None;
        while self.scanned < len {
            match head_at(file, self.scanned, len)?.and_then(|head| self.place(head)) {
                Ok(entry) => self.scanned = entry.end(),
                Err(what) => {
                    self.tear = Some(Tear { offset: self.scanned, what });
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds the record at `scanned`, if it may follow what came before.
    fn place(&mut self, head: RecordHead) -> Result<Entry, String> {
        let entry = Entry { offset: self.scanned, head };
        if self.end.is_some() {
            return Err("a record after the end marker".to_owned());
        }
        match head.kind {
            Kind::Header => return Err("a second header".to_owned()),
            Kind::Frame => {
                if let Some(range) = self.frames()
                    && range.end().checked_add(1) != Some(head.frame)
                {
                    return Err(format!("frame {} follows frame {}", head.frame, range.end()));
                }
                self.frames.push(entry);
            }
            Kind::Checkpoint => {
                if self.frame(head.frame).is_none_or(|frame| frame.head.digest != head.digest) {
                    return Err(format!("a checkpoint of frame {} that was not recorded so", head.frame));
                }
                self.checkpoints.push(entry);
            }
            Kind::Input => self.inputs.push(entry),
            Kind::Warning => self.warnings.push(entry),
            Kind::Measures => self.measures.push(entry),
            Kind::Span => {
                if self.frames.last().is_none_or(|last| last.head.frame != head.frame) {
                    return Err(format!(
                        "another scene's text from frame {} on, which is not the last one",
                        head.frame
                    ));
                }
                self.spans.push(entry);
            }
            Kind::End => self.end = Some(entry),
        }
        Ok(entry)
    }

    pub(super) fn frames(&self) -> Option<RangeInclusive<i32>> {
        Some(self.frames.first()?.head.frame..=self.frames.last()?.head.frame)
    }

    pub(super) fn frame(&self, frame: i32) -> Option<&Entry> {
        let first = self.frames.first()?.head.frame;
        self.frames.get(usize::try_from(i64::from(frame) - i64::from(first)).ok()?)
    }

    /// The checkpoint of the highest frame not above `frame`.
    pub(super) fn checkpoint_at_or_before(&self, frame: i32) -> Option<&Entry> {
        self.checkpoints.iter().filter(|entry| entry.head.frame <= frame).max_by_key(|entry| entry.head.frame)
    }

    /// Every record in the order of the file.
    pub(super) fn in_file_order(&self) -> Vec<Entry> {
        let lists = [&self.frames, &self.checkpoints, &self.inputs, &self.warnings, &self.spans, &self.measures];
        let mut all: Vec<Entry> = lists.into_iter().flatten().chain(&self.end).copied().collect();
        all.sort_unstable_by_key(|entry| entry.offset);
        all
    }

    /// Forgets every record that does not end by `len`.
    pub(super) fn forget_after(&mut self, len: u64) {
        let Self { frames, checkpoints, inputs, warnings, spans, measures, .. } = self;
        for list in [frames, checkpoints, inputs, warnings, spans, measures] {
            list.retain(|entry| entry.end() <= len);
        }
        self.end = self.end.filter(|entry| entry.end() <= len);
        self.scanned = self.scanned.min(len);
    }
}

/// The head at `offset` of a file of `len` bytes, if the whole record lies within the file.
pub(super) fn head_at(file: &File, offset: u64, len: u64) -> io::Result<Result<RecordHead, String>> {
    let left = len.saturating_sub(offset);
    if left < HEAD_BYTES as u64 {
        return Ok(Err(format!("the file ends {left} bytes into the head of a record")));
    }
    let mut bytes = [0; HEAD_BYTES];
    read_exact_at(file, &mut bytes, offset)?;
    Ok(RecordHead::from_bytes(&bytes, offset).map_err(str::to_owned).and_then(|head| match head.record_bytes() {
        Some(whole) if whole <= left => Ok(head),
        _ => Err(format!("the file ends {left} bytes into a record of {} and its head", head.payload_bytes)),
    }))
}
