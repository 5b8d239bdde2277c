//! What the file of a take holds while it is written; after resuming, more than has been simulated again.

use super::exact::take_hash;
use super::{Digest, TakeError, TakeTotals};
use sinew_solve::{Input, Warning};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    first_frame: i32,
    digests: Vec<Digest>,
    /// The frame that must be given next; any, before the first.
    next_frame: Option<i32>,
    pub last_checkpoint: Option<i32>,
    /// The tick of the last frame in the file.
    pub reached_tick: u64,
    /// The first tick that may still get inputs.
    next_input_tick: u64,
    /// In the file, and to be given again by the one who replays.
    inputs: BTreeMap<u64, Vec<Input>>,
    warnings: Vec<Warning>,
    /// Frames whose measured numbers are in the file.
    pub measured: BTreeSet<i32>,
    pub totals: TakeTotals,
}

impl Recorded {
    /// A file with these frames, from which `next_frame` on is simulated again.
    pub(super) fn replaying(
        first_frame: i32,
        digests: Vec<Digest>,
        next_frame: Option<i32>,
        reached_tick: u64,
    ) -> Self {
        let totals = TakeTotals { frames: digests.len() as u64, ..TakeTotals::default() };
        Self {
            first_frame,
            digests,
            next_frame,
            reached_tick,
            next_input_tick: reached_tick,
            totals,
            ..Self::default()
        }
    }

    /// Inputs and warnings that are in the file: in all, and those that the replay will give again.
    pub(super) fn with_log(mut self, inputs: &[(u64, Vec<Input>)], warnings: Vec<Warning>, replay_tick: u64) -> Self {
        self.totals.inputs = inputs.len() as u64;
        self.totals.warnings = warnings.len() as u64;
        for (tick, input) in inputs {
            self.next_input_tick = self.next_input_tick.max(tick.saturating_add(1));
            if *tick >= replay_tick {
                self.inputs.insert(*tick, input.clone());
            }
        }
        self.warnings = warnings.into_iter().filter(|warning| warning.tick >= replay_tick).collect();
        self
    }

    pub(super) fn with_checkpoints(mut self, count: usize, last: Option<i32>) -> Self {
        self.totals.checkpoints = count as u64;
        self.last_checkpoint = last;
        self
    }

    pub(super) fn with_measured(mut self, frames: impl Iterator<Item = i32>) -> Self {
        self.measured = frames.collect();
        self
    }

    pub(super) fn frames(&self) -> Option<RangeInclusive<i32>> {
        let after_first = i32::try_from(self.digests.len().checked_sub(1)?).ok()?;
        Some(self.first_frame..=self.first_frame.checked_add(after_first)?)
    }

    pub(super) fn digest(&self, frame: i32) -> Option<&Digest> {
        self.digests.get(usize::try_from(i64::from(frame) - i64::from(self.first_frame)).ok()?)
    }

    pub(super) fn totals(&self) -> TakeTotals {
        TakeTotals { hash: *take_hash(&self.digests).as_bytes(), ..self.totals }
    }

    pub(super) fn check_order(&self, frame: i32) -> Result<(), TakeError> {
        match self.next_frame {
            Some(expected) if frame != expected => Err(TakeError::FrameOutOfOrder { frame, expected }),
            _ => Ok(()),
        }
    }

    /// A frame was written, or found to be what the file holds.
    pub(super) fn pass_frame(&mut self, frame: i32, tick: u64, digest: Digest) {
        if self.digests.is_empty() {
            self.first_frame = frame;
        }
        if self.digest(frame).is_none() {
            self.digests.push(digest);
            self.totals.frames += 1;
            self.reached_tick = tick;
        }
        self.next_frame = Some(frame.saturating_add(1));
    }

    pub(super) fn add_checkpoint(&mut self, frame: i32) {
        self.last_checkpoint = Some(frame);
        self.totals.checkpoints += 1;
    }

    /// Whether these inputs are in the file already; an error if the file says otherwise of their tick.
    pub(super) fn replays_input(&mut self, tick: u64, input: &[Input]) -> Result<bool, TakeError> {
        match self.inputs.remove(&tick) {
            Some(recorded) if recorded == input => Ok(true),
            Some(_) => Err(TakeError::InputDiffers { tick }),
            None if tick < self.next_input_tick.max(self.reached_tick) => {
                Err(TakeError::InputOutOfOrder { tick, reached: self.next_input_tick.max(self.reached_tick) })
            }
            None => Ok(false),
        }
    }

    pub(super) fn add_input(&mut self, tick: u64) {
        self.next_input_tick = tick.saturating_add(1);
        self.totals.inputs += 1;
    }

    pub(super) fn replays_warning(&mut self, warning: &Warning) -> bool {
        let found = self.warnings.iter().position(|recorded| recorded == warning);
        found.map(|place| self.warnings.remove(place)).is_some()
    }
}
