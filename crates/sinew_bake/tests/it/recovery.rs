//! Recovery from tangles changes shapes, never the motion of the centre of mass or the spin; blows do not start it.

use crate::fixtures::written::built;
use sinew_bake::{Built, Stage};
use sinew_math::DVec3;
use sinew_math::rotation::mass_centre;
use sinew_solve::{StageState, angular_momentum};

const SOLVERS: [&str; 4] =
    ["kind = \"shape_matching\"", "kind = \"fem\"", "kind = \"fem\", method = \"descent\"", "kind = \"springs\""];

fn cube(solver: &str, more: &str) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 72]\n[[body]]\nname = \"cube\"\nskin = {{ model = \"bar\", size = [0.2, 0.2, 0.2] }}\n\
         at = [0.0, 0.6, 0.0]\nflesh = {{ kind = \"tets\", vertices = 125 }}\nsolver = {{ {solver} }}\n{more}"
    )
}

fn centre(built: &Built, state: &StageState) -> DVec3 {
    mass_centre(&state.bodies[0].x, &built.stage.bodies()[0].flesh.mass_kg)
}

fn velocity(built: &Built, state: &StageState) -> DVec3 {
    mass_centre(&state.bodies[0].v, &built.stage.bodies()[0].flesh.mass_kg)
}

/// Steps once and says what the user is told.
fn step(stage: &mut Stage, state: &mut StageState) -> Vec<String> {
    stage.step(state, &[]).unwrap().warnings.iter().map(|warning| warning.what.clone()).collect()
}

/// The first thing that a newcomer does. Soft and stiff, light and heavy: it stays below where it fell from, and falls by g whenever
/// nothing touches it.
#[test]
fn a_dropped_cube_does_not_fly() {
    for solver in SOLVERS {
        for material in ["preset = \"jelly\"", "preset = \"jelly\", density_kg_m3 = 8000.0", "preset = \"rubber\""] {
            let what = format!("{solver}, {material}");
            let floor = "[[obstacle]]\nshape = \"plane\"\n";
            let (mut built, mut state) = built(&cube(solver, &format!("material = {{ {material} }}\n{floor}")), 1);
            let h = 1.0 / 96.0;
            while state.tick < built.stage.clock().tick_of(72) {
                let before = velocity(&built, &state);
                step(&mut built.stage, &mut state);
                let height = centre(&built, &state).y;
                assert!(height < 0.601, "{what}: at {height} m, tick {}", state.tick);
                let lowest = state.bodies[0].x.iter().map(|x| x.y).fold(f64::MAX, f64::min);
                if lowest > 0.02 && built.stage.contacts()[0].is_empty() {
                    let gained = (velocity(&built, &state) - before) / h;
                    assert!((gained.y + 9.81).abs() < 1e-6, "{what}: falls by {gained} at tick {}", state.tick);
                }
            }
        }
    }
}

/// A body that begins strewn about finds its shape while it falls and spins: the centre falls as free bodies do, the angular
/// momentum stays, and the user is told once.
#[test]
fn recovery_keeps_the_fall_and_the_spin() {
    for solver in SOLVERS {
        let (mut built, mut state) =
            built(&cube(solver, "start = \"scattered\"\nmaterial = { damping = \"none\" }\n"), 1);
        let mass = built.stage.bodies()[0].flesh.mass_kg.clone();
        let middle = centre(&built, &state);
        let body = &mut state.bodies[0];
        let spin = DVec3::new(0.5, 2.0, -1.0);
        body.v.iter_mut().zip(&body.x).for_each(|(v, x)| *v += spin.cross(*x - middle));
        let first = angular_momentum(&mass, &state.bodies[0]);
        let h = 1.0 / 96.0;
        let mut told = 0;
        for n in 1..=96u32 {
            let before = angular_momentum(&mass, &state.bodies[0]);
            let warnings = step(&mut built.stage, &mut state);
            told += warnings.iter().filter(|what| what.contains("tangled")).count();
            let (n, fall) = (f64::from(n), centre(&built, &state) - middle);
            let exact = -9.81 * h * h * n * (n + 1.0) / 2.0;
            assert!((fall.y - exact).abs() < 1e-9, "{solver}: fell {} m, {exact} m are right", fall.y);
            let lost = (angular_momentum(&mass, &state.bodies[0]) - before).length() / first.length();
            // What implicit steps lose by themselves.
            assert!(lost < 0.1, "{solver}: {lost} of the angular momentum in step {n}");
        }
        assert_eq!(told, 1, "{solver}");
    }
}

/// A cube that two plates press to a fifth of its height is flat, not tangled: it is left alone, and finds back by itself when they open.
#[test]
fn flesh_that_is_clamped_is_not_tangled() {
    for damping in ["none", "light"] {
        let scene = format!(
            "sinew = 1\n[scene]\nframes = [1, 96]\n[[body]]\nname = \"c\"\nskin = {{ model = \"bar\", size = [0.2, 0.2, 0.2] }}\nat = [0.0, 0.1, 0.0]\n\
             material = {{ young_pa = 20000.0, density_kg_m3 = 1000.0, poisson = 0.3, damping = \"{damping}\" }}\n\
             flesh = {{ kind = \"tets\", vertices = 125 }}\nsolver = {{ kind = \"fem\" }}\n[[obstacle]]\nshape = \"plane\"\n\
             [[obstacle]]\nshape = \"box\"\nsize = [1.0, 0.2, 1.0]\nat = [0.0, [[1, 0.31], [24, 0.14], [60, 0.14], [64, 0.6]], 0.0]\n"
        );
        let (mut built, mut state) = built(&scene, 1);
        for _ in 0..4 * 95 {
            let warnings = step(&mut built.stage, &mut state);
            assert!(!warnings.iter().any(|what| what.contains("tangled")), "{damping}: {warnings:?}");
        }
        let x = &state.bodies[0].x;
        let [low, high] =
            x.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x.y), high.max(x.y)]);
        assert!(high - low > 0.18, "{damping}: {} m high in the end", high - low);
    }
}
