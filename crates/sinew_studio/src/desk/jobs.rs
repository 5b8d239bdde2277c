//! Long work beside the stage: exports, pictures, imports, takes being written. Each runs on a thread of its own, says how
//! far it is, and can be stopped.

use super::{Desk, Done, Refusal};
use crate::board::Board;
use crate::protocol::{AddedPart, JobDone, JobInfo, JobKind};
use sinew_solve::StopFlag;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

pub(super) struct Jobs {
    board: Arc<Board>,
    next: u32,
    running: BTreeMap<u32, Arc<StopFlag>>,
    /// Imports: they end at once when they are stopped, and their threads when they notice.
    imports: BTreeMap<u32, Told>,
    /// Threads of those that were stopped.
    left_alone: Vec<Weak<StopFlag>>,
}

/// How a job tells where it is.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) id: u32,
    kind: JobKind,
    board: Arc<Board>,
    stop: Arc<StopFlag>,
    /// Work that is usually done before anyone could read of it: what it makes, and when it began.
    brief: Option<(Arc<str>, Instant)>,
}

/// Why a job did not get there: a sentence.
pub(super) type Failed = String;

impl Jobs {
    /// At the same time; more would only slow each other down.
    const MOST: usize = 4;

    pub(super) fn new(board: Arc<Board>) -> Self {
        Self { board, next: 1, running: BTreeMap::new(), imports: BTreeMap::new(), left_alone: Vec::new() }
    }

    /// A new job, which pages are told of at once.
    pub(super) fn begin(&mut self, kind: JobKind, what: &str, step: &str) -> Result<Told, Refusal> {
        // Of an import this holds a second handle.
        self.imports.retain(|_, told| Arc::strong_count(&told.stop) > 2);
        self.running.retain(|id, stop| Arc::strong_count(stop) > 1 + usize::from(self.imports.contains_key(id)));
        self.left_alone.retain(|stop| stop.strong_count() > 0);
        if self.running.len() + self.left_alone.len() / 2 >= Self::MOST {
            return Err(Refusal::new("enough is being made already", "wait for it, or stop it"));
        }
        let (id, stop) = (self.next, Arc::new(StopFlag::default()));
        self.next = self.next.wrapping_add(1);
        self.running.insert(id, stop.clone());
        let told = Told { id, kind, board: self.board.clone(), stop, brief: None };
        told.put(told.info(what, step, None));
        Ok(told)
    }

    /// The same for a build: pages hear of it when it lasts, and it goes from their list when it ends.
    pub(super) fn begin_build(&mut self, what: &str) -> Told {
        let (id, stop) = (self.next, Arc::new(StopFlag::default()));
        self.next = self.next.wrapping_add(1);
        self.running.insert(id, stop.clone());
        let brief = Some((what.into(), Instant::now()));
        Told { id, kind: JobKind::Build, board: self.board.clone(), stop, brief }
    }

    /// The same for work that cannot be interrupted everywhere, such as reading a large file.
    pub(super) fn begin_import(&mut self, what: &str, step: &str) -> Result<Told, Refusal> {
        let told = self.begin(JobKind::Import, what, step)?;
        self.imports.insert(told.id, told.clone());
        Ok(told)
    }

    /// Starts work on a thread of its own. It gives the files it made.
    pub(super) fn start(
        &mut self,
        kind: JobKind,
        what: &str,
        work: impl FnOnce(&Told) -> Result<Vec<String>, Failed> + Send + 'static,
    ) -> Result<u32, Refusal> {
        let told = self.begin(kind, what, "starting")?;
        let id = told.id;
        let unstarted = told.clone();
        let run = move || {
            let outcome = work(&told);
            told.end(outcome);
        };
        if std::thread::Builder::new().name("job".into()).spawn(run).is_err() {
            unstarted.end(Err("no thread could be started".to_owned()));
        }
        Ok(id)
    }
}

impl Told {
    /// What it does now and how much of it is done. Whether to go on.
    pub(super) fn step(&self, step: &str, fraction: Option<f64>) -> ControlFlow<()> {
        /// Shorter work is not worth a bar.
        const BRIEF: Duration = Duration::from_millis(400);
        let is_known = |jobs: &[JobInfo]| jobs.iter().any(|job| job.id == self.id);
        if let Some((what, _)) = self.brief.as_ref().filter(|(_, began)| began.elapsed() > BRIEF)
            && !is_known(&self.board.jobs.borrow())
        {
            self.put(self.info(what, step, fraction));
        }
        self.board.jobs.send_if_modified(|jobs| {
            let Some(job) = jobs.iter_mut().find(|job| job.id == self.id) else { return false };
            // Pages draw bars of a hundred pixels or so.
            let moved = match (job.fraction, fraction) {
                (Some(before), Some(now)) => (now - before).abs() >= 0.005,
                (before, now) => before != now,
            };
            let is_new = job.step != step || moved;
            if is_new {
                (job.step, job.fraction) = (step.to_owned(), fraction);
            }
            is_new
        });
        if self.stop.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The flag that says so, for work that reads it between its own steps.
    pub(super) fn stop_flag(&self) -> StopFlag {
        StopFlag::clone(&self.stop)
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Ends work that has nothing to keep: it goes from the list.
    pub(super) fn vanish(&self) {
        self.board.jobs.send_modify(|jobs| {
            let is_open = |job: &&mut JobInfo| job.id == self.id && job.done.is_none() && job.failed.is_none();
            if let Some(job) = jobs.iter_mut().find(is_open) {
                (job.step, job.fraction) = ("done".to_owned(), Some(1.0));
                job.done = Some(JobDone { files: Vec::new(), added: None });
            }
        });
    }

    /// Asks it to end soon.
    pub(super) fn stop(&self) {
        self.stop.set();
    }

    /// How long a build has gone on.
    pub(super) fn elapsed(&self) -> Duration {
        self.brief.as_ref().map_or(Duration::ZERO, |(_, began)| began.elapsed())
    }

    fn info(&self, what: &str, step: &str, fraction: Option<f64>) -> JobInfo {
        let (id, kind) = (self.id, self.kind);
        JobInfo { id, kind, what: what.to_owned(), step: step.to_owned(), fraction, done: None, failed: None }
    }

    pub(super) fn end(&self, outcome: Result<Vec<String>, Failed>) {
        self.end_with(outcome, None);
    }

    /// The same for one that added something to the scene.
    pub(super) fn end_with(&self, outcome: Result<Vec<String>, Failed>, added: Option<AddedPart>) {
        tracing::info!(job = self.id, ?outcome, "a job ended");
        self.board.jobs.send_modify(|jobs| {
            let Some(job) = jobs.iter_mut().find(|job| job.id == self.id) else { return };
            if job.done.is_some() || job.failed.is_some() {
                return; // it was stopped, and its end was told then
            }
            match outcome {
                Ok(files) => {
                    // What a search came to stays to be read.
                    if self.kind != JobKind::Search {
                        job.step = "done".to_owned();
                    }
                    job.fraction = Some(1.0);
                    job.done = Some(JobDone { files, added });
                }
                Err(_) if self.is_stopped() => job.failed = Some("it was stopped".to_owned()),
                Err(why) => job.failed = Some(why),
            }
        });
    }

    fn put(&self, job: JobInfo) {
        /// Jobs that ended are shown to pages that come later, too.
        const SHOWN: usize = 20;
        self.board.jobs.send_modify(|jobs| {
            jobs.push(job);
            let too_many = jobs.len().saturating_sub(SHOWN);
            jobs.drain(..too_many);
        });
    }
}

impl Desk {
    pub(super) fn stop_job(&mut self, id: u32) -> Done {
        match self.jobs.running.get(&id) {
            Some(stop) => {
                stop.set();
                if let Some(told) = self.jobs.imports.remove(&id) {
                    self.jobs.left_alone.push(Arc::downgrade(stop));
                    self.jobs.running.remove(&id);
                    told.end(Err(String::new()));
                }
                Ok(())
            }
            None => Err(Refusal::new(format!("there is no job {id} that could be stopped"), "")),
        }
    }
}
