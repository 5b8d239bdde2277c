//! Plans: the motion of least energy through keys and around obstacles, found in nodes without performing the scene.

use super::{RefineError, RefineProgress, Refinement, Refiner, Rehearsal};
use crate::build::plan::prepare;
use crate::plans::{PlanGroup, Planned, groups};
use serde_json::json;
use sinew_motion::plan::{Outcome, PlanSolution, Progress, SolveControl};
use sinew_scene::{Command, Scene};
use std::sync::atomic::{AtomicBool, Ordering};

/// Solves the plans of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolvePlans {
    /// The group by its name, or the body that is planned alone by its; left out, all of them.
    pub group: Option<String>,
}

impl Refiner for SolvePlans {
    fn label(&self) -> String {
        self.group.as_ref().map_or_else(|| "plan".to_owned(), |group| format!("plan of {group}"))
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let scene = rehearsal.document().scene().clone();
        let mut all = Refinement {
            label: self.label(),
            command: Command::Batch { label: None, commands: Vec::new() },
            outcome: Vec::new(),
            notes: Vec::new(),
            assets: Vec::new(),
        };
        let mut commands = Vec::new();
        for group in self.chosen(&scene)? {
            let (planned, stamp) =
                rehearsal.with_workshop(|folder, workshop| prepare(&scene, folder, workshop, &group))?;
            let solution = solve(&planned, rehearsal)?;
            let name = name_of(&scene, &group);
            all.notes.extend(notes(&name, &planned, &solution));
            all.outcome.extend(outcome(&name, &solution));
            let assets = planned.assets(&solution.motion).map_err(crate::plans::PlanTrouble::from)?;
            for (&(body, director), asset) in planned.members.iter().zip(&assets) {
                let at = format!("body[{body}].director[{director}]");
                commands.push(Command::Set { path: format!("{at}.plan"), value: json!(asset.name) });
                commands.push(Command::Set { path: format!("{at}.solved_for"), value: json!(stamp) });
            }
            all.assets.extend(assets);
        }
        all.command = Command::Batch { label: Some("plan".to_owned()), commands };
        Ok(vec![all])
    }
}

impl SolvePlans {
    fn chosen(&self, scene: &Scene) -> Result<Vec<PlanGroup>, RefineError> {
        let all = groups(scene);
        let is_asked = |group: &PlanGroup| self.group.as_ref().is_none_or(|asked| name_of(scene, group) == *asked);
        let known = all.iter().map(|group| name_of(scene, group)).collect::<Vec<_>>().join(", ");
        let chosen: Vec<PlanGroup> = all.into_iter().filter(is_asked).collect();
        if chosen.is_empty() {
            return Err(RefineError::NoPlan { asked: self.group.clone().unwrap_or_default(), known });
        }
        Ok(chosen)
    }
}

/// A group's name, or that of its only body.
fn name_of(scene: &Scene, group: &PlanGroup) -> String {
    let body = group.members.first().map(|(body, _)| scene.bodies[*body].name.clone());
    group.name.clone().or(body).unwrap_or_default()
}

fn solve(planned: &Planned, rehearsal: &mut Rehearsal<'_>) -> Result<PlanSolution, RefineError> {
    let stop = AtomicBool::new(false);
    let most_steps = planned.problem.options.most_steps.max(1) as f64;
    let mut told = |progress: &Progress<'_>| {
        let fraction = (progress.step as f64 / most_steps).min(1.0);
        if rehearsal.tell(RefineProgress { runs: 1, fraction }).is_break() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut control = SolveControl { cancel: Some(&stop), progress: Some(&mut told) };
    let solution = planned.solve(&mut control).map_err(crate::plans::PlanTrouble::from)?;
    if solution.report.outcome == Outcome::Cancelled {
        return Err(RefineError::Stopped);
    }
    Ok(solution)
}

/// What a user should know of a solution: whether it is one, and which keys it misses.
fn notes(name: &str, planned: &Planned, solution: &PlanSolution) -> Vec<String> {
    let report = &solution.report;
    let bodies = planned.problem.bodies.len();
    let frames: usize = report.frames.iter().sum();
    let mut notes = vec![format!(
        "{name}: {bodies} {}, {frames} frames, {} unknowns, {} steps",
        if bodies == 1 { "body" } else { "bodies" },
        report.unknowns,
        report.curve.len()
    )];
    match &report.outcome {
        Outcome::Converged => {}
        Outcome::Cancelled => notes.push(format!("{name}: stopped before it converged; this is the best so far")),
        Outcome::StepsUsedUp => notes.push(format!(
            "{name} did not converge within {} steps; solve it again to go on from here",
            planned.problem.options.most_steps
        )),
        Outcome::Stalled => notes.push(format!("{name} did not converge: no step lowers its energy any more")),
        Outcome::Penetrates { depth_m } => notes.push(format!(
            "{name} is {:.1} mm inside something: a key is in an obstacle, or there is no room to pass",
            1e3 * depth_m
        )),
        Outcome::KeysMissed { worst } => {
            notes.push(format!("{name}: keys are missed by up to {:.2} % of the body's size", 100.0 * worst));
        }
    }
    let missed = report.keys.iter().filter(|key| key.relative > planned.problem.options.key_tolerance);
    for key in missed {
        let body = &planned.problem.bodies[key.body];
        notes.push(format!(
            "{}: key {} is missed by {:.3} % of its size",
            body.name,
            key.key + 1,
            100.0 * key.relative
        ));
    }
    notes
}

fn outcome(name: &str, solution: &PlanSolution) -> Vec<(String, String, f64)> {
    let report = &solution.report;
    let worst = report.keys.iter().map(|key| key.relative).fold(0.0, f64::max);
    let mut outcome = vec![
        (format!("{name}/energy"), String::new(), report.energies.total()),
        (format!("{name}/key_residual"), "%".to_owned(), 100.0 * worst),
    ];
    outcome.extend(report.clearance_m.map(|clearance| (format!("{name}/clearance"), "m".to_owned(), clearance)));
    outcome
}
