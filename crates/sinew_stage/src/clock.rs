//! Time as whole ticks: never summed, so frames sit on frames.

use serde::{Deserialize, Serialize};
use sinew_solve::Now;

/// A tick is one substep: `fps.1 / (fps.0 · substeps)` seconds. Tick 0 is the first frame's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Frames per second as a ratio, (24000, 1001) being 23.976.
    pub fps: (u32, u32),
    pub substeps: u32,
    pub first_frame: i32,
    pub last_frame: i32,
}

impl Clock {
    pub fn frames_per_sec(&self) -> f64 {
        f64::from(self.fps.0) / f64::from(self.fps.1)
    }

    /// Seconds from the first frame to a tick and a fraction of the next one.
    pub fn secs(&self, tick: u64, fraction: f64) -> f64 {
        (tick as f64 + fraction) * f64::from(self.fps.1) / (f64::from(self.fps.0) * f64::from(self.substeps))
    }

    /// Seconds of a frame since the first one.
    pub fn secs_at(&self, frame: i32) -> f64 {
        self.secs(self.tick_of(frame), 0.0)
    }

    /// The tick at which a frame's state is reached.
    pub fn tick_of(&self, frame: i32) -> u64 {
        u64::try_from(i64::from(frame) - i64::from(self.first_frame)).unwrap_or(0) * u64::from(self.substeps)
    }

    /// The frame that a tick lies on, if it lies on one.
    pub fn frame_at(&self, tick: u64) -> Option<i32> {
        let substeps = u64::from(self.substeps);
        tick.is_multiple_of(substeps).then(|| (i64::from(self.first_frame) + (tick / substeps) as i64) as i32)
    }

    /// The frame whose state a tick's interval goes on from.
    pub fn frame_before(&self, tick: u64) -> i32 {
        (i64::from(self.first_frame) + (tick / u64::from(self.substeps)) as i64) as i32
    }

    /// A tick itself, as the end of the interval before it.
    pub(crate) fn instant(&self, tick: u64) -> Now {
        let h_secs = self.secs(1, 0.0);
        let end_frame = f64::from(self.first_frame) + tick as f64 / f64::from(self.substeps);
        Now { start_secs: self.secs(tick, 0.0) - h_secs, end_frame, ..self.interval(tick, 0, 1) }
    }

    /// Part `part` of `parts` of the interval that starts at a tick.
    pub(crate) fn interval(&self, tick: u64, part: u32, parts: u32) -> Now {
        let start_secs = self.secs(tick, f64::from(part) / f64::from(parts));
        let end = tick as f64 + f64::from(part + 1) / f64::from(parts);
        Now {
            tick,
            start_secs,
            h_secs: self.secs(1, 0.0) / f64::from(parts),
            end_frame: f64::from(self.first_frame) + end / f64::from(self.substeps),
            frames_per_sec: self.frames_per_sec(),
            tick_secs: self.secs(1, 0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_film_does_not_drift() {
        let clock = Clock { fps: (24000, 1001), substeps: 4, first_frame: 1, last_frame: 100 };
        let day_of_frames = 24 * 3600 * 24;
        let tick = clock.tick_of(1 + day_of_frames);
        assert_eq!(clock.frame_at(tick), Some(1 + day_of_frames));
        assert_eq!(clock.frame_at(tick + 1), None);
        let exact = f64::from(day_of_frames) * 1001.0 / 24000.0;
        assert_eq!(clock.secs(tick, 0.0), exact);
        assert_eq!(clock.interval(4, 1, 2).end_frame, 2.25);
    }
}
