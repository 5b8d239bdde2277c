//! Whatever shape flesh begins in, it finds back to its own, in every solver.

use crate::beside::model;
use crate::fixtures::written::{built, play_to};
use sinew_bake::{Built, Method, StageBody};
use sinew_math::DVec3;
use sinew_math::rotation::{best_fit_rotation, mass_centre};
use sinew_scene::builtin;
use sinew_solve::{Cells, StageState};

/// Mean distance from the rest shape, best placed, as a share of the body's size.
fn off_shape(body: &StageBody, x: &[DVec3]) -> f64 {
    let (rest, mass) = (&body.flesh.rest, &body.flesh.mass_kg);
    let (turn, from, to) = (best_fit_rotation(rest, x, mass), mass_centre(rest, mass), mass_centre(x, mass));
    let square = |((rest, x), mass): ((&DVec3, &DVec3), &f64)| (to + turn * (*rest - from)).distance_squared(*x) * mass;
    let squares: f64 = rest.iter().zip(x).zip(mass).map(square).sum();
    (squares / body.flesh.total_mass_kg()).sqrt() / body.flesh.size_m()
}

fn inverted(body: &StageBody, x: &[DVec3]) -> usize {
    let Cells::Tets(tets) = &body.flesh.cells else { return 0 };
    let volume = |tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|corner| x[corner as usize]);
        (b - a).cross(c - a).dot(d - a)
    };
    tets.iter().filter(|tet| volume(tet) < 0.0).count()
}

/// Every body is whole: within `most` of its size of its rest shape, and no tet inside out but in springs, which do not mind.
fn assert_whole(built: &Built, state: &StageState, most: f64, what: &str) {
    for (body, now) in built.stage.bodies().iter().zip(&state.bodies) {
        let (off, inverted) = (off_shape(body, &now.x), inverted(body, &now.x));
        assert!(off < most, "{what}, {}: {off} of its size off its shape", body.name);
        let may_be = matches!(body.method, Method::Springs(_));
        assert!(inverted == 0 || may_be, "{what}, {}: {inverted} tets inside out", body.name);
    }
}

/// The scene `torture`: pressed flat, turned inside out and strewn about, in four solvers; whole before gravity comes in.
#[test]
fn wrecks_find_back_in_every_solver() {
    let (mut built, mut state) = built(builtin::find("torture").unwrap().toml, 2);
    assert_eq!(built.stage.bodies().len(), 12);
    let wrecked = built.stage.bodies().iter().zip(&state.bodies).filter(|(body, now)| off_shape(body, &now.x) > 0.05);
    assert_eq!(wrecked.count(), 12, "all begin far from their shape");
    play_to(&mut built.stage, &mut state, 58);
    assert_whole(&built, &state, 0.01, "torture");
}

/// The same for soft and stiff, compressible and hardly so, damped and not, in long and short steps.
#[test]
fn wrecks_of_any_material_find_back() {
    let wreck = |start: &str, solver: &str, material: &str| {
        format!(
            "[[body]]\nname = \"{start}-{}\"\nskin = {{ model = \"bar\", size = [0.5, 0.3, 0.3] }}\nstart = \"{start}\"\nat = [0.0, {}, 0.0]\n\
             material = {{ {material} }}\nflesh = {{ kind = \"tets\", vertices = 120 }}\nsolver = {{ {solver} }}\n\n",
            solver.len(),
            solver.len()
        )
    };
    let solvers =
        ["kind = \"springs\"", "kind = \"fem\"", "kind = \"fem\", method = \"descent\"", "kind = \"shape_matching\""];
    for substeps in [1, 4, 20] {
        for material in [
            "young_pa = 1.0e3, poisson = 0.3",
            "young_pa = 1.0e5, poisson = 0.48, damping = \"none\"",
            "young_pa = 1.0e5, poisson = 0.48, damping = { wobble_per_sec = 8.0, rayleigh_stiffness_secs = 0.01 }",
            "young_pa = 1.0e8, poisson = 0.4, law = \"corotated\"",
        ] {
            for start in ["flattened", "inside_out", "scattered"] {
                let mut toml = format!(
                    "sinew = 1\n[scene]\nframes = [1, 48]\nsubsteps = {substeps}\ngravity = [0.0, 0.0, 0.0]\n\n"
                );
                solvers.iter().for_each(|solver| toml += &wreck(start, solver, material));
                let (mut built, mut state) = built(&toml, 2);
                play_to(&mut built.stage, &mut state, 48);
                // Undamped flesh still swings by then.
                assert_whole(&built, &state, 0.1, &format!("{start}, {material}, {substeps} substeps"));
            }
        }
    }
}

/// The scene `bunny-jelly`: off its ledge, onto the ground and not through it, still at the end.
#[test]
fn a_bunny_of_jelly_lands_and_comes_to_rest() {
    let Some(bunny) = model("bunny.off") else { return };
    let toml = include_str!("../../../../examples/bunny-jelly.toml");
    let toml = toml.replace("../../shared/models/bunny.off", &bunny.to_string_lossy());
    let (mut built, mut state) = built(&toml, 2);
    let size = built.stage.bodies()[0].flesh.size_m();
    let mut most_off = 0.0f64;
    for frame in 1..=144 {
        play_to(&mut built.stage, &mut state, frame);
        let lowest = state.bodies[0].x.iter().map(|x| x.y).fold(f64::MAX, f64::min);
        assert!(lowest > -0.01 * size, "frame {frame}: {lowest} m under ground");
        most_off = most_off.max(off_shape(&built.stage.bodies()[0], &state.bodies[0].x));
    }
    let speed = state.bodies[0].v.iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(most_off > 0.02, "it hardly gives way: {most_off}");
    assert!(speed < 0.1 * size, "still moving at {speed} m/s");
    assert_whole(&built, &state, 0.1, "bunny-jelly");
}
