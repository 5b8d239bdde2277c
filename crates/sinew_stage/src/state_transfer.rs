//! State transfer: a run goes on under another stage. An edited material, solver or obstacle takes over bodies as they
//! move.

use crate::{Clock, DirectorSetup, Stage};
use sinew_math::DVec3;
use sinew_solve::{BodyState, DirectorState, Flesh, RigidMotion, StageState, body_motion};
use std::sync::Arc;

/// What the states of a stage mean: its bodies and directors by name, in order. Enough to carry a state over
/// to another stage, long after the first one is gone.
#[derive(Debug, Clone)]
pub struct StageOutline {
    clock: Clock,
    bodies: Vec<BodyOutline>,
}

#[derive(Debug, Clone)]
struct BodyOutline {
    name: String,
    flesh: Arc<Flesh>,
    directors: Vec<String>,
}

impl Stage {
    /// What its states mean.
    pub fn outline(&self) -> StageOutline {
        let bodies = self.bodies.iter().map(|body| BodyOutline {
            name: body.name.clone(),
            flesh: body.flesh.clone(),
            directors: body.directors.iter().map(|director| director.name.clone()).collect(),
        });
        StageOutline { clock: self.clock, bodies: bodies.collect() }
    }

    /// A state of the stage `from` as one of this stage: bodies stay where they are and move as they did, at
    /// the same tick. None where a body's flesh is another one, where bodies came or went, or where ticks
    /// mean other times.
    ///
    /// Bodies are known by their names; those that have a new one, by their order. A director keeps its state
    /// as long as it keeps its name, a hand lets go. Under the same method a body keeps its warm starts, so
    /// that a stage made of the same scene goes on with the same bits; under another one they are those of a
    /// body at rest, turned as this one is.
    pub fn transfer_state(&self, from: &Self, state: &StageState) -> Option<StageState> {
        self.transfer_from(&from.outline(), state)
    }

    /// Whether its bodies do, whatever is around them.
    pub fn has_bodies_as(&self, other: &Self) -> bool {
        let in_place = |places: Vec<usize>| places.iter().enumerate().all(|(new, old)| new == *old);
        self.places_in(&other.outline()).is_some_and(in_place)
    }

    /// The same for a stage of which only the outline is left.
    pub fn transfer_from(&self, from: &StageOutline, state: &StageState) -> Option<StageState> {
        let clocks = [self.clock, from.clock].map(|clock| (clock.fps, clock.substeps, clock.first_frame));
        if clocks[0] != clocks[1] {
            return None;
        }
        let places = self.places_in(from)?;
        let bodies = places.iter().enumerate().map(|(new, &old)| {
            let theirs = &from.bodies[old];
            let fits = self.bodies[new].flesh.has_points_of(&theirs.flesh);
            fits.then(|| self.transferred_body(new, theirs, state.bodies.get(old)?)).flatten()
        });
        Some(StageState {
            tick: state.tick,
            bodies: bodies.collect::<Option<_>>()?,
            director_states: places
                .iter()
                .enumerate()
                .map(|(new, &old)| self.transferred_director_states(new, from, old, state))
                .collect(),
        })
    }

    /// Whether its bodies stand in the same order as another stage's, so that frames of the one can be shown with the other, whatever
    /// is around them.
    pub fn is_ordered_as(&self, other: &Self) -> bool {
        let in_place = |places: Vec<usize>| places.iter().enumerate().all(|(new, old)| new == *old);
        self.places_in(&other.outline()).is_some_and(in_place)
    }

    /// Where each body stood on another stage.
    fn places_in(&self, other: &StageOutline) -> Option<Vec<usize>> {
        if self.bodies.len() != other.bodies.len() {
            return None;
        }
        let is_here = |name: &str| self.bodies.iter().any(|body| body.name == name);
        let mut renamed = (0..other.bodies.len()).filter(|&old| !is_here(&other.bodies[old].name));
        let known = |name: &str| other.bodies.iter().position(|body| body.name == name);
        self.bodies.iter().map(|body| known(&body.name).or_else(|| renamed.next())).collect()
    }

    fn transferred_body(&self, body: usize, was: &BodyOutline, state: &BodyState) -> Option<BodyState> {
        let group = self.groups.iter().find(|group| group.bodies.contains(&body))?;
        let flesh = &self.bodies[body].flesh;
        let mut carried = group.solver.rest_state(body - group.bodies.start);
        if carried.memory.fits(&state.memory) {
            carried = state.clone();
        } else {
            let motion = body_motion(&was.flesh, &was.flesh.rest, state);
            let turned = RigidMotion { turn: motion.turn, ..RigidMotion::shift(DVec3::ZERO) };
            group.solver.move_rigidly(&mut carried, &turned);
            carried.x.clone_from(&state.x);
            carried.v.clone_from(&state.v);
        }
        if flesh.mass_kg != was.flesh.mass_kg {
            carried.recentre(&flesh.mass_kg);
        } else {
            carried.origin = state.origin;
        }
        Some(carried)
    }

    fn transferred_director_states(
        &self,
        body: usize,
        from: &StageOutline,
        old: usize,
        state: &StageState,
    ) -> Vec<DirectorState> {
        let known = |name: &str| {
            let place = from.bodies[old].directors.iter().position(|director| director == name)?;
            state
                .director_states
                .get(old)?
                .get(place)
                .filter(|memory| !matches!(memory, DirectorState::Holding { .. }))
                .cloned()
        };
        let memory =
            |(director, first): (&DirectorSetup, &DirectorState)| known(&director.name).unwrap_or(first.clone());
        self.bodies[body].directors.iter().zip(&self.first.director_states[body]).map(memory).collect()
    }
}
