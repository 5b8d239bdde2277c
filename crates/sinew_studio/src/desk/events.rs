//! What hands do becomes part of the scene: events that can be moved, removed and undone.

use super::{Desk, Happened};
use crate::runner::Order;
use sinew_bake::take::TakeHeader;
use sinew_scene::{Body, Command, Direction, Event, Stimulus};
use std::sync::Arc;

impl Desk {
    /// Adds an event to its body, as one step of the history. A touch that nothing responds to leaves no trace.
    pub(super) fn write_down(&mut self, happened: &Happened) {
        let Happened { path, event } = happened;
        let body = path.strip_prefix("body.").and_then(|name| self.document.scene().body(name));
        let Some(body) = body.filter(|body| !matches!(event, Event::Touch { .. }) || responds(body)) else { return };
        let Ok(value) = serde_json::to_value(event) else { return };
        let word = if matches!(event, Event::Touch { .. }) { "touch" } else { "pull" };
        let label = format!("{word} {} at frame {}", body.name, event.frame());
        let add = Command::Add { to: format!("{path}.event"), value, index: None, name: None };
        // While another gesture is under way the document takes nothing; the run itself has what the hand did.
        let _ = self.edit(&Command::Batch { label: Some(label), commands: vec![add] });
    }

    /// Gives the stage the events of the document; its bodies keep their directors.
    pub(super) fn reschedule(&mut self) {
        let Some(on_stage) = &mut self.on_stage else { return };
        on_stage.scene = self.document.scene().clone();
        let text = self.document.text().to_owned();
        on_stage.made_of = Arc::new(TakeHeader { scene_text: text, ..TakeHeader::clone(&on_stage.made_of) });
        let order = Order::Reschedule(on_stage.script(), on_stage.made_of.clone());
        self.forget_problems();
        let _ = self.stage.send(order);
        self.redirect_preview();
    }
}

/// Whether a muscle of the body answers touches.
fn responds(body: &Body) -> bool {
    body.directors.iter().any(|director| match &director.direction {
        Direction::Muscle(muscle) => {
            muscle.respond.as_ref().is_some_and(|respond| respond.to.contains(&Stimulus::Touch))
        }
        _ => false,
    })
}
