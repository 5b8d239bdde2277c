//! Inverted cells: those that are pressed flat or turned over.
//!
//! A tet that is turned inside out has the lengths it should have, so that springs along its edges leave it so. Cells that are pressed below a quarter of their volume therefore push back:
//! `½ κ V (¼ − J)²` with J their volume over the one at rest, V that one, and κ such that they push with Young's modulus where nothing is left of them. Above that springs are alone: what they
//! answer to loads does not change. The gradient is a polynomial of places, which no inversion stops; of the Hessian the part that is positive is kept, `κ/V ∇v ∇vᵀ` with v the volume.
//! Altitude springs (Selle, Lentine, Fedkiw: "A Mass Spring Model for Hair Simulation", SIGGRAPH 2008, §4) serve the same end.
//!
//! All cells are asked in an implicit step. Inner steps ask those that are less than half of what they were when the inner step begins: no other gets as far within it, and a cell that was
//! asked only when it is turned over already would have its energy from nothing.

use super::Prepared;
use crate::{Cells, Cues, Flesh};
use sinew_math::{DMat3, DVec3, libm, rotation::outer};

/// Share of its volume below which a cell pushes back.
const FROM: f64 = 0.25;
/// Share of its volume below which a cell is watched.
const WATCHED: f64 = 0.5;

/// A cell as it is asked to be in this interval.
#[derive(Debug, Clone, Copy)]
struct Cell {
    corners: [usize; 4],
    /// At rest; below 0 where its corners are the other way round.
    volume_m3: f64,
    /// Pressure over the lack of volume, Pa.
    stiffness_pa: f64,
}

/// The cells of an interval, and which of them are asked.
#[derive(Debug, Default)]
pub(super) struct TurnedCells {
    all: Vec<Cell>,
    asked: Vec<u32>,
}

impl TurnedCells {
    /// Rest shapes as asked for; every cell is asked.
    pub(super) fn begin(&mut self, body: &Prepared, cues: &Cues) {
        self.all.clear();
        self.asked.clear();
        let Cells::Tets(tets) = &body.flesh.cells else { return };
        let of = |corners: &[u32; 4]| Cell::of(corners.map(|corner| corner as usize), body, cues);
        self.all.extend(tets.iter().map(of));
        self.asked.extend(0..tets.len() as u32);
    }

    /// From here on only cells that are far gone are asked.
    pub(super) fn watch(&mut self, x: &[DVec3]) {
        self.asked.clear();
        let far_gone = |(number, cell): (usize, &Cell)| (cell.share(x) < WATCHED).then_some(number as u32);
        self.asked.extend(self.all.iter().enumerate().filter_map(far_gone));
    }

    fn asked(&self) -> impl Iterator<Item = &Cell> {
        self.asked.iter().map(|&number| &self.all[number as usize])
    }

    /// Energy, joule.
    pub(super) fn energy_j(&self, x: &[DVec3]) -> f64 {
        self.asked().map(|cell| cell.energy_j(x)).sum()
    }

    /// Gradients of that, by point.
    pub(super) fn gradients(&self, x: &[DVec3], mut add: impl FnMut(usize, DVec3)) {
        for cell in self.asked() {
            let lack = cell.lack(x);
            if lack > 0.0 {
                let slope = -cell.stiffness_pa * lack * cell.volume_m3.signum();
                for (corner, along) in cell.corners.into_iter().zip(cell.volume_gradients(x)) {
                    add(corner, along * slope);
                }
            }
        }
    }

    /// Blocks of the positive part of the Hessian, of the lower triangle.
    pub(super) fn blocks(&self, x: &[DVec3], mut add: impl FnMut(usize, usize, DMat3)) {
        for cell in self.asked().filter(|cell| cell.lack(x) > 0.0) {
            let (along, scale) = (cell.volume_gradients(x), cell.stiffness_pa / cell.volume_m3.abs());
            for (i, a) in cell.corners.into_iter().zip(along) {
                for (j, b) in cell.corners.into_iter().zip(along).filter(|(j, _)| *j <= i) {
                    add(i, j, outer(a * scale, b));
                }
            }
        }
    }

    /// How stiff each point may be held, N/m: Gershgorin's bound on the Hessian.
    pub(super) fn stiffnesses(&self, x: &[DVec3], mut add: impl FnMut(usize, f64)) {
        for cell in self.asked() {
            let along = cell.volume_gradients(x).map(DVec3::length);
            let all: f64 = along.iter().sum();
            for (corner, own) in cell.corners.into_iter().zip(along) {
                add(corner, cell.stiffness_pa / cell.volume_m3.abs() * own * all);
            }
        }
    }
}

/// What all cells of a body hold, joule.
pub(super) fn energy_j(body: &Prepared, x: &[DVec3], cues: &Cues) -> f64 {
    let Cells::Tets(tets) = &body.flesh.cells else { return 0.0 };
    let energy = |corners: &[u32; 4]| Cell::of(corners.map(|corner| corner as usize), body, cues).energy_j(x);
    tets.iter().map(energy).sum()
}

impl Cell {
    fn of(corners: [usize; 4], body: &Prepared, cues: &Cues) -> Self {
        let mean =
            |of: &dyn Fn(usize) -> Option<f64>| corners.iter().filter_map(|&corner| of(corner)).sum::<f64>() / 4.0;
        // Where nothing is asked, stretches and stiffnesses are as they were.
        let stretch = if cues.log_stretch.is_empty() {
            1.0
        } else {
            libm::exp(mean(&|corner| cues.log_stretch.get(corner).map(|stretch| stretch.trace())))
        };
        let stiffness =
            if cues.stiffness.is_empty() { 1.0 } else { mean(&|corner| cues.stiffness.get(corner).copied()) };
        let volume_m3 = volume(&corners, |corner| rest(&body.flesh, cues, corner)) * stretch;
        Self { corners, volume_m3, stiffness_pa: body.material.young_pa * stiffness / FROM }
    }

    /// Volume over that at rest; 1 for what has none.
    fn share(&self, x: &[DVec3]) -> f64 {
        let share = volume(&self.corners, |corner| x[corner]) / self.volume_m3;
        if share.is_finite() { share } else { 1.0 }
    }

    fn lack(&self, x: &[DVec3]) -> f64 {
        FROM - self.share(x)
    }

    fn energy_j(&self, x: &[DVec3]) -> f64 {
        0.5 * self.stiffness_pa * self.volume_m3.abs() * self.lack(x).max(0.0).powi(2)
    }

    fn volume_gradients(&self, x: &[DVec3]) -> [DVec3; 4] {
        let [a, b, c, d] = self.corners.map(|corner| x[corner]);
        let [e, f, g] = [b - a, c - a, d - a];
        let [b, c, d] = [f.cross(g) / 6.0, g.cross(e) / 6.0, e.cross(f) / 6.0];
        [-(b + c + d), b, c, d]
    }
}

fn rest(flesh: &Flesh, cues: &Cues, corner: usize) -> DVec3 {
    if cues.rest_offset.is_empty() { flesh.rest[corner] } else { cues.rest(flesh, corner) }
}

fn volume(corners: &[usize; 4], x: impl Fn(usize) -> DVec3) -> f64 {
    let [a, b, c, d] = corners.map(x);
    (b - a).cross(c - a).dot(d - a) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::springs::{SpringsBody, SpringsMethod, SpringsParams, SpringsSolver};
    use crate::{Damping, Material, Solver, StepInput, StepReport};
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;
    use std::sync::Arc;

    fn shake(n: usize) -> DVec3 {
        dvec3(libm::sin(n as f64), libm::cos(2.0 * n as f64), libm::sin(3.0 * n as f64))
    }

    fn prepared() -> Prepared {
        let flesh = Arc::new(Flesh::from_tets(bar(dvec3(0.3, 0.2, 0.2), [3, 2, 2]), 1000.0).unwrap());
        Prepared::new(SpringsBody::new(flesh, Material::default(), SpringsParams::default())).unwrap()
    }

    /// Pressed to a share of its height, and shaken a little.
    fn pressed(body: &Prepared, share: f64) -> Vec<DVec3> {
        body.flesh.rest.iter().enumerate().map(|(n, x)| dvec3(x.x, x.y * share, x.z) + shake(n) * 0.003).collect()
    }

    fn watching(body: &Prepared, x: &[DVec3]) -> TurnedCells {
        let mut cells = TurnedCells::default();
        cells.begin(body, &Cues::default());
        cells.watch(x);
        cells
    }

    #[test]
    fn gradients_are_those_of_the_energy_and_blocks_about_those_of_gradients() {
        let body = prepared();
        for share in [0.15, -0.2] {
            let x = pressed(&body, share);
            let cells = watching(&body, &x);
            let mut gradient = vec![DVec3::ZERO; x.len()];
            cells.gradients(&x, |corner, add| gradient[corner] += add);
            let (point, step) = (7, 1e-6);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let at = |by: f64| {
                    let mut moved = x.clone();
                    moved[point] += axis * by;
                    moved
                };
                let slope = (cells.energy_j(&at(step)) - cells.energy_j(&at(-step))) / (2.0 * step);
                assert!(
                    (gradient[point].dot(axis) - slope).abs() < 1e-5 * gradient[point].length().max(1.0),
                    "{slope}"
                );
            }
            let total = gradient.iter().sum::<DVec3>();
            assert!(total.length() < 1e-10 * gradient.iter().map(|g| g.length()).sum::<f64>());
            assert!((cells.energy_j(&x) - energy_j(&body, &x, &Cues::default())).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_pressed_to_a_third_is_left_to_springs() {
        let body = prepared();
        let x: Vec<DVec3> = body.flesh.rest.iter().map(|x| dvec3(x.x, x.y * 0.3, x.z)).collect();
        let cells = watching(&body, &x);
        assert!(!cells.asked.is_empty() && cells.energy_j(&x) == 0.0);
        assert!(watching(&body, &body.flesh.rest).asked.is_empty());
    }

    /// Springs alone are content with a corner on the wrong side of its opposite face: all lengths are as they should be there.
    #[test]
    fn a_corner_that_was_pushed_through_its_body_comes_back() {
        for method in [SpringsMethod::Implicit, SpringsMethod::Adaptive] {
            let flesh = Arc::new(Flesh::from_tets(bar(DVec3::splat(0.1), [1, 1, 1]), 1000.0).unwrap());
            let params = SpringsParams { method, ..SpringsParams::default() };
            let damping = Damping { wobble_per_sec: 20.0, ..Damping::default() };
            let material = Material { damping, ..Material::default() };
            let mut solver = SpringsSolver::new(vec![SpringsBody::new(flesh.clone(), material, params)]).unwrap();
            let mut state = vec![solver.rest_state(0)];
            // Mirrored in a plane through the body: every cell is turned over, and every spring has its length.
            state[0].x.iter_mut().for_each(|x| x.y = -x.y);
            let cues = [Cues::default()];
            let input =
                StepInput { cues: &cues, contacts: &[Vec::new()], touching: &[], h_secs: 1.0 / 96.0, stop: None };
            // A mirrored body is balanced: something has to tell it which way to go.
            state[0].v.iter_mut().enumerate().for_each(|(n, v)| *v = shake(n) * 10.0);
            let mut report = StepReport::default();
            for _ in 0..300 {
                report.clear();
                solver.step(&mut state, &input, &mut report).unwrap();
            }
            let Cells::Tets(tets) = &flesh.cells else { panic!("of tets") };
            let shares = tets.iter().map(|tet| {
                let corners = tet.map(|corner| corner as usize);
                volume(&corners, |corner| state[0].x[corner]) / volume(&corners, |corner| flesh.rest[corner])
            });
            let least = shares.fold(f64::INFINITY, f64::min);
            assert!(least > 0.9, "{method:?}: a cell has {least} of its volume");
        }
    }
}
