//! Leads a body along a motion that was planned: exactly, or softly so that secondary motion arises.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas, "Meshless Shape and Motion Design for Multiple Deformable
//! Objects", CGF 2009, §6.1 and §7. Between its frames a motion is interpolated in the body's own frame
//! ([`MotionCurve`]). In designed parts every point of the flesh is pinned to it, with its velocity, so that
//! a body goes on from the end of a part as it was moved; with a settling time points are led by goals
//! instead. Elsewhere the body is free.
//!
//! Departures: the paper follows a motion by explicit target forces `α m d/Δt²` after a rigid match (Eq.
//! 26–27). Goals are implicit and stable at any step; their rigid part is not taken out, because the goals of
//! all points carry it.

use crate::Track3;
use sinew_math::{DVec3, Number};
use sinew_motion::interpolation::{BodyFrame, BodyMotion, MotionCurve, MotionError};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Flesh, Goal, Measures, Now, Pin, Row, Seen};
use std::sync::Arc;

/// Below this the body follows its plan exactly.
const LEAST_SETTLE_SECS: f64 = 1e-4;
/// Frames that end this close to a part's are in it.
const SAME_FRAME: f64 = 1e-6;

/// The planned places of all points of one body over time.
#[derive(Debug)]
pub struct PlannedFlesh {
    curve: MotionCurve,
    frames_per_sec: f64,
    /// First and last frame of each designed part, rising.
    parts: Vec<[f64; 2]>,
    size_m: f64,
}

impl PlannedFlesh {
    /// `frames` are frames of the scene with the places of all points, rising; `breaks` those at which
    /// velocity may jump.
    pub fn new(
        flesh: &Flesh,
        frames: &[(f64, Vec<DVec3>)],
        breaks: &[usize],
        parts: Vec<[f64; 2]>,
        frames_per_sec: f64,
    ) -> Result<Self, MotionError> {
        let frame = BodyFrame::of_points(&flesh.rest, &flesh.mass_kg);
        let moved = |places: &Vec<DVec3>| places.iter().zip(&flesh.rest).map(|(y, x)| *y - *x).collect();
        let motion = BodyMotion {
            times_secs: frames.iter().map(|(at, _)| at / frames_per_sec).collect(),
            displacements: frames.iter().map(|(_, places)| moved(places)).collect(),
            breaks: breaks.to_vec(),
        };
        let curve = MotionCurve::new(&frame, &motion)?;
        Ok(Self { curve, frames_per_sec, parts, size_m: flesh.size_m() })
    }

    /// Places and velocities of all points at a frame, in or out of parts.
    pub fn at(&self, frame: f64) -> (Vec<DVec3>, Vec<DVec3>) {
        self.curve.places_and_velocities_at(frame / self.frames_per_sec)
    }

    /// Whether a frame is designed.
    pub fn is_designed(&self, frame: f64) -> bool {
        let is_in = |[first, last]: &[f64; 2]| (first - SAME_FRAME..=last + SAME_FRAME).contains(&frame);
        self.parts.iter().any(is_in)
    }

    pub fn parts(&self) -> &[[f64; 2]] {
        &self.parts
    }
}

/// Leads a body along its plan.
#[derive(Debug)]
pub struct Planned {
    plan: Arc<PlannedFlesh>,
    settle_secs: Number,
    gravity: Track3,
}

impl Planned {
    /// `settle_secs` is the time in which the body settles on the plan; 0 follows it exactly. Goals carry the
    /// weight that `gravity` (m/s²) gives the body: it settles on its plan and not below it.
    pub fn new(plan: Arc<PlannedFlesh>, settle_secs: Number, gravity: Track3) -> Self {
        Self { plan, settle_secs, gravity }
    }
}

impl Director for Planned {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        if !self.plan.is_designed(now.end_frame) {
            return Ok(());
        }
        let settle_secs = self.settle_secs.value(now.end_frame);
        let (places, velocities) = self.plan.at(now.end_frame);
        // A goal pulls with m/τ² times the distance.
        let lift = -self.gravity.at(&now).0 * (settle_secs * settle_secs);
        for (point, (to, velocity)) in places.into_iter().zip(velocities).enumerate() {
            let at = Row(point as u32);
            if settle_secs < LEAST_SETTLE_SECS {
                out.pin(Pin { at, to, velocity });
            } else {
                out.goal(Goal { at, to: to + lift, velocity, settle_secs });
            }
        }
        Ok(())
    }

    /// How far the body is from its plan, on average over its points.
    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        if !self.plan.is_designed(now.end_frame) {
            return;
        }
        let (places, _) = self.plan.at(now.end_frame);
        let sum: f64 = places.iter().zip(&seen.state.x).map(|(to, x)| to.distance(*x)).sum();
        out.number("off_plan", "%", 100.0 * sum / (places.len().max(1) as f64 * self.plan.size_m));
    }
}
