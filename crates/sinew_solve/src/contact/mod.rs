//! Contact: found once per substep on predicted positions, then solved inside each solver's iterations.
//!
//! A [`Contact`] is linear: a point of a body must stay on the outer side of a plane that moves with the other surface.
//! Bodies of different solvers see each other as such moving surfaces.

mod obstacle;
mod shape;

pub use obstacle::{Obstacle, find_obstacle_contacts, push_out};
pub use shape::Shape;

use crate::{BodyId, Row};
use serde::{Deserialize, Serialize};
use sinew_math::DVec3;

/// Coulomb coefficients with a direction: bristles slide forward and hold backward.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Friction {
    pub forward: f64,
    pub backward: f64,
    pub sideways: f64,
}

impl Default for Friction {
    fn default() -> Self {
        Self::even(0.5)
    }
}

impl Friction {
    pub const fn even(coefficient: f64) -> Self {
        Self { forward: coefficient, backward: coefficient, sideways: coefficient }
    }

    /// The coefficient against sliding with velocity `slide`, where forward is `along` (zero: no direction, sideways).
    pub fn against(&self, slide: DVec3, along: DVec3) -> f64 {
        let (Some(slide), Some(along)) = (slide.try_normalize(), along.try_normalize()) else {
            return self.sideways;
        };
        let cosine = slide.dot(along);
        let lengthwise = if cosine > 0.0 { self.forward } else { self.backward };
        // An ellipse between the lengthwise and the sideways coefficient.
        let (a, b) = (cosine * lengthwise, (1.0 - cosine * cosine).max(0.0).sqrt() * self.sideways);
        (a * a + b * b).sqrt()
    }
}

/// One point of a body near another surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    pub at: Row,
    pub other: Other,
    /// Out of the other surface, towards the body.
    pub normal: DVec3,
    /// The signed distance to the other surface when the point was at `point`, at the interval's end.
    pub gap_m: f64,
    pub point: DVec3,
    /// The other surface's velocity there.
    pub surface_velocity: DVec3,
    pub friction: Friction,
    /// The body's forward direction there (unit), or zero where friction has none.
    pub along: DVec3,
    /// Share of a correction that this side takes, 1 against obstacles.
    pub share: f64,
}

impl Contact {
    /// The gap left when the point is at `x`.
    pub fn gap_at(&self, x: DVec3) -> f64 {
        self.gap_m + self.normal.dot(x - self.point)
    }

    /// The velocity after touching: no approach faster than the gap allows in `h`, and Coulomb friction for the
    /// impulse that took. `v` is the velocity that would carry the point from `x` over the interval.
    pub fn respond(&self, x: DVec3, v: DVec3, h_secs: f64) -> DVec3 {
        let gap_after = self.gap_at(x + v * h_secs);
        if gap_after >= 0.0 {
            return v;
        }
        let push = -gap_after / h_secs * self.share;
        let approach = (-(v - self.surface_velocity).dot(self.normal)).max(0.0);
        let stopped = push.max(approach * self.share);
        let relative = v + self.normal * stopped - self.surface_velocity;
        let slide = relative - self.normal * relative.dot(self.normal);
        let speed = slide.length();
        // Friction answers the part of the push that stopped an approach, not the one that repairs penetration.
        let limit = self.friction.against(slide, self.along) * stopped.min(approach);
        let kept = if speed > limit { 1.0 - limit / speed } else { 0.0 };
        v + self.normal * stopped - slide * (1.0 - kept)
    }
}

/// What the point touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Obstacle(u32),
    Body(BodyId, Row),
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    fn on_floor(friction: Friction) -> Contact {
        Contact {
            at: Row(0),
            other: Other::Obstacle(0),
            normal: DVec3::Y,
            gap_m: 0.0,
            point: DVec3::ZERO,
            surface_velocity: DVec3::ZERO,
            friction,
            along: DVec3::X,
            share: 1.0,
        }
    }

    /// Known answer 17: on an incline of slope φ a point slides if and only if tan φ > μ.
    #[test]
    fn a_point_slides_when_the_slope_exceeds_friction() {
        let h = 0.01;
        for (slope, slides) in [(0.29f64, false), (0.31, true)] {
            let push = dvec3(slope, -1.0, 0.0) * 9.81 * h;
            let v = on_floor(Friction::even(0.3)).respond(DVec3::ZERO, push, h);
            assert_eq!(v.length() > 1e-12, slides, "slope {slope} gave {v}");
        }
    }

    #[test]
    fn bristles_slide_forward_and_hold_backward() {
        let friction = Friction { forward: 0.1, backward: 0.9, sideways: 0.5 };
        let slide = |direction: f64| on_floor(friction).respond(DVec3::ZERO, dvec3(direction, -2.0, 0.0), 0.01).x;
        assert!((slide(1.0) - 0.8).abs() < 1e-12, "{}", slide(1.0));
        assert_eq!(slide(-1.0), 0.0);
    }
}
