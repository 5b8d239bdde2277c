//! The thread that owns the stage. It keeps time around the steps, never in them: a slow machine plays slower.
//!
//! The playhead is the user's: it stands at any frame of the shot, simulated or not, and what is shown there is the nearest recorded
//! frame. What was recorded is played back as recorded; beyond it the stage is stepped, as fast as it can be until it has caught up
//! with the playhead. Taking hold of a body at an earlier
//! frame goes back to that frame's exact state; what was recorded after it is stale. What hands did goes into the document
//! as events once it is over. An edit of the direction acts from the shown
//! frame on; what was recorded after it is stale, and is simulated anew when it is played over. When a show that was edited
//! loops, it is simulated from its beginning. A stage made anew with the same bodies goes on likewise.

mod events;
mod ghosts;
mod hands;
mod keys;
mod order;
mod picture;
mod restage;
mod sight;
mod takes;
mod time;
mod undone;

pub(crate) use ghosts::Ghosts;
pub(crate) use keys::KeyGhost;
pub(crate) use order::{Frames, Numbers, Order, PageId, Shapes, Staged, Start};
pub(crate) use picture::{FieldOf, Picture};
pub(crate) use takes::ShownTake;

use crate::Limits;
use crate::desk::DeskOrder;
use crate::protocol::{Command, MeasureInfo, Transport};
use crate::recording::Recording;
use crate::show::Show;
use crate::welcome::Welcome;
use crate::wire::{self, FrameHead, frame_message};
use axum::body::Bytes;
use hands::Hands;
use keys::KeyGhosts;
use sight::Fields;
use sinew_bake::take::TakeHeader;
use sinew_bake::{Clock, DirectorSetup, Script, Staging};
use sinew_solve::{Input, Measure, StageState, StepError};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use undone::BeforeEdit;

pub(crate) struct Runner {
    show: Box<dyn Show>,
    welcome: Arc<Welcome>,
    clock: Clock,
    frame_time: Duration,
    limits: Limits,
    /// What made the stage, as takes name it.
    made_of: Arc<TakeHeader>,
    recording: Recording,
    /// Recorded frames from here on are of the scene before an edit.
    stale_from: Option<i32>,
    /// Whether frames before that are, too.
    is_edited: bool,
    /// What edits cost, until something is performed; the newest last.
    before_edits: Vec<BeforeEdit>,
    /// Where time is: any frame of the shot.
    playhead: i32,
    /// The recorded frame that is shown there.
    shown: i32,
    playing: bool,
    looping: bool,
    range: Option<[i32; 2]>,
    is_recording: bool,
    problem: Option<String>,
    warning: Option<String>,
    hands: Hands,
    /// Where what hands did is written down.
    desk: Option<Sender<DeskOrder>>,
    pending: Vec<Input>,
    fields: Fields,
    take: Option<ShownTake>,
    ghosts: Option<Box<Ghosts>>,
    /// The best that a search has found so far.
    searched: Option<Bytes>,
    searches: u64,
    keys: Option<KeyGhosts>,
    pictures: watch::Sender<Picture>,
    transport: watch::Sender<Transport>,
}

impl Runner {
    /// The runner, playing, and what pages listen to.
    pub(crate) fn new(
        staged: Staged,
        limits: Limits,
        desk: Option<Sender<DeskOrder>>,
    ) -> (Self, watch::Receiver<Picture>, watch::Receiver<Transport>) {
        let Staged { show, welcome, made_of, .. } = staged;
        let clock = show.clock();
        let state = show.first_state();
        let staging = staging(&*show, &made_of);
        let first = clock.first_frame;
        let frame = first_frame(&*show, &state);
        let (pictures, pictures_out) = watch::channel(Picture::of(welcome.clone(), frame.clone()));
        let (transport, transport_out) = watch::channel(Transport {
            playing: true,
            looping: true,
            frame: first,
            shown: first,
            recorded_from: first,
            recorded_to: first,
            stale_from: None,
            of_take: false,
            range: [clock.first_frame, clock.last_frame],
            recording: false,
            problem: None,
            warning: None,
            measures: Vec::new(),
        });
        let runner = Self {
            show,
            welcome,
            clock,
            frame_time: frame_time(clock),
            limits,
            made_of,
            recording: Recording::begin(first, frame, state, staging, limits),
            stale_from: None,
            is_edited: false,
            before_edits: Vec::new(),
            playhead: first,
            shown: first,
            playing: true,
            looping: true,
            range: None,
            is_recording: false,
            problem: None,
            warning: None,
            hands: Hands::default(),
            desk,
            pending: Vec::new(),
            fields: Fields::default(),
            take: None,
            ghosts: None,
            searched: None,
            searches: 0,
            keys: None,
            pictures,
            transport,
        };
        (runner, pictures_out, transport_out)
    }

    /// Plays and obeys until every sender of orders is gone.
    pub(crate) fn run(mut self, orders: &Receiver<Order>) {
        let mut due = Instant::now();
        while let Some(began) = self.obey_until(due, orders) {
            self.advance();
            let now = Instant::now();
            due = if self.is_behind() { now } else { now.max(began + self.frame_time) };
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Gone(page) => {
                self.let_go_all(page);
                self.fields.forget(page);
            }
            Order::Redirect(directors, script, made_of) => self.redirect(directors, script, made_of),
            Order::Reschedule(script, made_of) => self.reschedule(&script, made_of),
            Order::Restage(staged) => self.restage(*staged),
            Order::ShowTake(take) => self.show_take(take),
            Order::Preview(ghosts) => self.preview(ghosts),
            Order::RedirectPreview(directors, script) => self.redirect_preview(directors, script),
            Order::Previewed(previewed) => self.previewed(previewed),
            Order::Searched(picture) => self.searched(picture.map(|picture| *picture)),
            Order::Keys(keys) => self.show_keys(keys),
            Order::Key(key) => self.show_key(key),
            Order::Shapes { body, frames, reply } => reply(self.shapes_of(body, frames)),
            Order::Numbers(reply) => reply(self.recording.numbers()),
            Order::Stop => self.playing = false,
            Order::Sync(reply) => {
                self.tell();
                reply();
            }
            Order::Snapshot(reply) => reply(Box::new(self.recording.run.clone())),
            // A body's number means nothing on another stage.
            Order::Do { stage, .. } if stage != self.welcome.stage => {}
            Order::Do { page, command, .. } => self.obey_page(page, command),
        }
        self.tell();
    }

    fn obey_page(&mut self, page: PageId, command: Command) {
        match command {
            Command::Play => self.play(),
            Command::Pause => self.playing = false,
            Command::StepForward => self.step_forward(),
            Command::StepBack => self.seek(self.playhead - 1),
            Command::Seek { frame } => self.show_frame(frame),
            Command::Restart => self.restart(),
            Command::Loop { on } => self.looping = on,
            Command::Range { first, last } => self.set_range(first, last),
            Command::Record { on } => self.record(on),
            Command::Drag { body, at_rest, to } => self.drag(page, body, at_rest.into(), to.into()),
            Command::LetGo { body } => self.let_go(page, body),
            Command::Touch { body, at_rest } => self.touch(body, at_rest.into()),
            Command::Look { body, look, director, directions, beside } => {
                self.fields.wish(page, body, director, look.iter().chain(&directions).chain(&beside));
                self.show_frame(self.playhead);
            }
            _ => {} // answered by the page's session or the desk
        }
    }

    /// Steps the stage over one frame and records it.
    fn simulate(&mut self) {
        let frame = self.shown + 1;
        self.before_edits.clear();
        self.hold_on();
        self.note_hands();
        let input = std::mem::take(&mut self.pending);
        self.recording.run.give(&input);
        let began = Instant::now();
        match self.recording.run.step_frame(&mut *self.show) {
            Ok(()) => {
                let step_ms = began.elapsed().as_secs_f32() * 1e3 / self.clock.substeps as f32;
                let state = self.recording.run.state();
                let head = FrameHead { frame, tick: state.tick, step_ms };
                let message = frame_message(head, state, &self.show.obstacles_at(state.tick));
                self.recording.put(frame, message);
                self.stale_from = self.stale_from.map(|_| frame + 1).filter(|stale| *stale <= self.recording.to());
                self.problem = None;
                self.place_keys_at(frame);
                if let Some(last) = self.recording.run.warnings_of_frame().last() {
                    let body = self.show.bodies().get(last.body.0 as usize).map_or("", |body| &body.name);
                    self.warning = Some(format!("frame {frame}, {body}: {}", last.what));
                }
                self.show_frame(frame.max(self.playhead));
            }
            Err(error) => {
                self.playing = false;
                self.problem = Some(format!("frame {frame} could not be simulated: {error}"));
                self.cut_after_shown();
            }
        }
    }

    /// Goes to a frame of the shot and shows the recorded one nearest to it, with obstacles as they stand at that frame.
    fn show_frame(&mut self, frame: i32) {
        self.playhead = frame.clamp(self.clock.first_frame, self.clock.last_frame);
        self.shown = self.playhead.clamp(self.recording.from(), self.recording.to());
        let Some(bytes) = self.recording.frame(self.shown).cloned() else { return };
        let fields = self.look_at(&bytes);
        let take = self.take.as_ref().and_then(|take| take.frame(self.playhead));
        let instead = self.take.as_ref().is_some_and(|take| take.instead);
        let live = if self.playhead == self.shown {
            bytes
        } else {
            wire::with_obstacles(&bytes, &self.show.obstacles_at(self.clock.tick_of(self.playhead)))
        };
        let (frame, take) = match take {
            Some(take) if instead => (take.as_frame(), None),
            Some(take) => (live, Some(take.as_ghost())),
            None => (live, None),
        };
        self.follow_with_ghosts();
        let (ghosts, keys) = (self.shown_ghosts(), self.shown_keys());
        self.pictures.send_replace(Picture { welcome: self.welcome.clone(), frame, fields, take, ghosts, keys });
    }

    /// Other directors from the shown frame on.
    fn redirect(&mut self, directors: Vec<Vec<DirectorSetup>>, script: Script, made_of: Arc<TakeHeader>) {
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
        }
        self.state_at_shown();
        self.keep_before_edit(&made_of);
        self.show.redirect(directors);
        self.show.set_script(script);
        self.made_of = made_of;
        if self.take_edit_back() {
            return self.fields.refresh();
        }
        let staging = staging(&*self.show, &self.made_of);
        match self.recording.run.edit(self.shown, staging, &*self.show) {
            Some(frame) => self.shown = frame,
            None => return self.restart(),
        }
        self.hold_on();
        self.stale_from = (self.shown < self.recording.to()).then_some(self.shown + 1);
        self.is_edited = self.recording.run.is_edited();
        self.problem = None;
        self.fields.refresh();
        self.show_frame(self.playhead);
    }

    /// Back to the first frame, forgetting what was recorded.
    fn restart(&mut self) {
        let state = self.show.first_state();
        self.shown = self.clock.first_frame;
        let frame = first_frame(&*self.show, &state);
        let staging = staging(&*self.show, &self.made_of);
        self.recording = Recording::begin(self.shown, frame, state, staging, self.limits);
        self.stale_from = None;
        self.is_edited = false;
        self.before_edits.clear();
        self.pending.clear();
        self.problem = None;
        self.warning = None;
        self.place_keys();
        self.show_frame(self.shown);
    }

    /// From here on things go differently: back to the exact state of the shown frame. What came after is stale.
    fn branch_off(&mut self) {
        self.before_edits.clear();
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
            self.show_frame(self.shown);
        }
        if self.shown < self.recording.run.reached() {
            self.rewind_to_shown();
        }
        self.stale_from = (self.shown < self.recording.to()).then_some(self.shown + 1);
        self.state_at_shown();
        self.playhead = self.shown;
    }

    fn cut_after_shown(&mut self) {
        self.before_edits.clear();
        self.recording.cut_after(self.shown);
        self.stale_from = self.stale_from.filter(|stale| *stale <= self.shown);
    }

    /// A stale frame has no state to go on from; the last frame before it has.
    fn leave_stale(&mut self) {
        if let Some(stale) = self.stale_from {
            self.shown = (stale - 1).max(self.recording.from());
        }
    }

    /// Makes the run's state that of the shown frame, if the present scene made it.
    fn state_at_shown(&mut self) {
        if let Err(error) = self.recording.run.seek(self.shown, &mut *self.show) {
            self.begin_over(&error);
        }
    }

    /// Goes back to the shown frame; a frame that another text of the scene made, to the nearest one with an exact state.
    fn rewind_to_shown(&mut self) {
        match self.recording.run.rewind(self.shown, &mut *self.show) {
            Ok(frame) => self.shown = frame,
            Err(error) => self.begin_over(&error),
        }
    }

    fn begin_over(&mut self, error: &StepError) {
        let frame = self.shown;
        tracing::error!(frame, %error, "a frame could not be simulated again");
        self.restart();
        self.problem = Some(format!("frame {frame} could not be simulated again: {error}"));
    }

    fn tell(&self) {
        let now = Transport {
            playing: self.playing,
            looping: self.looping,
            frame: self.playhead,
            shown: self.shown,
            recorded_from: self.recording.from(),
            recorded_to: self.recording.to(),
            stale_from: self.stale_from,
            of_take: self.shows_take(),
            range: [self.first(), self.last()],
            recording: self.is_recording,
            problem: self.problem.clone(),
            warning: self.warning.clone(),
            measures: self.recording.run.measures(self.shown).iter().map(measure_info).collect(),
        };
        self.transport.send_if_modified(|told| {
            let changed = *told != now;
            *told = now;
            changed
        });
    }
}

fn frame_time(clock: Clock) -> Duration {
    Duration::from_secs_f64(1.0 / clock.frames_per_sec())
}

fn first_frame(show: &dyn Show, state: &StageState) -> Bytes {
    let head = FrameHead { frame: show.clock().first_frame, tick: state.tick, step_ms: 0.0 };
    frame_message(head, state, &show.obstacles_at(state.tick))
}

fn measure_info(measure: &Measure) -> MeasureInfo {
    MeasureInfo {
        body: measure.body.0,
        director: measure.director.clone(),
        name: measure.name.to_string(),
        unit: measure.unit.to_string(),
        value: measure.value,
    }
}

/// What a run is performed by.
fn staging(show: &dyn Show, made_of: &Arc<TakeHeader>) -> Staging {
    Staging { made_of: made_of.clone(), outline: show.stage().map(|stage| Arc::new(stage.outline())) }
}
