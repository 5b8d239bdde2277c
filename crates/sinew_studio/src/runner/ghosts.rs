//! What comes next, as ghosts: a preview beside the run, asked anew whenever the shown frame, the direction
//! or the hand has changed.

use super::Runner;
use crate::wire;
use axum::body::Bytes;
use sinew_bake::refine::RefinePicture;
use sinew_bake::{DirectorSetup, Ghost, Preview, PreviewAsk, Previewed, Script};
use std::sync::Arc;

/// From here on numbers of ghosts are those of searches.
const SEARCHES: u64 = 1 << 22;

/// A preview and what it shows.
pub(crate) struct Ghosts {
    preview: Preview,
    count: u32,
    every: u32,
    /// The question that is being answered, and its ghosts so far.
    asked: u64,
    is_new: bool,
    shown: Vec<Bytes>,
    /// The last of them is still on its way.
    is_on_its_way: bool,
    /// The frame it was asked from.
    from: Option<i32>,
}

impl Ghosts {
    pub(crate) fn new(preview: Preview, count: u32, every: u32) -> Self {
        Self { preview, count, every, asked: 0, is_new: false, shown: Vec::new(), is_on_its_way: false, from: None }
    }
}

impl Runner {
    pub(super) fn preview(&mut self, ghosts: Option<Box<Ghosts>>) {
        self.ghosts = ghosts;
        self.ask_ghosts();
        self.show_frame(self.playhead);
    }

    pub(super) fn redirect_preview(&mut self, directors: Vec<Vec<DirectorSetup>>, script: Script) {
        if let Some(ghosts) = &mut self.ghosts {
            ghosts.preview.set_script(script);
            ghosts.preview.direct(directors);
        }
        self.ask_ghosts();
    }

    /// Asks what comes after the shown frame, under the hand that is held now. Nothing where no exact state
    /// is left of it.
    pub(super) fn ask_ghosts(&mut self) {
        let Some(ghosts) = &mut self.ghosts else { return };
        let Some(of) = self.show.stage().map(|stage| Arc::new(stage.outline())) else { return };
        ghosts.from = Some(self.shown);
        let Some(state) = self.recording.run.state_at(self.shown, &*self.show) else { return ghosts.shown.clear() };
        let (input, count, every) = (self.pending.clone(), ghosts.count, ghosts.every);
        ghosts.asked = ghosts.preview.ask(PreviewAsk { state, of, input, ghosts: count, every });
        ghosts.is_new = true;
    }

    /// Asks again if another frame is shown. While it plays there is no time to look at ghosts.
    pub(super) fn follow_with_ghosts(&mut self) {
        if !self.playing && self.ghosts.as_ref().is_some_and(|ghosts| ghosts.from != Some(self.shown)) {
            self.ask_ghosts();
        }
    }

    pub(super) fn previewed(&mut self, previewed: Previewed) {
        let Some(ghosts) = &mut self.ghosts else { return };
        match previewed {
            Previewed::Ghost(ghost) if ghost.asked == ghosts.asked => {
                // Until the first of them comes, those before stay.
                if std::mem::take(&mut ghosts.is_new) {
                    ghosts.shown.clear();
                } else if ghosts.is_on_its_way {
                    ghosts.shown.pop();
                }
                ghosts.is_on_its_way = ghost.is_on_its_way;
                ghosts.shown.push(wire::ghost_message(&ghost));
                self.show_frame(self.playhead);
            }
            _ => {}
        }
    }

    /// Shows the best that a search has found so far as a ghost, in the place of the one before; none when
    /// the search is over.
    pub(super) fn searched(&mut self, picture: Option<RefinePicture>) {
        self.searches = self.searches.wrapping_add(1);
        self.searched = picture.and_then(|RefinePicture { frame, state, of }| {
            let state = self.show.stage()?.transfer_from(&of, &state)?;
            // Numbers of previews count up from 1, and are told as f32.
            let asked = SEARCHES + self.searches % SEARCHES;
            Some(wire::ghost_message(&Ghost { asked, frame, is_on_its_way: false, state }))
        });
        self.show_frame(self.playhead);
    }

    /// What a search has found takes the place of what comes next.
    pub(super) fn shown_ghosts(&self) -> Vec<Bytes> {
        if let Some(searched) = &self.searched {
            return vec![searched.clone()];
        }
        self.ghosts.as_ref().map(|ghosts| ghosts.shown.clone()).unwrap_or_default()
    }
}
