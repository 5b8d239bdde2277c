//! Takes: what is recorded, kept; and kept ones, shown again.

use super::Runner;
use crate::wire;
use axum::body::Bytes;
use std::sync::Arc;

/// A kept take beside the live bodies, or instead of them.
pub(crate) struct ShownTake {
    pub(crate) first_frame: i32,
    pub(crate) frames: Arc<Vec<Bytes>>,
    pub(crate) instead: bool,
}

/// One of its frames.
pub(super) struct TakeFrame<'a>(&'a Bytes);

impl ShownTake {
    /// The frame of this number, or the nearest one it has.
    pub(super) fn frame(&self, frame: i32) -> Option<TakeFrame<'_>> {
        let last = self.frames.len().checked_sub(1)?;
        let place = usize::try_from(frame.saturating_sub(self.first_frame)).unwrap_or(0).min(last);
        self.frames.get(place).map(TakeFrame)
    }
}

impl TakeFrame<'_> {
    pub(super) fn as_frame(&self) -> Bytes {
        self.0.clone()
    }

    pub(super) fn as_ghost(&self) -> Bytes {
        wire::as_take(self.0)
    }
}

impl Runner {
    /// Whether a take's own frame is seen where the playhead is.
    pub(super) fn shows_take(&self) -> bool {
        let has = |take: &ShownTake| {
            let place = usize::try_from(self.playhead.saturating_sub(take.first_frame));
            take.instead && place.is_ok_and(|place| place < take.frames.len())
        };
        self.take.as_ref().is_some_and(has)
    }

    pub(super) fn show_take(&mut self, take: Option<ShownTake>) {
        self.take = take;
        self.show_frame(self.playhead);
    }
}
