//! A second stage of the document, for what comes next.

use super::{Desk, Done, Refusal};
use crate::runner::{Ghosts, Order};
use sinew_bake::Preview;

impl Desk {
    /// Ghosts from now on, or none.
    pub(super) fn show_ghosts(&mut self, ghosts: Option<(u32, u32)>) -> Done {
        self.ghosts = ghosts;
        let preview = match ghosts {
            Some((count, every)) => Some(Box::new(Ghosts::new(self.start_preview()?, count, every))),
            None => None,
        };
        let _ = self.stage.send(Order::Preview(preview));
        Ok(())
    }

    fn start_preview(&mut self) -> Result<Preview, Refusal> {
        let Some(on_stage) = &self.on_stage else {
            return Err(Refusal::new("the stage is being made anew", "try again"));
        };
        let folder = self.folder.project_of(self.document.path());
        let built = self.builder.build_beside(&on_stage.scene, &folder);
        let stage = built.map_err(|error| Refusal::new(format!("there is no preview: {error}"), ""))?.stage;
        let runner = self.stage.clone();
        // A ghost that the stage's thread has no time for is left out: the preview never waits for it.
        let tell = move |previewed| drop(runner.try_send(Order::Previewed(previewed)));
        Preview::start(stage, tell).map_err(|error| Refusal::new(format!("there is no preview: {error}"), ""))
    }

    /// The bodies have other directors, in the preview too.
    pub(super) fn redirect_preview(&mut self) {
        let Some(on_stage) = self.on_stage.as_ref().filter(|_| self.ghosts.is_some()) else { return };
        if let Ok(directors) = sinew_bake::directors(&on_stage.scene, &on_stage.seating) {
            let _ = self.stage.send(Order::RedirectPreview(directors, on_stage.script()));
        }
    }

    /// The stage is another one, and the preview's too.
    pub(super) fn restage_preview(&mut self) {
        if self.ghosts.is_some() && self.show_ghosts(self.ghosts).is_err() {
            self.ghosts = None;
        }
    }
}
