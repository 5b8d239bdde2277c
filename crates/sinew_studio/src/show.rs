//! What the studio needs of a running stage.

use sinew_geom::{Embedding, TriangleMesh};
use sinew_solve::{Flesh, Input, StageState, StepError};
use std::sync::Arc;
use std::time::Duration;

/// A stage that can be stepped and looked at. Steps are pure: the same state and inputs give the same bits, which is
/// what lets the studio rewind to any recorded frame and go on from there.
pub trait Show: Send {
    /// What the page calls it: the scene's name.
    fn name(&self) -> &str;

    fn clock(&self) -> Clock;

    fn bodies(&self) -> &[ShownBody];

    /// Where to look from first; none frames everything.
    fn camera(&self) -> Option<Camera> {
        None
    }

    fn first_state(&self) -> StageState;

    /// One substep. On an error `state` is unspecified and the studio puts it back.
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<(), StepError>;
}

/// One body as the page sees it. Copies of a body share their `flesh`, `skin` and `embedding`.
#[derive(Debug, Clone)]
pub struct ShownBody {
    pub name: String,
    pub flesh: Arc<Flesh>,
    pub skin: Arc<TriangleMesh>,
    /// Flesh → skin, one row per vertex of `skin`.
    pub embedding: Arc<Embedding>,
    /// The method that moves it, in words for the inspector.
    pub solver: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Frames a second as a fraction.
    pub fps: (u32, u32),
    pub substeps: u32,
    pub first_frame: i32,
    pub last_frame: i32,
}

impl Clock {
    pub fn frame_time(&self) -> Duration {
        Duration::from_secs_f64(f64::from(self.fps.1) / f64::from(self.fps.0))
    }

    /// Substeps done when `frame` is reached.
    pub fn tick_of(&self, frame: i32) -> u64 {
        (i64::from(frame) - i64::from(self.first_frame)).max(0) as u64 * u64::from(self.substeps)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    pub eye: [f64; 3],
    pub look_at: [f64; 3],
    /// Vertical field of view.
    pub fov_deg: f64,
}
