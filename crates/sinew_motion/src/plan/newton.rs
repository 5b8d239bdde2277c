//! Newton's method over all frames of all bodies.
//!
//! Gauss–Newton while steps are large, because the exact Hessian is then indefinite as often as not; the
//! exact one near the end, because Gauss–Newton only creeps there. Each body is a block-banded system;
//! contacts between bodies are left to conjugate gradients. A step is no longer than [`LONGEST_STEP`].
//! Multiples of the identity are added where a factor fails or the line search had to shorten, and taken back
//! as full steps succeed. Converged: a full step lowers the energy by less than the tolerance, relatively.

use super::coupling::{Shifted, Steps, dot, solve_coupled};
use super::solution::{Energies, Outcome, PlanError, Progress, SolveControl, StepReport};
use super::system::{Linearised, Places, System};
use crate::block_banded::{BlockBanded, BlockBandedFactor};
use crate::energy::Curvature;
use rayon::prelude::*;
use sinew_math::DVec3;

/// Largest nodal movement of a step, in body sizes.
const LONGEST_STEP: f64 = 0.3;
/// Below this step, in body sizes, the exact Hessian is used.
const EXACT_BELOW: f64 = 0.02;
/// Least share of the predicted decrease that a step must give.
const ARMIJO: f64 = 1e-4;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    pub tolerance: f64,
    pub most_steps: usize,
}

/// A direction in the axes of frames, and what it promises.
struct Direction {
    steps: Steps,
    /// Derivative of the energy along it.
    slope: f64,
    exact: bool,
    cg: usize,
}

/// Moves `y` to a minimum.
pub(super) fn minimise(
    system: &System<'_>,
    y: &mut Places,
    stop: Stop,
    stage: &'static str,
    control: &mut SolveControl<'_>,
    curve: &mut Vec<StepReport>,
) -> Result<Outcome, PlanError> {
    let mut shift = 0.0;
    let mut curvature = Curvature::GaussNewton;
    /// Steps in a row that lower the energy by less than the tolerance without being a full exact one.
    const MOST_CREEPING: usize = 10;
    let (mut failures, mut creeping) = (0, 0);
    let mut at = system.linearise(y);
    if !at.energies.total().is_finite() {
        return Err(PlanError::NotFinite);
    }
    for _ in 0..stop.most_steps {
        if control.is_cancelled() {
            return Ok(Outcome::Cancelled);
        }
        let Some(mut direction) = find_direction(system, &at, curvature, &mut shift) else {
            return Ok(Outcome::Stalled);
        };
        let longest = longest_movement(&direction.steps) / system.size_m;
        let limited = longest > LONGEST_STEP;
        if limited {
            let scale = LONGEST_STEP / longest;
            direction.steps.iter_mut().flatten().for_each(|z| *z *= scale);
            direction.slope *= scale;
        }
        let searched = line_search(system, &at, y, &direction);
        let scale = scale_of(&at.energies);
        let Some((share, places)) = searched else {
            if -direction.slope < stop.tolerance * scale {
                return Ok(Outcome::Converged);
            }
            failures += 1;
            if failures > 6 {
                return Ok(Outcome::Stalled);
            }
            shift = f64::max(shift * 10.0, 1e-5);
            curvature = Curvature::GaussNewton;
            continue;
        };
        failures = 0;
        let before = at.energies.total();
        *y = places;
        at = system.linearise(y);
        let step = share * longest.min(LONGEST_STEP);
        let report = StepReport { energy: at.energies.total(), step, share, exact: direction.exact, cg: direction.cg };
        curve.push(report);
        tell(system, y, stage, &report, curve.len(), control);
        let decrease = before - at.energies.total();
        let is_small = decrease < stop.tolerance * scale_of(&at.energies) || step < 1e-9;
        creeping = if is_small { creeping + 1 } else { 0 };
        if share == 1.0 && !limited && is_small && (direction.exact || step < 1e-6) && shift <= 1e-6 {
            return Ok(Outcome::Converged);
        }
        if creeping >= MOST_CREEPING {
            return Ok(Outcome::Stalled);
        }
        shift = if share < 0.5 {
            f64::max(shift * 4.0, 1e-6)
        } else if share == 1.0 {
            shift * 0.1
        } else {
            shift
        };
        if shift < 1e-8 {
            shift = 0.0;
        }
        curvature = if step < EXACT_BELOW && !limited { Curvature::Exact } else { Curvature::GaussNewton };
    }
    Ok(Outcome::StepsUsedUp)
}

/// What relative decreases are measured against: everything but multipliers, which may be negative.
fn scale_of(energies: &Energies) -> f64 {
    (energies.total() - energies.keys + energies.keys.abs()).max(1e-9)
}

fn tell(
    system: &System<'_>,
    y: &Places,
    stage: &'static str,
    report: &StepReport,
    step: usize,
    control: &mut SolveControl<'_>,
) {
    if let Some(progress) = control.progress.as_mut() {
        let motion = || super::motion_of(system, y);
        progress(&Progress { stage, step, energy: report.energy, motion: &motion });
    }
}

/// The Newton direction; raises the shift until the matrices are positive definite. None where even that
/// fails.
fn find_direction(system: &System<'_>, at: &Linearised, curvature: Curvature, shift: &mut f64) -> Option<Direction> {
    let right = negative_gradient(system, at);
    let mut curvature = curvature;
    let mut matrices = system.hessians(at, curvature);
    for attempt in 0..12 {
        if attempt == 3 && curvature == Curvature::Exact {
            curvature = Curvature::GaussNewton;
            matrices = system.hessians(at, curvature);
            *shift = 0.0;
        }
        if let Some((shifts, factors)) = factor_all(&matrices, *shift) {
            let (steps, cg) = match at.contacts.is_empty() {
                true => (solve_alone(&factors, &right), 0),
                false => solve_coupled(system, at, &Shifted { matrices: &matrices, shifts: &shifts }, &factors, &right),
            };
            let slope = -dot(&steps, &right);
            if slope.is_finite() && slope <= 0.0 {
                return Some(Direction { steps, slope, exact: curvature == Curvature::Exact, cg });
            }
        }
        *shift = f64::max(*shift * 10.0, 1e-7);
    }
    None
}

fn negative_gradient(system: &System<'_>, at: &Linearised) -> Steps {
    let of = |(body, gradient): (&super::system::BodySystem<'_>, &Vec<Vec<DVec3>>)| {
        let frames = body.free.frames.iter();
        frames.flat_map(|frame| gradient[*frame].iter().flat_map(|g| [-g.x, -g.y, -g.z])).collect()
    };
    system.bodies.iter().zip(at.bodies.iter().map(|body| &body.gradient)).map(of).collect()
}

/// Factors `H + shift · max diag(H) · I` of all bodies; gives what was added too.
fn factor_all(matrices: &[BlockBanded], shift: f64) -> Option<(Vec<f64>, Vec<BlockBandedFactor>)> {
    let found: Option<Vec<(f64, BlockBandedFactor)>> = matrices
        .par_iter()
        .map(|matrix| {
            let mut shifted = matrix.clone();
            let added = if shift > 0.0 { shift * matrix.largest_diagonal() } else { 0.0 };
            if added > 0.0 {
                shifted.add_to_diagonal(added);
            }
            Some((added, shifted.factor().ok()?))
        })
        .collect();
    found.map(|pairs| pairs.into_iter().unzip())
}

fn solve_alone(factors: &[BlockBandedFactor], right: &Steps) -> Steps {
    let solved = factors.par_iter().zip(right).map(|(factor, right)| {
        let mut x = right.clone();
        factor.solve(&mut x);
        x
    });
    solved.collect()
}

fn longest_movement(steps: &Steps) -> f64 {
    let squares = steps.iter().flat_map(|z| z.chunks_exact(3).map(|z| z[0] * z[0] + z[1] * z[1] + z[2] * z[2]));
    squares.fold(0.0, f64::max).sqrt()
}

/// Share of the direction that lowers the energy enough, and the places there.
fn line_search(system: &System<'_>, at: &Linearised, y: &Places, direction: &Direction) -> Option<(f64, Places)> {
    let before = at.energies.total();
    let mut share = 1.0;
    for _ in 0..14 {
        let places = moved(system, at, y, &direction.steps, share);
        let energy = system.energies(&places).total();
        let noise = 1e-14 * before.abs();
        if energy.is_finite() && energy <= before + ARMIJO * share * direction.slope + noise {
            return Some((share, places));
        }
        share *= 0.5;
    }
    None
}

fn moved(system: &System<'_>, at: &Linearised, y: &Places, steps: &Steps, share: f64) -> Places {
    let mut places = y.clone();
    for (number, body) in system.bodies.iter().enumerate() {
        let n = body.shape.node_count();
        for (position, frame) in body.free.frames.iter().enumerate() {
            let turn = at.bodies[number].postures[*frame].r;
            let step = &steps[number][position * 3 * n..(position + 1) * 3 * n];
            for (y, z) in places[number][*frame].iter_mut().zip(step.chunks_exact(3)) {
                *y += turn * DVec3::new(z[0], z[1], z[2]) * share;
            }
        }
    }
    places
}
