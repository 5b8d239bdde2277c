//! The bake: a stage run from the scene's first frame and recorded to a take.

use crate::stage::Stage;
use crate::take::{BodyHeader, TakeError, TakeHeader, TakeOptions, TakeReader, TakeWriter};
use crate::trail::Trail;
use crate::{BuildError, Built, ExportError};
use sinew_solve::{Input, StageState, StepError, Warning};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What to bake.
#[derive(Debug, Clone, PartialEq)]
pub struct Bake {
    /// The frames to record. Simulation always starts at the scene's first frame.
    pub frames: RangeInclusive<i32>,
    /// Go on with a take that was stopped; start it if there is none.
    pub resume: bool,
    pub options: TakeOptions,
    /// Where to write the exact states of the last 100 substeps: those before the first step that had to be cut or failed, or, if all
    /// went well, the bake's last.
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
    #[error("frame {frame}, body {body:?}: {source}; what was baked before is kept")]
    Step { frame: i32, body: String, source: StepError },
    #[error("take {} starts at frame {starts_at}, so that frame {asked_first} cannot be added to it; bake to another file", path.display())]
    StartsLater { path: PathBuf, starts_at: i32, asked_first: i32 },
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
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::Take(error) => error.help(),
            Self::Rebake { .. } => Some("--resume goes on with the new one"),
            Self::OutsideScene { .. } => Some("stay within them, or change them: --set \"scene.frames=[1, 240]\""),
            Self::Dump(_) => Some("choose a file in a folder that exists and that you may write to"),
            _ => None,
        }
    }
}

/// Runs `built` and records it at `path`. `progress` is told the frame that was reached, after each, and may end it: what was baked is kept.
pub fn bake(
    built: &mut Built,
    scene_text: &str,
    path: &Path,
    asked: &Bake,
    mut progress: impl FnMut(i32) -> ControlFlow<()>,
) -> Result<Baked, BakeError> {
    check_range(built, &asked.frames)?;
    check_resumable(path, asked)?;
    let header = header(built, scene_text);
    let start = start(&built.stage, path, &header, asked)?;
    let replaces = start.writer.replaces();
    record(built, path, asked, start, &mut progress).map_err(|error| match (error, replaces) {
        (error @ BakeError::Stopped, _) | (error, None) => error,
        (error, Some((new, old))) => BakeError::Rebake { old, new, source: Box::new(error) },
    })
}

fn record(
    built: &mut Built,
    path: &Path,
    asked: &Bake,
    start: Start,
    progress: &mut impl FnMut(i32) -> ControlFlow<()>,
) -> Result<Baked, BakeError> {
    let Start { mut writer, mut state, inputs, resumed_from } = start;
    let record_from = writer.frames().map_or(*asked.frames.start(), |held| *held.start());
    let mut times = Vec::new();
    let mut warnings = Vec::new();
    let clock = built.stage.clock();
    let last = *asked.frames.end();
    if resumed_from.is_none() && record_from == clock.first_frame {
        writer.frame(clock.first_frame, &state)?;
    }
    let mut trail = asked.dump.as_ref().map(|_| Trail::default());
    while state.tick < clock.tick_of(last) {
        let advanced = advance_frame(built, &mut state, &inputs, &mut times, &mut warnings, trail.as_mut());
        if advanced.is_err() {
            write_trail(built, trail.as_ref(), asked)?;
        }
        advanced?;
        for warning in warnings.drain(..) {
            writer.warning(&warning)?;
        }
        let frame = clock.frame_at(state.tick).unwrap_or(last);
        if frame >= record_from {
            writer.frame(frame, &state)?;
        }
        if progress(frame).is_break() {
            return Err(BakeError::Stopped);
        }
    }
    write_trail(built, trail.as_ref(), asked)?;
    let hash = writer.hash(asked.frames.clone())?.to_hex().to_string();
    writer.finish()?;
    let warnings = TakeReader::open(path)?.warnings()?;
    Ok(Baked {
        frames: asked.frames.clone(),
        substeps: times.len() as u64,
        step_ms: spread(times),
        hash,
        warnings,
        resumed_from,
    })
}

fn write_trail(built: &Built, trail: Option<&Trail>, asked: &Bake) -> Result<(), ExportError> {
    trail.zip(asked.dump.as_ref()).map_or(Ok(()), |(trail, path)| trail.write(&built.stage, path))
}

/// What a take of this stage says about itself.
fn header(built: &Built, scene_text: &str) -> TakeHeader {
    TakeHeader {
        scene_text: scene_text.to_owned(),
        meshes: built.mesh_hashes.clone(),
        sinew_version: env!("CARGO_PKG_VERSION").to_owned(),
        clock: built.stage.clock(),
        bodies: body_headers(&built.stage),
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

fn check_range(built: &Built, asked: &RangeInclusive<i32>) -> Result<(), BakeError> {
    let clock = built.stage.clock();
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
fn check_resumable(path: &Path, asked: &Bake) -> Result<(), BakeError> {
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

/// Where a bake begins.
struct Start {
    writer: TakeWriter,
    state: StageState,
    inputs: BTreeMap<u64, Vec<Input>>,
    resumed_from: Option<i32>,
}

fn start(stage: &Stage, path: &Path, header: &TakeHeader, asked: &Bake) -> Result<Start, TakeError> {
    if !asked.resume {
        let writer = TakeWriter::create(path, header, asked.options)?;
        return Ok(Start { writer, state: stage.first_state(), inputs: BTreeMap::new(), resumed_from: None });
    }
    let resumed = TakeWriter::resume(path, header, asked.options)?;
    let inputs = resumed.inputs.into_iter().collect();
    Ok(match resumed.from {
        None => Start { writer: resumed.writer, state: stage.first_state(), inputs, resumed_from: None },
        Some(from) => Start { writer: resumed.writer, state: from.state, inputs, resumed_from: Some(from.frame) },
    })
}

fn advance_frame(
    built: &mut Built,
    state: &mut StageState,
    inputs: &BTreeMap<u64, Vec<Input>>,
    times: &mut Vec<f64>,
    warnings: &mut Vec<Warning>,
    mut trail: Option<&mut Trail>,
) -> Result<(), BakeError> {
    // Handed to the stage's threads once, not for every substep.
    built.stage.pool().install(|| {
        for _ in 0..built.stage.clock().substeps {
            let input = inputs.get(&state.tick).map_or(&[][..], Vec::as_slice);
            if let Some(trail) = &mut trail {
                trail.note(state);
            }
            let begun = Instant::now();
            let stepped = built.stage.step(state, input);
            let is_smooth = matches!(&stepped, Ok(report) if report.retries == 0);
            if let Some(trail) = trail.as_mut().filter(|_| !is_smooth) {
                trail.end_here();
            }
            match stepped {
                Ok(report) => add_new(warnings, &report.warnings),
                Err(source) => return Err(step_error(built, state, source)),
            }
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        Ok(())
    })
}

/// What goes wrong in every substep is told once a frame.
fn add_new(warnings: &mut Vec<Warning>, more: &[Warning]) {
    for warning in more {
        if warnings.iter().all(|known| (known.body, &known.what) != (warning.body, &warning.what)) {
            warnings.push(warning.clone());
        }
    }
}

fn step_error(built: &Built, state: &StageState, source: StepError) -> BakeError {
    let clock = built.stage.clock();
    let frame = clock.first_frame + (state.tick / u64::from(clock.substeps)) as i32;
    let body = match &source {
        StepError::NotFinite { body, .. }
        | StepError::TornApart { body, .. }
        | StepError::EnergyGained { body, .. } => built.stage.bodies()[body.0 as usize].name.clone(),
        StepError::Cue(sinew_solve::CueError::NotFinite { body, .. }) => body.clone(),
    };
    BakeError::Step { frame, body, source }
}

/// Median and largest; zero where nothing was simulated.
fn spread(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_unstable_by(f64::total_cmp);
    (times.get(times.len() / 2).copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0))
}
