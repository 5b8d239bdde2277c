//! Searches that must perform the scene to answer: each is a job, and ends with one edit that can be undone.

use super::jobs::Told;
use super::{Desk, DeskOrder, Done};
use crate::protocol::JobKind;
use crate::runner::Order;
use sinew_bake::assets::Assets;
use sinew_bake::refine::{
    AutoKeys, ExactKeys, ReachGoal, RefineError, RefinePicture, RefineProgress, RefineSink, Refined as Found,
    Refinement, Refiner, Rehearsal, SolvePlans, search,
};
use sinew_scene::{Command, Direction, Document, Scene};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::SyncSender;

/// What a search came to.
pub(crate) struct Refined {
    /// The scene it was about; another one is not edited.
    scene: String,
    label: String,
    command: Command,
}

impl Desk {
    /// Finds the force for the goal of a metaphor or the rest shapes for key shapes, by the director's path.
    pub(super) fn refine(&mut self, director: String) -> Done {
        self.start_search(refiner(self.document.scene(), director), 0)
    }

    /// Finds keys for the contacts of a body, as performed or exaggerated.
    pub(super) fn key_contacts(&mut self, body: u32, exaggerated: bool) -> Done {
        let (_, body) = self.body_on_stage(body)?;
        let keys = AutoKeys { body: body.name.clone(), margin: KEY_MARGIN };
        self.start_search(Box::new(keys), usize::from(exaggerated))
    }

    /// Starts a search as a job. Of its answers the `choice`th is written, or the last where there are fewer.
    fn start_search(&mut self, refiner: Box<dyn Refiner + Send>, choice: usize) -> Done {
        let project = self.folder.project_of(self.document.path());
        let (text, scene, threads) = (self.document.text().to_owned(), self.name.clone(), self.builder.threads);
        let (desk, runner) = (self.own.clone(), self.stage.clone());
        let label = refiner.label();
        self.jobs.start(JobKind::Search, &label.clone(), move |told| {
            let sink = Telling { told, runner: &runner };
            let found = answer(&*refiner, &text, &project, threads, choice, sink);
            let _ = runner.send(Order::Searched(None));
            let Some((found, is_whole)) = found? else { return Ok(Vec::new()) };
            found.store_assets(&Assets::of(&project)).map_err(|error| error.to_string())?;
            let stopped = (!is_whole).then_some("stopped before its end: the best so far");
            let what =
                std::iter::once(found.label.as_str()).chain(stopped).chain(found.notes.iter().map(String::as_str));
            let what = what.collect::<Vec<_>>();
            let _ = told.step(&what.join("; "), Some(1.0));
            let refined = Refined { scene, label, command: found.command };
            let _ = desk.send(DeskOrder::Refined(Box::new(refined)));
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// Writes what searches have found into the scene, if it is still the same one. A gesture that is under way ends first.
    pub(super) fn write_refined(&mut self) {
        while self.gesture.is_none()
            && let Some(refined) = self.refined.pop_front()
        {
            let edit = Command::Batch { label: Some(refined.label), commands: vec![refined.command] };
            if refined.scene == self.name {
                // A director that is gone meanwhile needs no force.
                let _ = self.edit(&edit);
            }
        }
    }
}

/// Frames that a key lies before and after a contact.
const KEY_MARGIN: i32 = 2;
/// Per cent of a body's size that a key may be missed by.
const EXACT_PERCENT: f64 = 0.4;

/// What there is to be found for the director at a path such as `body.ball.director.shape` or `body.ball.director[0]`.
fn refiner(scene: &Scene, director: String) -> Box<dyn Refiner + Send> {
    let (body, last) = director.strip_prefix("body.").and_then(|rest| rest.split_once(".director")).unwrap_or_default();
    let body = scene.bodies.iter().find(|own| own.name == body);
    let is_it = |number: usize, own: &sinew_scene::Director| {
        last == format!("[{number}]") || last.strip_prefix('.').is_some_and(|name| own.name_at(number) == name)
    };
    let found = body.and_then(|body| body.directors.iter().enumerate().find(|(number, own)| is_it(*number, own)));
    match found.map(|(_, own)| &own.direction) {
        Some(Direction::Plan(plan)) => {
            let group = plan.group.clone().or_else(|| body.map(|body| body.name.clone()));
            Box::new(SolvePlans { group, alternatives: 1 })
        }
        Some(Direction::KeyShapes(_)) => Box::new(ExactKeys { director, within_percent: EXACT_PERCENT }),
        _ => Box::new(ReachGoal { director }),
    }
}

/// Tells pages how far a search is, and shows the best so far beside what is on stage.
struct Telling<'a> {
    told: &'a Told,
    runner: &'a SyncSender<Order>,
}

impl RefineSink for Telling<'_> {
    fn progress(&mut self, at: RefineProgress) -> ControlFlow<()> {
        self.told.step(&format!("performance {}", at.runs), Some(at.fraction))
    }

    fn picture(&mut self, picture: RefinePicture) {
        // One that the stage's thread has no time for is left out: a search never waits to be seen.
        drop(self.runner.try_send(Order::Searched(Some(Box::new(picture)))));
    }
}

/// The answer that was chosen, and whether the search came to its end; none where there is nothing to be
/// found, which is told.
fn answer(
    refiner: &dyn Refiner,
    text: &str,
    project: &Path,
    threads: usize,
    choice: usize,
    sink: Telling<'_>,
) -> Result<Option<(Refinement, bool)>, String> {
    let document = Document::parse(text, "scene").map_err(|error| error.to_string())?;
    let told = sink.told;
    let mut rehearsal = Rehearsal::stopped_by(told.stop_flag(), &document, project, threads, sink);
    let Found { alternatives, is_whole } = match search(refiner, &mut rehearsal) {
        Ok(found) => found,
        Err(error) if error.is_content() => {
            let _ = told.step(&format!("nothing to do: {error}"), Some(1.0));
            return Ok(None);
        }
        Err(error) => return Err(in_words(&error)),
    };
    let last = alternatives.len().saturating_sub(1);
    let chosen = alternatives.into_iter().nth(choice.min(last));
    chosen.map(|chosen| Some((chosen, is_whole))).ok_or_else(|| "nothing was found".to_owned())
}

fn in_words(error: &RefineError) -> String {
    error.help().map_or_else(|| error.to_string(), |help| format!("{error}: {help}"))
}
