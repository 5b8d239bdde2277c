//! Refiners: searches that must perform a scene to answer, such as which force brings a body to a height at a
//! frame.
//!
//! A refiner looks at a document and rehearses it, with changes, as often as it needs. It edits nothing: what
//! it finds are [`Refinement`]s, commands on the document with what they were measured to do, from which the
//! user chooses. A director is a function of an interval and never searches (decision 0014).

mod auto_keys;
mod exact_keys;
mod goal;
mod plan;
mod reach;

pub use auto_keys::AutoKeys;
pub use exact_keys::ExactKeys;
pub use goal::ReachGoal;
pub use plan::SolvePlans;
pub use reach::{MeasureName, Reach};

use crate::assets::{Asset, AssetError, Assets};
use crate::keys::KeyFileError;
use crate::run::{Run, RunLimits, Staging};
use crate::{BuildError, Built, Stage, Workshop, build_with, take_header};
use sinew_direct::key_shapes::KeyTrouble;
use sinew_math::DVec3;
use sinew_scene::{Command, Document, SceneError};
use sinew_solve::{StageState, StepError};
use sinew_stage::remedy;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Degrees.
const HALF_A_TURN: f64 = 180.0;

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

/// How far a refiner is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineProgress {
    /// Performances begun so far; parts of one count as one.
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
    #[error("frame {frame} could not be simulated: body {body:?}: {what}")]
    Step { frame: i32, body: String, what: String, error: StepError },
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
    #[error(
        "there are no key shapes at {path} that can be hit: keys at whole frames within the scene, after its first"
    )]
    NoKeys { path: String },
    #[error(
        "the keys of {path} are met already: the body is {percent:.2} % of its size off at most, and there is nothing to do"
    )]
    KeysMet { path: String, percent: f64 },
    #[error(
        "the keys of {path} were not hit, and nothing is changed: after {runs} tries the body is still {percent:.2} % of its size off at frame {frame}; {why}"
    )]
    KeysNotHit { path: String, percent: f64, frame: i32, runs: u32, why: String },
    #[error("there is no plan {asked:?} in the scene; there is: {known}")]
    NoPlan { asked: String, known: String },
    #[error(transparent)]
    Plan(#[from] crate::plans::PlanTrouble),
    #[error("there is no body {body:?}")]
    NoBody { body: String },
    #[error("body {body:?} touches nothing that it did not touch from the start")]
    NoContacts { body: String },
    #[error("what body {body:?} looks like at frame {frame} is no key shape: {trouble}")]
    Folded { body: String, frame: i32, trouble: KeyTrouble },
    #[error("its flesh takes no key shapes: {what}")]
    Flesh { what: String },
    #[error("a key shape could not be kept")]
    KeyFile(#[source] KeyFileError),
    #[error("there is no metaphor with a goal at {path}")]
    NoGoal { path: String },
    #[error("{goal} {unit} is out of reach: {newton:.3} N at {path} brings it to {closest:.3} {unit}")]
    GoalOutOfReach { goal: f64, unit: String, closest: f64, newton: f64, path: String },
    #[error(
        "{goal} {unit} is out of reach from inside: the best contraction at {path} brings it to {closest:.3} {unit}"
    )]
    ContractionOutOfReach { goal: f64, unit: String, closest: f64, path: String },
}

impl RefineError {
    /// What would be right, where the message does not say so.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::Step { error, .. } => Some(remedy(error)),
            Self::OutsideScene { .. } => Some("stay within them, or make the scene longer (scene.frames)"),
            Self::NoNumber { .. } => Some("name a number of the scene, such as body.bar.director.push.newton"),
            Self::NoMeasure { .. } => Some("name one of these, or BODY/centre_x, centre_y, centre_z or speed"),
            Self::OutOfReach { .. } => Some("search further with --between, or change something else"),
            Self::NoKeys { .. } => Some("name a director of kind \"key_shapes\", such as body.ball.director.shape"),
            Self::Folded { .. } => Some(
                "it is crushed there: make it stiffer, let it fall less far, take more substeps, or solver = { kind = \"fem\" }",
            ),
            Self::KeysMet { .. } => Some("ask for more with --within, in per cent"),
            Self::KeysNotHit { .. } => Some(
                "give the body more time between its keys, ask for less, or make it stiffer: flesh that is pressed or swings freely does not get there",
            ),
            Self::NoPlan { .. } => Some("give a body a director of kind \"plan\", or name one of these"),
            Self::Plan(trouble) => trouble.help(),
            Self::NoBody { .. } => Some("name a body of the scene"),
            Self::NoContacts { .. } => Some("let it fall on something, or make the scene longer"),
            Self::NoGoal { .. } => Some(
                "name one, such as body.bar.director.bend, and give it goal = { amount = 60.0, from = 1, at = 40 }",
            ),
            // Only a twist goes beyond half a turn.
            Self::GoalOutOfReach { goal, unit, .. } if unit == "deg" && goal.abs() > HALF_A_TURN => Some(
                "a slender limb that is twisted by more than about 200 degrees buckles and coils up instead: ask for less, twist a thicker or shorter stretch of it, hold it or stretch it as well, or meet the goal from inside (by = \"inside\")",
            ),
            Self::GoalOutOfReach { .. } => Some(
                "ask for less, make its regions larger, set bounded = false, or meet the goal from inside (by = \"inside\")",
            ),
            Self::ContractionOutOfReach { .. } => {
                Some("ask for less, give it more frames, or make the body stiffer or lighter")
            }
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
    prepared: Option<Rehearsed>,
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
        Self { document, folder, threads, workshop, prepared: None, runs: 0, progress: Box::new(progress) }
    }

    pub fn document(&self) -> &Document {
        self.document
    }

    /// Performances so far.
    pub fn runs(&self) -> u32 {
        self.runs
    }

    /// What flesh is made with, and where meshes lie.
    pub(crate) fn with_workshop<T>(&mut self, run: impl FnOnce(&Path, &mut Workshop) -> T) -> T {
        run(&self.folder, &mut self.workshop)
    }

    /// Tells how far a search is that performs nothing; whether it may go on.
    pub(crate) fn tell(&mut self, at: RefineProgress) -> ControlFlow<()> {
        (self.progress)(at)
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
        let built = build_with(changed.scene(), &self.folder, self.threads, &mut self.workshop)?;
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
            return Err(RefineError::OutsideScene { frame: last, first: clock.first_frame, last: clock.last_frame });
        }
        let pool = built.stage.pool();
        while run.at() < last {
            let stepped = pool.install(|| run.step_frame(&mut built.stage));
            stepped.map_err(|error| {
                let (body, what) = built.stage.blame(&error);
                RefineError::Step { frame: run.at() + 1, body, what, error }
            })?;
            told(run.at(), &built.stage, run.state());
            let fraction = f64::from(run.at() - clock.first_frame) / f64::from(whole - clock.first_frame);
            if (self.progress)(RefineProgress { runs: self.runs, fraction }).is_break() {
                return Err(RefineError::Stopped);
            }
        }
        Ok(Rehearsed { built, run })
    }
}
