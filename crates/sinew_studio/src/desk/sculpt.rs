//! A key's shape in a page's hand: previews on the ghost of the key, then one edit. A take is grabbed in the same way: its frame becomes editable
//! with the gesture.

use super::{Desk, Done, Refusal};
use crate::runner::{Frames, KeyGhost, Order, PageId};
use sinew_bake::assets::Assets;
use sinew_bake::keys::{Sculpt, ShownKey, TakeFrame, edit_take, motion_of, sculpt_command, shown_keys};
use sinew_math::DVec3;
use sinew_scene::{Command, Direction, Document, ShapeEdit};
use std::sync::Arc;

/// The key that is being edited: its body's number, its director's name, its frame.
type KeyOf = (u32, String, f64);

pub(super) struct Sculpting {
    page: PageId,
    of: KeyOf,
    /// A take that the gesture makes editable.
    grab: Option<Grab>,
    sculpt: Sculpt,
    /// What is edited, as a ghost.
    ghost: KeyGhost,
    /// The last shape that a body can have, and the edit that led to it.
    shape: Option<(Vec<DVec3>, &'static str)>,
}

struct Grab {
    /// What makes the frame editable, and the document after it.
    begin: Command,
    document: Document,
    director: String,
}

impl Desk {
    /// Shows what an edit would make of a key's shape. One that no body can have is refused, and the shape before stays. With a width a take is grabbed.
    pub(super) fn sculpt(&mut self, page: PageId, of: KeyOf, width: Option<f64>, edit: &ShapeEdit) -> Done {
        if self.sculpting.as_ref().is_some_and(|sculpting| sculpting.page != page) {
            return Err(Refusal::new("another page has a key in its hand", "wait until it lets go"));
        }
        if self.sculpting.as_ref().is_none_or(|sculpting| sculpting.of != of) {
            self.end_sculpting(page, true)?;
            let begun = match width {
                Some(width) => self.begin_grabbing(page, of, width)?,
                None => self.begin_sculpting(page, of)?,
            };
            self.sculpting = Some(Box::new(begun));
        }
        let Some(sculpting) = &mut self.sculpting else { return Ok(()) };
        let edit = if sculpting.grab.is_some() { in_body(edit, &sculpting.ghost.key) } else { edit.clone() };
        let shape = sculpting.sculpt.apply(&edit)?;
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
        let keys = shown_keys(self.document.scene(), body, seating).unwrap_or_default();
        let key = keys.into_iter().find(|key| key.name == *director && key.frame == *frame);
        let key = key.ok_or_else(|| Refusal::new(format!("there is no key at frame {frame}"), ""))?;
        let ghost = KeyGhost { body: *number, key };
        Ok(Sculpting { page, of, grab: None, sculpt, ghost, shape: None })
    }

    /// Makes a frame of the shown take editable, or of the one that is edited already, without a change of the scene yet.
    fn begin_grabbing(&mut self, page: PageId, of: KeyOf, width: f64) -> Result<Sculpting, Refusal> {
        let (number, _, frame) = &of;
        let (seating, body) = self.body_on_stage(*number)?;
        let is_edited = |own: &sinew_scene::Director| matches!(own.direction, Direction::TakeEdit(_));
        let motion = if body.directors.iter().any(is_edited) {
            None
        } else {
            let shapes = self.shapes_in_shown_take(*number, Frames::Every(1))?;
            let motion = shapes.and_then(|shapes| motion_of(seating.canvas.flesh(), &shapes));
            let none = || {
                let what = format!("no take of {} is shown to be edited", body.name);
                Refusal::new(what, "keep the run as a take and show it instead of the live bodies")
            };
            Some(motion.ok_or_else(none)?)
        };
        let assets = Assets::of(&self.folder.project_of(self.document.path()));
        let take = TakeFrame { frame: frame.round() as i32, width, motion: motion.as_ref() };
        let begin = edit_take(self.document.scene(), seating.into(), take, &assets)?;
        let mut document = Document::parse(self.document.text(), &self.name)?;
        document.apply(&begin)?;
        let in_scene = document.scene().bodies.iter().find(|own| own.name == body.name);
        let found = in_scene.and_then(|body| {
            let place = body.directors.iter().position(is_edited)?;
            Some((body, body.directors[place].name_at(place)))
        });
        let (body, director) = found.ok_or_else(|| Refusal::new("there is no edited take", ""))?;
        let sculpt = Sculpt::begin(document.scene(), seating.into(), Some(&director), *frame)?;
        let keys = shown_keys(document.scene(), body, seating).unwrap_or_default();
        let key = keys.iter().find(|key| key.name == director && key.frame == *frame).cloned();
        let key = key.ok_or_else(|| Refusal::new(format!("there is no edit at frame {frame}"), ""))?;
        let ghosts = keys.into_iter().map(|key| KeyGhost { body: *number, key }).collect();
        let _ = self.stage.send(Order::Keys(Some(ghosts)));
        let ghost = KeyGhost { body: *number, key };
        Ok(Sculpting { page, of, grab: Some(Grab { begin, document, director }), sculpt, ghost, shape: None })
    }

    /// Writes the shape into the scene, or gives it back.
    pub(super) fn end_sculpting(&mut self, page: PageId, keep: bool) -> Done {
        if self.sculpting.as_ref().is_none_or(|sculpting| sculpting.page != page) {
            return Ok(());
        }
        let Some(Sculpting { of: (number, director, frame), grab, mut sculpt, shape, .. }) =
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
        let command = match grab {
            Some(Grab { begin, document, director }) => {
                let scene = document.scene();
                let put = sculpt_command(scene, seating.into(), Some(&director), frame, &shape, word, &assets)?;
                Command::Batch { label: Some(begin.label()), commands: vec![begin, put] }
            }
            None => {
                let scene = self.document.scene();
                sculpt_command(scene, seating.into(), Some(&director), frame, &shape, word, &assets)?
            }
        };
        self.edit(&command)
    }

    /// What a page had in its hand when it went is given back.
    pub(super) fn end_sculpting_of(&mut self, page: PageId) {
        let _ = self.end_sculpting(page, false);
    }
}

/// A pull in the world's axes, in those of the body at rest.
fn in_body(edit: &ShapeEdit, key: &ShownKey) -> ShapeEdit {
    let turned = |by: [f64; 3]| key.place.turn.map_or(by, |turn| (turn.inverse() * DVec3::from_array(by)).to_array());
    match edit.clone() {
        ShapeEdit::Pull { at, by, radius } => ShapeEdit::Pull { at, by: turned(by), radius },
        ShapeEdit::Nudge { at, by, radius } => ShapeEdit::Nudge { at, by: turned(by), radius },
        other => other,
    }
}
