//! What was performed, and what pages see of it: the run, with the bytes of every frame as they go to pages.
//!
//! Frames are bounded: the oldest go first. The run bounds its exact states itself.

use crate::{Limits, wire};
use axum::body::Bytes;
use sinew_bake::{Run, RunLimits, Staging};
use sinew_solve::StageState;
use std::collections::VecDeque;

pub(crate) struct Recording {
    /// The performance itself; frames after [`Run::reached`] are of the scene before an edit.
    pub(crate) run: Run,
    from: i32,
    frames: VecDeque<Bytes>,
    frame_bytes: usize,
    limits: Limits,
}

impl Recording {
    /// Begins with a frame and its state.
    pub(crate) fn begin(first: i32, frame: Bytes, state: StageState, staging: Staging, limits: Limits) -> Self {
        let run = Run::begin(staging, first, state, RunLimits { state_bytes: limits.checkpoint_bytes });
        Self { run, from: first, frame_bytes: frame.len(), frames: VecDeque::from([frame]), limits }
    }

    /// The oldest recorded frame.
    pub(crate) fn from(&self) -> i32 {
        self.from
    }

    /// The newest recorded frame.
    pub(crate) fn to(&self) -> i32 {
        self.from + self.frames.len() as i32 - 1
    }

    pub(crate) fn frame(&self, frame: i32) -> Option<&Bytes> {
        self.frames.get(usize::try_from(frame - self.from).ok()?)
    }

    /// The first frame, and of each what a step took in milliseconds and how high its bodies were in metres.
    pub(crate) fn numbers(&self) -> (i32, Vec<(f32, Vec<f64>)>) {
        (self.from, self.frames.iter().map_while(|frame| wire::numbers_of(frame)).collect())
    }

    /// Makes every frame another one.
    pub(crate) fn change(&mut self, change: impl Fn(i32, &Bytes) -> Bytes) {
        for (frame, number) in self.frames.iter_mut().zip(self.from..) {
            *frame = change(number, frame);
        }
        self.frame_bytes = self.frames.iter().map(Bytes::len).sum();
    }

    /// Puts a frame in its place: in that of an older one, or after [`Recording::to`].
    pub(crate) fn put(&mut self, number: i32, frame: Bytes) {
        let place = usize::try_from(number - self.from).ok().and_then(|place| self.frames.get_mut(place));
        self.frame_bytes += frame.len();
        match place {
            Some(place) => self.frame_bytes -= std::mem::replace(place, frame).len(),
            None => self.frames.push_back(frame),
        }
        while self.frame_bytes > self.limits.recorded_bytes && self.frames.len() > 1 {
            self.frame_bytes -= self.frames.pop_front().map_or(0, |oldest| oldest.len());
            self.from += 1;
        }
    }

    /// Forgets the frames after this one; the run has forgotten them.
    pub(crate) fn cut_after(&mut self, frame: i32) {
        let keep = usize::try_from(frame - self.from + 1).unwrap_or(0);
        while self.frames.len() > keep.max(1) {
            self.frame_bytes -= self.frames.pop_back().map_or(0, |newest| newest.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_bake::take::{Clock, TakeHeader};
    use sinew_bake::{Performer, StageOutline};
    use sinew_math::DVec3;
    use sinew_solve::{BodyState, Input, Memory, StepError, StepReport};
    use std::sync::Arc;

    /// Ten points that only count ticks.
    struct Counting(StepReport);

    impl Performer for Counting {
        fn step(&mut self, state: &mut StageState, _: &[Input]) -> Result<&StepReport, StepError> {
            state.tick += 1;
            Ok(&self.0)
        }

        fn carry(&self, _: &StageOutline, _: &StageState) -> Option<StageState> {
            None
        }

        fn first_state(&self) -> StageState {
            let memory = Memory::ShapeMatching { rotation: Vec::new() };
            let (x, v) = (vec![DVec3::ZERO; 10], vec![DVec3::ZERO; 10]);
            StageState {
                tick: 0,
                bodies: vec![BodyState { origin: DVec3::ZERO, x, v, memory }],
                director_states: Vec::new(),
            }
        }
    }

    fn recorded(frames: i32, limits: Limits) -> (Recording, Counting) {
        let mut counting = Counting(StepReport::default());
        let made_of = TakeHeader {
            scene_text: String::new(),
            meshes: Default::default(),
            sinew_version: String::new(),
            clock: Clock { fps: (24, 1), substeps: 1, first_frame: 1, last_frame: frames },
            bodies: Vec::new(),
        };
        let staging = Staging { made_of: Arc::new(made_of), outline: None };
        let bytes = || Bytes::from(vec![0; 100]);
        let mut recording = Recording::begin(1, bytes(), counting.first_state(), staging, limits);
        for frame in 2..=frames {
            recording.run.give(&[Input::LetGo { body: sinew_solve::BodyId(frame as u32) }]);
            recording.run.step_frame(&mut counting).unwrap();
            recording.put(frame, bytes());
        }
        (recording, counting)
    }

    #[test]
    fn the_oldest_frames_go_and_the_first_state_stays() {
        let limits = Limits { recorded_bytes: 1000, checkpoint_bytes: 10_000, ..Limits::default() };
        let (mut recording, mut counting) = recorded(500, limits);
        assert_eq!((recording.from(), recording.to()), (491, 500));
        assert!(recording.frame(490).is_none() && recording.frame(491).is_some() && recording.frame(501).is_none());
        assert!(recording.run.first_missing().is_some(), "states of 960 bytes each: ten are kept");
        for frame in [5, 499, 1, 300] {
            recording.run.seek(frame, &mut counting).unwrap();
            assert_eq!((recording.run.at(), recording.run.state().tick), (frame, frame as u64 - 1));
        }
    }

    #[test]
    fn a_cut_forgets_frames_states_and_inputs_after_it() {
        let (mut recording, mut counting) = recorded(20, Limits::default());
        assert_eq!(recording.run.rewind(10, &mut counting).unwrap(), 10);
        recording.cut_after(10);
        assert_eq!((recording.from(), recording.to()), (1, 10));
        assert_eq!((recording.run.reached(), recording.run.state().tick), (10, 9));
        assert_eq!(recording.run.first_missing(), None);
        recording.run.seek(12, &mut counting).unwrap();
        assert_eq!(recording.run.at(), 10, "what is forgotten cannot be gone to");
    }
}
