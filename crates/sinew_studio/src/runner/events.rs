//! What hands do, written down as events of the scene, and events that were edited.

use super::Runner;
use super::hands::Hand;
use crate::desk::{DeskOrder, Happened};
use sinew_bake::take::TakeHeader;
use sinew_bake::{Script, Scripts};
use sinew_math::DVec3;
use sinew_scene::Event;
use sinew_solve::Input;
use std::sync::Arc;

impl Runner {
    /// Other events. What was recorded stays up to where something happens differently; what comes after is stale.
    pub(super) fn reschedule(&mut self, script: &Script, made_of: Arc<TakeHeader>) {
        let before = self.show.stage().map(|stage| stage.script().clone()).unwrap_or_default();
        self.keep_before_edit(&made_of);
        self.show.set_script(script.clone());
        self.made_of = made_of;
        if self.take_edit_back() {
            return;
        }
        let staging = super::staging(&*self.show, &self.made_of);
        let scripts = Scripts { before: &before, after: script };
        if let Err(error) = self.recording.run.reschedule(staging, scripts, &mut *self.show) {
            return self.begin_over(&error);
        }
        // What the scene does by itself now, the hand need not do as well.
        let own = script.at(self.recording.run.state().tick);
        self.pending.retain(|input| !own.contains(input));
        let stays = self.recording.run.reached();
        self.stale_from = (stays < self.recording.to()).then_some(stays + 1);
        self.is_edited = self.recording.run.is_edited();
        self.problem = None;
        self.show_frame(self.playhead);
    }

    /// Notes where hands are in the frame that is about to be simulated.
    pub(super) fn note_hands(&mut self) {
        let frame = self.shown;
        for body in self.hands.keys().copied().collect::<Vec<_>>() {
            let Some(hand) = self.hands.get_mut(&body) else { continue };
            // Time went elsewhere: what was done before is over.
            let over = hand.path.last().is_some_and(|(last, _)| last + 1 != frame).then(|| hand.clone());
            if over.is_some() {
                hand.path.clear();
            }
            hand.path.push((frame, hand.to));
            if let Some(over) = over {
                self.write_down_pull(body, &over);
            }
        }
    }

    /// A hand's way as an event. One that no frame was simulated under did nothing.
    pub(super) fn write_down_pull(&self, body: u32, hand: &Hand) {
        let Some(&(first, _)) = hand.path.first() else { return };
        let path = thinned(&hand.path, first);
        let (at, frame) = (hand.at_rest.to_array(), first);
        self.happened(body, |copy| Event::Pull { frame, at, path, copy });
    }

    pub(super) fn write_down_touch(&self, body: u32, at_rest: DVec3) {
        let (frame, at) = (self.shown, at_rest.to_array());
        self.happened(body, |copy| Event::Touch { frame, at, copy });
    }

    fn happened(&self, body: u32, event: impl FnOnce(Option<u32>) -> Event) {
        let Some(body) = self.show.bodies().get(body as usize) else { return };
        let source = body.path.strip_prefix("body.").unwrap_or_default();
        let copy = body.name.strip_prefix(source).and_then(|rest| rest.strip_prefix('-')).and_then(|n| n.parse().ok());
        if let Some(desk) = &self.desk {
            let _ = desk.send(DeskOrder::Happened(Happened { path: body.path.clone(), event: event(copy) }));
        }
    }
}

/// Places by frames since the first one, until the hand lets go. While it stands still only the ends are written.
fn thinned(path: &[(i32, DVec3)], first: i32) -> Vec<[f64; 4]> {
    let entry = |frame: i32, to: DVec3| [f64::from(frame - first), to.x, to.y, to.z];
    let stands = |number: usize| {
        let (before, after) = (number.checked_sub(1).and_then(|before| path.get(before)), path.get(number + 1));
        before.zip(after).is_some_and(|(before, after)| before.1 == path[number].1 && after.1 == path[number].1)
    };
    let places = path.iter().enumerate().filter(|(number, _)| !stands(*number));
    let end = path.last().map(|&(frame, to)| entry(frame + 1, to));
    places.map(|(_, &(frame, to))| entry(frame, to)).chain(end).collect()
}

/// A place as it is written down: to a ten thousandth of a millimetre, so that texts stay short. What the hand does
/// live is rounded alike, and what is written down then gives the same bits.
pub(super) fn rounded(place: DVec3) -> DVec3 {
    const PER_METRE: f64 = 1e7;
    (place * PER_METRE).round() / PER_METRE
}

/// Whether an input is one of a body's hand.
pub(super) fn is_hand_of(input: &Input, of: u32) -> bool {
    matches!(input, Input::Drag { body, .. } | Input::LetGo { body } if body.0 == of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::dvec3;

    #[test]
    fn a_hand_that_stands_still_takes_few_words() {
        let (a, b) = (dvec3(1.0, 0.0, 0.0), dvec3(2.0, 0.0, 0.0));
        let path = [(7, a), (8, a), (9, a), (10, b), (11, b)];
        let at = |since: f64, x: f64| [since, x, 0.0, 0.0];
        assert_eq!(thinned(&path, 7), [at(0.0, 1.0), at(2.0, 1.0), at(3.0, 2.0), at(4.0, 2.0), at(5.0, 2.0)]);
        assert_eq!(thinned(&path[..1], 7), [at(0.0, 1.0), at(1.0, 1.0)]);
    }
}
