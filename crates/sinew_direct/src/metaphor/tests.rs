use super::*;
use crate::track::tests::{now_at, seen_alone};
use sinew_geom::structured::bar;
use sinew_math::{DQuat, dvec3};
use sinew_solve::{BodyId, BodyState, Cues, Memory};

fn bar_flesh() -> Flesh {
    Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [20, 4, 4]), 1000.0).unwrap()
}

const CYLINDERS: Cylinders = Cylinders { near_m: 0.2, far_m: 0.6, radius_m: 0.2 };
const JOINT: Joint = Joint { angle_deg: 180.0, arm_m: 0.4, pivot_radius_m: 0.19, end_radius_m: 0.19 };

fn made(flesh: &Flesh, at: DVec3, parts: Vec<Part>, measured: Measured) -> Metaphor {
    let widget = Widget::new(flesh, at, DVec3::X, DVec3::Y).unwrap();
    Metaphor::new(flesh, widget, parts, 10.0.into(), measured)
}

/// Forces in a state whose points are where `place` puts those of the rest shape.
fn forces(flesh: &Flesh, metaphor: &Metaphor, place: impl Fn(DVec3) -> DVec3) -> (Vec<DVec3>, Vec<DVec3>) {
    let x: Vec<DVec3> = flesh.rest.iter().map(|x| place(*x)).collect();
    let state = BodyState {
        origin: DVec3::ZERO,
        v: vec![DVec3::ZERO; x.len()],
        x: x.clone(),
        memory: Memory::Fem { rotation: Vec::new() },
    };
    let seen =
        Seen { body: BodyId(0), flesh, state: &state, contacts: &[], body_contacts: &[], input: &[], force_arm: 1.0 };
    let mut cues = Cues::default();
    metaphor.cue(now_at(1.0), &seen, &mut DirectorState::Nothing, &mut CueWriter::new(flesh, &mut cues, 1.0)).unwrap();
    cues.force_n.resize(x.len(), DVec3::ZERO);
    (x, cues.force_n)
}

fn net(flesh: &Flesh, x: &[DVec3], forces: &[DVec3]) -> Net {
    Net::of(x, &flesh.mass_kg, forces.iter().copied().enumerate())
}

/// A stretch pulls both ends apart with the magnitude, whatever the mesh; a negative curve presses them together by as much.
#[test]
fn a_stretch_pulls_its_ends_apart_and_a_negative_curve_compresses() {
    let flesh = bar_flesh();
    let mut metaphor = made(&flesh, DVec3::ZERO, stretch(CYLINDERS), Measured::Stretch);
    let (_, pulled) = forces(&flesh, &metaphor, |x| x);
    let side = |forces: &[DVec3], sign: f64| -> f64 {
        flesh.rest.iter().zip(forces).filter(|(x, _)| x.x * sign > 0.0).map(|(_, f)| f.x).sum()
    };
    assert!((side(&pulled, 1.0) - 10.0).abs() < 1e-12 && (side(&pulled, -1.0) + 10.0).abs() < 1e-12);
    metaphor.newton = (-10.0).into();
    let (_, pressed) = forces(&flesh, &metaphor, |x| x);
    pulled.iter().zip(&pressed).for_each(|(a, b)| assert_eq!(*a, -*b));
}

/// The right end is turned by the right hand about x, the left end against it; there is no net force.
#[test]
fn a_twist_turns_its_ends_against_each_other() {
    let flesh = bar_flesh();
    for is_rigid in [false, true] {
        let (x, forces) =
            forces(&flesh, &made(&flesh, DVec3::ZERO, twist(CYLINDERS, is_rigid), Measured::Twist), |x| x);
        let torque = |sign: f64| -> f64 {
            let there = x.iter().zip(&forces).filter(|(x, _)| x.x * sign > 0.0);
            there.map(|(x, f)| x.cross(*f).x).sum()
        };
        assert!(
            torque(1.0) > 0.0 && (torque(1.0) + torque(-1.0)).abs() < 0.01 * torque(1.0),
            "{} {}",
            torque(1.0),
            torque(-1.0)
        );
        // Corners of tetrahedra weigh more or less: what is left over is little.
        assert!(net(&flesh, &x, &forces).force_n.length() < 0.2);
    }
}

/// Three regions of even meshes balance: ends up, pivot down.
#[test]
fn a_bend_pushes_its_ends_one_way_and_its_pivot_the_other() {
    let flesh = bar_flesh();
    let (x, forces) = forces(&flesh, &made(&flesh, DVec3::ZERO, bend(JOINT), Measured::Bend), |x| x);
    let up = |low: f64, high: f64| -> f64 {
        x.iter().zip(&forces).filter(|(x, _)| (low..high).contains(&x.x.abs())).map(|(_, f)| f.y).sum()
    };
    assert!((up(0.2, 1.0) - 20.0).abs() < 1e-9 && (up(0.0, 0.2) + 20.0).abs() < 1e-9);
    assert!(net(&flesh, &x, &forces).force_n.length() < 1e-10);
}

/// A body that has moved and turned gets the same forces, turned with it.
#[test]
fn widgets_go_with_the_body() {
    let flesh = bar_flesh();
    let turn = DQuat::from_axis_angle(dvec3(0.3, -0.5, 0.8).normalize(), 2.5);
    for parts in [stretch(CYLINDERS), twist(CYLINDERS, false), bend(JOINT)] {
        let metaphor = made(&flesh, dvec3(0.1, 0.0, 0.0), parts, Measured::Nothing);
        let (_, still) = forces(&flesh, &metaphor, |x| x);
        let (_, turned) = forces(&flesh, &metaphor, |x| turn * x + dvec3(3.0, 1.0, -2.0));
        still.iter().zip(&turned).for_each(|(a, b)| assert!((turn * *a).distance(*b) < 1e-9, "{a} {b}"));
    }
}

/// Off the axis, with uneven regions, on a bent body: balanced forces have no net force nor torque.
#[test]
fn balanced_forces_neither_push_nor_turn() {
    let flesh = bar_flesh();
    let uneven = Cylinders { near_m: 0.05, far_m: 0.33, radius_m: 0.12 };
    for parts in [stretch(uneven), twist(uneven, false), bend(JOINT)] {
        let mut metaphor = made(&flesh, dvec3(0.17, 0.08, -0.05), parts, Measured::Nothing);
        metaphor.is_balanced = true;
        let (x, forces) = forces(&flesh, &metaphor, |x| dvec3(x.x, x.y + 0.4 * x.x * x.x, x.z));
        let Net { force_n, torque_nm, total_n } = net(&flesh, &x, &forces);
        assert!(force_n.length() < 1e-12 * total_n && torque_nm.length() < 1e-12 * total_n, "{force_n} {torque_nm}");
    }
}

/// Points taken at random, pushed every way at random, on a body bent at random: what is left of force and torque is 1e-10 of all forces.
#[test]
fn balance_holds_on_random_selections() {
    let flesh = bar_flesh();
    let mut seed = 20_140_618u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    for draw in 0..300 {
        let vector = |random: &mut dyn FnMut() -> f64| dvec3(random() - 0.5, random() - 0.5, random() - 0.5);
        let share = random();
        let chosen: Vec<u32> = (0..flesh.point_count() as u32).filter(|_| random() < share).collect();
        let field: Vec<DVec3> = flesh.rest.iter().map(|_| vector(&mut random)).collect();
        let parts = vec![Part { region: Region::Points(chosen), orientation: Orientation::Field(field) }];
        let (at, along) = (vector(&mut random), vector(&mut random));
        let widget = Widget::new(&flesh, at, along, vector(&mut random)).unwrap();
        let mut metaphor = Metaphor::new(&flesh, widget, parts, (1e4 * random()).into(), Measured::Nothing);
        metaphor.is_balanced = true;
        let (bow, lean) = (vector(&mut random), vector(&mut random));
        let (x, forces) = forces(&flesh, &metaphor, |x| x + bow * x.x * x.x + lean * x.y);
        let Net { force_n, torque_nm, total_n } = net(&flesh, &x, &forces);
        assert!(
            force_n.length() <= 1e-10 * total_n && torque_nm.length() <= 1e-10 * total_n,
            "{draw}: {force_n} {torque_nm} of {total_n}"
        );
    }
}

const STRENGTH: Strength = Strength { young_pa: 1e5, density_kg_m3: 1000.0, step_secs: None, share: 1.0, bent: 1.0 };

#[test]
fn what_does_not_work_is_told_before_it_hurts() {
    let flesh = bar_flesh();
    let of = |at: DVec3, parts: Vec<Part>, most_n: f64| {
        troubles(&made(&flesh, at, parts, Measured::Nothing), &flesh, &STRENGTH, [0.0, most_n])
    };
    assert_eq!(of(DVec3::ZERO, stretch(CYLINDERS), 10.0), []);
    let far = Cylinders { near_m: 2.0, ..CYLINDERS };
    assert!(matches!(of(DVec3::ZERO, stretch(far), 10.0)[..], [Trouble::Empty { region: 0 }, Trouble::Empty { .. }]));
    // Figure 14: the cylinders stand beside the body's axis.
    let beside = of(dvec3(0.0, 0.1, 0.0), bend(JOINT), 10.0);
    assert!(beside.is_empty() || matches!(beside[..], [Trouble::Spins { .. }]), "{beside:?}");
    assert!(matches!(of(DVec3::ZERO, stretch(CYLINDERS), 1e6)[..], [Trouble::TooStrong { .. }]));
}

/// Forces that balance takes off, forces that cancel, and forces that the bound cuts are told; paper mode is not sent to words that it ignores.
#[test]
fn forces_that_do_not_act_as_written_are_told() {
    let flesh = bar_flesh();
    let all = Region::Cuboid { low: DVec3::splat(-9.0), high: DVec3::splat(9.0) };
    let pushed = |way: DVec3| vec![Part { region: all.clone(), orientation: Orientation::Uniform(way) }];
    let mut whole = made(&flesh, DVec3::ZERO, pushed(DVec3::X), Measured::Nothing);
    whole.is_balanced = true;
    assert_eq!(troubles(&whole, &flesh, &STRENGTH, [0.0, 1.0]), [Trouble::Nothing { is_balanced: true }]);
    let none = made(&flesh, DVec3::ZERO, pushed(DVec3::ZERO), Measured::Nothing);
    assert_eq!(troubles(&none, &flesh, &STRENGTH, [0.0, 1.0]), [Trouble::Nothing { is_balanced: false }]);
    let mut cut = made(&flesh, DVec3::ZERO, stretch(CYLINDERS), Measured::Stretch);
    cut.is_balanced = true;
    cut.bound = bound(&cut, &flesh, &STRENGTH);
    assert_eq!(troubles(&cut, &flesh, &STRENGTH, [-cut.bound.negative_n, cut.bound.positive_n]), []);
    assert!(matches!(troubles(&cut, &flesh, &STRENGTH, [0.0, 1e12])[..], [Trouble::Cut { .. }]));
    let paper =
        made(&flesh, dvec3(0.2, 0.0, 0.0), stretch(CYLINDERS), Measured::Stretch).shared(&flesh, Sharing::PerNode);
    let told = troubles(&paper, &flesh, &STRENGTH, [0.0, 1e12]);
    assert!(told.len() >= 2 && told.iter().all(|trouble| trouble.help().contains("paper")), "{told:?}");
}

/// The bound by hand: a pull of E A, a press of three tenths of it or the buckling load, the larger arm the smaller force of a bend. A push with a factor, or on
/// every node, bears as much less.
#[test]
fn the_bound_is_what_beam_theory_says() {
    let flesh = bar_flesh();
    let of = |parts: Vec<Part>| bound(&made(&flesh, DVec3::ZERO, parts, Measured::Nothing), &flesh, &STRENGTH);
    let (area_m2, second_m4) = (0.04, 0.2f64.powi(4) / 12.0);
    let close = |got: f64, wanted: f64, within: f64| assert!((got / wanted - 1.0).abs() < within, "{got} {wanted}");
    // Thick cylinders, so that a cube of their volume bears more than the section.
    let pulled = of(stretch(CYLINDERS));
    close(pulled.positive_n, 1e5 * area_m2, 0.02);
    // Pressed, the column is as long as the way between the regions' middles.
    let euler_n = std::f64::consts::PI.powi(2) * 1e5 * second_m4 / (0.7 * 0.7);
    close(pulled.negative_n, bound::BUCKLED * euler_n, 0.1);
    let pressed = of(compress(CYLINDERS));
    close(pressed.positive_n, pulled.negative_n, 1e-9);
    close(pressed.negative_n, pulled.positive_n, 1e-9);
    let bent = of(bend(JOINT));
    let arm_n = 1.5 * 1e5 * second_m4 / (0.1 * 0.4);
    assert!(bent.positive_n > arm_n && bent.positive_n < 2.0 * arm_n, "{bent:?} {arm_n}");
    close(bent.negative_n, bent.positive_n, 1e-9);
    let times = |factor: f64| {
        let parts = stretch(CYLINDERS).into_iter().map(|part| Part {
            orientation: match part.orientation {
                Orientation::Uniform(way) => Orientation::Uniform(way * factor),
                other => other,
            },
            ..part
        });
        of(parts.collect())
    };
    close(times(1e5).positive_n, 1e-5 * pulled.positive_n, 1e-9);
    let paper = made(&flesh, DVec3::ZERO, stretch(CYLINDERS), Measured::Stretch).shared(&flesh, Sharing::PerNode);
    let points = paper.regions().next().unwrap().len() as f64;
    close(bound(&paper, &flesh, &STRENGTH).positive_n, pulled.positive_n / points, 0.2);
}

/// A weight is within the bound, and in what is measured.
#[test]
fn a_weight_is_bounded_and_measured() {
    let flesh = bar_flesh();
    let mut metaphor = made(&flesh, DVec3::ZERO, stretch(CYLINDERS), Measured::Stretch);
    metaphor.bound = Bound { positive_n: 100.0, negative_n: 30.0 };
    assert_eq!(
        [(1.0, 0.5), (1.0, 1e9), (-1.0, 1e9)].map(|(newton, weight)| {
            metaphor.newton = (10.0 * newton).into();
            metaphor.magnitude_n(1.0, weight)
        }),
        [5.0, 100.0, -30.0]
    );
    metaphor.newton = 10.0.into();
    let mut cues = Cues::default();
    let state = BodyState {
        origin: DVec3::ZERO,
        v: vec![DVec3::ZERO; flesh.point_count()],
        x: flesh.rest.clone(),
        memory: Memory::Fem { rotation: Vec::new() },
    };
    let seen = seen_alone(&flesh, &state);
    let mut out = CueWriter::new(&flesh, &mut cues, 1e4);
    metaphor.cue(now_at(1.0), &seen, &mut DirectorState::Nothing, &mut out).unwrap();
    let pulled: f64 = cues.force_n.iter().filter(|force| force.x > 0.0).map(|force| force.x).sum();
    let mut measures = Vec::new();
    metaphor.measure(
        now_at(1.0),
        &seen,
        &DirectorState::Nothing,
        &mut Measures::new(BodyId(0), "act", 1e4, &mut measures),
    );
    assert!((pulled - 100.0).abs() < 1e-9 && measures[0].value == 100.0, "{pulled} {measures:?}");
}

/// The forces of a stiff disc sum up to the magnitude, however much air its cylinders hold, and grow with the distance from the axis.
#[test]
fn a_stiff_disc_is_as_strong_in_any_radius() {
    let flesh = bar_flesh();
    let forces_in = |radius_m: f64| {
        let parts = twist(Cylinders { radius_m, ..CYLINDERS }, true);
        forces(&flesh, &made(&flesh, DVec3::ZERO, parts, Measured::Twist), |x| x).1
    };
    let (tight, wide) = (forces_in(0.15), forces_in(3.0));
    let right: f64 = flesh.rest.iter().zip(&tight).filter(|(x, _)| x.x > 0.0).map(|(_, f)| f.length()).sum();
    assert!((right - 10.0).abs() < 1e-9, "{right} N");
    tight.iter().zip(&wide).for_each(|(a, b)| assert!(a.distance(*b) < 1e-12));
    for (x, (force, mass)) in flesh.rest.iter().zip(tight.iter().zip(&flesh.mass_kg)).filter(|(x, _)| x.x > 0.25) {
        let per_kg_m = force.length() / (mass * x.y.hypot(x.z).max(1e-9));
        assert!(force.length() == 0.0 || (per_kg_m / 10.0 * disc_moment_kg_m(&flesh) - 1.0).abs() < 1e-9, "{per_kg_m}");
    }
}

/// Σ m r of the right region of [`CYLINDERS`].
fn disc_moment_kg_m(flesh: &Flesh) -> f64 {
    let held = flesh.rest.iter().zip(&flesh.mass_kg).filter(|(x, _)| x.x >= CYLINDERS.near_m - 1e-9);
    held.map(|(x, m)| m * x.y.hypot(x.z)).sum()
}

/// Points that lie on the faces of mirrored regions are in both or in none, whatever rounding does to them.
#[test]
fn a_face_takes_its_layer_on_both_sides() {
    let flesh = bar_flesh();
    for tremble in [0.0, 3e-17, -3e-17, 1e-9] {
        let mut flesh = flesh.clone();
        flesh.rest.iter_mut().enumerate().for_each(|(i, x)| x.x += if i % 2 == 0 { tremble } else { -tremble });
        let on_faces = Cylinders { near_m: 0.1, far_m: 0.4, radius_m: 0.2 };
        let metaphor = made(&flesh, DVec3::ZERO, stretch(on_faces), Measured::Stretch);
        let held: Vec<usize> = metaphor.regions().map(<[u32]>::len).collect();
        assert_eq!(held, [7 * 25, 7 * 25], "{tremble}");
    }
}

/// A rest shape that is bent, twisted or stretched from inside measures what is wanted, and what hangs on its ends moves rigidly.
#[test]
fn a_rest_shape_from_inside_measures_what_is_wanted() {
    let flesh = bar_flesh();
    let goal = Goal { amount: 60.0, from: 0.0, at: 1.0, hold: 9.0, release: 0.0 };
    let acts = [
        (bend(JOINT), Measured::Bend, 60.0),
        (bend(JOINT), Measured::Bend, -100.0),
        (twist(CYLINDERS, false), Measured::Twist, 60.0),
        (stretch(CYLINDERS), Measured::Stretch, 60.0),
        (compress(CYLINDERS), Measured::Compression, 30.0),
    ];
    for (parts, measured, amount) in acts {
        let metaphor = made(&flesh, DVec3::ZERO, parts, measured).from_inside(&flesh, Goal { amount, ..goal });
        let state = BodyState {
            origin: DVec3::ZERO,
            x: flesh.rest.clone(),
            v: vec![DVec3::ZERO; flesh.point_count()],
            memory: Memory::Fem { rotation: Vec::new() },
        };
        let seen = seen_alone(&flesh, &state);
        let mut cues = Cues::default();
        metaphor
            .cue(now_at(5.0), &seen, &mut DirectorState::Nothing, &mut CueWriter::new(&flesh, &mut cues, 1.0))
            .unwrap();
        let x: Vec<DVec3> = (0..flesh.point_count()).map(|i| cues.rest(&flesh, i)).collect();
        let (.., got) = measured.value(&metaphor, &flesh, metaphor.widget.at_rest(), &x, None).unwrap();
        assert!((got - amount).abs() < 1e-4 * amount.abs(), "{measured:?}: {got} of {amount}");
        assert!(cues.force_n.is_empty());
        let end = |i: &usize| flesh.rest[*i].x > 0.45;
        let ends: Vec<usize> = (0..flesh.point_count()).filter(end).collect();
        let stretched = ends.windows(2).map(|pair| {
            let of = |x: &[DVec3]| x[pair[0]].distance(x[pair[1]]);
            (of(&x) / of(&flesh.rest) - 1.0).abs()
        });
        assert!(stretched.fold(0.0, f64::max) < 1e-6, "{measured:?}");
    }
}
