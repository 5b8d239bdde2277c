//! Refiners: searches that must perform a scene to answer, such as which force brings a body to a height at a
//! frame.
//!
//! A refiner looks at a document and rehearses it, with changes, as often as it needs. It edits nothing: what
//! it finds are [`Refinement`]s, commands on the document with what they were measured to do, from which the
//! user chooses. A director is a function of an interval and never searches (decision 0014).

mod auto_keys;
mod error;
mod exact_keys;
mod goal;
mod plan;
mod reach;
mod sink;

pub use auto_keys::{AutoKeys, AutoKeysError};
pub use error::{RefineError, SearchError};
pub use exact_keys::{ExactKeys, ExactKeysError};
pub use goal::{ReachGoal, ReachGoalError};
pub(crate) use plan::UNSOUND;
pub use plan::{SolvePlans, SolvePlansError};
pub use reach::{MeasureName, Reach, ReachError};
pub use sink::{RefinePicture, RefineProgress, RefineSink};

use crate::assets::{Asset, AssetError, Assets};
use crate::run::{Run, RunLimits, Staging};
use crate::{Built, Stage, Workshop, build_with, take_header};
use sinew_math::DVec3;
use sinew_scene::{Command, Document};
use sinew_solve::{StageState, StepError, StopFlag};
use sink::Easel;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A search for changes of a scene. Most perform it; one that plans need not, and takes the document, the
/// folder and the flag from its rehearsal.
pub trait Refiner {
    /// What it does, for a list of jobs.
    fn label(&self) -> String;

    /// What it finds, best first; never empty. What it has so far it [offers](Rehearsal::offer) on its way,
    /// so that whoever stops it keeps that.
    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError>;
}

/// One way to get there.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    pub label: String,
    /// To be applied to the document, all as one edit.
    pub command: Command,
    /// What was measured with it: name, unit, value.
    pub outcome: Vec<(String, String, f64)>,
    /// What it does not do, and why.
    pub notes: Vec<String>,
    /// Files that the command names, to be stored before it is applied.
    pub assets: Vec<Asset>,
}

impl Refinement {
    /// Stores the files that the command names.
    pub fn store_assets(&self, assets: &Assets) -> Result<(), AssetError> {
        self.assets.iter().try_for_each(|asset| assets.store_asset(asset))
    }
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// Best first; never empty.
    pub alternatives: Vec<Refinement>,
    /// False where it was stopped before its end: these are the best by then.
    pub is_whole: bool,
}

/// Runs a refiner to its end, or until it is stopped. What it had offered by then is kept; without any, being
/// stopped is an error.
pub fn search(refiner: &(impl Refiner + ?Sized), rehearsal: &mut Rehearsal<'_>) -> Result<Refined, RefineError> {
    match refiner.refine(rehearsal) {
        Ok(alternatives) => Ok(Refined { alternatives, is_whole: true }),
        Err(RefineError::Stopped) if !rehearsal.offered.is_empty() => {
            Ok(Refined { alternatives: std::mem::take(&mut rehearsal.offered), is_whole: false })
        }
        Err(error) => Err(error),
    }
}

/// Where a refiner performs its scene.
pub struct Rehearsal<'a> {
    document: &'a Document,
    folder: PathBuf,
    threads: usize,
    workshop: Workshop,
    prepared: Option<Rehearsed>,
    runs: u32,
    stop: StopFlag,
    /// What the search has found so far, best first.
    offered: Vec<Refinement>,
    easel: Easel,
    sink: Box<dyn RefineSink + 'a>,
}

/// A performance, ended at the frame it was asked for.
pub struct Rehearsed {
    pub built: Built,
    pub run: Run,
}

impl<'a> Rehearsal<'a> {
    /// Meshes lie relative to `folder`. The sink is told after every frame, and may stop the search.
    pub fn new(document: &'a Document, folder: &Path, threads: usize, sink: impl RefineSink + 'a) -> Self {
        Self::stopped_by(StopFlag::default(), document, folder, threads, sink)
    }

    /// The same with a flag that ends the search at any time, also within a step or while meshes are grown.
    pub fn stopped_by(
        stop: StopFlag,
        document: &'a Document,
        folder: &Path,
        threads: usize,
        sink: impl RefineSink + 'a,
    ) -> Self {
        let (folder, mut workshop) = (folder.to_owned(), Workshop::default());
        let growing = stop.clone();
        workshop.watch(move |_| if growing.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        Self {
            document,
            folder,
            threads,
            workshop,
            prepared: None,
            runs: 0,
            stop,
            offered: Vec::new(),
            easel: Easel::default(),
            sink: Box::new(sink),
        }
    }

    pub fn document(&self) -> &Document {
        self.document
    }

    /// Where meshes and assets of the document lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Threads to use; what is found does not depend on it.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Performances so far.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// What flesh is made with, and where meshes lie.
    pub(crate) fn with_workshop<T>(&mut self, run: impl FnOnce(&Path, &mut Workshop) -> T) -> T {
        run(&self.folder, &mut self.workshop)
    }

    /// Read between iterations by who does not perform; once it is set the search is over.
    pub fn stop(&self) -> &StopFlag {
        &self.stop
    }

    /// What there is to choose from so far, best first: it takes the place of what was offered before, and is
    /// kept when the search is stopped.
    pub fn offer(&mut self, so_far: Vec<Refinement>) {
        tracing::debug!(alternatives = so_far.len(), runs = self.runs, "a search has found something");
        self.offered = so_far;
        self.sink.offered(&self.offered);
    }

    /// The best so far as it looks at a frame. The sink sees the latest at most twice a second.
    pub fn show(&mut self, picture: impl FnOnce() -> RefinePicture) {
        if let Some(due) = self.easel.put(picture) {
            self.sink.picture(due);
        }
    }

    /// How far the search is, 0 to 1, where it is not told by performances.
    pub fn progress(&mut self, fraction: f64) -> Result<(), RefineError> {
        self.tell(RefineProgress { runs: self.runs, fraction })
    }

    fn tell(&mut self, at: RefineProgress) -> Result<(), RefineError> {
        if let Some(due) = self.easel.due() {
            self.sink.picture(due);
        }
        if self.sink.progress(at).is_break() {
            self.stop.set();
        }
        if self.stop.is_set() { Err(RefineError::Stopped) } else { Ok(()) }
    }

    /// The document on its stage, at the start.
    pub(crate) fn prepare(&mut self) -> Result<&Rehearsed, RefineError> {
        let prepared = self.stage(&Command::Batch { label: None, commands: Vec::new() }, None)?;
        Ok(self.prepared.insert(prepared))
    }

    /// Puts shapes where bodies find key shapes, under the names of assets that need not exist. The stage must be prepared.
    pub(crate) fn lend(&self, body: usize, shapes: &[(String, Arc<Vec<DVec3>>)]) {
        if let Some(prepared) = &self.prepared {
            let shelf = &prepared.built.shelves[body];
            shapes.iter().for_each(|(name, shape)| shelf.lend(name, shape.clone()));
        }
    }

    /// Performs the document with a change, up to a frame.
    pub fn perform(&mut self, change: &Command, last: i32) -> Result<Rehearsed, RefineError> {
        self.perform_staged_with(change, last, |_, _, _| {})
    }

    /// Performs the document as it is, told of stage and state at every frame.
    pub(crate) fn perform_staged(
        &mut self,
        last: i32,
        told: impl FnMut(i32, &Stage, &StageState),
    ) -> Result<Rehearsed, RefineError> {
        self.perform_staged_with(&Command::Batch { label: None, commands: Vec::new() }, last, told)
    }

    fn stage(&mut self, change: &Command, from: Option<(i32, &StageState)>) -> Result<Rehearsed, RefineError> {
        let mut changed = Document::parse(self.document.text(), "rehearsal")?;
        changed.apply(change)?;
        let built = build_with(changed.scene(), &self.folder, self.threads, &mut self.workshop);
        if self.stop.is_set() {
            return Err(RefineError::Stopped);
        }
        let mut built = built?;
        built.stage.stop_by(self.stop.clone());
        let made_of = Arc::new(take_header(&built.stage, &built.mesh_hashes, changed.text()));
        let staging = Staging { made_of, outline: None };
        let (frame, state) = match from {
            Some((frame, state)) => (frame, state.clone()),
            None => (built.stage.clock().first_frame, built.stage.first_state()),
        };
        let run = Run::begin(staging, frame, state, RunLimits::NO_STATES);
        Ok(Rehearsed { built, run })
    }

    /// Performs a part of the document with a change: from a frame and the state there, or from its start. Progress is that of the whole.
    pub(crate) fn perform_from(
        &mut self,
        change: &Command,
        from: Option<(i32, &StageState)>,
        last: i32,
    ) -> Result<Rehearsed, RefineError> {
        let staged = self.stage(change, from)?;
        let whole = staged.built.stage.clock().last_frame;
        self.play(staged, last, whole, |_, _, _| {})
    }

    fn perform_staged_with(
        &mut self,
        change: &Command,
        last: i32,
        told: impl FnMut(i32, &Stage, &StageState),
    ) -> Result<Rehearsed, RefineError> {
        let staged = self.stage(change, None)?;
        self.play(staged, last, last, told)
    }

    fn play(
        &mut self,
        Rehearsed { mut built, mut run }: Rehearsed,
        last: i32,
        whole: i32,
        mut told: impl FnMut(i32, &Stage, &StageState),
    ) -> Result<Rehearsed, RefineError> {
        self.runs += 1;
        let clock = built.stage.clock();
        if last <= clock.first_frame || last > clock.last_frame {
            let (first, last_frame) = (clock.first_frame, clock.last_frame);
            return Err(RefineError::OutsideScene { frame: last, first, last: last_frame });
        }
        let pool = built.stage.pool();
        while run.at() < last {
            let stepped = pool.install(|| run.step_frame(&mut built.stage));
            stepped.map_err(|error| {
                if error == StepError::Stopped {
                    return RefineError::Stopped;
                }
                let (body, what) = built.stage.blame(&error);
                RefineError::Step { frame: run.at() + 1, body, what, error }
            })?;
            told(run.at(), &built.stage, run.state());
            let fraction = f64::from(run.at() - clock.first_frame) / f64::from(whole - clock.first_frame);
            self.tell(RefineProgress { runs: self.runs, fraction })?;
        }
        Ok(Rehearsed { built, run })
    }
}
