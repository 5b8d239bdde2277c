//! Bodies in the hands of pages.

use super::{PageId, Runner};
use sinew_math::DVec3;
use sinew_solve::{BodyId, Input};
use std::collections::BTreeMap;

pub(super) type Hands = BTreeMap<u32, Hand>;

/// A body in a page's hand.
#[derive(Clone, Copy)]
pub(super) struct Hand {
    page: PageId,
    at_rest: DVec3,
    to: DVec3,
}

impl Runner {
    pub(super) fn drag(&mut self, page: PageId, body: u32, at_rest: DVec3, to: DVec3) {
        self.branch_off();
        self.hands.insert(body, Hand { page, at_rest, to });
        self.pull(body, at_rest, to);
        self.ask_ghosts();
    }

    /// An edit makes hands let go, in takes too; what is held now is taken hold of again with the next frame.
    pub(super) fn hold_on(&mut self) {
        for (body, hand) in self.hands.clone() {
            self.pull(body, hand.at_rest, hand.to);
        }
    }

    fn pull(&mut self, body: u32, at_rest: DVec3, to: DVec3) {
        let id = BodyId(body);
        self.pending.retain(|input| !matches!(input, Input::Drag { body, .. } if *body == id));
        self.pending.push(Input::Drag { body: id, at_rest, to });
    }

    pub(super) fn touch(&mut self, body: u32, at_rest: DVec3) {
        /// More taps than this between two frames are not a person's.
        const TAPS_A_FRAME: usize = 64;
        self.branch_off();
        if self.pending.len() < TAPS_A_FRAME {
            self.pending.push(Input::Touch { body: BodyId(body), at_rest });
        }
    }

    /// Only the hand that took hold last can let go.
    pub(super) fn let_go(&mut self, page: PageId, body: u32) {
        if self.hands.get(&body).is_some_and(|hand| hand.page == page) {
            self.hands.remove(&body);
            self.pending.push(Input::LetGo { body: BodyId(body) });
        }
    }

    pub(super) fn let_go_all(&mut self, page: PageId) {
        let held: Vec<u32> = self.hands.iter().filter(|(_, hand)| hand.page == page).map(|(body, _)| *body).collect();
        held.into_iter().for_each(|body| self.let_go(page, body));
    }

    /// What is held now is not played back as it was: it is taken hold of here, and goes differently from here on.
    pub(super) fn keep_hold(&mut self) {
        if self.shown < self.recording.to() {
            for (body, hand) in self.hands.clone() {
                self.drag(hand.page, body, hand.at_rest, hand.to);
            }
        }
    }
}
