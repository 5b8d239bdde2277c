//! What pages are told of the document.

use super::{Desk, carrying, units};
use crate::protocol::DocumentInfo;
use std::sync::Arc;

impl Desk {
    /// Tells every page how the document stands.
    pub(super) fn tell(&mut self) {
        self.revision = self.revision.wrapping_add(1);
        let asked = self.on_stage.iter().flat_map(|on| {
            let mut asked = units::questions(&self.document, &on.scene, &on.sizes);
            asked.extend(carrying::questions(self.document.scene(), &on.sizes));
            asked
        });
        let info = DocumentInfo {
            revision: self.revision,
            name: self.name.clone(),
            file: self.document.path().and_then(|path| self.folder.relative(path)),
            folder: self.folder.name(),
            unsaved: self.is_unsaved(),
            undo: last(self.document.undo_labels()),
            redo: last(self.document.redo_labels()),
            gesture: self.gesture.as_ref().map(|(_, label)| label.clone()),
            scene: serde_json::to_value(self.document.scene()).unwrap_or_default(),
            staged: self.on_stage.is_some(),
            building: self.builder.making.clone(),
            notices: (self.notices.iter().cloned().chain(asked))
                .chain(self.autosave.notice())
                .chain(self.changed_notice())
                .collect(),
            recovered: self.autosave.has_found(),
            autosaved_unix_secs: self.autosave.written_unix_secs(),
        };
        self.board.document.send_replace(Some(Arc::new(info)));
    }

    /// A built-in scene that nobody touched is no loss.
    fn is_unsaved(&self) -> bool {
        let is_untouched = self.builtin.is_some() && self.document.undo_labels().next().is_none();
        !is_untouched && !self.document.is_saved()
    }
}

/// The last labels, the newest last.
fn last<'a>(labels: impl Iterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 50;
    let all: Vec<&str> = labels.collect();
    all[all.len().saturating_sub(SHOWN)..].iter().map(|label| (*label).to_owned()).collect()
}
