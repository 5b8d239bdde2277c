//! Key shapes and paths that pages ask for: made of what a body looks like, and shown at their places.

use super::{Desk, DeskOrder, Done, Refusal};
use crate::protocol::{Event, KeyFrom};
use crate::runner::{Frames, KeyGhost, Order, Shapes};
use sinew_bake::Seating;
use sinew_bake::assets::Assets;
use sinew_bake::keys::{KeyError, KeyedBody, NewKey, key_command, path_command, plan_key_command, shown_keys};
use sinew_scene::{Body, Direction};
use tokio::sync::mpsc;

/// Where a body was, and what it was asked for.
pub(crate) struct SeenBody {
    body: u32,
    wish: Wish,
    shapes: Shapes,
    reply: mpsc::Sender<Event>,
}

/// What becomes of it.
pub(super) enum Wish {
    Key { frame: i32, director: Option<String>, track: Track },
    Path { turns: bool },
}

/// What keys are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Track {
    /// Key shapes: the rest shape at a frame.
    Shapes,
    /// A plan: pose, place and turn at a frame.
    Plan,
}

impl Desk {
    /// Key shapes of a body from now on, or none.
    pub(super) fn show_keys(&mut self, body: Option<u32>) -> Done {
        self.keyed = body;
        if body.is_none() {
            let _ = self.stage.send(Order::Keys(None));
        }
        self.tell_keys();
        Ok(())
    }

    /// The keys may be others since.
    pub(super) fn tell_keys(&mut self) {
        let Some(number) = self.keyed else { return };
        let _ = self.stage.send(Order::Keys(Some(self.keys_of(number))));
    }

    /// A scene whose keys cannot be had says so in its notices.
    fn keys_of(&self, number: u32) -> Vec<KeyGhost> {
        let Ok((seating, body)) = self.body_on_stage(number) else { return Vec::new() };
        let keys = shown_keys(self.document.scene(), body, seating).unwrap_or_default();
        keys.into_iter().map(|key| KeyGhost { body: number, key }).collect()
    }

    /// A body on stage, and in the document.
    pub(super) fn body_on_stage(&self, number: u32) -> Result<(&Seating, &Body), Refusal> {
        let on_stage =
            self.on_stage.as_ref().ok_or_else(|| Refusal::new("the stage is being made anew", "try again"))?;
        let seating = on_stage.seating.get(number as usize);
        let seating = seating.ok_or_else(|| Refusal::new(format!("there is no body {number} on stage"), ""))?;
        let body = KeyedBody::from(seating).in_scene(self.document.scene())?;
        Ok((seating, body))
    }

    /// Keys a body at a frame, as it was seen or at rest.
    pub(super) fn key(
        &mut self,
        track: Track,
        body: u32,
        frame: i32,
        (from, director): (KeyFrom, Option<String>),
        reply: &mpsc::Sender<Event>,
    ) -> Done {
        self.body_on_stage(body)?;
        if from == KeyFrom::Rest {
            return self.put_key(track, body, frame, director.as_deref(), None);
        }
        self.see(body, Frames::One(frame), Wish::Key { frame, director, track }, reply)
    }

    pub(super) fn key_path(&mut self, body: u32, every: u32, turns: bool, reply: &mpsc::Sender<Event>) -> Done {
        let (_, of) = self.body_on_stage(body)?;
        if of.directors.iter().any(|own| matches!(own.direction, Direction::Path(_))) {
            return Err(Refusal::new(format!("{} has a path already", of.name), "drag its points, or delete it first"));
        }
        if of.copies.is_some() {
            let what = format!("copies of {} share its directors, and one path would lead all to one place", of.name);
            return Err(Refusal::new(what, "give a path to a body without copies"));
        }
        self.see(body, Frames::Every(every), Wish::Path { turns }, reply)
    }

    /// Finds out where a body was, in the take that stands for the live bodies or in the run.
    fn see(&mut self, body: u32, frames: Frames, wish: Wish, reply: &mpsc::Sender<Event>) -> Done {
        let reply = reply.clone();
        if let Some(shapes) = self.shapes_in_shown_take(body, frames)? {
            self.take_seen(SeenBody { body, wish, shapes, reply });
            return Ok(());
        }
        let own = self.own.clone();
        let answer = move |shapes| {
            let _ = own.send(DeskOrder::Seen(Box::new(SeenBody { body, wish, shapes, reply })));
        };
        let _ = self.stage.send(Order::Shapes { body: body as usize, frames, reply: Box::new(answer) });
        Ok(())
    }

    pub(super) fn take_seen(&mut self, seen: SeenBody) {
        let SeenBody { body, wish, shapes, reply } = seen;
        let done = match wish {
            Wish::Key { frame, director, track } => self.key_seen(track, body, frame, director.as_deref(), shapes),
            Wish::Path { turns } => self.path_seen(body, &shapes, turns),
        };
        if let Err(refusal) = done {
            let _ = reply.try_send(refusal.told());
        }
    }

    fn key_seen(&mut self, track: Track, body: u32, frame: i32, director: Option<&str>, mut shapes: Shapes) -> Done {
        let Some((_, shape)) = shapes.pop() else {
            let help = "play up to it, go to a frame that is simulated, or key the body at rest";
            return Err(Refusal::new(format!("frame {frame} is not simulated"), help));
        };
        self.put_key(track, body, frame, director, Some(shape))
    }

    fn path_seen(&mut self, body: u32, shapes: &Shapes, turns: bool) -> Done {
        if shapes.len() < 2 {
            return Err(Refusal::new("there is no path of one frame", "play the scene first"));
        }
        let (seating, of) = self.body_on_stage(body)?;
        let command = path_command(of, seating.canvas.flesh(), shapes, turns);
        self.edit(&command)
    }

    fn put_key(
        &mut self,
        track: Track,
        body: u32,
        frame: i32,
        director: Option<&str>,
        shape: Option<Vec<sinew_math::DVec3>>,
    ) -> Done {
        let (seating, _) = self.body_on_stage(body)?;
        let assets = Assets::of(&self.folder.project_of(self.document.path()));
        let key = NewKey { frame: f64::from(frame), name: None, shape };
        let make = match track {
            Track::Shapes => key_command,
            Track::Plan => plan_key_command,
        };
        let command = make(self.document.scene(), seating.into(), director, key, &assets)?;
        self.edit(&command)
    }
}

impl From<KeyError> for Refusal {
    fn from(error: KeyError) -> Self {
        let help = error.help().to_owned();
        Self::new(error.to_string(), &help)
    }
}
