//! Playing, stepping and looping.

use super::{Order, Runner};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Instant;

impl Runner {
    /// Obeys orders until the next frame is due. When it was due, or none when nobody can send orders any more.
    pub(super) fn obey_until(&mut self, mut due: Instant, orders: &Receiver<Order>) -> Option<Instant> {
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

    /// The first frame that is played.
    pub(super) fn first(&self) -> i32 {
        self.range.map_or(self.clock.first_frame, |range| range[0])
    }

    /// The last frame that is played.
    pub(super) fn last(&self) -> i32 {
        self.range.map_or(self.clock.last_frame, |range| range[1])
    }

    pub(super) fn set_range(&mut self, first: Option<i32>, last: Option<i32>) {
        let (start, end) = (self.clock.first_frame, self.clock.last_frame);
        let first = first.unwrap_or(start).clamp(start, end);
        let last = last.unwrap_or(end).clamp(first, end);
        self.range = (first > start || last < end).then_some([first, last]);
    }

    /// Whether what is simulated does not reach the playhead.
    pub(super) fn is_behind(&self) -> bool {
        self.playhead > self.stale_from.map_or(self.recording.to(), |stale| stale - 1)
    }

    /// Plays on; from the end of a show that does not loop, from its beginning.
    pub(super) fn play(&mut self) {
        if self.playhead >= self.last() && !self.looping {
            self.begin_again();
        } else if self.playhead < self.recording.from() {
            self.restart_at(self.playhead); // what was there is too long ago
        }
        self.playing = true;
    }

    /// One frame on. Simulates it where all before it is simulated; elsewhere only the playhead goes there.
    pub(super) fn step_forward(&mut self) {
        self.playing = false;
        if self.is_behind() || self.playhead < self.recording.from() {
            self.show_frame(self.playhead + 1);
        } else if self.playhead < self.clock.last_frame {
            self.next_frame();
        }
    }

    pub(super) fn seek(&mut self, frame: i32) {
        self.playing = false;
        self.show_frame(frame);
    }

    /// One frame on while playing: from the record, from the stage, or round to the first one.
    pub(super) fn advance(&mut self) {
        if self.is_behind() || self.playhead < self.last() {
            self.next_frame();
        } else if !self.looping {
            self.playing = false;
        } else {
            self.begin_again();
        }
        self.tell();
    }

    /// Forgets what was recorded, and leaves the playhead where it is asked to be.
    pub(super) fn restart_at(&mut self, playhead: i32) {
        self.restart();
        self.show_frame(playhead);
    }

    /// Back to the first frame that is played. A show that was edited since it was recorded is simulated anew.
    fn begin_again(&mut self) {
        let first = self.first();
        let is_gone = self.recording.from() > first; // too long ago
        if self.is_edited || is_gone {
            self.restart_at(first);
        } else {
            self.show_frame(first);
        }
    }

    pub(super) fn next_frame(&mut self) {
        self.keep_hold();
        let next = self.shown + 1;
        let is_stale = self.stale_from.is_some_and(|stale| next >= stale);
        if next <= self.recording.to() && !is_stale {
            self.show_frame(next);
        } else {
            if self.stale_from.is_some_and(|stale| self.shown >= stale) {
                self.leave_stale();
            }
            self.state_at_shown();
            self.simulate();
        }
    }

    /// While it is on, the run from the first frame on is kept for a take.
    pub(super) fn record(&mut self, on: bool) {
        self.is_recording = on;
        if on {
            self.restart();
            self.playing = true;
        }
    }
}
