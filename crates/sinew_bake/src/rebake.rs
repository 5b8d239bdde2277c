//! A take baked again from what it holds: the texts of its scene, one after the other, and the inputs that
//! were logged.

use crate::bake::{Baking, check_range, check_resumable, take_header};
use crate::playback::{build_span, find_folder};
use crate::run::{Run, RunLimits, Staging};
use crate::take::{Resumed, Span, TakeError, TakeHeader, TakeReader, TakeWriter};
use crate::{Bake, BakeError, Baked, Built, PlaybackError};
use sinew_solve::{Input, StageState};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A take to be baked again. Without changes to sinew the new take has the same hash.
pub struct Rebake {
    source: TakeReader,
    spans: Vec<Span>,
    inputs: Vec<(u64, Vec<Input>)>,
    folder: PathBuf,
    threads: usize,
}

/// A span as it is performed now.
struct Part {
    built: Built,
    header: TakeHeader,
}

impl Rebake {
    /// Opens the take. Meshes of its scene are looked for as [`Playback::open`](crate::Playback::open) does.
    pub fn open(take: &Path, folder: Option<&Path>, threads: usize) -> Result<Self, PlaybackError> {
        let source = TakeReader::open(take)?;
        let (spans, inputs) = (source.spans()?, source.inputs_from(0)?);
        let folder = find_folder(&source, folder);
        Ok(Self { source, spans, inputs, folder, threads })
    }

    pub fn source(&self) -> &TakeReader {
        &self.source
    }

    /// Where the meshes of its scene are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The frames that it holds.
    pub fn frames(&self) -> Result<RangeInclusive<i32>, PlaybackError> {
        self.source.frames().ok_or_else(|| PlaybackError::NoFrames { path: self.source.path().to_owned() })
    }

    /// Performs it again and records that at `path`. Frames after its last go on without inputs.
    pub fn bake(
        &self,
        path: &Path,
        asked: &Bake,
        mut progress: impl FnMut(i32) -> ControlFlow<()>,
    ) -> Result<Baked, BakeError> {
        let first = self.build(0)?;
        let last = if self.spans.len() == 1 { None } else { Some(self.build(self.spans.len() - 1)?) };
        check_range(&last.as_ref().unwrap_or(&first).built.stage, &asked.frames)?;
        let (begins_at, clock) = (*self.frames()?.start(), first.built.stage.clock());
        if (self.spans.len() > 1 || begins_at > clock.first_frame) && *asked.frames.start() != begins_at {
            return Err(BakeError::WholeTake { begins_at });
        }
        check_resumable(path, asked)?;
        let (mut span, mut part, baking) = self.start(path, first, begins_at, asked)?;
        baking.record(path, |baking| {
            loop {
                let next = self.spans.get(span + 1).filter(|next| next.from < *asked.frames.end());
                let until = next.map_or(*asked.frames.end(), |next| next.from);
                baking.perform(&mut part.built.stage, until, &mut progress)?;
                let Some((next, start)) = next.and_then(|next| Some((next, next.start.as_ref()?))) else {
                    return Ok(());
                };
                span += 1;
                part = self.build(span)?;
                baking.writer.span(&part.header, start)?;
                baking.go_on(self.run(&part.header, next.from, start.clone()));
            }
        })
    }

    fn build(&self, span: usize) -> Result<Part, PlaybackError> {
        let header = &self.spans[span].header;
        let (_, built) = build_span(header, self.source.path(), &self.folder, self.threads)?;
        let header = take_header(&built.stage, &built.mesh_hashes, &header.scene_text);
        Ok(Part { built, header })
    }

    fn run(&self, header: &TakeHeader, frame: i32, state: StageState) -> Run {
        let staging = Staging { made_of: Arc::new(header.clone()), outline: None };
        let first_tick = state.tick;
        let inputs = self.inputs.iter().filter(|(tick, _)| *tick >= first_tick).cloned();
        Run::begin(staging, frame, state, RunLimits::NO_STATES).with_inputs(inputs)
    }

    /// The span to begin with, its stage, and the take.
    fn start<'a>(
        &self,
        path: &Path,
        first: Part,
        begins_at: i32,
        asked: &'a Bake,
    ) -> Result<(usize, Part, Baking<'a>), BakeError> {
        let clock = first.built.stage.clock();
        let (frame, state) = if begins_at > clock.first_frame {
            self.source.checkpoint_at_or_before(begins_at)?
        } else {
            (clock.first_frame, first.built.stage.first_state())
        };
        if !asked.resume {
            let writer = TakeWriter::create(path, &first.header, asked.options)?;
            let run = self.run(&first.header, frame, state);
            return Ok((0, first, Baking::new(asked, run, writer, None)));
        }
        let resumed = self.resume(path, &first, asked)?;
        let span = resumed.spans.len().saturating_sub(1);
        let part = if span == 0 { first } else { self.build(span)? };
        let resumed_from = resumed.from.as_ref().map(|from| from.frame);
        let (frame, state) = resumed.from.map_or((frame, state), |from| (from.frame, from.state));
        let run = self.run(&part.header, frame, state);
        Ok((span, part, Baking::new(asked, run, resumed.writer, resumed_from)))
    }

    /// The take to go on with, which may hold any number of the spans.
    fn resume(&self, path: &Path, first: &Part, asked: &Bake) -> Result<Resumed, BakeError> {
        let mut resumed = TakeWriter::resume(path, &first.header, asked.options);
        for span in 1..self.spans.len() {
            if !matches!(resumed, Err(TakeError::OtherScene { .. })) {
                break;
            }
            resumed = TakeWriter::resume(path, &self.build(span)?.header, asked.options);
        }
        let resumed = resumed?;
        let other = resumed.spans.iter().zip(&self.spans).skip(1).find_map(|(held, own)| {
            let differs = held.from != own.from || held.start != own.start;
            let edited = || format!("it was edited otherwise at frame {}", held.from);
            held.header.difference(&own.header).or_else(|| differs.then(edited))
        });
        match other {
            Some(difference) => Err(TakeError::OtherScene { path: path.to_owned(), difference }.into()),
            None => Ok(resumed),
        }
    }
}
