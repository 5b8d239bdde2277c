//! Implicit steps end in equilibrium, or say that they do not: descent under plain forces, at rest, stiff, slender and overloaded.

use crate::fixtures::written::{built, play_to};
use sinew_bake::Built;
use sinew_math::DVec3;
use sinew_solve::{Residual, StageState, StepError};

const DESCENT: &str = "kind = \"fem\", method = \"descent\"";
const NEWTON: &str = "kind = \"fem\"";

fn pulled(solver: &str, newton: f64) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 96]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"bar\"\nskin = {{ model = \"bar\", size = [1.0, 0.2, 0.2] }}\n\
         material = {{ preset = \"rubber\" }}\nflesh = {{ kind = \"tets\", vertices = 315 }}\nsolver = {{ {solver} }}\n\
         sets = {{ l = {{ side = \"-x\" }}, r = {{ side = \"x\" }} }}\n[[body.director]]\nkind = \"pin\"\non = \"l\"\n\
         [[body.director]]\nkind = \"force\"\non = \"r\"\nnewton = [[[1, 0.0], [24, {newton}]], 0.0, 0.0]\n"
    )
}

fn length_m(state: &StageState) -> f64 {
    let along = |x: &DVec3| x.x;
    let x = &state.bodies[0].x;
    x.iter().map(along).fold(f64::MIN, f64::max) - x.iter().map(along).fold(f64::MAX, f64::min)
}

fn fastest(state: &StageState) -> f64 {
    state.bodies[0].v.iter().map(|v| v.length()).fold(0.0, f64::max)
}

/// Length after three seconds and the fastest point of the last one, whatever the number of sweeps.
#[test]
fn a_bar_under_a_plain_force_comes_to_rest_at_newtons_length() {
    let rest = |solver: &str, newton: f64| {
        let (mut built, mut state) = built(&pulled(solver, newton), 1);
        play_to(&mut built.stage, &mut state, 72);
        let mut speed = 0.0f64;
        for frame in 73..=96 {
            play_to(&mut built.stage, &mut state, frame);
            speed = speed.max(fastest(&state));
        }
        (length_m(&state), speed)
    };
    for newton in [400.0, 4000.0] {
        let (exact, _) = rest(NEWTON, newton);
        for sweeps in [2, 10, 40] {
            let (length, speed) = rest(&format!("{DESCENT}, iterations = {sweeps}"), newton);
            assert!(
                (length - exact).abs() < 1e-3 * (exact - 1.0),
                "{newton} N, {sweeps} sweeps: {length}, not {exact}"
            );
            assert!(speed < 1e-3, "{newton} N, {sweeps} sweeps: {speed} m/s");
        }
    }
}

/// A cube on a floor: what lies still stays still, from soft to rigid and nearly incompressible.
#[test]
fn a_cube_at_rest_stays_at_rest() {
    for material in
        ["preset = \"muscle\"", "preset = \"muscle\", poisson = 0.499", "preset = \"muscle\", young_pa = 1e12"]
    {
        let toml = format!(
            "sinew = 1\n[scene]\nframes = [1, 481]\n[[body]]\nname = \"cube\"\nskin = {{ model = \"bar\", size = [0.2, 0.2, 0.2] }}\n\
             at = [0.0, 0.1, 0.0]\nmaterial = {{ {material} }}\nflesh = {{ kind = \"tets\", vertices = 300 }}\nsolver = {{ {DESCENT} }}\n\
             [[obstacle]]\nshape = \"plane\"\n"
        );
        let (mut built, mut state) = built(&toml, 1);
        // Every frame: five of them met the quiet moments of a cube that trembled (decision 0203).
        for frame in 96..=481 {
            play_to(&mut built.stage, &mut state, frame);
            assert!(fastest(&state) < 1e-3, "{material}: {} m/s at frame {frame}", fastest(&state));
        }
        let off = state.bodies[0].origin - DVec3::new(0.0, state.bodies[0].origin.y, 0.0);
        assert!(off.length() < 1e-3, "{material}: moved by {off}");
    }
}

/// The tip of a slender beam that swings under its weight, against Newton's method.
#[test]
fn slender_beams_swing_as_newtons() {
    let swing = |solver: &str| {
        let toml = format!(
            "sinew = 1\n[scene]\nframes = [1, 25]\n[[body]]\nname = \"beam\"\nskin = {{ model = \"bar\", size = [1.0, 0.05, 0.05] }}\n\
             material = {{ preset = \"rubber\", young_pa = 1e7 }}\nflesh = {{ kind = \"tets\", vertices = 200 }}\nsolver = {{ {solver} }}\n\
             sets = {{ l = {{ side = \"-x\" }} }}\n[[body.director]]\nkind = \"pin\"\non = \"l\"\n"
        );
        let (mut built, mut state) = built(&toml, 1);
        let lowest = |state: &StageState| state.bodies[0].x.iter().map(|x| x.y).fold(f64::MAX, f64::min);
        let mut tips = Vec::new();
        for frame in 1..=25 {
            play_to(&mut built.stage, &mut state, frame);
            tips.push(lowest(&state));
        }
        tips
    };
    let (exact, ours) = (swing(NEWTON), swing(DESCENT));
    let most = exact.iter().fold(0.0f64, |most, tip| most.max(tip.abs()));
    for (frame, (exact, ours)) in exact.iter().zip(&ours).enumerate() {
        assert!((exact - ours).abs() < 0.01 * most, "frame {}: {ours} m, not {exact}", frame + 1);
    }
}

fn play_until_error(built: &mut Built, state: &mut StageState) -> Option<StepError> {
    let last = built.stage.clock().tick_of(96);
    while state.tick < last {
        if let Err(error) = built.stage.step(state, &[]) {
            return Some(error);
        }
    }
    None
}

/// A force that no material bears ends the run with the body's number, in every solver, and never with numbers like 1e30.
#[test]
fn what_is_torn_apart_is_an_error() {
    for solver in [NEWTON, DESCENT, "kind = \"springs\"", "kind = \"shape_matching\""] {
        let (mut built, mut state) = built(&pulled(solver, 1e9), 1);
        let error = play_until_error(&mut built, &mut state);
        let extent = length_m(&state);
        assert!(extent < 1e5, "{solver}: {extent} m");
        if let Some(error) = error {
            assert!(matches!(error, StepError::TornApart { .. } | StepError::EnergyGained { .. }), "{solver}: {error}");
        }
    }
}

/// Residuals are reported for every implicit body, and are small where steps converge.
#[test]
fn residuals_are_reported() {
    for solver in [NEWTON, DESCENT, "kind = \"springs\""] {
        let (mut built, mut state) = built(&pulled(solver, 400.0), 1);
        for _ in 0..40 {
            let report = built.stage.step(&mut state, &[]).unwrap();
            assert_eq!(report.residuals.len(), 1, "{solver}");
            assert!(report.residuals[0].share < 0.02, "{solver}: {}", report.residuals[0].share);
            assert!(report.warnings.is_empty(), "{solver}: {:?}", report.warnings);
        }
    }
    const { assert!(Residual::FAR > 0.02) };
}

/// Nothing but gravity acts on a body that falls: every step has its answer at once, and none warns, whatever the body's size and place. Coordinates are known to a rounding
/// of their own size, and forces of a millimetre's flesh with them.
#[test]
fn a_body_that_falls_converges_whatever_its_size_and_place() {
    for solver in [NEWTON, DESCENT, "kind = \"springs\""] {
        for (size_m, height_m) in [(1e-3, 0.0), (1e-3, 5.0), (1e-3, 300.0), (0.1, 1e3), (10.0, 1e4)] {
            let scene = format!(
                r#"
sinew = 1
[scene]
frames = [1, 12]
[[body]]
name = "grain"
skin = {{ model = "bar", size = [{size_m}, {size_m}, {size_m}] }}
at = [0.0, {height_m:.1}, 0.0]
velocity = [3.0, 1.0, 0.0]
flesh = {{ kind = "tets", vertices = 64 }}
solver = {{ {solver} }}
material = {{ preset = "rubber" }}
"#
            );
            let (mut built, mut state) = built(&scene, 1);
            for _ in 0..44 {
                let report = built.stage.step(&mut state, &[]).unwrap();
                assert!(report.warnings.is_empty(), "{solver}, {size_m} m at {height_m} m: {:?}", report.warnings);
            }
        }
    }
}
