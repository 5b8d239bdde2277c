//! The desk: the thread that owns the document. It carries out edits, decides what they mean for the running stage, and tells
//! every page how the document stands.
//!
//! An edit of the direction is made ready here, painted fields and all, and then handed to the stage, which changes
//! between two frames. An edit of anything else that is on stage has the stage made anew beside the running one
//! ([`build`]). Files are only ever touched inside the opened folder ([`folder`]).

mod adding;
mod autosave;
mod build;
mod carrying;
mod change;
mod copying;
mod delivery;
mod edits;
mod estimate;
mod events;
mod files;
mod folder;
mod gallery;
mod ghosts;
mod import;
mod jobs;
mod keys;
mod opening;
mod order;
mod output;
mod preferences;
mod refine;
mod sculpt;
mod takes;
mod telling;
mod units;

pub(crate) use adding::Part;
pub(crate) use folder::Folder;
pub(crate) use import::Import;
pub use opening::Opening;
pub(crate) use order::{Ask, DeskOrder, Happened};
pub(crate) use preferences::{Preferences, check as check_preference};

use crate::StudioError;
use crate::board::Board;
use crate::protocol::{Command, Event, Notice};
use crate::runner::{Order, PageId, Staged, Start};
use autosave::Autosave;
use build::Builder;
use import::Meshing;
use jobs::Jobs;
use refine::Refined;
use sculpt::Sculpting;
use sinew_bake::take::TakeHeader;
use sinew_bake::{Script, Seating};
use sinew_io::disk::{as_private_as, remove_abandoned_parts};
use sinew_scene::{Document, Scene, SceneError};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender};
use std::time::{Duration, Instant, SystemTime};
use takes::KeptTakes;
use tokio::sync::mpsc;
use units::MeshSize;

pub(crate) struct Desk {
    board: Arc<Board>,
    stage: SyncSender<Order>,
    folder: Folder,
    document: Document,
    name: String,
    /// Where the scene came from, if it is a built-in one that was never saved.
    builtin: Option<String>,
    on_stage: Option<OnStage>,
    builder: Builder,
    /// What the last build and the last painting said.
    notices: Vec<Notice>,
    /// The page whose gesture is under way, and its label.
    gesture: Option<(PageId, String)>,
    autosave: Autosave,
    /// Where work on built-in scenes is kept.
    /// Size and time of the scene's file when it was last looked at.
    file_seen: Option<(u64, SystemTime)>,
    /// Whether another program wrote to the scene's file.
    is_changed_outside: bool,
    state_folder: Option<PathBuf>,
    jobs: Jobs,
    takes: KeptTakes,
    /// How many ghosts are shown, and how many frames apart.
    ghosts: Option<(u32, u32)>,
    /// The body whose key shapes are shown.
    keyed: Option<u32>,
    /// The key whose shape is in a hand.
    sculpting: Option<Box<Sculpting>>,
    /// What searches found and no edit could take yet.
    refined: VecDeque<Refined>,
    /// Who waits for the stage that is being made, and under which numbers.
    syncing: Vec<(u32, mpsc::Sender<Event>)>,
    /// The import whose scene is being meshed.
    meshing: Option<Meshing>,
    /// What was found wrong with an imported mesh.
    import_notices: Vec<Notice>,
    /// How builds and jobs reach the desk.
    own: Sender<DeskOrder>,
    revision: u32,
}

/// The scene that the stage runs.
struct OnStage {
    scene: Scene,
    /// The same as takes name it.
    made_of: Arc<TakeHeader>,
    seating: Vec<Seating>,
    /// How large its meshes are.
    sizes: Vec<MeshSize>,
}

impl OnStage {
    /// The inputs of its scene's events.
    fn script(&self) -> Script {
        let names = self.seating.iter().map(|body| body.name.as_str());
        sinew_bake::script(&self.scene, sinew_bake::clock(&self.scene), names)
    }

    /// Names and sizes, in the stage's order.
    fn bodies(&self) -> Vec<(String, u32)> {
        let one = |body: &Seating| (body.name.clone(), body.canvas.flesh().point_count() as u32);
        self.seating.iter().map(one).collect()
    }
}

/// What the desk needs of the rest of the studio.
pub(crate) struct Surroundings {
    pub(crate) board: Arc<Board>,
    pub(crate) stage: SyncSender<Order>,
    /// How builds and jobs reach the desk.
    pub(crate) own: Sender<DeskOrder>,
}

/// Why something a page asked was not done.
pub(crate) struct Refusal {
    what: String,
    help: Option<String>,
    path: Option<String>,
}

type Done = Result<(), Refusal>;

impl Desk {
    /// Opens a scene and builds its stage, which is ready to be shown.
    pub(crate) fn open(
        opening: Opening,
        state_folder: Option<PathBuf>,
        around: impl FnOnce(Staged) -> Result<Surroundings, StudioError>,
    ) -> Result<Self, StudioError> {
        let Opening { name, document, folder } = opening;
        let home = Folder::open(&folder).map_err(|source| StudioError::Folder { folder, source })?;
        files::check_inside(&home, &document).map_err(|error| StudioError::Scene(Box::new(error)))?;
        let builtin = document.path().is_none().then(|| name.clone());
        let mut builder = Builder::new();
        let built = builder
            .build_now(&name, document.scene(), &home.project_of(document.path()))
            .map_err(|error| StudioError::Scene(Box::new(build::located(&document, &error))))?;
        let on_stage = OnStage {
            scene: document.scene().clone(),
            made_of: built.made_of(document.text()),
            seating: built.seating,
            sizes: built.sizes,
        };
        let staged = Staged::new(built.show, Start::Fresh, on_stage.made_of.clone());
        let Surroundings { board, stage, own } = around(staged)?;
        builder.report_to(own.clone());
        let autosave = Autosave::of(&document, builtin.as_deref(), state_folder.as_deref(), home.home());
        as_private_as(document.path());
        if let Some(folder) = &state_folder {
            board.preferences.send_replace(preferences::read(folder));
        }
        let mut takes = KeptTakes::new(board.clone());
        takes.find(opening::takes_of(&home, &document));
        tidy(&home, &document);
        let mut desk = Self {
            jobs: Jobs::new(board.clone()),
            takes,
            ghosts: None,
            keyed: None,
            sculpting: None,
            refined: VecDeque::new(),
            syncing: Vec::new(),
            meshing: None,
            import_notices: Vec::new(),
            own,
            board,
            stage,
            folder: home,
            document,
            name,
            builtin,
            on_stage: Some(on_stage),
            builder,
            notices: built.notices,
            gesture: None,
            autosave,
            file_seen: None,
            is_changed_outside: false,
            state_folder,
            revision: 0,
        };
        // Before anyone listens: the first a page hears is how things are, not that nothing is known yet.
        desk.tell_gallery();
        desk.tell();
        Ok(desk)
    }

    pub(crate) fn folder(&self) -> Folder {
        self.folder.clone()
    }

    /// Works until nobody can ask any more.
    pub(crate) fn run(mut self, orders: &Receiver<DeskOrder>) {
        /// How often files are looked after when nobody asks anything.
        const PAUSE: Duration = Duration::from_secs(1);
        let mut inbox = VecDeque::new();
        let mut looked_after = Instant::now();
        loop {
            match orders.recv_timeout(PAUSE) {
                Ok(order) => inbox.push_back(order),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            while let Some(order) = inbox.pop_front() {
                inbox.extend(orders.try_iter());
                if !inbox.front().is_some_and(|next| order::outdates(next, &order)) {
                    self.obey(order);
                }
            }
            if looked_after.elapsed() >= PAUSE {
                looked_after = Instant::now();
                self.look_after_files();
            }
        }
    }

    fn obey(&mut self, order: DeskOrder) {
        match order {
            DeskOrder::Flush(done) => {
                self.autosave.keep_now(&self.document);
                let _ = done.send(());
            }
            DeskOrder::Gone(page) => {
                self.end_gesture_of(page);
                self.end_sculpting_of(page);
            }
            DeskOrder::Built(done) => {
                self.take_built(*done);
                self.pass_syncs_on();
            }
            DeskOrder::Kept(run) => self.take_kept(*run),
            DeskOrder::Refined(refined) => {
                self.refined.push_back(*refined);
                self.write_refined();
            }
            DeskOrder::Seen(seen) => self.take_seen(*seen),
            DeskOrder::Happened(happened) => self.write_down(&happened),
            DeskOrder::Import(import) => self.import(*import),
            DeskOrder::Imported(imported) => self.take_imported(*imported),
            DeskOrder::Added(added) => self.take_added(*added),
            DeskOrder::Ask(Ask { page, reply, command, .. }) => {
                if let Err(refusal) = self.carry_out(page, command, &reply) {
                    let _ = reply.try_send(refusal.told());
                }
            }
        }
    }

    fn carry_out(&mut self, page: PageId, command: Command, reply: &mpsc::Sender<Event>) -> Done {
        match command {
            Command::Edit { command } => self.edit(&command),
            Command::Begin { label } => self.begin(page, label),
            Command::Preview { command } => self.preview(page, &command),
            Command::Commit => self.commit(page),
            Command::Cancel => self.cancel(page),
            Command::Undo => self.travel(true),
            Command::Redo => self.travel(false),
            Command::Open { scene } => self.open_scene(&scene),
            Command::Save { overwrite } => self.save(overwrite, reply),
            Command::SaveAs { file } => self.save_as(&file, reply),
            Command::Recover { keep } => self.recover(keep),
            Command::Export { file, format, options, overwrite } => {
                self.export(&file, format, &options, overwrite, reply)
            }
            Command::Render { file, format, options, overwrite } => {
                self.render(&file, format, &options, overwrite, reply)
            }
            Command::StopJob { id } => self.stop_job(id),
            Command::BuildAnyway => {
                self.build_anyway();
                Ok(())
            }
            Command::KeepTake { name, overwrite } => self.keep_take(name, overwrite, reply.clone()),
            Command::ShowTake { name, instead } => self.show_take(name, instead),
            Command::DropTake { name, sure } => self.drop_take(&name, sure, reply),
            Command::Refine { director } => self.refine(director),
            Command::Keys { body } => self.show_keys(body),
            Command::Key { body, frame, from, director } => {
                self.key(keys::Track::Shapes, body, frame, (from, director), reply)
            }
            Command::PlanKey { body, frame, from, director } => {
                self.key(keys::Track::Plan, body, frame, (from, director), reply)
            }
            Command::KeyPath { body, every, turns } => self.key_path(body, every, turns, reply),
            Command::KeyContacts { body, exaggerated } => self.key_contacts(body, exaggerated),
            Command::Sculpt { body, director, frame, edit, width } => {
                self.sculpt(page, (body, director, frame), width, &edit)
            }
            Command::SculptEnd { keep } => self.end_sculpting(page, keep),
            Command::Sync { id } => {
                self.syncing.push((id, reply.clone()));
                self.pass_syncs_on();
                Ok(())
            }
            Command::Prefer { key, value } => self.prefer(&key, value.as_deref()),
            Command::Ghosts { count, every } => self.show_ghosts((count > 0).then_some((count, every))),
            _ => Ok(()), // the stage's, or the page's own
        }
    }

    /// Lets the stage answer those who asked when all is done, once no stage is being made any more.
    fn pass_syncs_on(&mut self) {
        if self.builder.making.is_some() {
            return;
        }
        for (id, reply) in self.syncing.drain(..) {
            let answer = move || {
                let _ = reply.try_send(Event::Synced { id });
            };
            let _ = self.stage.send(Order::Sync(Box::new(answer)));
        }
    }

    /// Unsaved work is kept beside the scene, and files that came or went are noticed.
    fn look_after_files(&mut self) {
        let is_kept_anew = self.autosave.keep(&self.document);
        if self.look_for_changes() || is_kept_anew {
            self.tell();
        }
        if self.takes.look_again(opening::takes_of(&self.folder, &self.document)) {
            let _ = self.stage.send(Order::ShowTake(None));
        }
        self.tell_gallery();
    }
}

/// What studios that were killed left half written is removed.
fn tidy(home: &Folder, document: &Document) {
    let project = home.project_name(document.path());
    for folder in [PathBuf::new(), project.clone(), project.join("takes"), project.join("assets")] {
        if let Ok(dir) = home.dir().dir(folder) {
            remove_abandoned_parts(&dir);
        }
    }
}

impl Refusal {
    fn new(what: impl Into<String>, help: &str) -> Self {
        Self { what: what.into(), help: (!help.is_empty()).then(|| help.to_owned()), path: None }
    }

    /// Of a scene file that is not open: which file, and where in it.
    fn of_file(error: SceneError) -> Self {
        let place = error.problems.first().and_then(|problem| problem.line.zip(problem.column));
        let file = match place {
            Some((line, column)) => format!("{}:{line}:{column}", error.file),
            None => error.file.clone(),
        };
        let refusal = Self::from(error);
        Self { what: format!("{file}: {}", refusal.what), path: None, ..refusal }
    }
}

impl Refusal {
    /// For the page: short enough to be shown, for it may quote what the page sent.
    fn told(self) -> Event {
        const SHOWN: usize = 400;
        let short = |text: String| {
            if text.len() > SHOWN { text.chars().take(SHOWN).chain("…".chars()).collect() } else { text }
        };
        Event::Refused { what: short(self.what), help: self.help.map(short), path: self.path.map(short) }
    }
}

impl From<SceneError> for Refusal {
    fn from(error: SceneError) -> Self {
        let more = error.problems.len().saturating_sub(1);
        match error.problems.into_iter().next() {
            Some(problem) => Self {
                what: if more > 0 { format!("{} (and {more} more)", problem.message) } else { problem.message },
                help: problem.help,
                path: (!problem.path.is_empty()).then_some(problem.path),
            },
            None => Self::new("the scene would not be valid", ""),
        }
    }
}
