//! Copies: one way of placing them, with the keys that belong to it.

use super::place::{Found, Place};
use crate::model::{Copies, Placing};

/// More bodies than this in one scene are a slip of the keyboard.
const MOST_COPIES: u64 = 100_000;

pub(super) fn check_copies(copies: &Copies, at: &Place, found: &mut Found) {
    let Some(placing) = copies.placing() else {
        let help = "give one of `grid`, `places`, `box` and `ring`";
        let said = [copies.grid.is_some(), copies.places.is_some(), copies.within_box.is_some(), copies.ring.is_some()];
        let what =
            if said.contains(&true) { "where copies stand is said twice" } else { "it is not said where copies stand" };
        at.wrong(found, what, help);
        return;
    };
    let is_grid = matches!(placing, Placing::Grid { .. });
    let is_scattered = matches!(placing, Placing::Box(_) | Placing::Ring(_));
    if is_grid && copies.spacing.is_none() {
        at.wrong(found, "a grid needs a spacing", "add spacing = 0.5, the metres from one place to the next");
    }
    if is_scattered && copies.count.is_none() {
        at.wrong(found, "it is not said how many copies there are", "add count = 12");
    }
    if let Placing::Ring(ring) = placing
        && ring.inner > ring.outer
    {
        at.key("ring").wrong(found, "the ring is inside out", "`inner` is at most `outer`");
    }
    let strays = [
        (copies.spacing.is_some() && !is_grid, "spacing", "it belongs to `grid`"),
        (copies.gap.is_some() && !is_scattered, "gap", "it belongs to `box` and `ring`"),
        (copies.shift.is_some() && is_scattered, "shift", "make the `box` or `ring` larger"),
    ];
    for (_, key, help) in strays.into_iter().filter(|(stray, ..)| *stray) {
        at.key(key).wrong(found, format!("`{key}` has no effect here"), help);
    }
    let count = copies.body_count();
    if count > MOST_COPIES {
        at.wrong(found, format!("{count} copies are too many"), format!("at most {MOST_COPIES}"));
    }
}
