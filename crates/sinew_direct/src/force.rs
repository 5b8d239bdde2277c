//! Forces: gravity on everything, and a push on chosen points.

use crate::Track3;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Measures, Now, Row, Seen};

/// The same acceleration for every point.
#[derive(Debug, Clone, PartialEq)]
pub struct Gravity {
    pub metres_per_sec2: Track3,
}

impl Director for Gravity {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        out.acceleration(self.metres_per_sec2.at(&now).0);
        Ok(())
    }
}

/// A total force, shared by mass among the points it acts on, so that it does not depend on the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Force {
    pub on: Vec<Row>,
    pub newton: Track3,
}

impl Director for Force {
    fn cue(&self, now: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let flesh = seen.flesh;
        let mass =
            |row: Row| -> f64 { flesh.anchors.terms(row).map(|(dof, weight)| weight * flesh.mass_kg[dof]).sum() };
        let total: f64 = self.on.iter().map(|&row| mass(row)).sum();
        let newton = self.newton.at(&now).0;
        for &row in &self.on {
            out.force(row, newton * (mass(row) / total.max(f64::MIN_POSITIVE)));
        }
        Ok(())
    }

    fn measure(&self, now: Now, _: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        out.number("force", "N", self.newton.at(&now).0.length());
    }
}
