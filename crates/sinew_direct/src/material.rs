//! Stiffness and damping of chosen points over time.

use sinew_math::Number;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, FieldQuery, FieldValues, Now, Seen};

/// Factors on the material of some points.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialOver {
    pub points: Vec<u32>,
    /// How many the whole body has.
    pub point_count: usize,
    pub stiffness: Number,
    pub damping: Number,
}

impl Director for MaterialOver {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let (stiffness, damping) = (self.stiffness.value(now.end_frame), self.damping.value(now.end_frame));
        for &point in &self.points {
            out.material(point as usize, stiffness, damping);
        }
        Ok(())
    }

    fn field(&self, query: FieldQuery, now: Now, _: &DirectorState) -> Option<FieldValues> {
        let factor = match query {
            FieldQuery::Stiffness => &self.stiffness,
            FieldQuery::Damping => &self.damping,
            _ => return None,
        };
        let mut factors = vec![1.0; self.point_count];
        self.points.iter().for_each(|&point| factors[point as usize] = factor.value(now.end_frame));
        Some(FieldValues::Numbers(factors))
    }
}
