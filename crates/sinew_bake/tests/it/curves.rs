//! Numbers of a scene that change over time act over time: one scene for each that no other test keys.

use sinew_bake::{Stage, build};
use sinew_math::DVec3;
use sinew_scene::Document;
use sinew_solve::StageState;
use std::path::Path;

/// A bar of 1 m along x that pulls `gravity` downwards, with what `body` and `world` add.
#[allow(clippy::unwrap_used, reason = "the scenes of this file are right")]
fn stage(gravity: f64, body: &str, world: &str) -> Stage {
    let text = format!(
        "sinew = 1\n[scene]\nfps = 24\nframes = [1, 96]\nsubsteps = 4\ngravity = [0.0, {gravity:?}, 0.0]\n{world}\n\
         [[body]]\nname = \"bar\"\nskin = {{ model = \"bar\", size = [1.0, 0.2, 0.2] }}\n\
         flesh = {{ kind = \"tets\", vertices = 99 }}\nsolver = {{ kind = \"shape_matching\", iterations = 2 }}\n{body}\n"
    );
    build(Document::parse(&text, "test").unwrap().scene(), Path::new("."), 1).unwrap().stage
}

/// Frame by frame, what `look` sees from the first frame on.
fn watch(stage: &mut Stage, frames: u32, look: impl Fn(&StageState) -> f64) -> Vec<f64> {
    let mut state = stage.first_state();
    let mut seen = vec![look(&state)];
    for _ in 0..frames {
        for _ in 0..4 {
            stage.step(&mut state, &[]).expect("steps are finite");
        }
        seen.push(look(&state));
    }
    seen
}

fn centre(state: &StageState) -> DVec3 {
    let x = &state.bodies[0].x;
    x.iter().sum::<DVec3>() / x.len() as f64
}

fn length(state: &StageState) -> f64 {
    let along: Vec<f64> = state.bodies[0].x.iter().map(|x| x.x).collect();
    along.iter().copied().fold(f64::MIN, f64::max) - along.iter().copied().fold(f64::MAX, f64::min)
}

const MUSCLE: &str = "[[body.director]]\nkind = \"muscle\"\nvolume = \"both\"\nfibres = { along = \"x\" }\n\
                      primary = { keys = [[0.0, 1.0], [0.5, 0.7]], shape = \"smooth\" }\n";

/// How often the bar's length crosses its middle on the way down in frames `from..to`.
fn beats(lengths: &[f64], from: usize, to: usize) -> usize {
    let middle = 0.85;
    lengths[from..to].windows(2).filter(|pair| pair[0] >= middle && pair[1] < middle).count()
}

#[test]
fn a_period_on_a_curve_quickens_the_beat_without_a_jump() {
    let keyed = format!("{MUSCLE}period = [[1, 1.0, \"step\"], [49, 0.25]]\n");
    let lengths = watch(&mut stage(0.0, &keyed, ""), 95, length);
    assert_eq!((beats(&lengths, 0, 48), beats(&lengths, 48, 96)), (2, 8), "{lengths:?}");
    // A chart over `t / period(t)` would restart in mid-cycle at frame 49.
    let even = format!("{MUSCLE}period = 1.0\n");
    let slow = watch(&mut stage(0.0, &even, ""), 50, length);
    let apart = (46..49).map(|frame| (lengths[frame] - slow[frame]).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart}");
}

#[test]
fn an_amplitude_on_a_curve_swells() {
    let keyed = format!("{MUSCLE}period = 1.0\namplitude = [[1, 0.0], [73, 1.0]]\n");
    let lengths = watch(&mut stage(0.0, &keyed, ""), 95, length);
    let shortest = |from: usize| lengths[from..from + 24].iter().copied().fold(f64::MAX, f64::min);
    assert!(lengths[1] > 0.99 && shortest(0) > shortest(24) && shortest(24) > shortest(48), "{lengths:?}");
    assert!(shortest(71) < 0.75, "{}", shortest(71));
}

/// A bar that slides on ice comes to a stop once the ground, or its own skin, grips.
#[test]
fn friction_on_a_curve_lets_go_and_grips() {
    let ground = |friction: &str| format!("[[obstacle]]\nshape = \"plane\"\nfriction = {friction}\n");
    let slide = |own: &str, ground: &str| {
        let body = format!("at = [0.0, 0.1, 0.0]\nvelocity = [1.0, 0.0, 0.0]\nfriction = {own}\n");
        watch(&mut stage(-9.81, &body, ground), 72, |state| centre(state).x)
    };
    let ice = slide("0.5", &ground("0.0"));
    assert!(ice[72] > 2.9, "slides on: {}", ice[72]);
    let grips = "[[1, 0.0, \"step\"], [25, 1.0]]";
    let own = "[[1, 0.0, \"step\"], [25, 0.5]]";
    let directed = format!("{{ forward = {own}, backward = {own}, along = \"x\" }}");
    for (own, ground) in [("0.5", ground(grips)), (own, ground("1.0")), (&directed, ground("1.0"))] {
        let place = slide(own, &ground);
        assert!((place[23] - ice[23]).abs() < 0.02, "free until then: {}", place[23]);
        // v² / (2 μ g) = 0.10 m more.
        assert!((place[72] - place[24] - 0.10).abs() < 0.04, "{own}: {} m more", place[72] - place[24]);
        assert!((place[72] - place[60]).abs() < 1e-3, "stands: {}", place[72] - place[60]);
    }
}

/// A goal whose settling time falls pulls harder.
#[test]
fn a_settling_time_on_a_curve_pulls_harder_when_it_falls() {
    let goal = |settle: &str| {
        format!("[[body.director]]\nkind = \"goal\"\non = \"all\"\nmove = [1.0, 0.0, 0.0]\nsettle = {settle}\n")
    };
    let place = |settle: &str| watch(&mut stage(0.0, &goal(settle), ""), 48, |state| centre(state).x);
    let (slow, keyed) = (place("1.5"), place("[[1, 1.5, \"step\"], [25, 0.05]]"));
    assert!((slow[23] - keyed[23]).abs() < 1e-9);
    assert!(slow[34] < 0.75 && keyed[34] > 0.98, "{} against {}", slow[34], keyed[34]);
}
