//! Stages made beside the running one. One build at a time; what was edited meanwhile is built next.

use super::change::{self, Change};
use super::jobs::{Jobs, Told};
use super::units::{self, MeshSize};
use super::{Desk, DeskOrder, OnStage};
use crate::protocol::{Command, Level, Notice, NoticeAction};
use crate::runner::{Order, Staged, Start};
use crate::show::Show;
use crate::show::take_header_of;
use crate::stage_show::StageShow;
use sinew_bake::take::TakeHeader;
use sinew_bake::{BuildError, BuildWarning, Built, Seating, Workshop, build_with};
use sinew_scene::model::{self, Grown};
use sinew_scene::{Document, Scene, SceneError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

pub(super) struct Builder {
    /// Away while a build has it.
    workshop: Option<Workshop>,
    report: Option<Sender<DeskOrder>>,
    /// What is being made, in words.
    pub(super) making: Option<String>,
    /// Counts opened scenes, so that what was made for another one is told apart.
    pub(super) scene_number: u32,
    pub(super) threads: usize,
    /// The import that waits for flesh to grow.
    pub(super) meshing: Option<Told>,
    /// The build that is under way.
    job: Option<Told>,
    /// The largest build that the user wants although it takes much of the machine.
    pub(super) allowed_bytes: u64,
}

/// A stage that was made.
pub(super) struct Made {
    pub(super) show: Box<dyn Show>,
    pub(super) seating: Vec<Seating>,
    pub(super) sizes: Vec<MeshSize>,
    pub(super) mesh_hashes: BTreeMap<String, [u8; 32]>,
    pub(super) notices: Vec<Notice>,
}

/// What came of a build beside the stage.
pub(crate) struct BuildDone {
    scene: Scene,
    scene_number: u32,
    workshop: Workshop,
    outcome: Result<Ready, BuildError>,
}

/// A stage that can be shown at once.
struct Ready {
    staged: Staged,
    seating: Vec<Seating>,
    sizes: Vec<MeshSize>,
    notices: Vec<Notice>,
}

impl Made {
    /// The stage as takes name it.
    pub(super) fn made_of(&self, text: &str) -> Arc<TakeHeader> {
        take_header_of(&*self.show, &self.mesh_hashes, text)
    }
}

impl BuildDone {
    pub(super) fn scene_number(&self) -> u32 {
        self.scene_number
    }

    /// Why there is no stage.
    pub(super) fn failure(&self) -> Option<String> {
        self.outcome.as_ref().err().map(|error| match error.help() {
            Some(help) => format!("{error}; {help}"),
            None => error.to_string(),
        })
    }
}

impl Builder {
    pub(super) fn new() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            workshop: Some(Workshop::default()),
            report: None,
            making: None,
            scene_number: 0,
            threads,
            meshing: None,
            job: None,
            allowed_bytes: 0,
        }
    }

    pub(super) fn report_to(&mut self, desk: Sender<DeskOrder>) {
        self.report = Some(desk);
    }

    pub(super) fn build_now(&mut self, name: &str, scene: &Scene, folder: &Path) -> Result<Made, BuildError> {
        let mut workshop = self.workshop.take().unwrap_or_default();
        let made = make(name, scene, folder, self.threads, &mut workshop);
        self.workshop = Some(workshop);
        made
    }

    /// A stage beside the running one, with as many threads and of the same flesh where the workshop is at hand.
    pub(super) fn build_beside(&mut self, scene: &Scene, folder: &Path) -> Result<Built, BuildError> {
        match &mut self.workshop {
            Some(workshop) => build_with(scene, folder, self.threads, workshop),
            None => build_with(scene, folder, self.threads, &mut Workshop::default()),
        }
    }

    /// Starts a build unless one is under way. Whether it did.
    fn start(
        &mut self,
        name: &str,
        document: &Document,
        folder: PathBuf,
        (start, what): (Start, String),
        jobs: &mut Jobs,
    ) -> bool {
        let (Some(mut workshop), Some(report)) = (self.workshop.take(), self.report.clone()) else { return false };
        let (name, threads, scene_number) = (name.to_owned(), self.threads, self.scene_number);
        let (scene, text) = (document.scene().clone(), document.text().to_owned());
        let told = self.meshing.clone().unwrap_or_else(|| jobs.begin_build(&what));
        self.making = Some(what);
        self.job = Some(told.clone());
        workshop.watch(move |share| told.step("meshing", Some(share)));
        let work = move || {
            let made = make(&name, &scene, &folder, threads, &mut workshop);
            let outcome = made.map(|made| {
                let made_of = made.made_of(&text);
                let Made { show, seating, sizes, notices, .. } = made;
                Ready { staged: Staged::new(show, start, made_of), seating, sizes, notices }
            });
            let done = BuildDone { scene, scene_number, workshop, outcome };
            let _ = report.send(DeskOrder::Built(Box::new(done)));
        };
        if std::thread::Builder::new().name("build".into()).spawn(work).is_err() {
            (self.workshop, self.making) = (Some(Workshop::default()), None);
            return false;
        }
        true
    }
}

fn make(name: &str, scene: &Scene, folder: &Path, threads: usize, workshop: &mut Workshop) -> Result<Made, BuildError> {
    if scene.bodies.is_empty() {
        let (what, help) = ("the scene has no body to show", "add a body");
        return Err(BuildError::Scene { at: "body".into(), what: what.into(), help: help.into() });
    }
    let built = build_with(scene, folder, threads, workshop)?;
    let seating = Seating::of(&built);
    let notices = built.warnings.into_iter().map(|warning| noticed(scene, warning)).collect();
    let show = StageShow::new(name, scene, built.stage);
    let sizes = units::sizes(scene, &show);
    Ok(Made { seating, sizes, show: Box::new(show), mesh_hashes: built.mesh_hashes, notices })
}

/// A warning of the build, with buttons for what would help.
fn noticed(scene: &Scene, warning: BuildWarning) -> Notice {
    let instead = finer_flesh(scene, &warning.at).or_else(|| solved(&warning));
    // A tip for the command line is none for who has a button.
    let help = if instead.is_some() { None } else { Some(warning.help.clone()) };
    let actions = instead.into_iter().chain(switched_on(&warning)).collect();
    Notice { level: Level::Warning, path: Some(warning.at), text: warning.what, help, actions }
}

/// Switches of a metaphor that a warning's help names: one click sets them.
fn switched_on(warning: &BuildWarning) -> Option<NoticeAction> {
    let (name, key) = [("Balance it", "balanced"), ("Bound it", "bounded")]
        .into_iter()
        .find(|(_, key)| warning.help.contains(&format!("{key} = true")))?;
    let set = sinew_scene::Command::Set { path: format!("{}.{key}", warning.at), value: true.into() };
    Some(NoticeAction { name: name.to_owned(), command: Command::Edit { command: set } })
}

/// The search for what meets a metaphor's goal, or for the motion of a plan, where a warning asks for it.
fn solved(warning: &BuildWarning) -> Option<NoticeAction> {
    let searches = [("sinew refine goal", "Solve"), ("sinew refine plan", "Plan")];
    let (_, name) = searches.into_iter().find(|(command, _)| warning.help.contains(command))?;
    let director = warning.at.clone();
    Some(NoticeAction { name: name.to_owned(), command: Command::Refine { director } })
}

/// Twice the vertices for a body whose flesh is too coarse for its skin; none where that is as fine as it gets.
fn finer_flesh(scene: &Scene, at: &str) -> Option<NoticeAction> {
    let body = scene.bodies.iter().find(|body| {
        at.strip_prefix("body.")
            .is_some_and(|at| at.strip_prefix(body.name.as_str()).is_some_and(|rest| rest.starts_with(".skin")))
    })?;
    let model::Flesh::Grown(Grown::Tets { vertices, .. }) = body.flesh else { return None };
    let finer = vertices.saturating_mul(2).div_ceil(100) * 100;
    let set = sinew_scene::Command::Set { path: format!("body.{}.flesh.vertices", body.name), value: finer.into() };
    let name = format!("Use {} vertices", super::estimate::grouped(u64::from(finer)));
    (finer <= 20_000).then_some(NoticeAction { name, command: Command::Edit { command: set } })
}

/// A build's error at its line of the scene.
pub(super) fn located(document: &Document, error: &BuildError) -> SceneError {
    match error {
        BuildError::Scene { at, what, help } => document.problem_at(at, what, Some(help.clone())),
        other => document.problem_at("", other.to_string(), None),
    }
}

fn problem(error: &BuildError) -> Notice {
    let (path, text) = match error {
        BuildError::Scene { at, what, .. } => (Some(at.clone()), what.clone()),
        other => (None, other.to_string()),
    };
    Notice { level: Level::Problem, path, text, help: error.help().map(str::to_owned), actions: Vec::new() }
}

/// Warnings of directors change as directors do, without a new stage.
fn is_of_a_director(notice: &Notice) -> bool {
    notice.path.as_ref().is_some_and(|path| path.contains(".director."))
}

/// Whether a stage has to be made for it.
fn is_rebuild(change: Change) -> bool {
    matches!(change, Change::Around | Change::Stage)
}

impl Desk {
    /// Brings the stage after the document, and tells pages.
    pub(super) fn follow(&mut self) {
        let change = match &self.on_stage {
            Some(on_stage) => change::between(&on_stage.scene, self.document.scene()),
            None => Change::Stage,
        };
        match change {
            Change::Nothing => self.forget_problems(),
            Change::Events if self.builder.making.is_none() => self.reschedule(),
            Change::Directors if self.builder.making.is_none() => self.redirect(),
            Change::Events | Change::Directors | Change::Around | Change::Stage => self.rebuild(),
        }
        self.tell_keys();
        self.tell();
    }

    /// Gives the bodies on stage the directors of the document. While fields are painted the stage runs on with the old ones.
    fn redirect(&mut self) {
        let Some(on_stage) = &mut self.on_stage else { return };
        match sinew_bake::directors(self.document.scene(), &on_stage.seating) {
            Ok(directors) => {
                on_stage.scene = self.document.scene().clone();
                let text = self.document.text().to_owned();
                on_stage.made_of = Arc::new(TakeHeader { scene_text: text, ..TakeHeader::clone(&on_stage.made_of) });
                let order = Order::Redirect(directors, on_stage.script(), on_stage.made_of.clone());
                let warnings = sinew_bake::direction_warnings(&on_stage.scene, &on_stage.seating);
                let told = warnings.into_iter().map(|warning| noticed(&on_stage.scene, warning)).collect::<Vec<_>>();
                self.forget_problems();
                self.notices.retain(|notice| !is_of_a_director(notice));
                self.notices.extend(told);
                let _ = self.stage.send(order);
                self.redirect_preview();
            }
            Err(error) => self.note_problem(&error),
        }
    }

    /// Starts to make the stage anew; where one is being made already, that one's end comes back here. Nobody waits for one that
    /// was edited since: it is stopped, but not by each step of a drag, which would then show nothing.
    fn rebuild(&mut self) {
        /// A step of a drag may take this long to be seen.
        const PATIENCE: Duration = Duration::from_secs(2);
        if self.builder.making.is_some() {
            if let Some(job) = self.builder.job.as_ref().filter(|_| self.builder.meshing.is_none())
                && (self.gesture.is_none() || job.elapsed() > PATIENCE)
            {
                job.stop();
            }
            return;
        }
        if let Some(question) = self.builder.question(self.document.scene()) {
            self.forget_problems();
            self.notices.push(question);
            return;
        }
        let (start, what) = match self.on_stage {
            None => (Start::Fresh, format!("opening {}", self.name)),
            Some(_) => (Start::Over, "making the stage anew".to_owned()),
        };
        let folder = self.folder.project_of(self.document.path());
        if !self.builder.start(&self.name, &self.document, folder, (start, what), &mut self.jobs) {
            self.notices.push(Notice {
                level: Level::Problem,
                path: None,
                text: "the stage could not be made anew: no thread could be started".into(),
                help: None,
                actions: Vec::new(),
            });
        }
    }

    /// A stage is ready, or could not be made. It is shown unless it is of another scene, or the old one will do again.
    pub(super) fn take_built(&mut self, done: BuildDone) {
        self.end_meshing(&done);
        let BuildDone { scene, scene_number, workshop, outcome } = done;
        self.builder.workshop = Some(workshop);
        self.builder.making = None;
        if let Some(job) = self.builder.job.take() {
            job.vanish();
        }
        let is_of_this = scene_number == self.builder.scene_number;
        let is_wanted = match &self.on_stage {
            Some(on_stage) => is_rebuild(change::between(&on_stage.scene, self.document.scene())),
            None => true,
        };
        if is_of_this && is_wanted {
            match outcome {
                Ok(Ready { mut staged, seating, sizes, notices }) => {
                    let goes_on = |on_stage: &OnStage| change::between(&on_stage.scene, &scene) != Change::Stage;
                    if self.on_stage.as_ref().is_some_and(goes_on) {
                        staged.start = Start::Where;
                    }
                    self.on_stage = Some(OnStage { scene, made_of: staged.made_of.clone(), seating, sizes });
                    self.notices = [notices, self.import_notices.clone()].concat();
                    self.takes.hide();
                    let _ = self.stage.send(Order::Restage(Box::new(staged)));
                    self.restage_preview();
                }
                // The same scene would fail the same way; another one is tried.
                Err(error) if !is_rebuild(change::between(&scene, self.document.scene())) => {
                    self.note_problem(&error);
                    return self.tell();
                }
                Err(_) => {}
            }
        }
        self.follow();
    }

    fn note_problem(&mut self, error: &BuildError) {
        tracing::warn!(%error, "the scene could not be built");
        self.forget_problems();
        self.notices.push(problem(error));
    }

    /// Warnings stay as long as the stage does they are about.
    pub(super) fn forget_problems(&mut self) {
        self.notices.retain(|notice| notice.level == Level::Warning);
    }
}
