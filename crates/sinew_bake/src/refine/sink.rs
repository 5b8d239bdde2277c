//! Who hears of a search under way: how far it is, what it has found so far, and what the best of that looks
//! like.

use super::{Refinement, Rehearsed};
use sinew_solve::StageState;
use sinew_stage::StageOutline;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How far a refiner is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefineProgress {
    /// Performances begun so far; parts of one count as one.
    pub runs: u32,
    /// Of the present one, or of a search that performs none; 0 to 1.
    pub fraction: f64,
}

/// The best that there is so far, at a frame.
#[derive(Debug, Clone)]
pub struct RefinePicture {
    pub frame: i32,
    pub state: StageState,
    /// What the state means, so that another stage of the same bodies can show it.
    pub of: Arc<StageOutline>,
}

impl RefinePicture {
    /// Where a performance has ended.
    pub fn of(rehearsed: &Rehearsed) -> Self {
        let Rehearsed { built, run } = rehearsed;
        Self { frame: run.at(), state: run.state().clone(), of: Arc::new(built.stage.outline()) }
    }
}

/// Who hears of a search. A closure hears how far it is.
pub trait RefineSink {
    /// Told after every frame; may stop the search.
    fn progress(&mut self, at: RefineProgress) -> ControlFlow<()>;

    /// What there is to choose from by now, best first, in the place of what was there before.
    fn offered(&mut self, _so_far: &[Refinement]) {}

    /// At most twice a second.
    fn picture(&mut self, _picture: RefinePicture) {}
}

impl<T: FnMut(RefineProgress) -> ControlFlow<()>> RefineSink for T {
    fn progress(&mut self, at: RefineProgress) -> ControlFlow<()> {
        self(at)
    }
}

/// Holds the latest picture back until it is due. Only what is shown goes by a clock, nothing that is found.
#[derive(Default)]
pub(super) struct Easel {
    shown: Option<Instant>,
    waiting: Option<RefinePicture>,
}

impl Easel {
    const APART: Duration = Duration::from_millis(500);

    /// Puts a picture in the place of the one that waits; the one that is due.
    pub(super) fn put(&mut self, picture: impl FnOnce() -> RefinePicture) -> Option<RefinePicture> {
        self.waiting = Some(picture());
        self.due()
    }

    /// The picture that waits, where the last one was shown long enough ago.
    pub(super) fn due(&mut self) -> Option<RefinePicture> {
        self.due_at(Instant::now())
    }

    fn due_at(&mut self, now: Instant) -> Option<RefinePicture> {
        if self.waiting.is_none() || self.shown.is_some_and(|shown| now.duration_since(shown) < Self::APART) {
            return None;
        }
        self.shown = Some(now);
        self.waiting.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use sinew_scene::builtin;
    use std::path::Path;

    #[test]
    fn the_latest_picture_is_shown_twice_a_second_at_most() {
        let scene = sinew_scene::Scene::from_toml(builtin::find("bar-pin").unwrap().toml, "bar-pin").unwrap();
        let stage = build(&scene, Path::new("."), 1).unwrap().stage;
        let (state, of) = (stage.first_state(), Arc::new(stage.outline()));
        let picture = |frame: i32| RefinePicture { frame, state: state.clone(), of: of.clone() };
        let (mut easel, begun) = (Easel::default(), Instant::now());
        let mut shown = Vec::new();
        for tick in 0..100 {
            easel.waiting = Some(picture(tick));
            let at = begun + Duration::from_millis(20 * tick as u64);
            shown.extend(easel.due_at(at).map(|picture| picture.frame));
        }
        assert_eq!(shown, [0, 25, 50, 75]);
        assert_eq!(easel.due_at(begun + Duration::from_secs(9)).map(|picture| picture.frame), Some(99));
        assert!(easel.due_at(begun + Duration::from_secs(99)).is_none(), "each once");
    }
}
