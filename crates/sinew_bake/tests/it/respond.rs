//! Responses on a stage: from the scene's text to motion, resumed in the middle of a sweep, the same bits on any pool.

use sinew_bake::{Built, build};
use sinew_math::dvec3;
use sinew_scene::Document;
use sinew_solve::{BodyId, DirectorState, Input, StageState};
use std::path::Path;

const SCENE: &str = r#"
sinew = 1
[scene]
frames = [1, 48]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "worm"
skin = { model = "bar", size = [1.0, 0.2, 0.2] }
flesh = { kind = "tets", vertices = 160 }
[[body.director]]
kind = "muscle"
period = 0.5
primary = [[0.0, 1.0], [0.3, 0.6], [0.8, 1.0]]
fibres = { along = "x" }
speed = 2.0
respond = { to = ["touch", "contact"], damping = 2.0, refractory = 0.1, touches = [{ frame = 4, at = [0.5, 0.0, 0.0] }] }
[[obstacle]]
name = "finger"
shape = "sphere"
radius = 0.1
at = [0.0, [[1, 2.0], [36, 2.0], [41, 0.15], [46, 2.0]], 0.0]
"#;

fn stage(threads: usize) -> Built {
    let document = Document::parse(SCENE, "respond").unwrap();
    build(document.scene(), Path::new("."), threads).unwrap()
}

/// Two touches of a hand, besides the scene's own and the finger's.
fn input(tick: u64) -> Vec<Input> {
    let touch = |x: f64| Input::Touch { body: BodyId(0), at_rest: dvec3(x, 0.0, 0.0) };
    match tick {
        40 => vec![touch(-0.5), touch(0.2)],
        _ => Vec::new(),
    }
}

fn run(built: &mut Built, mut state: StageState, ticks: u64) -> StageState {
    for _ in 0..ticks {
        let input = input(state.tick);
        built.stage.step(&mut state, &input).unwrap();
    }
    state
}

fn length(state: &StageState) -> f64 {
    let xs = || state.bodies[0].x.iter().map(|x| x.x);
    xs().fold(f64::MIN, f64::max) - xs().fold(f64::MAX, f64::min)
}

fn sweeps(state: &StageState) -> usize {
    let of =
        |memory: &DirectorState| if let DirectorState::Responding { touches, .. } = memory { touches.len() } else { 0 };
    state.director_states[0].iter().map(of).sum()
}

#[test]
fn touches_and_contact_make_the_body_draw_in_and_come_back() {
    let mut built = stage(1);
    let state = built.stage.first_state();
    let rest = length(&state);
    let quiet = run(&mut built, state, 12);
    assert!((length(&quiet) / rest - 1.0).abs() < 1e-9 && sweeps(&quiet) == 0, "nothing has happened yet");
    let touched = run(&mut built, quiet, 24);
    assert_eq!(sweeps(&touched), 1, "the scene's own touch");
    assert!(length(&touched) < 0.9 * rest, "{} of {rest} m", length(&touched));
    let twice = run(&mut built, touched, 8);
    assert_eq!(sweeps(&twice), 3, "two more at once");
    let mut state = run(&mut built, twice, 140 - 44);
    assert_eq!(sweeps(&state), 0, "all of them over, before the finger comes");
    let mut most = 0;
    while state.tick < 47 * 4 {
        state = run(&mut built, state, 1);
        most = most.max(sweeps(&state));
    }
    assert_eq!(most, 1, "the finger, once");
    let over = run(&mut built, state, 110);
    assert_eq!(sweeps(&over), 0);
    assert!((length(&over) / rest - 1.0).abs() < 0.02, "{} of {rest} m", length(&over));
}

/// In the middle of several sweeps: a fresh stage that has only the state goes on with the same bits, on any pool.
#[test]
fn a_sweep_goes_on_from_the_state_alone_on_any_pool() {
    let mut straight = stage(1);
    let first = straight.stage.first_state();
    let middle = run(&mut straight, first, 44);
    assert_eq!(sweeps(&middle), 3);
    let end = run(&mut straight, middle.clone(), 100);
    for threads in [1, 2, 8] {
        let mut resumed = stage(threads);
        assert!(run(&mut resumed, middle.clone(), 100) == end, "{threads} threads");
    }
}
