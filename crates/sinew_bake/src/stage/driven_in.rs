//! Steps that drive a body into an obstacle: found after the step, and taken again in shorter intervals.
//!
//! Contacts are found before a step, along straight ways. What lands on a corner is thrown round within the step, and its far end comes down where no
//! contact was foreseen: a stiff bar at one substep a frame ended 4 % of its size below the ground. Shorter intervals see the turn.
//! Shape matching is left out: its pulls are shares of a step, and in short ones they throw flesh that is out of shape apart.

use super::{Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::{BodyState, Cues, Flesh, Obstacle};

/// How often an interval is halved for this at most, beyond what speeds ask for.
pub(super) const MOST_CUTS: u32 = 3;
/// Depth that is tolerated, and by how much it may grow in a step, as shares of the body's size.
const DEEP: f64 = 0.01;
const GROWN: f64 = 0.005;

/// One interval as it began and ended.
pub(super) struct DrivenIn<'a> {
    pub(super) bodies: &'a [StageBody],
    pub(super) cues: &'a [Cues],
    pub(super) before: &'a [BodyState],
    pub(super) after: &'a [BodyState],
    /// Where obstacles stood when it began and ended.
    pub(super) obstacles: [&'a [Obstacle]; 2],
}

impl DrivenIn<'_> {
    /// Whether a body that nothing holds there is deeper in an obstacle than before.
    pub(super) fn is_any(&self) -> bool {
        (0..self.bodies.len()).any(|body| self.is_driven_in(body))
    }

    /// Whether a point has moved by more than a share of its body's size. Most of the time none has.
    fn has_moved(&self, number: usize, share: f64) -> bool {
        let most = (share * self.bodies[number].size_m).powi(2);
        let mut points = self.before[number].x.iter().zip(&self.after[number].x);
        points.any(|(x, y)| x.distance_squared(*y) > most)
    }

    fn is_driven_in(&self, number: usize) -> bool {
        let (body, cues) = (&self.bodies[number], &self.cues[number]);
        let is_held = !cues.pins.is_empty() || !cues.goals.is_empty() || cues.path.is_some();
        let is_matched = matches!(body.method, Method::ShapeMatching(_));
        if is_held || is_matched || !self.has_moved(number, GROWN) {
            return false;
        }
        let depth = |state: &BodyState, obstacles| depth_m(&body.flesh, state, obstacles) / body.size_m;
        let after = depth(&self.after[number], self.obstacles[1]);
        after > DEEP && after > GROWN + depth(&self.before[number], self.obstacles[0])
    }
}

/// How deep the deepest surface point is in any obstacle.
fn depth_m(flesh: &Flesh, state: &BodyState, obstacles: &[Obstacle]) -> f64 {
    let mut deepest = 0.0f64;
    for obstacle in obstacles {
        for &row in &flesh.surface_rows {
            deepest = deepest.max(-obstacle.distance(flesh.anchors.at(row, &state.x)).0);
        }
    }
    deepest
}
