//! Spin goes on: damping acts on deformation, and no step of any solver takes angular momentum from a body that nothing touches.

use crate::fixtures::{Bar, fem, fem_descent, has_inner_steps, play, solvers};
use sinew_bake::{Method, Stage};
use sinew_math::{DQuat, DVec3, dvec3};
use sinew_solve::fem::{FemMethod, FemParams, Smoothing, TimeScheme};
use sinew_solve::{
    BodyState, CueError, CueWriter, Damping, Director, DirectorState, Flesh, Now, Row, Seen, StageState,
};
use std::sync::Arc;

/// Every solver, and the ways through time and kinds of elements that FEM has beside its own.
fn every_way() -> Vec<(&'static str, Method)> {
    let fem = |params: FemParams| Method::Fem(params);
    let mut all = solvers().to_vec();
    all.push(("fem_midpoint", fem(FemParams { time: TimeScheme::Midpoint, ..FemParams::default() })));
    all.push(("fem_smoothed", fem(FemParams { smoothing: Smoothing::Edges, ..FemParams::default() })));
    all
}

fn angular_momentum(flesh: &Flesh, state: &BodyState) -> DVec3 {
    let centre = crate::fixtures::centre(flesh, &state.x);
    let points = state.x.iter().zip(&state.v).zip(&flesh.mass_kg);
    points.fold(DVec3::ZERO, |sum, ((x, v), m)| sum + (*x - centre).cross(*v) * *m)
}

/// A bar at rest in shape that spins about an axis that is none of its own.
fn spinning(bar: Bar, spin: DVec3) -> (Stage, StageState, Arc<Flesh>) {
    let flesh = bar.flesh();
    let stage = bar.stage();
    let mut state = stage.first_state();
    let BodyState { x, v, origin, .. } = &mut state.bodies[0];
    for (v, x) in v.iter_mut().zip(&*x) {
        *v += spin.cross(*x - *origin);
    }
    (stage, state, flesh)
}

/// What is left of angular momentum after ten seconds, as a share of what there was, and how far its direction is off.
fn kept(method: Method, damping: Damping, young_pa: f64, spin: DVec3) -> (f64, f64) {
    let mut bar = Bar::new(method);
    bar.cells = [6, 2, 2];
    bar.material.young_pa = young_pa;
    bar.material.damping = damping;
    let (mut stage, mut state, flesh) = spinning(bar, spin);
    let first = angular_momentum(&flesh, &state.bodies[0]);
    play(&mut stage, &mut state, 240);
    let last = angular_momentum(&flesh, &state.bodies[0]);
    (last.length() / first.length(), first.angle_between(last))
}

/// As in scenes whose damping is `none`, `heavy` and `light`.
const NONE: Damping = Damping { wobble_per_sec: 0.0, rayleigh_mass_per_sec: 0.0, rayleigh_stiffness_secs: 0.0 };
const HEAVY: Damping = Damping { wobble_per_sec: 15.0, rayleigh_mass_per_sec: 2.0, rayleigh_stiffness_secs: 0.04 };
const LIGHT: Damping = Damping { wobble_per_sec: 1.0, rayleigh_mass_per_sec: 0.0, rayleigh_stiffness_secs: 0.002 };

/// L is constant where no torque acts. Ten seconds, 6 rad/s, with and without damping.
#[test]
fn spin_goes_on() {
    for (name, method) in every_way() {
        for (damped, damping) in [("none", NONE), ("heavy", HEAVY)] {
            let (left, off) = kept(method, damping, 1.0e6, dvec3(1.0, 2.0, 5.5));
            println!("{name} {damped}: {left:.6} left, {off:.1e} rad off");
            // Inner steps go by their error tolerance.
            let bound = if has_inner_steps(&method) { 5e-3 } else { 1e-3 };
            assert!((left - 1.0).abs() < bound && off < 1e-3, "{name}, {damped}: {left} left, {off} rad off");
        }
    }
}

/// 30 rad/s about the axis of greatest inertia: a third of a radian in each step, and the bar is a fifth longer by what pulls its ends outwards.
#[test]
fn fast_spin_goes_on_under_heavy_damping() {
    for (name, method) in every_way() {
        let (left, _) = kept(method, HEAVY, 1.0e6, dvec3(0.0, 0.0, 30.0));
        println!("{name}: {left:.6} left");
        assert!((left - 1.0).abs() < 1e-3, "{name}: {left} left");
    }
}

/// A bar that spins about its middle is longer by ρ ω² L³ / 12 E (σ = ρ ω² (L²/4 − x²)/2), and stays so: giving back spin leaves the pull outwards as it is and
/// feeds no pulse, whatever the damping and the step.
#[test]
fn a_spinning_bar_is_as_long_as_theory_says() {
    let ways = every_way().into_iter().filter(|(name, _)| !name.ends_with("matching"));
    for (name, method) in ways {
        for (damped, damping, substeps) in
            [("heavy", HEAVY, 4), ("heavy", HEAVY, 16), ("light", LIGHT, 4), ("light", LIGHT, 16)]
        {
            let mut bar = Bar::new(method);
            bar.cells = [10, 2, 2];
            bar.material.young_pa = 1.0e6;
            bar.material.damping = damping;
            bar.substeps = substeps;
            let (mut stage, mut state, flesh) = spinning(bar, dvec3(0.0, 0.0, 8.0));
            play(&mut stage, &mut state, 72);
            let (mut least, mut most) = (f64::INFINITY, 0.0f64);
            for _ in 0..12 {
                play(&mut stage, &mut state, 1);
                let now = angular_momentum(&flesh, &state.bodies[0]).z;
                let points = state.bodies[0].x.iter().zip(&flesh.mass_kg);
                let inertia: f64 = points.map(|(x, m)| m * (x.x * x.x + x.y * x.y)).sum();
                let expected = 1000.0 * (now / inertia).powi(2) / (12.0 * 1.0e6);
                let longer = crate::fixtures::length(&flesh, &state.bodies[0].x) - 1.0;
                (least, most) = (least.min(longer / expected), most.max(longer / expected));
            }
            println!("{name}, {damped}, {substeps} substeps: {least:.4} to {most:.4} of what theory says");
            // Nets of springs are stiffer at their ends. The midpoint rule has stress half-way along chords, which are shorter by (hω)²/8, and damps against that.
            let (from, to) = if name == "fem_midpoint" && damped == "heavy" { (0.88, 1.25) } else { (0.88, 1.12) };
            assert!(least > from && most < to, "{name}, {damped}, {substeps} substeps: {least} to {most}");
        }
    }
}

/// What is given back to spin changes no linear momentum: a spinning bar flies as straight as any, 2 s at 54 m/s.
#[test]
fn spin_in_flight_does_not_bend_the_path() {
    for (name, method) in every_way() {
        let mut bar = Bar::new(method);
        bar.cells = [6, 2, 2];
        bar.velocity = dvec3(40.0, 30.0, -20.0);
        let (mut stage, mut state, flesh) = spinning(bar, dvec3(0.0, 4.0, 5.0));
        let first = crate::fixtures::centre(&flesh, &state.bodies[0].x);
        play(&mut stage, &mut state, 48);
        let off = crate::fixtures::centre(&flesh, &state.bodies[0].x).distance(first + dvec3(80.0, 60.0, -40.0));
        assert!(off < 1e-9, "{name}: {off} m beside its path");
    }
}

/// A turned scene gives the turned answer, spin included.
#[test]
fn the_answer_turns_with_the_scene() {
    let turn = DQuat::from_axis_angle(dvec3(0.3, -0.5, 0.8).normalize(), 1.1);
    for (name, method) in [("fem", fem()), ("fem_descent", fem_descent())] {
        let run = |turn: DQuat| {
            let mut bar = Bar::new(method);
            bar.cells = [6, 2, 2];
            bar.turn = turn;
            bar.material.damping = HEAVY;
            let (mut stage, mut state, flesh) = spinning(bar, turn * dvec3(1.0, 2.0, 5.5));
            play(&mut stage, &mut state, 24);
            angular_momentum(&flesh, &state.bodies[0])
        };
        let (plain, turned) = (run(DQuat::IDENTITY), run(turn));
        let off = (turn * plain).distance(turned) / plain.length();
        assert!(off < 1e-4, "{name}: {off}");
    }
}

/// One pin leaves a bar free to swing about it, and a line of pins to turn about the line. Without gravity it goes on for ever.
#[test]
fn a_bar_on_a_hinge_turns_on() {
    use sinew_direct::{Held, PinTo, Track3, Turn};
    let still = || Turn(Track3::constant(DVec3::ZERO));
    for (name, method) in every_way() {
        let mut bar = Bar::new(method);
        bar.cells = [6, 2, 2];
        bar.material.young_pa = 2.0e6;
        bar.material.damping = HEAVY;
        let flesh = bar.flesh();
        let hinge = |x: &DVec3| (x.x + 0.5).abs() < 1e-6 && (x.y + 0.1).abs() < 1e-6;
        let rows: Vec<_> = flesh.rest.iter().enumerate().filter(|(_, x)| hinge(x)).collect();
        let rows: Vec<_> = rows.iter().map(|(i, x)| (Row(*i as u32), **x)).collect();
        assert!(rows.len() >= 2);
        let pivot = rows[0].1;
        let held = Held::new(rows, Track3::constant(DVec3::ZERO), still());
        let mut stage = bar.directed_by("hinge", PinTo { held }).stage();
        let mut state = stage.first_state();
        for (v, x) in state.bodies[0].v.iter_mut().zip(&flesh.rest) {
            *v = dvec3(0.0, 0.0, 4.0).cross(*x - pivot);
        }
        let spin = |state: &StageState| {
            let BodyState { x, v, .. } = &state.bodies[0];
            let about = |((x, v), m): ((&DVec3, &DVec3), &f64)| (*x - pivot).cross(*v).z * m;
            x.iter().zip(v).zip(&flesh.mass_kg).map(about).sum::<f64>()
        };
        let first = spin(&state);
        play(&mut stage, &mut state, 120);
        let left = spin(&state) / first;
        println!("{name}: {left:.4} left");
        // Matching does not keep the momenta of a body with pins.
        let bound = if name == "shape_matching" { 0.4 } else { 0.1 };
        assert!((left - 1.0).abs() < bound, "{name}: {left} left");
    }
}

/// Free midpoint steps of stiff flesh without damping keep to the energy that they were given, whatever Newton's method makes of them.
#[test]
fn midpoint_steps_gain_no_energy() {
    for young_pa in [1.0e5, 1.0e7, 1.0e9] {
        let mut bar = Bar::new(Method::Fem(FemParams {
            time: TimeScheme::Midpoint,
            method: FemMethod::Newton,
            ..FemParams::default()
        }));
        bar.cells = [6, 2, 2];
        bar.material.young_pa = young_pa;
        bar.material.damping = NONE;
        let (mut stage, mut state, flesh) = spinning(bar, dvec3(0.0, 0.0, 6.0));
        // Bent as well, by a tenth of what spins.
        for (v, x) in state.bodies[0].v.iter_mut().zip(&flesh.rest) {
            v.y += 2.0 * (x.x * x.x - 0.08);
        }
        let kinetic = |state: &StageState| {
            state.bodies[0].v.iter().zip(&flesh.mass_kg).map(|(v, m)| 0.5 * m * v.length_squared()).sum::<f64>()
        };
        let first = kinetic(&state);
        let mut most = first;
        for _ in 0..240 {
            play(&mut stage, &mut state, 1);
            most = most.max(kinetic(&state));
        }
        println!("{young_pa:e} Pa: {first:.3} J, at most {most:.3} J, {:.3} J at the end", kinetic(&state));
        assert!(most < 1.03 * first, "{young_pa} Pa: from {first} J to {most} J");
        assert!(kinetic(&state) > 0.7 * first, "{young_pa} Pa: from {first} J to {} J", kinetic(&state));
    }
}

/// Forces around an axis through the body's centre, in proportion to mass: a torque that turns along with the body.
struct Around {
    axis: DVec3,
    newton_per_kg: f64,
    flesh: Arc<Flesh>,
}

impl Around {
    fn force_n(&self, i: usize, arm: DVec3) -> DVec3 {
        self.axis.cross(arm).normalize_or_zero() * (self.newton_per_kg * self.flesh.mass_kg[i])
    }
}

impl Director for Around {
    fn cue(&self, _: Now, seen: &Seen<'_>, _: &mut DirectorState, out: &mut CueWriter<'_>) -> Result<(), CueError> {
        for (i, x) in seen.state.x.iter().enumerate() {
            out.force(Row(i as u32), self.force_n(i, *x - seen.state.origin));
        }
        Ok(())
    }
}

/// The angle about z by which a body is turned from its rest shape.
fn turned(flesh: &Flesh, state: &BodyState) -> f64 {
    let centre = crate::fixtures::centre(flesh, &state.x);
    let add = |(sin, cos): (f64, f64), ((x, rest), m): ((&DVec3, &DVec3), &f64)| {
        let r = *x - centre;
        (sin + m * (rest.x * r.y - rest.y * r.x), cos + m * (rest.x * r.x + rest.y * r.y))
    };
    let (sin, cos) = state.x.iter().zip(&flesh.rest).zip(&flesh.mass_kg).fold((0.0, 0.0), add);
    sin.atan2(cos)
}

/// dL/dt = τ and dθ/dt = L/I, however stiff the body is beside its inertia (E h² / ρ w² from 3 to 3e6) and however damped: what an unfinished solve leaves
/// of inner torques is not the body's, damping feels deformation only, and places go as velocities say. It turns by a tenth of a radian in the last step.
#[test]
fn an_outer_torque_turns_stiff_bodies_as_it_should() {
    for (name, method) in every_way() {
        for (damped, damping) in [("none", NONE), ("heavy", HEAVY)] {
            for young_pa in [1e6, 1e8, 1e10, 1e12] {
                // Inner steps follow the speed of sound; soft bars are pulled long.
                if has_inner_steps(&method) && young_pa > 1e8 {
                    continue;
                }
                let mut bar = Bar::new(method);
                bar.cells = [6, 2, 2];
                bar.material.young_pa = young_pa;
                bar.material.damping = damping;
                let flesh = bar.flesh();
                let around = || Around { axis: DVec3::Z, newton_per_kg: 6.0, flesh: flesh.clone() };
                let torque = |i: usize| flesh.rest[i].cross(around().force_n(i, flesh.rest[i]));
                let torque: DVec3 = (0..flesh.point_count()).map(torque).sum();
                let mut stage = bar.directed_by("around", around()).stage();
                let mut state = stage.first_state();
                let (frames, mut angle_rad) = (12, 0.0);
                for _ in 0..frames {
                    play(&mut stage, &mut state, 1);
                    angle_rad += (turned(&flesh, &state.bodies[0]) - angle_rad).rem_euclid(std::f64::consts::TAU);
                }
                let secs = f64::from(frames) / 24.0;
                let gained = angular_momentum(&flesh, &state.bodies[0]);
                let wanted = torque * secs;
                let off = (gained - wanted).length() / wanted.length();
                let inertia: f64 =
                    flesh.rest.iter().zip(&flesh.mass_kg).map(|(x, m)| m * x.truncate().length_squared()).sum();
                let angle = angle_rad / (torque.z / inertia * secs * secs / 2.0);
                println!("{name}, {damped}, {young_pa:e} Pa: momentum {off:.1e} off, angle {angle:.4}");
                assert!(off < 0.02, "{name}, {damped}, {young_pa:e} Pa: {gained} for {wanted}");
                // Forces at the arms of a step's end are a step ahead (1/48); chords are shorter than arcs, and soft bars slower since they are longer.
                assert!(
                    (angle - 1.0).abs() < 0.05,
                    "{name}, {damped}, {young_pa:e} Pa: turned {angle} of what it should"
                );
            }
        }
    }
}
