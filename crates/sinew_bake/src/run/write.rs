//! A run as a take.

use super::Run;
use crate::take::{TakeError, TakeOptions, TakeTotals, TakeWriter};
use sinew_io::Dir;
use std::path::Path;

impl Run {
    /// The first frame whose exact state was not kept, so that the run cannot be written whole.
    pub fn first_missing(&self) -> Option<i32> {
        (self.first_frame()..=self.reached).find(|frame| !self.states.contains_key(frame))
    }

    /// Writes the run to a take, which appears whole or not at all: every frame with the text of the scene
    /// that made it, the inputs and the warnings. A run whose states were not all kept is refused.
    pub fn write(&self, dir: &Dir, name: impl AsRef<Path>, options: TakeOptions) -> Result<TakeTotals, TakeError> {
        if let Some(frame) = self.first_missing() {
            return Err(TakeError::StateNotKept { frame });
        }
        let mut writer = TakeWriter::create_in(dir, name, &self.spans[0].staging.made_of, options)?;
        for (&frame, state) in self.states.range(self.first_frame()..=self.reached) {
            self.write_log_before(frame, &mut writer)?;
            writer.frame(frame, state)?;
            writer.measures(frame, self.measures(frame))?;
            if let Some(span) = self.spans[1..].iter().find(|span| span.from == frame) {
                writer.span(&span.staging.made_of, &span.start)?;
            }
        }
        writer.finish()
    }

    /// Inputs and warnings of the ticks that lead to a frame.
    fn write_log_before(&self, frame: i32, writer: &mut TakeWriter) -> Result<(), TakeError> {
        let end = self.clock.tick_of(frame);
        let ticks = end.saturating_sub(u64::from(self.clock.substeps))..end;
        for (tick, input) in self.inputs.range(ticks.clone()) {
            writer.input(*tick, input)?;
        }
        for warning in self.warnings.iter().filter(|warning| ticks.contains(&warning.tick)) {
            writer.warning(warning)?;
        }
        Ok(())
    }
}
