//! Tests of bodies whose motion is given, and of steps that are stopped.

use crate::groups::tests::body;
use crate::{BodySetup, Clock, DirectorSetup, Method, Stage, World};
use sinew_direct::Gravity;
use sinew_direct::Track3;
use sinew_math::{DVec3, dvec3};
use sinew_solve::contact::Spot;
use sinew_solve::fem::FemParams;
use sinew_solve::{
    BodyId, BodyState, Cues, Flesh, Input, RigidBody, Solver, StepError, StepInput, StepReport, StopFlag,
};
use std::sync::Arc;

/// Bodies that go on as they began, whatever is asked of them.
struct Given(Arc<Flesh>, Box<dyn Solver>);

impl Solver for Given {
    fn body_count(&self) -> usize {
        1
    }

    fn flesh(&self, _: usize) -> &Flesh {
        &self.0
    }

    fn rest_state(&self, body: usize) -> BodyState {
        self.1.rest_state(body)
    }

    fn step(&mut self, bodies: &mut [BodyState], input: &StepInput<'_>, _: &mut StepReport) -> Result<(), StepError> {
        for state in bodies {
            let BodyState { x, v, .. } = state;
            x.iter_mut().zip(v).for_each(|(x, v)| *x += *v * input.h_secs);
            state.recentre(&self.0.mass_kg);
        }
        Ok(())
    }

    fn inverse_mass(&self, _: usize, _: &Spot) -> f64 {
        0.0
    }

    fn energy(&self, _: usize, _: &BodyState, _: &Cues) -> f64 {
        0.0
    }
}

fn clock() -> Clock {
    Clock { fps: (24, 1), substeps: 4, first_frame: 1, last_frame: 100 }
}

fn falls(setup: BodySetup) -> BodySetup {
    let gravity = Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) };
    BodySetup { directors: vec![DirectorSetup::new("gravity", gravity)], ..setup }
}

fn stage(bodies: Vec<BodySetup>) -> Stage {
    let world = World { clock: clock(), obstacles: Vec::new(), threads: 1 };
    Stage::new(world, bodies).unwrap_or_else(|error| panic!("{error}"))
}

/// A cube that falls onto one that rises, whose motion is given, with masses of this factor.
fn caught(factor: f64) -> (Stage, sinew_solve::StageState) {
    // The weight of what is infinitely heavy is no number.
    let mut lift = if factor.is_finite() { falls(body("lift")) } else { body("lift") };
    lift.flesh = Arc::new(lift.flesh.with_density(|_| 1000.0 * factor));
    lift.method = Method::Fem(FemParams::default());
    lift.velocity = dvec3(0.0, 0.1, 0.0);
    let cube = falls(BodySetup { at: dvec3(0.0, 0.21, 0.0), ..body("cube") });
    let flesh = lift.flesh.clone();
    let mut stage = stage(vec![lift, cube]);
    let state = stage.first_state();
    let number = stage.bodies().iter().position(|body| body.name == "lift").unwrap_or_default();
    let group = stage.groups.iter_mut().find(|group| group.bodies.contains(&number));
    let Some(group) = group else { panic!("no group") };
    let real = std::mem::replace(&mut group.solver, Box::new(Empty));
    group.solver = Box::new(Given(flesh, real));
    stage.ask_what_is_given();
    assert!(stage.bodies()[number].is_given && !stage.bodies()[1 - number].is_given);
    (stage, state)
}

/// Stands in for a moment.
struct Empty;

impl Solver for Empty {
    fn body_count(&self) -> usize {
        0
    }

    fn flesh(&self, _: usize) -> &Flesh {
        unreachable!("nobody asks")
    }

    fn rest_state(&self, _: usize) -> BodyState {
        unreachable!("nobody asks")
    }

    fn step(&mut self, _: &mut [BodyState], _: &StepInput<'_>, _: &mut StepReport) -> Result<(), StepError> {
        Ok(())
    }

    fn energy(&self, _: usize, _: &BodyState, _: &Cues) -> f64 {
        0.0
    }
}

/// A second: the lift rises by a tenth of a metre to the bit, and the cube lies on it and rises with it.
#[test]
fn a_body_whose_motion_is_given_carries_others_and_is_moved_by_none() {
    for factor in [1.0, f64::INFINITY] {
        let (mut stage, mut state) = caught(factor);
        let lift = stage.bodies().iter().position(|body| body.name == "lift").unwrap();
        let mut alone = state.bodies[lift].x.clone();
        let h_secs = clock().secs(1, 0.0);
        for _ in 0..96 {
            stage.step(&mut state, &[]).unwrap();
            alone.iter_mut().for_each(|x| *x += dvec3(0.0, 0.1, 0.0) * h_secs);
        }
        assert!(state.bodies[lift].x == alone, "masses times {factor}: something moved it");
        let cube = RigidBody::of(&stage.bodies()[1 - lift].flesh.mass_kg, &state.bodies[1 - lift]);
        let height_m = cube.centre.y - state.bodies[lift].origin.y;
        assert!((height_m - 0.2).abs() < 0.01, "masses times {factor}: {height_m} m above it");
        assert!((cube.velocity.y - 0.1).abs() < 0.02, "masses times {factor}: {} m/s", cube.velocity);
    }
}

#[test]
fn a_step_that_is_stopped_leaves_the_state_and_the_next_one_has_the_same_bits() {
    let bodies = || vec![falls(body("a")), falls(BodySetup { method: Method::Fem(FemParams::default()), ..body("b") })];
    let (mut straight, mut halting) = (stage(bodies()), stage(bodies()));
    let (mut state, mut halted) = (straight.first_state(), halting.first_state());
    for round in 0..6 {
        let hand = [Input::Touch { body: BodyId(0), at_rest: DVec3::ZERO }];
        let stop = StopFlag::default();
        halting.stop_by(stop.clone());
        stop.set();
        let before = halted.clone();
        assert_eq!(halting.step(&mut halted, &hand).unwrap_err(), StepError::Stopped, "step {round}");
        assert!(halted == before);
        halting.stop_by(StopFlag::default());
        straight.step(&mut state, &hand).unwrap();
        halting.step(&mut halted, &hand).unwrap();
        assert!(state == halted, "step {round}");
    }
}
