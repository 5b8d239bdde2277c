//! Time to reach 1e-2 and 1e-3 of the true implicit step: what counts for a user who wants an answer and not a number of iterations.
//!
//! A clamped bar at rest begins to fall: one step of implicit Euler of 1/96 s. The reference is Newton's method to 1e-10 on the same mesh. The error is
//! the root mean square distance from it, over that of the step itself. Every program is asked for more and more iterations (or a smaller residual) until
//! it is near enough; the time is that of the step then. In such a step strains are so small that laws of stretch agree to a thousandth.
//!
//! MuJoCo and rapier3d linearise the step once, and Newton 1.7 works in single precision: where a peer gets no nearer, the row says how near it came.

use super::bar::{Bar, YOUNG_PA, material, mesh};
use crate::bench::{FirstStep, Peers, Row};
use crate::failure::Failure;
use sinew::geom::TetMesh;
use sinew::math::DVec3;
use sinew::solve::fem::{DescentSolver, FemMethod, FemParams, FemSolver};
use sinew::solve::{Solver, StretchLaw};

const H_SECS: f64 = 1.0 / 96.0;
const TARGETS: [f64; 2] = [1e-2, 1e-3];
const REPEATS: usize = 9;
const MOST_SWEEPS: u32 = 4096;
const RESIDUALS: [f64; 6] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

struct Case {
    name: &'static str,
    cells: [usize; 3],
    young_pa: f64,
}

const CASES: [Case; 2] = [
    Case { name: "soft bar", cells: [24, 8, 6], young_pa: YOUNG_PA },
    Case { name: "stiff slender bar", cells: [60, 3, 3], young_pa: 1.0e7 },
];

/// A step: how long it took and how far it is off.
#[derive(Clone, Copy)]
struct Try {
    ms: f64,
    error: f64,
}

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for case in &CASES {
        let mesh = mesh(case.cells);
        let reference = case.reference(&mesh)?;
        let error = |x: &[DVec3]| relative_error(x, &reference, &mesh.positions);
        let ours = [("descent", case.by_descent(&mesh, error)?), ("Newton's method", case.by_newton(&mesh, error)?)];
        let of_step = |step: FirstStep| Try { ms: step.ms, error: error(&step.positions) };
        let newton = sweeps().map(|n| peers.newton_first_step(&mesh, case.young_pa, H_SECS, n).map(of_step));
        let rapier =
            RESIDUALS.iter().map(|&r| peers.rapier_first_step(case.cells, case.young_pa, H_SECS, r).map(of_step));
        let mujoco = [peers.mujoco_first_step(&mesh, case.young_pa, H_SECS).map(of_step)];
        let theirs = [
            ("Newton 1.7 vertex block descent", until_near(newton)),
            ("rapier3d 0.36 FEM", until_near(rapier)),
            ("MuJoCo 4 flex, full", until_near(mujoco)),
        ];
        for target in TARGETS {
            for (method, tries) in &ours {
                for (peer, found) in &theirs {
                    let name = format!("{}, {} points, to {target:e}, {method}", case.name, mesh.positions.len());
                    let mine = first_near(tries, target).map_err(|near| {
                        Failure::new(format!("{name}: no nearer than {near:.1e}"), "report this as a bug")
                    })?;
                    let peer_ms = found.clone().and_then(|tries| {
                        first_near(&tries, target).map_err(|near| format!("no nearer than {near:.1e}"))
                    });
                    rows.push(Row::new(name, mine, *peer, peer_ms).told());
                }
            }
        }
    }
    Ok(rows)
}

impl Case {
    fn bar<S: Solver>(
        &self,
        mesh: &TetMesh,
        params: FemParams,
        solver: impl FnOnce(sinew::solve::fem::FemBody) -> Result<S, Failure>,
    ) -> Result<Bar<S>, Failure> {
        Bar::new(mesh.clone(), material(StretchLaw::default(), self.young_pa), params, H_SECS, solver)
    }

    fn newton(&self, mesh: &TetMesh, params: FemParams) -> Result<Bar<FemSolver>, Failure> {
        self.bar(mesh, params, |body| Ok(FemSolver::new(vec![body])?))
    }

    fn reference(&self, mesh: &TetMesh) -> Result<Vec<DVec3>, Failure> {
        let params =
            FemParams { newton_iterations: 50, tolerance: 1e-10, linear_tolerance: 1e-8, ..FemParams::default() };
        Ok(self.newton(mesh, params)?.first_step(1)?.1)
    }

    /// As a scene has it: sweeps, and Newton's method where they leave too much.
    fn by_descent(&self, mesh: &TetMesh, error: impl Fn(&[DVec3]) -> f64) -> Result<Vec<Try>, Failure> {
        let mut tries = Vec::new();
        for iterations in sweeps() {
            let params = FemParams { method: FemMethod::Descent { iterations }, ..FemParams::default() };
            let mut bar = self.bar(mesh, params, |body| Ok(DescentSolver::new(vec![body])?))?;
            let (ms, x) = bar.first_step(REPEATS)?;
            tries.push(Try { ms, error: error(&x) });
            if near_enough(&tries) {
                break;
            }
        }
        Ok(tries)
    }

    fn by_newton(&self, mesh: &TetMesh, error: impl Fn(&[DVec3]) -> f64) -> Result<Vec<Try>, Failure> {
        let mut tries = Vec::new();
        for tolerance in RESIDUALS {
            let params = FemParams { tolerance, ..FemParams::default() };
            let (ms, x) = self.newton(mesh, params)?.first_step(REPEATS)?;
            tries.push(Try { ms, error: error(&x) });
            if near_enough(&tries) {
                break;
            }
        }
        Ok(tries)
    }
}

fn sweeps() -> impl Iterator<Item = u32> {
    (0..).map(|n| 1 << n).take_while(|sweeps| *sweeps <= MOST_SWEEPS)
}

/// Root mean square distance from the reference, over that of the reference from the start.
fn relative_error(x: &[DVec3], reference: &[DVec3], start: &[DVec3]) -> f64 {
    let square = |a: &[DVec3]| a.iter().zip(reference).map(|(a, b)| a.distance_squared(*b)).sum::<f64>();
    (square(x) / square(start)).sqrt()
}

fn near_enough(tries: &[Try]) -> bool {
    tries.last().is_some_and(|last| TARGETS.iter().all(|target| last.error <= *target))
}

/// Asks a peer for more and more, until it is near enough.
fn until_near(asked: impl IntoIterator<Item = Result<Try, String>>) -> Result<Vec<Try>, String> {
    let mut tries = Vec::new();
    for each in asked {
        tries.push(each?);
        if near_enough(&tries) {
            break;
        }
    }
    Ok(tries)
}

/// The time of the quickest try that is near enough; else how near one came.
fn first_near(tries: &[Try], target: f64) -> Result<f64, f64> {
    let near = tries.iter().filter(|each| each.error <= target).map(|each| each.ms).min_by(f64::total_cmp);
    near.ok_or_else(|| tries.iter().map(|each| each.error).fold(f64::INFINITY, f64::min))
}
