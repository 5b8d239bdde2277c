//! Another stage takes the place of the running one.

use super::hands::Hands;
use super::{Runner, Staged, Start, frame_time};
use crate::recording::Recording;
use crate::wire::{FrameHead, frame_message};
use sinew_solve::StageState;

impl Runner {
    /// It goes on from the shown frame where it may and can, else it begins at its first one. It plays on if this one played; if not,
    /// the playhead stays where it is.
    pub(super) fn restage(&mut self, staged: Staged) {
        let carried = (staged.start == Start::Where).then(|| self.carried_to(&staged)).flatten();
        let Staged { show, welcome, start } = staged;
        let same_shot = self.clock.first_frame == show.clock().first_frame;
        self.fields.restage(&self.welcome, &welcome);
        self.clock = show.clock();
        self.frame_time = frame_time(self.clock);
        (self.show, self.welcome) = (show, welcome);
        self.hands = Hands::default();
        self.take = None;
        if start == Start::Fresh || !same_shot {
            self.range = None;
        }
        self.playing = self.playing || start == Start::Fresh;
        match carried {
            Some(carried) => self.go_on(carried),
            None if self.playing || start == Start::Fresh => self.restart(),
            None => self.restart_at(self.playhead),
        }
    }

    /// The run under another stage, if all its states can be that one's.
    fn carried_to(&mut self, staged: &Staged) -> Option<Carried> {
        if self.stale_from.is_some_and(|stale| self.shown >= stale) {
            self.leave_stale();
        }
        self.state_at_shown();
        let (from, to) = (self.show.stage()?, staged.show.stage()?);
        if self.shown > to.clock().last_frame {
            return None;
        }
        let state = to.carry_over(from, &self.state)?;
        let recorded = to.is_ordered_as(from).then(|| {
            let states = self.recording.checkpoints_up_to(self.shown);
            states.map(|(frame, state)| Some((frame, to.carry_over(from, state)?))).collect::<Option<Vec<_>>>()
        });
        Some(Carried { state, recorded: recorded.flatten() })
    }

    /// As after other directors: what is recorded up to here stays, and what comes after is stale.
    fn go_on(&mut self, Carried { state, recorded }: Carried) {
        self.state = state;
        self.live = self.shown;
        self.pending.clear();
        self.problem = None;
        self.warning = None;
        match recorded {
            Some(states) => {
                self.recording.forget_states_after(self.shown);
                states.iter().for_each(|(frame, state)| self.recording.keep_state(*frame, state));
                self.recording.keep_state(self.shown, &self.state);
                // Obstacles may stand elsewhere, in the frame that is looked at too.
                self.recording.put(self.shown, self.frame_of_state(), &self.state);
            }
            None => {
                let frame = self.frame_of_state();
                self.recording = Recording::begin(self.shown, frame, self.state.clone(), self.limits);
            }
        }
        self.stale_from = (self.shown < self.recording.to()).then_some(self.shown + 1);
        self.is_edited = self.shown > self.clock.first_frame;
        self.show_frame(self.playhead);
    }

    fn frame_of_state(&self) -> axum::body::Bytes {
        let head = FrameHead { frame: self.shown, tick: self.state.tick, step_ms: 0.0 };
        frame_message(head, &self.state, &self.show.obstacles_at(self.state.tick))
    }
}

/// A run as states of another stage.
struct Carried {
    /// At the shown frame.
    state: StageState,
    /// At the frames before it whose states are kept; none where recorded frames cannot be shown with the other stage.
    recorded: Option<Vec<(i32, StageState)>>,
}
