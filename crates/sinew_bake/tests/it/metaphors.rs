//! Control metaphors on every solver: what they measure is what beams say, balanced ones neither drift nor spin, and frames before an edit stay.

use crate::fixtures::written::{FREE_BAR, built};
use crate::fixtures::{Bar, SIZE_M, centre, play, solvers};
use sinew_bake::{Method, Run, RunLimits, Staging, take_header};
use sinew_direct::metaphor::{Cylinders, Joint, Measured, Metaphor, Part, Widget, bend, compress, stretch, twist};
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{Curve, DVec3, Interpolation, Key, Number, Outside, dvec3};
use sinew_scene::Document;
use sinew_solve::shape_matching::ShapeMatchingParams;
use sinew_solve::{Cells, Flesh, StepReport, angular_momentum};
use std::path::Path;
use std::sync::Arc;

const CYLINDERS: Cylinders = Cylinders { near_m: 0.3, far_m: 0.6, radius_m: 0.2 };
const JOINT: Joint = Joint { angle_deg: 180.0, arm_m: 0.4, pivot_radius_m: 0.16, end_radius_m: 0.16 };

fn made(flesh: &Flesh, parts: Vec<Part>, newton: f64, measured: Measured) -> Metaphor {
    let widget = Widget::new(flesh, DVec3::ZERO, DVec3::X, DVec3::Y).unwrap();
    let mut metaphor = Metaphor::new(flesh, widget, parts, newton.into(), measured);
    metaphor.is_balanced = true;
    metaphor
}

fn value(report: &StepReport, name: &str) -> f64 {
    report.measures.iter().find(|m| m.director == "act" && m.name == name).unwrap().value
}

/// What a metaphor has come to after two seconds.
fn outcome(method: Method, parts: Vec<Part>, newton: f64, measured: Measured, name: &str) -> f64 {
    let bar = Bar::new(method);
    let metaphor = made(&bar.flesh(), parts, newton, measured);
    let mut stage = bar.directed_by("act", metaphor).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 47);
    value(stage.step(&mut state, &[]).unwrap(), name)
}

/// Half of the force is handed over within each region, so that the mean stress between their middles is 15/16 of F/A.
#[test]
fn a_stretch_is_what_hooke_says() {
    let young_pa = Bar::new(crate::fixtures::fem()).material.young_pa;
    let newton = 0.03 * young_pa * SIZE_M.y * SIZE_M.z;
    for (name, method) in solvers() {
        let pulled = outcome(method, stretch(CYLINDERS), newton, Measured::Stretch, "stretch");
        let pressed = outcome(method, compress(CYLINDERS), newton, Measured::Stretch, "stretch");
        println!("{name}: {pulled:.3} % {pressed:.3} %");
        if has_modulus(&method) {
            assert!((pulled / 2.8 - 1.0).abs() < 0.2, "{name}: {pulled} %");
        }
        assert!(pulled > 2.0 && (pressed / pulled + 1.0).abs() < 0.1, "{name}: {pulled} % {pressed} %");
    }
}

/// Twice the force is more of a bend, a negative one the same the other way, and solvers agree within a fifth.
#[test]
fn a_bend_grows_with_the_force_and_solvers_agree() {
    let young_pa = Bar::new(crate::fixtures::fem()).material.young_pa;
    let newton = 4.0e-3 * young_pa * SIZE_M.y * SIZE_M.z;
    let angles: Vec<(&str, f64)> = solvers()
        .into_iter()
        .map(|(name, method)| {
            let angle = |factor: f64| outcome(method, bend(JOINT), factor * newton, Measured::Bend, "bend");
            let (once, twice, back) = (angle(1.0), angle(2.0), angle(-1.0));
            println!("{name}: {once:.2}° {twice:.2}° {back:.2}°");
            assert!(
                twice > 1.5 * once && once > 0.5 && (once + back).abs() < 0.1 * once,
                "{name}: {once}° {twice}° {back}°"
            );
            (name, method, once)
        })
        .filter(|(_, method, _)| has_modulus(method))
        .map(|(name, _, once)| (name, once))
        .collect();
    let fem = angles[0].1;
    angles.iter().for_each(|(name, angle)| assert!((angle / fem - 1.0).abs() < 0.2, "{name}: {angle}° against {fem}°"));
}

/// Whether Young's modulus says how stiff a body is: shape matching is as stiff as its regions and iterations make it.
fn has_modulus(method: &Method) -> bool {
    !matches!(method, Method::ShapeMatching(_))
}

/// The right end turns by the right hand; the other way with a negative force.
#[test]
fn a_twist_has_the_sign_of_its_force() {
    let young_pa = Bar::new(crate::fixtures::fem()).material.young_pa;
    let newton = 0.03 * young_pa * SIZE_M.y * SIZE_M.z;
    for (name, method) in solvers() {
        let angle = |factor: f64| outcome(method, twist(CYLINDERS, false), factor * newton, Measured::Twist, "twist");
        let (once, back) = (angle(1.0), angle(-1.0));
        println!("{name}: {once:.2}° {back:.2}°");
        assert!(once > 1.0 && (once + back).abs() < 0.1 * once, "{name}: {once}° {back}°");
    }
}

/// A free body with an uneven bend off its axis stays where it is.
fn balanced_metaphors_do_not_move_the_body(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let widget = Widget::new(&flesh, dvec3(0.15, 0.05, 0.02), DVec3::X, DVec3::Y).unwrap();
    let mut metaphor = Metaphor::new(&flesh, widget, bend(JOINT), 20.0.into(), Measured::Bend);
    metaphor.is_balanced = true;
    let mut stage = bar.directed_by("act", metaphor).stage();
    let mut state = stage.first_state();
    let first = centre(&flesh, &state.bodies[0].x);
    play(&mut stage, &mut state, 48);
    let moved = centre(&flesh, &state.bodies[0].x).distance(first);
    assert!(moved < 1e-6, "{moved} m");
}

/// A press that makes the bar buckle, and lets it go: it comes to rest as it began, neither turned nor turning.
fn a_press_that_buckles_does_not_turn_the_body(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let widget = Widget::new(&flesh, dvec3(0.0, 0.01, 0.02), DVec3::X, DVec3::Y).unwrap();
    let share = if has_modulus(&method) { 0.12 } else { 0.03 };
    let newton = share * bar.material.young_pa * SIZE_M.y * SIZE_M.z;
    let keys = [(1.0, 0.0), (16.0, newton), (30.0, newton), (40.0, 0.0)];
    let key = |(at, value): (f64, f64)| Key { at, value, to_next: Interpolation::Linear };
    let curve = Curve::new(keys.map(key).to_vec(), Outside::Zero).unwrap();
    let mut metaphor = Metaphor::new(&flesh, widget, compress(CYLINDERS), Number::Curve(curve), Measured::Compression);
    metaphor.is_balanced = true;
    let mut stage = bar.directed_by("act", metaphor).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 90);
    let turn = best_fit_rotation(&flesh.rest, &state.bodies[0].x, &flesh.mass_kg);
    let degrees = turn.to_axis_angle().1.to_degrees();
    println!("{degrees:.3}°");
    assert!(degrees < 3.0, "{degrees}°");
}

/// A bar that tumbles any way, stretched, pressed, twisted or bent while it does: balanced forces leave its angular momentum as it is. They act at arms
/// of the solver's own ([`sinew_solve::Seen::force_arm`]).
fn balanced_metaphors_keep_the_spin_of_a_tumbling_body(method: Method) {
    let mut seed = 14u64;
    let mut between = |low: f64, high: f64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let acts = [
        (stretch(CYLINDERS), 0.06),
        (compress(CYLINDERS), 0.03),
        (twist(CYLINDERS, false), 0.03),
        (bend(JOINT), 4e-3),
        (bend(JOINT), 2.4e-2),
    ];
    for (parts, share) in acts.iter().chain(&acts) {
        let bar = Bar::new(method);
        let flesh = bar.flesh();
        let way = DVec3::from_array([(); 3].map(|()| between(-1.0, 1.0)));
        let spin = way.normalize() * between(3.0, 9.0);
        let up = dvec3(0.0, 1.0, between(-1.0, 1.0));
        let widget = Widget::new(&flesh, dvec3(0.02, 0.01, 0.0), DVec3::X, up).unwrap();
        let newton = share * bar.material.young_pa * SIZE_M.y * SIZE_M.z * between(0.5, 1.0);
        let key = |(at, value): (f64, f64)| Key { at, value, to_next: Interpolation::Linear };
        let keys = [(3.0, 0.0), (8.0, newton), (16.0, newton), (22.0, 0.0)].map(key).to_vec();
        let curve = Number::Curve(Curve::new(keys, Outside::Zero).unwrap());
        let mut metaphor = Metaphor::new(&flesh, widget, parts.clone(), curve, Measured::Nothing);
        metaphor.is_balanced = true;
        let mut stage = bar.directed_by("act", metaphor).stage();
        let mut state = stage.first_state();
        let middle = centre(&flesh, &flesh.rest);
        state.bodies[0].v = flesh.rest.iter().map(|x| spin.cross(*x - middle)).collect();
        play(&mut stage, &mut state, 1);
        let first = angular_momentum(&flesh.mass_kg, &state.bodies[0]);
        play(&mut stage, &mut state, 27);
        let change = (angular_momentum(&flesh.mass_kg, &state.bodies[0]) - first).length() / first.length();
        println!("{:.1} rad/s, {newton:.0} N: {:.4} %", spin.length(), 100.0 * change);
        assert!(change < 1e-4, "spin {spin}, {newton} N: {change}");
    }
}

every_solver!(shape_matching fem fem_midpoint fem_descent springs adaptive_springs => [
    balanced_metaphors_do_not_move_the_body
    balanced_metaphors_keep_the_spin_of_a_tumbling_body
    a_press_that_buckles_does_not_turn_the_body
]);

/// Shape matching is as stiff as its regions, passes and steps make it: a stretch comes to what its own modulus says, to a third, at any number of
/// iterations.
#[test]
fn shape_matching_has_the_modulus_of_its_regions() {
    for iterations in [1, 2, 4] {
        let params = ShapeMatchingParams { iterations, ..Default::default() };
        let bar = Bar::new(Method::ShapeMatching(params));
        let young_pa = params.young_pa(&bar.flesh(), bar.material.density_kg_m3, crate::fixtures::clock().secs(1, 0.0));
        let newton = 0.03 * young_pa * SIZE_M.y * SIZE_M.z;
        let method = Method::ShapeMatching(params);
        let pulled = outcome(method, stretch(CYLINDERS), newton, Measured::Stretch, "stretch");
        println!("{iterations}: {young_pa:.0} Pa, {pulled:.2} %");
        assert!((pulled / 2.8 - 1.0).abs() < 0.35, "{iterations} iterations: {pulled} % by a modulus of {young_pa} Pa");
    }
}

fn with(director: &str) -> sinew_bake::Built {
    built(&format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{director}"), 1).0
}

/// Written in a scene: empty regions, uneven ones and forces that nothing bears are warned of, by the director's name.
#[test]
fn scenes_say_what_is_wrong_with_a_metaphor() {
    let warned = |director: &str| -> Vec<String> {
        with(director).warnings.iter().map(|warning| format!("{}: {}", warning.at, warning.what)).collect()
    };
    assert_eq!(warned("act = { stretch = { far = 0.5, radius = 0.3 } }\nnewton = 5.0"), [""; 0]);
    let empty = warned("act = { twist = { near = 2.0, far = 3.0, radius = 0.3 } }\nnewton = 5.0");
    assert!(
        empty.len() == 2 && empty[0].starts_with("body.bar.director[0]: ") && empty[0].contains("holds no point"),
        "{empty:?}"
    );
    let off = "name = \"nod\"\nat = [0.25, 0.0, 0.0]\nact = { bend = { arm = 0.2, radius = 0.12, pivot_radius = 0.3 } }\nnewton = 5.0";
    assert_eq!(warned(off), [""; 0]);
    let strong = warned("act = { stretch = { far = 0.5, radius = 0.3 } }\nnewton = 1e9\nbounded = false");
    assert!(strong.len() == 1 && strong[0].contains("bears"), "{strong:?}");
}

/// Sheets and lattices of springs, sheets of shape matching: a bend bends them too, by as much either way, and they stay where they are (CM-1).
#[test]
fn sheets_and_lattices_are_bent_too() {
    let bodies = [
        (
            "skin = { model = \"cloth\", size = [1.0, 0.4] }",
            "{ kind = \"shell\", vertices = 300 }",
            "{ kind = \"springs\", bend = 0.5 }",
            0.3,
        ),
        (
            "skin = { model = \"cloth\", size = [1.0, 0.4] }",
            "{ kind = \"shell\", vertices = 300 }",
            "{ kind = \"shape_matching\" }",
            0.3,
        ),
        (
            "skin = { model = \"bar\", size = [1.0, 0.2, 0.2] }",
            "{ kind = \"lattice\", size = [11, 3, 3] }",
            "{ kind = \"springs\" }",
            20.0,
        ),
        (
            "skin = { model = \"bar\", size = [1.0, 0.2, 0.2] }",
            "{ kind = \"lattice\", size = [11, 3, 3] }",
            "{ kind = \"springs\", method = \"adaptive\" }",
            20.0,
        ),
    ];
    for (skin, flesh, solver, newton) in bodies {
        let outcome = |newton: f64| {
            let text = format!(
                "sinew = 1\n[scene]\nframes = [1, 48]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"body\"\n{skin}\n\
                 material = {{ preset = \"rubber\", young_pa = 1.0e5, damping = \"heavy\" }}\nflesh = {flesh}\nsolver = {solver}\n\
                 [[body.director]]\nname = \"act\"\nkind = \"metaphor\"\nact = {{ bend = {{ arm = 0.4, radius = 0.25 }} }}\nnewton = {newton:?}\n"
            );
            let (mut built, mut state) = built(&text, 1);
            let flesh = built.stage.bodies()[0].flesh.clone();
            let first = centre(&flesh, &state.bodies[0].x);
            play(&mut built.stage, &mut state, 47);
            let bend = value(built.stage.step(&mut state, &[]).unwrap(), "bend");
            (bend, centre(&flesh, &state.bodies[0].x).distance(first))
        };
        let ((up, moved), (down, _)) = (outcome(newton), outcome(-newton));
        println!("{flesh} {solver}: {up:.1}° {down:.1}°, {moved:.1e} m");
        assert!(up > 3.0 && (up + down).abs() < 0.1 * up, "{flesh} {solver}: {up}° {down}°");
        assert!(moved < 1e-4, "{flesh} {solver}: {moved} m");
    }
}

/// A metaphor is put on an animation that is there already, at any of its frames: those before it are the same bytes, and it acts from
/// there on (CM-3). What was kept before it was there is another take.
#[test]
fn a_metaphor_joins_an_animation_at_any_frame() {
    let falls = FREE_BAR.replace("gravity = [0.0, 0.0, 0.0]", "gravity = [0.0, -1.0, 0.0]");
    let joined = format!(
        "{falls}\n[[body.director]]\nname = \"act\"\nkind = \"metaphor\"\nact = {{ bend = {{ arm = 0.4, radius = 0.16 }} }}\n\
         newton = {{ keys = [[1, 20.0], [48, 20.0]], outside = \"zero\" }}\n"
    );
    let staged = |text: &str| {
        let (built, _) = built(text, 1);
        let made_of = Arc::new(take_header(&built.stage, &built.mesh_hashes, text));
        let outline = Some(Arc::new(built.stage.outline()));
        (built, Staging { made_of, outline })
    };
    let frames = |at: Option<i32>| {
        let (mut now, staging) = staged(&falls);
        let mut run = Run::begin(staging, 1, now.stage.first_state(), RunLimits { state_bytes: 1 << 30 });
        let mut states = vec![run.state().clone()];
        for frame in 1..30 {
            if Some(frame) == at {
                let (edited, staging) = staged(&joined);
                assert_eq!(run.edit(frame, staging, &edited.stage), Some(frame));
                now = edited;
            }
            run.step_frame(&mut now.stage).unwrap();
            states.push(run.state().clone());
        }
        states
    };
    let plain = frames(None);
    for at in [1, 7, 20] {
        let with = frames(Some(at));
        let same = plain.iter().zip(&with).take_while(|(a, b)| a.bodies == b.bodies).count();
        assert_eq!(same, at as usize, "frames up to {at} are as they were, and the next is not");
        let flesh = built(&joined, 1).0.stage.bodies()[0].flesh.clone();
        let raised = |state: &sinew_solve::StageState| {
            let far = flesh.rest.iter().zip(&state.bodies[0].x).filter(|(rest, _)| rest.x.abs() > 0.45);
            far.map(|(_, x)| x.y).sum::<f64>()
        };
        assert!(raised(&with[29]) > raised(&plain[29]) + 0.01, "{at}: it bends from there on");
    }
}

/// Placed in the body's own frame, a metaphor is where it is in rest coordinates on a body that lies along x, and goes with one whose
/// rest shape is turned (CM-4).
#[test]
fn the_principal_frame_goes_with_the_rest_shape() {
    let bend = |skin: &str, more: &str| {
        let text = format!(
            "{}\n[[body.director]]\nname = \"act\"\nkind = \"metaphor\"\nact = {{ bend = {{ arm = 0.3, radius = 0.16 }} }}\nnewton = 20.0\n{more}",
            FREE_BAR
                .replace("{ model = \"bar\", size = [1.0, 0.2, 0.2] }", skin)
                .replace("\"tets\", vertices = 200", "\"tets\", vertices = 400")
        );
        let (mut built, mut state) = built(&text, 1);
        assert_eq!(built.warnings.iter().map(|warning| &warning.what).collect::<Vec<_>>(), [""; 0]);
        play(&mut built.stage, &mut state, 23);
        value(built.stage.step(&mut state, &[]).unwrap(), "bend")
    };
    let along_x = "{ model = \"bar\", size = [1.0, 0.2, 0.14] }";
    let along_z = "{ model = \"bar\", size = [0.2, 0.14, 1.0] }";
    let told = bend(along_x, "at = [0.1, 0.0, 0.0]\n");
    let own = bend(along_x, "frame = \"principal\"\nat = [0.1, 0.0, 0.0]\n");
    let turned = bend(along_z, "frame = \"principal\"\nat = [0.1, 0.0, 0.0]\n");
    println!("{told:.3}° {own:.3}° {turned:.3}°");
    assert!(told > 3.0 && (own / told - 1.0).abs() < 1e-6, "{told} {own}");
    assert!((turned / told - 1.0).abs() < 0.1, "{told} {turned}");
}

/// Regions painted with strokes and fields of arrows make a metaphor of one's own: two painted ends are pushed up, the middle down.
#[test]
fn painted_regions_and_fields_make_new_metaphors() {
    let text = format!(
        "{FREE_BAR}sets = {{ ends = {{ strokes = [[[-0.45, 0.0, 0.0]], [[0.45, -0.05, 0.0], [0.45, 0.05, 0.0]]], radius = 0.13 }}, middle = {{ box = {{ min = [-0.1, -1.0, -1.0], max = [0.1, 1.0, 1.0] }} }} }}\n\
         [[body.director]]\nname = \"act\"\nkind = \"metaphor\"\nnewton = 30.0\n\
         act = {{ custom = [{{ region = {{ set = \"ends\" }}, push = {{ field = [{{ at = [-0.5, 0.0, 0.0], push = [0.0, 1.0, 0.0] }}, {{ at = [0.5, 0.0, 0.0], push = [0.0, 1.0, 0.0] }}] }} }}, \
         {{ region = {{ set = \"middle\" }}, push = {{ along = [0.0, -1.0, 0.0] }} }}] }}\n"
    );
    let (mut built, mut state) = built(&text, 1);
    let flesh = built.stage.bodies()[0].flesh.clone();
    play(&mut built.stage, &mut state, 48);
    let height = |low: f64, high: f64| {
        let some: Vec<f64> = flesh
            .rest
            .iter()
            .zip(&state.bodies[0].x)
            .filter(|(rest, _)| (low..high).contains(&rest.x.abs()))
            .map(|(_, x)| x.y)
            .collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    assert!(height(0.4, 0.6) > 0.01 && height(0.0, 0.1) < -0.003, "{} {}", height(0.4, 0.6), height(0.0, 0.1));
    let none = FREE_BAR
        .replace("[[body]]", "[[body]]\nsets = { lost = { strokes = [[[9.0, 9.0, 9.0]]], radius = 0.1 } }")
        + "[[body.director]]\nkind = \"metaphor\"\nact = { custom = [{ region = { set = \"lost\" }, push = { away = 1.0 } }] }\n";
    let scene = sinew_scene::Scene::from_toml(&none, "none").unwrap();
    let error = sinew_bake::build(&scene, Path::new("."), 1).err().unwrap().to_string();
    assert!(error.contains("no vertex of the flesh lies in this set"), "{error}");
}

/// Curves that repeat and curves that swing act as they are written: the measured force is the curve's.
#[test]
fn cyclic_and_wiggly_curves_push_as_written() {
    for curve in [
        "{ keys = [[0, 0.0], [4, 6.0], [8, -3.0]], outside = { cycle = 12 } }",
        "{ keys = [[1, 0.0], [12, 5.0]], wiggle = { period = 7, damping = 0.1 } }",
    ] {
        let director = format!("name = \"act\"\nact = {{ twist = {{ far = 0.5, radius = 0.3 }} }}\nnewton = {curve}");
        let text = format!("{FREE_BAR}\n[[body.director]]\nkind = \"metaphor\"\n{director}");
        let scene = sinew_scene::Scene::from_toml(&text, "curve").unwrap();
        let sinew_scene::Direction::Metaphor(metaphor) = &scene.bodies[0].directors[0].direction else {
            panic!("a metaphor")
        };
        let mut stage = with(&director).stage;
        let mut state = stage.first_state();
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for frame in 2..=48 {
            while state.tick + 1 < stage.clock().tick_of(frame) {
                stage.step(&mut state, &[]).unwrap();
            }
            let force = value(stage.step(&mut state, &[]).unwrap(), "force");
            assert!((force - metaphor.newton.value(f64::from(frame))).abs() < 1e-9, "{frame}: {force}");
            (low, high) = (low.min(force), high.max(force));
        }
        assert!(low < -1.0 && high > 4.0, "{curve}: {low} to {high}");
    }
}

/// What cannot do anything, or does not do what is written, is told with the director's place: by the scene where it never can, else by a warning.
#[test]
fn metaphors_that_do_nothing_are_told() {
    let of = |director: &str| format!("{FREE_BAR}\n[[body.director]]\nname = \"act\"\nkind = \"metaphor\"\n{director}");
    let cylinder = "region = { cylinder = { from = 0.1, to = 0.4, radius = 0.2 } }";
    let errors = [
        ("act = { custom = [] }".to_owned(), "expected"),
        (format!("act = {{ custom = [{{ {cylinder}, push = {{ along = [0.0, 0.0, 0.0] }} }}] }}"), "moves nothing"),
        (format!("act = {{ custom = [{{ {cylinder}, push = {{ away = 0.0 }} }}] }}"), "moves nothing"),
        ("act = { bend = { arm = 0.0, radius = 0.12 } }".to_owned(), "without an arm"),
        (
            "act = { bend = { arm = 0.1, radius = 0.12 }, stretch = { far = 0.4, radius = 0.2 } }".to_owned(),
            "cannot stand beside",
        ),
    ];
    for (director, why) in errors {
        let error = Document::parse(&of(&format!("{director}\nnewton = 5.0")), "none").unwrap_err().to_string();
        assert!(error.contains(why), "{director}: {error}");
    }
    let all = "act = { custom = [{ region = { set = \"all\" }, push = { along = [1.0, 0.0, 0.0] } }] }\nnewton = 5.0";
    let stretch = "act = { stretch = { near = 0.1, far = 0.4, radius = 0.2 } }";
    let goal = "goal = { amount = 5.0, from = 100, at = 200 }";
    let past = "goal = { amount = 5.0, from = -50, at = -20, hold = 4 }";
    let warnings = [
        (all.to_owned(), "nothing is left"),
        (format!("{stretch}\n{goal}"), "after the shot ends at 48"),
        (format!("{stretch}\n{past}"), "before the shot begins at 1"),
        (format!("{stretch}\nnewton = 1e12"), "more than the material bears there: no more than"),
        (format!("{stretch}\nnewton = 1.0\nweight = 1e12"), "more than the material bears there: no more than"),
        (format!("{stretch}\nnewton = 1e9\npaper = true"), "more than the material bears"),
        (format!("{stretch}\nnewton = 1.0\npaper = true\nbalanced = true"), "`balanced = true` has no effect"),
    ];
    for (director, what) in warnings {
        let told = built(&of(&director), 1).0.warnings;
        assert!(
            told.iter().any(|warning| warning.at == "body.bar.director.act" && warning.what.contains(what)),
            "{director}: {told:?}"
        );
        assert!(!director.contains("paper") || told.iter().all(|warning| warning.help.contains("`paper`")), "{told:?}");
    }
    let quiet = [format!("{stretch}\nnewton = 10.0"), format!("{stretch}\nnewton = 0.1\npaper = true")];
    quiet.iter().for_each(|director| assert!(built(&of(director), 1).0.warnings.is_empty(), "{director}"));
}

/// As strong as it may be, for a second and more, at any size: no tetrahedron turns inside out. Springs have nothing against it, and are bounded by less.
#[test]
fn bounded_metaphors_leave_flesh_the_right_way_round() {
    let solvers = [
        "{ kind = \"fem\" }",
        "{ kind = \"fem\", method = \"descent\" }",
        "{ kind = \"springs\" }",
        "{ kind = \"shape_matching\" }",
    ];
    let mut wrong = Vec::new();
    for (size, solver) in [1.0, 1e-3].into_iter().flat_map(|size| solvers.map(|solver| (size, solver))) {
        let [near, far, radius, arm] = [0.1, 0.4, 0.2, 0.35].map(|length| length * size);
        let cylinders = format!("{{ near = {near:?}, far = {far:?}, radius = {radius:?} }}");
        let acts = [
            format!("{{ stretch = {cylinders} }}"),
            format!("{{ compress = {cylinders} }}"),
            format!("{{ twist = {cylinders} }}"),
            format!("{{ bend = {{ arm = {arm:?}, radius = {:?} }} }}", 0.12 * size),
        ];
        for act in acts {
            let text = format!(
                "sinew = 1\n[scene]\nframes = [1, 30]\nsubsteps = 4\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"b\"\n\
                 skin = {{ model = \"cylinder\", radius = {:?}, height = {size:?} }}\n\
                 material = {{ preset = \"rubber\", young_pa = 1.0e5, poisson = 0.3, damping = \"heavy\" }}\n\
                 flesh = {{ kind = \"tets\", vertices = 150 }}\nsolver = {solver}\n\
                 [[body.director]]\nname = \"m\"\nkind = \"metaphor\"\nalong = [0.0, 1.0, 0.0]\nup = [1.0, 0.0, 0.0]\nact = {act}\nnewton = 1e12\n",
                0.1 * size
            );
            let (mut built, mut state) = built(&text, 1);
            let flesh = built.stage.bodies()[0].flesh.clone();
            let mut worst = 0;
            for _ in 0..29 {
                play(&mut built.stage, &mut state, 1);
                worst = worst.max(inverted(&flesh, &state.bodies[0].x));
            }
            println!("{size} m, {solver}, {act}: {worst} inverted");
            if worst > 0 {
                wrong.push(format!("{size} m, {solver}, {act}: {worst}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tetrahedra that are inside out.
fn inverted(flesh: &Flesh, x: &[DVec3]) -> usize {
    let Cells::Tets(tets) = &flesh.cells else { return 0 };
    let volume = |tet: &[u32; 4], x: &[DVec3]| {
        let [a, b, c, d] = tet.map(|corner| x[corner as usize]);
        (b - a).cross(c - a).dot(d - a)
    };
    tets.iter().filter(|tet| volume(tet, x) * volume(tet, &flesh.rest) <= 0.0).count()
}

/// In paper mode a widget in the middle of a body that is the same on both sides does not move it: faces of regions lie on layers of points.
#[test]
fn a_symmetric_paper_widget_does_not_drift() {
    let text = "sinew = 1\n[scene]\nframes = [1, 30]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"b\"\n\
        skin = { model = \"cylinder\", radius = 0.1, height = 1.0 }\n\
        material = { preset = \"rubber\", young_pa = 1.0e5, poisson = 0.3, damping = \"heavy\" }\n\
        flesh = { kind = \"tets\", vertices = 150 }\nsolver = { kind = \"fem\" }\n\
        [[body.director]]\nname = \"m\"\nkind = \"metaphor\"\nalong = [0.0, 1.0, 0.0]\nup = [1.0, 0.0, 0.0]\n\
        act = { stretch = { near = 0.1, far = 0.4, radius = 0.2 } }\nnewton = 1.0\npaper = true\n";
    let (mut built, mut state) = built(text, 1);
    let flesh = built.stage.bodies()[0].flesh.clone();
    let first = centre(&flesh, &state.bodies[0].x);
    play(&mut built.stage, &mut state, 29);
    let moved = centre(&flesh, &state.bodies[0].x).distance(first);
    assert!(moved < 1e-6, "{moved} m");
}

/// A weight that lifts a bounded force over what the material bears is told.
#[test]
fn a_weight_beyond_the_bound_is_warned_of() {
    let warned = |more: &str| {
        let act = "act = { stretch = { near = 0.3, far = 0.6, radius = 0.2 } }\nnewton = 1.0";
        let text = format!("{FREE_BAR}\n[[body.director]]\nname = \"act\"\nkind = \"metaphor\"\n{act}\n{more}");
        let scene = Document::parse(&text, "weight").unwrap().scene().clone();
        let built = sinew_bake::build(&scene, Path::new("."), 1).unwrap();
        built.warnings.iter().any(|warning| warning.what.contains("more than the material bears"))
    };
    assert!(warned("weight = 1e6") && !warned("weight = 1.0") && !warned(""));
}

/// Slender bars whose section is two or three cells wide, meshed coarsely and finely: springs and finite elements of the same material are stretched by as much,
/// to a tenth, and bent by as much, to a quarter: elements two cells wide bend too stiffly by that, and springs less so.
#[test]
fn springs_give_way_as_finite_elements_do_on_any_mesh() {
    let acts = [
        ("{ stretch = { near = 0.3, far = 0.5, radius = 0.2 } }", "stretch", 20.0),
        ("{ bend = { arm = 0.4, radius = 0.12 } }", "bend", 2.5),
    ];
    let mut wrong = Vec::new();
    for (skin, vertices) in [("bar", 120), ("bar", 200), ("bar", 320), ("cylinder", 150), ("cylinder", 290)] {
        for (act, name, newton) in acts {
            let outcome = |solver: &str| {
                let shape = match skin {
                    "bar" => "{ model = \"bar\", size = [1.0, 0.14, 0.14] }",
                    _ => "{ model = \"cylinder\", radius = 0.08, height = 1.0 }",
                };
                let along = if skin == "bar" { "[1.0, 0.0, 0.0]" } else { "[0.0, 1.0, 0.0]" };
                let text = format!(
                    "sinew = 1\n[scene]\nframes = [1, 60]\ngravity = [0.0, 0.0, 0.0]\n[[body]]\nname = \"b\"\nskin = {shape}\n\
                     material = {{ preset = \"rubber\", young_pa = 1.0e5, poisson = 0.3, damping = \"heavy\" }}\n\
                     flesh = {{ kind = \"tets\", vertices = {vertices} }}\nsolver = {solver}\n\
                     [[body.director]]\nname = \"act\"\nkind = \"metaphor\"\nalong = {along}\nup = [0.0, 0.0, 1.0]\nact = {act}\nnewton = {newton:?}\n"
                );
                let (mut built, mut state) = built(&text, 1);
                play(&mut built.stage, &mut state, 58);
                value(built.stage.step(&mut state, &[]).unwrap(), name)
            };
            let (fem, springs) = (outcome("{ kind = \"fem\" }"), outcome("{ kind = \"springs\" }"));
            println!("{skin} {vertices}: {name} {fem:.3} {springs:.3}, {:.3}", springs / fem);
            let most_off = if name == "stretch" { 0.1 } else { 0.25 };
            if !(fem > 0.5 && (springs / fem - 1.0).abs() < most_off) {
                wrong.push(format!("{skin} {vertices}: {name} {fem:.3} {springs:.3}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
