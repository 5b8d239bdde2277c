//! Obstacles of a scene as a plan sees them: a signed distance at any time.

use sinew_math::{DQuat, DVec3};
use sinew_motion::plan::Obstacle;
use sinew_solve::Now;
use sinew_solve::contact::Shape;
use sinew_stage::{Clock, ObstacleTrack};

/// An obstacle with its motion over a shot.
pub(super) struct Tracked {
    track: ObstacleTrack,
    clock: Clock,
    bounds: Option<(DVec3, DVec3)>,
}

impl Tracked {
    pub(super) fn new(track: ObstacleTrack, clock: Clock) -> Self {
        let mut tracked = Self { track, clock, bounds: None };
        tracked.bounds = tracked.find_bounds();
        tracked
    }

    fn pose(&self, secs: f64) -> (DVec3, DQuat) {
        let frames_per_sec = self.clock.frames_per_sec();
        let h_secs = self.clock.secs(1, 0.0);
        let end_frame = secs * frames_per_sec;
        let now = Now { tick: 0, start_secs: secs - h_secs, h_secs, end_frame, frames_per_sec, tick_secs: h_secs };
        (self.track.at.at(&now).0, self.track.turn.at(&now).0)
    }

    /// The box that it stays in at the frames of the shot; none for what has no end.
    fn find_bounds(&self) -> Option<(DVec3, DVec3)> {
        let radius_m = match &self.track.shape {
            Shape::Plane => return None,
            Shape::Sphere { radius_m } => *radius_m,
            Shape::Box { half_m } => half_m.length(),
            Shape::Capsule { half_length_m, radius_m } => half_length_m + radius_m,
            Shape::Mesh(mesh) => mesh.mesh().positions.iter().map(|x| x.length()).fold(0.0, f64::max),
        };
        let places = (self.clock.first_frame..=self.clock.last_frame)
            .map(|frame| self.pose(f64::from(frame) / self.clock.frames_per_sec()).0);
        let around = |(low, high): (DVec3, DVec3), at: DVec3| {
            (low.min(at - DVec3::splat(radius_m)), high.max(at + DVec3::splat(radius_m)))
        };
        Some(places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), around))
    }
}

impl Obstacle for Tracked {
    fn distance(&self, point: DVec3, secs: f64) -> (f64, DVec3) {
        let (at, turn) = self.pose(secs);
        let (distance, gradient) = self.track.shape.distance(turn.inverse() * (point - at));
        (distance, turn * gradient)
    }

    fn bounds(&self) -> Option<(DVec3, DVec3)> {
        self.bounds
    }
}
