//! The thread that owns the stage. It keeps time around the steps, never in them: a slow machine plays slower.
//!
//! What was recorded is played back as recorded; beyond it the stage is stepped. Taking hold of a body at an earlier
//! frame goes back to that frame's exact state and forgets what came after.

use crate::Limits;
use crate::protocol::{Command, Transport};
use crate::recording::Recording;
use crate::show::Show;
use crate::wire::{FrameHead, frame_message};
use axum::body::Bytes;
use sinew_bake::Clock;
use sinew_math::DVec3;
use sinew_solve::{BodyId, Input, StageState, StepError, Warning};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// One page's number, to know whose hand holds what.
pub(crate) type PageId = u64;

/// What reaches the stage's thread.
pub(crate) enum Order {
    Do(PageId, Command),
    /// The page is gone; its hands let go.
    Gone(PageId),
}

/// A body in a page's hand.
#[derive(Clone, Copy)]
struct Hand {
    page: PageId,
    at_rest: DVec3,
    to: DVec3,
}

pub(crate) struct Runner {
    show: Box<dyn Show>,
    clock: Clock,
    frame_time: Duration,
    limits: Limits,
    /// The state at [`Recording::to`].
    state: StageState,
    recording: Recording,
    shown: i32,
    playing: bool,
    looping: bool,
    problem: Option<String>,
    warning: Option<String>,
    hands: BTreeMap<u32, Hand>,
    pending: Vec<Input>,
    frames: watch::Sender<Bytes>,
    transport: watch::Sender<Transport>,
}

impl Runner {
    /// The runner, playing, and what pages listen to.
    pub(crate) fn new(
        show: Box<dyn Show>,
        limits: Limits,
    ) -> (Self, watch::Receiver<Bytes>, watch::Receiver<Transport>) {
        let clock = show.clock();
        let state = show.first_state();
        let first = clock.first_frame;
        let frame = first_frame(&*show, &state);
        let transport = Transport {
            playing: true,
            looping: true,
            frame: first,
            recorded_from: first,
            recorded_to: first,
            stale_from: None,
            range: [clock.first_frame, clock.last_frame],
            recording: false,
            problem: None,
            warning: None,
        };
        let (frames, frames_out) = watch::channel(frame.clone());
        let (transport, transport_out) = watch::channel(transport);
        let recording = Recording::begin(first, frame, state.clone(), limits);
        let runner = Self {
            show,
            clock,
            frame_time: Duration::from_secs_f64(1.0 / clock.frames_per_sec()),
            limits,
            state,
            recording,
            shown: first,
            playing: true,
            looping: true,
            problem: None,
            warning: None,
            hands: BTreeMap::new(),
            pending: Vec::new(),
            frames,
            transport,
        };
        (runner, frames_out, transport_out)
    }

    /// Plays and obeys until every sender of orders is gone.
    pub(crate) fn run(mut self, orders: &Receiver<Order>) {
        let mut due = Instant::now();
        while let Some(began) = self.obey_until(due, orders) {
            self.advance();
            due = (began + self.frame_time).max(Instant::now());
        }
    }

    /// Obeys orders until the next frame is due. When it was due, or none when nobody can send orders any more.
    fn obey_until(&mut self, mut due: Instant, orders: &Receiver<Order>) -> Option<Instant> {
        /// Orders obeyed while a frame is overdue, so that a flood of them cannot stop time.
        const ORDERS_A_FRAME: usize = 256;
        let mut left = ORDERS_A_FRAME;
        loop {
            let was_playing = self.playing;
            let order = if was_playing {
                let wait = due.saturating_duration_since(Instant::now());
                if wait.is_zero() && left == 0 {
                    return Some(due);
                }
                match orders.recv_timeout(wait) {
                    Ok(order) => order,
                    Err(RecvTimeoutError::Timeout) => return Some(due),
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            } else {
                orders.recv().ok()?
            };
            self.obey(order);
            left = left.saturating_sub(1);
            if self.playing && !was_playing {
                due = Instant::now();
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Gone(page) => self.let_go_all(page),
            Order::Do(page, command) => match command {
                Command::Play => self.play(),
                Command::Pause => self.playing = false,
                Command::StepForward => self.step_forward(),
                Command::StepBack => self.seek(self.shown - 1),
                Command::Seek { frame } => self.show_frame(frame),
                Command::Restart => self.restart(),
                Command::Loop { on } => self.looping = on,
                Command::Drag { body, at_rest, to } => self.drag(page, body, at_rest.into(), to.into()),
                Command::LetGo { body } => self.let_go(page, body),
                Command::Touch { body, at_rest } => self.touch(body, at_rest.into()),
                _ => {} // answered by the page's session or the desk
            },
        }
        self.tell();
    }

    /// Plays on; from the end of a show that does not loop, from its beginning.
    fn play(&mut self) {
        if self.shown >= self.clock.last_frame && !self.looping {
            self.show_frame(self.clock.first_frame);
        }
        self.playing = true;
    }

    fn step_forward(&mut self) {
        self.playing = false;
        if self.shown < self.clock.last_frame {
            self.next_frame();
        }
    }

    fn seek(&mut self, frame: i32) {
        self.playing = false;
        self.show_frame(frame);
    }

    /// One frame on while playing: from the record, from the stage, or round to the first one.
    fn advance(&mut self) {
        if self.shown < self.clock.last_frame {
            self.next_frame();
        } else if !self.looping {
            self.playing = false;
        } else if self.recording.from() > self.clock.first_frame {
            self.restart(); // the beginning was too long ago to be kept
        } else {
            self.show_frame(self.clock.first_frame);
        }
        self.tell();
    }

    fn next_frame(&mut self) {
        self.keep_hold();
        if self.shown < self.recording.to() {
            self.show_frame(self.shown + 1);
        } else {
            self.simulate();
        }
    }

    /// What is held now is not played back as it was: it is taken hold of here, and goes differently from here on.
    fn keep_hold(&mut self) {
        if self.shown < self.recording.to() {
            for (body, hand) in self.hands.clone() {
                self.drag(hand.page, body, hand.at_rest, hand.to);
            }
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
                self.recording.push(frame_message(head, &self.state, &obstacles), &self.state);
                self.problem = None;
                if let Some(last) = warnings.last() {
                    let body = self.show.bodies().get(last.body.0 as usize).map_or("", |body| &body.name);
                    self.warning = Some(format!("frame {frame}, {body}: {}", last.what));
                }
                self.show_frame(frame);
            }
            Err(error) => {
                self.playing = false;
                self.problem = Some(format!("frame {frame} could not be simulated: {error}"));
                self.recording.cut_after(self.shown, tick);
                self.restore(self.shown);
            }
        }
    }

    /// Shows the recorded frame nearest to `frame`.
    fn show_frame(&mut self, frame: i32) {
        self.shown = frame.clamp(self.recording.from(), self.recording.to());
        if let Some(bytes) = self.recording.frame(self.shown) {
            self.frames.send_replace(bytes.clone());
        }
    }

    fn restart(&mut self) {
        let playing = self.playing;
        self.state = self.show.first_state();
        self.shown = self.clock.first_frame;
        let frame = first_frame(&*self.show, &self.state);
        self.recording = Recording::begin(self.shown, frame, self.state.clone(), self.limits);
        self.pending.clear();
        self.problem = None;
        self.warning = None;
        self.show_frame(self.shown);
        self.playing = playing;
    }

    fn drag(&mut self, page: PageId, body: u32, at_rest: DVec3, to: DVec3) {
        self.branch_off();
        self.hands.insert(body, Hand { page, at_rest, to });
        let id = BodyId(body);
        self.pending.retain(|input| !matches!(input, Input::Drag { body, .. } if *body == id));
        self.pending.push(Input::Drag { body: id, at_rest, to });
    }

    fn touch(&mut self, body: u32, at_rest: DVec3) {
        /// More taps than this between two frames are not a person's.
        const TAPS_A_FRAME: usize = 64;
        self.branch_off();
        if self.pending.len() < TAPS_A_FRAME {
            self.pending.push(Input::Touch { body: BodyId(body), at_rest });
        }
    }

    /// Only the hand that took hold last can let go.
    fn let_go(&mut self, page: PageId, body: u32) {
        if self.hands.get(&body).is_some_and(|hand| hand.page == page) {
            self.hands.remove(&body);
            self.pending.push(Input::LetGo { body: BodyId(body) });
        }
    }

    fn let_go_all(&mut self, page: PageId) {
        let held: Vec<u32> = self.hands.iter().filter(|(_, hand)| hand.page == page).map(|(body, _)| *body).collect();
        held.into_iter().for_each(|body| self.let_go(page, body));
    }

    /// From here on things go differently: back to the exact state of the shown frame, forgetting what came after.
    fn branch_off(&mut self) {
        if self.shown < self.recording.to() {
            self.recording.cut_after(self.shown, self.clock.tick_of(self.shown));
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
                self.problem = Some(format!("frame {between} could not be simulated again: {error}"));
                return self.restart();
            }
        }
    }

    fn tell(&self) {
        let now = Transport {
            playing: self.playing,
            looping: self.looping,
            frame: self.shown,
            recorded_from: self.recording.from(),
            recorded_to: self.recording.to(),
            stale_from: None,
            range: [self.clock.first_frame, self.clock.last_frame],
            recording: false,
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
