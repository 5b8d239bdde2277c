//! The bake: a stage run from the scene's first frame and recorded to a take.

use crate::run::{Performer, Run, RunLimits, Staging};
use crate::take::{BodyHeader, Digest, TakeError, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use crate::{BuildError, Built, ExportError, PlaybackError};
use sinew_io::disk::remedy_behind;
use sinew_solve::{Input, StageState, StepError, StepReport, Warning};
use sinew_stage::{Stage, StageOutline, remedy};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What to bake.
#[derive(Debug, Clone, PartialEq)]
pub struct Bake {
    /// The frames to record. Simulation always starts at the scene's first frame.
    pub frames: RangeInclusive<i32>,
    /// Go on with a take that was stopped; start it if there is none.
    pub resume: bool,
    pub options: TakeOptions,
    /// Where to write the exact states of the last 100 substeps: those before the first step that had to be
    /// cut or failed, or, if all went well, the bake's last.
    pub dump: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Baked {
    pub frames: RangeInclusive<i32>,
    /// Substeps simulated now (not those that a resumed take held already).
    pub substeps: u64,
    /// Milliseconds of one substep, all bodies: median and largest.
    pub step_ms: (f64, f64),
    /// Of the exact states at the baked frames.
    pub hash: String,
    pub warnings: Vec<Warning>,
    /// The frame that a resumed bake went on from.
    pub resumed_from: Option<i32>,
}

#[derive(Debug, thiserror::Error)]
pub enum BakeError {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Take(#[from] TakeError),
    #[error("frame {frame}, body {body:?}: {what}; what was baked before is kept")]
    Step { frame: i32, body: String, what: String, error: StepError },
    #[error("take {} starts at frame {starts_at}, so that frame {asked_first} cannot be added to it; bake to another file", path.display())]
    StartsLater { path: PathBuf, starts_at: i32, asked_first: i32 },
    #[error("the take that is baked again: {0}")]
    Source(#[from] PlaybackError),
    #[error(
        "a take that begins at frame {begins_at} of its scene, or was edited as it was recorded, is baked again from that frame on"
    )]
    WholeTake { begins_at: i32 },
    #[error(transparent)]
    Dump(#[from] ExportError),
    #[error("it was stopped")]
    Stopped,
    #[error("{source}. The take {} is as it was; what was baked of the new one is in {}", old.display(), new.display())]
    Rebake { old: PathBuf, new: PathBuf, source: Box<BakeError> },
    #[error("frames {asked_first} to {asked_last} are not within the scene's {first} to {last}")]
    OutsideScene { asked_first: i32, asked_last: i32, first: i32, last: i32 },
}

impl BakeError {
    /// Whether the scene itself cannot be simulated.
    pub fn is_of_scene(&self) -> bool {
        match self {
            Self::Step { .. } => true,
            Self::Rebake { source, .. } => source.is_of_scene(),
            _ => false,
        }
    }

    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::Take(error) => error.help(),
            Self::Source(error) => error.help(),
            Self::WholeTake { .. } => Some("leave --frames out, or begin with that frame"),
            Self::Step { error, .. } => Some(remedy(error)),
            Self::Rebake { source, .. } if source.is_of_scene() => source.help(),
            Self::Rebake { .. } => Some("--resume goes on with the new one"),
            Self::OutsideScene { .. } => Some("stay within them, or change them: --set \"scene.frames=[1, 240]\""),
            Self::Dump(error) => {
                remedy_behind(error).or(Some("choose a file in a folder that exists and that you may write to"))
            }
            _ => None,
        }
    }
}

/// Runs `built` and records it at `path`. `progress` is told the frame that was reached, after each, and may
/// end it: what was baked is kept.
pub fn bake(
    built: &mut Built,
    scene_text: &str,
    path: &Path,
    asked: &Bake,
    mut progress: impl FnMut(i32) -> ControlFlow<()>,
) -> Result<Baked, BakeError> {
    check_range(&built.stage, &asked.frames)?;
    check_resumable(path, asked)?;
    let header = take_header(&built.stage, &built.mesh_hashes, scene_text);
    let baking = start(&built.stage, path, header, asked)?;
    tracing::info!(take = %path.display(), frames = ?asked.frames, resumed_from = baking.resumed_from, "baking");
    baking.record(path, |baking| baking.perform(&mut built.stage, *asked.frames.end(), &mut progress))
}

/// A run on its way to a take.
pub(crate) struct Baking<'a> {
    asked: &'a Bake,
    run: Run,
    pub(crate) writer: TakeWriter,
    record_from: i32,
    resumed_from: Option<i32>,
    times: Vec<f64>,
}

impl<'a> Baking<'a> {
    /// From a run that has performed nothing yet. `resumed_from` is its frame where the take is gone on with.
    pub(crate) fn new(asked: &'a Bake, run: Run, writer: TakeWriter, resumed_from: Option<i32>) -> Self {
        let run = trailed(run, asked);
        let record_from = writer.frames().map_or(*asked.frames.start(), |held| *held.start());
        Self { asked, run, writer, record_from, resumed_from, times: Vec::new() }
    }

    /// The scene has another text from the last frame on, which `run` begins with.
    pub(crate) fn go_on(&mut self, run: Run) {
        self.run = trailed(run, self.asked);
    }

    /// Performs what `perform` does, and ends the take with it.
    pub(crate) fn record(
        mut self,
        path: &Path,
        perform: impl FnOnce(&mut Self) -> Result<(), BakeError>,
    ) -> Result<Baked, BakeError> {
        let replaces = self.writer.replaces();
        let recorded = self.begin().and_then(|()| perform(&mut self)).and_then(|()| self.finish(path));
        recorded.map_err(|error| match (error, replaces) {
            (error @ BakeError::Stopped, _) | (error, None) => error,
            (error, Some((new, old))) => BakeError::Rebake { old, new, source: Box::new(error) },
        })
    }

    fn begin(&mut self) -> Result<(), BakeError> {
        if self.resumed_from.is_none() && self.record_from == self.run.at() {
            self.writer.frame(self.run.at(), self.run.state())?;
        }
        Ok(())
    }

    /// Performs and records every frame up to `last`.
    pub(crate) fn perform(
        &mut self,
        stage: &mut Stage,
        last: i32,
        progress: &mut impl FnMut(i32) -> ControlFlow<()>,
    ) -> Result<(), BakeError> {
        let pool = stage.pool();
        while self.run.at() < last {
            let Self { run, times, .. } = self;
            let first_tick = run.state().tick;
            // Handed to the stage's threads once, not for every substep.
            let stepped = pool.install(|| run.step_frame(&mut Timed { stage, times }));
            if let Err(source) = stepped {
                self.write_trail(stage)?;
                return Err(step_error(stage, self.run.at(), source));
            }
            for tick in first_tick..self.run.state().tick {
                self.writer.input(tick, self.run.inputs_at(tick))?;
            }
            for warning in self.run.warnings_of_frame() {
                self.writer.warning(warning)?;
            }
            if self.run.at() >= self.record_from {
                self.writer.frame(self.run.at(), self.run.state())?;
                self.writer.measures(self.run.at(), self.run.measures(self.run.at()))?;
            }
            if progress(self.run.at()).is_break() {
                return Err(BakeError::Stopped);
            }
        }
        self.write_trail(stage)?;
        Ok(())
    }

    fn finish(self, path: &Path) -> Result<Baked, BakeError> {
        let hash = self.writer.hash(self.asked.frames.clone())?.to_hex().to_string();
        self.writer.finish()?;
        let overwritten = || TakeError::Overwritten { path: path.to_owned() };
        let take = TakeReader::open(path).map_err(|error| match error {
            TakeError::Open { source, .. } if source.kind() == std::io::ErrorKind::NotFound => overwritten(),
            error => error,
        })?;
        // Another program may have written to the file meanwhile.
        let held = take.totals().and_then(|_| take.hash(self.asked.frames.clone()).ok());
        if held.is_none_or(|held| held.to_hex().as_str() != hash) {
            return Err(overwritten().into());
        }
        tracing::info!(hash, substeps = self.times.len(), "baked");
        Ok(Baked {
            frames: self.asked.frames.clone(),
            substeps: self.times.len() as u64,
            step_ms: spread(self.times),
            hash,
            warnings: take.warnings()?,
            resumed_from: self.resumed_from,
        })
    }

    fn write_trail(&self, stage: &Stage) -> Result<(), ExportError> {
        self.run.trail().zip(self.asked.dump.as_ref()).map_or(Ok(()), |(trail, path)| trail.write(stage, path))
    }
}

fn trailed(run: Run, asked: &Bake) -> Run {
    if asked.dump.is_some() { run.with_trail() } else { run }
}

/// A stage whose steps are timed.
struct Timed<'a> {
    stage: &'a mut Stage,
    times: &'a mut Vec<f64>,
}

impl Performer for Timed<'_> {
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        let begun = Instant::now();
        let report = self.stage.step(state, input)?;
        self.times.push(begun.elapsed().as_secs_f64() * 1e3);
        Ok(report)
    }

    fn carry(&self, from: &StageOutline, state: &StageState) -> Option<StageState> {
        self.stage.transfer_from(from, state)
    }

    fn first_state(&self) -> StageState {
        self.stage.first_state()
    }
}

/// What a take of this stage says about itself.
pub fn take_header(stage: &Stage, meshes: &BTreeMap<String, Digest>, scene_text: &str) -> TakeHeader {
    TakeHeader {
        scene_text: scene_text.to_owned(),
        meshes: meshes.clone(),
        sinew_version: env!("CARGO_PKG_VERSION").to_owned(),
        clock: stage.clock(),
        bodies: body_headers(stage),
    }
}

/// Bodies with a digest of their flesh: what a take's numbers mean depends on it.
pub(crate) fn body_headers(stage: &Stage) -> Vec<BodyHeader> {
    let one = |body: &crate::StageBody| BodyHeader {
        name: body.name.clone(),
        point_count: body.flesh.point_count() as u32,
        model: body.flesh.digest(),
    };
    stage.bodies().iter().map(one).collect()
}

pub(crate) fn check_range(stage: &Stage, asked: &RangeInclusive<i32>) -> Result<(), BakeError> {
    let clock = stage.clock();
    if *asked.start() < clock.first_frame || *asked.end() > clock.last_frame || asked.is_empty() {
        return Err(BakeError::OutsideScene {
            asked_first: *asked.start(),
            asked_last: *asked.end(),
            first: clock.first_frame,
            last: clock.last_frame,
        });
    }
    Ok(())
}

/// A take has no gaps: one that is continued goes on from where it began. Refused before the file is touched.
pub(crate) fn check_resumable(path: &Path, asked: &Bake) -> Result<(), BakeError> {
    if !asked.resume {
        return Ok(());
    }
    // What cannot be read is left for resuming to judge: a torn header starts anew.
    let held = TakeReader::open(path).ok().and_then(|reader| reader.frames());
    let asked_first = *asked.frames.start();
    match held {
        Some(held) if *held.start() > asked_first => {
            Err(BakeError::StartsLater { path: path.to_owned(), starts_at: *held.start(), asked_first })
        }
        _ => Ok(()),
    }
}

fn start<'a>(stage: &Stage, path: &Path, header: TakeHeader, asked: &'a Bake) -> Result<Baking<'a>, TakeError> {
    let first_frame = stage.clock().first_frame;
    let run = |header: TakeHeader, frame: i32, state: StageState| {
        let staging = Staging { made_of: Arc::new(header), outline: None };
        Run::begin(staging, frame, state, RunLimits::NO_STATES)
    };
    if !asked.resume {
        let writer = TakeWriter::create(path, &header, asked.options)?;
        return Ok(Baking::new(asked, run(header, first_frame, stage.first_state()), writer, None));
    }
    let resumed = TakeWriter::resume(path, &header, asked.options)?;
    let resumed_from = resumed.from.as_ref().map(|from| from.frame);
    let (frame, state) = match resumed.from {
        None => (first_frame, stage.first_state()),
        Some(from) => (from.frame, from.state),
    };
    let run = run(header, frame, state).with_inputs(resumed.inputs);
    Ok(Baking::new(asked, run, resumed.writer, resumed_from))
}

fn step_error(stage: &Stage, frame: i32, error: StepError) -> BakeError {
    let (body, what) = stage.blame(&error);
    BakeError::Step { frame, body, what, error }
}

/// Median and largest; zero where nothing was simulated.
fn spread(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_unstable_by(f64::total_cmp);
    (times.get(times.len() / 2).copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0))
}
