//! A planned motion between its frames: a C¹ function of time that carries rigidly moved frames rigidly.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas, "Meshless Shape and Motion Design for Multiple Deformable
//! Objects", CGF 2009, §6.1 and Eq. 16–17.
//!
//! | here | paper | meaning |
//! |------|-------|---------|
//! | `places` | x + u | nodal places `y`: `f(x) = Σ Φᵢ(x) yᵢ` |
//! | `turn` | R(t) | rotation of the body's frame |
//! | `centre` | c_f(t) | centre of the body |
//! | `detail` | d(x,t) | what the rigid motion of the rest shape leaves over |
//!
//! Departures. The detail is kept in the body's frame: `f = R (x − c0 + d̂) + c_f`, so that a bent pose
//! carried rigidly through frames keeps its shape; [`DetailFrame::World`] is the printed form. Velocity is
//! the derivative of that, `ċ_f + ω × R (x − c0 + d̂) + R ∂d̂/∂t`; the printed Eq. 17 leaves out `ċ_f` and
//! does not turn the offset. Rotations follow
//! [`RotationCurve`], which is C¹ at unequal frames; [`TurnCurve::Squad`] is the corrected SQUAD.
//! A frame marked as a break ends one curve and begins the next: the motion is continuous there, its velocity
//! is not.
//!
//! Limits: less than half a turn between neighbouring frames.

mod body_frame;
mod catmull_rom;
mod squad;

pub use body_frame::BodyFrame;
pub use catmull_rom::{FrameWeights, bezier_points, frame_weights, tangent_weights};
pub use squad::SquadCurve;

use serde::{Deserialize, Serialize};
use sinew_math::curve::CurveError;
use sinew_math::{DQuat, DVec3, RotationCurve};

/// What was planned for one body: nodal displacements at frames.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BodyMotion {
    /// Rising; spacing may be uneven.
    pub times_secs: Vec<f64>,
    /// One list a frame: the nodal displacements `u`, which are not the displacements of the nodes (`Φᵢ(xⱼ) ≠
    /// δᵢⱼ`).
    pub displacements: Vec<Vec<DVec3>>,
    /// Frames at which the velocity may jump.
    pub breaks: Vec<usize>,
}

/// Frame in which the detail is interpolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum DetailFrame {
    #[default]
    Body,
    /// As printed: bent poses shrink while they turn.
    World,
}

/// Curve through the rotations of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum TurnCurve {
    #[default]
    Cumulative,
    Squad,
}

/// Why frames are not a motion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MotionError {
    #[error("a motion needs at least one frame")]
    Empty,
    #[error("{times} times but {frames} frames of displacements")]
    Counts { times: usize, frames: usize },
    #[error("frame {frame} has {found} nodal displacements; the body has {nodes} nodes")]
    NodeCount { frame: usize, found: usize, nodes: usize },
    #[error("frame {frame} holds a number that is not finite")]
    NotFinite { frame: usize },
    #[error("frame {frame} does not come after the one before it; times must rise")]
    NotRising { frame: usize },
}

/// A motion that can be asked at any time. It holds outside its frames.
#[derive(Debug, Clone)]
pub struct MotionCurve {
    times_secs: Vec<f64>,
    rest: Vec<DVec3>,
    detail_frame: DetailFrame,
    turns: Vec<DQuat>,
    centres: Vec<DVec3>,
    /// Body frame: `x − c0 + d̂`; world frame: `d`. One list a frame.
    details: Vec<Vec<DVec3>>,
    runs: Vec<Run>,
    rest_centre: DVec3,
}

/// Frames `first..=last` between two breaks, and their rotations.
#[derive(Debug, Clone)]
struct Run {
    first: usize,
    last: usize,
    turn: Turns,
}

#[derive(Debug, Clone)]
enum Turns {
    Cumulative(RotationCurve),
    Squad(SquadCurve),
}

impl Turns {
    fn at(&self, secs: f64) -> (DQuat, DVec3) {
        match self {
            Self::Cumulative(curve) => curve.turn_and_spin(secs),
            Self::Squad(curve) => curve.turn_and_spin(secs),
        }
    }
}

/// Place and velocity of the body's frame at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidPart {
    pub centre: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    /// Angular velocity in the fixed axes.
    pub spin: DVec3,
}

impl MotionCurve {
    /// Body-frame detail and cumulative rotations.
    pub fn new(frame: &BodyFrame, motion: &BodyMotion) -> Result<Self, MotionError> {
        Self::with(frame, motion, DetailFrame::Body, TurnCurve::Cumulative)
    }

    pub fn with(
        frame: &BodyFrame,
        motion: &BodyMotion,
        detail_frame: DetailFrame,
        turn_curve: TurnCurve,
    ) -> Result<Self, MotionError> {
        check(frame.rest.len(), motion)?;
        let places: Vec<Vec<DVec3>> =
            motion.displacements.iter().map(|u| frame.rest.iter().zip(u).map(|(x, u)| *x + *u).collect()).collect();
        let turns: Vec<DQuat> = places.iter().map(|y| frame.rotation(y)).collect();
        let centres: Vec<DVec3> = places.iter().map(|y| frame.centre(y)).collect();
        let details = (places.iter().zip(&turns).zip(&centres))
            .map(|((places, turn), centre)| {
                let nodes = places.iter().zip(&frame.rest);
                match detail_frame {
                    DetailFrame::Body => nodes.map(|(y, _)| turn.conjugate() * (*y - *centre)).collect(),
                    DetailFrame::World => nodes.map(|(y, x)| *y - *centre - *turn * (*x - frame.rest_centre)).collect(),
                }
            })
            .collect();
        let runs = runs_between_breaks(motion, &turns, turn_curve)?;
        Ok(Self {
            times_secs: motion.times_secs.clone(),
            rest: frame.rest.clone(),
            detail_frame,
            turns,
            centres,
            details,
            runs,
            rest_centre: frame.rest_centre,
        })
    }

    pub fn times_secs(&self) -> &[f64] {
        &self.times_secs
    }

    pub fn detail_frame(&self) -> DetailFrame {
        self.detail_frame
    }

    /// Rotations of the frames.
    pub fn turns(&self) -> &[DQuat] {
        &self.turns
    }

    /// The motion of the body's frame.
    pub fn rigid_at(&self, secs: f64) -> RigidPart {
        let secs = self.clamped(secs);
        let run = self.run_at(secs);
        let (turn, spin) = run.turn.at(secs);
        // The curve holds at its last key; its rate there is that of its last segment.
        let spin = if secs >= self.times_secs[run.last] && run.last > run.first {
            run.turn.at(secs - 1e-9 * (self.times_secs[run.last] - self.times_secs[run.first])).1
        } else {
            spin
        };
        let (weights, first, count) = self.weights(run, secs);
        let centre = |frame: usize| self.centres[first + frame];
        RigidPart { centre: weights.value_of(count, centre), turn, velocity: weights.rate_of(count, centre), spin }
    }

    /// Nodal places `y` at a time.
    pub fn places_at(&self, secs: f64) -> Vec<DVec3> {
        self.places_and_velocities_at(secs).0
    }

    /// Nodal displacements `u` at a time.
    pub fn displacements_at(&self, secs: f64) -> Vec<DVec3> {
        self.places_at(secs).iter().zip(&self.rest).map(|(y, x)| *y - *x).collect()
    }

    /// Nodal velocities: that of a point is `v(x) = Σ Φᵢ(x) vᵢ`.
    pub fn velocities_at(&self, secs: f64) -> Vec<DVec3> {
        self.places_and_velocities_at(secs).1
    }

    pub fn places_and_velocities_at(&self, secs: f64) -> (Vec<DVec3>, Vec<DVec3>) {
        let is_outside = secs < self.times_secs[0] || secs > self.times_secs[self.times_secs.len() - 1];
        let secs = self.clamped(secs);
        let (weights, first, count) = self.weights(self.run_at(secs), secs);
        let rigid = self.rigid_at(secs);
        let nodes = 0..self.rest.len();
        let (places, velocities): (Vec<_>, Vec<_>) = nodes
            .map(|node| {
                let detail = |frame: usize| self.details[first + frame][node];
                let (d, rate) = (weights.value_of(count, detail), weights.rate_of(count, detail));
                match self.detail_frame {
                    DetailFrame::Body => {
                        let arm = rigid.turn * d;
                        (rigid.centre + arm, rigid.velocity + rigid.spin.cross(arm) + rigid.turn * rate)
                    }
                    DetailFrame::World => {
                        let arm = rigid.turn * (self.rest[node] - self.rest_centre);
                        (rigid.centre + arm + d, rigid.velocity + rigid.spin.cross(arm) + rate)
                    }
                }
            })
            .unzip();
        let still = vec![DVec3::ZERO; places.len()];
        (places, if is_outside { still } else { velocities })
    }

    /// Bézier control points between frame `j` and the next: of the centre, and of each node's detail (in the
    /// frame that
    /// [`MotionCurve::detail_frame`] names; `x − c0 + d̂` in the body's frame). The curves stay within their hulls.
    pub fn segment_control_points(&self, j: usize) -> ([DVec3; 4], Vec<[DVec3; 4]>) {
        let (from, to) = (self.times_secs[j], self.times_secs[j + 1]);
        let run = self.run_at(0.5 * (from + to));
        let times = &self.times_secs[run.first..=run.last];
        let rate = |frame: usize, at: &dyn Fn(usize) -> DVec3| {
            let weights = tangent_weights(times, frame - run.first);
            (0..3).filter(|n| weights[*n] != 0.0).fold(DVec3::ZERO, |sum, n| sum + at(frame + n - 1) * weights[n])
        };
        let control =
            |at: &dyn Fn(usize) -> DVec3| bezier_points(at(j), rate(j, at), at(j + 1), rate(j + 1, at), to - from);
        let details = (0..self.rest.len()).map(|node| control(&|frame| self.details[frame][node])).collect();
        (control(&|frame| self.centres[frame]), details)
    }

    fn clamped(&self, secs: f64) -> f64 {
        secs.clamp(self.times_secs[0], self.times_secs[self.times_secs.len() - 1])
    }

    /// At a break the run that begins there counts.
    fn run_at(&self, secs: f64) -> &Run {
        let after = self.runs.partition_point(|run| self.times_secs[run.first] <= secs);
        &self.runs[after.saturating_sub(1)]
    }

    fn weights(&self, run: &Run, secs: f64) -> (FrameWeights, usize, usize) {
        let times = &self.times_secs[run.first..=run.last];
        (frame_weights(times, secs), run.first, times.len())
    }
}

fn check(nodes: usize, motion: &BodyMotion) -> Result<(), MotionError> {
    let (times, frames) = (motion.times_secs.len(), motion.displacements.len());
    if times == 0 {
        return Err(MotionError::Empty);
    }
    if times != frames {
        return Err(MotionError::Counts { times, frames });
    }
    for (frame, (time, displacements)) in motion.times_secs.iter().zip(&motion.displacements).enumerate() {
        if displacements.len() != nodes {
            return Err(MotionError::NodeCount { frame, found: displacements.len(), nodes });
        }
        if !time.is_finite() || displacements.iter().any(|u| !u.is_finite()) {
            return Err(MotionError::NotFinite { frame });
        }
        if frame > 0 && motion.times_secs[frame - 1] >= *time {
            return Err(MotionError::NotRising { frame });
        }
    }
    Ok(())
}

fn runs_between_breaks(motion: &BodyMotion, turns: &[DQuat], turn_curve: TurnCurve) -> Result<Vec<Run>, MotionError> {
    let last = turns.len() - 1;
    let mut bounds = vec![0];
    bounds.extend((1..last).filter(|frame| motion.breaks.contains(frame)));
    bounds.push(last);
    let pairs = bounds.windows(2).map(|pair| (pair[0], pair[1]));
    pairs
        .map(|(first, last)| {
            let keys: Vec<(f64, DQuat)> = (first..=last).map(|j| (motion.times_secs[j], turns[j])).collect();
            let turn = match turn_curve {
                TurnCurve::Squad => Turns::Squad(SquadCurve::new(&keys)),
                TurnCurve::Cumulative => Turns::Cumulative(RotationCurve::new(&keys).map_err(|error| match error {
                    CurveError::NotRising { key } => MotionError::NotRising { frame: first + key },
                    CurveError::NotFinite { key } => MotionError::NotFinite { frame: first + key },
                    _ => MotionError::Empty,
                })?),
            };
            Ok(Run { first, last, turn })
        })
        .collect()
}
