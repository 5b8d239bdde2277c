//! Stiffness and damping of chosen points over time.

use sinew_math::Number;
use sinew_solve::{CueError, CueWriter, Director, Note, Now, Seen};

/// Factors on the material of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialOver {
    pub points: Vec<u32>,
    pub stiffness: Number,
    pub damping: Number,
}

impl Director for MaterialOver {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut Note, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let (stiffness, damping) = (self.stiffness.value(now.end_frame), self.damping.value(now.end_frame));
        for &point in &self.points {
            out.material(point as usize, stiffness, damping);
        }
        Ok(())
    }
}
