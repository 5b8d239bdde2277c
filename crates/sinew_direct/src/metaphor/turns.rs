//! Angles that are followed beyond half a turn: what a metaphor remembers.
//!
//! A shape tells an angle but for whole turns. From one interval to the next regions turn by much less than half a turn, so that the angle
//! nearest to the last one is the right one (unwrapping). What was last is part of the state: a run that goes on from a frame has the same bits.

use serde::{Deserialize, Serialize};
use sinew_solve::{DirectorState, Now, Remembered};
use std::f64::consts::TAU;

/// How far a metaphor's regions are turned: one angle of a twist, one for each end of a bend. Radians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turns([f64; 2]);

/// Turns at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Followed {
    radians: [f64; 2],
    at_secs: f64,
}

impl Remembered for Followed {
    const KIND: &'static str = "metaphor turns";
}

/// Ticks after which what was remembered is old: a director without weight is not asked, and what it saw last says nothing about now.
const MOST_TICKS: f64 = 1.5;

impl Turns {
    /// Within half a turn.
    pub(super) fn new(radians: [f64; 2]) -> Self {
        Self(radians.map(|angle| nearest(angle, 0.0)))
    }

    /// Those that are as many whole turns on as `before` was.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        let Some(Self(before)) = before else { return self };
        Self([nearest(self.0[0], before[0]), nearest(self.0[1], before[1])])
    }

    /// All together.
    pub(super) fn degrees(self) -> f64 {
        (self.0[0] + self.0[1]).to_degrees()
    }

    /// What was remembered shortly before the moment at which `now` begins.
    pub(super) fn remembered(memory: &DirectorState, now: Now) -> Option<Self> {
        let followed: Followed = memory.remembered()?;
        let is_new = (now.start_secs - followed.at_secs).abs() <= MOST_TICKS * now.tick_secs;
        is_new.then_some(Self(followed.radians))
    }

    /// Remembers them as those at which `now` begins.
    pub(super) fn remember(self, memory: &mut DirectorState, now: Now) {
        memory.remember(&Followed { radians: self.0, at_secs: now.start_secs });
    }
}

/// The angle that is `angle` but for whole turns and nearest to another.
fn nearest(angle: f64, to: f64) -> f64 {
    angle - TAU * ((angle - to) / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start_secs: f64) -> Now {
        Now { tick: 0, start_secs, h_secs: 0.01, end_frame: 1.0, frames_per_sec: 24.0, tick_secs: 0.01 }
    }

    /// Twice round and back, in steps of 100°, from angles within half a turn.
    #[test]
    fn turns_are_followed_round_and_back() {
        let mut memory = DirectorState::Nothing;
        let there = (0..=7).chain((0..7).rev()).map(|n| 100.0 * f64::from(n));
        for (tick, degrees) in there.enumerate() {
            let now = at(0.01 * tick as f64);
            let turns = Turns::new([degrees.to_radians(), 0.0]);
            assert!(turns.degrees().abs() <= 180.0 + 1e-9);
            let followed = turns.after(Turns::remembered(&memory, now));
            assert!((followed.degrees() - degrees).abs() < 1e-9, "{degrees}: {followed:?}");
            followed.remember(&mut memory, now);
        }
    }

    #[test]
    fn what_was_long_ago_does_not_count() {
        let mut memory = DirectorState::Nothing;
        Turns([7.0, 0.0]).remember(&mut memory, at(0.0));
        assert_eq!(Turns::remembered(&memory, at(0.01)), Some(Turns([7.0, 0.0])));
        assert_eq!(Turns::remembered(&memory, at(0.02)), None);
    }

    #[test]
    fn an_angle_within_half_a_turn_keeps_its_bits() {
        for angle in [0.1 + 0.2, -3.0, 1e-17] {
            assert_eq!(Turns::new([angle, 0.0]), Turns([angle, 0.0]));
        }
    }
}
