//! Springs against closed forms: oscillators, tension, momentum, order of the inner steps, and what they make of extreme input.

use sinew_geom::structured::{bar, cloth};
use sinew_geom::{Row, Rows};
use sinew_math::{DQuat, DVec3, Sym3, dvec3};
use sinew_solve::springs::{Network, Spring, SpringKind, SpringsBody, SpringsMethod, SpringsParams, SpringsSolver};
use sinew_solve::{BodyState, Cells, Cues, Damping, Flesh, Goal, Material, Memory, Pin, Solver, StepInput, StepReport};
use std::sync::Arc;

fn adaptive(tolerance: f64) -> SpringsParams {
    SpringsParams { method: SpringsMethod::Adaptive, error_tolerance: tolerance, ..SpringsParams::default() }
}

fn exact_implicit() -> SpringsParams {
    SpringsParams { newton_tolerance: 1e-12, newton_iterations: 40, ..SpringsParams::default() }
}

/// Two points of 1 kg, one metre apart, and the spring between them.
fn oscillator(stiffness: f64, damping: f64, params: SpringsParams) -> SpringsSolver {
    let flesh = Flesh {
        rest: vec![DVec3::ZERO, DVec3::X],
        mass_kg: vec![1.0, 1.0],
        cells: Cells::Shell(Vec::new()),
        lattice: None,
        anchors: Rows::identity(2),
        surface_rows: Vec::new(),
        surface_triangles: Vec::new(),
        file_order: vec![0, 1],
    };
    let one =
        Spring { ends: [0, 1], kind: SpringKind::Structural, stiffness_n_per_m: stiffness, damping_n_s_per_m: damping };
    let network = Network { springs: vec![one] };
    let body = SpringsBody { flesh: Arc::new(flesh), material: still(), params, network };
    SpringsSolver::new(vec![body]).unwrap()
}

/// A material that only springs damp.
fn still() -> Material {
    Material { young_pa: 1.0e5, damping: Damping::default(), ..Material::default() }
}

fn step(solver: &mut SpringsSolver, states: &mut [BodyState], cues: &[Cues], h_secs: f64) -> StepReport {
    let contacts = vec![Vec::new(); states.len()];
    let mut report = StepReport::default();
    let input = StepInput { cues, contacts: &contacts, touching: &[], h_secs, stop: None };
    solver.step(states, &input, &mut report).unwrap();
    report
}

fn stretched(solver: &SpringsSolver, by: f64) -> [BodyState; 1] {
    let mut state = solver.rest_state(0);
    state.x[0].x -= 0.5 * by;
    state.x[1].x += 0.5 * by;
    [state]
}

fn pulled(state: &BodyState) -> f64 {
    (state.x[1] - state.x[0]).x - 1.0
}

/// Known answer 7: an undamped spring under implicit Euler loses (1 + ω²h²)^(−1/2) of its amplitude in a step, exactly. With
/// s = stretch and w = its rate, that amplitude is √(s² + w²/ω²).
#[test]
fn implicit_euler_damps_an_oscillation_as_theory_says() {
    for h in [1e-3, 1e-2, 0.1] {
        let (k, omega_square) = (200.0, 400.0);
        let mut solver = oscillator(k, 0.0, exact_implicit());
        let mut states = stretched(&solver, 0.2);
        let amplitude = |state: &BodyState| {
            let rate = state.v[1].x - state.v[0].x;
            (pulled(state).powi(2) + rate * rate / omega_square).sqrt()
        };
        for _ in 0..20 {
            let before = amplitude(&states[0]);
            step(&mut solver, &mut states, &[Cues::default()], h);
            let (after, theory) = (amplitude(&states[0]), before / (1.0 + omega_square * h * h).sqrt());
            assert!((after - theory).abs() < 1e-10, "h {h}: {after} instead of {theory}");
        }
    }
}

/// The exact stretch of a damped oscillator s̈ + 2c ṡ + 2k s = 0 that starts at rest, and its rate.
fn damped(k: f64, c: f64, from: f64, t: f64) -> (f64, f64) {
    let omega = (2.0 * k - c * c).sqrt();
    let decayed = from * (-c * t).exp();
    let stretch = decayed * ((omega * t).cos() + c / omega * (omega * t).sin());
    (stretch, -decayed * 2.0 * k / omega * (omega * t).sin())
}

/// One interval, taken in n inner steps by n times shorter intervals whose error is not asked for: the error falls by four when n doubles.
#[test]
fn inner_steps_are_of_second_order() {
    let (k, c) = (200.0, 0.5);
    let error = |steps: u32| {
        let h = 0.5 / f64::from(steps);
        let mut solver = oscillator(k, c, adaptive(1e6));
        let mut states = stretched(&solver, 0.2);
        for _ in 0..steps {
            step(&mut solver, &mut states, &[Cues::default()], h);
            assert_eq!(solver.inner_steps(0), 1);
        }
        let (stretch, rate) = damped(k, c, 0.2, 0.5);
        let off = (states[0].v[1].x - states[0].v[0].x - rate) / (2.0 * k).sqrt();
        (pulled(&states[0]) - stretch).hypot(off)
    };
    let errors = [error(40), error(80), error(160), error(320)];
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.8..2.3).contains(&order), "order {order}: {errors:?}");
    }
}

/// Over one interval no point ends farther from the exact path than the tolerance allows, and inner steps grow as it is loosened.
#[test]
fn error_control_holds_its_tolerance() {
    let (k, c, h) = (200.0, 0.5, 1.0 / 24.0);
    let mut counts = Vec::new();
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-8] {
        let mut solver = oscillator(k, c, adaptive(tolerance));
        let mut states = stretched(&solver, 0.2);
        let mut steps = 0;
        for interval in 1..=24u32 {
            step(&mut solver, &mut states, &[Cues::default()], h);
            steps += solver.inner_steps(0);
            // Half of the stretch is at each point; errors of intervals add up at most.
            let off = 0.5 * (pulled(&states[0]) - damped(k, c, 0.2, h * f64::from(interval)).0).abs();
            let allowed = tolerance * f64::from(interval);
            assert!(off <= allowed, "tolerance {tolerance}: {off} m off after {interval} intervals, {allowed} allowed");
        }
        counts.push(steps);
    }
    assert!(counts.windows(2).all(|pair| pair[0] <= pair[1]) && counts[3] > 20 * counts[0], "{counts:?}");
}

/// What oscillates without damping never gains energy, for a thousand periods (two-stage schemes would gain).
#[test]
fn an_undamped_lattice_gains_no_energy() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 6], 1000.0).unwrap());
    let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), still(), adaptive(1e-2))]).unwrap();
    let mut states = [solver.rest_state(0)];
    for (x, rest) in states[0].x.iter_mut().zip(&flesh.rest) {
        *x += dvec3(0.02 * rest.z * rest.z * 8.0, 0.01 * rest.x, 0.0);
    }
    let cues = [Cues::default()];
    let total = |solver: &SpringsSolver, state: &BodyState| {
        let kinetic: f64 = state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| 0.5 * m * v.length_squared()).sum();
        kinetic + solver.energy(0, state, &cues[0])
    };
    let first = total(&solver, &states[0]);
    let mut highest = first;
    for _ in 0..2000 {
        step(&mut solver, &mut states, &cues, 0.005);
        highest = highest.max(total(&solver, &states[0]));
    }
    assert!(highest <= 1.002 * first, "from {first} J to {highest} J");
    let left = total(&solver, &states[0]) / first;
    assert!(left > 0.02, "it still moves: {left}");
}

/// Known answer 8: u = F L / E A. Pulled at both ends until it is at rest, by heavy damping.
fn measured_young(flesh: &Arc<Flesh>, length_m: f64, area_m2: f64, axis: DVec3, params: SpringsParams) -> f64 {
    let material = Material {
        young_pa: 1.0e5,
        damping: Damping { wobble_per_sec: 20.0, ..Damping::default() },
        ..Material::default()
    };
    let end = 0.5 * length_m - 1e-9;
    let mut cues = Cues { force_n: vec![DVec3::ZERO; flesh.point_count()], ..Cues::default() };
    let force_n = 1e-3 * material.young_pa * area_m2;
    // Even traction: each end point takes force as it has area, which its share of mass in the end tells.
    for sign in [1.0, -1.0] {
        let ends: Vec<usize> = (0..flesh.point_count()).filter(|&i| sign * flesh.rest[i].dot(axis) > end).collect();
        let mass: f64 = ends.iter().map(|&i| flesh.mass_kg[i]).sum();
        ends.iter().for_each(|&i| cues.force_n[i] = axis * (sign * force_n * flesh.mass_kg[i] / mass));
    }
    let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), material, params)]).unwrap();
    let mut states = [solver.rest_state(0)];
    let cues = [cues];
    for _ in 0..400 {
        step(&mut solver, &mut states, &cues, 0.05);
    }
    // Strain of the middle half, away from the ends.
    let mean = |sign: f64, of: &dyn Fn(usize) -> f64| {
        let near = |&i: &usize| (sign * flesh.rest[i].dot(axis) - 0.25 * length_m).abs() < 0.051 * length_m;
        let chosen: Vec<usize> = (0..flesh.point_count()).filter(near).collect();
        chosen.iter().map(|&i| of(i)).sum::<f64>() / chosen.len() as f64
    };
    let gone = |i: usize| states[0].x[i].dot(axis) - flesh.rest[i].dot(axis);
    let place = |i: usize| flesh.rest[i].dot(axis);
    let strain = (mean(1.0, &gone) - mean(-1.0, &gone)) / (mean(1.0, &place) - mean(-1.0, &place));
    force_n / area_m2 / strain
}

#[test]
fn a_stretched_bar_has_about_its_youngs_modulus() {
    let plain = SpringsParams::default();
    let tets = Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.2, 0.2), [20, 4, 4]), 1000.0).unwrap());
    let lattice = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 1.0), [5, 5, 21], 1000.0).unwrap());
    let sheet = Arc::new(Flesh::from_shell(&cloth(1.0, 0.3, [20, 6]), 1.0));
    let even = SpringsParams { bend: 0.0, ..plain };
    let all = [
        ("tets", measured_young(&tets, 1.0, 0.04, DVec3::X, plain), 0.1),
        (
            "tets with opposite corners",
            measured_young(&tets, 1.0, 0.04, DVec3::X, SpringsParams { opposite: true, ..plain }),
            0.2,
        ),
        ("lattice", measured_young(&lattice, 1.0, 0.04, DVec3::Z, plain), 0.02),
        ("sheet", measured_young(&sheet, 1.0, 0.3e-3, DVec3::X, even), 0.02),
    ];
    for (name, young, _) in all {
        println!("{name}: {young:.0} Pa of 100000 Pa");
    }
    for (name, young, most_off) in all {
        assert!((young / 1.0e5 - 1.0).abs() < most_off, "{name}: {young} Pa instead of 1e5 Pa");
    }
}

/// Known answer 5, and the derivative of the energy: the velocity that one short implicit step gives from rest is −h ∇W/m.
#[test]
fn forces_are_the_energys_gradient_and_sum_to_nothing() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.3, 0.2, 0.4), [3, 3, 4], 1000.0).unwrap());
    let solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), still(), adaptive(1e6))]).unwrap();
    let mut state = solver.rest_state(0);
    for (i, x) in state.x.iter_mut().enumerate() {
        *x += dvec3((i * 7 % 5) as f64, (i * 3 % 7) as f64, (i * 5 % 11) as f64) * 2e-3;
    }
    let cues = Cues {
        log_stretch: vec![Sym3 { xx: 0.1, yy: -0.05, zz: -0.05, ..Sym3::ZERO }; flesh.point_count()],
        stiffness: (0..flesh.point_count()).map(|i| 1.0 + (i % 3) as f64).collect(),
        ..Cues::default()
    };
    let h = 1e-9;
    let mut solver = solver;
    let mut after = [state.clone()];
    step(&mut solver, &mut after, std::slice::from_ref(&cues), h);
    let force = |i: usize| after[0].v[i] * (flesh.mass_kg[i] / h);
    let (mut net, mut torque) = (DVec3::ZERO, DVec3::ZERO);
    let mut size = 0.0;
    for i in 0..flesh.point_count() {
        net += force(i);
        torque += state.x[i].cross(force(i));
        size += force(i).length();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let moved = |by: f64| {
                let mut other = state.clone();
                other.x[i] += axis * by;
                solver.energy(0, &other, &cues)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((force(i).dot(axis) + slope).abs() < 1e-4 * force(i).length() + 1e-3, "point {i}");
        }
    }
    assert!(net.length() < 1e-9 * size && torque.length() < 1e-9 * size, "{net} N, {torque} N m of {size} N");
}

/// Momentum and angular momentum of a spinning, wobbling lattice in free flight (linear exact; angular of the order of the method).
#[test]
fn free_flight_keeps_momentum() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 5], 1000.0).unwrap());
    for params in [adaptive(1e-5), exact_implicit()] {
        let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), still(), params)]).unwrap();
        let mut states = [solver.rest_state(0)];
        let spin = dvec3(1.0, 2.0, 0.5);
        for (i, rest) in flesh.rest.iter().enumerate() {
            states[0].v[i] = dvec3(1.0, -0.5, 2.0) + spin.cross(*rest) + dvec3((i % 3) as f64 * 0.1, 0.0, 0.0);
        }
        let linear = |state: &BodyState| state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| *v * *m).sum::<DVec3>();
        let first = linear(&states[0]);
        for _ in 0..96 {
            step(&mut solver, &mut states, &[Cues::default()], 1.0 / 96.0);
        }
        let lost = linear(&states[0]).distance(first) / first.length();
        assert!(lost < 1e-12, "{lost} of the momentum");
    }
}

/// Pins lead one end on a path, a goal pulls the other: inner steps and implicit ones agree as the interval shrinks.
#[test]
fn both_methods_agree_on_a_slow_motion() {
    let flesh = Arc::new(Flesh::from_tets(bar(dvec3(0.6, 0.2, 0.2), [6, 2, 2]), 1000.0).unwrap());
    let material = Material {
        young_pa: 2.0e4,
        damping: Damping { rayleigh_stiffness_secs: 0.02, wobble_per_sec: 0.0, rayleigh_mass_per_sec: 2.0 },
        ..Material::default()
    };
    let run = |params: SpringsParams| {
        let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), material, params)]).unwrap();
        let mut states = [solver.rest_state(0)];
        let h: f64 = 1.0 / 480.0;
        for n in 1..=480u32 {
            let t = f64::from(n) * h;
            let mut cues = Cues::default();
            for (i, rest) in flesh.rest.iter().enumerate() {
                let row = Row(i as u32);
                if rest.x < -0.299 {
                    let lift = dvec3(0.0, 0.1 * (1.0 - (3.0 * t).cos()), 0.0);
                    let velocity = dvec3(0.0, 0.3 * (3.0 * t).sin(), 0.0);
                    cues.pins.push(Pin { at: row, to: *rest + lift, velocity });
                } else if rest.x > 0.299 {
                    let to = *rest + dvec3(0.05, 0.0, 0.1);
                    cues.goals.push(Goal { at: row, to, velocity: DVec3::ZERO, settle_secs: 0.1 });
                }
            }
            step(&mut solver, &mut states, &[cues], h);
        }
        states[0].x.clone()
    };
    let (implicit, inner) = (run(exact_implicit()), run(adaptive(1e-5)));
    let off = implicit.iter().zip(&inner).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(off < 0.01 * flesh.size_m(), "they differ by {off} m");
}

/// Whatever is asked: stiffness 10² to 10⁹ Pa, steps of 1/24 to 1/2400 s, forces a million times too large. Finite and bounded.
#[test]
fn extremes_stay_finite_and_bounded() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 6], 1000.0).unwrap());
    for method in [SpringsMethod::Implicit, SpringsMethod::Adaptive] {
        for young_pa in [1e2, 1e5, 1e9] {
            for h in [1.0 / 24.0, 1.0 / 96.0, 1.0 / 2400.0] {
                let material = Material { young_pa, ..still() };
                let params = SpringsParams { method, ..SpringsParams::default() };
                let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), material, params)]).unwrap();
                let mut states = [solver.rest_state(0)];
                let mut cues = [Cues::default()];
                cues[0].force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81 * m, 0.0)).collect();
                // A push and its opposite, a million times the weight, at two corners.
                cues[0].force_n[0] += dvec3(9.81e6, 0.0, 0.0) * flesh.mass_kg[0];
                cues[0].force_n[9] -= dvec3(9.81e6, 0.0, 0.0) * flesh.mass_kg[0];
                let mut far = 0.0f64;
                for _ in 0..12 {
                    step(&mut solver, &mut states, &cues, h);
                    assert!(states[0].first_not_finite().is_none(), "{method:?} {young_pa} {h}");
                    far = states[0].x.iter().map(|x| x.distance(states[0].origin)).fold(far, f64::max);
                }
                // No farther than the push alone would have taken a point that nothing holds.
                let time = 12.0 * h;
                assert!(far < 9.81e6 * time * time + 1.0, "{method:?} {young_pa} Pa, {h} s: {far} m away");
            }
        }
    }
}

/// Flattened, scattered and turned inside out: finite, bounded, and what can come back does.
#[test]
fn wrecked_starts_stay_finite_and_calm_down() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 6], 1000.0).unwrap());
    let material = Material {
        young_pa: 1e4,
        damping: Damping { rayleigh_stiffness_secs: 0.01, wobble_per_sec: 4.0, ..Damping::default() },
        ..Material::default()
    };
    type Spoil = fn(usize, DVec3) -> DVec3;
    let starts: [(&str, Spoil); 4] = [
        ("flattened", |_, x| dvec3(x.x, 0.0, x.z)),
        ("a point", |_, _| DVec3::ZERO),
        ("inside out", |_, x| dvec3(-x.x, x.y, x.z)),
        ("scattered", |i, x| x + dvec3((i * 7 % 5) as f64, (i * 3 % 7) as f64, (i * 5 % 11) as f64) * 0.05),
    ];
    for params in [SpringsParams::default(), adaptive(1e-3)] {
        for (name, start) in starts {
            let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), material, params)]).unwrap();
            let mut states = [solver.rest_state(0)];
            states[0].x.iter_mut().enumerate().for_each(|(i, x)| *x = start(i, *x));
            let first = solver.energy(0, &states[0], &Cues::default());
            for _ in 0..192 {
                step(&mut solver, &mut states, &[Cues::default()], 1.0 / 96.0);
                assert!(states[0].first_not_finite().is_none(), "{name}");
            }
            let (last, far) = (
                solver.energy(0, &states[0], &Cues::default()),
                states[0].x.iter().map(|x| x.distance(states[0].origin)).fold(0.0, f64::max),
            );
            assert!(far < 1.0, "{name}: {far} m across");
            assert!(last <= 0.2 * first + 1e-9, "{name}: {last} J left of {first} J");
        }
    }
}

/// What would take too many inner steps is stepped implicitly, and said once.
#[test]
fn too_stiff_for_inner_steps_is_said_once() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 6], 1000.0).unwrap());
    let material = Material { young_pa: 1e12, ..still() };
    let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh, material, adaptive(1e-4))]).unwrap();
    let mut states = [solver.rest_state(0)];
    let first = step(&mut solver, &mut states, &[Cues::default()], 1.0 / 24.0);
    assert!(first.warnings.len() == 1 && first.warnings[0].what.contains("implicit"), "{:?}", first.warnings);
    assert!(step(&mut solver, &mut states, &[Cues::default()], 1.0 / 24.0).warnings.is_empty());
}

/// Cues: a spring's length is |T R_oᵀ (o_j − o_i)|; a turned key shape with a stretch along the body's own axis has no energy in the
/// shape that it asks for.
#[test]
fn stretches_turn_with_the_key_shape() {
    let flesh = Arc::new(Flesh::from_tets(bar(dvec3(0.6, 0.2, 0.2), [6, 2, 2]), 1000.0).unwrap());
    let solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), still(), SpringsParams::default())]).unwrap();
    let turn = DQuat::from_axis_angle(dvec3(1.0, 2.0, 3.0).normalize(), 1.3);
    let cues = Cues {
        rest_offset: flesh.rest.iter().map(|x| turn * *x - *x).collect(),
        log_stretch: vec![Sym3 { xx: 0.4, yy: -0.2, zz: -0.2, ..Sym3::ZERO }; flesh.point_count()],
        ..Cues::default()
    };
    let mut state = solver.rest_state(0);
    let stretch = dvec3(0.4f64.exp(), (-0.2f64).exp(), (-0.2f64).exp());
    state.x.iter_mut().zip(&flesh.rest).for_each(|(x, rest)| *x = turn * (*rest * stretch));
    assert!(solver.energy(0, &state, &cues) < 1e-12 * 1e5 * 0.024);
    assert!(solver.energy(0, &solver.rest_state(0), &cues) > 1.0);
}

#[test]
fn wrong_springs_are_refused_by_number() {
    let flesh = Arc::new(Flesh::from_lattice(dvec3(0.2, 0.2, 0.5), [3, 3, 6], 1000.0).unwrap());
    let refused = |change: fn(&mut Spring)| {
        let mut body = SpringsBody::new(flesh.clone(), still(), SpringsParams::default());
        change(&mut body.network.springs[5]);
        SpringsSolver::new(vec![body]).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(refused(|spring| spring.ends = [3, 3]).contains("spring 5 joins point 3 with itself"));
    assert!(refused(|spring| spring.ends = [3, 999]).contains("point 999"));
    assert!(refused(|spring| spring.stiffness_n_per_m = -1.0).contains("not negative"));
    assert!(matches!(solver_memory(&flesh), Memory::Springs { .. }));
}

fn solver_memory(flesh: &Arc<Flesh>) -> Memory {
    let body = SpringsBody::new(flesh.clone(), still(), SpringsParams::default());
    SpringsSolver::new(vec![body]).unwrap().rest_state(0).memory
}
