//! Automatic keys: where a body meets something, keys before, at and after it, as the performance shows them.
//!
//! Kondo, Kanai, Anjyo name it as future work: "adding keyframes before and after collisions". The shapes are those of the
//! performance, for a user to edit; the second answer has them exaggerated.

use super::SearchError;
use super::{RefineError, Refinement, Refiner, Rehearsal, Rehearsed};
use crate::keys::{KeyFileError, KeySamples, put_keys};
use sinew_direct::key_shapes::{KeyTrouble, ShapeCells, unfold};
use sinew_math::DVec3;
use sinew_scene::model::KeyShape;
use sinew_solve::{BodyId, Flesh};
use std::sync::Arc;

/// What is nearer than this share of a body's size touches it.
const NEAR: f64 = 2e-3;
/// Frames apart that still belong to one contact.
const GAP: i32 = 2;
/// How much more the exaggerated shapes are than the recorded ones.
const MORE: f64 = 1.6;

/// Keys for the contacts of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutoKeys {
    pub body: String,
    /// Frames that a key lies before and after a contact.
    pub margin: i32,
}

/// Why there are no keys to be had.
#[derive(Debug, thiserror::Error)]
pub enum AutoKeysError {
    #[error("there is no body {body:?}")]
    NoBody { body: String },
    #[error("body {body:?} touches nothing that it did not touch from the start")]
    NoContacts { body: String },
    #[error("what body {body:?} looks like at frame {frame} is no key shape: {trouble}")]
    Folded { body: String, frame: i32, trouble: KeyTrouble },
    #[error("its flesh takes no key shapes: {what}")]
    Flesh { what: String },
    #[error("a key shape could not be kept")]
    KeyFile(#[source] KeyFileError),
}

impl SearchError for AutoKeysError {
    fn help(&self) -> Option<&str> {
        match self {
            Self::NoBody { .. } => Some("name a body of the scene"),
            Self::NoContacts { .. } => Some("let it fall on something, or make the scene longer"),
            Self::Folded { .. } => Some(
                "it is crushed there: make it stiffer, let it fall less far, take more substeps, or solver = { kind = \"fem\" }",
            ),
            Self::Flesh { .. } | Self::KeyFile(_) => None,
        }
    }
}

/// A contact over frames, and when the body was farthest from its rest shape in it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Contact {
    first: i32,
    last: i32,
    deepest: i32,
}

impl Refiner for AutoKeys {
    fn label(&self) -> String {
        format!("keys for the contacts of {}", self.body)
    }

    fn refine(&self, rehearsal: &mut Rehearsal<'_>) -> Result<Vec<Refinement>, RefineError> {
        let none = || AutoKeysError::NoBody { body: self.body.clone() };
        let Rehearsed { built, .. } = rehearsal.prepare()?;
        let is_it = |name: &str| name == self.body || name == format!("{}-1", self.body);
        let body = built.stage.bodies().iter().position(|body| is_it(&body.name)).ok_or_else(none)?;
        let (clock, flesh) = (built.stage.clock(), built.stage.bodies()[body].flesh.clone());
        let cells = ShapeCells::new(&flesh).map_err(|error| AutoKeysError::Flesh { what: error.to_string() })?;
        let mut seen: Vec<Seen> = Vec::new();
        rehearsal.perform_staged(clock.last_frame, |frame, stage, state| {
            let x = state.bodies[body].x.clone();
            let near_m = NEAR * cells.size_m();
            let on_obstacle = stage.contacts()[body].iter().any(|contact| contact.gap_m <= near_m);
            let on_body = || {
                let points = stage.body_contacts().iter().flat_map(|c| c.contact_points_on(BodyId(body as u32)));
                points.into_iter().any(|point| point.gap_m <= near_m)
            };
            let is_touching = on_obstacle || on_body();
            seen.push(Seen { frame, is_touching, off_m: cells.distance(&x, cells.rest()), x });
        })?;
        let contacts = contacts(&seen);
        if contacts.is_empty() {
            return Err(AutoKeysError::NoContacts { body: self.body.clone() }.into());
        }
        let frames = frames(&contacts, self.margin, clock.first_frame, clock.last_frame);
        let mut answers = vec![self.answer(rehearsal, &flesh, &cells, &seen, &frames, &contacts, 1.0)?];
        rehearsal.offer(answers.clone());
        // What is pressed flat already bears less of it.
        let mut exaggerations = (0..4).map(|n| 1.0 + (MORE - 1.0) / f64::from(1 << n));
        let answer = |more| self.answer(rehearsal, &flesh, &cells, &seen, &frames, &contacts, more).ok();
        answers.extend(exaggerations.find_map(answer));
        Ok(answers)
    }
}

/// A frame of the performance.
struct Seen {
    frame: i32,
    is_touching: bool,
    off_m: f64,
    x: Vec<DVec3>,
}

impl AutoKeys {
    #[expect(clippy::too_many_arguments, reason = "one answer of two that share all but the last")]
    fn answer(
        &self,
        rehearsal: &Rehearsal<'_>,
        flesh: &Arc<Flesh>,
        cells: &ShapeCells,
        seen: &[Seen],
        frames: &[i32],
        contacts: &[Contact],
        more: f64,
    ) -> Result<Refinement, RefineError> {
        let (mut keys, mut assets, mut unfolded) = (Vec::new(), Vec::new(), 0);
        for frame in frames {
            let Some(shown) = seen.iter().find(|seen| seen.frame == *frame) else {
                keys.push(KeyShape::rest_at(f64::from(*frame)));
                continue;
            };
            let shape = cells.without_rigid_motion(&shown.x);
            let shape: Vec<DVec3> = shape.iter().zip(&flesh.rest).map(|(x, x0)| *x0 + (*x - *x0) * more).collect();
            let (shape, mended) = unfold(cells, &shape).map_err(|trouble| AutoKeysError::Folded {
                body: self.body.clone(),
                frame: *frame,
                trouble,
            })?;
            unfolded = unfolded.max(mended.map_or(0, |mended| mended.count));
            let asset = KeySamples::of(flesh, &shape).to_asset().map_err(AutoKeysError::KeyFile)?;
            keys.push(KeyShape { asset: Some(asset.name.clone()), ..KeyShape::rest_at(f64::from(*frame)) });
            assets.push(asset);
        }
        let scene = rehearsal.document().scene();
        let body = scene.bodies.iter().find(|body| body.name == self.body);
        let body = body.ok_or_else(|| AutoKeysError::NoBody { body: self.body.clone() })?;
        let how = if more == 1.0 { "as performed".to_owned() } else { format!("exaggerated {more} times") };
        let folds = match unfolded {
            0 => String::new(),
            count => format!("; {count} elements at most were inside out there and are unfolded"),
        };
        let label = format!("{} keys for {} contacts of {}, {how}{folds}", keys.len(), contacts.len(), self.body);
        let outcome = contacts.iter().enumerate().map(|(number, contact)| {
            (format!("contact {} deepest at frame", number + 1), String::new(), f64::from(contact.deepest))
        });
        let command = put_keys(body, None, keys, &label);
        Ok(Refinement { command, label, outcome: outcome.collect(), notes: Vec::new(), assets })
    }
}

/// Contacts that begin under way, in order.
fn contacts(seen: &[Seen]) -> Vec<Contact> {
    let mut found: Vec<Contact> = Vec::new();
    for frame in seen.iter().filter(|seen| seen.is_touching) {
        match found.last_mut() {
            Some(contact) if frame.frame - contact.last <= GAP + 1 => contact.last = frame.frame,
            _ => found.push(Contact { first: frame.frame, last: frame.frame, deepest: frame.frame }),
        }
    }
    // What lies there from the start is no contact to be keyed.
    let start = seen.first().map_or(i32::MIN, |seen| seen.frame);
    found.retain(|contact| contact.first > start);
    for contact in &mut found {
        let within = seen.iter().filter(|seen| (contact.first..=contact.last).contains(&seen.frame));
        let deepest = within.max_by(|a, b| a.off_m.total_cmp(&b.off_m));
        contact.deepest = deepest.map_or(contact.first, |seen| seen.frame);
    }
    found
}

/// Frames of the keys: before, at and after each contact, each once, with the start of the scene.
fn frames(contacts: &[Contact], margin: i32, first: i32, last: i32) -> Vec<i32> {
    let of = |contact: &Contact| [contact.first - margin, contact.deepest, contact.last + margin];
    let mut frames: Vec<i32> =
        contacts.iter().flat_map(of).filter(|frame| (first + 1..=last).contains(frame)).collect();
    frames.push(first);
    frames.sort_unstable();
    frames.dedup();
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_are_found_with_their_deepest_frame_and_keyed_around() {
        let seen = |frame: i32, is_touching: bool, off_m: f64| Seen { frame, is_touching, off_m, x: Vec::new() };
        let all: Vec<Seen> = (2..40)
            .map(|frame| {
                let touching = matches!(frame, 10..=12 | 14..=15 | 30..=33);
                seen(frame, touching, if frame == 12 || frame == 31 { 0.2 } else { 0.1 })
            })
            .collect();
        let found = contacts(&all);
        assert_eq!(found, [Contact { first: 10, last: 15, deepest: 12 }, Contact { first: 30, last: 33, deepest: 31 }]);
        assert_eq!(frames(&found, 2, 1, 34), [1, 8, 12, 17, 28, 31]);
    }
}
