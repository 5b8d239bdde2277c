use super::*;
use crate::track::tests::now_at;
use sinew_geom::structured::bar;
use sinew_math::{DQuat, dvec3};
use sinew_solve::{BodyId, BodyState, Cues, Material, Memory};

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
    let seen = Seen { body: BodyId(0), flesh, state: &state, contacts: &[], body_contacts: &[], input: &[] };
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

#[test]
fn what_does_not_work_is_told_before_it_hurts() {
    let (flesh, strength) =
        (bar_flesh(), Strength { young_pa: 1e5, density_kg_m3: Material::default().density_kg_m3, step_secs: None });
    let of = |at: DVec3, parts: Vec<Part>, most_n: f64| {
        troubles(&made(&flesh, at, parts, Measured::Nothing), &flesh, &strength, most_n)
    };
    assert_eq!(of(DVec3::ZERO, stretch(CYLINDERS), 10.0), []);
    let far = Cylinders { near_m: 2.0, ..CYLINDERS };
    assert!(matches!(of(DVec3::ZERO, stretch(far), 10.0)[..], [Trouble::Empty { region: 0 }, Trouble::Empty { .. }]));
    // Figure 14: the cylinders stand beside the body's axis.
    let beside = of(dvec3(0.0, 0.1, 0.0), bend(JOINT), 10.0);
    assert!(beside.is_empty() || matches!(beside[..], [Trouble::Spins { .. }]), "{beside:?}");
    assert!(matches!(of(DVec3::ZERO, stretch(CYLINDERS), 1e6)[..], [Trouble::TooStrong { .. }]));
}

/// A solver without a modulus bears what moves a region by a quarter of its size in one step: four times as much in half the time.
#[test]
fn without_a_modulus_the_step_tells_what_is_borne() {
    let (flesh, density_kg_m3) = (bar_flesh(), Material::default().density_kg_m3);
    let metaphor = made(&flesh, DVec3::ZERO, stretch(CYLINDERS), Measured::Stretch);
    let bears = |step_secs| bears_n(&metaphor, &flesh, &Strength { young_pa: 1e12, density_kg_m3, step_secs });
    let [slow, fast] = [0.01, 0.005].map(|secs| bears(Some(secs)));
    assert!((fast / slow - 4.0).abs() < 1e-12 && fast < 0.1 * bears(None), "{slow} {fast} {}", bears(None));
    let mass = |points: &[u32]| points.iter().map(|&point| flesh.mass_kg[point as usize]).sum::<f64>();
    let mass_kg = metaphor.regions().map(mass).fold(f64::INFINITY, f64::min);
    let moved_m = slow / mass_kg * 0.01 * 0.01;
    assert!((moved_m / (mass_kg / density_kg_m3).cbrt() - 0.25).abs() < 1e-12, "{moved_m}");
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
        let seen =
            Seen { body: BodyId(0), flesh: &flesh, state: &state, contacts: &[], body_contacts: &[], input: &[] };
        let mut cues = Cues::default();
        metaphor
            .cue(now_at(5.0), &seen, &mut DirectorState::Nothing, &mut CueWriter::new(&flesh, &mut cues, 1.0))
            .unwrap();
        let x: Vec<DVec3> = (0..flesh.point_count()).map(|i| cues.rest(&flesh, i)).collect();
        let (.., got) = measured.value(&metaphor, &flesh, metaphor.widget.at_rest(), &x).unwrap();
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

/// The bound of a press is lower than that of a pull, whichever way it is written.
#[test]
fn what_is_pressed_together_is_bounded_before_it_turns_inside_out() {
    let flesh = bar_flesh();
    let bounded = |parts: Vec<Part>, measured: Measured, newton: f64| {
        let mut metaphor = made(&flesh, DVec3::ZERO, parts, measured);
        (metaphor.most_newton, metaphor.newton) = (100.0, newton.into());
        metaphor.magnitude_n(1.0)
    };
    assert_eq!([1e9, -1e9].map(|n| bounded(stretch(CYLINDERS), Measured::Stretch, n)), [100.0, -30.0]);
    assert_eq!([1e9, -1e9].map(|n| bounded(compress(CYLINDERS), Measured::Compression, n)), [30.0, -100.0]);
    assert_eq!([1e9, -1e9].map(|n| bounded(bend(JOINT), Measured::Bend, n)), [100.0, -100.0]);
}
