//! Several motions for one problem, and repairs where a check objects.
//!
//! Each alternative begins on a path of the centre that stays away from the paths before it (around
//! obstacles) or with other noise (among bodies). Half of such starts end alike, so that the results are
//! compared: a motion is kept if some centre passes elsewhere, or if the energy differs clearly.

use super::problem::{PlanProblem, PlannedMotion};
use super::solution::{Outcome, PlanError, PlanSolution, SolveControl};
use crate::interpolation::MotionCurve;
use sinew_math::DVec3;

/// Centres farther apart than this share of the size are on different ways.
const OTHER_WAY: f64 = 0.3;
/// Energies that differ by this share are different motions.
const OTHER_ENERGY: f64 = 0.05;

/// Up to `count` different motions, the one of least energy first. The first start is that of
/// [`super::solve`].
pub fn alternatives(
    problem: &PlanProblem,
    count: usize,
    control: &mut SolveControl<'_>,
) -> Result<Vec<PlanSolution>, PlanError> {
    let mut kept: Vec<PlanSolution> = Vec::new();
    let mut avoid: Vec<Vec<DVec3>> = vec![Vec::new(); problem.bodies.len()];
    for attempt in 0..2 * count {
        if kept.len() == count || (control.is_cancelled() && !kept.is_empty()) {
            break;
        }
        let mut varied = problem.clone();
        varied.options.seed = problem.options.seed.wrapping_add(attempt as u64);
        let (solution, paths) = super::solve_along(&varied, &avoid, control)?;
        for (avoid, path) in avoid.iter_mut().zip(paths) {
            // The ends are common to all ways.
            let third = path.len() / 3;
            avoid.extend(&path[third..path.len() - third]);
        }
        let is_new = kept.iter().map(|other| is_other(problem, &solution, other)).collect::<Result<Vec<_>, _>>()?;
        if is_new.iter().all(|is_new| *is_new) {
            kept.push(solution);
        }
        if problem.obstacles.is_empty() && problem.bodies.len() < 2 {
            break;
        }
    }
    kept.sort_by(|a, b| a.report.energies.total().total_cmp(&b.report.energies.total()));
    Ok(kept)
}

fn is_other(problem: &PlanProblem, a: &PlanSolution, b: &PlanSolution) -> Result<bool, PlanError> {
    let (own, other) = (a.report.energies.total(), b.report.energies.total());
    if (own - other).abs() > OTHER_ENERGY * own.max(other) {
        return Ok(true);
    }
    for (number, body) in problem.bodies.iter().enumerate() {
        let curves: Vec<MotionCurve> = [a, b]
            .iter()
            .map(|solution| super::curve_of(problem, number, &solution.motion.bodies[number]))
            .collect::<Result<_, _>>()?;
        let times = curves[0].times_secs();
        let apart =
            times.iter().map(|secs| curves[0].rigid_at(*secs).centre.distance(curves[1].rigid_at(*secs).centre));
        if apart.fold(0.0, f64::max) > OTHER_WAY * body.shape.size_m {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A place in time at which a check found a body in an obstacle or in another body, or could not decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objection {
    pub body: usize,
    pub secs: f64,
}

/// Solves, asks `check` for objections, adds contact times where it has some, and solves again from there; up
/// to `rounds` times. Gives the last solution and the objections that are left.
pub fn solve_until_clear(
    problem: &PlanProblem,
    start: Option<&PlannedMotion>,
    check: &dyn Fn(&PlannedMotion) -> Vec<Objection>,
    rounds: usize,
    control: &mut SolveControl<'_>,
) -> Result<(PlanSolution, Vec<Objection>), PlanError> {
    /// Contact times added in an interval.
    const TIMES: usize = 15;
    /// How much stiffer contacts become in a round.
    const STIFFER: f64 = 10.0;
    let mut solution = super::solve(problem, start, control)?;
    let mut objections = check(&solution.motion);
    let mut stricter = problem.clone();
    for _ in 0..rounds {
        if objections.is_empty() || solution.report.outcome == Outcome::Cancelled {
            break;
        }
        for objection in &objections {
            let times = &solution.motion.bodies[objection.body].times_secs;
            let after = times.partition_point(|secs| *secs <= objection.secs).clamp(1, times.len().max(2) - 1);
            let Some(to) = times.get(after) else { continue };
            let from = times[after - 1];
            let inner = (1..=TIMES).map(|n| from + (to - from) * n as f64 / (TIMES + 1) as f64);
            stricter.options.extra_contact_times.extend(inner.map(|secs| (objection.body, secs)));
        }
        stricter.options.extra_contact_times.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        stricter.options.extra_contact_times.dedup();
        stricter.weights.contact *= STIFFER;
        stricter.weights.obstacle *= STIFFER;
        solution = super::solve(&stricter, Some(&solution.motion), control)?;
        objections = check(&solution.motion);
    }
    Ok((solution, objections))
}
