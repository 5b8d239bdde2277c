//! What reaches the stage's thread.

use super::{Ghosts, KeyGhost, ShownTake};
use crate::protocol::Command;
use crate::show::Show;
use crate::welcome::Welcome;
use sinew_bake::refine::RefinePicture;
use sinew_bake::take::TakeHeader;
use sinew_bake::{DirectorSetup, Previewed, Run, Script};
use sinew_math::DVec3;
use std::sync::Arc;

/// One page's number, to know whose hand holds what.
pub(crate) type PageId = u64;

pub(crate) enum Order {
    /// What a page asks, of the stage it was welcomed to.
    Do {
        page: PageId,
        stage: u64,
        command: Command,
    },
    /// The page is gone; its hands let go.
    Gone(PageId),
    /// Other directors for the bodies on stage, and the scene they are of.
    Redirect(Vec<Vec<DirectorSetup>>, Script, Arc<TakeHeader>),
    /// Other events of the scene, and nothing else.
    Reschedule(Script, Arc<TakeHeader>),
    Restage(Box<Staged>),
    ShowTake(Option<ShownTake>),
    /// A stage that shows what comes next, or none.
    Preview(Option<Box<Ghosts>>),
    /// Other directors for that stage.
    RedirectPreview(Vec<Vec<DirectorSetup>>, Script),
    /// What it says.
    Previewed(Previewed),
    /// The best that a search has found so far, or that it is over.
    Searched(Option<Box<RefinePicture>>),
    /// Key shapes to be drawn at their frames' places, or none.
    Keys(Option<Vec<KeyGhost>>),
    /// Another shape for one of them.
    Key(KeyGhost),
    /// Where a body's points were at recorded frames; those that are not recorded are left out.
    Shapes {
        body: usize,
        frames: Frames,
        reply: Box<dyn FnOnce(Shapes) + Send>,
    },
    /// Time stands until another stage comes.
    Stop,
    /// What is recorded now, in numbers.
    Numbers(Box<dyn FnOnce(Numbers) + Send>),
    /// Everything ordered before is done, told and pictured.
    Sync(Box<dyn FnOnce() + Send>),
    /// What is recorded now, to be kept.
    Snapshot(Box<dyn FnOnce(Box<Run>) + Send>),
}

/// The first recorded frame, and of each what a step took and how high its bodies were.
pub(crate) type Numbers = (i32, Vec<(f32, Vec<f64>)>);

/// World positions of a body's points by frame.
pub(crate) type Shapes = Vec<(i32, Vec<DVec3>)>;

/// Which of the recorded frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frames {
    One(i32),
    /// From the first to the last, both included, so many apart.
    Every(u32),
}

/// A stage that is ready to be shown.
pub(crate) struct Staged {
    pub(crate) show: Box<dyn Show>,
    pub(crate) welcome: Arc<Welcome>,
    pub(crate) start: Start,
    /// The scene it was made of, as takes name it.
    pub(crate) made_of: Arc<TakeHeader>,
}

/// Where a stage begins that takes the place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// Another scene: it plays, and all of it.
    Fresh,
    /// The same scene edited so that it begins anew.
    Over,
    /// The same bodies: they go on from where they are, if they can.
    Where,
}

impl Staged {
    pub(crate) fn new(show: Box<dyn Show>, start: Start, made_of: Arc<TakeHeader>) -> Self {
        let welcome = Arc::new(Welcome::of(&*show));
        Self { show, welcome, start, made_of }
    }
}
