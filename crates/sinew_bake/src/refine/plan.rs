//! Plans: the motion of least energy through keys and around obstacles, found in nodes without performing the
//! scene.

use super::{RefineError, Refinement, Refiner, Rehearsal, SearchError};
use crate::build::plan::prepare;
use crate::plans::{PlanGroup, PlanTrouble, Planned, groups};
use serde_json::json;
use sinew_motion::plan::{Outcome, PlanSolution, Progress, SolveControl};
use sinew_scene::{Command, Scene};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a plan says it was solved for that did not converge, misses a key or runs into something.
pub(crate) const UNSOUND: &str = "unsound";

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
    #[error("no body of the scene has a plan that is not muted")]
    NoPlans,
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
            Self::NoPlans => Some("give a body a director of kind \"plan\", or take its `mute` out"),
            Self::NoPlan { .. } => Some("name one of these"),
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
        if found.len() < self.alternatives {
            let said = format!("{} of {} different motions were found", found.len(), self.alternatives);
            found[0].notes.push(said);
        }
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
        if chosen.is_empty() && known.is_empty() {
            return Err(SolvePlansError::NoPlans);
        }
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
        // A motion that is not sound says so whenever the scene is built.
        commands.push(match is_sound(solution) {
            true => Command::Set { path: format!("{at}.solved_for"), value: json!(stamp) },
            false => Command::Set { path: format!("{at}.solved_for"), value: json!(UNSOUND) },
        });
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

/// What a user should know of a solution: whether it is one, and what it does not keep to.
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
        Outcome::Converged | Outcome::KeysMissed { .. } | Outcome::Penetrates { .. } => {}
        Outcome::Cancelled => notes.push(format!("{name}: stopped before it converged; this is the best so far")),
        Outcome::StepsUsedUp => notes.push(format!(
            "{name} did not converge within {} steps; solve it again to go on from here",
            planned.problem.options.most_steps
        )),
        Outcome::Stalled => notes.push(format!("{name} did not converge: no step lowers its energy any more")),
    }
    notes.extend(missed(planned, solution));
    let asked_m = planned.clearance_asked_m();
    match report.clearance_m {
        Some(kept_m) if kept_m < 0.0 => notes.push(format!(
            "{name} is {:.1} mm inside something: a key is in an obstacle, there is no room to pass, or a wall is too thin",
            -1e3 * kept_m
        )),
        Some(kept_m) if kept_m < NEARLY * asked_m => notes.push(format!(
            "{name} keeps {:.1} mm from what is in its way, of {:.1} mm that were asked",
            1e3 * kept_m,
            1e3 * asked_m
        )),
        _ => {}
    }
    notes
}

/// A share of the clearance that counts as kept: contacts are springs.
const NEARLY: f64 = 0.9;

/// Whether a motion is one to be followed: converged, with its keys met, outside of everything.
fn is_sound(solution: &PlanSolution) -> bool {
    solution.report.outcome == Outcome::Converged && solution.report.clearance_m.is_none_or(|kept_m| kept_m >= 0.0)
}

/// The keys that are missed, each once by the farthest.
fn missed(planned: &Planned, solution: &PlanSolution) -> Vec<String> {
    let mut worst: Vec<((usize, usize, bool), String, f64)> = Vec::new();
    let far = solution.report.keys.iter().filter(|key| key.relative > planned.problem.options.key_tolerance);
    for key in far {
        let (number, is_velocity) = planned.key_of(key.body, key.key);
        let body = &planned.problem.bodies[key.body].name;
        let text = match is_velocity {
            true => format!("{body}: the velocity of key {} is missed by {:.3} m/s", number + 1, key.residual),
            false => format!("{body}: key {} is missed by {:.3} % of its size", number + 1, 100.0 * key.relative),
        };
        let id = (key.body, number, is_velocity);
        match worst.iter_mut().find(|(own, ..)| *own == id) {
            Some((_, told, most)) if key.relative > *most => (*told, *most) = (text, key.relative),
            Some(_) => {}
            None => worst.push((id, text, key.relative)),
        }
    }
    worst.into_iter().map(|(_, text, _)| text).collect()
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
