//! What evolves: everything the next step depends on, and nothing else. Equal bytes in, equal bytes out.

use crate::{Flesh, OwnState};
use serde::{Deserialize, Serialize};
use sinew_math::{DQuat, DVec3};

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
}

/// The whole stage at one instant. Bodies are in the stage's order; each has one state per director.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageState {
    pub tick: u64,
    pub bodies: Vec<BodyState>,
    pub director_states: Vec<Vec<DirectorState>>,
}

/// A director's state: what it remembers. Small, plain, saved with the stage's state.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub enum DirectorState {
    #[default]
    Nothing,
    /// Touches that still have an effect, and when each began.
    Touches(Vec<TouchStimulus>),
    /// Where a hand holds the body, in rest coordinates, and pulls it to, in the world.
    Holding { at_rest: DVec3, to: DVec3 },
    /// A controller's magnitude and its rate.
    Magnitude { value: f64, slope: f64 },
    /// Touches that still have an effect, and what lay against the body in the last interval.
    Responding { touches: Vec<TouchStimulus>, touching: Vec<ContactPartner> },
    /// For how long flesh has been tangled, and for how long it has been drawn out of that.
    Recovering { tangled_secs: f64, drawn_secs: f64 },
    /// What a director remembers in a type of its own ([`DirectorState::remember`]).
    Own(OwnState),
}

/// What a body has contact with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactPartner {
    Obstacle(u32),
    Body(u32),
}

/// A touch that a director still responds to: where, and when it began.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TouchStimulus {
    pub at_rest: DVec3,
    pub started_tick: u64,
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
        match (&mut self.memory, &other.memory) {
            (Memory::ShapeMatching { rotation: mine }, Memory::ShapeMatching { rotation }) => mine.clone_from(rotation),
            (Memory::Fem { rotation: mine }, Memory::Fem { rotation }) => mine.clone_from(rotation),
            (mine, theirs) => *mine = theirs.clone(),
        }
    }

    /// Puts the origin at the mass centre (summed in vertex order: same bits every time).
    pub fn recentre(&mut self, mass_kg: &[f64]) {
        self.origin = sinew_math::rotation::mass_centre(&self.x, mass_kg);
    }

    /// The first point whose position or velocity is not finite.
    pub fn first_not_finite(&self) -> Option<usize> {
        self.x.iter().zip(&self.v).position(|(x, v)| !(x.is_finite() && v.is_finite()))
    }
}
