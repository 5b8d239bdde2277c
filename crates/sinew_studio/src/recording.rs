//! What was shown: a frame to look at per frame, exact states to continue from, and the log of live inputs.
//!
//! Frames are kept as the bytes that go to pages. They are bounded: the oldest go first. Checkpoints are bounded too:
//! when they grow too many, every second one goes; the first state always stays.

use crate::Limits;
use axum::body::Bytes;
use sinew_solve::{Input, StageState};
use std::collections::{BTreeMap, VecDeque};

pub(crate) struct Recording {
    from: i32,
    frames: VecDeque<Bytes>,
    frame_bytes: usize,
    first: i32,
    checkpoints: BTreeMap<i32, StageState>,
    checkpoint_every: i32,
    inputs: BTreeMap<u64, Vec<Input>>,
    limits: Limits,
}

impl Recording {
    /// Begins with the first frame.
    pub(crate) fn begin(first: i32, frame: Bytes, state: StageState, limits: Limits) -> Self {
        Self {
            from: first,
            frame_bytes: frame.len(),
            frames: VecDeque::from([frame]),
            first,
            checkpoints: BTreeMap::from([(first, state)]),
            checkpoint_every: 1,
            inputs: BTreeMap::new(),
            limits,
        }
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

    /// Puts a frame in its place: in that of an older one, or after [`Recording::to`].
    pub(crate) fn put(&mut self, number: i32, frame: Bytes, state: &StageState) {
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
        if (number - self.first) % self.checkpoint_every == 0 {
            self.checkpoints.insert(number, state.clone());
            self.thin_checkpoints(state);
        }
    }

    fn thin_checkpoints(&mut self, like: &StageState) {
        /// Two f64 vectors a point and a rotation or so of solver memory.
        const POINT_BYTES: usize = 96;
        let state_bytes = POINT_BYTES * like.bodies.iter().map(|body| body.x.len()).sum::<usize>();
        while self.checkpoints.len() > 1 && self.checkpoints.len() * state_bytes > self.limits.checkpoint_bytes {
            self.checkpoint_every = self.checkpoint_every.saturating_mul(2);
            let (first, every) = (self.first, self.checkpoint_every);
            self.checkpoints.retain(|frame, _| (frame - first) % every == 0);
        }
    }

    /// Logs the inputs of a tick.
    pub(crate) fn log(&mut self, tick: u64, inputs: &[Input]) {
        if !inputs.is_empty() {
            self.inputs.insert(tick, inputs.to_vec());
        }
    }

    pub(crate) fn inputs(&self, tick: u64) -> &[Input] {
        self.inputs.get(&tick).map_or(&[], Vec::as_slice)
    }

    /// The newest exact state at or before `frame`.
    pub(crate) fn checkpoint(&self, frame: i32) -> Option<(i32, &StageState)> {
        self.checkpoints.range(..=frame).next_back().map(|(frame, state)| (*frame, state))
    }

    /// The exact state of a frame, if it was kept.
    pub(crate) fn state(&self, frame: i32) -> Option<&StageState> {
        self.checkpoints.get(&frame)
    }

    /// The states that were kept up to a frame.
    pub(crate) fn checkpoints_up_to(&self, frame: i32) -> impl Iterator<Item = (i32, &StageState)> {
        self.checkpoints.range(..=frame).map(|(frame, state)| (*frame, state))
    }

    /// Every state that was kept.
    pub(crate) fn states(&mut self) -> Vec<&mut StageState> {
        self.checkpoints.values_mut().collect()
    }

    /// Frames after this one can be looked at, but not gone on from.
    pub(crate) fn forget_states_after(&mut self, frame: i32) {
        self.checkpoints.retain(|number, _| *number <= frame);
    }

    pub(crate) fn keep_state(&mut self, frame: i32, state: &StageState) {
        self.checkpoints.insert(frame, state.clone());
    }

    /// Forgets what came after `frame`, whose tick is `tick`.
    pub(crate) fn cut_after(&mut self, frame: i32, tick: u64) {
        let keep = usize::try_from(frame - self.from + 1).unwrap_or(0);
        while self.frames.len() > keep.max(1) {
            self.frame_bytes -= self.frames.pop_back().map_or(0, |newest| newest.len());
        }
        self.checkpoints.retain(|number, _| *number <= frame);
        self.inputs.retain(|number, _| *number < tick);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::DVec3;
    use sinew_solve::{BodyState, Memory};

    fn state(tick: u64) -> StageState {
        let memory = Memory::ShapeMatching { rotation: Vec::new() };
        let (x, v) = (vec![DVec3::splat(tick as f64); 10], vec![DVec3::ZERO; 10]);
        StageState { tick, bodies: vec![BodyState { origin: DVec3::ZERO, x, v, memory }], notes: Vec::new() }
    }

    fn recorded(frames: i32, limits: Limits) -> Recording {
        let bytes = || Bytes::from(vec![0; 100]);
        let mut recording = Recording::begin(1, bytes(), state(0), limits);
        for frame in 2..=frames {
            recording.put(frame, bytes(), &state(frame as u64 - 1));
        }
        recording
    }

    #[test]
    fn the_oldest_frames_go_and_the_first_state_stays() {
        let limits = Limits { recorded_bytes: 1000, checkpoint_bytes: 10_000, ..Limits::default() };
        let recording = recorded(500, limits);
        assert_eq!((recording.from(), recording.to()), (491, 500));
        assert!(recording.frame(490).is_none() && recording.frame(491).is_some() && recording.frame(501).is_none());
        assert!(recording.checkpoints.len() * 960 <= 10_000, "{} checkpoints", recording.checkpoints.len());
        assert_eq!(recording.checkpoint(5).unwrap().0, 1);
        let (frame, state) = recording.checkpoint(500).unwrap();
        assert!(frame > 400 && state.tick == frame as u64 - 1, "{frame}");
    }

    #[test]
    fn a_cut_forgets_frames_states_and_inputs_after_it() {
        let mut recording = recorded(20, Limits::default());
        let touch = [Input::LetGo { body: sinew_solve::BodyId(0) }];
        recording.log(3, &touch);
        recording.log(12, &touch);
        recording.cut_after(10, 9);
        assert_eq!((recording.from(), recording.to()), (1, 10));
        assert_eq!(recording.checkpoint(99).unwrap().0, 10);
        assert_eq!((recording.inputs(3).len(), recording.inputs(12).len()), (1, 0));
    }
}
