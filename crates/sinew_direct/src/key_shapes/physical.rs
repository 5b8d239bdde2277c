//! Physics-oriented interpolation: the way on which flesh at rest in key q, held in the shape of key p and let go, creeps home.
//!
//! Kondo, Kanai, Anjyo, "Directable animation of elastic objects", SCA 2005: `M ẍ + C ẋ + K_q (x − o_q) = 0` from R_p with extreme
//! damping. Departures: damping is taken to its limit, where inertia is nothing and C = M over a time scale, so that `M ẋ = −f_q(x)`,
//! a flow down the elastic energy; elements are warped by their rotation (`f = R K (Rᵀ x − o)`, or a turned part would swell), with
//! Poisson's ratio left out. The flow tends to R_q and never gets there, so time is warped: key q is where nothing of the way is
//! left, exactly.
//!
//! Each step minimises `|x − x_k|²_M / 2τ + Σ V |F − R|²` by turns and a linear solve, which is implicit Euler (Bouaziz et al., "Projective
//! Dynamics", SIGGRAPH 2014). The matrix is the same until τ grows.

use super::cells::{Element, ShapeCells, gradient_of, solve, stiffness};
use sinew_math::rotation::nearest_rotation;
use sinew_math::sparse::{Analysis, Factor};
use sinew_math::{DMat3, DVec3};

/// Share of the way that may be left when the flow is ended.
const LEFT: f64 = 2e-3;
/// Steps of a flow at most.
const MOST_STEPS: usize = 240;
/// Turns and solves in a step.
const SWEEPS: usize = 3;
/// A step that leaves more than this share of what was left makes the next one longer.
const SLOW: f64 = 0.93;
/// Longer than the first step by this factor, steps that gain nothing show that the flow has ended elsewhere.
const MOST_GROWTH: f64 = 1e6;
/// Shapes that are kept are this much of the way apart at least.
const SPACING: f64 = 0.015;

/// Shapes on the way from one key to the next with the share of the way that lies behind each, from 0 to 1.
pub(super) struct Flow {
    pub(super) shapes: Vec<(f64, Vec<DVec3>)>,
    /// Share of the way that was left where the flow ended. The rest is closed in a straight line.
    pub(super) left: f64,
}

/// The flow from `from` to `to`, both without their rigid parts.
pub(super) fn flow(cells: &ShapeCells, from: &[DVec3], to: &[DVec3]) -> Flow {
    let whole = cells.distance(from, to);
    let mut shapes = vec![(0.0, from.to_vec())];
    let mut left = 1.0;
    if whole > 1e-12 * cells.size_m
        && let Some(mut system) = System::new(cells, from, to)
    {
        let mut x = from.to_vec();
        for _ in 0..MOST_STEPS {
            let next = system.step(&x);
            let still = cells.distance(&next, to) / whole;
            if still > SLOW * left {
                let has_ended = still > 0.999 * left && system.growth > MOST_GROWTH;
                if has_ended || !system.lengthen() {
                    break;
                }
            }
            x = next;
            if still < left {
                left = still;
                let behind = 1.0 - left;
                if behind - shapes[shapes.len() - 1].0 > SPACING {
                    shapes.push((behind, cells.without_rigid_motion(&x)));
                }
            }
            if left < LEFT {
                break;
            }
        }
    }
    while shapes.len() > 1 && 1.0 - shapes[shapes.len() - 1].0 < SPACING {
        shapes.pop();
    }
    shapes.push((1.0, to.to_vec()));
    Flow { shapes, left: if whole > 1e-12 * cells.size_m { left } else { 0.0 } }
}

/// The elastic body at rest in key q.
struct System<'a> {
    cells: &'a ShapeCells,
    elements: Vec<Element>,
    analysis: Analysis,
    factor: Factor,
    /// M/τ per kilogram.
    rate: f64,
    growth: f64,
}

impl<'a> System<'a> {
    /// None where the shape has flat elements.
    fn new(cells: &'a ShapeCells, from: &[DVec3], to: &[DVec3]) -> Option<Self> {
        let elements: Vec<Element> = cells.elements.iter().map(|element| element.at(to)).collect::<Option<_>>()?;
        let plain = stiffness(cells.rest.len(), &elements, &cells.mass_kg, 0.0);
        // The rate at which the difference itself would fall: Rayleigh's quotient.
        let quotient = |axis: usize| {
            let u: Vec<f64> = from.iter().zip(to).map(|(p, q)| p[axis] - q[axis]).collect();
            let work: f64 = plain.times(&u).iter().zip(&u).map(|(a, b)| a * b).sum();
            (work, u.iter().zip(&cells.mass_kg).map(|(u, m)| m * u * u).sum::<f64>())
        };
        let (work, square) = (0..3).map(quotient).fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d));
        let rate = 4.0 * work / square;
        if !rate.is_finite() || rate <= 0.0 {
            return None;
        }
        let matrix = stiffness(cells.rest.len(), &elements, &cells.mass_kg, rate);
        let analysis = Analysis::new(&matrix).ok()?;
        let factor = analysis.factor(&matrix).ok()?;
        Some(Self { cells, elements, analysis, factor, rate, growth: 1.0 })
    }

    fn step(&self, x: &[DVec3]) -> Vec<DVec3> {
        let mut next = x.to_vec();
        for _ in 0..SWEEPS {
            let held = x.iter().zip(&self.cells.mass_kg);
            let mut right: Vec<DVec3> = held.map(|(x, m)| *x * (self.rate * m)).collect();
            for element in &self.elements {
                let turn = DMat3::from_quat(nearest_rotation(gradient_of(element, &next)));
                for (corner, gradient) in element.corners().zip(element.gradient) {
                    right[corner] += turn * gradient * element.volume;
                }
            }
            next = solve(&self.factor, &right);
        }
        next
    }

    /// Makes the steps three times as long; false where that cannot be.
    fn lengthen(&mut self) -> bool {
        self.rate /= 3.0;
        self.growth *= 3.0;
        let matrix = stiffness(self.cells.rest.len(), &self.elements, &self.cells.mass_kg, self.rate);
        match self.analysis.factor(&matrix) {
            Ok(factor) => self.factor = factor,
            Err(_) => return false,
        }
        true
    }
}
