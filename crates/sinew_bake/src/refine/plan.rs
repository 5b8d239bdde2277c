//! Plans: the motion of least energy through keys and around obstacles, found in nodes without performing the scene.

use super::{RefineError, Refinement, Refiner, Rehearsal, SearchError};
use crate::build::plan::prepare;
use crate::plans::{PlanGroup, PlanTrouble, Planned, groups};
use serde_json::json;
use sinew_motion::plan::{Outcome, PlanSolution, Progress, SolveControl};
use sinew_scene::{Command, Scene};
use std::sync::atomic::{AtomicBool, Ordering};

/// Solves the plans of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolvePlans {
    /// The group by its name, or the body that is planned alone by its; left out, all of them.
    pub group: Option<String>,
    /// How many different motions are looked for. More than one only of a single group.
    pub alternatives: usize,
}

impl Default for SolvePlans {
    fn default() -> Self {
        Self { group: None, alternatives: 1 }
    }
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum SolvePlansError {
    #[error("there is no plan {asked:?} in the scene; there is: {known}")]
    NoPlan { asked: String, known: String },
    #[error("alternatives are looked for of one group at a time, and the scene has: {known}")]
    SeveralGroups { known: String },
    #[error(transparent)]
    Trouble(#[from] PlanTrouble),
}

impl SearchError for SolvePlansError {
    fn help(&self) -> Option<&str> {
        match self {
            Self::NoPlan { .. } => Some("give a body a director of kind \"plan\", or name one of these"),
            Self::SeveralGroups { .. } => Some("name one with --group"),
            Self::Trouble(trouble) => trouble.help(),
        }
    }
}

impl Refiner for SolvePlans {
    fn label(&self) -> String {
        self.group.as_ref().map_or_else(|| "plan".to_owned(), |group| format!("plan of {group}"))
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let scene = rehearsal.document().scene().clone();
        let chosen = self.chosen(&scene)?;
        let mut found = vec![empty(self.label())];
        for group in &chosen {
            let name = name_of(&scene, group);
            let ready = rehearsal.with_workshop(|folder, workshop| prepare(&scene, folder, workshop, group));
            let (planned, stamp) = ready.map_err(SolvePlansError::from)?;
            let solutions = solve(&planned, self.alternatives, rehearsal)?;
            let is_stopped = solutions.iter().any(|solution| solution.report.outcome == Outcome::Cancelled);
            let with = |before: &Refinement, solution: &PlanSolution| {
                let mut all = before.clone();
                add(&mut all, &name, &planned, &stamp, solution).map(|()| all)
            };
            found = match &found[..] {
                [before] => solutions.iter().map(|solution| with(before, solution)).collect::<Result<Vec<_>, _>>(),
                several => several.iter().zip(&solutions).map(|(before, solution)| with(before, solution)).collect(),
            }
            .map_err(SolvePlansError::from)?;
            rehearsal.offer(found.clone());
            if is_stopped {
                return Err(RefineError::Stopped);
            }
        }
        let several = found.len() > 1;
        for (number, one) in found.iter_mut().enumerate().filter(|_| several) {
            one.label = format!("{}, motion {}", one.label, number + 1);
        }
        Ok(found)
    }
}

impl SolvePlans {
    fn chosen(&self, scene: &Scene) -> Result<Vec<PlanGroup>, SolvePlansError> {
        let all = groups(scene);
        let is_asked = |group: &PlanGroup| self.group.as_ref().is_none_or(|asked| name_of(scene, group) == *asked);
        let known = all.iter().map(|group| name_of(scene, group)).collect::<Vec<_>>().join(", ");
        let chosen: Vec<PlanGroup> = all.into_iter().filter(is_asked).collect();
        if chosen.is_empty() {
            return Err(SolvePlansError::NoPlan { asked: self.group.clone().unwrap_or_default(), known });
        }
        if chosen.len() > 1 && self.alternatives > 1 {
            return Err(SolvePlansError::SeveralGroups { known });
        }
        Ok(chosen)
    }
}

/// A group's name, or that of its only body.
fn name_of(scene: &Scene, group: &PlanGroup) -> String {
    let body = group.members.first().map(|(body, _)| scene.bodies[*body].name.clone());
    group.name.clone().or(body).unwrap_or_default()
}

fn empty(label: String) -> Refinement {
    let command = Command::Batch { label: Some("plan".to_owned()), commands: Vec::new() };
    Refinement { label, command, outcome: Vec::new(), notes: Vec::new(), assets: Vec::new() }
}

/// Adds a group's motion to what is found: its files and what names them.
fn add(
    all: &mut Refinement,
    name: &str,
    planned: &Planned,
    stamp: &str,
    solution: &PlanSolution,
) -> Result<(), PlanTrouble> {
    all.notes.extend(notes(name, planned, solution));
    all.outcome.extend(outcome(name, solution));
    let assets = planned.assets(&solution.motion)?;
    let Command::Batch { commands, .. } = &mut all.command else { return Ok(()) };
    for (&(body, director), asset) in planned.members.iter().zip(&assets) {
        let at = format!("body[{body}].director[{director}]");
        commands.push(Command::Set { path: format!("{at}.plan"), value: json!(asset.name) });
        commands.push(Command::Set { path: format!("{at}.solved_for"), value: json!(stamp) });
    }
    all.assets.extend(assets);
    Ok(())
}

/// One motion or several, best first. What was stopped has the best so far.
fn solve(
    planned: &Planned,
    alternatives: usize,
    rehearsal: &mut Rehearsal<'_>,
) -> Result<Vec<PlanSolution>, RefineError> {
    let stop = AtomicBool::new(false);
    let most_steps = planned.problem.options.most_steps.max(1) as f64;
    let mut told = |progress: &Progress<'_>| {
        let fraction = (progress.step as f64 / most_steps).min(1.0);
        if rehearsal.progress(fraction).is_err() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let mut control = SolveControl { cancel: Some(&stop), progress: Some(&mut told) };
    let found = planned.solve(alternatives, &mut control);
    Ok(found.map_err(|error| SolvePlansError::from(PlanTrouble::from(error)))?)
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
