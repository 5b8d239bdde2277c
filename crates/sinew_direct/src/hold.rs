//! Holding points: softly by goals, hard by pins. Both carry a set of points along as one piece.

use crate::{Track3, Turn};
use sinew_math::{DVec3, Number};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Goal, Measures, Now, Pin, Row, Seen};

/// A curve of settling times that overshoots between its keys goes no lower than this.
const LEAST_SETTLE_SECS: f64 = 1e-4;

/// A set of points, where they start in the world, and how the set moves from there.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    points: Vec<(Row, DVec3)>,
    centre: DVec3,
    shift: Track3,
    turn: Turn,
}

impl Held {
    /// `points` with their places in the world at the start; `turn` is about their centre.
    pub fn new(points: Vec<(Row, DVec3)>, shift: Track3, turn: Turn) -> Self {
        let centre = points.iter().map(|(_, x)| *x).sum::<DVec3>() / points.len().max(1) as f64;
        Self { points, centre, shift, turn }
    }

    /// Each row with the place and velocity it should have at the end of the interval.
    fn targets(&self, now: &Now) -> impl Iterator<Item = (Row, DVec3, DVec3)> {
        let (shift, shift_rate) = self.shift.at(now);
        let (turn, spin) = self.turn.at(now);
        self.points.iter().map(move |&(row, start)| {
            let arm = turn * (start - self.centre);
            (row, self.centre + arm + shift, shift_rate + spin.cross(arm))
        })
    }
}

/// Pulls points towards their places; they settle there in about `settle_secs`.
#[derive(Debug, Clone, PartialEq)]
pub struct GoalTo {
    pub held: Held,
    pub settle_secs: Number,
}

impl Director for GoalTo {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let settle_secs = self.settle_secs.value(now.end_frame).max(LEAST_SETTLE_SECS);
        for (at, to, velocity) in self.held.targets(&now) {
            out.goal(Goal { at, to, velocity, settle_secs });
        }
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        let distance = |(row, to, _): (Row, DVec3, DVec3)| seen.flesh.anchors.at(row, &seen.state.x).distance(to);
        let sum: f64 = self.held.targets(&now).map(distance).sum();
        out.number("distance_from_goal", "m", sum / self.held.points.len().max(1) as f64);
    }
}

/// Keeps points exactly in their places.
#[derive(Debug, Clone, PartialEq)]
pub struct PinTo {
    pub held: Held,
}

impl Director for PinTo {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        for (at, to, velocity) in self.held.targets(&now) {
            out.pin(Pin { at, to, velocity });
        }
        Ok(())
    }
}
