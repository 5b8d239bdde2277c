//! Ground and obstacles: shapes with a pose that may move, and the contacts of flesh with them.

use super::{Contact, Other, Shape};
use crate::{BodyState, Flesh, Friction};
use sinew_math::{DQuat, DVec3};

/// A shape at one instant: the end of the present interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obstacle {
    pub shape: Shape,
    pub at: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    pub spin: DVec3,
    pub friction: Friction,
}

impl Obstacle {
    /// Signed distance of a world point and the outward normal there.
    pub fn distance(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.shape.distance(self.turn.inverse() * (x - self.at));
        (distance, self.turn * gradient)
    }

    /// The velocity of its surface at a world point.
    pub fn velocity_at(&self, x: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(x - self.at)
    }
}

impl Obstacle {
    /// Gap and normal at `to` for a point that comes from `from`, if it is or comes within `margin_m`. A point on its way
    /// through a thin obstacle is held by the side it entered (sphere tracing: Hart, The Visual Computer 1996).
    fn meets(&self, from: DVec3, to: DVec3, margin_m: f64) -> Option<(f64, DVec3)> {
        const MARCHES: usize = 32;
        let (start_gap, _) = self.distance(from);
        let (gap_m, normal) = self.distance(to);
        let (way, length) = ((to - from).normalize_or_zero(), to.distance(from));
        if start_gap > 0.0 && length > start_gap {
            let mut gone = start_gap;
            for _ in 0..MARCHES {
                let place = from + way * gone;
                let (gap, entered) = self.distance(place);
                if gap <= 1e-3 * margin_m {
                    return Some((gap + entered.dot(to - place), entered));
                }
                gone += gap;
                if gone >= length {
                    break;
                }
            }
        }
        (gap_m <= margin_m || start_gap <= margin_m).then_some((gap_m, normal))
    }
}

/// Surface points of a body that are in, or may come into, an obstacle within the interval, in order of rows.
/// A body that presses deep into an obstacle thinner than that may still come out on its other side.
/// `along` gives a point's forward direction (zero where it has none).
pub fn find_obstacle_contacts(
    flesh: &Flesh,
    friction: Friction,
    state: &BodyState,
    obstacles: &[Obstacle],
    h_secs: f64,
    along: impl Fn(usize) -> DVec3,
    out: &mut Vec<Contact>,
) {
    /// How much farther than predicted a point may move in a step, as a share of the body's size, and still be caught.
    const MARGIN: f64 = 0.02;
    let margin_m = MARGIN * flesh.size_m();
    for (number, obstacle) in obstacles.iter().enumerate() {
        for (i, &row) in flesh.surface_rows.iter().enumerate() {
            let now = flesh.anchors.at(row, &state.x);
            let point = now + flesh.anchors.at(row, &state.v) * h_secs;
            // Where the point starts in the frame of an obstacle that moves meanwhile.
            let from = now + obstacle.velocity_at(now) * h_secs;
            let Some((gap_m, normal)) = obstacle.meets(from, point, margin_m) else { continue };
            let surface_velocity = obstacle.velocity_at(point);
            out.push(Contact {
                at: row,
                other: Other::Obstacle(number as u32),
                normal,
                gap_m,
                point,
                surface_velocity,
                friction: combined(friction, obstacle.friction),
                along: along(i),
            });
        }
    }
    out.sort_by_key(|contact| contact.at);
}

/// The body's own friction, scaled by how rough the obstacle is (1 leaves it as it is).
fn combined(body: Friction, obstacle: Friction) -> Friction {
    Friction {
        forward: body.forward * obstacle.forward,
        backward: body.backward * obstacle.backward,
        sideways: body.sideways * obstacle.sideways,
    }
}

/// The last non-penetration pass, after a path moved a body: penetrating surface points are put on the surface and
/// lose their approach. Returns the deepest penetration found, metres.
pub fn push_out(flesh: &Flesh, state: &mut BodyState, obstacles: &[Obstacle]) -> f64 {
    let mut deepest = 0.0f64;
    for obstacle in obstacles {
        for &row in &flesh.surface_rows {
            let (gap_m, normal) = obstacle.distance(flesh.anchors.at(row, &state.x));
            if gap_m >= 0.0 {
                continue;
            }
            deepest = deepest.max(-gap_m);
            let reach: f64 = flesh.anchors.terms(row).map(|(_, w)| w * w).sum();
            let relative = flesh.anchors.at(row, &state.v) - obstacle.velocity_at(flesh.anchors.at(row, &state.x));
            let approach = (-relative.dot(normal)).max(0.0);
            for (dof, weight) in flesh.anchors.terms(row) {
                state.x[dof] += normal * (-gap_m * weight / reach);
                state.v[dof] += normal * (approach * weight / reach);
            }
        }
    }
    deepest
}
