//! What each part of contact buys: towers, mixed stacks, impacts, heaps and cloth, each with how deep bodies get into each other or into an obstacle,
//! how far a tower drifts, and the time of a substep. Change a number in `sinew_solve/src/contact/tuning.rs` and run it again.
//!
//! `cargo run --release -p sinew_bake --example contact_parts [CASE]`

use sinew_bake::{build, deepest_penetration, deepest_self_penetration};
use sinew_math::DVec3;
use sinew_scene::{Document, builtin};
use sinew_solve::StageState;
use std::path::Path;
use std::time::Instant;

struct Case {
    name: &'static str,
    toml: String,
    frames: usize,
    /// Bodies that stand: how far their centres move from frame 24 on counts.
    stands: bool,
    /// The top of an obstacle that nothing may get below, m.
    top_m: Option<f64>,
}

fn main() {
    let only = std::env::args().nth(1);
    for case in cases().iter().filter(|case| only.as_ref().is_none_or(|only| case.name.contains(only.as_str()))) {
        case.measure();
    }
}

fn cases() -> Vec<Case> {
    const MATCHING: &str = r#"{ kind = "shape_matching", iterations = 6 }"#;
    const NEWTON: &str = r#"{ kind = "fem" }"#;
    const DESCENT: &str = r#"{ kind = "fem", method = "descent", iterations = 40 }"#;
    const SPRINGS: &str = r#"{ kind = "springs" }"#;
    let standing = |name, toml| Case { name, toml, frames: 72, stands: true, top_m: Some(0.0) };
    let landing = |name, toml| Case { name, toml, frames: 20, stands: false, top_m: Some(0.005) };
    let playing = |name: &'static str, frames| {
        let toml = builtin::find(name).expect("a built-in scene").toml.to_owned();
        Case { name, toml, frames, stands: false, top_m: None }
    };
    vec![
        standing("tower of 8, shape matching", tower(&[MATCHING; 8])),
        standing("tower of 5, Newton", tower(&[NEWTON; 5])),
        standing("tower of 5, descent", tower(&[DESCENT; 5])),
        standing("tower of 3, mixed", tower(&[NEWTON, MATCHING, DESCENT])),
        landing("20 m/s on 1 cm, shape matching", impact(MATCHING, 20.0)),
        landing("20 m/s on 1 cm, Newton", impact(NEWTON, 20.0)),
        landing("20 m/s on 1 cm, springs", impact(SPRINGS, 20.0)),
        landing("200 m/s on 1 cm, shape matching", impact(MATCHING, 200.0)),
        landing("200 m/s on 1 cm, Newton", impact(NEWTON, 200.0)),
        landing("200 m/s on 1 cm, springs", impact(SPRINGS, 200.0)),
        standing("bar across a wall, shape matching", across_a_wall(MATCHING)),
        standing("bar across a wall, Newton", across_a_wall(NEWTON)),
        playing("worms", 48),
        playing("pile", 30),
        playing("cloth-drop", 60),
    ]
}

/// Cubes of 10 cm on each other, by their solvers from the ground up.
fn tower(solvers: &[&str]) -> String {
    let cube = |(n, solver): (usize, &&str)| {
        format!(
            "[[body]]\nname = \"cube-{n}\"\nskin = {{ model = \"bar\", size = [0.1, 0.1, 0.1] }}\nat = [0.0, {:?}, 0.0]\n\
             material = {{ young_pa = 1.0e7, poisson = 0.3, density_kg_m3 = 1000.0 }}\nflesh = {{ kind = \"tets\", vertices = 64 }}\nsolver = {solver}\n",
            0.05 + 0.1 * n as f64
        )
    };
    let cubes: String = solvers.iter().enumerate().map(cube).collect();
    format!("sinew = 1\n[scene]\nframes = [1, 1000]\n{cubes}[[obstacle]]\nshape = \"plane\"\n")
}

/// A stiff bar that lies across a wall narrower than its cells: no vertex is over it.
fn across_a_wall(solver: &str) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 1000]\n[[body]]\nname = \"bar\"\nskin = {{ model = \"bar\", size = [0.6, 0.1, 0.1] }}\nat = [0.0, 0.05, 0.0]\n\
         material = {{ young_pa = 1.0e8, poisson = 0.3, density_kg_m3 = 1000.0 }}\nflesh = {{ kind = \"tets\", vertices = 24 }}\nsolver = {solver}\n\
         [[obstacle]]\nshape = \"box\"\nsize = [0.03, 0.5, 0.4]\nat = [0.0, -0.25, 0.0]\n"
    )
}

fn impact(solver: &str, speed: f64) -> String {
    format!(
        "sinew = 1\n[scene]\nframes = [1, 1000]\n[[body]]\nname = \"cube\"\nskin = {{ model = \"bar\", size = [0.2, 0.2, 0.2] }}\nat = [0.0, 0.4, 0.0]\n\
         turn = [20.0, 30.0, 10.0]\nvelocity = [0.0, {:?}, 0.0]\nmaterial = {{ young_pa = 1.0e6, poisson = 0.3, density_kg_m3 = 1000.0 }}\n\
         flesh = {{ kind = \"tets\", vertices = 125 }}\nsolver = {solver}\n[[obstacle]]\nshape = \"box\"\nsize = [60.0, 0.01, 60.0]\n",
        -speed
    )
}

impl Case {
    fn measure(&self) {
        let document = Document::parse(&self.toml, self.name).expect("a valid scene");
        let mut stage = build(document.scene(), Path::new("."), 1).expect("a stage").stage;
        let mut state = stage.first_state();
        let substeps = document.scene().shot.substeps;
        let (mut times_ms, mut deepest_m, mut below_m, mut drift_m) = (Vec::new(), 0.0f64, 0.0f64, 0.0f64);
        let mut settled = Vec::new();
        for frame in 0..self.frames {
            for _ in 0..substeps {
                let begun = Instant::now();
                let pool = stage.pool();
                if let Err(error) = pool.install(|| stage.step(&mut state, &[])) {
                    println!("{}: frame {frame}: {error}", self.name);
                    return;
                }
                times_ms.push(begun.elapsed().as_secs_f64() * 1e3);
            }
            let between = deepest_penetration(&stage, &state).map_or(0.0, |found| found.depth_m);
            let within = deepest_self_penetration(&stage, &state, 0.1).map_or(0.0, |found| found.depth_m);
            deepest_m = deepest_m.max(between).max(within);
            if let Some(top_m) = self.top_m {
                let lowest = state.bodies.iter().flat_map(|body| &body.x).map(|x| x.y).fold(f64::INFINITY, f64::min);
                below_m = below_m.max(top_m - lowest);
            }
            if frame == 24 {
                settled = centres(&state);
            }
            let moved = centres(&state).iter().zip(&settled).map(|(now, then)| now.distance(*then)).fold(0.0, f64::max);
            drift_m = drift_m.max(moved);
        }
        times_ms.sort_by(f64::total_cmp);
        let mean_ms = times_ms.iter().sum::<f64>() / times_ms.len() as f64;
        print!("{:<32} {mean_ms:8.3} ms a substep, {:7.2} mm in each other", self.name, 1e3 * deepest_m);
        if self.top_m.is_some() {
            print!(", {:7.2} mm in the obstacle", 1e3 * below_m);
        }
        if self.stands {
            print!(", {:7.3} mm drift", 1e3 * drift_m);
        }
        println!();
    }
}

fn centres(state: &StageState) -> Vec<DVec3> {
    state.bodies.iter().map(|body| body.x.iter().sum::<DVec3>() / body.x.len() as f64).collect()
}
