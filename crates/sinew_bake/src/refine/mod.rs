//! Refiners: searches that must perform a scene to answer, such as which force brings a body to a height at a
//! frame.
//!
//! A refiner looks at a document and rehearses it, with changes, as often as it needs. It edits nothing: what
//! it finds are [`Refinement`]s, commands on the document with what they were measured to do, from which the
//! user chooses. A director is a function of an interval and never searches (decision 0014).

mod goal;
mod reach;

pub use goal::ReachGoal;
pub use reach::{MeasureName, Reach};

use crate::run::{Run, RunLimits, Staging};
use crate::{BuildError, Built, Workshop, build_with, take_header};
use sinew_scene::{Command, Document, SceneError};
use sinew_solve::StepError;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A search over performances of a scene.
pub trait Refiner {
    /// What it does, for a list of jobs.
    fn label(&self) -> String;

    /// What it finds, best first; never empty.
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
}

/// How far a refiner is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineProgress {
    /// Performances begun so far.
    pub runs: u32,
    /// Of the present one, 0 to 1.
    pub fraction: f64,
}

/// Why a refiner found nothing.
#[derive(Debug, thiserror::Error)]
pub enum RefineError {
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("frame {frame} could not be simulated: {source}")]
    Step { frame: i32, source: StepError },
    #[error("it was stopped")]
    Stopped,
    #[error("frame {frame} is not within the scene's {first} to {last}")]
    OutsideScene { frame: i32, first: i32, last: i32 },
    #[error("there is no number or curve at {path}")]
    NoNumber { path: String },
    #[error("nothing is measured as {asked}; there is: {known}")]
    NoMeasure { asked: String, known: String },
    #[error(
        "{goal} {unit} is out of reach: {path} from {from} to {to} gives {least} to {most} {unit}, closest at {closest}"
    )]
    OutOfReach { goal: f64, unit: String, path: String, from: f64, to: f64, least: f64, most: f64, closest: f64 },
    #[error("there is no metaphor with a goal by force at {path}")]
    NoGoal { path: String },
    #[error("{goal} {unit} is out of reach: {newton:.3} N at {path} brings it to {closest:.3} {unit}")]
    GoalOutOfReach { goal: f64, unit: String, closest: f64, newton: f64, path: String },
}

impl RefineError {
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::NoNumber { .. } => Some("name a number of the scene, such as body.bar.director.push.newton"),
            Self::NoMeasure { .. } => Some("name one of these, or BODY/centre_x, centre_y, centre_z or speed"),
            Self::OutOfReach { .. } => Some("search further with --between, or change something else"),
            Self::NoGoal { .. } => Some(
                "name one, such as body.bar.director.bend, and give it goal = { amount = 60.0, from = 1, at = 40 }",
            ),
            Self::GoalOutOfReach { .. } => Some(
                "ask for less, make its regions larger, set bounded = false, or meet the goal from inside (by = \"inside\")",
            ),
            _ => None,
        }
    }
}

/// Where a refiner performs its scene.
pub struct Rehearsal<'a> {
    document: &'a Document,
    folder: PathBuf,
    threads: usize,
    workshop: Workshop,
    runs: u32,
    progress: Box<dyn FnMut(RefineProgress) -> ControlFlow<()> + 'a>,
}

/// A performance, ended at the frame it was asked for.
pub struct Rehearsed {
    pub built: Built,
    pub run: Run,
}

impl<'a> Rehearsal<'a> {
    /// Meshes lie relative to `folder`. `progress` is told after every frame, and may stop the search.
    pub fn new(
        document: &'a Document,
        folder: &Path,
        threads: usize,
        progress: impl FnMut(RefineProgress) -> ControlFlow<()> + 'a,
    ) -> Self {
        let (folder, workshop) = (folder.to_owned(), Workshop::default());
        Self { document, folder, threads, workshop, runs: 0, progress: Box::new(progress) }
    }

    pub fn document(&self) -> &Document {
        self.document
    }

    /// Performances so far.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// Performs the document with a change, up to a frame.
    pub fn perform(&mut self, change: &Command, last: i32) -> Result<Rehearsed, RefineError> {
        self.runs += 1;
        let mut changed = Document::parse(self.document.text(), "rehearsal")?;
        changed.apply(change)?;
        let mut built = build_with(changed.scene(), &self.folder, self.threads, &mut self.workshop)?;
        let clock = built.stage.clock();
        if last <= clock.first_frame || last > clock.last_frame {
            return Err(RefineError::OutsideScene { frame: last, first: clock.first_frame, last: clock.last_frame });
        }
        let made_of = Arc::new(take_header(&built.stage, &built.mesh_hashes, changed.text()));
        let staging = Staging { made_of, outline: None };
        let mut run = Run::begin(staging, clock.first_frame, built.stage.first_state(), RunLimits::NO_STATES);
        let pool = built.stage.pool();
        while run.at() < last {
            let stepped = pool.install(|| run.step_frame(&mut built.stage));
            stepped.map_err(|source| RefineError::Step { frame: run.at() + 1, source })?;
            let fraction = f64::from(run.at() - clock.first_frame) / f64::from(last - clock.first_frame);
            if (self.progress)(RefineProgress { runs: self.runs, fraction }).is_break() {
                return Err(RefineError::Stopped);
            }
        }
        Ok(Rehearsed { built, run })
    }
}
