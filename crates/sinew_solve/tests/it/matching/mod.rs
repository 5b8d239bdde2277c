//! Bars and sheets with their solver, for the tests of shape matching.

use sinew_geom::structured::{bar, cloth};
use sinew_math::{DMat3, DVec3, dvec3};
use sinew_solve::shape_matching::{ShapeMatchingBody, ShapeMatchingParams, ShapeMatchingSolver};
use sinew_solve::{BodyState, Contact, Cues, Damping, Flesh, Material, Solver, StepInput, StepReport};
use std::sync::Arc;

pub(crate) const H_SECS: f64 = 1.0 / 96.0;

pub(crate) fn bar_flesh() -> Arc<Flesh> {
    Arc::new(Flesh::from_tets(bar(dvec3(1.0, 0.3, 0.2), [10, 3, 2]), 1000.0).unwrap())
}

pub(crate) fn cloth_flesh() -> Arc<Flesh> {
    Arc::new(Flesh::from_shell(&cloth(1.0, 0.8, [9, 7]), 0.3))
}

/// N iterations in as many passes as that, or the stiffness of 30 in the fewest.
pub(crate) fn stiffnesses() -> [ShapeMatchingParams; 4] {
    [(0, None), (1, None), (6, None), (30, Some(7))].map(|(iterations, passes)| ShapeMatchingParams {
        iterations,
        passes,
        ..ShapeMatchingParams::default()
    })
}

/// One body on its own, stepped by hand.
pub(crate) struct Alone {
    pub(crate) flesh: Arc<Flesh>,
    pub(crate) solver: ShapeMatchingSolver,
    pub(crate) state: BodyState,
    pub(crate) cues: Cues,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) report: StepReport,
    pub(crate) h_secs: f64,
}

impl Alone {
    pub(crate) fn new(flesh: &Arc<Flesh>, params: ShapeMatchingParams, wobble_per_sec: f64) -> Self {
        let material = Material { damping: Damping { wobble_per_sec, ..Damping::default() }, ..Material::default() };
        let body = ShapeMatchingBody { flesh: flesh.clone(), material, params };
        let solver = ShapeMatchingSolver::new(vec![body]).unwrap();
        let state = solver.rest_state(0);
        Self {
            flesh: flesh.clone(),
            solver,
            state,
            cues: Cues::default(),
            contacts: Vec::new(),
            report: StepReport::default(),
            h_secs: H_SECS,
        }
    }

    pub(crate) fn passes(flesh: &Arc<Flesh>, iterations: u32) -> Self {
        Self::new(flesh, ShapeMatchingParams { iterations, ..ShapeMatchingParams::default() }, 0.0)
    }

    pub(crate) fn step(&mut self) {
        self.report.clear();
        let contacts = [std::mem::take(&mut self.contacts)];
        let input = StepInput {
            cues: std::slice::from_ref(&self.cues),
            contacts: &contacts,
            touching: &[],
            h_secs: self.h_secs,
            stop: None,
        };
        self.solver.step(std::slice::from_mut(&mut self.state), &input, &mut self.report).unwrap();
        [self.contacts] = contacts;
    }

    pub(crate) fn steps(&mut self, count: usize) {
        for _ in 0..count {
            self.step();
        }
    }

    pub(crate) fn energy(&self) -> f64 {
        self.solver.energy(0, &self.state, &self.cues)
    }

    /// Mass centre, linear and angular momentum about the origin.
    pub(crate) fn momenta(&self) -> (DVec3, DVec3, DVec3) {
        let mut sums = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for ((x, v), m) in self.state.x.iter().zip(&self.state.v).zip(&self.flesh.mass_kg) {
            sums = (sums.0 + *x * *m, sums.1 + *v * *m, sums.2 + x.cross(*v) * *m);
        }
        (sums.0 / self.flesh.total_mass_kg(), sums.1, sums.2)
    }
}

/// How far points are from `shape` once both lie on each other as well as a rigid motion can make them, metres.
pub(crate) fn off_shape(flesh: &Flesh, x: &[DVec3], shape: &[DVec3]) -> f64 {
    use sinew_math::rotation::{best_fit_rotation, mass_centre};
    let turn = DMat3::from_quat(best_fit_rotation(shape, x, &flesh.mass_kg));
    let (from, to) = (mass_centre(shape, &flesh.mass_kg), mass_centre(x, &flesh.mass_kg));
    shape.iter().zip(x).map(|(s, x)| (turn * (*s - from) + to).distance(*x)).fold(0.0, f64::max)
}

/// Numbers in −1..1 that are the same in every run.
pub(crate) struct Noise(pub u64);

impl Noise {
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        dvec3(self.number(), self.number(), self.number())
    }
}
