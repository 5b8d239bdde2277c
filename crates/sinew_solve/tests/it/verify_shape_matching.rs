//! Closed-form answers that shape matching must give.

use crate::matching::{Alone, Noise, bar_flesh, cloth_flesh, off_shape};
use sinew_math::{DMat3, DQuat, DVec3, Sym3, dvec3};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingError, ShapeMatchingParams, ShapeMatchingSolver};
use sinew_solve::{Contact, Drag, Friction, Goal, Material, Other, Pin, Row};

/// Known answer 6: x_n = x_0 + n h v_0 + g h² n(n+1)/2, to rounding; with wobble damping, which must not notice.
#[test]
fn free_fall_is_exact() {
    let flesh = bar_flesh();
    let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 3, ..Default::default() }, 8.0);
    let (g, v0) = (dvec3(0.0, -9.81, 0.0), dvec3(1.0, 2.0, -0.5));
    body.state.v.fill(v0);
    body.cues.force_n = flesh.mass_kg.iter().map(|m| g * *m).collect();
    let steps = 500;
    body.steps(steps);
    let (n, h) = (steps as f64, body.h_secs);
    let fallen = v0 * (n * h) + g * (h * h * n * (n + 1.0) / 2.0);
    for (x0, x) in flesh.rest.iter().zip(&body.state.x) {
        let off = x.distance(*x0 + fallen);
        assert!(off < 1e-14 * fallen.length() * n, "off by {off} m of {}", fallen.length());
    }
}

/// The same stretch T everywhere: the body settles to T x0 up to a rigid motion, along any axes.
#[test]
fn uniform_stretch_gives_exactly_the_stretched_shape() {
    for (name, flesh) in [("bar", bar_flesh()), ("cloth", cloth_flesh())] {
        let axes = DMat3::from_quat(DQuat::from_axis_angle(dvec3(1.0, 2.0, 3.0).normalize(), 0.8));
        let ln_t = Sym3::along(axes.x_axis, 0.4) + Sym3::along(axes.y_axis, -0.25) + Sym3::along(axes.z_axis, -0.15);
        let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 6, ..Default::default() }, 3.0);
        body.cues.log_stretch = vec![ln_t; flesh.point_count()];
        body.steps(1500);
        let t = ln_t.exp().to_mat();
        let stretched: Vec<DVec3> = flesh.rest.iter().map(|x| t * *x).collect();
        let off = off_shape(&flesh, &body.state.x, &stretched);
        assert!(off < 2e-6 * flesh.size_m(), "{name} is off by {off} m");
        assert!(body.energy() < 1e-6, "{} J", body.energy());
    }
}

/// A key shape is taken on, and a stretch along a fibre turns with it: bent by 90° about z, ln T along x stretches
/// along y. T' = R_o T R_oᵀ, never T applied in the axes of x0.
#[test]
fn stretch_turns_with_the_key_shape() {
    let flesh = bar_flesh();
    let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 6, ..Default::default() }, 3.0);
    body.cues.rest_offset = flesh.rest.iter().map(|x| turn * *x * 1.1 - *x).collect();
    body.cues.log_stretch = vec![Sym3::along(DVec3::X, 0.3); flesh.point_count()];
    body.steps(1500);
    let t = Sym3::along(DVec3::Y, 0.3).exp().to_mat();
    let wanted: Vec<DVec3> = flesh.rest.iter().map(|x| t * (turn * *x * 1.1)).collect();
    let off = off_shape(&flesh, &body.state.x, &wanted);
    assert!(off < 3e-6 * flesh.size_m(), "off by {off} m");
    // And back to plain x0 once nothing is asked.
    body.cues.clear();
    body.steps(1500);
    assert!(off_shape(&flesh, &body.state.x, &flesh.rest) < 3e-6 * flesh.size_m());
}

/// More passes carry a push farther: the bar held at one end sags less (fig. 8).
#[test]
fn more_passes_are_stiffer() {
    let flesh = bar_flesh();
    let sag = |iterations: u32| {
        let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations, ..Default::default() }, 3.0);
        let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
        let held = (0..flesh.point_count()).filter(|&i| flesh.rest[i].x < end);
        body.cues.pins = held.map(|i| Pin { at: Row(i as u32), to: flesh.rest[i], velocity: DVec3::ZERO }).collect();
        body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -1.0, 0.0) * *m).collect();
        body.steps(1500);
        -body.state.x.iter().map(|x| x.y).fold(f64::MAX, f64::min)
    };
    let (soft, middle, stiff) = (sag(0), sag(2), sag(8));
    assert!(soft > 1.15 * middle && middle > 1.1 * stiff, "{soft} {middle} {stiff}");
}

/// A painted stiffness of a third sags about three times as far.
#[test]
fn stiffness_scales_the_pull() {
    let flesh = bar_flesh();
    let gap = |factor: f64| {
        let params = ShapeMatchingParams { iterations: 0, pull: 0.9, ..Default::default() };
        let mut body = Alone::new(&flesh, params, 3.0);
        body.h_secs = sinew_solve::shape_matching::REFERENCE_STEP_SECS;
        let ends = [0usize, flesh.point_count() - 1];
        body.cues.pins = ends.map(|i| Pin { at: Row(i as u32), to: flesh.rest[i], velocity: DVec3::ZERO }).to_vec();
        body.cues.stiffness = vec![factor; flesh.point_count()];
        body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, 0.0, -0.05) * *m).collect();
        body.steps(3000);
        body.energy() / factor
    };
    // Static and small: the gap is g h²/α at every free point, and energy/k goes with its square.
    let ratio = (gap(1.0 / 3.0) / gap(1.0)).sqrt();
    assert!((ratio - 3.0).abs() < 0.15, "{ratio}");
}

/// A body whose every point has a goal is one critically damped spring: implicit Euler gives
/// v' = (v + h (to − x)/τ² + 2 h u/τ) / (1 + h/τ)², and with small steps it follows 1 − (1 + t/τ) e^(−t/τ).
#[test]
fn goals_settle_like_a_critically_damped_spring() {
    let flesh = bar_flesh();
    let (tau, to) = (0.25, dvec3(0.4, -0.2, 0.1));
    let mut body = Alone::new(&flesh, ShapeMatchingParams::default(), 2.0);
    body.h_secs = 1e-3;
    body.cues.goals = (0..flesh.point_count())
        .map(|i| Goal { at: Row(i as u32), to: flesh.rest[i] + to, velocity: DVec3::ZERO, settle_secs: tau })
        .collect();
    let (mut x, mut v) = (DVec3::ZERO, DVec3::ZERO);
    for _ in 0..600 {
        body.step();
        let share = body.h_secs / tau;
        v = (v + (to - x) * (share / tau)) / ((1.0 + share) * (1.0 + share));
        x += v * body.h_secs;
    }
    let gone = body.state.x[11] - flesh.rest[11];
    assert!(gone.distance(x) < 1e-9, "{gone} {x}");
    let t = 0.6 / tau;
    let analytic = to * (1.0 - (1.0 + t) * (-t).exp());
    assert!(gone.distance(analytic) < 5e-3 * to.length(), "{gone} {analytic}");
}

/// Implicit drag D = m d on every point slows a body by 1/(1 + h d) a step, towards the wind.
#[test]
fn drag_slows_by_the_implicit_law() {
    let flesh = bar_flesh();
    let (rate, wind) = (7.0, dvec3(0.0, 0.5, 0.0));
    let mut body = Alone::new(&flesh, ShapeMatchingParams::default(), 0.0);
    let v0 = dvec3(2.0, 0.0, -1.0);
    body.state.v.fill(v0);
    let drag = |i: usize| Drag { at: Row(i as u32), matrix: Sym3::IDENTITY * (rate * flesh.mass_kg[i]), wind };
    body.cues.drag = (0..flesh.point_count()).map(drag).collect();
    body.steps(60);
    let expected = wind + (v0 - wind) * (1.0 + body.h_secs * rate).powi(-60);
    assert!(body.state.v.iter().all(|v| v.distance(expected) < 1e-10));
}

/// Drag split among two cues and a goal on the same point are solved together, not one after the other.
#[test]
fn what_acts_on_one_point_is_solved_together() {
    let flesh = bar_flesh();
    let run = |split: bool| {
        let mut body = Alone::new(&flesh, ShapeMatchingParams { pull: 0.0, ..Default::default() }, 0.0);
        body.state.v.fill(DVec3::X);
        let whole = Sym3::IDENTITY * (30.0 * flesh.mass_kg[4]);
        let drag = |share: f64| Drag { at: Row(4), matrix: whole * share, wind: DVec3::Y };
        body.cues.drag = if split { vec![drag(0.3), drag(0.7)] } else { vec![drag(1.0)] };
        body.cues.goals = vec![Goal { at: Row(4), to: DVec3::ZERO, velocity: DVec3::ZERO, settle_secs: 0.01 }];
        body.steps(3);
        body.state.v[4]
    };
    assert!(run(true).distance(run(false)) < 1e-12);
}

/// Rows over several points obey the same laws with their effective mass 1/Σ(w²/m).
#[test]
fn rows_of_several_points_settle_like_single_ones() {
    let mut flesh = (*bar_flesh()).clone();
    let row = flesh.anchors.push([(3, 0.5), (20, 0.25), (41, 0.25)]);
    let flesh = std::sync::Arc::new(flesh);
    let (tau, to) = (0.05, flesh.anchors.at(row, &flesh.rest) + DVec3::Y);
    let mut body = Alone::new(&flesh, ShapeMatchingParams { pull: 0.0, ..Default::default() }, 0.0);
    let goal = Goal { at: row, to, velocity: DVec3::ZERO, settle_secs: tau };
    body.cues.goals = vec![goal];
    let (mut x, mut v) = (to - DVec3::Y, DVec3::ZERO);
    for _ in 0..20 {
        body.step();
        let share = body.h_secs / tau;
        v = (v + (to - x) * (share / tau)) / ((1.0 + share) * (1.0 + share));
        x += v * body.h_secs;
    }
    assert!(flesh.anchors.at(row, &body.state.x).distance(x) < 1e-9);
}

/// Pins hold position and velocity exactly, single points and rows of several; reactions carry the weight.
#[test]
fn pins_are_exact_and_carry_the_weight() {
    let mut flesh = (*bar_flesh()).clone();
    let row = flesh.anchors.push([(8, 0.5), (30, 0.5)]);
    let shared = flesh.anchors.push([(8, 0.25), (50, 0.75)]);
    let flesh = std::sync::Arc::new(flesh);
    let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 4, ..Default::default() }, 4.0);
    body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81, 0.0) * *m).collect();
    let speed = dvec3(0.02, 0.0, 0.0);
    let at = [Row(0), Row(8), row, shared];
    let start = at.map(|row| flesh.anchors.at(row, &flesh.rest));
    let mut carried = DVec3::ZERO;
    for step in 1..=3000u32 {
        let moved = speed * (body.h_secs * f64::from(step));
        body.cues.pins = at.iter().zip(start).map(|(&at, x)| Pin { at, to: x + moved, velocity: speed }).collect();
        body.step();
        for pin in &body.cues.pins {
            let off = flesh.anchors.at(pin.at, &body.state.x).distance(pin.to);
            let slip = flesh.anchors.at(pin.at, &body.state.v).distance(pin.velocity);
            assert!(off < 1e-12 && slip < 1e-10, "off by {off} m, {slip} m/s");
        }
        assert_eq!(body.state.x[8], body.cues.pins[1].to);
        assert_eq!(body.state.v[8], speed);
        carried = body.report.reactions.iter().map(|reaction| reaction.force_n).sum();
    }
    let weight = flesh.total_mass_kg() * 9.81;
    assert!(carried.distance(DVec3::Y * weight) < 1e-3 * weight, "{carried} for {weight}");
}

/// On a floor nothing goes below it, and friction stops a slide: v² / (2 μ g) far.
#[test]
fn a_bar_slides_as_far_as_friction_lets_it() {
    let flesh = bar_flesh();
    let (mu, speed, g) = (0.4, 1.5, 9.81);
    let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations: 8, ..Default::default() }, 5.0);
    let floor = flesh.rest.iter().map(|x| x.y).fold(f64::MAX, f64::min);
    body.state.v.fill(DVec3::X * speed);
    body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -g, 0.0) * *m).collect();
    for _ in 0..400 {
        body.contacts = flesh
            .surface_rows
            .iter()
            .map(|&at| Contact {
                at,
                other: Other::Obstacle(0),
                normal: DVec3::Y,
                gap_m: 0.0,
                point: DVec3::Y * floor,
                surface_velocity: DVec3::ZERO,
                friction: Friction::even(mu),
                along: DVec3::ZERO,
            })
            .collect();
        body.step();
        assert!(body.state.x.iter().all(|x| x.y > floor - 1e-9));
    }
    let slid = body.momenta().0.x;
    let expected = speed * speed / (2.0 * mu * g);
    assert!((slid / expected - 1.0).abs() < 0.1, "{slid} m for {expected} m");
    assert!(body.momenta().1.length() < 1e-2 * flesh.total_mass_kg());
}

/// Wobble dies by e^(−rate t), whatever the step, and a painted factor scales the rate.
#[test]
fn wobble_dies_at_its_rate() {
    let flesh = bar_flesh();
    for (h_secs, factor) in [(0.01, 1.0), (0.0025, 1.0), (0.01, 2.5)] {
        let mut body = Alone::new(&flesh, ShapeMatchingParams { pull: 0.0, ..Default::default() }, 3.0);
        body.h_secs = h_secs;
        body.cues.damping = vec![factor; flesh.point_count()];
        let mut noise = Noise(5);
        // Velocities without any rigid part: opposite pairs would do; noise minus its momentum does too.
        body.state.v.iter_mut().for_each(|v| *v = noise.vector());
        let rigid = |body: &Alone| sinew_solve::body_motion(&flesh, &flesh.rest, &body.state);
        let wobble = |body: &Alone| {
            let motion = rigid(body);
            let rest = body.state.x.iter().zip(&body.state.v);
            rest.map(|(x, v)| (*v - motion.velocity - motion.spin.cross(*x - motion.centre)).length_squared())
                .sum::<f64>()
        };
        let before = wobble(&body).sqrt();
        // One step only: without any pull points drift apart, and the rigid motion with them.
        body.step();
        let left = wobble(&body).sqrt() / before;
        let expected = (-3.0 * factor * h_secs).exp();
        assert!((left - expected).abs() < 2e-3, "{left} for {expected}");
    }
}

#[test]
fn bad_bodies_are_refused_by_number() {
    let body = |params: ShapeMatchingParams, mass: Option<f64>| {
        let mut flesh = (*bar_flesh()).clone();
        if let Some(mass) = mass {
            flesh.mass_kg[3] = mass;
        }
        let good = ShapeMatchingBody { flesh: bar_flesh(), material: Default::default(), params: Default::default() };
        let bad = ShapeMatchingBody { flesh: flesh.into(), params, ..good.clone() };
        ShapeMatchingSolver::new(vec![good, bad]).err()
    };
    let pull = ShapeMatchingParams { pull: 1.5, ..Default::default() };
    assert_eq!(body(pull, None), Some(ShapeMatchingError::Pull { body: 1, pull: 1.5 }));
    let error = body(ShapeMatchingParams::default(), Some(-1.0)).unwrap();
    assert_eq!(error.to_string(), "point 3 weighs -1 kg, expected a finite mass of 0 or more");
    assert!(body(ShapeMatchingParams { foresight: f64::NAN, ..Default::default() }, None).is_some());
    // A point without mass is no reason to fail: it follows its neighbours.
    assert_eq!(body(ShapeMatchingParams::default(), Some(0.0)), None);
}

/// PD-67: the shape of many passes from few. A bar held at one end sags by gravity; blended passes give its shape at
/// every step, though as many plain ones are nowhere near it.
#[test]
fn few_blended_passes_give_the_shape_of_many_plain_ones() {
    let flesh = bar_flesh();
    let run = |iterations: u32, passes: Option<u32>| {
        let mut body = Alone::new(&flesh, ShapeMatchingParams { iterations, passes, ..Default::default() }, 2.0);
        let end = flesh.rest.iter().map(|x| x.x).fold(f64::MAX, f64::min) + 1e-9;
        let held = (0..flesh.point_count()).filter(|&i| flesh.rest[i].x < end);
        body.cues.pins = held.map(|i| Pin { at: Row(i as u32), to: flesh.rest[i], velocity: DVec3::ZERO }).collect();
        body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81, 0.0) * *m).collect();
        (0..200)
            .map(|_| {
                body.step();
                body.state.x.clone()
            })
            .collect::<Vec<_>>()
    };
    let rms = |a: &[Vec<DVec3>], b: &[Vec<DVec3>]| {
        let squares: f64 = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.distance_squared(*b)).sum();
        (squares / (a.len() * flesh.point_count()) as f64).sqrt() / flesh.size_m()
    };
    for (iterations, passes) in [(6, 3), (30, 7), (100, 13)] {
        let wanted = run(iterations, None);
        let (blended, plain) = (rms(&wanted, &run(iterations, Some(passes))), rms(&wanted, &run(passes - 1, None)));
        assert!(blended < 0.005 && blended < 0.1 * plain, "N {iterations} in {passes}: {blended}, plain {plain}");
    }
}

/// A stiff bar that swings from one of its points: what its pin is said to hold it with, and its weight, are all that changes its momentum;
/// and it stays as long as it is.
#[test]
fn the_reaction_of_a_hinge_is_what_holds_the_body() {
    let flesh = bar_flesh();
    let mut body = Alone::passes(&flesh, 1);
    let material = Material { young_pa: 1.0e7, ..Material::default() };
    let params = ShapeMatchingParams { iterations: 1, ..ShapeMatchingParams::default() };
    body.solver = ShapeMatchingSolver::new(vec![ShapeMatchingBody { flesh: flesh.clone(), material, params }]).unwrap();
    let end = (0..flesh.point_count()).min_by(|&a, &b| flesh.rest[a].x.total_cmp(&flesh.rest[b].x)).unwrap();
    body.cues.pins = vec![Pin { at: Row(end as u32), to: flesh.rest[end], velocity: DVec3::ZERO }];
    body.cues.force_n = flesh.mass_kg.iter().map(|m| dvec3(0.0, -9.81, 0.0) * *m).collect();
    let weight: DVec3 = body.cues.force_n.iter().sum();
    let momentum = |body: &Alone| -> DVec3 { body.state.v.iter().zip(&flesh.mass_kg).map(|(v, m)| *v * *m).sum() };
    for step in 0..200 {
        let before = momentum(&body);
        body.step();
        let held: DVec3 = body.report.reactions.iter().map(|reaction| reaction.force_n).sum();
        let off = momentum(&body) - before - (held + weight) * body.h_secs;
        assert!(off.length() < 1e-6 * weight.length() * body.h_secs, "step {step}: {held} N, off by {off} N s");
    }
    let longest = |x: &[DVec3]| x.iter().map(|x| x.distance(flesh.rest[end])).fold(0.0, f64::max);
    let stretch = longest(&body.state.x) / longest(&flesh.rest);
    assert!((stretch - 1.0).abs() < 0.03, "drawn out to {stretch}");
}
