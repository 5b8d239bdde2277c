//! What every solver promises: one macro, every solver. Effects of the single cues are in `effects.rs`.

use crate::fixtures::{Bar, centre, end_rows, has_inner_steps, play};
use sinew_bake::Method;
use sinew_direct::muscle::{Axis, Charts, Fibres, Scalar, VolumeMode};
use sinew_direct::{Gravity, Hand, Held, Muscle, PinTo, Track3, Turn};
use sinew_math::{Curve, DQuat, DVec3, Outside, dvec3};
use sinew_solve::fem::FemMethod;
use sinew_solve::{
    BodyId, CueError, CueWriter, Cues, Director, DirectorState, Flesh, Input, Memory, Now, RigidMotion, Row, Seen,
    Solver, StageState, StepError, StepReport,
};
use std::sync::Arc;

fn gravity() -> Gravity {
    Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) }
}

fn pulse(flesh: &Flesh) -> Muscle {
    let primary = Curve::linear(&[(0.0, 1.0), (0.3, 0.7), (0.6, 1.1)], Outside::Cycle { period: 1.0 }).unwrap();
    let charts = Charts {
        primary,
        secondary: None,
        tertiary: None,
        volume: VolumeMode::Both,
        beat: 0.5.into(),
        rate_limit: 4.0,
    };
    let phase = Scalar::Along { axis: Axis(DVec3::X), from: 0.0, to: 1.0 };
    Muscle::new(charts, flesh, &Fibres::Along(Axis(DVec3::X)), &Scalar::Constant(1.0), &phase, Some(2.0.into()))
}

fn floor() -> sinew_bake::ObstacleTrack {
    crate::fixtures::floor(-0.4)
}

/// Known answer 3: a rigidly moved rest shape has no energy.
fn rigid_motion_has_no_energy(method: Method) {
    let mut bar = Bar::new(method);
    bar.at = dvec3(3.0, -2.0, 1.0);
    bar.turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, -1.0).normalize(), 1.1);
    let stiffness_scale = bar.material.young_pa * crate::fixtures::SIZE_M.element_product();
    let stage = bar.stage();
    let energy = stage.energy(BodyId(0), &stage.first_state().bodies[0], &Cues::default());
    assert!(energy.abs() < 1e-9 * stiffness_scale, "{energy} J of {stiffness_scale} J");
}

/// Known answer 6: x_n = x_0 + n h v_0 − g h² n(n+1)/2 (n² for inner steps of second order), to rounding.
fn free_fall_is_exact(method: Method) {
    let mut bar = Bar::new(method);
    bar.velocity = dvec3(0.3, 2.0, 0.0);
    let flesh = bar.flesh();
    let mut stage = bar.directed_by("gravity", gravity()).stage();
    let mut state = stage.first_state();
    let first = state.clone();
    play(&mut stage, &mut state, 24);
    let (n, h) = (96.0, 1.0 / 96.0);
    // Inner steps of second order follow the parabola itself.
    let squares = if has_inner_steps(&method) { n * n } else { n * (n + 1.0) };
    let fallen = dvec3(0.3, 2.0, 0.0) * (n * h) + dvec3(0.0, -9.81, 0.0) * (h * h * squares / 2.0);
    for i in 0..flesh.point_count() {
        let off = state.bodies[0].x[i].distance(first.bodies[0].x[i] + fallen);
        assert!(off < 1e-10, "point {i} is off by {off} m");
    }
}

/// Without medium or friction a contraction moves neither the centre nor the momentum (1e-6 of size over 10 cycles).
fn contraction_keeps_centre_and_momentum(method: Method) {
    for at in [DVec3::ZERO, dvec3(100.0, -50.0, 30.0)] {
        let mut bar = Bar::new(method);
        bar.at = at;
        let flesh = bar.flesh();
        let mut stage = bar.directed_by("pulse", pulse(&flesh)).stage();
        let mut state = stage.first_state();
        let start = centre(&flesh, &state.bodies[0].x);
        play(&mut stage, &mut state, 5 * 24);
        let moved = centre(&flesh, &state.bodies[0].x).distance(start);
        assert!(moved < 1e-6 * flesh.size_m(), "the centre moved {moved} m at {at}");
    }
}

/// Saving a state and going on from it equals never having stopped, at every frame.
fn resume_equals_a_straight_run(method: Method) {
    let make = || {
        let bar = Bar::new(method);
        let flesh = bar.flesh();
        let mut bar =
            bar.directed_by("gravity", gravity()).directed_by("pulse", pulse(&flesh)).directed_by("hand", Hand);
        bar.obstacles.push(floor());
        bar.stage()
    };
    let input = |tick: u64| match tick {
        5 => vec![Input::Drag { body: BodyId(0), at_rest: dvec3(0.4, 0.0, 0.0), to: dvec3(0.5, 0.3, 0.0) }],
        30 => vec![Input::LetGo { body: BodyId(0) }],
        _ => Vec::new(),
    };
    let run = |stage: &mut sinew_bake::Stage, state: &mut StageState, until: u64| {
        while state.tick < until {
            let now = input(state.tick);
            stage.step(state, &now).unwrap();
        }
    };
    let last = 12 * 4;
    let mut stage = make();
    let mut state = stage.first_state();
    let mut kept = vec![state.clone()];
    while state.tick < last {
        let next = state.tick + 4;
        run(&mut stage, &mut state, next);
        kept.push(state.clone());
    }
    for from in kept {
        let mut fresh = make();
        let mut resumed = from.clone();
        run(&mut fresh, &mut resumed, last);
        assert!(resumed == state, "resumed at tick {} differs", from.tick);
    }
}

/// The same bits from 1, 2 and 8 threads.
fn threads_do_not_change_a_bit(method: Method) {
    let run = |threads: usize| {
        let mut bar = Bar::new(method);
        bar.cells = [24, 5, 5]; // more points than one parallel piece holds
        bar.threads = threads;
        let flesh = bar.flesh();
        let mut bar = bar.directed_by("gravity", gravity()).directed_by("pulse", pulse(&flesh));
        bar.obstacles.push(floor());
        let mut stage = bar.stage();
        let mut state = stage.first_state();
        play(&mut stage, &mut state, 10);
        state
    };
    let one = run(1);
    assert!(one == run(2), "2 threads differ");
    assert!(one == run(8), "8 threads differ");
}

/// A director that asks for something impossible over long intervals only.
struct Poison {
    longest_secs: f64,
}

impl Director for Poison {
    fn cue(&self, now: Now, _: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        let force = if now.tick == 2 && now.h_secs > self.longest_secs { f64::NAN } else { 1.0 };
        out.force(Row(0), dvec3(force, 0.0, 0.0));
        Ok(())
    }
}

fn a_step_with_nan_is_retried_and_named(method: Method) {
    let mut stage = Bar::new(method).directed_by("poison", Poison { longest_secs: 1.0 / 96.0 / 3.0 }).stage();
    let mut state = stage.first_state();
    for tick in 0..4 {
        let report = stage.step(&mut state, &[]).unwrap();
        assert_eq!(report.retries, if tick == 2 { 2 } else { 0 });
        assert_eq!(report.warnings.len(), if tick == 2 { 2 } else { 0 });
        assert!(report.warnings.iter().all(|w| w.tick == 2 && w.what.contains("poison") && w.what.contains("bar")));
    }
    assert!(state.bodies[0].first_not_finite().is_none());

    let mut hopeless = Bar::new(method).directed_by("poison", Poison { longest_secs: 0.0 }).stage();
    let mut state = hopeless.first_state();
    hopeless.step(&mut state, &[]).unwrap();
    hopeless.step(&mut state, &[]).unwrap();
    let before = state.clone();
    assert!(hopeless.step(&mut state, &[]).is_err());
    assert!(state == before, "a failed step leaves the state as it was");
}

/// A body moved rigidly in the middle of its motion goes on as if it had always been there.
fn moving_rigidly_commutes_with_stepping(method: Method) {
    let turn = DQuat::from_axis_angle(dvec3(2.0, -1.0, 0.5).normalize(), 2.4);
    let shift = dvec3(1.0, 2.0, 3.0);
    let bar = Bar::new(method);
    let (flesh, solver) = (bar.flesh(), solver_of(method, &bar.flesh(), bar.material));
    let mut stage = bar.directed_by("pulse", pulse(&flesh)).stage();
    let mut here = stage.first_state();
    play(&mut stage, &mut here, 6);
    let mut there = here.clone();
    let motion = RigidMotion { about: DVec3::ZERO, turn, shift, dv: DVec3::ZERO, spin: DVec3::ZERO };
    solver.move_rigidly(&mut there.bodies[0], &motion);
    for (a, b) in rotations(&here.bodies[0].memory).iter().zip(rotations(&there.bodies[0].memory)) {
        assert!((turn * *a).angle_between(b) < 1e-3, "warm starts turn along");
    }
    play(&mut stage, &mut here, 6);
    play(&mut stage, &mut there, 6);
    for (a, b) in here.bodies[0].x.iter().zip(&there.bodies[0].x) {
        let off = (turn * *a + shift).distance(*b);
        assert!(off < 2e-4, "off by {off} m");
    }
}

fn rotations(memory: &Memory) -> Vec<DQuat> {
    match memory {
        Memory::ShapeMatching { rotation } | Memory::PressedShapeMatching { rotation, .. } => {
            rotation.iter().map(|r| DQuat::from_array(r.map(f64::from))).collect()
        }
        Memory::Fem { rotation } => rotation.clone(),
        Memory::Springs { .. } => Vec::new(),
    }
}

fn solver_of(method: Method, flesh: &Arc<Flesh>, material: sinew_solve::Material) -> Box<dyn Solver> {
    let flesh = flesh.clone();
    match method {
        Method::ShapeMatching(params) => {
            let body = sinew_solve::shape_matching::ShapeMatchingBody { flesh, material, params };
            Box::new(sinew_solve::shape_matching::ShapeMatchingSolver::new(vec![body]).unwrap())
        }
        Method::Fem(params) => {
            let body = vec![sinew_solve::fem::FemBody { flesh, material, params }];
            match params.method {
                FemMethod::Newton => Box::new(sinew_solve::fem::FemSolver::new(body).unwrap()),
                FemMethod::Descent { .. } => Box::new(sinew_solve::fem::DescentSolver::new(body).unwrap()),
            }
        }
        Method::Springs(params) => {
            let body = sinew_solve::springs::SpringsBody::new(flesh, material, params);
            Box::new(sinew_solve::springs::SpringsSolver::new(vec![body]).unwrap())
        }
    }
}

/// What a solver cannot answer is named by vertex and body, and the state stays as it was.
fn a_broken_state_is_named_and_left_alone(method: Method) {
    let mut stage = Bar::new(method).stage();
    let mut state = stage.first_state();
    state.bodies[0].v[7].y = f64::NAN;
    let before = state.clone();
    let error = stage.step(&mut state, &[]).unwrap_err();
    assert!(matches!(error, StepError::NotFinite { body: BodyId(0), .. }), "{error}");
    assert_eq!(state.tick, before.tick);
    assert!(state.bodies[0].v[7].y.is_nan() && state.bodies[0].x == before.bodies[0].x);
}

/// A dropped bar comes to rest on the floor and does not sink in.
fn contact_holds_a_dropped_body(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let mut bar = bar.directed_by("gravity", gravity());
    bar.obstacles.push(floor());
    let mut stage = bar.stage();
    let mut state = stage.first_state();
    let mut deepest = 0.0f64;
    for _ in 0..192 {
        play(&mut stage, &mut state, 1);
        deepest = state.bodies[0].x.iter().map(|x| -0.4 - x.y).fold(deepest, f64::max);
    }
    assert!(deepest < 0.01 * flesh.size_m(), "sank in by {deepest} m");
    let speed = centre(&flesh, &state.bodies[0].v).length();
    assert!(speed < 0.02, "still moves with {speed} m/s");
}

/// Pins report the force they hold with: together with weight it accounts for every change of momentum.
fn reactions_of_pins_and_weight_balance_momentum(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let held = Held::new(end_rows(&flesh, -1.0), Track3::constant(DVec3::ZERO), Turn(Track3::constant(DVec3::ZERO)));
    let mut stage = bar.directed_by("gravity", gravity()).directed_by("hold", PinTo { held }).stage();
    let mut state = stage.first_state();
    let weight = dvec3(0.0, -9.81, 0.0) * flesh.total_mass_kg();
    let h = stage.clock().secs(1, 0.0);
    let mut impulse = DVec3::ZERO;
    for _ in 0..48 * stage.clock().substeps {
        let report = stage.step(&mut state, &[]).unwrap();
        impulse += (report.reactions.iter().map(|r| r.force_n).sum::<DVec3>() + weight) * h;
    }
    let momentum = centre(&flesh, &state.bodies[0].v) * flesh.total_mass_kg();
    let missing = momentum.distance(impulse) / (weight.length() * h * 192.0);
    assert!(missing < 1e-3, "{missing} of the weight's impulse is unaccounted for: {momentum} against {impulse}");
}

/// Rows of several weights: the middle of an edge held as one point, by a pin.
fn a_row_of_several_weights_is_pinned_exactly(method: Method) {
    let bar = Bar::new(method);
    let mut flesh = (*bar.flesh()).clone();
    let row = flesh.anchors.push([(3, 0.25), (17, 0.5), (40, 0.25)]);
    let flesh = Arc::new(flesh);
    let to = flesh.anchors.at(row, &flesh.rest) + dvec3(0.0, 0.05, 0.0);
    let mut solver = solver_of(method, &flesh, bar.material);
    let mut states = [solver.rest_state(0)];
    let mut cues = [Cues::default()];
    cues[0].pins.push(sinew_solve::Pin { at: row, to, velocity: DVec3::ZERO });
    for _ in 0..20 {
        let input =
            sinew_solve::StepInput { cues: &cues, contacts: &[Vec::new()], touching: &[], h_secs: 0.01, stop: None };
        solver.step(&mut states, &input, &mut StepReport::default()).unwrap();
        let off = flesh.anchors.at(row, &states[0].x).distance(to);
        assert!(off < 1e-7, "off by {off} m");
    }
}

every_solver! {
    shape_matching fem fem_descent springs adaptive_springs => [
        rigid_motion_has_no_energy
        free_fall_is_exact
        contraction_keeps_centre_and_momentum
        resume_equals_a_straight_run
        threads_do_not_change_a_bit
        a_step_with_nan_is_retried_and_named
        moving_rigidly_commutes_with_stepping
        a_broken_state_is_named_and_left_alone
        contact_holds_a_dropped_body
        reactions_of_pins_and_weight_balance_momentum
        a_row_of_several_weights_is_pinned_exactly
    ]
}
