//! Key shapes and paths on the stage: what keyed bodies do, in numbers.

use crate::fixtures::{Bar, centre, play};
use sinew_bake::assets::Assets;
use sinew_bake::keys::{KeySamples, KeyedBody, NewKey, key_command};
use sinew_bake::{BuildError, Method, Stage, build};
use sinew_direct::key_shapes::{Between, KeyShape, KeyShapes, ShapeCells};
use sinew_direct::{Gravity, Path, PathTurn, ShapeFormula, Track3};
use sinew_math::rotation::best_fit_rotation;
use sinew_math::{Curve, DMat3, DQuat, DVec3, Number, Outside, RotationCurve, dvec3};
use sinew_scene::{Document, Scene, builtin};
use sinew_solve::{Flesh, StageState, body_motion};
use std::path::Path as FilePath;
use std::sync::Arc;

every_solver! {
    shape_matching fem fem_descent springs adaptive_springs =>
    [a_path_is_met_exactly silent_keys_change_no_bit a_keyed_body_bends_to_its_key a_thousand_frames_do_not_drift]
}

fn gravity() -> Gravity {
    Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) }
}

fn bent_keys(flesh: &Flesh) -> KeyShapes {
    let cells = Arc::new(ShapeCells::new(flesh).unwrap());
    let shape = ShapeFormula { bend_deg: 60.0, ..ShapeFormula::REST }.shape(&flesh.rest);
    let bent = Some(Arc::new(cells.without_rigid_motion(&shape)));
    let key = |frame: f64, shape| KeyShape { frame, shape, rest: None, lead: 0.0 };
    KeyShapes::new(cells, vec![key(1.0, None), key(13.0, bent)], Between::Rigid)
}

/// DA-14 to 1e-12: centre and velocity are the path's, and so is the turn, while a keyed shape bends and gravity pulls.
fn a_path_is_met_exactly(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let ramp = |to: f64| Number::Curve(Curve::linear(&[(1.0, 0.0), (25.0, to)], Outside::Hold).unwrap());
    let about = |angle: f64| DQuat::from_axis_angle(dvec3(1.0, -2.0, 0.5).normalize(), angle);
    let curve = RotationCurve::new(&[(1.0, DQuat::IDENTITY), (4.0, about(0.3)), (25.0, about(2.6))]).unwrap();
    let path = Path {
        at: Track3([ramp(2.4), ramp(-1.2), 0.0.into()]),
        turn: Some(PathTurn::Curve(curve.clone())),
        strength: 1.0.into(),
        yields_to_contact: true,
        mean_rotation: false,
    };
    let keys = bent_keys(&flesh);
    let rest = bent_keys(&flesh);
    let bar = bar.directed_by("gravity", gravity()).directed_by("shape", keys).directed_by("way", path);
    let mut stage = bar.stage();
    let mut state = stage.first_state();
    for frame in 2..=20 {
        play(&mut stage, &mut state, 1);
        let body = &state.bodies[0];
        let along = f64::from(frame - 1) / 24.0;
        assert!(centre(&flesh, &body.x).distance(dvec3(2.4, -1.2, 0.0) * along) < 1e-12, "frame {frame}");
        assert!(centre(&flesh, &body.v).distance(dvec3(2.4, -1.2, 0.0)) < 1e-12, "frame {frame}");
        // R(t) is the best fit of the rest shape in force.
        let o = rest.rest_shape(f64::from(frame));
        let turn = DMat3::from_quat(best_fit_rotation(&o, &body.x, &flesh.mass_kg));
        let wished = DMat3::from_quat(curve.turn(f64::from(frame)));
        let off = (turn - wished).to_cols_array().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        assert!(off < 1e-11, "frame {frame}: {off:e}");
        // It spins as the curve turns (DA-15): 24 frames a second, by central differences.
        let [before, after] = [-1e-4, 1e-4].map(|by: f64| curve.turn(f64::from(frame) + by));
        let spin = (after * before.inverse()).to_scaled_axis() * (24.0 / 2e-4);
        let found = body_motion(&flesh, &o, body).spin;
        assert!(found.distance(spin) < 1e-5 && spin.length() > 0.5, "frame {frame}: {found} instead of {spin}");
    }
}

fn silent_keys_change_no_bit(method: Method) {
    let end = |keyed: bool| {
        let mut bar = Bar::new(method);
        bar.velocity = dvec3(0.5, 1.0, 0.0);
        let flesh = bar.flesh();
        let mut bar = bar.directed_by("gravity", gravity()).directed_by("shape", bent_keys(&flesh));
        bar.directors[1].weight = 0.0.into();
        if !keyed {
            bar.directors.pop();
        }
        let mut stage = bar.stage();
        let mut state = stage.first_state();
        play(&mut stage, &mut state, 12);
        state.bodies
    };
    assert_eq!(end(true), end(false));
}

/// A second after its key the bar is bent as it should be, within 2 % of its size, wherever it swings.
fn a_keyed_body_bends_to_its_key(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let mut stage = bar.directed_by("shape", bent_keys(&flesh)).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 36);
    let residual = measured(&mut stage, &mut state, "residual");
    assert!(residual < 2.0, "{residual} %");
}

/// To and fro on its path, bent and straight every second: after 40 of them it is where and as it was after 10.
fn a_thousand_frames_do_not_drift(method: Method) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let cells = Arc::new(ShapeCells::new(&flesh).unwrap());
    let shape = ShapeFormula { bend_deg: 40.0, ..ShapeFormula::REST }.shape(&flesh.rest);
    let bent = Arc::new(cells.without_rigid_motion(&shape));
    let beat = |number: u32| (f64::from(1 + 12 * number), number % 2 == 1);
    let key =
        |(frame, is_bent): (f64, bool)| KeyShape { frame, shape: is_bent.then(|| bent.clone()), rest: None, lead: 0.0 };
    let keys = KeyShapes::new(cells, (0..84).map(|number| key(beat(number))).collect(), Between::Rigid);
    let places: Vec<(f64, f64)> =
        (0..84).map(beat).map(|(frame, is_away)| (frame, if is_away { 0.3 } else { 0.0 })).collect();
    let path = Path {
        at: Track3([Number::Curve(Curve::linear(&places, Outside::Hold).unwrap()), 0.0.into(), 0.0.into()]),
        turn: Some(PathTurn::Curve(RotationCurve::new(&[(1.0, DQuat::IDENTITY)]).unwrap())),
        strength: 1.0.into(),
        yields_to_contact: true,
        mean_rotation: false,
    };
    let bar = bar.directed_by("gravity", gravity()).directed_by("shape", keys).directed_by("way", path);
    let mut stage = bar.stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 240);
    let early = state.bodies[0].x.clone();
    play(&mut stage, &mut state, 24 * 31);
    let late = &state.bodies[0].x;
    assert!(centre(&flesh, late).length() < 1e-11, "{}", centre(&flesh, late));
    let apart = early.iter().zip(late).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(apart < 1e-3 * flesh.size_m(), "{apart} m");
}

fn measured(stage: &mut Stage, state: &mut StageState, name: &str) -> f64 {
    let report = stage.step(state, &[]).unwrap();
    report.measures.iter().find(|measure| measure.name == name).unwrap().value
}

/// A bar on a path through another one, which is held at its end: yielding, it stays outside; pushing, it goes where it is led.
#[test]
fn a_path_yields_to_another_body_or_pushes_it() {
    let text = |rule: &str| {
        format!(
            r#"
sinew = 1
[scene]
frames = [1, 48]
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "led"
skin = {{ model = "bar", size = [0.3, 0.3, 0.3] }}
at = [-0.6, 0.0, 0.0]
flesh = {{ kind = "tets", vertices = 64 }}
solver = {{ kind = "fem" }}
[[body.director]]
name = "way"
kind = "path"
at = [[[1, -0.6], [36, 0.0]], 0.0, 0.0]
turn = [0.0, 0.0, 0.0]
contact = "{rule}"
[[body]]
name = "wall"
skin = {{ model = "bar", size = [0.3, 0.6, 0.6] }}
material = {{ young_pa = 5.0e6 }}
flesh = {{ kind = "tets", vertices = 120 }}
solver = {{ kind = "fem" }}
sets = {{ back = {{ side = "x", within = 0.2 }} }}
[[body.director]]
name = "hold"
kind = "pin"
on = "back"
"#
        )
    };
    let led_to = |rule: &str| {
        let scene = Scene::from_toml(&text(rule), "led").unwrap();
        let mut stage = build(&scene, FilePath::new("."), 1).unwrap().stage;
        let mut state = stage.first_state();
        let mut low: f64 = 0.0;
        for _ in 0..40 * stage.clock().substeps {
            stage.step(&mut state, &[]).unwrap();
            let number = stage.bodies().iter().position(|body| body.name == "led").unwrap();
            low = centre(&stage.bodies()[number].flesh, &state.bodies[number].x).x;
        }
        low
    };
    // Its front is 0.15 m ahead of its centre, the wall's at −0.15 m.
    let yielding = led_to("wins");
    assert!((-0.33..=-0.2).contains(&yielding), "its centre is at {yielding}");
    let pushing = led_to("yields");
    assert!(pushing.abs() < 1e-9, "its centre is at {pushing}");
}

/// Bodies of built-in scenes, by frame.
fn performed(name: &str, told: impl FnMut(i32, &Stage, &StageState)) {
    let scene = Scene::from_toml(builtin::find(name).unwrap().toml, name).unwrap();
    play_scene(name, &scene, told);
}

fn play_scene(name: &str, scene: &Scene, mut told: impl FnMut(i32, &Stage, &StageState)) {
    let mut stage = build(scene, FilePath::new("."), 2).unwrap().stage;
    let mut state = stage.first_state();
    let (first, last) = (stage.clock().first_frame, stage.clock().last_frame);
    for frame in first + 1..=last {
        for _ in 0..stage.clock().substeps {
            let report = stage.step(&mut state, &[]).unwrap();
            assert!(report.warnings.is_empty(), "{name}, frame {frame}: {:?}", report.warnings);
        }
        told(frame, &stage, &state);
    }
}

fn height(state: &StageState, body: usize) -> (f64, f64) {
    let y = || state.bodies[body].x.iter().map(|x| x.y);
    (y().fold(f64::INFINITY, f64::min), y().fold(f64::NEG_INFINITY, f64::max))
}

#[test]
fn the_bouncing_ball_is_squashed_on_the_ground_and_flies_its_path() {
    performed("bounce", |frame, stage, state| {
        let (low, high) = height(state, 0);
        let at = centre(&stage.bodies()[0].flesh, &state.bodies[0].x);
        assert!(low > -0.01, "frame {frame}: {low} m");
        match frame {
            14 | 42 => assert!((0.28..0.42).contains(&(high - low)), "frame {frame}: {} m high", high - low),
            11 | 18 => assert!(high - low > 0.53, "frame {frame}: {} m high", high - low),
            28 => assert!(at.distance(dvec3(-0.05, 1.25, 0.0)) < 1e-3 && (high - low - 0.5).abs() < 0.06, "{at}"),
            72 => assert!(at.y < 0.9, "it has left its path: {at}"),
            _ => {}
        }
    });
}

#[test]
fn the_box_hops_twice_and_lands() {
    let mut air = 0;
    performed("hop", |frame, stage, state| {
        let (low, high) = height(state, 0);
        let at = centre(&stage.bodies()[0].flesh, &state.bodies[0].x);
        assert!(low > -0.02, "frame {frame}: {low} m");
        air += usize::from(low > 0.1);
        match frame {
            25 => assert!(low > 0.4, "frame {frame}: {low} m"),
            38 => assert!(high - low < 0.5, "frame {frame}: {} m high", high - low),
            80 => assert!(at.x > 0.9 && low < 0.03, "{at}, {low}"),
            _ => {}
        }
    });
    assert!((20..50).contains(&air), "{air} frames in the air");
}

/// The scene `bunny-hop`: twice off the ground, to the right, and whole. Needs the Stanford bunny.
#[test]
fn a_bunny_hops_twice_and_lands() {
    let Some(bunny) = crate::beside::model("bunny.off") else { return };
    let toml = include_str!("../../../../examples/bunny-hop.toml");
    let toml = toml.replace("../../shared/models/bunny.off", &bunny.to_string_lossy());
    let scene = Scene::from_toml(&toml, "bunny-hop").unwrap();
    let mut air = 0;
    play_scene("bunny-hop", &scene, |frame, stage, state| {
        let (low, high) = height(state, 0);
        let at = centre(&stage.bodies()[0].flesh, &state.bodies[0].x);
        assert!(low > -0.02, "frame {frame}: {low} m");
        air += usize::from(low > 0.1);
        match frame {
            26 | 54 => assert!(low > 0.3, "frame {frame}: {low} m"),
            39 => assert!(high - low < 0.55, "frame {frame}: {} m high", high - low),
            84 => assert!(at.x > 0.9 && low < 0.05 && high > 0.45, "{at}, {low} to {high}"),
            _ => {}
        }
    });
    assert!((20..55).contains(&air), "{air} frames in the air");
}

/// Both bars are an S at frame 40 and straight at the end; on the way the physical one is ahead.
#[test]
fn both_bars_become_an_s_in_flight() {
    let mut seen = Vec::new();
    performed("letter", |frame, stage, state| {
        if ![14, 40, 66].contains(&frame) {
            return;
        }
        for (body, state) in stage.bodies().iter().zip(&state.bodies) {
            let cells = ShapeCells::new(&body.flesh).unwrap();
            let formula =
                ShapeFormula { s_bend_deg: 105.0, axis: DVec3::Y, bend_to: DVec3::NEG_X, ..ShapeFormula::REST };
            let s = formula.shape(&body.flesh.rest);
            let off = |shape: &[DVec3]| 100.0 * cells.distance(&state.x, shape) / cells.size_m();
            seen.push((frame, body.name.clone(), off(&s), off(&body.flesh.rest)));
        }
    });
    println!("{seen:?}");
    for (frame, name, from_s, from_rest) in &seen {
        match frame {
            40 => assert!(*from_s < 1.0 && *from_rest > 5.0, "{name}: {from_s} % from S, {from_rest} % from straight"),
            // Before they land, at frame 69.
            66 => assert!(*from_rest < 4.0, "{name}: {from_rest} % from straight"),
            _ => {}
        }
    }
    let from_rest = |name: &str| seen.iter().find(|(frame, own, ..)| *frame == 14 && own == name).unwrap().3;
    assert!(from_rest("physical") > from_rest("rigid"), "{seen:?}");
}

#[test]
fn a_crowd_of_twelve_hops_by_its_shapes_alone() {
    let mut highest = [0.0f64; 12];
    performed("crowd-hop", |_, _, state| {
        assert_eq!(state.bodies.len(), 12);
        for (body, highest) in highest.iter_mut().enumerate() {
            *highest = highest.max(height(state, body).0);
        }
    });
    assert!(highest.iter().all(|low| *low > 0.08), "{highest:?}");
}

/// Keys come from files of the project: made, named, missed and refused by name.
#[test]
fn a_key_from_a_shape_is_an_asset_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let assets = Assets::of(folder.path());
    let text = crate::fixtures::KEYED.replace("SOLVER", r#"{ kind = "fem" }"#);
    let mut document = Document::parse(&text, "keyed").unwrap();
    let built = build(document.scene(), folder.path(), 1).unwrap();
    let body = &built.stage.bodies()[0];
    let moved = |x: &DVec3| DQuat::from_rotation_y(1.0) * *x + dvec3(5.0, 2.0, 0.0);
    let bent = ShapeFormula { bend_deg: 70.0, ..ShapeFormula::REST }.shape(&body.flesh.rest);
    let shape = Some(bent.iter().map(moved).collect());
    let key = NewKey { frame: 21.0, name: Some("leaned".into()), shape };
    document
        .apply(&key_command(document.scene(), KeyedBody::on_stage(&built, 0).unwrap(), None, key, &assets).unwrap())
        .unwrap();
    assert!(document.text().contains("leaned"), "{}", document.text());
    let name = document.text().split('"').find(|word| word.starts_with("assets/key-")).unwrap().to_owned();
    let stored = KeySamples::read(&folder.path().join(&name)).unwrap().on(&body.flesh).unwrap();
    let cells = ShapeCells::new(&body.flesh).unwrap();
    assert!(cells.distance(&stored, &bent) < 1e-9);
    let turn = best_fit_rotation(&body.flesh.rest, &stored, &body.flesh.mass_kg);
    assert!(turn.angle_between(DQuat::IDENTITY) < 1e-6, "its rigid part is gone");
    build(document.scene(), folder.path(), 1).unwrap();
    std::fs::write(folder.path().join("scene.toml"), document.text()).unwrap();
    assert_eq!(crate::fixtures::old_and_unused(folder.path()), [""; 0]);

    let refused = |what: &str| {
        let Err(error) = build(document.scene(), folder.path(), 1) else { panic!("it was built") };
        let BuildError::Scene { at, what: told, help } = &error else { panic!("{error}") };
        assert!(
            at.contains("keys[3].asset") && told.contains(what) && told.contains(&name) && !help.is_empty(),
            "{error}"
        );
    };
    let bytes = std::fs::read(folder.path().join(&name)).unwrap();
    std::fs::write(folder.path().join(&name), &bytes[..bytes.len() - 9]).unwrap();
    refused("has changed");
    std::fs::remove_file(folder.path().join(&name)).unwrap();
    refused("is missing");

    for (wrong, what) in [
        (body.flesh.rest.iter().map(|x| dvec3(x.x, 0.0, x.z)).collect::<Vec<_>>(), "one plane"),
        (body.flesh.rest.iter().map(|x| dvec3(-x.x, x.y, x.z)).collect(), "inside out"),
        (vec![DVec3::NAN; body.flesh.point_count()], "no finite place"),
        (body.flesh.rest[1..].to_vec(), "points"),
    ] {
        let key = NewKey { frame: 3.0, name: None, shape: Some(wrong) };
        let error =
            key_command(document.scene(), KeyedBody::on_stage(&built, 0).unwrap(), None, key, &assets).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path().join("assets")).unwrap().count(), 0, "nothing half made is left");
}

/// What keys and paths cannot do as they are is told where the scene is built, with its place and what to do.
#[test]
fn keys_and_paths_that_contradict_each_other_are_told() {
    let warned = |more: &str| {
        let text = crate::fixtures::KEYED.replace("SOLVER", r#"{ kind = "fem" }"#) + more;
        let document = Document::parse(&text, "keyed").unwrap();
        build(document.scene(), FilePath::new("."), 1).unwrap().warnings
    };
    let path = |name: &str, strength: &str| {
        format!(
            "[[body.director]]\nname = \"{name}\"\nkind = \"path\"\nat = [[[1, 0.0], [20, 1.0]], 0.0, 0.0]\nstrength = {strength}\n"
        )
    };
    let pin = "[[body.director]]\nname = \"hold\"\nkind = \"pin\"\non = \"all\"\n";
    assert_eq!(warned(&path("way", "1.0")), []);
    let two = warned(&(path("way", "1.0") + &path("other", "[[1, 0.0], [11, 0.0], [12, 1.0]]")));
    assert_eq!(two.len(), 1, "{two:?}");
    assert!(two[0].at == "body.bar.director[2]" && two[0].what.contains("frame 12 on"), "{two:?}");
    assert!(two[0].what.contains("the later one alone counts") && !two[0].help.is_empty(), "{two:?}");
    let held = warned(&(path("way", "1.0") + pin));
    assert!(held.len() == 1 && held[0].what.contains("holds points of it"), "{held:?}");
    // One after the other, muted or without weight they do not.
    let after = path("way", "[[1, 1.0], [9, 1.0], [10, 0.0]]") + &path("other", "[[1, 0.0], [10, 0.0], [11, 1.0]]");
    assert_eq!(warned(&after), []);
    assert_eq!(warned(&(path("way", "1.0") + pin + "weight = 0.0\n")), []);
    assert_eq!(warned(&(path("way", "1.0") + pin + "mute = true\n")), []);
}

/// Springs of a sheet know lengths alone: keys that bend it are told; shape matching bends.
#[test]
fn keys_that_bend_a_sheet_of_springs_are_told() {
    let warned = |solver: &str, key: &str| {
        let text = format!(
            "sinew = 1\n[[body]]\nname = \"cloth\"\nskin = {{ model = \"cloth\" }}\nflesh = {{ kind = \"shell\" }}\nsolver = {solver}\n\
             [[body.director]]\nkind = \"key_shapes\"\nkeys = [{{ frame = 1 }}, {{ frame = 9, {key} }}]\n"
        );
        let document = Document::parse(&text, "cloth").unwrap();
        build(document.scene(), FilePath::new("."), 1).unwrap().warnings
    };
    let told = warned(r#"{ kind = "springs" }"#, "bend_deg = 60.0");
    assert!(told.len() == 1 && told[0].what.contains("does not bend to its keys"), "{told:?}");
    assert_eq!(told[0].at, "body.cloth.director[0]");
    assert_eq!(warned(r#"{ kind = "springs" }"#, "scale = [1.1, 1.0, 1.1]"), []);
    assert_eq!(warned(r#"{ kind = "shape_matching" }"#, "bend_deg = 60.0"), []);
}
