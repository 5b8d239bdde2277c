//! An edit that is taken back gives back what was performed before it, as long as nothing was performed since.

use super::Runner;
use sinew_bake::Run;
use sinew_bake::take::TakeHeader;
use std::sync::Arc;

/// Edits that can be taken back one after the other so.
const MOST: usize = 16;

/// A run before an edit of its scene. Frames that pages see are still in the recording; exact states are shared with the edited run.
pub(super) struct BeforeEdit {
    made_of: Arc<TakeHeader>,
    run: Run,
    stale_from: Option<i32>,
}

impl Runner {
    /// Keeps the run for when the edit that makes the scene `made_of` is taken back. An edit after which as much is left leaves what is kept:
    /// gestures edit often.
    pub(super) fn keep_before_edit(&mut self, made_of: &TakeHeader) {
        let run = &self.recording.run;
        let is_back = self.before_edits.iter().any(|before| *before.made_of == *made_of);
        if is_back || run.reached() <= self.shown {
            return;
        }
        let (run, stale_from) = (run.clone(), self.stale_from);
        self.before_edits.push(BeforeEdit { made_of: self.made_of.clone(), run, stale_from });
        let too_many = self.before_edits.len().saturating_sub(MOST);
        self.before_edits.drain(..too_many);
    }

    /// The kept run takes the place of the edited one where the scene is again what it was then. The stage must be that of the scene already.
    pub(super) fn take_edit_back(&mut self) -> bool {
        let Some(at) = self.before_edits.iter().rposition(|before| before.made_of == self.made_of) else {
            return false;
        };
        let Some(before) = self.before_edits.drain(at..).next() else { return false };
        self.recording.run = before.run;
        self.stale_from = before.stale_from;
        self.is_edited = self.recording.run.is_edited();
        self.problem = None;
        self.state_at_shown();
        self.show_frame(self.playhead);
        true
    }
}
