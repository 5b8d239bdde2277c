//! Designed motion: bodies go through their keys and around what is in the way, whatever solver moves them,
//! and are free after it.

use sinew_bake::assets::Assets;
use sinew_bake::refine::{RefineError, Refinement, Refiner, Rehearsal, SolvePlans};
use sinew_bake::{Built, build};
use sinew_math::rotation::mass_centre;
use sinew_math::{DVec3, dvec3};
use sinew_scene::Document;
use sinew_solve::StageState;
use std::ops::ControlFlow;

const FEM: &str = r#"{ kind = "fem" }"#;

/// A bar over the ground with a plan.
fn scene(solver: &str, plan: &str, more: &str) -> String {
    format!(
        r#"
sinew = 1
[scene]
frames = [1, 40]
[[body]]
name = "bar"
skin = {{ model = "bar", size = [0.6, 0.2, 0.2] }}
at = [-1.0, 1.0, 0.0]
flesh = {{ kind = "tets", vertices = 150 }}
solver = {solver}
[[body.director]]
name = "act"
kind = "plan"
nodes = 16
{plan}
{more}
"#
    )
}

/// A bend on the way, turned by a quarter at the end.
const LEAP: &str = r#"keys = [
    { frame = 1 },
    { frame = 13, at = [0.0, 1.6, 0.0], bend_deg = 40.0 },
    { frame = 25, at = [1.0, 1.2, 0.2], turn = [0.0, 0.70710678, 0.0, 0.70710678] },
]"#;

struct Project {
    folder: tempfile::TempDir,
    document: Document,
}

impl Project {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { document: Document::parse(text, "plan").unwrap(), folder }
    }

    fn search(&self, threads: usize) -> Result<Refinement, RefineError> {
        let mut rehearsal = Rehearsal::new(&self.document, self.folder.path(), threads, |_| ControlFlow::Continue(()));
        SolvePlans::default().refine(&mut rehearsal).map(|mut found| found.remove(0))
    }

    fn solved(text: &str) -> Self {
        let mut project = Self::new(text);
        let found = project.search(2).unwrap();
        found.store_assets(&Assets::of(project.folder.path())).unwrap();
        project.document.apply(&found.command).unwrap();
        project
    }

    fn build(&self) -> Built {
        build(self.document.scene(), self.folder.path(), 1).unwrap()
    }

    /// Every substep to a frame, told of the state at whole frames. How far the body was off its plan at
    /// most, in per cent.
    fn play(&self, last: i32, mut told: impl FnMut(i32, &Built, &StageState)) -> f64 {
        let mut built = self.build();
        let mut state = built.stage.first_state();
        let mut most = 0.0f64;
        told(1, &built, &state);
        for frame in 2..=last {
            for _ in 0..built.stage.clock().substeps {
                let report = built.stage.step(&mut state, &[]).unwrap();
                let off = report.measures.iter().filter(|measure| measure.name == "off_plan");
                most = off.map(|measure| measure.value).fold(most, f64::max);
            }
            told(frame, &built, &state);
        }
        most
    }
}

fn centre(built: &Built, state: &StageState, body: usize) -> DVec3 {
    mass_centre(&state.bodies[body].x, &built.stage.bodies()[body].flesh.mass_kg)
}

#[test]
fn a_planned_bar_goes_through_its_keys_on_every_solver() {
    let solvers =
        [FEM, r#"{ kind = "shape_matching" }"#, r#"{ kind = "springs" }"#, r#"{ kind = "fem", method = "descent" }"#];
    for solver in solvers {
        let mut met = 0;
        Project::solved(&scene(solver, LEAP, "")).play(25, |frame, built, state| {
            let at = match frame {
                1 => dvec3(-1.0, 1.0, 0.0),
                13 => dvec3(0.0, 1.6, 0.0),
                25 => dvec3(1.0, 1.2, 0.2),
                _ => return,
            };
            met += 1;
            let off = centre(built, state, 0).distance(at);
            assert!(off < 1e-6, "{solver}: {off} m off at frame {frame}");
            let flesh = &built.stage.bodies()[0].flesh;
            let turn = sinew_math::rotation::best_fit_rotation(&flesh.rest, &state.bodies[0].x, &flesh.mass_kg);
            let quarter = if frame == 25 { std::f64::consts::FRAC_PI_2 } else { 0.0 };
            let turned = turn.angle_between(sinew_math::DQuat::from_rotation_y(quarter));
            assert!(turned < 1e-3 || frame == 13, "{solver}: {turned} rad off at frame {frame}");
        });
        assert_eq!(met, 3);
    }
}

#[test]
fn after_its_last_key_a_body_goes_on_as_it_was_moved() {
    let mut speeds = Vec::new();
    Project::solved(&scene(FEM, LEAP, "")).play(27, |frame, built, state| {
        let flesh = &built.stage.bodies()[0].flesh;
        let mass: f64 = flesh.mass_kg.iter().sum();
        let momentum: DVec3 = state.bodies[0].v.iter().zip(&flesh.mass_kg).map(|(v, m)| *v * *m).sum();
        speeds.push((frame, momentum / mass));
    });
    let of = |wanted: i32| speeds.iter().find(|(frame, _)| *frame == wanted).unwrap().1;
    assert!(of(25).length() > 0.5, "it moves at its last key: {}", of(25));
    let free_fall = of(25) + dvec3(0.0, -9.81 / 24.0, 0.0);
    assert!(of(26).distance(free_fall) < 1e-3, "{} after {}", of(26), of(25));
}

const BALL: &str = "[[obstacle]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.35\nat = [0.0, 1.0, 0.0]\n";

/// How near the bar's points come to the ball.
fn clearance(project: &Project) -> f64 {
    let mut least = f64::INFINITY;
    project.play(30, |_, _, state| {
        let gap = |x: &DVec3| x.distance(dvec3(0.0, 1.0, 0.0)) - 0.35;
        least = state.bodies[0].x.iter().map(gap).fold(least, f64::min);
    });
    least
}

#[test]
fn a_plan_goes_around_what_is_in_the_way() {
    let plan = "keys = [{ frame = 1 }, { frame = 30, at = [1.0, 1.0, 0.0] }]";
    let around = clearance(&Project::solved(&scene(FEM, plan, BALL)));
    assert!(around > 0.005, "{around} m from the ball");
    let through = clearance(&Project::solved(&scene(FEM, &format!("{plan}\nignore = [\"ball\"]"), BALL)));
    assert!(through < -0.2, "what it ignores it passes through: {through} m");
}

#[test]
fn a_guess_chooses_the_side_on_which_an_obstacle_is_passed() {
    let height = |guess: f64| {
        let plan = format!(
            "keys = [{{ frame = 1 }}, {{ frame = 15, guess = true, at = [0.0, {guess}, 0.0] }}, {{ frame = 30, at = [1.0, 1.0, 0.0] }}]"
        );
        let mut middle = 0.0;
        Project::solved(&scene(FEM, &plan, BALL)).play(15, |_, built, state| middle = centre(built, state, 0).y);
        middle
    };
    let (over, under) = (height(1.9), height(0.1));
    assert!(over > 1.35 && under < 0.65, "{over} m and {under} m");
}

/// Without the break the body would be at the lowest point of a smooth curve there, and hardly move.
#[test]
fn a_bounce_comes_down_fast_and_goes_up_fast() {
    let plan = "keys = [{ frame = 1 }, { frame = 13, at = [0.0, 0.4, 0.0], bounce = true }, { frame = 25, at = [1.0, 1.0, 0.0] }]";
    let mut heights = Vec::new();
    Project::solved(&scene(FEM, plan, "")).play(14, |_, built, state| heights.push(centre(built, state, 0).y));
    let (down, up) = (heights[12] - heights[11], heights[13] - heights[12]);
    assert!(down < -0.02 && up > 0.02, "{down} m in the frame before, {up} m in the one after");
}

/// At the frames that are solved for it is held; between them the body's curves carry it, by 1.8 % of the body's size here.
#[test]
fn a_set_nearly_stays_where_it_is_while_a_key_holds_it() {
    let plan = "keys = [{ frame = 1 }, { frame = 2, to = 20, on = \"left\" }, { frame = 30, at = [-0.6, 1.2, 0.2] }]";
    let sets = "sets = { left = { box = { min = [-1.0, -1.0, -1.0], max = [-0.2, 1.0, 1.0] } } }\nflesh = {";
    let project = Project::solved(&scene(FEM, plan, "").replace("flesh = {", sets));
    let (mut held, mut others, mut begun) = (0.0f64, 0.0f64, Vec::new());
    project.play(20, |frame, built, state| {
        let x = &state.bodies[0].x;
        if frame == 2 {
            begun.clone_from(x);
        }
        // From where the key begins.
        for ((x0, x), at) in built.stage.bodies()[0].flesh.rest.iter().zip(x).zip(&begun) {
            let most = if x0.x <= -0.2 { &mut held } else { &mut others };
            *most = most.max(x.distance(*at));
        }
    });
    assert!(held < 0.015 && others > 2.0 * held, "held points move by {held} m, others by {others} m");
}

#[test]
fn copies_exchange_places_without_meeting() {
    let plan = r#"keys = [
        { frame = 1 },
        { frame = 30, copy = 1, at = [1.0, 1.0, 0.0] },
        { frame = 30, copy = 2, at = [-1.0, 1.0, 0.0] },
    ]"#;
    let text = scene(FEM, plan, "")
        .replace("flesh = {", "copies = { places = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]] }\nflesh = {");
    let project = Project::solved(&text);
    let mut nearest = f64::INFINITY;
    project.play(30, |frame, built, state| {
        let pairs = state.bodies[0].x.iter().flat_map(|a| state.bodies[1].x.iter().map(move |b| a.distance(*b)));
        nearest = pairs.fold(nearest, f64::min);
        if frame == 30 {
            assert!(centre(built, state, 0).distance(dvec3(1.0, 1.0, 0.0)) < 1e-6);
            assert!(centre(built, state, 1).distance(dvec3(-1.0, 1.0, 0.0)) < 1e-6);
        }
    });
    assert!(nearest > 0.01, "{nearest} m between their points");
}

#[test]
fn a_plan_is_the_same_on_any_number_of_threads_and_every_time() {
    let project = Project::new(&scene(FEM, LEAP, BALL));
    let [one, two, again] = [1, 2, 2].map(|threads| project.search(threads).unwrap().assets);
    assert!(one == two && two == again);
}

#[test]
fn what_is_not_solved_or_solved_for_something_else_says_so() {
    let told =
        |project: &Project| project.build().warnings.iter().map(|warning| warning.what.clone()).collect::<String>();
    let unsolved = Project::new(&scene(FEM, LEAP, BALL));
    assert!(told(&unsolved).contains("not solved"), "{}", told(&unsolved));
    let mut project = Project::solved(&scene(FEM, LEAP, BALL));
    assert_eq!(told(&project), "");
    let text = project.document.text();
    let same = text
        .replace("kind = \"plan\"", "kind = \"plan\"\nsecondary = 0.02")
        .replace("{ frame = 1 }", "{ frame = 1, name = \"a\" }");
    project.document = Document::parse(&same, "plan").unwrap();
    assert_eq!(told(&project), "", "how a plan is followed, and names, are none of its business");
    project.document = Document::parse(&same.replace("radius = 0.35", "radius = 0.4"), "plan").unwrap();
    assert!(told(&project).contains("solved for other"), "{}", told(&project));
}

#[test]
fn a_soft_plan_is_followed_with_a_lag_and_an_exact_one_is_not() {
    let off = |secondary: f64| {
        let plan = format!("secondary = {secondary:?}\n{LEAP}");
        Project::solved(&scene(FEM, &plan, "")).play(24, |_, _, _| {})
    };
    let (exact, soft) = (off(0.0), off(0.05));
    assert!(exact < 1e-3, "{exact} %");
    assert!((0.1..20.0).contains(&soft), "{soft} %");
}

/// What hangs on goals is pulled below them by g τ² unless they carry it.
#[test]
fn a_soft_plan_that_stands_still_settles_on_its_place() {
    let mut last = DVec3::ZERO;
    let plan = "secondary = 0.05\nkeys = [{ frame = 1 }, { frame = 30 }]";
    Project::solved(&scene(FEM, plan, "")).play(29, |_, built, state| last = centre(built, state, 0));
    assert!(last.distance(dvec3(-1.0, 1.0, 0.0)) < 1e-3, "{last}");
}

#[test]
fn a_pose_that_is_held_stands_still_all_the_while() {
    let plan = "keys = [{ frame = 1, to = 15, bend_deg = 50.0 }, { frame = 30, at = [0.0, 1.5, 0.0] }]";
    let (mut first, mut most) = (Vec::new(), 0.0f64);
    Project::solved(&scene(FEM, plan, "")).play(14, |frame, _, state| {
        if frame == 1 {
            first.clone_from(&state.bodies[0].x);
        }
        most = state.bodies[0].x.iter().zip(&first).map(|(x, at)| x.distance(*at)).fold(most, f64::max);
    });
    assert!(most < 1e-6, "{most} m");
}

#[test]
fn a_body_whose_plan_ends_at_the_first_frame_begins_with_its_velocity() {
    let plan =
        "parts = [[1, 1]]\nkeys = [{ frame = 1, velocity = [0.0, 3.0, 0.0] }, { frame = 20, at = [-1.0, 2.0, 0.0] }]";
    let mut height = 0.0;
    Project::solved(&scene(FEM, plan, "")).play(2, |_, built, state| height = centre(built, state, 0).y);
    assert!(height > 1.0 + 2.5 / 24.0, "{height}");
}

#[test]
fn a_plan_that_runs_into_something_says_so_whenever_it_is_built() {
    let plan = "keys = [{ frame = 1 }, { frame = 20, at = [0.0, 1.0, 0.0] }]";
    let mut project = Project::new(&scene(FEM, plan, BALL));
    let found = project.search(1).unwrap();
    assert!(found.notes.iter().any(|note| note.contains("mm inside something")), "{:?}", found.notes);
    found.store_assets(&Assets::of(project.folder.path())).unwrap();
    project.document.apply(&found.command).unwrap();
    let warnings = project.build().warnings;
    assert!(warnings.iter().any(|warning| warning.what.contains("not sound")), "{warnings:?}");
}

#[test]
fn what_cannot_be_planned_is_an_error_that_says_why() {
    let refused = |text: &str, wanted: &str| {
        let error = Project::new(text).search(1).unwrap_err();
        let all = format!("{error} {}", error.help().unwrap_or_default());
        assert!(all.contains(wanted), "{all}");
    };
    let no_plan =
        scene(FEM, LEAP, "").replace("kind = \"plan\"\nnodes = 16", "mute = true\nkind = \"plan\"\nnodes = 16");
    refused(&no_plan, "no body of the scene has a plan");
    refused(&scene(FEM, &format!("{LEAP}\nignore = [\"moon\"]"), BALL), "ball");
    let wrong = |plan: &str, wanted: &str| {
        let error = Document::parse(&scene(FEM, plan, ""), "plan").unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    };
    wrong("keys = [{ frame = 3 }, { frame = 3, at = [1.0, 1.0, 0.0] }]", "two poses");
    wrong("keys = [{ frame = 3, to = 9 }, { frame = 5, at = [1.0, 1.0, 0.0] }]", "two poses");
    wrong("keys = [{ frame = 3, to = 2 }]", "before it begins");
    wrong("keys = [{ frame = 3, on = \"hand\" }]", "no set called");
    wrong("keys = [{ frame = 3, copy = 2 }]", "has no copies");
    wrong("keys = [{ frame = 3, guess = true, velocity = [1.0, 0.0, 0.0] }]", "no constraint");
    wrong("parts = [[9, 4]]\nkeys = [{ frame = 3 }]", "before it begins");
    let sheet = scene(r#"{ kind = "springs" }"#, LEAP, "")
        .replace("flesh = { kind = \"tets\", vertices = 150 }", "flesh = { kind = \"shell\", vertices = 100 }")
        .replace("skin = { model = \"bar\", size = [0.6, 0.2, 0.2] }", "skin = { model = \"cloth\" }");
    let error = Document::parse(&sheet, "plan").unwrap_err().to_string();
    assert!(error.contains("this one is a sheet"), "{error}");
    let two = scene(FEM, LEAP, &format!("[[body.director]]\nname = \"other\"\nkind = \"plan\"\n{LEAP}"));
    let error = Document::parse(&two, "plan").unwrap_err().to_string();
    assert!(error.contains("two plans lead the body"), "{error}");
}
