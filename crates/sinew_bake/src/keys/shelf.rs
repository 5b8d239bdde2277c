//! Where a body finds its key shapes: the assets of its project, read once and made ready for its flesh.

use super::{KeySamples, motion};
use crate::assets::Assets;
use crate::plans::PlanFile;
use sinew_direct::key_shapes::{ShapeCells, check_shape};
use sinew_direct::take_edit::{EditedTake, Motion};
use sinew_math::DVec3;
use sinew_math::sparse::FactorError;
use sinew_motion::PlanShape;
use sinew_solve::Flesh;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Edited takes that are kept, to be drawn, edited and performed without being solved for again.
const TAKES: usize = 6;

/// Plans that are kept in memory.
const PLANS: usize = 8;
/// Bodies in nodes that are kept in memory.
const PLAN_SHAPES: usize = 3;

/// Shapes by the names of their assets.
type Shapes = BTreeMap<String, Arc<Vec<DVec3>>>;

/// The key shapes of one body, shared by its copies.
#[derive(Debug, Default)]
pub struct KeyShelf {
    folder: Mutex<PathBuf>,
    cells: OnceLock<Result<Arc<ShapeCells>, FactorError>>,
    shapes: Mutex<Shapes>,
    motions: Mutex<BTreeMap<String, Arc<Motion>>>,
    plans: Mutex<BTreeMap<String, Arc<PlanFile>>>,
    /// The body made ready for planning, by its number of nodes.
    plan_shapes: Mutex<BTreeMap<u32, Arc<PlanShape>>>,
    /// The edited takes that were made last, by what they were made of.
    takes: Mutex<VecDeque<(String, Arc<EditedTake>)>>,
}

/// Why a key cannot be had: what, and what would be right.
pub(crate) struct KeyProblem {
    pub what: String,
    pub help: String,
}

impl KeyShelf {
    /// Of a body whose project is in `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: Mutex::new(folder.to_owned()), ..Self::default() }
    }

    /// Its project is in another folder from now on, with the same assets.
    pub fn move_to(&self, folder: &Path) {
        folder.clone_into(&mut self.folder.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The flesh made ready for shapes.
    pub(crate) fn cells(&self, flesh: &Flesh) -> Result<Arc<ShapeCells>, KeyProblem> {
        let made = self.cells.get_or_init(|| ShapeCells::new(flesh).map(Arc::new));
        made.clone().map_err(|error| KeyProblem {
            what: format!("its flesh takes no key shapes: {error}"),
            help: "repair the mesh: it has flat or doubled elements".to_owned(),
        })
    }

    /// The shape of an asset on the body's flesh, without its rigid part.
    pub(crate) fn shape(&self, name: &str, flesh: &Flesh) -> Result<Arc<Vec<DVec3>>, KeyProblem> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shape) = shapes.get(name) {
            return Ok(shape.clone());
        }
        let asset =
            |error: crate::assets::AssetError| KeyProblem { what: error.to_string(), help: error.help().to_owned() };
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Assets::of(&folder).read(name).map_err(asset)?;
        let unread = |what: String| KeyProblem {
            what: format!("asset {name} is no key of this body: {what}"),
            help: "make the key anew with `sinew key`".to_owned(),
        };
        let samples = KeySamples::read(&folder.join(name)).map_err(|error| unread(error.to_string()))?;
        let shape = samples.on(flesh).map_err(|error| unread(error.to_string()))?;
        let cells = self.cells(flesh)?;
        check_shape(&cells, &shape).map_err(|error| unread(error.to_string()))?;
        let shape = Arc::new(cells.without_rigid_motion(&shape));
        shapes.insert(name.to_owned(), shape.clone());
        Ok(shape)
    }

    /// The motion of an asset on the body's flesh.
    pub(crate) fn motion(&self, name: &str, flesh: &Flesh) -> Result<Arc<Motion>, KeyProblem> {
        let mut motions = self.motions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(motion) = motions.get(name) {
            return Ok(motion.clone());
        }
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Assets::of(&folder)
            .read(name)
            .map_err(|error| KeyProblem { what: error.to_string(), help: error.help().to_owned() })?;
        let motion = motion::read(&folder.join(name), flesh).map_err(|error| KeyProblem {
            what: format!("asset {name} is no take of this body: {error}"),
            help: "delete the director, bake the scene again and edit that take".to_owned(),
        })?;
        let motion = Arc::new(motion);
        motions.insert(name.to_owned(), motion.clone());
        Ok(motion)
    }

    /// The plan of an asset on the body's flesh.
    pub(crate) fn plan(&self, name: &str, flesh: &Flesh) -> Result<Arc<PlanFile>, KeyProblem> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(name) {
            return Ok(plan.clone());
        }
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Assets::of(&folder)
            .read(name)
            .map_err(|error| KeyProblem { what: error.to_string(), help: error.help().to_owned() })?;
        let plan = PlanFile::read(&folder.join(name), flesh).map_err(|error| KeyProblem {
            what: format!("asset {name} is no plan of this body: {error}"),
            help: "solve the plan anew with `sinew refine plan`".to_owned(),
        })?;
        let plan = Arc::new(plan);
        plans.insert(name.to_owned(), plan.clone());
        // Old ones are named by nothing but undo.
        while plans.len() > PLANS {
            plans.pop_first();
        }
        Ok(plan)
    }

    /// The body in nodes, made once for each number of them.
    pub(crate) fn plan_shape<E>(
        &self,
        nodes: u32,
        make: impl FnOnce() -> Result<PlanShape, E>,
    ) -> Result<Arc<PlanShape>, E> {
        if let Some(shape) = self.plan_shapes.lock().unwrap_or_else(PoisonError::into_inner).get(&nodes) {
            return Ok(shape.clone());
        }
        let made = Arc::new(make()?);
        let mut shapes = self.plan_shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if shapes.len() >= PLAN_SHAPES {
            shapes.clear();
        }
        shapes.insert(nodes, made.clone());
        Ok(made)
    }

    /// The edited take that was made of `text` before, or a new one.
    pub(crate) fn take<E>(
        &self,
        text: String,
        make: impl FnOnce() -> Result<EditedTake, E>,
    ) -> Result<Arc<EditedTake>, E> {
        let known = |takes: &VecDeque<(String, Arc<EditedTake>)>| {
            takes.iter().find(|(own, _)| *own == text).map(|(_, take)| take.clone())
        };
        if let Some(take) = known(&self.takes.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(take);
        }
        let made = Arc::new(make()?);
        let mut takes = self.takes.lock().unwrap_or_else(PoisonError::into_inner);
        takes.push_front((text, made.clone()));
        takes.truncate(TAKES);
        Ok(made)
    }

    /// Puts a shape there under a name, as if it were an asset: what a search tries need not be written.
    pub(crate) fn lend(&self, name: &str, shape: Arc<Vec<DVec3>>) {
        self.shapes.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), shape);
    }
}
