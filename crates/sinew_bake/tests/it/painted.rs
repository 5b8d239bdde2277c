//! Scenes with painted muscles do what the paint says.

use crate::fixtures::written::{built, play_to};
use sinew_bake::Stage;
use sinew_math::DVec3;
use sinew_scene::{Direction, Scene, builtin};
use sinew_solve::{BodyId, FieldQuery, FieldValues, StageState};

fn open(name: &str) -> (Stage, StageState) {
    let (built, state) = built(builtin::find(name).unwrap().toml, 1);
    (built.stage, state)
}

/// How far a bar along x is bent, radians: turned upwards at its right end is positive. Slice by slice, so that more than half a turn counts.
fn bend(stage: &Stage, state: &StageState) -> f64 {
    let rest = &stage.bodies()[0].flesh.rest;
    let mut slices: Vec<f64> = rest.iter().map(|x| x.x).collect();
    slices.sort_by(f64::total_cmp);
    slices.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let upright = |at: &f64| {
        let points = rest.iter().zip(&state.bodies[0].x).filter(|(r, _)| (r.x - at).abs() < 1e-9);
        points.fold(DVec3::ZERO, |sum, (r, x)| sum + *x * r.y)
    };
    let uprights: Vec<DVec3> = slices.iter().map(upright).collect();
    uprights
        .windows(2)
        .map(|pair| pair[0].x * pair[1].y - pair[0].y * pair[1].x)
        .zip(uprights.windows(2))
        .map(|(cross, pair)| cross.atan2(pair[0].dot(pair[1])))
        .sum()
}

/// Fig. 5: with rate c above and 1/c below, a bar of length ℓ and height h bends by θ = ℓ(c − 1/c)/h; down while its top is
/// long, up while it is short.
#[test]
fn a_bar_of_two_painted_layers_bends_by_the_known_angle() {
    let (mut stage, mut state) = open("bar-bend");
    let known = 2.0 * (1.5 - 1.0 / 1.5) / 0.5;
    play_to(&mut stage, &mut state, 33);
    let down = -bend(&stage, &state);
    println!("down by {down:.3} of {known:.3} rad");
    play_to(&mut stage, &mut state, 81);
    let up = bend(&stage, &state);
    println!("up by {up:.3} of {known:.3} rad");
    assert!((down / known - 1.0).abs() < 0.1 && (up / known - 1.0).abs() < 0.1);
}

/// Fig. 6: what happens at one place happens at another as much later as the phase between them takes.
#[test]
fn a_painted_phase_travels_at_its_speed() {
    let (mut stage, mut state) = open("bar-wave");
    let flesh = stage.bodies()[0].flesh.clone();
    // The mean height of a slice's points over its middle is greatest while it is most contracted.
    let slice =
        |at: f64| -> Vec<usize> { (0..flesh.rest.len()).filter(|&i| (flesh.rest[i].x - at).abs() < 0.08).collect() };
    let (early, late) = (slice(-0.75), slice(0.75));
    assert!(early.len() > 10 && late.len() > 10);
    let thick = |state: &StageState, points: &[usize]| {
        let x = &state.bodies[0].x;
        let centre = points.iter().map(|&i| x[i]).sum::<DVec3>() / points.len() as f64;
        points.iter().map(|&i| (x[i] - centre).with_x(0.0).length()).sum::<f64>()
    };
    // One period after it has come up to speed.
    let mut over_time: Vec<(f64, f64)> = Vec::new();
    for frame in 49..=96 {
        play_to(&mut stage, &mut state, frame);
        over_time.push((thick(&state, &early), thick(&state, &late)));
    }
    let peak = |of: fn(&(f64, f64)) -> f64| {
        (0..over_time.len()).max_by(|&a, &b| of(&over_time[a]).total_cmp(&of(&over_time[b]))).unwrap() as f64 / 24.0
    };
    let later_secs = (peak(|t| t.1) - peak(|t| t.0)).rem_euclid(2.0);
    // Half the bar's phase at 0.45 a second.
    let known_secs = 0.5 / 0.45;
    println!("{later_secs:.3} s for {known_secs:.3} s");
    assert!((later_secs - known_secs).abs() < 0.1, "{later_secs} s");
}

#[test]
fn a_muscle_shows_its_fields_and_what_it_asks_for() {
    let (stage, _) = open("bar-bend");
    let rest = &stage.bodies()[0].flesh.rest;
    let numbers = |query: FieldQuery, frame: i32| match stage
        .field(BodyId(0), query, stage.clock().tick_of(frame), None)
        .unwrap()
    {
        FieldValues::Numbers(numbers) => numbers,
        FieldValues::Directions(_) => panic!("{query:?} is no number"),
    };
    let (at_rest, bent) = (numbers(FieldQuery::Contraction, 1), numbers(FieldQuery::Contraction, 30));
    assert!(at_rest.iter().all(|rate| rate.abs() < 1e-9));
    let (layer, excited) = (numbers(FieldQuery::Layer, 1), numbers(FieldQuery::Excitation, 30));
    for i in 0..rest.len() {
        // Longer above, shorter below, as much as the amplitude says.
        let share = rest[i].y / 0.25;
        assert!((bent[i] - share * 1.5f64.ln()).abs() < 0.01, "{}: {}", rest[i], bent[i]);
        assert!((excited[i] - share.abs()).abs() < 0.03 && (layer[i] - 0.5 * (1.0 - share)).abs() < 0.01);
    }
    let Some(FieldValues::Directions(along)) = stage.field(BodyId(0), FieldQuery::Primary, 0, None) else {
        panic!("no directions")
    };
    assert!(along.iter().all(|d| d.x.abs() > 0.999));
}

/// Fig. 7: what a touch has reached is excited, what it has not is still.
#[test]
fn a_response_shows_where_it_has_come() {
    let (mut stage, mut state) = open("snail-touch");
    let scene = Scene::from_toml(builtin::find("snail-touch").unwrap().toml, "snail-touch").unwrap();
    let touch = scene.bodies[0].directors.iter().find_map(|director| match &director.direction {
        Direction::Muscle(muscle) => muscle.respond.as_ref()?.touches.first().copied(),
        _ => None,
    });
    let touch = touch.unwrap();
    let (before, after) = (touch.frame.floor() as i32, touch.frame.ceil() as i32 + 4);
    let excited = |stage: &Stage, state: Option<&StageState>, frame: i32| {
        let director_states = state.map(|state| &state.director_states[0][..]);
        match stage.field(BodyId(0), FieldQuery::Excitation, stage.clock().tick_of(frame), director_states).unwrap() {
            FieldValues::Numbers(numbers) => numbers,
            FieldValues::Directions(_) => panic!("excitation is a number"),
        }
    };
    assert!(excited(&stage, None, before).iter().all(|e| *e < 1e-9));
    play_to(&mut stage, &mut state, after);
    // From the notes of the run, and from the scene alone.
    for state in [Some(&state), None] {
        let shown = excited(&stage, state, after);
        let rest = &stage.bodies()[0].flesh.rest;
        let away = |i: &usize| rest[*i].distance(DVec3::from_array(touch.at));
        let near = (0..rest.len()).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap();
        let far = (0..rest.len()).max_by(|a, b| away(a).total_cmp(&away(b))).unwrap();
        assert!(shown[near] > 0.05 && shown[far] < 0.5 * shown[near], "{} {}", shown[near], shown[far]);
    }
}
