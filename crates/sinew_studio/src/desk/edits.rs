//! Edits, gestures and the history. A gesture belongs to the page that began it.

use super::{Desk, Done, Refusal};
use crate::runner::PageId;
use sinew_scene::{Command, Document};

impl Desk {
    pub(super) fn edit(&mut self, command: &Command) -> Done {
        self.check_meshes(command, |document, command| document.apply(command).map(|_| ()))?;
        self.follow();
        Ok(())
    }

    pub(super) fn begin(&mut self, page: PageId, label: String) -> Done {
        self.end_gesture_of(page); // its end got lost on the way
        self.document.begin(&label)?;
        self.gesture = Some((page, label));
        self.tell();
        Ok(())
    }

    pub(super) fn preview(&mut self, page: PageId, command: &Command) -> Done {
        self.check_owner(page)?;
        self.check_meshes(command, Document::preview)?;
        self.follow();
        Ok(())
    }

    pub(super) fn commit(&mut self, page: PageId) -> Done {
        self.check_owner(page)?;
        self.gesture = None;
        self.document.commit()?;
        self.tell();
        self.write_refined();
        Ok(())
    }

    pub(super) fn cancel(&mut self, page: PageId) -> Done {
        self.check_owner(page)?;
        self.gesture = None;
        self.document.cancel()?;
        self.follow();
        self.write_refined();
        Ok(())
    }

    pub(super) fn travel(&mut self, back: bool) -> Done {
        if let Some((_, label)) = &self.gesture {
            return Err(Refusal::new(format!("{label:?} is still under way"), "end it first"));
        }
        let label = if back { self.document.undo() } else { self.document.redo() };
        if label.is_none() {
            return Err(Refusal::new(if back { "there is nothing to undo" } else { "there is nothing to redo" }, ""));
        }
        self.follow();
        Ok(())
    }

    /// The gesture of a page that is gone ends with what was previewed last.
    pub(super) fn end_gesture_of(&mut self, page: PageId) {
        if self.gesture.as_ref().is_some_and(|(owner, _)| *owner == page) {
            let _ = self.commit(page);
        }
    }

    /// Ends any gesture: the document is about to be another one.
    pub(super) fn end_gesture(&mut self) {
        if let Some((owner, _)) = self.gesture {
            self.end_gesture_of(owner);
        }
    }

    fn check_owner(&self, page: PageId) -> Done {
        match &self.gesture {
            Some((owner, _)) if *owner == page => Ok(()),
            Some((_, label)) => Err(Refusal::new(format!("{label:?} is under way on another page"), "")),
            None => Err(Refusal::new("no gesture is under way", "begin one first")),
        }
    }
}
