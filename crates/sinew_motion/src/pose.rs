//! One shape under handles: points that are held and points that are moved.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas 2009, §5: `E₁ = λ₁ E_handle + λ₂ E_strain + λ₃ E_volume`
//! (Eq. 10–14). The paper minimises with L-BFGS; here it is Gauss–Newton while steps exceed 2 % of the size,
//! then Newton with the exact Hessian. The cost depends on nodes and quadrature points only, not on the skin.
//!
//! Departures: energies are means over the body and over a handle's points; handles act on `f(x)`, never on
//! nodal values. Limits: a local minimum near the start; the printed volume term lets flesh turn inside out,
//! the logarithmic one does not.

use crate::block_banded::BlockBanded;
use crate::energy::{Curvature, Elastic};
use crate::shape::{PlanShape, ShapeError};
use sinew_geom::meshless::ShapeFunctions;
use sinew_math::DVec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Points that move together, such as a hand; or one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    /// Rest places.
    pub rest: Vec<DVec3>,
}

/// Handles on a body, prepared: solve as often as they move.
#[derive(Debug, Clone)]
pub struct PoseSolver<'a> {
    shape: &'a PlanShape,
    functions: Vec<ShapeFunctions>,
    pub elastic: Elastic,
    /// λ₁: weight of a handle's mean square miss in body sizes.
    pub handle_weight: f64,
    pub tolerance: f64,
    pub most_steps: usize,
}

/// A pose and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct PoseSolution {
    /// Nodal places; warm start of the next.
    pub places: Vec<DVec3>,
    pub converged: bool,
    pub steps: usize,
    pub strain: f64,
    pub volume: f64,
    /// Largest miss of every handle, m.
    pub misses_m: Vec<f64>,
    /// Volume as a share of that at rest.
    pub volume_share: f64,
    /// Least `det ∇f`; below zero flesh is inside out.
    pub least_j: f64,
}

/// Why a pose cannot be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PoseError {
    #[error("handle {handle}: {source}")]
    Handle { handle: usize, source: ShapeError },
    #[error("{handles} handles but places for {places}")]
    Counts { handles: usize, places: usize },
    #[error("the start has {found} nodal places; the body has {nodes} nodes")]
    Start { found: usize, nodes: usize },
}

impl<'a> PoseSolver<'a> {
    pub fn new(shape: &'a PlanShape, handles: &[Handle]) -> Result<Self, PoseError> {
        let functions = (handles.iter().enumerate())
            .map(|(handle, given)| {
                let found = shape.nodes.functions_at(&given.rest);
                found.map_err(|source| PoseError::Handle { handle, source: source.into() })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { shape, functions, elastic: Elastic::default(), handle_weight: 1e4, tolerance: 1e-4, most_steps: 100 })
    }

    /// The pose that brings handles to `targets` (places of every handle's points), from nodal places
    /// `start`.
    pub fn solve(
        &self,
        targets: &[Vec<DVec3>],
        start: &[DVec3],
        cancel: Option<&AtomicBool>,
    ) -> Result<PoseSolution, PoseError> {
        self.check(targets, start)?;
        let mut y = start.to_vec();
        let (mut curvature, mut shift, mut converged, mut steps) = (Curvature::GaussNewton, 0.0, false, 0);
        while steps < self.most_steps && !converged && !cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            let (energy, gradient) = self.gradient(targets, &y);
            let Some(step) = self.direction(&y, &gradient, curvature, &mut shift) else { break };
            let slope: f64 = step.iter().zip(&gradient).map(|(s, g)| s.dot(*g)).sum();
            let longest = step.iter().map(|s| s.length()).fold(0.0, f64::max) / self.shape.size_m;
            /// Longest step in body sizes.
            const LONGEST: f64 = 0.5;
            let limit = f64::min(1.0, LONGEST / longest);
            let mut share = limit;
            let found = (0..20).find_map(|_| {
                let moved: Vec<DVec3> = y.iter().zip(&step).map(|(y, s)| *y + *s * share).collect();
                let now = self.energy(targets, &moved);
                let enough = now <= energy + 1e-4 * share * slope + 1e-14 * energy;
                if !enough {
                    share *= 0.5;
                }
                enough.then_some((moved, now))
            });
            steps += 1;
            let is_exact = curvature == Curvature::Exact;
            let Some((moved, now)) = found else {
                converged = -slope < self.tolerance * energy.max(1e-12);
                shift = f64::max(shift * 10.0, 1e-6);
                curvature = Curvature::GaussNewton;
                continue;
            };
            y = moved;
            let is_small = energy - now <= self.tolerance * now || longest < 1e-9;
            converged = share == 1.0 && shift <= 1e-6 && is_small && (is_exact || longest < 1e-6);
            shift = if share < 0.5 * limit { f64::max(4.0 * shift, 1e-6) } else { 0.1 * shift };
            curvature = if share * longest < 0.02 { Curvature::Exact } else { Curvature::GaussNewton };
        }
        Ok(self.report(targets, y, converged, steps))
    }

    fn check(&self, targets: &[Vec<DVec3>], start: &[DVec3]) -> Result<(), PoseError> {
        if targets.len() != self.functions.len() {
            return Err(PoseError::Counts { handles: self.functions.len(), places: targets.len() });
        }
        for (handle, (functions, places)) in self.functions.iter().zip(targets).enumerate() {
            if functions.len() != places.len() {
                let source = ShapeError::PlaceCount { points: functions.len(), places: places.len() };
                return Err(PoseError::Handle { handle, source });
            }
            if let Some(place) = places.iter().position(|x| !x.is_finite()) {
                return Err(PoseError::Handle { handle, source: ShapeError::NotFinite { place } });
            }
        }
        if start.len() != self.shape.node_count() {
            return Err(PoseError::Start { found: start.len(), nodes: self.shape.node_count() });
        }
        Ok(())
    }

    fn weight(&self, handle: usize) -> f64 {
        self.handle_weight / (self.shape.size_m * self.shape.size_m * self.functions[handle].len().max(1) as f64)
    }

    fn energy(&self, targets: &[Vec<DVec3>], y: &[DVec3]) -> f64 {
        let [strain, volume] = self.shape.elastic.values(&self.elastic, y);
        let handles = self.functions.iter().zip(targets).enumerate().map(|(handle, (functions, places))| {
            let gaps = functions.rows().zip(places).map(|(row, place)| row.sum(y).distance_squared(*place));
            self.weight(handle) * gaps.sum::<f64>()
        });
        strain + volume + handles.sum::<f64>()
    }

    fn gradient(&self, targets: &[Vec<DVec3>], y: &[DVec3]) -> (f64, Vec<DVec3>) {
        let mut gradient = vec![DVec3::ZERO; y.len()];
        let [strain, volume] = self.shape.elastic.add_gradient(&self.elastic, y, 1.0, &mut gradient);
        let mut energy = strain + volume;
        for (handle, (functions, places)) in self.functions.iter().zip(targets).enumerate() {
            let weight = self.weight(handle);
            for (row, place) in functions.rows().zip(places) {
                let gap = row.sum(y) - *place;
                energy += weight * gap.length_squared();
                for (node, value) in row.nodes.iter().zip(row.values) {
                    gradient[*node as usize] += gap * (2.0 * weight * value);
                }
            }
        }
        (energy, gradient)
    }

    fn direction(&self, y: &[DVec3], gradient: &[DVec3], curvature: Curvature, shift: &mut f64) -> Option<Vec<DVec3>> {
        let size = 3 * y.len();
        for attempt in 0..10 {
            let curvature = if attempt < 2 { curvature } else { Curvature::GaussNewton };
            let mut matrix = BlockBanded::new(size, 1, 0);
            let panel = matrix.panel_mut(0);
            self.shape.elastic.add_hessian(&self.elastic, y, 1.0, curvature, panel, size);
            for (handle, functions) in self.functions.iter().enumerate() {
                let weight = 2.0 * self.weight(handle);
                for row in functions.rows() {
                    for (b, vb) in row.nodes.iter().zip(row.values) {
                        for (a, va) in row.nodes.iter().zip(row.values).filter(|(a, _)| *a >= b) {
                            for k in 0..3 {
                                panel[(3 * *b as usize + k) * size + 3 * *a as usize + k] += weight * va * vb;
                            }
                        }
                    }
                }
            }
            let largest = matrix.largest_diagonal();
            if *shift > 0.0 {
                matrix.add_to_diagonal(*shift * largest);
            }
            if let Ok(factor) = matrix.factor() {
                let mut x: Vec<f64> = gradient.iter().flat_map(|g| [-g.x, -g.y, -g.z]).collect();
                factor.solve(&mut x);
                if x.iter().all(|x| x.is_finite()) {
                    return Some(x.chunks_exact(3).map(|x| DVec3::new(x[0], x[1], x[2])).collect());
                }
            }
            *shift = f64::max(*shift * 10.0, 1e-9);
        }
        None
    }

    fn report(&self, targets: &[Vec<DVec3>], places: Vec<DVec3>, converged: bool, steps: usize) -> PoseSolution {
        let [strain, volume] = self.shape.elastic.values(&self.elastic, &places);
        let (volume_share, least_j) = self.shape.elastic.volume_share(&places);
        let misses = self.functions.iter().zip(targets).map(|(functions, targets)| {
            let gaps = functions.rows().zip(targets).map(|(row, place)| row.sum(&places).distance(*place));
            gaps.fold(0.0, f64::max)
        });
        let misses_m = misses.collect();
        PoseSolution { places, converged, steps, strain, volume, misses_m, volume_share, least_j }
    }
}
