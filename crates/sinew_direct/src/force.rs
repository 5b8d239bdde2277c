//! Forces: gravity on everything, and a push on chosen points.

use crate::Track3;
use sinew_math::DVec3;
use sinew_solve::{CueError, CueWriter, Director, Note, Now, Row, Seen};

/// The same acceleration for every point.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    pub metres_per_sec2: DVec3,
}

impl Director for Gravity {
    fn cue(&self, _: Now, _: &Seen<'_>, _: &mut Note, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        out.acceleration(self.metres_per_sec2);
        Ok(())
    }
}

/// A total force, shared evenly by the points it acts on.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    pub on: Vec<Row>,
    pub newton: Track3,
}

impl Director for Force {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut Note, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let share = self.newton.at(&now).0 / self.on.len().max(1) as f64;
        for &row in &self.on {
            out.force(row, share);
        }
        Ok(())
    }
}
