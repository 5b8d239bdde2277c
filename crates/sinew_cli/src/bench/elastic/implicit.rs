//! One step of implicit Euler with corotated elements, linearised where the bar is and solved to a residual of 1e-6: what VegaFEM does.
//!
//! VegaFEM cannot be installed with the others. On a machine where it ran beside pyPBD its times were the multiples below of an XPBD step
//! on the same bar; today's XPBD step times that multiple is its row, marked "bridged".

use super::bar::{Bar, YOUNG_PA, material, mesh};
use crate::bench::{Peers, Row, in_turns};
use crate::failure::Failure;
use sinew::geom::TetMesh;
use sinew::solve::StretchLaw;
use sinew::solve::fem::{FemParams, FemSolver};

const RESIDUAL: f64 = 1e-6;

struct Case {
    vertices: usize,
    cells: [usize; 3],
    h_secs: f64,
    steps: usize,
    peer_steps: usize,
    bridge: Bridge,
}

/// What VegaFEM 3.1 (corotated, Jacobi-preconditioned to 1e-6) took, and pyPBD's XPBD with so many iterations, in the same hour.
struct Bridge {
    vega_ms: f64,
    xpbd_ms: f64,
    iterations: usize,
}

const SMALL: [usize; 3] = [24, 8, 6];
const LARGE: [usize; 3] = [49, 19, 19];

const CASES: [Case; 4] = [
    Case {
        vertices: 1575,
        cells: SMALL,
        h_secs: 0.005,
        steps: 60,
        peer_steps: 30,
        // Between 9 and 12.5 ms: the least counts.
        bridge: Bridge { vega_ms: 9.0, xpbd_ms: 5.85, iterations: 6 },
    },
    Case {
        vertices: 1575,
        cells: SMALL,
        h_secs: 0.033,
        steps: 60,
        peer_steps: 30,
        bridge: Bridge { vega_ms: 24.0, xpbd_ms: 5.85, iterations: 6 },
    },
    Case {
        vertices: 20_000,
        cells: LARGE,
        h_secs: 0.005,
        steps: 10,
        peer_steps: 6,
        bridge: Bridge { vega_ms: 206.0, xpbd_ms: 56.0, iterations: 1 },
    },
    Case {
        vertices: 20_000,
        cells: LARGE,
        h_secs: 0.033,
        steps: 10,
        peer_steps: 6,
        bridge: Bridge { vega_ms: 518.0, xpbd_ms: 56.0, iterations: 1 },
    },
];

pub(super) fn measure(peers: &Peers) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for case in &CASES {
        let mesh = mesh(case.cells);
        let classic = FemParams { newton_iterations: 1, tolerance: RESIDUAL, ..FemParams::default() };
        rows.extend(case.against_all(peers, &mesh, classic)?);
        // For information: our default iterates until forces balance, which no peer here does.
        rows.push(case.whole_newton(peers, &mesh)?.told());
    }
    Ok(rows)
}

impl Case {
    fn bar(&self, mesh: &TetMesh, params: FemParams) -> Result<Bar<FemSolver>, Failure> {
        let solver = |body| Ok(FemSolver::new(vec![body])?);
        Bar::new(mesh.clone(), material(StretchLaw::Corotated, YOUNG_PA), params, self.h_secs, solver)
    }

    fn name(&self, what: &str) -> String {
        format!("{what} {}, h {} ms, 1 thread", self.vertices, self.h_secs * 1e3)
    }

    fn against_all(&self, peers: &Peers, mesh: &TetMesh, params: FemParams) -> Result<Vec<Row>, Failure> {
        let mut ours = self.bar(mesh, params)?;
        let name = self.name("implicit step");
        let (h, steps) = (self.h_secs, self.peer_steps);
        let Bridge { vega_ms, xpbd_ms, iterations } = self.bridge;
        let bridged = || Ok(peers.xpbd_ms(mesh, steps, iterations)? * (vega_ms / xpbd_ms));
        let mujoco = || peers.mujoco_ms(mesh, steps, h);
        let rapier = |residual| move || peers.rapier_fem_ms(self.vertices, steps, h, residual);
        Ok(vec![
            in_turns(name.clone(), "VegaFEM 3.1, bridged", || ours.step_ms(self.steps), bridged).told(),
            in_turns(name.clone(), "MuJoCo 4 flex, full", || ours.step_ms(self.steps), mujoco).told(),
            in_turns(name.clone(), "rapier3d 0.36 FEM to 1e-6", || ours.step_ms(self.steps), rapier(Some(RESIDUAL)))
                .told(),
            in_turns(name, "rapier3d 0.36 FEM, 20 iterations", || ours.step_ms(self.steps), rapier(None)).told(),
        ])
    }

    fn whole_newton(&self, peers: &Peers, mesh: &TetMesh) -> Result<Row, Failure> {
        let mut ours = self.bar(mesh, FemParams::default())?;
        Ok(in_turns(
            self.name("Newton to the end"),
            "rapier3d 0.36 FEM to 1e-6, one linear solve",
            || ours.step_ms(self.steps.div_ceil(2)),
            || peers.rapier_fem_ms(self.vertices, self.peer_steps, self.h_secs, Some(RESIDUAL)),
        ))
    }
}
