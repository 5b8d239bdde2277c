//! Goals of control metaphors: reached by a force that is searched for or from inside, and told where they cannot be.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod fixtures;

use fixtures::written::{FREE_BAR, built};
use fixtures::{centre, play};
use sinew_bake::refine::{ReachGoal, Refiner, Rehearsal};
use sinew_scene::Document;
use std::ops::ControlFlow;
use std::path::Path;

const GOAL: &str = "goal = { amount = AMOUNT, from = 1, at = 20, hold = 6, release = 14BY }";

fn goal(act: &str, amount: f64, by: &str) -> String {
    format!("name = \"act\"\nact = {act}\n{}", GOAL.replace("AMOUNT", &format!("{amount:?}")).replace("BY", by))
}

/// Every act reaches its goal within 2 % by a force that the refiner finds, with less than 5 % overshoot, on every solver with a modulus; the
/// force goes into the scene as written.
#[test]
fn goals_by_force_are_reached_and_let_go_without_a_swing() {
    let acts = [
        ("{ bend = { arm = 0.4, radius = 0.16 } }", 25.0),
        ("{ twist = { near = 0.3, far = 0.6, radius = 0.2 } }", -30.0),
        ("{ stretch = { near = 0.3, far = 0.6, radius = 0.2 } }", 8.0),
        ("{ compress = { near = 0.3, far = 0.6, radius = 0.2 } }", 5.0),
    ];
    let solvers = [
        "{ kind = \"fem\" }",
        "{ kind = \"fem\", method = \"descent\" }",
        "{ kind = \"springs\" }",
        "{ kind = \"shape_matching\" }",
    ];
    for (n, solver) in solvers.iter().enumerate() {
        // Each solver has one act at least, and each act one solver.
        for (act, amount) in if n == 0 { &acts[..] } else { &acts[n..=n] } {
            let scene = FREE_BAR.replace("{ kind = \"fem\" }", solver);
            let text = format!("{scene}\n[[body.director]]\nkind = \"metaphor\"\n{}", goal(act, *amount, ""));
            let document = Document::parse(&text, "goal").unwrap();
            let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |_| ControlFlow::Continue(()));
            let refiner = ReachGoal { director: "body.bar.director.act".into() };
            let found = refiner.refine(&mut rehearsal).unwrap();
            println!("{solver}: {} ({} runs)", found[0].label, rehearsal.runs());
            let outcome = |name: &str| found[0].outcome.iter().find(|(of, ..)| of == name).unwrap().2;
            assert!(outcome("off") < 2.0 && outcome("overshoot after release") < 5.0, "{solver}: {}", found[0].label);
        }
    }
}

/// A goal that the material's bound does not allow is refused, with how far it got; so is a metaphor without one.
#[test]
fn goals_out_of_reach_say_so() {
    let refined = |director: &str| {
        let text = format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{director}");
        let document = Document::parse(&text, "goal").unwrap();
        let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |_| ControlFlow::Continue(()));
        ReachGoal { director: "body.bar.director.act".into() }.refine(&mut rehearsal).unwrap_err().to_string()
    };
    let far = refined(&goal("{ stretch = { near = 0.3, far = 0.6, radius = 0.2 } }", 400.0, ""));
    assert!(far.contains("400 % is out of reach"), "{far}");
    // As far as a press is bounded, and no farther, with the force that acted.
    let pressed = refined(&goal("{ compress = { near = 0.3, far = 0.6, radius = 0.2 } }", 60.0, ""));
    assert!(pressed.contains("60 % is out of reach"), "{pressed}");
    let none = refined("name = \"act\"\nact = { bend = { arm = 0.4, radius = 0.16 } }\nnewton = 3.0");
    assert!(none.contains("no metaphor with a goal"), "{none}");
}

/// Half a turn and more cannot be measured, and nothing becomes shorter by all of its length: errors of the scene.
#[test]
fn goals_that_cannot_be_are_refused_by_the_scene() {
    let acts = [
        ("{ twist = { near = 0.3, far = 0.6, radius = 0.2 } }", 220.0, "half a turn"),
        ("{ bend = { arm = 0.4, radius = 0.16 } }", -180.0, "half a turn"),
        ("{ compress = { near = 0.3, far = 0.6, radius = 0.2 } }", 100.0, "shorter by 100 %"),
        ("{ stretch = { near = 0.3, far = 0.6, radius = 0.2 } }", -120.0, "shorter by 100 %"),
    ];
    for (act, amount, why) in acts {
        let text = format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{}", goal(act, amount, ""));
        let error = Document::parse(&text, "goal").unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("amount"), "{error}");
    }
}

/// A goal that is held from inside, while nothing moves, has nothing to converge to: no warning.
#[test]
fn a_body_held_from_inside_at_rest_has_converged() {
    let acts = [
        ("{ stretch = { near = 0.1, far = 0.4, radius = 0.2 } }", "amount = 10.0, from = 1, at = 10"),
        ("{ twist = { near = 0.1, far = 0.4, radius = 0.2 } }", "amount = 40.0, from = 1, at = 10"),
        ("{ stretch = { near = 0.1, far = 0.4, radius = 0.2 } }", "amount = 5.0, from = -20, at = 1"),
    ];
    for (act, goal) in acts {
        for solver in ["{ kind = \"fem\" }", "{ kind = \"fem\", method = \"descent\" }", "{ kind = \"springs\" }"] {
            let text = format!(
                "sinew = 1\n[scene]\nframes = [1, 40]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"b\"\n\
                 skin = {{ model = \"cylinder\", radius = 0.1, height = 1.0 }}\n\
                 material = {{ preset = \"rubber\", young_pa = 1.0e5, poisson = 0.3, damping = \"heavy\" }}\n\
                 flesh = {{ kind = \"tets\", vertices = 150 }}\nsolver = {solver}\n\
                 [[body.director]]\nname = \"m\"\nkind = \"metaphor\"\nalong = [0.0, 1.0, 0.0]\nup = [1.0, 0.0, 0.0]\n\
                 act = {act}\ngoal = {{ {goal}, hold = 40, by = \"inside\" }}\n"
            );
            let (mut built, mut state) = built(&text, 1);
            for tick in 0..39 * 4 {
                let report = built.stage.step(&mut state, &[]).unwrap();
                assert!(report.warnings.is_empty(), "{solver}, {act}, tick {tick}: {:?}", report.warnings);
            }
        }
    }
}

/// A goal that is held for as long as a number can say is one that is held to the end of the scene.
#[test]
fn a_goal_may_be_held_beyond_the_scene() {
    let act = goal("{ bend = { arm = 0.4, radius = 0.16 } }", 20.0, "").replace("hold = 6", "hold = 2147483647");
    let text = format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{act}");
    let document = Document::parse(&text, "goal").unwrap();
    let mut rehearsal = Rehearsal::new(&document, Path::new("."), 1, |_| ControlFlow::Continue(()));
    let found = ReachGoal { director: "body.bar.director.act".into() }.refine(&mut rehearsal).unwrap();
    let off = found[0].outcome.iter().find(|(name, ..)| name == "off").unwrap().2;
    assert!(off < 2.0, "{}", found[0].label);
}

/// From inside a free bar bends as far as is wanted before it is let go (it follows its rest shape with the lag of its damping), and its centre
/// stays where it is.
#[test]
fn a_goal_from_inside_is_reached_in_flight_without_drift() {
    let acts = [
        ("{ bend = { arm = 0.4, radius = 0.16 } }", "bend", 40.0),
        ("{ twist = { near = 0.3, far = 0.6, radius = 0.2 } }", "twist", 60.0),
    ];
    for (act, name, amount) in acts {
        let director = goal(act, amount, ", by = \"inside\"");
        let (built, mut state) = built(&format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{director}"), 1);
        let mut stage = built.stage;
        let flesh = stage.bodies()[0].flesh.clone();
        let first = centre(&flesh, &state.bodies[0].x);
        play(&mut stage, &mut state, 24);
        let report = stage.step(&mut state, &[]).unwrap();
        let got =
            report.measures.iter().find(|measure| measure.director == "act" && measure.name == name).unwrap().value;
        assert!((got / amount - 1.0).abs() < 0.02, "{got} of {amount} {name}");
        play(&mut stage, &mut state, 19);
        let moved = centre(&flesh, &state.bodies[0].x).distance(first);
        assert!(moved < 1e-7, "{moved} m");
    }
}
