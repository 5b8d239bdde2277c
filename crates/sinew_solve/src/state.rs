//! What evolves: everything the next step depends on, and nothing else. Equal bytes in, equal bytes out.

use crate::cues::zeros;
use crate::{DirectorState, Flesh};
use serde::{Deserialize, Serialize};
use sinew_math::{DQuat, DVec3, Sym3};

/// One body at one instant, in world space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// The body's present centre. Solvers in f32 subtract it on entry and add it on exit.
    pub origin: DVec3,
    pub x: Vec<DVec3>,
    pub v: Vec<DVec3>,
    pub memory: Memory,
}

/// What a method remembers from step to step. Rotations are (x, y, z, w).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Memory {
    /// One warm-started rotation per region.
    ShapeMatching { rotation: Vec<[f32; 4]> },
    /// One warm-started rotation per element.
    Fem { rotation: Vec<DQuat> },
    /// Lengths that springs were asked to have, from which they go on to the next ones (empty: their own), and the inner step
    /// that was right last (0: none).
    Springs { length_m: Vec<f64>, inner_secs: f64 },
    /// One warm-started rotation per region of a body that others press, and how far it gives way to them. Where that is nothing it is [`Self::ShapeMatching`].
    PressedShapeMatching { rotation: Vec<[f32; 4]>, sag: Sag },
}

/// How far a shape-matched body gives way to the contact that is answered on its rigid motion: logarithms of stretches in the axes of its rest shape. The second
/// follows the first with the delay with which the first follows the load.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Sag {
    pub load: Sym3,
    pub strain: Sym3,
}

impl Memory {
    /// Turns every remembered rotation along with its body.
    pub(crate) fn turn(&mut self, turn: DQuat) {
        match self {
            // Sag is told in axes that turn along.
            Self::ShapeMatching { rotation } | Self::PressedShapeMatching { rotation, .. } => {
                for r in rotation {
                    let now = turn * DQuat::from_array(r.map(f64::from));
                    *r = now.to_array().map(|c| c as f32);
                }
            }
            Self::Fem { rotation } => {
                for r in rotation {
                    *r = turn * *r;
                }
            }
            Self::Springs { .. } => {}
        }
    }

    /// Whether it is of the same method, and of as many parts: a run may go on with it.
    pub fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::ShapeMatching { rotation: one } | Self::PressedShapeMatching { rotation: one, .. },
                Self::ShapeMatching { rotation: other } | Self::PressedShapeMatching { rotation: other, .. },
            ) => one.len() == other.len(),
            (Self::Fem { rotation: one }, Self::Fem { rotation: other }) => one.len() == other.len(),
            // Lengths of another number of springs are passed over by the solver.
            (Self::Springs { .. }, Self::Springs { .. }) => true,
            _ => false,
        }
    }

    /// Becomes a copy of `other` without giving up its buffers.
    fn copy_from(&mut self, other: &Self) {
        match (self, other) {
            (Self::ShapeMatching { rotation: mine }, Self::ShapeMatching { rotation }) => mine.clone_from(rotation),
            (
                Self::PressedShapeMatching { rotation: mine, sag: my_sag },
                Self::PressedShapeMatching { rotation, sag },
            ) => {
                mine.clone_from(rotation);
                *my_sag = *sag;
            }
            (Self::Fem { rotation: mine }, Self::Fem { rotation }) => mine.clone_from(rotation),
            (mine, theirs) => *mine = theirs.clone(),
        }
    }
}

/// The whole stage at one instant. Bodies are in the stage's order; each has one state per director.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageState {
    pub tick: u64,
    pub bodies: Vec<BodyState>,
    pub director_states: Vec<Vec<DirectorState>>,
}

impl StageState {
    /// Becomes a copy of `other` without giving up its buffers.
    pub fn copy_from(&mut self, other: &Self) {
        self.tick = other.tick;
        self.director_states.clone_from(&other.director_states);
        self.bodies.truncate(other.bodies.len());
        let kept = self.bodies.len();
        for (mine, theirs) in self.bodies.iter_mut().zip(&other.bodies) {
            mine.copy_from(theirs);
        }
        self.bodies.extend_from_slice(&other.bodies[kept..]);
    }
}

impl BodyState {
    /// Flesh at rest in its own frame.
    pub(crate) fn at_rest(flesh: &Flesh, memory: Memory) -> Self {
        let (x, v) = (flesh.rest.clone(), vec![DVec3::ZERO; flesh.point_count()]);
        let mut state = Self { origin: DVec3::ZERO, x, v, memory };
        state.recentre(&flesh.mass_kg);
        state
    }

    fn copy_from(&mut self, other: &Self) {
        self.origin = other.origin;
        self.x.clone_from(&other.x);
        self.v.clone_from(&other.v);
        self.memory.copy_from(&other.memory);
    }

    /// Puts the origin at the mass centre (summed in vertex order: same bits every time).
    pub fn recentre(&mut self, mass_kg: &[f64]) {
        self.origin = sinew_math::rotation::mass_centre(&self.x, mass_kg);
    }

    /// The first point whose position or velocity is not finite.
    pub fn first_not_finite(&self) -> Option<usize> {
        // Most of the time all are, and no branch for each number tells so.
        if zeros(&self.x) + zeros(&self.v) == DVec3::ZERO {
            return None;
        }
        self.x.iter().zip(&self.v).position(|(x, v)| !(x.is_finite() && v.is_finite()))
    }
}
