//! What reaches the desk.

use super::adding::Added;
use super::build::BuildDone;
use super::import::{Import, Imported};
use super::keys::SeenBody;
use super::refine::Refined;
use super::takes::KeptRun;
use crate::protocol::{Command, Event};
use crate::runner::PageId;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

pub(crate) enum DeskOrder {
    Ask(Ask),
    /// The studio is about to end: unsaved work is kept now.
    Flush(std::sync::mpsc::Sender<()>),
    /// The page is gone; its gesture ends.
    Gone(PageId),
    /// A stage was made, or could not be.
    Built(Box<BuildDone>),
    /// What was recorded, to be kept as a take.
    Kept(Box<KeptRun>),
    /// What a search found.
    Refined(Box<Refined>),
    /// Where a body was, to be keyed.
    Seen(Box<SeenBody>),
    /// What a hand did to a body on stage.
    Happened(Happened),
    /// A mesh file from a page.
    Import(Box<Import>),
    /// A project was made of one, or could not be.
    Imported(Box<Imported>),
    /// A mesh for the open scene was read, or could not be.
    Added(Box<Added>),
}

/// What a hand did to a body, to be written into the scene.
pub(crate) struct Happened {
    /// The body in the document, such as `body.jelly`.
    pub(crate) path: String,
    pub(crate) event: sinew_scene::Event,
}

/// What a page asks, and where it is answered.
pub(crate) struct Ask {
    pub(crate) page: PageId,
    pub(crate) reply: mpsc::Sender<Event>,
    pub(crate) command: Command,
    /// Given back when the question is answered.
    pub(crate) _permit: OwnedSemaphorePermit,
}

/// Whether `next` says the same as `order` again, only newer: of a drag's previews the last one counts.
pub(super) fn outdates(next: &DeskOrder, order: &DeskOrder) -> bool {
    match (next, order) {
        (DeskOrder::Ask(next), DeskOrder::Ask(order)) => {
            let is_same = matches!(
                (&next.command, &order.command),
                (Command::Preview { .. }, Command::Preview { .. }) | (Command::Sculpt { .. }, Command::Sculpt { .. })
            );
            next.page == order.page && is_same
        }
        _ => false,
    }
}
