//! Every cue on every solver, each with the number it should give: one plain director for every cue.
//!
//! The macro makes one test per cue. It runs on every solver and compares the numbers, so that two solvers that
//! disagree are seen.

use crate::fixtures::{Bar, centre, end_rows, has_inner_steps, length, play, solvers};
use sinew_bake::Method;
use sinew_direct::key_shapes::{Between, KeyShape, KeyShapes, ShapeCells};
use sinew_direct::metaphor::{self, Joint, Measured, Metaphor, Widget};
use sinew_direct::muscle::{Axis, Charts, Fibres, Scalar, VolumeMode};
use sinew_direct::take_edit::{EditedTake, KeyAt, Motion, TakeKey};
use sinew_direct::{
    Force, GoalTo, Gravity, Held, MaterialOver, Medium, Muscle, Path, PathTurn, PinTo, RestShape, ShapeFormula,
    TakeEdit, Track3, Turn,
};
use sinew_math::{Curve, DQuat, DVec3, Number, Outside, dvec3};
use sinew_solve::shape_matching::ShapeMatchingParams;
use sinew_solve::{CueError, CueWriter, Director, DirectorState, Drag, Flesh, Now, Seen};
use std::sync::Arc;

fn still() -> Turn {
    Turn(Track3::constant(DVec3::ZERO))
}

fn all(flesh: &Flesh) -> Vec<(sinew_solve::Row, DVec3)> {
    flesh.rest.iter().enumerate().map(|(i, x)| (sinew_solve::Row(i as u32), *x)).collect()
}

/// ln T: contracted to 0.7 along x with volume kept, the bar ends 0.7 as long. Expected 0.7.
fn stretch(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let primary = Curve::linear(&[(0.0, 0.7)], Outside::Cycle { period: 1.0 }).unwrap();
    let charts = Charts {
        primary,
        secondary: None,
        tertiary: None,
        volume: VolumeMode::Both,
        beat: 1.0.into(),
        rate_limit: 4.0,
    };
    let muscle = Muscle::new(
        charts,
        &flesh,
        &Fibres::Along(Axis(DVec3::X)),
        &Scalar::Constant(1.0),
        &Scalar::Constant(0.0),
        None,
    );
    let mut stage = bar.directed_by("muscle", muscle).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 48);
    length(&flesh, &state.bodies[0].x)
}

/// o(t): the rest shape 1.3 times as long. Expected 1.3.
fn rest(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let shape = RestShape {
        points: (0..flesh.point_count() as u32).collect(),
        scale: Track3::constant(dvec3(1.3, 1.0, 1.0)),
        twist_deg: 0.0.into(),
        bend_deg: 0.0.into(),
        axis: DVec3::X,
        bend_to: DVec3::Y,
    };
    let mut stage = bar.directed_by("rest", shape).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 48);
    length(&flesh, &state.bodies[0].x)
}

/// Key shapes: from rest to 1.3 times as long in half a second, then held. Expected 1.3, and no residual.
fn key(method: Method) -> f64 {
    let (length_m, residual) = keyed(method, Between::Rigid);
    assert!(residual < 0.5, "{residual} % off its key");
    length_m
}

/// The same the paper's way.
fn physical_key(method: Method) -> f64 {
    let (length_m, residual) = keyed(method, Between::Physical { damping: 0.05 });
    assert!(residual < 0.5, "{residual} % off its key");
    length_m
}

fn keyed(method: Method, between: Between) -> (f64, f64) {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let cells = Arc::new(ShapeCells::new(&flesh).unwrap());
    let long = ShapeFormula { scale: dvec3(1.3, 1.0, 1.0), ..ShapeFormula::REST }.shape(&flesh.rest);
    let key =
        |frame: f64, shape: Option<Vec<DVec3>>| KeyShape { frame, shape: shape.map(Arc::new), rest: None, lead: 0.0 };
    let keys = KeyShapes::new(cells, vec![key(1.0, None), key(13.0, Some(long))], between);
    let mut stage = bar.directed_by("keys", keys).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 47);
    let report = stage.step(&mut state, &[]).unwrap();
    let residual = report.measures.iter().find(|measure| measure.name == "residual").unwrap().value;
    (length(&flesh, &state.bodies[0].x), residual)
}

/// Force: 80 N on 40 kg for one second from rest. Expected speed 2 m/s, exactly.
fn force(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let on = all(&flesh).into_iter().map(|(row, _)| row).collect();
    let mut stage = bar.directed_by("push", Force { on, newton: Track3::constant(dvec3(0.0, 0.0, 80.0)) }).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 24);
    centre(&flesh, &state.bodies[0].v).z
}

/// Implicit drag D = m d on every point: v falls by 1/(1 + h d) a step. Expected share left after 12 frames.
fn drag(method: Method) -> f64 {
    struct Even;
    impl Director for Even {
        fn cue(&self, _: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
            for (i, mass) in seen.flesh.mass_kg.iter().enumerate() {
                let matrix = sinew_math::Sym3::IDENTITY * (mass * DRAG_PER_SEC);
                out.drag(Drag { at: sinew_solve::Row(i as u32), matrix, wind: DVec3::ZERO });
            }
            Ok(())
        }
    }
    let mut bar = Bar::new(method);
    bar.velocity = DVec3::Z;
    let flesh = bar.flesh();
    let mut stage = bar.directed_by("drag", Even).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 12);
    centre(&flesh, &state.bodies[0].v).z
}
const DRAG_PER_SEC: f64 = 3.0;

/// Medium: a wind of 2 m/s along z drags the resting bar with it. Expected between 0 and 2 m/s, downwind.
fn medium(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let wind = Track3::constant(dvec3(0.0, 0.0, 2.0));
    let water = Medium { normal_drag: 500.0.into(), tangential_drag: 20.0.into(), wind };
    let mut stage = bar.directed_by("water", water).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 24);
    centre(&flesh, &state.bodies[0].v).z
}

/// Goal: everything is pulled 0.3 m along y; after five settling times it is nearly there.
fn goal(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let held = Held::new(all(&flesh), Track3::constant(dvec3(0.0, 0.3, 0.0)), still());
    let mut stage = bar.directed_by("pull", GoalTo { held, settle_secs: SETTLE_SECS.into() }).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 24);
    centre(&flesh, &state.bodies[0].x).y
}
const SETTLE_SECS: f64 = 0.2;

/// Pins: one end is moved 0.25 m and turned 90°; the error of the worst pinned point. Expected 0.
fn pin(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let ramp = |to: f64| Number::Curve(Curve::linear(&[(1.0, 0.0), (25.0, to)], Outside::Hold).unwrap());
    let shift = Track3([ramp(0.25), 0.0.into(), 0.0.into()]);
    let turn = Turn(Track3([ramp(90.0), 0.0.into(), 0.0.into()]));
    let held = Held::new(end_rows(&flesh, -1.0), shift, turn);
    let mut stage = bar.directed_by("pin", PinTo { held }).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 24);
    let ends = end_rows(&flesh, -1.0);
    let middle = ends.iter().map(|(_, x)| *x).sum::<DVec3>() / ends.len() as f64;
    let place = |x0: DVec3| middle + DQuat::from_rotation_x(90f64.to_radians()) * (x0 - middle) + dvec3(0.25, 0.0, 0.0);
    ends.iter().map(|(row, x0)| state.bodies[0].x[row.0 as usize].distance(place(*x0))).fold(0.0, f64::max)
}

/// Path: the centre goes around while the bar falls and turns; the error of centre and turn. Expected 0.
fn path(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let ramp = |to: f64| Number::Curve(Curve::linear(&[(1.0, 0.0), (25.0, to)], Outside::Hold).unwrap());
    let path = Path {
        at: Track3([ramp(2.0), ramp(1.0), 0.0.into()]),
        turn: Some(PathTurn::Angles(Turn(Track3([0.0.into(), ramp(120.0), 0.0.into()])))),
        strength: 1.0.into(),
        yields_to_contact: true,
        mean_rotation: false,
    };
    let gravity = Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) };
    let mut stage = bar.directed_by("gravity", gravity).directed_by("path", path).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 12);
    let turn = sinew_math::rotation::best_fit_rotation(&flesh.rest, &state.bodies[0].x, &flesh.mass_kg);
    centre(&flesh, &state.bodies[0].x).distance(dvec3(1.0, 0.5, 0.0))
        + turn.angle_between(DQuat::from_rotation_y(60f64.to_radians()))
}

/// An edited take: a bar that lay still is bent to 0.1 m at its ends at frame 13, and led there. How high its ends are; expected 0.1.
fn take(method: Method) -> f64 {
    let bar = Bar::new(method);
    let flesh = bar.flesh();
    let cells = Arc::new(ShapeCells::new(&flesh).unwrap());
    let still = || (DVec3::ZERO, flesh.rest.iter().map(|x| x.as_vec3().to_array()).collect());
    let motion = Motion::new(1, (0..40).map(|_| still()).collect()).unwrap();
    let bent = flesh.rest.iter().map(|x| *x + dvec3(0.0, 0.4 * x.x * x.x, 0.0)).collect();
    let key = TakeKey { frame: 13, width: 10.0, shape: KeyAt::World(Arc::new(bent)), swings: true };
    let edited = EditedTake::new(cells, Arc::new(motion), vec![key], bar.material, 24.0).unwrap();
    let mut stage = bar.directed_by("take", TakeEdit::new(Arc::new(edited), true)).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 12);
    let ends = [end_rows(&flesh, -1.0), end_rows(&flesh, 1.0)].concat();
    ends.iter().map(|(row, x0)| state.bodies[0].x[row.0 as usize].y - x0.y).sum::<f64>() / ends.len() as f64
}

/// Material: a bar held at one end sags more when it is softened. The ratio of the sags; expected above 1.
fn material(method: Method) -> f64 {
    let sag = |stiffness: f64| {
        let bar = Bar::new(method);
        let flesh = bar.flesh();
        let hold = PinTo { held: Held::new(end_rows(&flesh, -1.0), Track3::constant(DVec3::ZERO), still()) };
        let points = (0..flesh.point_count() as u32).collect();
        let soft =
            MaterialOver { points, point_count: flesh.point_count(), stiffness: stiffness.into(), damping: 1.0.into() };
        let gravity = Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -1.0, 0.0)) };
        let mut stage = bar.directed_by("hold", hold).directed_by("soft", soft).directed_by("gravity", gravity).stage();
        let mut state = stage.first_state();
        play(&mut stage, &mut state, 48);
        let tip = end_rows(&flesh, 1.0);
        let mut sum = 0.0;
        for _ in 0..48 {
            // What still swings is seen in the middle.
            play(&mut stage, &mut state, 1);
            sum -= tip.iter().map(|(row, x0)| state.bodies[0].x[row.0 as usize].y - x0.y).sum::<f64>();
        }
        sum / (48 * tip.len()) as f64
    };
    sag(0.3) / sag(1.0)
}

/// A path that leads 0.6 m below the floor: contact wins, so that the bar lies on the floor, as thick as it was. Its
/// thickness then, over its own. Expected 1.
fn path_on_the_floor(method: Method) -> f64 {
    let bar = Bar::new(method);
    let down = Number::Curve(Curve::linear(&[(1.0, 0.0), (24.0, -1.0)], Outside::Hold).unwrap());
    let path = Path {
        at: Track3([0.0.into(), down, 0.0.into()]),
        turn: Some(PathTurn::Angles(still())),
        strength: 1.0.into(),
        yields_to_contact: true,
        mean_rotation: false,
    };
    let mut bar = bar.directed_by("path", path);
    bar.obstacles.push(crate::fixtures::floor(-0.4));
    let mut stage = bar.stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 36);
    let low = state.bodies[0].x.iter().map(|x| x.y).fold(f64::MAX, f64::min);
    let high = state.bodies[0].x.iter().map(|x| x.y).fold(f64::MIN, f64::max);
    assert!((-0.41..-0.38).contains(&low), "its lowest point is at {low}");
    (high - low) / crate::fixtures::SIZE_M.y
}

/// Iterations at which shape matching is as stiff as this bar's modulus: it knows none, and is as stiff as these make it.
const MATCHED_ITERATIONS: u32 = 5;

/// Outer forces on regions: the bend in degrees that a metaphor with 0.4 % of E A comes to on the free bar, at matched material.
/// Expected 5.0 by FEM.
fn bend(method: Method) -> f64 {
    let matched = match method {
        Method::ShapeMatching(params) => {
            Method::ShapeMatching(ShapeMatchingParams { iterations: MATCHED_ITERATIONS, ..params })
        }
        other => other,
    };
    let bar = Bar::new(matched);
    let (flesh, newton) =
        (bar.flesh(), 4.0e-3 * bar.material.young_pa * crate::fixtures::SIZE_M.y * crate::fixtures::SIZE_M.z);
    let joint = Joint { angle_deg: 180.0, arm_m: 0.4, pivot_radius_m: 0.16, end_radius_m: 0.16 };
    let widget = Widget::new(&flesh, DVec3::ZERO, DVec3::X, DVec3::Y).unwrap();
    let mut metaphor = Metaphor::new(&flesh, widget, metaphor::bend(joint), newton.into(), Measured::Bend);
    metaphor.is_balanced = true;
    let mut stage = bar.directed_by("bend", metaphor).stage();
    let mut state = stage.first_state();
    play(&mut stage, &mut state, 47);
    let report = stage.step(&mut state, &[]).unwrap();
    report.measures.iter().find(|measure| measure.name == "bend").unwrap().value
}

/// The share of speed that drag leaves after 12 frames, and where a goal has taken the bar after 24: implicit Euler's answers, or the
/// exact ones for a method with inner steps.
fn by_theory(method: &Method) -> [(f64, f64); 2] {
    let h: f64 = 1.0 / 96.0;
    if has_inner_steps(method) {
        let settled = 1.0 / SETTLE_SECS;
        let there = 0.3 * (1.0 - (1.0 + settled) * (-settled).exp());
        [((-0.5 * DRAG_PER_SEC).exp(), 1e-5), (there, 1e-5)]
    } else {
        [((1.0 + h * DRAG_PER_SEC).powi(-48), 1e-9), (goal_by_hand(96, h), 1e-6)]
    }
}

/// What v(t) must be after n implicit steps of a critically damped goal, and the place then.
fn goal_by_hand(steps: u32, h: f64) -> f64 {
    let (k, c) = (1.0 / (SETTLE_SECS * SETTLE_SECS), 2.0 / SETTLE_SECS);
    let (mut x, mut v) = (0.0, 0.0);
    for _ in 0..steps {
        v = (v + h * k * (0.3 - x)) / (1.0 + h * c + h * h * k);
        x += h * v;
    }
    x
}

type Effect = fn(Method) -> f64;

/// Name, measure, least and most.
fn effects(method: &Method) -> [(&'static str, Effect, f64, f64); 14] {
    let near = |(x, off): (f64, f64)| (x - off, x + off);
    let [drag_left, there] = by_theory(method);
    let [(f0, f1), (d0, d1), (g0, g1)] = [near((2.0, 1e-9)), near(drag_left), near(there)];
    [
        ("stretch", stretch, 0.69, 0.71),
        ("rest", rest, 1.29, 1.31),
        ("key", key, 1.29, 1.31),
        ("physical_key", physical_key, 1.29, 1.31),
        ("force", force, f0, f1),
        ("drag", drag, d0, d1),
        ("medium", medium, 0.5, 2.0),
        ("goal", goal, g0, g1),
        ("pin", pin, 0.0, 1e-12),
        ("path", path, 0.0, 1e-10),
        ("take", take, 0.095, 0.105),
        ("material", material, 1.5, 20.0),
        ("path_on_the_floor", path_on_the_floor, 0.9, 1.1),
        ("bend", bend, 4.2, 6.1),
    ]
}

/// Effects that are a length or a speed: solvers agree on them within 20 %, each beside its own bounds.
const COMPARED: [&str; 10] =
    ["stretch", "rest", "key", "physical_key", "force", "drag", "medium", "goal", "take", "bend"];

/// One effect on every solver: each within its bounds, and all near each other.
fn check(name: &str) {
    let values = solvers().map(|(solver, method)| {
        let (_, effect, least, most) = effects(&method).into_iter().find(|(n, ..)| *n == name).unwrap();
        let value = effect(method);
        assert!((least..=most).contains(&value), "{name} by {solver} gave {value}, expected {least} to {most}");
        (solver, value)
    });
    println!("{name:>10} {values:?}");
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), (_, v)| (low.min(*v), high.max(*v)));
    assert!(!COMPARED.contains(&name) || high <= 1.2 * low, "{name}: {values:?}");
}

macro_rules! effect_tests {
    ($($effect:ident)*) => {
        mod on_every_solver {
            $(#[test] fn $effect() { super::check(stringify!($effect)); })*
        }

        #[test]
        fn every_effect_is_tested() {
            let known = effects(&crate::fixtures::fem()).map(|(name, ..)| name);
            assert_eq!(known, [$(stringify!($effect)),*]);
        }
    };
}

effect_tests! {
    stretch rest key physical_key force drag medium goal pin path take material path_on_the_floor bend
}
