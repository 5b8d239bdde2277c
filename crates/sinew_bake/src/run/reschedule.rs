//! Events of the scene are edited under a run: added, moved, removed.

use super::{Performer, Run, Staging};
use sinew_solve::{Input, StepError};
use sinew_stage::Script;

/// The scene's own inputs before and after an edit.
#[derive(Debug, Clone, Copy)]
pub struct Scripts<'a> {
    pub before: &'a Script,
    pub after: &'a Script,
}

impl Run {
    /// A text of the scene whose events alone are others than the present text's. What was performed before anything
    /// happens differently is of the new text as much as of the old one, and stays. So does what a hand did live and
    /// the new text has written down: the log of it is then the text's, but for frames that an earlier text made.
    /// Returns the last frame that stays; what came after it is forgotten.
    ///
    /// `performer` has the new script already.
    pub fn reschedule(
        &mut self,
        staging: Staging,
        scripts: Scripts<'_>,
        performer: &mut (impl Performer + ?Sized),
    ) -> Result<i32, StepError> {
        let from = self.present().from;
        let stays = self.adopt(scripts).map_or(self.reached, |tick| self.clock.frame_before(tick));
        if stays < from {
            // Another text performed that frame; the new one takes over there.
            return Ok(self.edit(stays, staging, performer).unwrap_or(self.at));
        }
        if stays < self.reached {
            self.rewind(stays, performer)?;
        }
        let last = self.spans.len() - 1;
        self.spans[last].staging = staging;
        Ok(stays)
    }

    /// Strikes live inputs of the present span that the new script has at their tick. The first tick that was performed
    /// and goes differently now.
    fn adopt(&mut self, Scripts { before, after }: Scripts<'_>) -> Option<u64> {
        let [mut tick, present, end] =
            [self.first_frame(), self.present().from, self.reached].map(|frame| self.clock.tick_of(frame));
        loop {
            tick = before.first_difference(after, tick).filter(|tick| *tick < end)?;
            let live = self.inputs_at(tick);
            let left = without(live, after.at(tick));
            if as_heard(before.at(tick), live) != as_heard(after.at(tick), &left) {
                return Some(tick);
            }
            // The texts of earlier spans do not have the event.
            if tick >= present {
                self.inputs.remove(&tick);
                if !left.is_empty() {
                    self.inputs.insert(tick, left);
                }
            }
            tick += 1;
        }
    }
}

/// Inputs of a tick as their listeners hear them: each body's touches and each body's pulls in their order.
fn as_heard(own: &[Input], live: &[Input]) -> Vec<Input> {
    let mut all = [own, live].concat();
    all.sort_by_key(|input| match input {
        Input::Touch { body, .. } => (body.0, false),
        Input::Drag { body, .. } | Input::LetGo { body } => (body.0, true),
    });
    all
}

/// `all` without those that are among `others`, one for one.
fn without(all: &[Input], others: &[Input]) -> Vec<Input> {
    let mut left = all.to_vec();
    for other in others {
        if let Some(place) = left.iter().position(|input| input == other) {
            left.remove(place);
        }
    }
    left
}
