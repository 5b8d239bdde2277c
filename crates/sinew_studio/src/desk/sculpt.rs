//! A key's shape in a page's hand: previews on the ghost of the key, then one edit.

use super::{Desk, Done, Refusal};
use crate::runner::{KeyGhost, Order, PageId};
use sinew_bake::assets::Assets;
use sinew_bake::keys::{Sculpt, sculpt_command, shown_keys};
use sinew_math::DVec3;
use sinew_scene::ShapeEdit;
use std::sync::Arc;

/// The key that is being edited: its body's number, its director's name, its frame.
type KeyOf = (u32, String, f64);

pub(super) struct Sculpting {
    page: PageId,
    of: KeyOf,
    sculpt: Sculpt,
    /// What is edited, as a ghost.
    ghost: KeyGhost,
    /// The last shape that a body can have, and the edit that led to it.
    shape: Option<(Vec<DVec3>, &'static str)>,
}

impl Desk {
    /// Shows what an edit would make of a key's shape. One that no body can have is refused, and the shape before stays.
    pub(super) fn sculpt(&mut self, page: PageId, of: KeyOf, edit: &ShapeEdit) -> Done {
        if self.sculpting.as_ref().is_some_and(|sculpting| sculpting.page != page) {
            return Err(Refusal::new("another page has a key in its hand", "wait until it lets go"));
        }
        if self.sculpting.as_ref().is_none_or(|sculpting| sculpting.of != of) {
            self.end_sculpting(page, true)?;
            self.sculpting = Some(Box::new(self.begin_sculpting(page, of)?));
        }
        let Some(sculpting) = &mut self.sculpting else { return Ok(()) };
        let shape = sculpting.sculpt.apply(edit)?;
        let mut key = sculpting.ghost.key.clone();
        key.shape = Arc::new(shape.clone());
        sculpting.shape = Some((shape, edit.word()));
        let _ = self.stage.send(Order::Key(KeyGhost { body: sculpting.ghost.body, key }));
        Ok(())
    }

    fn begin_sculpting(&self, page: PageId, of: KeyOf) -> Result<Sculpting, Refusal> {
        let (number, director, frame) = &of;
        let (seating, body) = self.body_on_stage(*number)?;
        let sculpt = Sculpt::begin(self.document.scene(), seating.into(), Some(director), *frame)?;
        let keys = shown_keys(body, seating).unwrap_or_default();
        let key = keys.into_iter().find(|key| key.name == *director && key.frame == *frame);
        let key = key.ok_or_else(|| Refusal::new(format!("there is no key at frame {frame}"), ""))?;
        let ghost = KeyGhost { body: *number, key };
        Ok(Sculpting { page, of, sculpt, ghost, shape: None })
    }

    /// Writes the shape into the scene, or gives it back.
    pub(super) fn end_sculpting(&mut self, page: PageId, keep: bool) -> Done {
        if self.sculpting.as_ref().is_none_or(|sculpting| sculpting.page != page) {
            return Ok(());
        }
        let Some(Sculpting { of: (number, director, frame), mut sculpt, shape, .. }) =
            self.sculpting.take().map(|of| *of)
        else {
            return Ok(());
        };
        let Some((shape, word)) = shape.filter(|_| keep) else {
            self.tell_keys();
            return Ok(());
        };
        let shape = sculpt.finish(shape);
        let assets = Assets::of(&self.folder.project_of(self.document.path()));
        let (seating, _) = self.body_on_stage(number)?;
        let scene = self.document.scene();
        let command = sculpt_command(scene, seating.into(), Some(&director), frame, &shape, word, &assets)?;
        self.edit(&command)
    }

    /// What a page had in its hand when it went is given back.
    pub(super) fn end_sculpting_of(&mut self, page: PageId) {
        let _ = self.end_sculpting(page, false);
    }
}
