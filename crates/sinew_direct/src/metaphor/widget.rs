//! Widgets: where a metaphor is on the body, and the frame that its regions and orientations are told in (CM-4 to CM-6).

use sinew_math::rotation::best_fit_rotation;
use sinew_math::{DMat3, DQuat, DVec3};
use sinew_solve::{BodyState, Flesh};

/// A frame on the body at rest, welded to the point nearest to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Widget {
    pub at: DVec3,
    /// Turns the widget's axes (x along what is stretched, twisted or bent, y the way it bends) to the rest shape's.
    pub turn: DQuat,
    point: u32,
}

/// The frame as the body is now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    at: DVec3,
    turn: DQuat,
}

impl Widget {
    /// With its x axis along `along`, and y as near to `up` as that allows. None where the two are parallel or nothing.
    pub fn new(flesh: &Flesh, at: DVec3, along: DVec3, up: DVec3) -> Option<Self> {
        let x = along.try_normalize()?;
        let y = (up - x * up.dot(x)).try_normalize()?;
        let turn = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
        Some(Self { at, turn, point: flesh.nearest_point(at).0 })
    }

    /// Where a place of the rest shape is in the widget's frame.
    pub fn place(&self, rest: DVec3) -> DVec3 {
        self.at_rest().place(rest)
    }

    /// The point that it is welded to.
    pub fn point(&self) -> u32 {
        self.point
    }

    pub(super) fn at_rest(&self) -> Frame {
        Frame { at: self.at, turn: self.turn }
    }

    /// It goes where its point goes and turns as the body does: by the best fit of the rest shape to the present one, so that it
    /// neither flips nor drifts while the body tumbles.
    pub(super) fn now(&self, flesh: &Flesh, state: &BodyState) -> Frame {
        let turn = best_fit_rotation(&flesh.rest, &state.x, &flesh.mass_kg);
        let from_point = self.at - flesh.rest[self.point as usize];
        Frame { at: state.x[self.point as usize] + turn * from_point, turn: turn * self.turn }
    }
}

impl Frame {
    pub(super) fn place(&self, x: DVec3) -> DVec3 {
        self.turn.inverse() * (x - self.at)
    }

    /// The other way.
    pub(super) fn world(&self, place: DVec3) -> DVec3 {
        self.at + self.turn * place
    }

    pub(super) fn direction(&self, v: DVec3) -> DVec3 {
        self.turn * v
    }

    /// A direction of the world in the widget's frame.
    pub(super) fn turned_back(&self, v: DVec3) -> DVec3 {
        self.turn.inverse() * v
    }
}
