//! Contacts in batches of sixteen that have nothing in common, so that lanes can answer all of them at once.
//!
//! Gauss–Seidel asks contacts one after the other, each with what those before it have changed. Contacts that change
//! different bodies do not notice each other and may be asked together: a colouring of the graph whose edges are
//! shared bodies, first fit in the order of contacts, which depends on nothing else.

use crate::simd::BLOCK;

/// Batches are looked through in words of bits.
const WORDS: usize = 2;
/// When none of so many batches has room for a contact, later ones only look at new batches.
const WINDOW: usize = WORDS * u64::BITS as usize;

/// Scratch.
#[derive(Default)]
pub(super) struct Batches {
    /// By place (a body): in which batches of the window it is.
    used: Vec<[u64; WORDS]>,
    full: [u64; WORDS],
    /// Contacts of each batch of the window.
    counts: Vec<u8>,
    /// Batches before the window.
    base: usize,
}

impl Batches {
    /// Starts anew for contacts over so many places.
    pub(super) fn begin(&mut self, places: usize) {
        self.used.clear();
        self.used.resize(places, [0; WORDS]);
        self.open_window();
        self.base = 0;
    }

    /// Batches so far.
    pub(super) fn count(&self) -> usize {
        self.base + self.counts.len()
    }

    fn open_window(&mut self) {
        self.base += self.counts.len();
        self.counts.clear();
        self.full = [0; WORDS];
    }

    /// The batch and the lane of the next contact, which changes `places`.
    pub(super) fn next<const N: usize>(&mut self, places: [u32; N]) -> (usize, usize) {
        let batch = self.first_free(&places).unwrap_or_else(|| {
            self.open_window();
            self.used.iter_mut().for_each(|used| *used = [0; WORDS]);
            0
        });
        if batch == self.counts.len() {
            self.counts.push(0);
        }
        let (word, bit) = (batch / u64::BITS as usize, 1 << (batch % u64::BITS as usize));
        places.iter().for_each(|&place| self.used[place as usize][word] |= bit);
        let lane = usize::from(self.counts[batch]);
        self.counts[batch] += 1;
        if lane + 1 == BLOCK {
            self.full[word] |= bit;
        }
        (self.base + batch, lane)
    }

    /// The first batch with room and without any of the places; it may be the one after the last.
    fn first_free(&self, places: &[u32]) -> Option<usize> {
        for word in 0..WORDS {
            let taken = places.iter().fold(self.full[word], |bits, &place| bits | self.used[place as usize][word]);
            if taken != u64::MAX {
                return Some(word * u64::BITS as usize + taken.trailing_ones() as usize).filter(|free| *free < WINDOW);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn no_batch_holds_a_place_twice_and_none_is_left_out() {
        let mut batches = Batches::default();
        // Once more than a window holds, and again with scratch that was used before.
        for contacts in [5000u32, 300] {
            batches.begin(40);
            let mut lanes: BTreeSet<(usize, usize)> = BTreeSet::new();
            let mut places: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
            for i in 0..contacts {
                let pair = [i * 7 % 40, (i * 7 + 1 + i % 39) % 40];
                let (batch, lane) = batches.next(pair);
                assert!(lane < BLOCK && lanes.insert((batch, lane)), "lane {lane} of batch {batch} is given twice");
                let there = places.entry(batch).or_default();
                assert!(
                    pair.iter().all(|place| there.insert(*place)),
                    "contact {i}: batch {batch} has one of {pair:?}"
                );
            }
            let most = places.keys().max().map_or(0, |last| last + 1);
            assert_eq!(places.len(), batches.count());
            assert_eq!(places.len(), most, "an empty batch");
            assert!(most < contacts as usize / 8, "{most} batches for {contacts} contacts");
        }
    }
}
