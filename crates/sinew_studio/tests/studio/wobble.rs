//! A show with a known answer: a bar that sways, and a hand that holds its tip. No solver, so tests of the studio are
//! tests of the studio.

use sinew_bake::{Clock, Skin};
use sinew_geom::structured::bar;
use sinew_math::libm::{exp, sin};
use sinew_math::{DVec3, dvec3};
use sinew_solve::{BodyState, DirectorState, Flesh, Input, Memory, StageState, StepError, StepReport};
use sinew_studio::{Show, ShownBody};
use std::sync::Arc;

pub(crate) struct Wobble {
    clock: Clock,
    bodies: Vec<ShownBody>,
    /// Slows every substep down, to play a heavy scene.
    pub(crate) busy: std::time::Duration,
    /// The substep after which nothing works any more.
    pub(crate) fails_after: u64,
    report: StepReport,
}

impl Wobble {
    pub(crate) fn new(cells: [usize; 3], frames: [i32; 2]) -> Self {
        let flesh = Flesh::from_tets(bar(dvec3(1.2, 0.3, 0.3), cells), 1000.0).expect("a bar is sound");
        let skin = Arc::new(Skin::of_flesh(&flesh, None));
        let flesh = Arc::new(flesh);
        let body = |name: &str| ShownBody {
            name: name.to_owned(),
            path: format!("body.{name}"),
            flesh: flesh.clone(),
            skin: skin.clone(),
            colour: None,
            solver: "Wobble".to_owned(),
        };
        Self {
            clock: Clock { fps: (24, 1), substeps: 4, first_frame: frames[0], last_frame: frames[1] },
            bodies: vec![body("left"), body("right")],
            busy: std::time::Duration::ZERO,
            fails_after: u64::MAX,
            report: StepReport::default(),
        }
    }

    fn place(&self, state: &mut StageState) {
        let secs = state.tick as f64 / (24.0 * 4.0);
        for (number, body) in state.bodies.iter_mut().enumerate() {
            let rest = &self.bodies[number].flesh.rest;
            let home = dvec3(0.0, 0.6, 0.7 * (2.0 * number as f64 - 1.0));
            let sway = 0.35 * sin(secs * 4.0 + number as f64);
            let held = match &state.director_states[number][0] {
                DirectorState::Holding { at_rest, to } => Some((*at_rest, *to - (home + *at_rest))),
                _ => None,
            };
            for (x, rest) in body.x.iter_mut().zip(rest) {
                let along = rest.x + 0.6;
                let pulled = held.map_or(DVec3::ZERO, |(at, by)| by * exp(-8.0 * rest.distance_squared(at)));
                *x = home + *rest + dvec3(0.0, sway * along * along, 0.0) + pulled;
            }
            body.origin = home;
        }
    }
}

impl Show for Wobble {
    fn name(&self) -> &str {
        "wobble"
    }

    fn clock(&self) -> Clock {
        self.clock
    }

    fn bodies(&self) -> &[ShownBody] {
        &self.bodies
    }

    fn first_state(&self) -> StageState {
        let bodies = self.bodies.iter().map(|body| BodyState {
            origin: DVec3::ZERO,
            x: body.flesh.rest.clone(),
            v: vec![DVec3::ZERO; body.flesh.point_count()],
            memory: Memory::ShapeMatching { rotation: Vec::new() },
        });
        let mut state =
            StageState { tick: 0, bodies: bodies.collect(), director_states: vec![vec![DirectorState::Nothing]; 2] };
        self.place(&mut state);
        state
    }

    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        if state.tick >= self.fails_after {
            return Err(StepError::NotFinite { body: sinew_solve::BodyId(0), vertex: 7 });
        }
        for input in input {
            match *input {
                Input::Drag { body, at_rest, to } => {
                    state.director_states[body.0 as usize][0] = DirectorState::Holding { at_rest, to }
                }
                Input::LetGo { body } => state.director_states[body.0 as usize][0] = DirectorState::Nothing,
                Input::Touch { .. } => {}
            }
        }
        std::thread::sleep(self.busy);
        state.tick += 1;
        self.place(state);
        Ok(&self.report)
    }
}
