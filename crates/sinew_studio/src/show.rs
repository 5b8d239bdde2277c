//! What the studio needs of a running stage.

use sinew_bake::take::{Digest, TakeHeader};
use sinew_bake::{Clock, DirectorSetup, Performer, Script, Skin, Stage, StageOutline, take_header};
use sinew_math::DVec3;
use sinew_solve::{FieldValues, Flesh, Input, Obstacle, StageState, StepError, StepReport};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stage that can be stepped and looked at. Steps are pure: the same state and inputs give the same bits, which is
/// what lets the studio rewind to any recorded frame and go on from there.
pub trait Show: Send {
    /// What the page calls it: the scene's name.
    fn name(&self) -> &str;

    fn clock(&self) -> Clock;

    fn bodies(&self) -> &[ShownBody];

    /// Names of the obstacles, in the order of [`Show::obstacles_at`].
    fn obstacle_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// The obstacles as they stand at a tick; how many and of what shape never changes.
    fn obstacles_at(&self, _tick: u64) -> Vec<Obstacle> {
        Vec::new()
    }

    /// Where to look from first; none frames everything.
    fn camera(&self) -> Option<Camera> {
        None
    }

    fn first_state(&self) -> StageState;

    /// One substep, and what the user should know of it. On an error `state` is unspecified and the studio puts it back.
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError>;

    /// Gives the bodies other directors, in order.
    fn redirect(&mut self, _directors: Vec<Vec<DirectorSetup>>) {}

    /// Other inputs of the scene itself.
    fn set_script(&mut self, _script: Script) {}

    /// The stage behind it, where there is one: another show may go on from its states.
    fn stage(&self) -> Option<&Stage> {
        None
    }

    /// One of [`LOOKS`](crate::LOOKS) at every point of a body's flesh. None where the body has nothing of the kind.
    fn look(&mut self, _look: &str, _at: &Sight<'_>) -> Option<FieldValues> {
        None
    }
}

/// A show as takes name it; `text` is its scene's.
pub(crate) fn take_header_of(show: &dyn Show, meshes: &BTreeMap<String, Digest>, text: &str) -> Arc<TakeHeader> {
    let of_show = || TakeHeader {
        scene_text: text.to_owned(),
        meshes: meshes.clone(),
        sinew_version: env!("CARGO_PKG_VERSION").to_owned(),
        clock: show.clock(),
        bodies: Vec::new(),
    };
    Arc::new(show.stage().map_or_else(of_show, |stage| take_header(stage, meshes, text)))
}

impl Performer for dyn Show {
    fn step(&mut self, state: &mut StageState, input: &[Input]) -> Result<&StepReport, StepError> {
        Show::step(self, state, input)
    }

    fn carry(&self, from: &StageOutline, state: &StageState) -> Option<StageState> {
        self.stage()?.transfer_from(from, state)
    }

    fn first_state(&self) -> StageState {
        Show::first_state(self)
    }
}

/// A body as it is looked at.
pub struct Sight<'a> {
    pub body: u32,
    /// Whose values, by name; none is all directors together.
    pub director: Option<&'a str>,
    pub tick: u64,
    /// Its flesh in the world.
    pub flesh: &'a [DVec3],
    /// The exact state of the moment, where it is still known.
    pub state: Option<&'a StageState>,
    /// Whether that state is the one that was stepped last.
    pub is_live: bool,
}

/// One body as the page sees it. Copies of a body share their `flesh` and `skin`.
#[derive(Debug, Clone)]
pub struct ShownBody {
    pub name: String,
    /// Where it is in the document, such as `body.jelly`; copies share one.
    pub path: String,
    pub flesh: Arc<Flesh>,
    pub skin: Arc<Skin>,
    /// Its main colour; none leaves it to the page.
    pub colour: Option<[f32; 3]>,
    /// The method that moves it, in words for the inspector.
    pub solver: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    pub eye: [f64; 3],
    pub look_at: [f64; 3],
    /// Vertical field of view.
    pub fov_deg: f64,
}
