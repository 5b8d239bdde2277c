//! The implicit midpoint rule as half a step of implicit Euler.
//!
//! `v½ = v0 + h/2 a(x½)`, `x½ = x0 + h/2 v½` is implicit Euler over half the interval; from there everything goes on by as much
//! again: `x1 = x0 + h v½`, `v1 = v0 + 2 (v½ − v0)` (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, §II.1.1). Half-way,
//! pins and goals are half-way.

use crate::{BodyContact, BodyState, Contact, Cues, Goal, Pin, Rows};

/// Whether nothing touches the body of this number.
pub(crate) fn is_free(number: usize, contacts: &[Contact], touching: &[BodyContact]) -> bool {
    let touches = |contact: &BodyContact| {
        [contact.vertex.body, contact.face.body].iter().any(|touched| touched.0 as usize == number)
    };
    contacts.is_empty() && !touching.iter().any(touches)
}

/// What is asked of a body half-way through the interval.
pub(super) fn half_way(anchors: &Rows, start: &BodyState, cues: &Cues, h_secs: f64) -> Cues {
    let pin = |pin: &Pin| {
        let from = anchors.at(pin.at, &start.x);
        Pin { to: (from + pin.to) * 0.5, velocity: (pin.to - from) / h_secs, ..*pin }
    };
    let goal = |goal: &Goal| Goal { to: goal.to - goal.velocity * (0.5 * h_secs), ..*goal };
    Cues { pins: cues.pins.iter().map(pin).collect(), goals: cues.goals.iter().map(goal).collect(), ..cues.clone() }
}
