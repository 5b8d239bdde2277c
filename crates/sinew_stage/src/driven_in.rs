//! Steps that drive a body into an obstacle: found after the step, and taken again in shorter intervals.
//!
//! Contacts are found before a step, along straight ways. What lands on a corner is thrown round within the step, and its far end comes down where no
//! contact was foreseen: a stiff bar at one substep a frame ended 4 % of its size below the ground. Shorter intervals see the turn.
//!
//! A contact that was foreseen may fail as well: a solve that did not get to its end leaves a stiff cube behind the plate that should push it, and a step or two later the
//! plate is on its other side. How deep a point is tells nothing in an obstacle that thin; how far it is behind the side that it came from does.
//!
//! Bodies are looked at in the same way where a contact between them was foreseen: how far its vertex is behind its face.
//!
//! Shape matching is left out: its pulls are shares of a step, and in short ones they throw flesh that is out of shape apart.

use crate::StageBody;
use crate::drive::Drive;
use sinew_solve::contact::CONTACT;
use sinew_solve::{BodyContact, BodyState, Contact, Cues, Flesh, Obstacle, Other};

/// One part of a substep as it began and ended.
pub(crate) struct DrivenIn<'a> {
    pub(crate) bodies: &'a [StageBody],
    pub(crate) cues: &'a [Cues],
    pub(crate) before: &'a [BodyState],
    pub(crate) after: &'a [BodyState],
    /// Obstacles as it ended.
    pub(crate) obstacles: &'a [Obstacle],
    /// Contacts with them that were foreseen, by body.
    pub(crate) contacts: &'a [Vec<Contact>],
    /// The same between bodies.
    pub(crate) touching: &'a [BodyContact],
    /// Its length, and which share of the substep that is.
    pub(crate) h_secs: f64,
    pub(crate) share: f64,
}

impl DrivenIn<'_> {
    /// Whether a body that nothing holds there is deeper in an obstacle than before.
    pub(crate) fn is_any(&self) -> bool {
        let in_obstacles = || (0..self.bodies.len()).any(|body| self.is_driven_in(body));
        !self.obstacles.is_empty() && in_obstacles() || self.touching.iter().any(|contact| self.fails_between(contact))
    }

    /// Whether nothing holds a body where it is, and its method bears short steps.
    fn is_free(&self, number: usize) -> bool {
        let drive = Drive::of(&self.bodies[number], &self.cues[number]);
        !drive.is_held() && !drive.is_pulled() && !drive.is_matched()
    }

    /// Whether the vertex of a contact between two bodies is farther behind its face than before.
    fn fails_between(&self, contact: &BodyContact) -> bool {
        let [a, b] = [contact.vertex.body, contact.face.body].map(|body| body.0 as usize);
        if a == b || !self.is_free(a) || !self.is_free(b) {
            return false;
        }
        let size_m = self.bodies[a].size_m.min(self.bodies[b].size_m);
        let apart = |states: &[BodyState]| contact.vertex.at(&states[a].x) - contact.face.at(&states[b].x);
        let (before, after) = (apart(self.before), apart(self.after));
        let depth = |apart| -contact.gap_at(apart, sinew_math::DVec3::ZERO) / size_m;
        let deep = depth(after);
        if deep <= CONTACT.impact.tolerated_depth
            || deep <= CONTACT.impact.max_growth * self.share + depth(before).max(0.0)
        {
            return false;
        }
        let slid = (after - contact.normal * after.dot(contact.normal)).length() / size_m;
        slid <= CONTACT.impact.slid + 2.0 * deep
    }

    fn is_driven_in(&self, number: usize) -> bool {
        self.is_free(number) && (self.fails_contact(number) || self.has_moved(number) && self.is_deeper(number))
    }

    /// Whether a point has moved by so much that depth can have grown. Most of the time none has.
    fn has_moved(&self, number: usize) -> bool {
        let most = (CONTACT.impact.max_growth * self.share * self.bodies[number].size_m).powi(2);
        let mut points = self.before[number].x.iter().zip(&self.after[number].x);
        points.any(|(x, y)| x.distance_squared(*y) > most)
    }

    /// Whether the body is deeper in an obstacle that stands still, foreseen or not.
    fn is_deeper(&self, number: usize) -> bool {
        let body = &self.bodies[number];
        let depth = |state: &BodyState| depth_m(&body.flesh, state, self.obstacles) / body.size_m;
        let after = depth(&self.after[number]);
        after > CONTACT.impact.tolerated_depth
            && after > CONTACT.impact.max_growth * self.share + depth(&self.before[number])
    }

    /// Whether a point is in an obstacle, and farther behind the side that it came from than before.
    fn fails_contact(&self, number: usize) -> bool {
        let StageBody { flesh, size_m, .. } = &self.bodies[number];
        self.contacts[number].iter().any(|contact| {
            let Other::Obstacle(obstacle) = contact.other else { return false };
            let place = flesh.anchors.at(contact.at, &self.after[number].x);
            let after = -contact.gap_at(place) / size_m;
            if after <= CONTACT.impact.tolerated_depth {
                return false;
            }
            let before =
                -contact.gap_before(flesh.anchors.at(contact.at, &self.before[number].x), self.h_secs) / size_m;
            after > CONTACT.impact.max_growth * self.share + before.max(0.0)
                && self.obstacles[obstacle as usize].distance(place).0 < 0.0
        })
    }
}

/// How deep the deepest surface point is in any obstacle that stands still.
fn depth_m(flesh: &Flesh, state: &BodyState, obstacles: &[Obstacle]) -> f64 {
    let mut deepest = 0.0f64;
    for obstacle in obstacles.iter().filter(|obstacle| obstacle.is_still()) {
        for &row in &flesh.surface_rows {
            deepest = deepest.max(-obstacle.distance(flesh.anchors.at(row, &state.x)).0);
        }
    }
    deepest
}
