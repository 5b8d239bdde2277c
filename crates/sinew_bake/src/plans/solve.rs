//! Solving the plans of a scene: its bodies, keys and obstacles as one problem, and the motion that was found
//! as assets.
//!
//! What nodes cannot follow of a key pose is kept as a difference in the body's frame and faded from key to
//! key, so that the flesh meets its poses exactly.

use super::obstacle::Tracked;
use super::{PlanFile, PlanFileError, PlanFrames};
use crate::assets::Asset;
use crate::build::{BuildError, plan::PlanSeat};
use sinew_geom::TetMesh;
use sinew_geom::meshless::MeshlessOptions;
use sinew_math::{DQuat, DVec3, Number};
use sinew_motion::energy::Elastic;
use sinew_motion::plan::{
    Frames, PlanBody, PlanError, PlanKey, PlanObstacle, PlanOptions, PlanProblem, PlanSolution, PlanWeights,
    PlannedMotion, PointPlaces, Pose, SolveControl, alternatives, solve,
};
use sinew_motion::{PlanShape, ShapeError, ShapeOptions};
use sinew_scene::{Direction, Plan, PlanLaw, Scene};
use sinew_solve::{Cells, Flesh};
use sinew_stage::{Clock, ObstacleTrack};
use std::sync::Arc;

/// Plans of a scene that are solved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanGroup {
    /// The name in the scene; none for a body that is planned alone.
    pub name: Option<String>,
    /// Body and director by number.
    pub members: Vec<(usize, usize)>,
}

/// The groups of a scene, in the order of their first bodies. Muted plans are of none.
pub fn groups(scene: &Scene) -> Vec<PlanGroup> {
    let mut groups: Vec<PlanGroup> = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        for (director, own) in body.directors.iter().enumerate().filter(|(_, own)| !own.mute) {
            let Direction::Plan(plan) = &own.direction else { continue };
            let member = (number, director);
            match groups.iter_mut().find(|group| group.name.is_some() && group.name == plan.group) {
                Some(group) => group.members.push(member),
                None => groups.push(PlanGroup { name: plan.group.clone(), members: vec![member] }),
            }
        }
    }
    groups
}

/// Why plans cannot be solved.
#[derive(Debug, thiserror::Error)]
pub enum PlanTrouble {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error("{body}: its flesh is {flesh}, and plans move bodies of tetrahedra")]
    Flesh { body: String, flesh: &'static str },
    #[error("{body}: {error}")]
    Shape { body: String, error: ShapeError },
    #[error("{one} and {other} are planned together, and their `energy`, `clearance` or `ignore` differ")]
    Differ { one: String, other: String },
    #[error("there is no obstacle {name:?} that could be ignored; there is: {known}")]
    NoObstacle { name: String, known: String },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    File(#[from] PlanFileError),
}

impl PlanTrouble {
    /// What would be right.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Build(error) => error.help(),
            Self::Flesh { .. } => Some("give it flesh = { kind = \"tets\" }"),
            Self::Shape { .. } => Some("give the plan other `nodes`, or the body finer or thicker flesh"),
            Self::Differ { .. } => Some("write the same in both, or give them other groups"),
            Self::NoObstacle { .. } => Some("name one of these, or leave it out"),
            Self::Plan(_) => {
                Some("look at the key it names; a plan needs keys at different frames, with finite places")
            }
            Self::File(_) => None,
        }
    }
}

/// One body or copy of a prepared problem, in the problem's order.
struct Seat {
    /// Number of its member.
    member: usize,
    flesh: Arc<Flesh>,
    shape: Arc<PlanShape>,
    /// Whole poses by frame, as the scene has them.
    poses: Vec<(f64, Vec<DVec3>)>,
    /// Of each constraint, which key of the scene it is of.
    numbers: Vec<usize>,
}

/// A group of plans, ready to be solved.
pub struct Planned {
    pub problem: PlanProblem,
    /// The plan that was found before, to begin with.
    pub start: Option<PlannedMotion>,
    /// Body and director by number.
    pub members: Vec<(usize, usize)>,
    seats: Vec<Seat>,
    frames_per_sec: f64,
}

/// Makes a group of plans ready. `bodies` are the copies of every body of the scene, `fleshes` what they are
/// made of, and `tracks` the scene's obstacles.
pub(crate) fn prepare(
    scene: &Scene,
    group: &PlanGroup,
    bodies: &[Vec<PlanSeat<'_>>],
    fleshes: &[Arc<Flesh>],
    tracks: &[ObstacleTrack],
) -> Result<Planned, PlanTrouble> {
    let clock = crate::build::clock(scene);
    let frames_per_sec = clock.frames_per_sec();
    let plan_of = |&(body, director): &(usize, usize)| match &scene.bodies[body].directors[director].direction {
        Direction::Plan(plan) => Some(&**plan),
        _ => None,
    };
    let mut planned = Planned {
        problem: PlanProblem {
            bodies: Vec::new(),
            obstacles: Vec::new(),
            weights: PlanWeights::default(),
            options: PlanOptions::default(),
        },
        start: None,
        members: group.members.clone(),
        seats: Vec::new(),
        frames_per_sec,
    };
    let mut first: Option<(&Plan, &str)> = None;
    let mut motions = Vec::new();
    for (number, member) in group.members.iter().enumerate() {
        let Some(plan) = plan_of(member) else { continue };
        let name = scene.bodies[member.0].name.as_str();
        let flesh = &fleshes[member.0];
        let Some(seat) = bodies[member.0].first() else { continue };
        match first {
            None => {
                first = Some((plan, name));
                planned.problem.weights = weights(plan, frames_per_sec);
                planned.problem.options.clearance_m = plan.clearance;
                planned.problem.obstacles = obstacles(plan, tracks, clock)?;
            }
            Some((one, other)) => {
                let is_same = one.energy == plan.energy && one.clearance == plan.clearance && one.ignore == plan.ignore;
                if !is_same {
                    return Err(PlanTrouble::Differ { one: other.to_owned(), other: name.to_owned() });
                }
            }
        }
        let mesh = mesh_of(name, flesh)?;
        let options = ShapeOptions {
            meshless: MeshlessOptions { nodes: plan.nodes as usize, ..MeshlessOptions::default() },
            ..ShapeOptions::default()
        };
        let shape = seat.shelf.plan_shape(plan.nodes, || PlanShape::over(&mesh, &options));
        let shape = shape.map_err(|error| PlanTrouble::Shape { body: name.to_owned(), error })?;
        for seat in &bodies[member.0] {
            let Constrained { body, poses, numbers } = body_of(seat, plan, &shape, frames_per_sec)?;
            planned.problem.bodies.push(body);
            planned.seats.push(Seat { member: number, flesh: flesh.clone(), shape: shape.clone(), poses, numbers });
            motions.push(found_before(seat, plan, &shape, frames_per_sec));
        }
    }
    let motions: Option<Vec<_>> = motions.into_iter().collect();
    planned.start = motions.map(|bodies| PlannedMotion { bodies });
    Ok(planned)
}

/// A body's keys as constraints, its whole poses by frame, and which key each constraint is of.
struct Constrained {
    body: PlanBody,
    poses: Vec<(f64, Vec<DVec3>)>,
    numbers: Vec<usize>,
}

/// The frames at which a pose is a constraint: its own, and every frame of a pose that is held.
fn held_frames(key: &sinew_scene::PlanKey) -> Vec<f64> {
    /// More frames than this are a slip of the keyboard.
    const MOST: f64 = 500.0;
    let Some(to) = key.to.filter(|to| *to > key.frame) else { return vec![key.frame] };
    let steps = (to - key.frame).ceil().min(MOST);
    (0..=steps as i32).map(|n| key.frame + (to - key.frame) * f64::from(n) / steps).collect()
}

fn body_of(
    seat: &PlanSeat<'_>,
    plan: &Plan,
    shape: &Arc<PlanShape>,
    frames_per_sec: f64,
) -> Result<Constrained, PlanTrouble> {
    let secs = |frame: f64| frame / frames_per_sec;
    let name = if seat.body.copies.is_some() { seat.body.copy_name(seat.copy) } else { seat.body.name.clone() };
    let mut body = PlanBody {
        name,
        shape: shape.clone(),
        keys: Vec::new(),
        guesses: Vec::new(),
        frames: Frames::Even(frame_count(plan)),
        breaks_secs: Vec::new(),
    };
    let (mut poses, mut numbers) = (Vec::new(), Vec::new());
    for (number, key) in plan.keys.iter().enumerate().filter(|(_, key)| seat.has(key)) {
        if key.bounce {
            body.breaks_secs.push(secs(key.frame));
        }
        let velocity = key.velocity.map(DVec3::from_array);
        let Some(set) = &key.on else {
            let pose = match seat.shape(key, number)? {
                None => {
                    let (at, turn) = seat.rigid_part(key);
                    Pose::Rigid { at, turn }
                }
                Some(_) => {
                    let places = seat.pose(key, number)?;
                    let displacement = places.iter().zip(&seat.flesh.rest).map(|(y, x)| *y - *x).collect();
                    let rest = seat.flesh.rest.clone();
                    Pose::Samples { rest, displacement, at: DVec3::ZERO, turn: DQuat::IDENTITY }
                }
            };
            if key.guess {
                body.guesses.push((secs(key.frame), pose));
                continue;
            }
            for frame in held_frames(key) {
                poses.push((frame, seat.pose(key, number)?));
                body.keys.push(PlanKey::Pose { at_secs: secs(frame), pose: pose.clone() });
                numbers.push(number);
            }
            if let Some(velocity) = velocity {
                let (at_secs, rest, velocity) = (secs(key.frame), Vec::new(), vec![velocity]);
                body.keys.push(PlanKey::Velocity { at_secs, rest, velocity });
                numbers.push(number);
            }
            continue;
        };
        let points = crate::build::set_points(seat.body, seat.flesh, set, seat.at)?;
        let rest: Vec<DVec3> = points.iter().map(|&point| seat.flesh.rest[point as usize]).collect();
        let places = match key.at {
            None => PointPlaces::Stay,
            Some(at) => {
                let centre = rest.iter().sum::<DVec3>() / rest.len() as f64;
                let to = seat.place(key, at);
                PointPlaces::At(rest.iter().map(|x| to + seat.turned(*x - centre)).collect())
            }
        };
        let (from_secs, to_secs) = (secs(key.frame), secs(key.to.unwrap_or(key.frame)));
        let is_held = key.at.is_some() || velocity.is_none();
        if is_held {
            body.keys.push(PlanKey::Points { from_secs, to_secs, rest: rest.clone(), places });
            numbers.push(number);
        }
        if let Some(velocity) = velocity {
            let velocity = vec![velocity; rest.len()];
            body.keys.push(PlanKey::Velocity { at_secs: from_secs, rest, velocity });
            numbers.push(number);
        }
    }
    poses.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(Constrained { body, poses, numbers })
}

/// The plan that was found before, in nodes; none where there is none, or where it does not fit this body any
/// more.
fn found_before(
    seat: &PlanSeat<'_>,
    plan: &Plan,
    shape: &PlanShape,
    frames_per_sec: f64,
) -> Option<sinew_motion::BodyMotion> {
    let found = seat.shelf.plan(plan.plan.as_deref()?, seat.flesh).ok()?;
    let PlanFrames { frames, breaks } = found.copies.get(seat.copy)?;
    let mut motion = sinew_motion::BodyMotion { breaks: breaks.clone(), ..Default::default() };
    for (frame, places) in frames {
        let nodes = shape.fit_pose(&seat.flesh.rest, places).ok()?;
        motion.times_secs.push(frame / frames_per_sec);
        motion.displacements.push(nodes.iter().zip(&shape.nodes.rest).map(|(y, x)| *y - *x).collect());
    }
    Some(motion)
}

/// Frames that are solved for: enough to go around an obstacle between two keys, and some between any two.
fn frame_count(plan: &Plan) -> usize {
    /// Adams et al. 2009, fig. 12 and 15: 10 frames around obstacles, 15 for six keys.
    const AROUND: usize = 13;
    const A_KEY: f64 = 2.5;
    /// Between two of them the motion is a cubic.
    const APART: f64 = 3.0;
    let frames = || plan.keys.iter().map(|key| key.frame);
    let length = frames().fold(0.0, f64::max) - frames().fold(f64::INFINITY, f64::min);
    let wished = (A_KEY * plan.keys.len() as f64).max(length / APART).ceil().min(f64::from(plan.most_frames));
    (wished as usize).max(AROUND).min(plan.most_frames as usize)
}

fn weights(plan: &Plan, frames_per_sec: f64) -> PlanWeights {
    let energy = &plan.energy;
    let (strain, volume) = (energy.strain, energy.volume);
    let elastic = match energy.law {
        PlanLaw::Log => Elastic::StrainAndLogVolume { strain, volume },
        PlanLaw::Paper => Elastic::StrainAndVolume { strain, volume },
        PlanLaw::NeoHookean => Elastic::StableNeoHookean { shear: strain, bulk: volume },
    };
    let (acceleration, acceleration_over_time) = match &energy.acceleration.0 {
        Number::Constant(value) => (*value, Vec::new()),
        // One weight with factors over time, a sample a frame.
        curve @ Number::Curve(_) => {
            let frames = plan.keys.iter().map(|key| key.to.unwrap_or(key.frame));
            let last = frames.fold(f64::NEG_INFINITY, f64::max);
            let first = plan.keys.iter().map(|key| key.frame).fold(f64::INFINITY, f64::min);
            let samples = (0..=(last - first).clamp(0.0, 1e5) as i32).map(|n| first + f64::from(n));
            (1.0, samples.map(|frame| (frame / frames_per_sec, curve.value(frame).max(0.0))).collect())
        }
    };
    let (turn, spin) = (energy.turn, energy.spin);
    PlanWeights { elastic, acceleration, acceleration_over_time, turn, spin, ..PlanWeights::default() }
}

fn obstacles(plan: &Plan, tracks: &[ObstacleTrack], clock: Clock) -> Result<Vec<PlanObstacle>, PlanTrouble> {
    for name in &plan.ignore {
        if !tracks.iter().any(|track| track.name == *name) {
            let known = tracks.iter().map(|track| track.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(PlanTrouble::NoObstacle { name: name.clone(), known });
        }
    }
    let counts = tracks.iter().filter(|track| !plan.ignore.contains(&track.name));
    let one = |track: &ObstacleTrack| PlanObstacle {
        name: track.name.clone(),
        distance: Arc::new(Tracked::new(track.clone(), clock)),
    };
    Ok(counts.map(one).collect())
}

fn mesh_of(body: &str, flesh: &Flesh) -> Result<TetMesh, PlanTrouble> {
    match &flesh.cells {
        Cells::Tets(tets) => Ok(TetMesh { positions: flesh.rest.clone(), tets: tets.clone() }),
        Cells::Shell(_) => Err(PlanTrouble::Flesh { body: body.to_owned(), flesh: "a sheet" }),
    }
}

impl Planned {
    /// Finds the motion of least energy, beginning with the one that was found before; or several different
    /// ones, best first.
    pub fn solve(&self, count: usize, control: &mut SolveControl<'_>) -> Result<Vec<PlanSolution>, PlanError> {
        match count {
            0 | 1 => solve(&self.problem, self.start.as_ref(), control).map(|solution| vec![solution]),
            _ => alternatives(&self.problem, count, control),
        }
    }

    /// The key of the scene that a constraint is of, counted from 0, and whether it is a velocity.
    pub fn key_of(&self, body: usize, constraint: usize) -> (usize, bool) {
        let number = self.seats[body].numbers.get(constraint).copied().unwrap_or(constraint);
        let is_velocity = matches!(self.problem.bodies[body].keys.get(constraint), Some(PlanKey::Velocity { .. }));
        (number, is_velocity)
    }

    /// The distance that the plan was asked to keep, in metres.
    pub fn clearance_asked_m(&self) -> f64 {
        /// What a plan keeps that asks for nothing, in sizes of the body.
        const USUAL: f64 = 0.03;
        let least = self.seats.iter().map(|seat| seat.shape.size_m).fold(f64::INFINITY, f64::min);
        self.problem.options.clearance_m.unwrap_or(USUAL * least)
    }

    /// A motion as files, one for each member.
    pub fn assets(&self, motion: &PlannedMotion) -> Result<Vec<Asset>, PlanFileError> {
        let mut files: Vec<PlanFile> = self.members.iter().map(|_| PlanFile::default()).collect();
        for (number, seat) in self.seats.iter().enumerate() {
            files[seat.member].copies.push(self.on_flesh(number, motion));
        }
        let flesh = |member: usize| self.seats.iter().find(|seat| seat.member == member).map(|seat| &seat.flesh);
        let with_flesh = files.iter().enumerate().filter_map(|(member, file)| Some((file, flesh(member)?)));
        with_flesh.map(|(file, flesh)| file.to_asset(flesh)).collect()
    }

    /// Places of all points of a body or copy at the frames that were solved for.
    pub fn on_flesh(&self, number: usize, motion: &PlannedMotion) -> PlanFrames {
        let seat = &self.seats[number];
        let motion = &motion.bodies[number];
        let Ok(functions) = seat.shape.nodes.functions_at(&seat.flesh.rest) else { return PlanFrames::default() };
        let nodal: Vec<(f64, Vec<DVec3>, DQuat)> = motion
            .times_secs
            .iter()
            .zip(&motion.displacements)
            .map(|(secs, u)| {
                let nodes: Vec<DVec3> = seat.shape.nodes.rest.iter().zip(u).map(|(x, u)| *x + *u).collect();
                let turn = seat.shape.frame.rotation(&nodes);
                (secs * self.frames_per_sec, functions.displaced(&seat.flesh.rest, u), turn)
            })
            .collect();
        let left = left_over(&seat.poses, &nodal);
        let mut frames = Vec::new();
        for (frame, mut places, turn) in nodal {
            add_left_over(&left, frame, turn, &mut places);
            frames.push((frame, places));
        }
        PlanFrames { frames, breaks: motion.breaks.clone() }
    }
}

/// Frames that are one.
const SAME_FRAME: f64 = 1e-6;

/// What nodes leave of every pose, in the body's frame, by frame.
fn left_over(poses: &[(f64, Vec<DVec3>)], nodal: &[(f64, Vec<DVec3>, DQuat)]) -> Vec<(f64, Vec<DVec3>)> {
    let at = |frame: f64| nodal.iter().find(|(own, ..)| (own - frame).abs() < SAME_FRAME);
    let one = |(frame, pose): &(f64, Vec<DVec3>)| {
        let (_, places, turn) = at(*frame)?;
        Some((*frame, pose.iter().zip(places).map(|(to, is)| turn.conjugate() * (*to - *is)).collect()))
    };
    poses.iter().filter_map(one).collect()
}

/// Adds it, faded from pose to pose; before the first and after the last it is held.
fn add_left_over(left: &[(f64, Vec<DVec3>)], frame: f64, turn: DQuat, places: &mut [DVec3]) {
    let after = left.partition_point(|(own, _)| *own <= frame + SAME_FRAME);
    let (from, to) =
        (after.checked_sub(1).or((!left.is_empty()).then_some(0)), after.min(left.len().saturating_sub(1)));
    let Some(from) = from else { return };
    let ((a, before), (b, next)) = (&left[from], &left[to]);
    let share = if b > a { ((frame - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
    for ((place, before), next) in places.iter_mut().zip(before).zip(next) {
        *place += turn * before.lerp(*next, share);
    }
}
