//! Events: times that run forward, copies that exist.

use super::place::{Found, Place};
use crate::model::{Body, Event};

pub(super) fn check_events(body: &Body, at: &Place, found: &mut Found) {
    let copies = body.copies.as_ref().map_or(1, crate::model::Copies::body_count);
    for (index, event) in body.events.iter().enumerate() {
        let at = at.index(index);
        if let Some(copy) = event.copy().filter(|copy| u64::from(*copy) > copies) {
            let help = format!("it has {copies}; they are counted from 1");
            at.key("copy").wrong(found, format!("body {:?} has no copy {copy}", body.name), help);
        }
        if let Event::Pull { path, .. } = event {
            check_path(path, &at.key("path"), found);
        }
    }
}

fn check_path(path: &[[f64; 4]], at: &Place, found: &mut Found) {
    let help = "entries are [frames since it took hold, x, y, z], the first one with 0 frames";
    if path.first().is_some_and(|first| first[0] != 0.0) {
        at.index(0).wrong(found, "a pull begins where it takes hold", help);
    }
    for (index, pair) in path.windows(2).enumerate() {
        if pair[1][0] <= pair[0][0] {
            at.index(index + 1).wrong(found, "the times of a pull run forward", help);
        }
    }
}
