//! Bodies in the hands of pages.

use super::events::{is_hand_of, rounded};
use super::{PageId, Runner};
use sinew_math::DVec3;
use sinew_solve::{BodyId, Input};
use std::collections::BTreeMap;

pub(super) type Hands = BTreeMap<u32, Hand>;

/// A body in a page's hand.
#[derive(Clone)]
pub(super) struct Hand {
    page: PageId,
    pub(super) at_rest: DVec3,
    pub(super) to: DVec3,
    /// Where it was at the frames that were simulated under it, one after the other.
    pub(super) path: Vec<(i32, DVec3)>,
}

impl Runner {
    /// Takes hold of a body, or leads it on. While time stands that changes nothing yet: things go differently from the first frame
    /// on that is simulated under the hand.
    pub(super) fn drag(&mut self, page: PageId, body: u32, at_rest: DVec3, to: DVec3) {
        if self.playing {
            self.branch_off();
        }
        self.hold(page, body, at_rest, to);
    }

    fn hold(&mut self, page: PageId, body: u32, at_rest: DVec3, to: DVec3) {
        let (at_rest, to) = (rounded(at_rest), rounded(to));
        match self.hands.get_mut(&body).filter(|hand| (hand.page, hand.at_rest) == (page, at_rest)) {
            Some(hand) => hand.to = to,
            None => {
                let taken = self.hands.insert(body, Hand { page, at_rest, to, path: Vec::new() });
                if let Some(before) = taken {
                    self.write_down_pull(body, &before);
                }
            }
        }
        self.pull(body, at_rest, to);
        self.ask_ghosts();
    }

    /// What is held stays held: an edit makes hands let go, in takes too, and a pull of the scene may end meanwhile.
    pub(super) fn hold_on(&mut self) {
        for (body, hand) in self.hands.clone() {
            self.pull(body, hand.at_rest, hand.to);
        }
    }

    fn pull(&mut self, body: u32, at_rest: DVec3, to: DVec3) {
        self.pending.retain(|input| !is_hand_of(input, body));
        self.pending.push(Input::Drag { body: BodyId(body), at_rest, to });
    }

    pub(super) fn touch(&mut self, body: u32, at_rest: DVec3) {
        /// More taps than this between two frames are not a person's.
        const TAPS_A_FRAME: usize = 64;
        self.branch_off();
        if self.pending.len() < TAPS_A_FRAME {
            let at_rest = rounded(at_rest);
            self.pending.push(Input::Touch { body: BodyId(body), at_rest });
            self.write_down_touch(body, at_rest);
        }
    }

    /// Only the hand that took hold last can let go.
    pub(super) fn let_go(&mut self, page: PageId, body: u32) {
        if self.hands.get(&body).is_some_and(|hand| hand.page == page)
            && let Some(hand) = self.hands.remove(&body)
        {
            self.pending.retain(|input| !is_hand_of(input, body));
            // A hand that no frame was simulated under was never there.
            if !hand.path.is_empty() {
                self.pending.push(Input::LetGo { body: BodyId(body) });
            }
            self.write_down_pull(body, &hand);
        }
    }

    pub(super) fn let_go_all(&mut self, page: PageId) {
        let held: Vec<u32> = self.hands.iter().filter(|(_, hand)| hand.page == page).map(|(body, _)| *body).collect();
        held.into_iter().for_each(|body| self.let_go(page, body));
    }

    /// What is held now is not played back as it was: it is taken hold of here, and goes differently from here on.
    pub(super) fn keep_hold(&mut self) {
        if !self.hands.is_empty() && self.shown < self.recording.run.reached() {
            self.branch_off();
            for (body, hand) in self.hands.clone() {
                self.hold(hand.page, body, hand.at_rest, hand.to);
            }
        }
    }
}
