//! The midpoint rule: bodies keep to it as long as they touch nothing, and nothing is said where nothing is wrong.

use crate::fixtures::written::{built, play_to};
use sinew_math::DVec3;

const MIDPOINT: &str = "{ kind = \"fem\", time = \"midpoint\" }";

/// A body that falls has no energy but that of its flight: what elasticity makes of rounding errors is no gain.
#[test]
fn a_midpoint_body_falls_without_a_warning() {
    let bodies = ["model = \"ball\", radius = 0.1", "model = \"bar\", size = [0.2, 0.2, 0.2]"];
    for body in bodies {
        for (young_pa, substeps) in [(2.0e4, 4), (1.0e5, 16), (1.0e6, 4), (1.0e6, 16), (1.0e9, 4)] {
            for elements in ["tets", "smoothed"] {
                let scene = format!(
                    "sinew = 1\n[scene]\nframes = [1, 13]\nsubsteps = {substeps}\n[[body]]\nname = \"a\"\nskin = {{ {body} }}\nat = [0.0, 5.0, 0.0]\n\
                     material = {{ young_pa = {young_pa:?}, damping = \"none\" }}\nflesh = {{ kind = \"tets\", vertices = 150 }}\n\
                     solver = {{ kind = \"fem\", time = \"midpoint\", elements = \"{elements}\" }}\n"
                );
                let (mut built, mut state) = built(&scene, 1);
                let first = state.bodies[0].x.clone();
                for _ in 0..12 * substeps {
                    let report = built.stage.step(&mut state, &[]).unwrap();
                    assert!(report.warnings.is_empty(), "{body}, {young_pa} Pa, {elements}: {:?}", report.warnings);
                }
                let fallen_m = -9.81 * 0.5 * 0.5f64.powi(2);
                for (x, first) in state.bodies[0].x.iter().zip(&first) {
                    assert!(x.distance(*first + DVec3::Y * fallen_m) < 1e-9, "{body}, {young_pa} Pa, {elements}");
                }
            }
        }
    }
}

/// A clamped bar that is let go and swings sideways, 3 mm above `below`, which is written for a top at y = 0.
fn swinging_above(below: &str) -> Vec<DVec3> {
    let scene = format!(
        r#"
        sinew = 1
        [scene]
        frames = [1, 97]
        gravity = [0.0, 0.0, 0.0]
        [[body]]
        name = "bar"
        skin = {{ model = "bar", size = [1.0, 0.1, 0.1] }}
        at = [0.0, 0.053, 0.0]
        material = {{ young_pa = 1.0e6, poisson = 0.3, damping = "none" }}
        flesh = {{ kind = "tets", vertices = 150 }}
        solver = {MIDPOINT}
        [body.sets]
        left = {{ side = "-x", within = 0.01 }}
        right = {{ side = "x", within = 0.01 }}
        [[body.director]]
        kind = "pin"
        on = "left"
        [[body.director]]
        kind = "force"
        on = "right"
        newton = [0.0, 0.0, {{ keys = [[1, 0.0], [12, 4.0], [18, 4.0], [19, 0.0]] }}]
        {below}
        "#
    );
    let (mut built, mut state) = built(&scene, 1);
    play_to(&mut built.stage, &mut state, 97);
    let bar = built.stage.bodies().iter().position(|body| body.name == "bar").unwrap();
    state.bodies[bar].x.clone()
}

/// Contacts that are foreseen and stay open change nothing, whatever is near: a swing goes on as in the open. By Euler's rule it loses a fifth of its reach in these four seconds.
#[test]
fn what_is_near_and_not_touched_leaves_a_swing_alone() {
    let in_the_open = swinging_above("");
    let slab = |solver: &str| {
        format!(
            "[[body]]\nname = \"slab\"\nskin = {{ model = \"bar\", size = [1.4, 0.1, 1.4] }}\nat = [0.0, -0.05, 0.0]\n\
             flesh = {{ kind = \"tets\", vertices = 120 }}\nmaterial = {{ young_pa = 1.0e6 }}\nsolver = {solver}\n"
        )
    };
    let near = [
        ("a plane", "[[obstacle]]\nshape = \"plane\"\n".to_owned()),
        ("a midpoint body", slab(MIDPOINT)),
        ("elements by Euler's rule", slab("{ kind = \"fem\" }")),
        ("descent", slab("{ kind = \"fem\", method = \"descent\" }")),
        ("springs", slab("{ kind = \"springs\" }")),
    ];
    for (name, below) in near {
        let x = swinging_above(&below);
        let off_m = in_the_open.iter().zip(&x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off_m < 1e-6, "above {name}: {off_m} m from where it is in the open");
    }
}

/// A body that does reach something is stopped by it as by Euler's rule, and gains nothing.
#[test]
fn a_midpoint_ball_that_lands_gains_no_energy_and_stays_out() {
    let slab = "[[body]]\nname = \"slab\"\nskin = { model = \"bar\", size = [0.6, 0.1, 0.6] }\nat = [0.0, 0.05, 0.0]\n\
                material = { young_pa = 1.0e6 }\nflesh = { kind = \"tets\", vertices = 120 }\nsolver = { kind = \"springs\" }\n";
    for (onto, top_m) in [("", 0.0), (slab, 0.1)] {
        let scene = format!(
            "sinew = 1\n[scene]\nframes = [1, 49]\n[[body]]\nname = \"ball\"\nskin = {{ model = \"ball\", radius = 0.1 }}\nat = [0.0, {:?}, 0.0]\n\
             material = {{ young_pa = 1.0e5, damping = \"none\" }}\nflesh = {{ kind = \"tets\", vertices = 150 }}\nsolver = {MIDPOINT}\n{onto}\
             [[obstacle]]\nshape = \"plane\"\n",
            top_m + 0.3
        );
        let (mut built, mut state) = built(&scene, 1);
        let ball = built.stage.bodies().iter().position(|body| body.name == "ball").unwrap();
        let mass_kg = built.stage.bodies()[ball].flesh.mass_kg.clone();
        let total_j = |x: &[DVec3], v: &[DVec3]| -> f64 {
            x.iter().zip(v).zip(&mass_kg).map(|((x, v), m)| m * (9.81 * x.y + 0.5 * v.length_squared())).sum()
        };
        let first_j = total_j(&state.bodies[ball].x, &state.bodies[ball].v);
        for _ in 0..192 {
            built.stage.step(&mut state, &[]).unwrap();
            let now = &state.bodies[ball];
            assert!(total_j(&now.x, &now.v) < 1.001 * first_j, "onto {top_m} m");
            let lowest = now.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > top_m - 0.01, "onto {top_m} m: at {lowest} m");
        }
    }
}
