//! A path for the whole body: where its centre should be and how it should be turned.

use crate::{Track3, Turn};
use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3, Number, RotationCurve};
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Measures, Now, PathCue, Seen, body_motion};

#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// World position of the mass centre. Its velocity is the slope of the curve.
    pub at: Track3,
    pub turn: Option<PathTurn>,
    /// Share of the gap closed in 1/24 s: 0 free, 1 exact.
    pub strength: Number,
    pub yields_to_contact: bool,
    /// The body's rotation is the mean of its elements', as in the paper.
    pub mean_rotation: bool,
}

/// How a body on a path is turned from rest.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a path holds one")]
pub enum PathTurn {
    Angles(Turn),
    /// Over frames.
    Curve(RotationCurve),
}

impl PathTurn {
    /// The turn at the end of the interval, and its spin in radians per second.
    fn at(&self, now: &Now) -> (DQuat, DVec3) {
        match self {
            Self::Angles(turn) => turn.at(now),
            Self::Curve(curve) => {
                let (turn, spin) = curve.turn_and_spin(now.end_frame);
                (turn, spin * now.frames_per_sec)
            }
        }
    }
}

impl Path {
    /// Where the mass centre should be at a frame, and how the body should be turned; none where it turns freely.
    pub fn place(&self, frame: f64) -> (DVec3, Option<DQuat>) {
        let now = Now { tick: 0, start_secs: 0.0, h_secs: 0.0, end_frame: frame, frames_per_sec: 1.0, tick_secs: 0.0 };
        (self.at.at(&now).0, self.turn.as_ref().map(|turn| turn.at(&now).0))
    }
}

impl Director for Path {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let (x, v) = self.at.at(&now);
        let turn = self.turn.as_ref().map(|turn| turn.at(&now));
        let strength = self.strength.value(now.end_frame);
        let Self { yields_to_contact, mean_rotation, .. } = *self;
        out.path(PathCue { x, v, turn, strength, yields_to_contact, mean_rotation });
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        let centre = mass_centre(&seen.state.x, &seen.flesh.mass_kg);
        out.number("distance_from_path", "m", centre.distance(self.at.at(&now).0));
        if let Some(turn) = &self.turn {
            let motion = body_motion(seen.flesh, &seen.flesh.rest, seen.state);
            out.number("turn_from_path", "deg", motion.turn.angle_between(turn.at(&now).0).to_degrees());
        }
    }
}
