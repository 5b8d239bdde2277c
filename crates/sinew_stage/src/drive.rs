//! What else drives a body than forces and what it touches: one place for questions that several parts of a substep ask.
//!
//! Each asks for what matters to it and combines the answers itself: pins and paths leave no impulse to a body, goals move it by
//! more than forces do, muscles store energy that a solver may not tell. The lists differ on purpose.

use crate::{Method, StageBody};
use sinew_math::DVec3;
use sinew_solve::{Contact, Cues};

/// What is asked of a body in an interval beside forces.
#[derive(Clone, Copy)]
pub(crate) struct Drive<'a> {
    body: &'a StageBody,
    cues: &'a Cues,
}

impl<'a> Drive<'a> {
    pub(crate) fn of(body: &'a StageBody, cues: &'a Cues) -> Self {
        Self { body, cues }
    }

    /// Whether its motion is given, and nothing moves it.
    pub(crate) fn is_given(&self) -> bool {
        self.body.is_given
    }

    /// Whether pins hold points of it.
    pub(crate) fn is_pinned(&self) -> bool {
        !self.cues.pins.is_empty()
    }

    /// Whether pins, a path or a given motion say where it is at the end, so that no impulse changes that.
    pub(crate) fn is_held(&self) -> bool {
        self.is_given() || self.is_pinned() || self.cues.path.is_some()
    }

    /// Whether goals pull at it.
    pub(crate) fn is_pulled(&self) -> bool {
        !self.cues.goals.is_empty()
    }

    /// Whether a medium drags at it.
    pub(crate) fn is_dragged(&self) -> bool {
        !self.cues.drag.is_empty()
    }

    /// Whether it is drawn to matched shapes: what that stores is not in the energy that it tells, and its pulls are shares of a step.
    pub(crate) fn is_matched(&self) -> bool {
        matches!(self.body.method, Method::ShapeMatching(_))
    }

    /// Whether muscles stretch it.
    pub(crate) fn is_stretched(&self) -> bool {
        !self.cues.log_stretch.is_empty()
    }

    /// Whether muscles or key shapes give it another rest shape.
    pub(crate) fn is_rest_changed(&self) -> bool {
        self.is_stretched() || !self.cues.rest_offset.is_empty()
    }

    /// Whether it is drawn to its rest shape after the step.
    pub(crate) fn is_drawn_to_rest(&self) -> bool {
        self.cues.reshape.is_some()
    }
}

/// Whether an obstacle that moves may carry what has these contacts along.
pub(crate) fn is_carried(contacts: &[Contact]) -> bool {
    contacts.iter().any(|contact| contact.surface_velocity != DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::tests::body;
    use sinew_solve::{Goal, PathCue, Pin, Row};

    /// Every question is answered by its own cues, and by no others.
    #[test]
    fn each_question_has_its_own_cues() {
        let body = StageBody::from(body("one"));
        let answers = |cues: &Cues| {
            let drive = Drive::of(&body, cues);
            [
                drive.is_pinned(),
                drive.is_held(),
                drive.is_pulled(),
                drive.is_dragged(),
                drive.is_stretched(),
                drive.is_rest_changed(),
                drive.is_drawn_to_rest(),
            ]
        };
        let zero = DVec3::ZERO;
        let pin = Pin { at: Row(0), to: zero, velocity: zero };
        let goal = Goal { at: Row(0), to: zero, velocity: zero, settle_secs: 1.0 };
        let path =
            PathCue { x: zero, v: zero, turn: None, strength: 1.0, yields_to_contact: false, mean_rotation: false };
        let no = [false; 7];
        assert_eq!(answers(&Cues { force_n: vec![DVec3::X], ..Cues::default() }), no, "forces are no drive");
        let [mut pinned, mut led, mut pulled, mut stretched, mut keyed] = [no; 5];
        (pinned[0], pinned[1], led[1], pulled[2]) = (true, true, true, true);
        (stretched[4], stretched[5], keyed[5]) = (true, true, true);
        assert_eq!(answers(&Cues { pins: vec![pin], ..Cues::default() }), pinned);
        assert_eq!(answers(&Cues { path: Some(path), ..Cues::default() }), led);
        assert_eq!(answers(&Cues { goals: vec![goal], ..Cues::default() }), pulled);
        assert_eq!(answers(&Cues { log_stretch: vec![Default::default()], ..Cues::default() }), stretched);
        assert_eq!(answers(&Cues { rest_offset: vec![zero], ..Cues::default() }), keyed);
    }
}
