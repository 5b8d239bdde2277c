//! Key shapes as ghosts: each where the body is at its frame, with how far the body was from it there.

use super::{Frames, Runner, Shapes};
use crate::wire::{self, PlacedKey};
use axum::body::Bytes;
use sinew_bake::keys::ShownKey;
use sinew_math::DVec3;
use sinew_math::rotation::{best_fit_rotation, mass_centre};

/// A key shape of a body on stage.
pub(crate) struct KeyGhost {
    pub(crate) body: u32,
    pub(crate) key: ShownKey,
}

/// Those that are shown, and what pages are sent of each.
pub(super) struct KeyGhosts {
    keys: Vec<KeyGhost>,
    messages: Vec<Bytes>,
}

impl Runner {
    pub(super) fn show_keys(&mut self, keys: Option<Vec<KeyGhost>>) {
        self.keys = keys.map(|keys| KeyGhosts { keys, messages: Vec::new() });
        self.place_keys();
        self.show_frame(self.playhead);
    }

    /// Another shape for a key that is shown.
    pub(super) fn show_key(&mut self, new: KeyGhost) {
        let of = |ghost: &KeyGhost| (ghost.body, ghost.key.director, ghost.key.key);
        let Some(ghosts) = &mut self.keys else { return };
        let Some(place) = ghosts.keys.iter().position(|ghost| of(ghost) == of(&new)) else { return };
        ghosts.keys[place] = new;
        let Some(message) = self.keys.as_ref().and_then(|ghosts| self.key_message(ghosts, place)) else { return };
        if let Some(slot) = self.keys.as_mut().and_then(|ghosts| ghosts.messages.get_mut(place)) {
            *slot = message;
        }
        self.show_frame(self.playhead);
    }

    /// Finds the places of all keys anew.
    pub(super) fn place_keys(&mut self) {
        let Some(ghosts) = &self.keys else { return };
        let mut messages: Vec<Bytes> =
            (0..ghosts.keys.len()).filter_map(|place| self.key_message(ghosts, place)).collect();
        if messages.len() < ghosts.keys.len() || messages.is_empty() {
            messages = vec![wire::key_message(0, 0, None)];
        }
        if let Some(ghosts) = &mut self.keys {
            ghosts.messages = messages;
        }
    }

    /// The same of the keys at a frame that was simulated just now.
    pub(super) fn place_keys_at(&mut self, frame: i32) {
        let Some(ghosts) = &self.keys else { return };
        let is_there = |(_, ghost): &(usize, &KeyGhost)| ghost.key.frame.round() as i32 == frame;
        let of = |(place, _)| Some((place, self.key_message(ghosts, place)?));
        let new: Vec<(usize, Bytes)> = ghosts.keys.iter().enumerate().filter(is_there).filter_map(of).collect();
        let Some(ghosts) = &mut self.keys else { return };
        for (place, message) in new {
            if let Some(slot) = ghosts.messages.get_mut(place) {
                *slot = message;
            }
        }
    }

    pub(super) fn shown_keys(&self) -> Vec<Bytes> {
        self.keys.as_ref().map(|ghosts| ghosts.messages.clone()).unwrap_or_default()
    }

    /// Where a body's points were.
    pub(super) fn shapes_of(&self, body: usize, frames: Frames) -> Shapes {
        let (from, to) = (self.recording.from(), self.recording.to());
        let frames: Vec<i32> = match frames {
            Frames::One(frame) => vec![frame],
            Frames::Every(step) => (from..to).step_by(step as usize).chain([to]).collect(),
        };
        frames.into_iter().filter_map(|frame| Some((frame, self.points_at(body, frame)?))).collect()
    }

    /// Exact where the state is known, else as pages see it.
    fn points_at(&self, body: usize, frame: i32) -> Option<Vec<DVec3>> {
        let bytes = self.recording.frame(frame)?;
        let is_stale = self.stale_from.is_some_and(|stale| frame >= stale);
        let state = (!is_stale).then(|| self.recording.run.state_at(frame, &*self.show)).flatten();
        let exact = state.and_then(|state| state.bodies.get(body).map(|body| body.x.clone()));
        exact.or_else(|| wire::flesh_of(bytes, body))
    }

    /// A key stands where its path has it, or where the body was at its frame. What nobody has seen yet is where a path would have
    /// it, or where the body was seen nearest to then.
    fn key_message(&self, ghosts: &KeyGhosts, place: usize) -> Option<Bytes> {
        let KeyGhost { body, key } = &ghosts.keys[place];
        let flesh = &self.show.bodies().get(*body as usize)?.flesh;
        let frame = key.frame.round() as i32;
        let nearest = frame.clamp(self.recording.from(), self.recording.to());
        let recorded = self.recording.frame(nearest)?;
        let idle_centre = key.place.idle_centre.filter(|_| nearest != frame);
        let seen = wire::flesh_of(recorded, *body as usize)?;
        if seen.len() != key.shape.len() {
            return None;
        }
        let placed = PlacedKey {
            body: *body,
            director: key.director as u32,
            key: key.key as u32,
            frame: key.frame,
            residual_percent: self.key_residual(*body, &key.name, frame),
            origin: key.place.centre.or(idle_centre).unwrap_or_else(|| mass_centre(&seen, &flesh.mass_kg)),
            // Keys have no rigid part. One that is being edited has, and stands as it began.
            centre: mass_centre(&flesh.rest, &flesh.mass_kg),
            turn: key.place.turn.unwrap_or_else(|| best_fit_rotation(&flesh.rest, &seen, &flesh.mass_kg)),
            shape: &key.shape,
        };
        Some(wire::key_message(place, ghosts.keys.len(), Some(&placed)))
    }

    /// What the director measured at its key, if it is of the scene as it is.
    fn key_residual(&self, body: u32, director: &str, frame: i32) -> Option<f64> {
        let is_of_this_scene = self.recording.run.is_of_present_text(frame);
        let is_it = |measure: &&sinew_solve::Measure| {
            measure.body.0 == body && measure.director == director && measure.name == "key_residual"
        };
        let measures = self.recording.run.measures(frame);
        measures.iter().find(is_it).filter(|_| is_of_this_scene).map(|measure| measure.value)
    }
}
