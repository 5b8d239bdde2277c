//! Time to bring one step of a pile near its own converged answer: eight blocks in two layers that have just landed on the ground and on each other.
//!
//! Programs answer contact by different laws, so that no step of one is true for another. Each is compared with itself: the answer is that of the same
//! program by many more iterations (or a far smaller residual) from the same state, which it has fallen into by itself. The error is the
//! root mean square distance from that answer, over the distance of the answer from free fall: what flesh and contact did in the step. Contact is found anew
//! in every step that is timed.

use super::accuracy::{H_SECS, against, as_stiff_as, passes_of};
use super::bar::{YOUNG_PA, material, mesh};
use super::many::scene;
use super::tries::{TARGETS, Try, counts, first_near_of, relative_error, until_near};
use crate::bench::{Peers, PileStep, Row};
use crate::failure::Failure;
use sinew::bake::{Built, build};
use sinew::math::DVec3;
use sinew::scene::Document;
use sinew::solve::{Flesh, StageState, StretchLaw};
use std::path::Path;
use std::time::Instant;

const BODIES: usize = 8;
/// Cubes of 0.1 m along each side of a block.
const CELLS: [usize; 3] = [4, 4, 4];
/// Steps of falling: the lower blocks land in the fourth, the upper ones in the seventh.
const BEFORE: usize = 10;
const REPEATS: usize = 5;
const MOST_SWEEPS: u32 = 512;
/// How many times as many the reference has.
const FURTHER: u32 = 8;
const TOLERANCES: [f64; 9] = [0.3, 0.1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6];
/// Of the peers, so that none takes more than a few minutes.
const MOST_OF_MUJOCO: u32 = 256;
const MOST_OF_OTHERS: u32 = 128;
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

pub(super) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mesh = mesh(CELLS);
    let methods = methods()?;
    let mut runs = vec![Vec::new(); methods.len()];
    let mut again = || -> Result<(), Failure> {
        for (method, runs) in methods.iter().zip(&mut runs) {
            runs.push(method.tries()?);
        }
        Ok(())
    };
    let step = PileStep { bodies: BODIES, h_secs: H_SECS, before: BEFORE, most: MOST_OF_OTHERS };
    again()?;
    let mujoco = peers.pile_step(&mesh, "mujoco", &PileStep { most: MOST_OF_MUJOCO, ..step });
    again()?;
    let newton = peers.pile_step(&mesh, "newton", &step);
    again()?;
    let rapier = peers.rapier_pile_step(CELLS, &step);
    let theirs =
        [("Newton 1.7 vertex block descent", newton), ("rapier3d 0.36 FEM", rapier), ("MuJoCo 4 flex, full", mujoco)];
    let mut rows = Vec::new();
    for target in TARGETS {
        for (method, runs) in methods.iter().zip(&runs) {
            let points = mesh.positions.len();
            let name = format!("pile, {BODIES} × {points} points, to {target:e} of its own answer, {}", method.name);
            match first_near_of(runs, target) {
                Ok(mine) => rows.extend(theirs.iter().map(|(peer, found)| against(&name, mine, peer, found, target))),
                Err(near) => eprintln!("{name}: no nearer than {near:.1e}"),
            }
        }
    }
    Ok(rows)
}

/// A way to solve the pile, as scenes name it: what is asked for, the least first, and what its own answer takes.
struct Method {
    name: &'static str,
    asked: Vec<String>,
    answer: String,
}

fn methods() -> Result<[Method; 3], Failure> {
    let newton = |tolerance: f64, iterations: u32| {
        format!("kind = \"fem\", method = \"newton\", tolerance = {tolerance:e}, newton_iterations = {iterations}")
    };
    let descent = |sweeps: u32| format!("kind = \"fem\", method = \"descent\", iterations = {sweeps}");
    let flesh = Flesh::from_tets(mesh(CELLS), 1000.0)?;
    let params = as_stiff_as(&material(StretchLaw::default(), YOUNG_PA), &flesh);
    let matching =
        |passes: u32| format!("kind = \"shape_matching\", iterations = {}, passes = {passes}", params.iterations);
    Ok([
        Method {
            name: "Newton's method",
            asked: TOLERANCES.iter().map(|&tolerance| newton(tolerance, 100)).collect(),
            answer: newton(1e-10, 400),
        },
        Method {
            name: "descent",
            asked: counts(MOST_SWEEPS).map(descent).collect(),
            answer: descent(FURTHER * MOST_SWEEPS),
        },
        Method {
            name: "shape matching",
            asked: passes_of(&params).map(matching).collect(),
            answer: matching(params.iterations + 1),
        },
    ])
}

impl Method {
    fn tries(&self) -> Result<Vec<Try>, Failure> {
        let mut stage = pile(&self.answer)?;
        let mut landed = stage.stage.first_state();
        for _ in 0..BEFORE {
            landed = stepped(&mut stage, &landed)?.1;
        }
        let free = places(&landed, |x, v| x + (v + GRAVITY * H_SECS) * H_SECS);
        let answer = now(&stepped(&mut stage, &landed)?.1);
        until_near(self.asked.iter().map(|solver| {
            let mut stage = pile(solver)?;
            let mut times_ms = Vec::new();
            let mut error = f64::INFINITY;
            for _ in 0..REPEATS {
                let (ms, state) = stepped(&mut stage, &landed)?;
                times_ms.push(ms);
                error = relative_error(&now(&state), &answer, &free);
            }
            times_ms.sort_unstable_by(f64::total_cmp);
            Ok(Try { ms: times_ms[REPEATS / 2], error })
        }))
    }
}

fn pile(solver: &str) -> Result<Built, Failure> {
    let size = DVec3::from_array(CELLS.map(|n| 0.1 * n as f64));
    let text = scene(BODIES, size, mesh(CELLS).positions.len(), H_SECS, solver);
    Ok(build(Document::parse(&text, "pile")?.scene(), Path::new("."), 1)?)
}

/// The step after a state, and how long it took, within the stage's pool as in a bake.
fn stepped(built: &mut Built, from: &StageState) -> Result<(f64, StageState), Failure> {
    let mut state = from.clone();
    let pool = built.stage.pool();
    let elapsed = pool.install(|| {
        let begun = Instant::now();
        built.stage.step(&mut state, &[]).map(|_| begun.elapsed())
    });
    let elapsed = elapsed.map_err(|error| Failure::new(error.to_string(), "report this pile"))?;
    Ok((elapsed.as_secs_f64() * 1e3, state))
}

fn now(state: &StageState) -> Vec<DVec3> {
    places(state, |x, _| x)
}

fn places(state: &StageState, of: impl Fn(DVec3, DVec3) -> DVec3) -> Vec<DVec3> {
    let points = state.bodies.iter().flat_map(|body| body.x.iter().zip(&body.v));
    points.map(|(x, v)| of(*x, *v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference is one: Newton's method ends within the smallest target of it where ten thousand times less is asked, and blocks do touch.
    #[test]
    fn the_piles_own_answer_is_converged() {
        let methods = methods().unwrap();
        let mut stage = pile(&methods[0].answer).unwrap();
        assert_eq!(stage.stage.first_state().bodies.len(), BODIES);
        let mut landed = stage.stage.first_state();
        assert!(landed.bodies.iter().all(|body| body.x.len() == mesh(CELLS).positions.len()));
        for _ in 0..BEFORE {
            landed = stepped(&mut stage, &landed).unwrap().1;
        }
        let free = places(&landed, |x, v| x + (v + GRAVITY * H_SECS) * H_SECS);
        let answer = now(&stepped(&mut stage, &landed).unwrap().1);
        assert!(
            stage.stage.contacts().iter().any(|contacts| !contacts.is_empty()),
            "the lower blocks lie on the ground"
        );
        assert!(!stage.stage.body_contacts().is_empty(), "the upper blocks lie on the lower ones");
        let looser = methods[0].asked.last().unwrap();
        let near = now(&stepped(&mut pile(looser).unwrap(), &landed).unwrap().1);
        let error = relative_error(&near, &answer, &free);
        assert!(error <= TARGETS[1], "{error:e}");
    }
}
