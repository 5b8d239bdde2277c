//! Spans of a take: which text of the scene made which frames.

use super::TakeHeader;
use serde::{Deserialize, Serialize};
use sinew_solve::StageState;

/// Frames that one text of the scene made.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The frame at which the text took over. Of the first span it is the take's first frame; of others the
    /// last frame of the span before, after which the scene went on by this text.
    pub from: i32,
    pub header: TakeHeader,
    /// The exact state at `from` as the stage of this text has it; none for the first span, which begins as
    /// its scene does.
    pub start: Option<StageState>,
}

/// The payload of a span's record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SpanStart {
    pub header: TakeHeader,
    pub state: StageState,
}
