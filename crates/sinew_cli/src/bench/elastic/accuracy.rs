//! Time to reach 1e-2 and 1e-3 of the true implicit step: what counts for a user who wants an answer and not a number of iterations.
//!
//! A clamped bar at rest begins to fall: one step of implicit Euler of 1/96 s. The reference is Newton's method to 1e-10 on the same mesh. The error is
//! the root mean square distance from it, over that of the step itself. Every program is asked for more and more iterations (or a smaller residual) until
//! it is near enough; the time is that of the step then. In such a step strains are so small that laws of stretch agree to a thousandth.
//!
//! MuJoCo and rapier3d linearise the step once, and Newton 1.7 works in single precision: where a peer gets no nearer, the row says how near it came.
//! Shape matching minimises another energy. Its stiffness is set to the material's, its error is the distance from its own answer by plain passes, and the
//! row says how far that one is from the true step.
//!
//! Ours are measured before the peers and after each of them; the middle one counts.

use super::bar::{Bar, YOUNG_PA, material, mesh};
use super::pile_accuracy;
use super::tries::{TARGETS, Try, counts, first_near, first_near_of, relative_error, until_near};
use crate::bench::{FirstStep, Peers, Row};
use crate::failure::Failure;
use sinew::geom::TetMesh;
use sinew::math::DVec3;
use sinew::solve::fem::{DescentSolver, FemBody, FemMethod, FemParams, FemSolver};
use sinew::solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew::solve::{Flesh, Material, Solver, StretchLaw};

pub(super) const H_SECS: f64 = 1.0 / 96.0;
const REPEATS: usize = 9;
const MOST_SWEEPS: u32 = 4096;
const MOST_PASSES: u32 = 1001;
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

pub(crate) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for case in &CASES {
        case.measure(peers, &mut rows)?;
    }
    rows.extend(pile_accuracy::measure(peers)?);
    Ok(rows)
}

/// What one of our methods did, run after run.
struct Ours {
    name: String,
    runs: Vec<Vec<Try>>,
}

impl Case {
    fn measure(&self, peers: &Peers, rows: &mut Vec<Row>) -> Result<(), Failure> {
        let mesh = mesh(self.cells);
        let reference = self.reference(&mesh)?;
        let error = |x: &[DVec3]| relative_error(x, &reference, &mesh.positions);
        let plain = self.matched(&mesh, None)?.first_step(1)?.1;
        let matching = format!("shape matching to its own answer, {:.2} from the true step", error(&plain));
        let names = ["descent".to_owned(), "Newton's method".to_owned(), matching];
        let mut ours = names.map(|name| Ours { name, runs: Vec::new() });
        let again = |ours: &mut [Ours; 3]| -> Result<(), Failure> {
            ours[0].runs.push(self.by_descent(&mesh, error)?);
            ours[1].runs.push(self.by_newton(&mesh, error)?);
            ours[2].runs.push(self.by_matching(&mesh, &plain)?);
            Ok(())
        };
        let of_step = |step: FirstStep| Try { ms: step.ms, error: error(&step.positions) };
        again(&mut ours)?;
        let newton = sweeps().map(|n| peers.newton_first_step(&mesh, self.young_pa, H_SECS, n).map(of_step));
        let newton = until_near(newton);
        again(&mut ours)?;
        let rapier =
            RESIDUALS.iter().map(|&r| peers.rapier_first_step(self.cells, self.young_pa, H_SECS, r).map(of_step));
        let rapier = until_near(rapier);
        again(&mut ours)?;
        let mujoco = until_near([peers.mujoco_first_step(&mesh, self.young_pa, H_SECS).map(of_step)]);
        again(&mut ours)?;
        let theirs = [
            ("Newton 1.7 vertex block descent", newton),
            ("rapier3d 0.36 FEM", rapier),
            ("MuJoCo 4 flex, full", mujoco),
        ];
        for target in TARGETS {
            for Ours { name, runs } in &ours {
                let name = format!("{}, {} points, to {target:e}, {name}", self.name, mesh.positions.len());
                let mine = first_near_of(runs, target).map_err(|near| {
                    Failure::new(format!("{name}: no nearer than {near:.1e}"), "report this as a bug")
                })?;
                rows.extend(theirs.iter().map(|(peer, found)| against(&name, mine, peer, found, target)));
            }
        }
        Ok(())
    }

    fn bar<S: Solver>(
        &self,
        mesh: &TetMesh,
        params: FemParams,
        solver: impl FnOnce(FemBody) -> Result<S, Failure>,
    ) -> Result<Bar<S>, Failure> {
        Bar::new(mesh.clone(), material(StretchLaw::default(), self.young_pa), params, H_SECS, solver)
    }

    /// The bar under shape matching of about its stiffness, in so many passes or in plain ones.
    fn matched(&self, mesh: &TetMesh, passes: Option<u32>) -> Result<Bar<ShapeMatchingSolver>, Failure> {
        self.bar(mesh, FemParams::default(), |FemBody { flesh, material, .. }| {
            let params = ShapeMatchingParams { passes, ..as_stiff_as(&material, &flesh) };
            Ok(ShapeMatchingSolver::new(vec![ShapeMatchingBody { flesh, material, params }])?)
        })
    }

    fn by_matching(&self, mesh: &TetMesh, plain: &[DVec3]) -> Result<Vec<Try>, Failure> {
        let flesh = Flesh::from_tets(mesh.clone(), 1000.0)?;
        let params = as_stiff_as(&material(StretchLaw::default(), self.young_pa), &flesh);
        until_near(passes_of(&params).map(|passes| {
            let (ms, x) = self.matched(mesh, Some(passes))?.first_step(REPEATS)?;
            Ok(Try { ms, error: relative_error(&x, plain, &mesh.positions) })
        }))
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
        until_near(sweeps().map(|iterations| {
            let params = FemParams { method: FemMethod::Descent { iterations }, ..FemParams::default() };
            let mut bar = self.bar(mesh, params, |body| Ok(DescentSolver::new(vec![body])?))?;
            let (ms, x) = bar.first_step(REPEATS)?;
            Ok(Try { ms, error: error(&x) })
        }))
    }

    fn by_newton(&self, mesh: &TetMesh, error: impl Fn(&[DVec3]) -> f64) -> Result<Vec<Try>, Failure> {
        until_near(RESIDUALS.iter().map(|&tolerance| {
            let params = FemParams { tolerance, ..FemParams::default() };
            let (ms, x) = self.newton(mesh, params)?.first_step(REPEATS)?;
            Ok(Try { ms, error: error(&x) })
        }))
    }
}

/// A row beside what a peer found.
pub(super) fn against(name: &str, ours_ms: f64, peer: &str, found: &Result<Vec<Try>, String>, target: f64) -> Row {
    let peer_ms =
        found.clone().and_then(|tries| first_near(&tries, target).map_err(|near| format!("no nearer than {near:.1e}")));
    Row::new(name, ours_ms, peer, peer_ms).told()
}

/// So many iterations that matching is about as stiff as the material.
pub(super) fn as_stiff_as(material: &Material, flesh: &Flesh) -> ShapeMatchingParams {
    let one = ShapeMatchingParams { iterations: 0, ..ShapeMatchingParams::default() };
    let passes = material.young_pa / one.young_pa(flesh, material.density_kg_m3, H_SECS);
    ShapeMatchingParams { iterations: (passes.round() as u32).clamp(1, MOST_PASSES) - 1, ..one }
}

/// Numbers of passes that can stand for plain ones, and those.
pub(super) fn passes_of(params: &ShapeMatchingParams) -> impl Iterator<Item = u32> + use<> {
    let (fewest, plain) = (params.fewest_passes(), params.iterations + 1);
    let more = [1.0, 1.25, 1.5, 2.0, 3.0, 4.0].map(|times| (f64::from(fewest) * times).ceil() as u32);
    more.into_iter().filter(move |passes| *passes < plain).chain([plain])
}

fn sweeps() -> impl Iterator<Item = u32> {
    counts(MOST_SWEEPS)
}
