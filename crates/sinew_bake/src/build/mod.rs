//! From a scene to a stage: reads meshes, makes flesh and skin, seats directors.

mod cast;
mod copies;
pub(crate) mod directors;
mod events;
mod flesh;
pub(crate) mod key_shapes;
mod mesh_file;
pub(crate) mod metaphors;
mod obstacles;
mod painting;
pub(crate) mod plan;
mod redirect;
mod sets;
mod start;
pub(crate) mod take_edit;
mod workshop;

use crate::keys::KeyShelf;
use copies::{Copied, Extent};
pub use events::script;
pub use painting::{material_painting, painting};
pub use redirect::{Seating, direction_warnings, directors, redirect};
pub(crate) use sets::points as set_points;
use sinew_direct::muscle::Canvas;
use sinew_direct::{Gravity, Hand, MaterialPaint, Medium, Recover, Track3};
use sinew_math::{DQuat, DVec3};
use sinew_scene::{
    Body, Channel3, FemElements, FemMethod as SceneFemMethod, FemTime, FrictionAlong, Scene, Solver, SpringsMethod,
};
use sinew_solve::fem::{FemMethod, FemParams, Smoothing, TimeScheme};
use sinew_solve::shape_matching::ShapeMatchingParams;
use sinew_solve::springs::{self, SpringsParams};
use sinew_solve::{Damping, Flesh, Material, StretchLaw};
use sinew_stage::{
    BodySetup, Clock, DirectorSetup, Forward, FrictionTrack, GRAVITY, Method, SetupError, Skin, Stage, World,
};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use workshop::Piece;
pub use workshop::Workshop;

/// Why a scene does not become a stage: what, where in the scene, and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{at}: {what}")]
    Scene { at: String, what: String, help: String },
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl BuildError {
    pub(crate) fn new(at: impl Into<String>, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Scene { at: at.into(), what: what.into(), help: help.into() }
    }

    /// What would be right.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Scene { help, .. } => Some(help),
            Self::Setup(_) => None,
        }
    }
}

/// A stage and the meshes it was made from (file as the scene names it → BLAKE3 of its bytes).
pub struct Built {
    pub stage: Stage,
    pub mesh_hashes: BTreeMap<String, [u8; 32]>,
    /// Where each body of the stage finds its key shapes, in the stage's order; copies share one.
    pub shelves: Vec<Arc<KeyShelf>>,
    /// What the scene asked for and did not quite get, such as features too thin for the flesh.
    pub warnings: Vec<BuildWarning>,
}

/// What a user should know of a stage that was built all the same: where in the scene, what, and what would help.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildWarning {
    pub at: String,
    pub what: String,
    pub help: String,
}

/// Builds the stage of `scene`, whose mesh files lie relative to `folder`.
pub fn build(scene: &Scene, folder: &Path, threads: usize) -> Result<Built, BuildError> {
    build_with(scene, folder, threads, &mut Workshop::default())
}

/// The same, with flesh and skins from the workshop where it has them.
pub fn build_with(scene: &Scene, folder: &Path, threads: usize, workshop: &mut Workshop) -> Result<Built, BuildError> {
    let (mut bodies, mut mesh_hashes, mut warnings) = (Vec::new(), BTreeMap::new(), Vec::new());
    let obstacles = obstacles::tracks(scene, folder, workshop, &mut mesh_hashes)?;
    let world = World { clock: clock(scene), obstacles, threads };
    let mut fleshes = Vec::new();
    let mut shelf_of = BTreeMap::new();
    for body in &scene.bodies {
        let piece = workshop.piece(body, folder)?;
        let (points, triangles) = (piece.flesh.point_count(), piece.skin.mesh.triangles.len());
        tracing::debug!(body = body.name, points, triangles, "flesh and skin are ready");
        let setups = body_setups(scene, body, &piece, &mut warnings)?;
        shelf_of.extend(setups.iter().map(|setup| (setup.name.clone(), piece.shelf.clone())));
        bodies.extend(setups);
        mesh_hashes.extend(piece.mesh_hashes);
        warnings.extend(piece.warnings);
        fleshes.push(piece.flesh);
    }
    // What a goal was solved for is told by all meshes of the scene.
    for (body, flesh) in scene.bodies.iter().zip(&fleshes) {
        warnings.extend(metaphors::warnings(scene, &mesh_hashes, body, flesh)?);
        warnings.extend(key_shapes::warnings(scene, body));
        warnings.extend(plan::warnings(scene, &mesh_hashes, body));
    }
    workshop.tidy(scene.bodies.len());
    check_names(&bodies)?;
    for BuildWarning { at, what, .. } in &warnings {
        tracing::warn!(at, "{what}");
    }
    tracing::info!(bodies = bodies.len(), obstacles = world.obstacles.len(), threads, "the stage is set");
    let mut stage = Stage::new(world, bodies)?;
    // A stage has its bodies in an order of its own, and each has a name of its own.
    let shelves = stage.bodies().iter().map(|body| shelf_of[&body.name].clone()).collect();
    let script = script(scene, stage.clock(), stage.bodies().iter().map(|body| body.name.as_str()));
    stage.set_script(script);
    Ok(Built { stage, mesh_hashes, shelves, warnings })
}

/// The clock of a scene.
pub fn clock(scene: &Scene) -> Clock {
    let shot = &scene.shot;
    let [first_frame, last_frame] = shot.frames;
    Clock { fps: (shot.fps.numerator, shot.fps.denominator), substeps: shot.substeps, first_frame, last_frame }
}

/// The bodies that one `[[body]]` asks for: itself, or its copies, which share flesh and skin.
fn body_setups(
    scene: &Scene,
    body: &Body,
    piece: &Piece,
    warnings: &mut Vec<BuildWarning>,
) -> Result<Vec<BodySetup>, BuildError> {
    let Piece { flesh, skin, canvas, shelf, .. } = piece;
    let friction_along = Arc::new(friction_along(body, canvas)?);
    let extent = Extent::of(flesh, &skin.mesh.positions);
    let copied = copies::copies(body, extent)?;
    warnings.extend(copies::overlaps(body, &copied, flesh, extent));
    let mut setups = Vec::new();
    for (number, copy) in copied.into_iter().enumerate() {
        let directors = seat_all(scene, body, canvas, shelf, &copy)?;
        let seat = plan::PlanSeat { body, flesh, shelf, placed: copy.placed, copy: number, at: "" };
        let (beginning, velocity) = match plan::start(scene, &seat)? {
            Some(planned) => planned,
            None => (start::places(body.start, flesh, number as u64), DVec3::from_array(body.velocity)),
        };
        let Copied { name, placed: Placed { at, turn }, colour, .. } = copy;
        setups.push(BodySetup {
            name,
            colour: colour.or(skin.colour),
            flesh: flesh.clone(),
            canvas: canvas.clone(),
            skin: skin.clone(),
            material: material(body),
            method: method(body)?,
            at,
            turn,
            velocity,
            start: beginning,
            directors,
            friction: friction(body),
            friction_along: friction_along.clone(),
            restitution: body.restitution,
            touches_itself: body.self_contact,
        });
    }
    Ok(setups)
}

/// All directors of a body: the scene's surroundings, its own, the user's hand, and what finds back from wrecks.
fn seat_all(
    scene: &Scene,
    body: &Body,
    canvas: &Canvas,
    shelf: &KeyShelf,
    copy: &Copied,
) -> Result<Vec<DirectorSetup>, BuildError> {
    let mut directors = surroundings(scene);
    if let Some(fields) = painting::material_fields(body, canvas)? {
        // A name that no director of a scene can have.
        directors.push(DirectorSetup::new("material fields", MaterialPaint::new(fields, material(body).poisson)));
    }
    directors.extend(directors::seat(scene, body, canvas, shelf, copy)?);
    directors.push(DirectorSetup::new("hand", Hand));
    directors.push(DirectorSetup::new("recovery", Recover::new(canvas.flesh(), &material(body))));
    Ok(directors)
}

/// Where a body's rest frame stands at the start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    at: DVec3,
    turn: DQuat,
}

impl Placed {
    fn world(&self, rest: DVec3) -> DVec3 {
        self.at + self.turn * rest
    }
}

/// What the scene itself asks of every body: gravity and the medium.
fn surroundings(scene: &Scene) -> Vec<DirectorSetup> {
    let mut directors = vec![DirectorSetup::new(GRAVITY, Gravity { metres_per_sec2: track3(&scene.shot.gravity) })];
    if let Some(medium) = &scene.medium {
        let normal_drag = medium.normal_drag.0.clone();
        let tangential_drag = medium.tangential_drag.0.clone();
        let wind = track3(&medium.wind);
        directors.push(DirectorSetup::new("medium", Medium { normal_drag, tangential_drag, wind }));
    }
    directors
}

fn material(body: &Body) -> Material {
    let values = body.material.values();
    Material {
        density_kg_m3: values.density_kg_m3,
        young_pa: values.young_pa,
        poisson: values.poisson,
        damping: Damping {
            wobble_per_sec: values.damping.wobble_per_sec,
            rayleigh_mass_per_sec: values.damping.rayleigh_mass_per_sec,
            rayleigh_stiffness_secs: values.damping.rayleigh_stiffness_secs,
        },
        law: match body.material.law {
            sinew_scene::StretchLaw::NeoHookean => StretchLaw::NeoHookean,
            sinew_scene::StretchLaw::Corotated => StretchLaw::Corotated,
            sinew_scene::StretchLaw::StVenantKirchhoff => StretchLaw::StVenantKirchhoff,
        },
    }
}

fn friction(body: &Body) -> FrictionTrack {
    match &body.friction {
        sinew_scene::Friction::Even(coefficient) => FrictionTrack::even(coefficient.0.clone()),
        sinew_scene::Friction::Directed(directed) => FrictionTrack {
            forward: directed.forward.0.clone(),
            backward: directed.backward.0.clone(),
            sideways: directed.sideways.as_ref().map(|sideways| sideways.0.clone()),
        },
    }
}

fn method(body: &Body) -> Result<Method, BuildError> {
    match body.solver {
        Solver::ShapeMatching { iterations, passes, stiffness, region_damping } => {
            let params = ShapeMatchingParams {
                iterations,
                passes,
                pull: stiffness,
                region_damping_per_sec: region_damping,
                ..Default::default()
            };
            let fewest = params.fewest_passes();
            if let Some(passes) = passes.filter(|passes| *passes < fewest) {
                return Err(BuildError::new(
                    format!("body.{}.solver.passes", body.name),
                    format!("{passes} passes cannot be as stiff as {iterations} iterations"),
                    format!("at least {fewest}; a few more come closer to it"),
                ));
            }
            Ok(Method::ShapeMatching(params))
        }
        Solver::Fem { method, iterations, newton_iterations, tolerance, elements, time } => {
            let method = match method {
                SceneFemMethod::Newton => FemMethod::Newton,
                SceneFemMethod::Descent => FemMethod::Descent { iterations },
            };
            if method != FemMethod::Newton && (elements != FemElements::Tets || time != FemTime::Euler) {
                return Err(BuildError::new(
                    format!("body.{}.solver.method", body.name),
                    "descent takes plain tetrahedra and Euler's steps",
                    "elements = \"tets\" and time = \"euler\", or method = \"newton\"",
                ));
            }
            let smoothing = match elements {
                FemElements::Tets => Smoothing::None,
                FemElements::Smoothed => Smoothing::Edges,
            };
            let time = match time {
                FemTime::Euler => TimeScheme::Euler,
                FemTime::Midpoint => TimeScheme::Midpoint,
            };
            Ok(Method::Fem(FemParams { newton_iterations, tolerance, smoothing, time, method, ..FemParams::default() }))
        }
        Solver::Springs { method, tolerance, newton_iterations, shear, bend, opposite } => {
            let own = SpringsParams::default();
            Ok(Method::Springs(SpringsParams {
                method: match method {
                    SpringsMethod::Implicit => springs::SpringsMethod::Implicit,
                    SpringsMethod::Adaptive => springs::SpringsMethod::Adaptive,
                },
                newton_iterations,
                newton_tolerance: tolerance.unwrap_or(own.newton_tolerance),
                error_tolerance: tolerance.unwrap_or(own.error_tolerance),
                shear,
                bend,
                opposite,
            }))
        }
    }
}

/// Forward at each surface row for directed friction; empty where friction has no direction.
fn friction_along(body: &Body, canvas: &Canvas) -> Result<Forward, BuildError> {
    let flesh = canvas.flesh();
    match body.friction.along() {
        None => Ok(Forward::default()),
        Some(FrictionAlong::Axis(axis)) => Ok(Forward::new(flesh, &vec![axis.direction(); flesh.surface_rows.len()])),
        Some(FrictionAlong::Fibres(_)) => {
            let fields = painting::first_fields(body, canvas).ok_or_else(|| {
                BuildError::new(
                    format!("body.{}.friction.along", body.name),
                    "\"fibres\" needs a muscle director, and this body has none",
                    "add a director of kind \"muscle\", or name an axis: along = \"x\"",
                )
            })??;
            let fibres: Vec<DVec3> =
                flesh.surface_rows.iter().map(|row| fields.frames[row.0 as usize].x_axis).collect();
            Ok(Forward::new(flesh, &fibres))
        }
    }
}

fn track3(channels: &Channel3) -> Track3 {
    Track3(channels.0.each_ref().map(|channel| channel.0.clone()))
}

/// Copies are named after their body; a body of that name must not exist beside them.
fn check_names(bodies: &[BodySetup]) -> Result<(), BuildError> {
    let mut seen = HashSet::new();
    match bodies.iter().find(|body| !seen.insert(body.name.as_str())) {
        None => Ok(()),
        Some(body) => Err(BuildError::new(
            format!("body.{}", body.name),
            format!("two bodies are called {:?}; copies are named after their body with a number", body.name),
            "rename one of the bodies",
        )),
    }
}

fn colour(body: &Body) -> Option<[f32; 3]> {
    body.colour.map(|colour| colour.0.map(|c| c as f32))
}

/// The surface of `flesh` as skin.
fn own_skin(flesh: &Flesh, body: &Body) -> Skin {
    Skin::of_flesh(flesh, colour(body))
}
