//! The scene `pile`: thirty bodies in a box keep out of each other and of its walls at every frame, and come to rest.

use crate::fixtures::written::{built, play_to};
use sinew_bake::{Stage, deepest_penetration};
use sinew_math::DVec3;
use sinew_solve::StageState;

/// From the middle to the inner faces of the walls, and how high these are.
const HALF_M: f64 = 0.5;
const HEIGHT_M: f64 = 1.0;

/// How far a point lies in a wall or the ground.
fn in_walls(x: DVec3) -> f64 {
    let in_wall = (x.x.abs().max(x.z.abs()) - HALF_M).min(HEIGHT_M - x.y);
    in_wall.max(-x.y).max(0.0)
}

fn fastest(state: &StageState) -> f64 {
    let mean = |v: &[DVec3]| (v.iter().sum::<DVec3>() / v.len() as f64).length();
    state.bodies.iter().map(|body| mean(&body.v)).fold(0.0, f64::max)
}

fn pile(threads: usize) -> (Stage, StageState) {
    let (built, state) = built(include_str!("../../../../examples/pile.toml"), threads);
    (built.stage, state)
}

#[test]
fn thirty_bodies_pile_up_without_getting_into_each_other() {
    let (mut stage, mut state) = pile(2);
    let clock = stage.clock();
    let sizes: Vec<f64> = stage.bodies().iter().map(|body| body.flesh.size_m()).collect();
    assert_eq!(sizes.len(), 30);
    let mut fell = 0.0f64;
    for frame in clock.first_frame + 1..=clock.last_frame {
        play_to(&mut stage, &mut state, frame);
        fell = fell.max(fastest(&state));
        if let Some(found) = deepest_penetration(&stage, &state) {
            let [body, other] = [found.body, found.other].map(|body| body.0 as usize);
            let share = found.depth_m / sizes[body].min(sizes[other]);
            assert!(share < 0.01, "frame {frame}: body {body} is {share} of its size in body {other}");
        }
        for (number, (body, size)) in state.bodies.iter().zip(&sizes).enumerate() {
            let share = body.x.iter().map(|x| in_walls(*x)).fold(0.0, f64::max) / size;
            assert!(share < 0.01, "frame {frame}: body {number} is {share} of its size in a wall");
        }
    }
    assert!(fell > 3.0 && fastest(&state) < 0.1, "from {fell} to {} m/s", fastest(&state));
}

/// Enough points for several threads, which contact and damping must not tell apart.
#[test]
fn a_pile_is_the_same_on_any_number_of_threads() {
    let [one, three] = [1, 3].map(|threads| {
        let (mut stage, mut state) = pile(threads);
        play_to(&mut stage, &mut state, 9);
        state
    });
    assert!(one == three);
}
