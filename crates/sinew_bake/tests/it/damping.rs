//! Damping means the same in every solver: velocities beyond what pins or nothing leave rigid fall by e^(−rate t), and so a swing's amplitude by e^(−rate t/2).

use crate::fixtures::{Bar, end_rows, fem, fem_descent, solvers, springs};
use sinew_bake::Method;
use sinew_direct::{Held, PinTo, Track3, Turn};
use sinew_math::{DVec3, dvec3};
use sinew_solve::fem::{FemParams, TimeScheme};
use sinew_solve::{Damping, Flesh};

/// Substeps of a second and a half: about three periods of the held bar's first swing.
const STEPS: u32 = 144;

fn midpoint() -> Method {
    Method::Fem(FemParams { time: TimeScheme::Midpoint, ..FemParams::default() })
}

/// How far a bar is bent in every step, held at one end or not at all.
fn swing(method: Method, damping: Damping, is_held: bool) -> Vec<f64> {
    let mut bar = Bar::new(method);
    bar.material.young_pa = 4.0e6;
    bar.material.damping = damping;
    let flesh = bar.flesh();
    let still = Turn(Track3::constant(DVec3::ZERO));
    let held = Held::new(end_rows(&flesh, -1.0), Track3::constant(DVec3::ZERO), still);
    let mut stage = if is_held { bar.directed_by("pin", PinTo { held }).stage() } else { bar.stage() };
    let mut state = stage.first_state();
    // Nearly the first mode; the others are smaller and quicker, and die sooner.
    let along = |x: f64| if is_held { (x + 0.5).powi(2) * (2.5 - x) / 2.0 } else { 2.0 * (x * x - 0.088) };
    for (v, x) in state.bodies[0].v.iter_mut().zip(&flesh.rest) {
        *v = dvec3(0.0, 0.3 * along(x.x), 0.0);
    }
    let mut found = Vec::new();
    for _ in 0..STEPS {
        stage.step(&mut state, &[]).unwrap();
        found.push(bent(&flesh, &state.bodies[0].x));
    }
    found
}

/// How far the ends are from the middle, across.
fn bent(flesh: &Flesh, x: &[DVec3]) -> f64 {
    let mean = |is_in: &dyn Fn(f64) -> bool| {
        let points: Vec<f64> = flesh.rest.iter().zip(x).filter(|(o, _)| is_in(o.x)).map(|(_, x)| x.y).collect();
        points.iter().sum::<f64>() / points.len() as f64
    };
    (mean(&|x| x > 0.499) + mean(&|x| x < -0.499) - 2.0 * mean(&|x| x.abs() < 0.01)).abs()
}

/// The rate at which damping lets a swing die against the same solver's without it: that which makes e^(−rate t/2) times the one as large as the other, in the mean of its
/// later two thirds.
fn rate(method: Method, damping: Damping, is_held: bool) -> f64 {
    let (damped, plain) = (swing(method, damping, is_held), swing(method, Damping::default(), is_held));
    let late = |of: &[f64], rate: f64| {
        let h = 1.0 / 96.0;
        let each = of.iter().enumerate().skip(of.len() / 3);
        each.map(|(step, bent)| (bent * (-0.5 * rate * h * (step + 1) as f64).exp()).powi(2)).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if late(&plain, middle) > late(&damped, 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Rates of wobble and Rayleigh's by mass, of bars held at one end and free ones.
#[test]
fn swings_die_at_the_rate_that_is_asked_for() {
    let asked = 1.6;
    let wobble = Damping { wobble_per_sec: asked, ..Damping::default() };
    let mass = Damping { rayleigh_mass_per_sec: asked, ..Damping::default() };
    let mut all = solvers().to_vec();
    all.push(("fem_midpoint", midpoint()));
    for is_held in [true, false] {
        for (name, method) in &all {
            // Of free bars under descent, what sweeps leave undone hides most of it: 0.36 is found.
            if *name == "fem_descent" && !is_held {
                continue;
            }
            let found = rate(*method, wobble, is_held);
            println!("{name}, held {is_held}: {found:.3} per second for {asked}");
            // Held bars of shape matching, whose regions are fewer than their points, lose 15 % less than is asked for.
            let most = if *name == "shape_matching" { 0.2 } else { 0.15 };
            assert!((found / asked - 1.0).abs() < most, "{name}, held {is_held}: {found} per second for {asked}");
        }
        for (name, method) in [("fem", fem()), ("fem_descent", fem_descent()), ("springs", springs())] {
            let (found, same) = (rate(method, mass, is_held), rate(method, wobble, is_held));
            assert!((found / same - 1.0).abs() < 1e-6, "{name}: by mass {found}, wobble {same}");
        }
    }
}

/// What hangs at rest hangs where it would without damping: damping holds nothing up.
#[test]
fn damping_holds_nothing_up() {
    use sinew_direct::Gravity;
    for (name, method) in solvers() {
        let sag = |wobble_per_sec: f64| {
            let mut bar = Bar::new(method);
            bar.material.young_pa = 4.0e6;
            bar.material.damping = Damping { wobble_per_sec, rayleigh_stiffness_secs: 0.02, ..Damping::default() };
            let flesh = bar.flesh();
            let still = Turn(Track3::constant(DVec3::ZERO));
            let held = Held::new(end_rows(&flesh, -1.0), Track3::constant(DVec3::ZERO), still);
            let down = Gravity { metres_per_sec2: Track3::constant(dvec3(0.0, -9.81, 0.0)) };
            let mut stage = bar.directed_by("pin", PinTo { held }).directed_by("gravity", down).stage();
            let mut state = stage.first_state();
            crate::fixtures::play(&mut stage, &mut state, 144);
            bent(&flesh, &state.bodies[0].x)
        };
        let (light, heavy) = (sag(4.0), sag(12.0));
        println!("{name}: {light:.5} m, {heavy:.5} m");
        assert!((heavy / light - 1.0).abs() < 0.02, "{name}: {light} m lightly damped, {heavy} m heavily");
    }
}
