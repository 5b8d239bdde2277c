//! Motions between keys: one optimisation over all frames of all bodies.
//!
//! Adams, Wicke, Ovsjanikov, Wand, Seidel, Guibas 2009, §6.2–6.4. [`solve`] takes a [`PlanProblem`] and gives
//! the motion of least energy with its report. The paper minimises with L-BFGS; here it is Newton's method on
//! block-banded systems ([`newton`]), whole-pose keys are eliminated, and point keys are met by an augmented
//! Lagrangian.
//!
//! Limits: local minima. Less than half a turn between neighbouring frames. The acceleration energy leaves
//! gravity out.

mod adaptive;
mod alternatives;
mod body_energy;
mod clearance;
mod contacts;
mod coupling;
#[cfg(test)]
mod derivative_tests;
mod guess;
mod keys;
mod newton;
mod paths;
mod points;
mod posture;
mod problem;
mod solution;
mod system;

pub use alternatives::{Objection, alternatives, solve_until_clear};
pub use problem::{
    CarriedDistance, Frames, Obstacle, PlanBody, PlanKey, PlanObstacle, PlanOptions, PlanProblem, PlanWeights,
    PlannedMotion, PointPlaces, Pose, RigidMotion,
};
pub use solution::{
    Energies, KeyProblem, KeyResidual, Outcome, PlanError, PlanReport, PlanSolution, Progress, SolveControl, StepReport,
};

use crate::interpolation::{BodyMotion, MotionCurve};
use contacts::Clearance;
use keys::ResolvedKeys;
use sinew_math::DVec3;
use system::{BodySystem, Places, System};

/// Share of the body's size that is kept clear unless the problem says otherwise.
const CLEARANCE: f64 = 0.03;
/// Penalty of point keys over the square of the size.
const KEY_PENALTY: f64 = 1e4;

/// Plans the motion of all bodies. `start` is a motion to begin with, such as the last plan; without it, the
/// first guess is made from keys.
pub fn solve(
    problem: &PlanProblem,
    start: Option<&PlannedMotion>,
    control: &mut SolveControl<'_>,
) -> Result<PlanSolution, PlanError> {
    check(problem)?;
    let Some(start) = start else {
        let nothing = vec![Vec::new(); problem.bodies.len()];
        return Ok(solve_along(problem, &nothing, control)?.0);
    };
    let keys = resolve(problem)?;
    let times: Vec<Vec<f64>> = keys.iter().enumerate().map(|(n, keys)| frames_of(problem, keys, start, n)).collect();
    let guess = first_places(problem, &keys, &times, Some(start))?;
    solve_with_frames(problem, &keys, times, guess, control)
}

fn resolve(problem: &PlanProblem) -> Result<Vec<ResolvedKeys>, PlanError> {
    problem.bodies.iter().map(ResolvedKeys::new).collect()
}

/// Solves from paths of centres that stay away from places, by body; gives these paths too.
fn solve_along(
    problem: &PlanProblem,
    avoid: &[Vec<DVec3>],
    control: &mut SolveControl<'_>,
) -> Result<(PlanSolution, Vec<Vec<DVec3>>), PlanError> {
    check(problem)?;
    let keys = resolve(problem)?;
    let times: Vec<Vec<f64>> = keys.iter().map(|keys| keys.times.clone()).collect();
    let mut guess = first_places(problem, &keys, &times, None)?;
    lead_along_paths(problem, &keys, &times, &mut guess, avoid, control);
    let centres = problem.bodies.iter().zip(&guess);
    let centres = centres.map(|(body, y)| y.iter().map(|y| body.shape.frame.centre(y)).collect()).collect();
    Ok((solve_with_frames(problem, &keys, times, guess, control)?, centres))
}

/// Solves, and again with more frames where bodies ask for them.
fn solve_with_frames(
    problem: &PlanProblem,
    keys: &[ResolvedKeys],
    times: Vec<Vec<f64>>,
    guess: Places,
    control: &mut SolveControl<'_>,
) -> Result<PlanSolution, PlanError> {
    let mut solved = solve_at(problem, keys, times, guess, control, Vec::new())?;
    while let Some(times) = more_frames(problem, &solved)? {
        let guess = first_places(problem, keys, &times, Some(&solved.motion))?;
        let curve = std::mem::take(&mut solved.report.curve);
        solved = solve_at(problem, keys, times, guess, control, curve)?;
    }
    add_clearance(problem, &mut solved)?;
    Ok(solved)
}

/// Frames of the last plan where it has as many as are wanted, and all that keys need.
fn frames_of(problem: &PlanProblem, keys: &ResolvedKeys, start: &PlannedMotion, body: usize) -> Vec<f64> {
    let mut times = keys.times.clone();
    if let (Frames::Adaptive { .. }, Some(motion)) = (&problem.bodies[body].frames, start.bodies.get(body)) {
        let (first, last) = (times[0], times[times.len() - 1]);
        times.extend(motion.times_secs.iter().filter(|secs| **secs > first && **secs < last));
        times.sort_by(f64::total_cmp);
        times.dedup_by(|b, a| keys::is_same(*a, *b));
    }
    times
}

/// Frames to solve with next, where some body wants more and its error asks for them.
fn more_frames(problem: &PlanProblem, solved: &PlanSolution) -> Result<Option<Vec<Vec<f64>>>, PlanError> {
    if matches!(solved.report.outcome, Outcome::Cancelled | Outcome::StepsUsedUp | Outcome::Stalled) {
        return Ok(None);
    }
    let mut is_more = false;
    let mut all = Vec::new();
    for (number, body) in problem.bodies.iter().enumerate() {
        let motion = &solved.motion.bodies[number];
        let mut times = motion.times_secs.clone();
        if let (Frames::Adaptive { most }, true) = (&body.frames, times.len() > 1) {
            let curve = curve_of(problem, number, motion)?;
            let errors = adaptive::interval_errors(&body.shape, &problem.weights.elastic, motion, &curve);
            if let Some(more) = adaptive::with_frames(&times, &errors, problem.options.frame_tolerance, *most) {
                times = more;
                is_more = true;
            }
        }
        all.push(times);
    }
    Ok(is_more.then_some(all))
}

fn add_clearance(problem: &PlanProblem, solved: &mut PlanSolution) -> Result<(), PlanError> {
    let shapes: Vec<&crate::shape::PlanShape> = problem.bodies.iter().map(|body| &*body.shape).collect();
    let motions = solved.motion.bodies.iter().enumerate();
    let curves = motions.map(|(n, motion)| curve_of(problem, n, motion)).collect::<Result<Vec<_>, _>>()?;
    solved.report.clearance_m = clearance::least_clearance(&shapes, &curves, &problem.obstacles);
    if let (Some(clearance_m), Outcome::Converged) = (solved.report.clearance_m, &solved.report.outcome)
        && clearance_m < 0.0
    {
        solved.report.outcome = Outcome::Penetrates { depth_m: -clearance_m };
    }
    Ok(())
}

/// Moves the first guess so that centres pass obstacles and each other.
fn lead_along_paths(
    problem: &PlanProblem,
    keys: &[ResolvedKeys],
    times: &[Vec<f64>],
    guess: &mut Places,
    avoid: &[Vec<DVec3>],
    control: &SolveControl<'_>,
) {
    if problem.obstacles.is_empty() && problem.bodies.len() < 2 {
        return;
    }
    let size_m = problem.bodies.iter().map(|body| body.shape.size_m).fold(0.0, f64::max);
    let grid = times.iter().max_by_key(|times| times.len()).cloned().unwrap_or_default();
    let mut all: Vec<paths::CentrePath> = problem
        .bodies
        .iter()
        .zip(keys)
        .zip(times.iter().zip(guess.iter()))
        .map(|((body, keys), (times, y))| paths::CentrePath {
            times_secs: times.clone(),
            fixed: times.iter().map(|secs| is_led(keys, *secs)).collect(),
            centres: y.iter().map(|y| body.shape.frame.centre(y)).collect(),
            radius_m: body.shape.reach_m,
            obstacle_radius_m: body.shape.reach_m,
            contact_times: system::contact_times(times, &grid, problem.options.body_times, &[]),
        })
        .collect();
    let mut is_moved = false;
    for (path, avoid) in all.iter_mut().zip(avoid) {
        is_moved |= paths::around_obstacles(path, &problem.obstacles, avoid);
    }
    let is_cancelled = || control.is_cancelled();
    if all.len() > 1 {
        paths::among_bodies(&mut all, &problem.obstacles, size_m, problem.options.seed, &is_cancelled);
    } else if is_moved {
        paths::smooth(&mut all, &problem.obstacles, size_m, &is_cancelled);
    }
    for ((path, y), body) in all.iter().zip(guess.iter_mut()).zip(&problem.bodies) {
        for (centre, y) in path.centres.iter().zip(y) {
            let shift = *centre - body.shape.frame.centre(y);
            y.iter_mut().for_each(|y| *y += shift);
        }
    }
}

/// Whether a key or a guess says where the body is.
fn is_led(keys: &ResolvedKeys, secs: f64) -> bool {
    let in_guess = keys.guesses.iter().any(|guess| keys::is_same(guess.secs, secs));
    let in_points = keys.points.iter().any(|points| points.from_secs <= secs && secs <= points.to_secs);
    keys::pose_at(keys, secs).is_some() || in_guess || in_points
}

/// Solves with the given frames.
fn solve_at(
    problem: &PlanProblem,
    keys: &[ResolvedKeys],
    times: Vec<Vec<f64>>,
    mut y: Places,
    control: &mut SolveControl<'_>,
    curve: Vec<StepReport>,
) -> Result<PlanSolution, PlanError> {
    let guess = y.clone();
    let mut system = build_system(problem, keys, times, &guess);
    let mut report = PlanReport { curve, ..PlanReport::default() };
    let outcome = meet_keys(problem, &mut system, &mut y, control, &mut report.curve)?;
    let motion = motion_of(&system, &y);
    report.energies = system.energies(&y);
    report.keys = key_residuals(problem, keys, &system, &motion, &guess)?;
    report.frames = system.bodies.iter().map(|body| body.times_secs.len()).collect();
    report.unknowns = system.bodies.iter().map(|body| 3 * body.shape.node_count() * body.times_secs.len()).sum();
    report.free_unknowns = system.bodies.iter().map(BodySystem::unknowns).sum();
    let worst = report.keys.iter().map(|key| key.relative).fold(0.0, f64::max);
    report.outcome = match outcome {
        Outcome::Converged if worst > problem.options.key_tolerance => Outcome::KeysMissed { worst },
        other => other,
    };
    Ok(PlanSolution { motion, report })
}

/// Minimises, then updates multipliers until point keys are met.
fn meet_keys(
    problem: &PlanProblem,
    system: &mut System<'_>,
    y: &mut Places,
    control: &mut SolveControl<'_>,
    curve: &mut Vec<StepReport>,
) -> Result<Outcome, PlanError> {
    const MOST_ROUNDS: usize = 10;
    let stop = |used: usize| newton::Stop {
        tolerance: problem.options.tolerance,
        most_steps: problem.options.most_steps.saturating_sub(used),
    };
    let mut before = f64::INFINITY;
    for round in 0..MOST_ROUNDS {
        set_velocity_targets(problem, system, y)?;
        let outcome = newton::minimise(system, y, stop(curve.len()), "plan", control, curve)?;
        let worst = worst_gap(system, y);
        let met = worst <= 0.5 * problem.options.key_tolerance * system.size_m;
        // A miss that no longer shrinks contradicts other keys.
        let stuck = round > 2 && worst > 0.7 * before;
        if outcome != Outcome::Converged || met || stuck || system.bodies.iter().all(|body| body.rows.is_empty()) {
            return Ok(outcome);
        }
        before = worst;
        for (body, y) in system.bodies.iter_mut().zip(y.iter()) {
            for row in &mut body.rows {
                let gap = row.gap(y);
                row.multiplier += gap * (system.key_penalty * row.strength);
            }
        }
    }
    Ok(Outcome::Converged)
}

fn set_velocity_targets(problem: &PlanProblem, system: &mut System<'_>, y: &Places) -> Result<(), PlanError> {
    for (number, body) in system.bodies.iter_mut().enumerate() {
        if !body.rows.is_empty() {
            let motion = body.motion(&y[number]);
            let curve = curve_of(problem, number, &motion)?;
            keys::correct_velocities(&mut body.rows, &motion.times_secs, &y[number], &curve);
        }
    }
    Ok(())
}

fn worst_gap(system: &System<'_>, y: &Places) -> f64 {
    let rows = system
        .bodies
        .iter()
        .zip(y)
        .flat_map(|(body, y)| body.rows.iter().map(move |row| row.gap(y).length() * row.strength.sqrt()));
    rows.fold(0.0, f64::max)
}

fn check(problem: &PlanProblem) -> Result<(), PlanError> {
    if problem.bodies.is_empty() {
        return Err(PlanError::NoBody);
    }
    let weights = &problem.weights;
    let named = [
        ("acceleration", weights.acceleration),
        ("turn", weights.turn),
        ("spin", weights.spin),
        ("contact", weights.contact),
        ("obstacle", weights.obstacle),
    ];
    match named.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
        Some((term, value)) => Err(PlanError::Weight { term, value }),
        None => Ok(()),
    }
}

/// Nodal places of the motion a solve begins with.
fn first_places(
    problem: &PlanProblem,
    keys: &[ResolvedKeys],
    times: &[Vec<f64>],
    start: Option<&PlannedMotion>,
) -> Result<Places, PlanError> {
    let bodies = problem.bodies.iter().zip(keys).zip(times).enumerate();
    bodies
        .map(|(number, ((body, keys), times))| {
            let places = match start.and_then(|start| start.bodies.get(number)) {
                Some(motion) => guess::resampled(&body.shape, keys, motion, times),
                None => guess::first_guess(&body.shape, keys, times),
            };
            places.map_err(|source| PlanError::Motion { body: body.name.clone(), source })
        })
        .collect()
}

fn build_system<'a>(
    problem: &'a PlanProblem,
    keys: &[ResolvedKeys],
    times: Vec<Vec<f64>>,
    guess: &Places,
) -> System<'a> {
    let size_m = problem.bodies.iter().map(|body| body.shape.size_m).fold(0.0, f64::max);
    let square = 1.0 / (size_m * size_m);
    let grid = times.iter().max_by_key(|times| times.len()).cloned().unwrap_or_default();
    let bodies = times.into_iter().zip(keys).zip(guess).enumerate();
    let mut bodies: Vec<BodySystem<'a>> =
        bodies.map(|(n, ((times, keys), guess))| BodySystem::new(problem, n, keys, times, guess)).collect();
    if bodies.len() > 1 {
        let extra: Vec<f64> = problem.options.extra_contact_times.iter().map(|(_, secs)| *secs).collect();
        for body in &mut bodies {
            body.body_times = system::contact_times(&body.times_secs, &grid, problem.options.body_times, &extra);
        }
    }
    System {
        bodies,
        obstacles: &problem.obstacles,
        clearance: Clearance {
            margin_m: problem.options.clearance_m.unwrap_or(CLEARANCE * size_m).max(1e-9),
            stiffness: problem.weights.contact * square,
            obstacle_stiffness: problem.weights.obstacle * square,
        },
        thickening_m: 0.0,
        key_penalty: KEY_PENALTY * square,
        size_m,
    }
}

fn motion_of(system: &System<'_>, y: &Places) -> PlannedMotion {
    PlannedMotion { bodies: system.bodies.iter().zip(y).map(|(body, y)| body.motion(y)).collect() }
}

fn curve_of(problem: &PlanProblem, number: usize, motion: &BodyMotion) -> Result<MotionCurve, PlanError> {
    let body = &problem.bodies[number];
    let wrong = |source| PlanError::Motion { body: body.name.clone(), source };
    MotionCurve::new(&body.shape.frame, motion).map_err(wrong)
}

fn key_residuals(
    problem: &PlanProblem,
    keys: &[ResolvedKeys],
    system: &System<'_>,
    motion: &PlannedMotion,
    guess: &[Vec<Vec<DVec3>>],
) -> Result<Vec<KeyResidual>, PlanError> {
    let mut all = Vec::new();
    for (number, body) in system.bodies.iter().enumerate() {
        let own = &motion.bodies[number];
        let curve = curve_of(problem, number, own)?;
        all.extend(keys::residuals(body.shape, number, &keys[number], own, &guess[number], &curve));
    }
    Ok(all)
}
