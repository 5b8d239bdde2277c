//! A path for the whole body: where its centre should be and how it should be turned.

use crate::{Track3, Turn};
use sinew_math::rotation::mass_centre;
use sinew_math::{DQuat, DVec3, Number, Outside, RotationCurve};
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

impl Path {
    /// What is asked for at the end of an interval. At the last key of a curve that is held the velocity is the one it arrives with: a body that is let go
    /// there flies on.
    fn target(&self, now: &Now) -> PathCue {
        let (x, mut v) = self.at.at(now);
        for (axis, number) in self.at.0.iter().enumerate() {
            if let Number::Curve(curve) = number
                && curve.outside() == Outside::Hold
                && let Some(last) = curve.keys().last().map(|key| key.at)
                && (last - now.end_frame).abs() < AT_KEY
            {
                v[axis] = curve.value_and_slope(last - AT_KEY).1 * now.frames_per_sec;
            }
        }
        let turn = self.turn.as_ref().map(|turn| turn.at(now));
        let strength = self.strength.value(now.end_frame);
        let Self { yields_to_contact, mean_rotation, .. } = *self;
        PathCue { x, v, turn, strength, yields_to_contact, mean_rotation }
    }
}

/// Frames this near are the same.
const AT_KEY: f64 = 1e-9;

impl Director for Path {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        out.path(self.target(&now));
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        measure(&self.target(&now), seen, out);
    }
}

fn measure(target: &PathCue, seen: &Seen<'_>, out: &mut Measures<'_>) {
    let centre = mass_centre(&seen.state.x, &seen.flesh.mass_kg);
    out.number("distance_from_path", "m", centre.distance(target.x));
    if let Some((turn, _)) = target.turn {
        let motion = body_motion(seen.flesh, &seen.flesh.rest, seen.state);
        out.number("turn_from_path", "deg", motion.turn.angle_between(turn).to_degrees());
    }
}

/// A path as a copy of a body goes it: carried from where the body begins to where the copy does.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedPath {
    pub path: Path,
    pub from: DVec3,
    pub to: DVec3,
    /// Of the copy against the body.
    pub turn: DQuat,
}

impl CarriedPath {
    fn target(&self, now: &Now) -> PathCue {
        let of = self.path.target(now);
        PathCue {
            x: self.to + self.turn * (of.x - self.from),
            v: self.turn * of.v,
            turn: of.turn.map(|(turn, spin)| (self.turn * turn, self.turn * spin)),
            ..of
        }
    }
}

impl Director for CarriedPath {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        out.path(self.target(&now));
        Ok(())
    }

    fn measure(&self, now: Now, seen: &Seen<'_>, _: &DirectorState, out: &mut Measures<'_>) {
        measure(&self.target(&now), seen, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::tests::{now_at, seen_alone};
    use sinew_geom::structured::bar;
    use sinew_math::{Curve, dvec3};
    use sinew_solve::{BodyState, Cues, Flesh, Memory};

    fn path(strength: f64) -> Path {
        let ramp = Number::Curve(Curve::linear(&[(1.0, 0.0), (25.0, 2.4)], Outside::Hold).unwrap());
        let at = Track3([ramp, 1.0.into(), 0.0.into()]);
        Path { at, turn: None, strength: strength.into(), yields_to_contact: true, mean_rotation: false }
    }

    fn asked(of: &dyn Director, frame: f64) -> Option<PathCue> {
        let flesh = Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [3, 1, 1]), 1000.0).unwrap();
        let state = BodyState {
            origin: DVec3::ZERO,
            x: flesh.rest.clone(),
            v: vec![DVec3::ZERO; flesh.point_count()],
            memory: Memory::Fem { rotation: Vec::new() },
        };
        let mut cues = Cues::default();
        let mut out = CueWriter::new(&flesh, &mut cues, 1.0);
        of.cue(now_at(frame), &seen_alone(&flesh, &state), &mut DirectorState::Nothing, &mut out).unwrap();
        cues.path
    }

    #[test]
    fn a_path_without_strength_is_none() {
        assert_eq!(asked(&path(0.0), 7.0), None);
        assert!(asked(&path(0.1), 7.0).is_some());
    }

    #[test]
    fn a_body_arrives_at_the_last_key_with_the_velocity_of_the_curve() {
        let speed = |frame: f64| asked(&path(1.0), frame).unwrap().v.x;
        assert!((speed(24.0) - 2.4).abs() < 1e-12 && (speed(25.0) - 2.4).abs() < 1e-6, "{}", speed(25.0));
        assert_eq!(speed(25.1), 0.0, "held after it");
    }

    #[test]
    fn a_copy_goes_the_same_way_from_where_it_begins() {
        let (from, to) = (dvec3(0.0, 1.0, 0.0), dvec3(0.0, 1.0, 3.0));
        let carried =
            CarriedPath { path: path(1.0), from, to, turn: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) };
        let asked = asked(&carried, 13.0).unwrap();
        assert!(asked.x.distance(dvec3(0.0, 1.0, 3.0 - 1.2)) < 1e-12, "{}", asked.x);
        assert!(asked.v.distance(dvec3(0.0, 0.0, -2.4)) < 1e-12, "{}", asked.v);
    }
}
