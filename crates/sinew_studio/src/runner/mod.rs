//! The thread that owns the stage. It keeps time around the steps, never in them: a slow machine plays slower.
//!
//! The playhead is the user's: it stands at any frame of the shot, simulated or not, and what is shown there is the nearest recorded
//! frame. What was recorded is played back as recorded; beyond it the stage is stepped, as fast as it can be until it has caught up
//! with the playhead. Taking hold of a body at an earlier
//! frame goes back to that frame's exact state and forgets what came after. An edit of the direction acts from the shown
//! frame on; what was recorded after it is stale, and is simulated anew when it is played over. When a show that was edited
//! loops, it is simulated from its beginning. A stage made anew with the same bodies goes on likewise.

mod hands;
mod order;
mod picture;
mod restage;
mod sight;
mod takes;
mod time;

pub(crate) use order::{Order, PageId, Staged, Start};
pub(crate) use picture::{FieldOf, Picture};
pub(crate) use takes::{ShownTake, Snapshot};

use crate::Limits;
use crate::protocol::{Command, Transport};
use crate::recording::Recording;
use crate::show::Show;
use crate::welcome::Welcome;
use crate::wire::{self, FrameHead, frame_message};
use axum::body::Bytes;
use hands::Hands;
use sight::Fields;
use sinew_bake::{Clock, DirectorSetup};
use sinew_solve::{Input, StageState, StepError, Warning};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tokio::sync::watch;

pub(crate) struct Runner {
    show: Box<dyn Show>,
    welcome: Arc<Welcome>,
    clock: Clock,
    frame_time: Duration,
    limits: Limits,
    /// The exact state at frame [`Runner::live`].
    state: StageState,
    live: i32,
    recording: Recording,
    /// Recorded frames from here on are of the scene before an edit.
    stale_from: Option<i32>,
    /// Whether frames before that are, too.
    is_edited: bool,
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
    pending: Vec<Input>,
    fields: Fields,
    take: Option<ShownTake>,
    pictures: watch::Sender<Picture>,
    transport: watch::Sender<Transport>,
}

impl Runner {
    /// The runner, playing, and what pages listen to.
    pub(crate) fn new(staged: Staged, limits: Limits) -> (Self, watch::Receiver<Picture>, watch::Receiver<Transport>) {
        let Staged { show, welcome, .. } = staged;
        let clock = show.clock();
        let state = show.first_state();
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
            range: [clock.first_frame, clock.last_frame],
            recording: false,
            problem: None,
            warning: None,
        });
        let runner = Self {
            show,
            welcome,
            clock,
            frame_time: frame_time(clock),
            limits,
            recording: Recording::begin(first, frame, state.clone(), limits),
            state,
            live: first,
            stale_from: None,
            is_edited: false,
            playhead: first,
            shown: first,
            playing: true,
            looping: true,
            range: None,
            is_recording: false,
            problem: None,
            warning: None,
            hands: Hands::default(),
            pending: Vec::new(),
            fields: Fields::default(),
            take: None,
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
            Order::Redirect(directors) => self.redirect(directors),
            Order::Restage(staged) => self.restage(*staged),
            Order::ShowTake(take) => self.show_take(take),
            Order::Snapshot(reply) => reply(self.snapshot()),
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
        let input = std::mem::take(&mut self.pending);
        let tick = self.clock.tick_of(self.shown);
        self.recording.log(tick, &input);
        let began = Instant::now();
        match step_over_frame(&mut *self.show, &mut self.state, &input, self.clock.substeps) {
            Ok(warnings) => {
                let step_ms = began.elapsed().as_secs_f32() * 1e3 / self.clock.substeps as f32;
                let head = FrameHead { frame, tick: self.state.tick, step_ms };
                let obstacles = self.show.obstacles_at(self.state.tick);
                self.recording.put(frame, frame_message(head, &self.state, &obstacles), &self.state);
                self.live = frame;
                self.stale_from = self.stale_from.map(|_| frame + 1).filter(|stale| *stale <= self.recording.to());
                self.problem = None;
                if let Some(last) = warnings.last() {
                    let body = self.show.bodies().get(last.body.0 as usize).map_or("", |body| &body.name);
                    self.warning = Some(format!("frame {frame}, {body}: {}", last.what));
                }
                self.show_frame(frame.max(self.playhead));
            }
            Err(error) => {
                self.playing = false;
                self.problem = Some(format!("frame {frame} could not be simulated: {error}"));
                self.cut_after_shown();
                self.restore(self.shown);
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
        self.pictures.send_replace(Picture { welcome: self.welcome.clone(), frame, fields, take });
    }

    /// Other directors from the shown frame on.
    fn redirect(&mut self, directors: Vec<Vec<DirectorSetup>>) {
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
        }
        self.state_at_shown();
        let mut states = self.recording.states();
        states.push(&mut self.state);
        self.show.redirect(states, directors);
        self.recording.forget_states_after(self.shown);
        self.recording.keep_state(self.shown, &self.state);
        self.stale_from = (self.shown < self.recording.to()).then_some(self.shown + 1);
        self.is_edited = self.shown > self.clock.first_frame;
        self.problem = None;
        self.fields.refresh();
        self.show_frame(self.playhead);
    }

    /// Back to the first frame, forgetting what was recorded.
    fn restart(&mut self) {
        self.state = self.show.first_state();
        self.shown = self.clock.first_frame;
        self.live = self.shown;
        let frame = first_frame(&*self.show, &self.state);
        self.recording = Recording::begin(self.shown, frame, self.state.clone(), self.limits);
        self.stale_from = None;
        self.is_edited = false;
        self.pending.clear();
        self.problem = None;
        self.warning = None;
        self.show_frame(self.shown);
    }

    /// From here on things go differently: back to the exact state of the shown frame, forgetting what came after.
    fn branch_off(&mut self) {
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
            self.show_frame(self.shown);
        }
        if self.shown < self.recording.to() {
            self.cut_after_shown();
        }
        self.state_at_shown();
        self.playhead = self.shown;
    }

    fn cut_after_shown(&mut self) {
        self.recording.cut_after(self.shown, self.clock.tick_of(self.shown));
        self.stale_from = self.stale_from.filter(|stale| *stale <= self.shown);
    }

    /// A stale frame has no state to go on from; the last frame before it has.
    fn leave_stale(&mut self) {
        if let Some(stale) = self.stale_from {
            self.shown = (stale - 1).max(self.recording.from());
        }
    }

    /// Makes the state that of the shown frame.
    fn state_at_shown(&mut self) {
        if self.live != self.shown {
            self.restore(self.shown);
        }
    }

    /// Puts the state of a recorded frame back: the nearest checkpoint, stepped on with the logged inputs.
    fn restore(&mut self, frame: i32) {
        let Some((from, state)) = self.recording.checkpoint(frame) else { return self.restart() };
        self.state = state.clone();
        for between in from..frame {
            let input = self.recording.inputs(self.clock.tick_of(between));
            if let Err(error) = step_over_frame(&mut *self.show, &mut self.state, input, self.clock.substeps) {
                self.restart();
                self.problem = Some(format!("frame {between} could not be simulated again: {error}"));
                return;
            }
        }
        self.live = frame;
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
            range: [self.first(), self.last()],
            recording: self.is_recording,
            problem: self.problem.clone(),
            warning: self.warning.clone(),
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

/// All substeps of a frame; inputs belong to the first. What was warned of on the way.
fn step_over_frame(
    show: &mut dyn Show,
    state: &mut StageState,
    input: &[Input],
    substeps: u32,
) -> Result<Vec<Warning>, StepError> {
    let mut warnings = Vec::new();
    for substep in 0..substeps {
        show.step(state, if substep == 0 { input } else { &[] }, &mut warnings)?;
    }
    Ok(warnings)
}
