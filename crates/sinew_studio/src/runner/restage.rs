//! Another stage takes the place of the running one.

use super::hands::Hands;
use super::{Runner, Staged, Start, frame_time, staging};
use crate::recording::Recording;
use crate::show::Show;
use crate::wire::{FrameHead, frame_message, with_obstacles};
use axum::body::Bytes;
use sinew_solve::StageState;

impl Runner {
    /// It goes on from the shown frame where it may and can, else it begins at its first one. It plays on if this one played; if not,
    /// the playhead stays where it is.
    pub(super) fn restage(&mut self, staged: Staged) {
        let carried = staged.start == Start::Where && self.carry_to(&staged);
        let Staged { show, welcome, start, made_of } = staged;
        let same_shot = self.clock.first_frame == show.clock().first_frame;
        self.fields.restage(&self.welcome, &welcome);
        self.clock = show.clock();
        self.frame_time = frame_time(self.clock);
        (self.show, self.welcome, self.made_of) = (show, welcome, made_of);
        self.hands = Hands::default();
        self.take = None;
        self.searched = None;
        if start == Start::Fresh || !same_shot {
            self.range = None;
        }
        self.playing = self.playing || start == Start::Fresh;
        match carried {
            true if self.take_edit_back() => {}
            true => self.go_on(),
            false if self.playing || start == Start::Fresh => self.restart(),
            false => self.restart_at(self.playhead),
        }
    }

    /// The run under another stage, from the shown frame on. Whether its bodies can go on there.
    fn carry_to(&mut self, staged: &Staged) -> bool {
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
        }
        self.state_at_shown();
        let (Some(from), Some(to)) = (self.show.stage(), staged.show.stage()) else { return false };
        if self.shown > to.clock().last_frame {
            return false;
        }
        let has_same_bodies = to.is_ordered_as(from);
        self.keep_before_edit(&staged.made_of);
        let staging = staging(&*staged.show, &staged.made_of);
        let Some(frame) = self.recording.run.edit(self.shown, staging.clone(), &*staged.show) else { return false };
        self.shown = frame;
        if has_same_bodies {
            // Earlier frames are shown with the obstacles that there are now, where those are then.
            let clock = staged.show.clock();
            let placed = |frame, bytes: &Bytes| with_obstacles(bytes, &staged.show.obstacles_at(clock.tick_of(frame)));
            self.recording.change(placed);
        } else {
            // Earlier frames cannot be shown with the other stage: the record begins here.
            self.before_edits.clear();
            let state = self.recording.run.state().clone();
            let frame = frame_at(&*staged.show, frame, &state);
            self.recording = Recording::begin(self.shown, frame, state, staging, self.limits);
        }
        true
    }

    /// As after other directors: what is recorded up to here stays, and what comes after is stale.
    fn go_on(&mut self) {
        self.pending.clear();
        self.problem = None;
        self.warning = None;
        // Obstacles may stand elsewhere, in the frame that is looked at too.
        self.recording.put(self.shown, frame_at(&*self.show, self.shown, self.recording.run.state()));
        self.stale_from = (self.shown < self.recording.to()).then_some(self.shown + 1);
        self.is_edited = self.recording.run.is_edited();
        self.show_frame(self.playhead);
    }
}

fn frame_at(show: &dyn Show, frame: i32, state: &StageState) -> Bytes {
    let head = FrameHead { frame, tick: state.tick, step_ms: 0.0 };
    frame_message(head, state, &show.obstacles_at(state.tick))
}
