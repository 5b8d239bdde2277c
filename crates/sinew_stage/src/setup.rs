//! What a stage is made of, before it runs.

use crate::{Clock, Forward};
use sinew_direct::muscle::Canvas;
use sinew_direct::{Track3, Turn};
use sinew_geom::{Embedding, TriangleMesh};
use sinew_io::Looks;
use sinew_math::{DQuat, DVec3, Number, libm};
use sinew_solve::contact::Shape;
use sinew_solve::fem::{FemError, FemMethod, FemParams, TimeScheme};
use sinew_solve::shape_matching::{ShapeMatchingError, ShapeMatchingParams};
use sinew_solve::springs::{SpringsError, SpringsMethod, SpringsParams};
use sinew_solve::{Director, Flesh, Friction, Material, Now, Obstacle};
use std::sync::Arc;

/// The scene around the bodies.
#[derive(Debug, Clone)]
pub struct World {
    pub clock: Clock,
    pub obstacles: Vec<ObstacleTrack>,
    /// Threads of the stage's own pool; the result does not depend on it.
    pub threads: usize,
}

/// An obstacle with its motion over frames.
#[derive(Debug, Clone)]
pub struct ObstacleTrack {
    pub name: String,
    pub shape: Shape,
    pub at: Track3,
    pub turn: Turn,
    /// How rough it is: a factor on the friction of what touches it.
    pub roughness: Number,
}

impl ObstacleTrack {
    /// Where it is at the interval's end, and with what velocity it came there: its mean over the interval, not that of the end. A plate that stops at the end of an interval
    /// has pushed all through it; with the velocity of the end, contact took the cube before it for one behind it.
    pub(crate) fn at(&self, now: &Now) -> Obstacle {
        let start = Now { end_frame: now.end_frame - now.h_secs * now.frames_per_sec, ..*now };
        let ((at, at_rate), (turn, turn_rate)) = (self.at.at(now), self.turn.at(now));
        let ((from, from_rate), (turned, turned_rate)) = (self.at.at(&start), self.turn.at(&start));
        // What stands still before and after has jumped, and pushes nothing.
        let is_jump = |before: DVec3, after: DVec3| before == DVec3::ZERO && after == DVec3::ZERO;
        let velocity = if is_jump(from_rate, at_rate) { DVec3::ZERO } else { (at - from) / now.h_secs };
        let spin =
            if is_jump(turned_rate, turn_rate) { DVec3::ZERO } else { spin_of(turn * turned.inverse()) / now.h_secs };
        let friction = Friction::even(self.roughness.value(now.end_frame).max(0.0));
        Obstacle { shape: self.shape.clone(), at, turn, velocity, spin, friction }
    }
}

/// A turn as axis times angle, radians, by the shorter way.
fn spin_of(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let (axis, sine) = (turn.xyz(), turn.xyz().length());
    if sine > 0.0 { axis * (2.0 * libm::atan2(sine, turn.w) / sine) } else { DVec3::ZERO }
}

/// Coulomb coefficients of a body over frames.
#[derive(Debug, Clone, PartialEq)]
pub struct FrictionTrack {
    pub forward: Number,
    pub backward: Number,
    /// None: the larger of the other two.
    pub sideways: Option<Number>,
}

impl FrictionTrack {
    /// The same in every direction.
    pub fn even(coefficient: Number) -> Self {
        Self { forward: coefficient.clone(), backward: coefficient, sideways: None }
    }

    pub(crate) fn at(&self, now: &Now) -> Friction {
        // A curve may overshoot between keys that are fine themselves.
        let coefficient = |number: &Number| number.value(now.end_frame).max(0.0);
        let (forward, backward) = (coefficient(&self.forward), coefficient(&self.backward));
        let sideways = self.sideways.as_ref().map_or(forward.max(backward), coefficient);
        Friction { forward, backward, sideways }
    }
}

impl Default for FrictionTrack {
    fn default() -> Self {
        let Friction { forward, backward, sideways } = Friction::default();
        Self { forward: forward.into(), backward: backward.into(), sideways: Some(sideways.into()) }
    }
}

/// Which solver moves a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    ShapeMatching(ShapeMatchingParams),
    Fem(FemParams),
    Springs(SpringsParams),
}

impl Method {
    /// The solver's name as scenes write it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ShapeMatching(_) => "shape_matching",
            Self::Fem(_) => "fem",
            Self::Springs(_) => "springs",
        }
    }

    /// The same for people.
    pub const fn title(&self) -> &'static str {
        match self {
            Self::ShapeMatching(_) => "Shape matching",
            Self::Fem(_) => "FEM",
            Self::Springs(_) => "Springs",
        }
    }

    /// Where its bodies stand on the stage: those of one method together.
    pub(crate) const fn order(&self) -> u8 {
        match self {
            Self::ShapeMatching(_) => 0,
            Self::Fem(FemParams { method: FemMethod::Newton, .. }) => 1,
            Self::Fem(FemParams { method: FemMethod::Descent { .. }, .. }) => 2,
            Self::Springs(_) => 3,
        }
    }

    /// See [`sinew_solve::Seen::force_arm`]. The midpoint rule gives way to Euler's where something is touched.
    pub(crate) fn force_arm(&self, is_free: impl Fn() -> bool) -> f64 {
        match self {
            Self::ShapeMatching(_) => 0.0,
            Self::Fem(FemParams { method: FemMethod::Newton, time: TimeScheme::Midpoint, .. }) if is_free() => 0.5,
            Self::Springs(SpringsParams { method: SpringsMethod::Adaptive, .. }) => 0.5,
            Self::Fem(_) | Self::Springs(_) => 1.0,
        }
    }

    /// Whether its steps minimise an objective, so that bodies of several such methods can be one island.
    pub(crate) const fn is_implicit(&self) -> bool {
        !matches!(self, Self::ShapeMatching(_))
    }
}

/// One body as it comes onto the stage.
pub struct BodySetup {
    pub name: String,
    pub flesh: Arc<Flesh>,
    /// The flesh made ready for painted fields; copies share it.
    pub canvas: Arc<Canvas>,
    pub skin: Arc<Skin>,
    /// Its main colour, which may differ from that of its skin; none leaves it to the one who draws.
    pub colour: Option<[f32; 3]>,
    pub material: Material,
    pub method: Method,
    /// Where its rest frame stands in the world at the start, and how it moves there.
    pub at: DVec3,
    pub turn: DQuat,
    pub velocity: DVec3,
    /// Where its points begin in the rest frame; empty where they begin at rest.
    pub start: Vec<DVec3>,
    pub directors: Vec<DirectorSetup>,
    pub friction: FrictionTrack,
    /// Forward for directed friction; empty where friction has no direction.
    pub friction_along: Arc<Forward>,
    /// Share of its speed that it keeps when it runs into something; 0 leaves that to what it is made of.
    pub restitution: f64,
    /// Whether its parts keep out of each other.
    pub touches_itself: bool,
}

/// A director with its weight over frames.
pub struct DirectorSetup {
    pub name: String,
    pub director: Box<dyn Director>,
    pub weight: Number,
}

impl DirectorSetup {
    pub fn new(name: impl Into<String>, director: impl Director + 'static) -> Self {
        Self { name: name.into(), director: Box::new(director), weight: Number::Constant(1.0) }
    }
}

/// What people see of a body: a surface that follows the flesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// In the body's rest frame.
    pub mesh: TriangleMesh,
    pub embedding: Embedding,
    /// Red, green and blue from 0 to 1 as a screen shows them; none leaves it to the one who draws.
    pub colour: Option<[f32; 3]>,
    /// A colour for each vertex, mixed in between; empty where the skin has one colour.
    pub vertex_colours: Vec<[f32; 3]>,
    /// Share of `colour` in each of them, which a body of another colour replaces by its own; as many as there are of these.
    pub main_shares: Vec<f32>,
    /// Texture coordinates of each triangle's corners, v up; empty where the skin's file gave none.
    pub corner_uvs: Vec<[[f32; 2]; 3]>,
    /// How else the skin's file makes it look; none for skins that sinew makes.
    pub looks: Option<Arc<SkinLooks>>,
}

/// What an imported skin brings along besides its shape, for exports to give back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SkinLooks {
    /// Normals of the vertices in the body's rest frame; empty where the file gave none.
    pub normals: Vec<DVec3>,
    pub looks: Looks,
}

impl Skin {
    /// The flesh's own surface, its vertices in the order of the file that the flesh came from.
    pub fn of_flesh(flesh: &Flesh, colour: Option<[f32; 3]>) -> Self {
        let mut order: Vec<u32> = (0..flesh.surface_rows.len() as u32).collect();
        order.sort_unstable_by_key(|&i| flesh.file_order[flesh.surface_rows[i as usize].0 as usize]);
        let place = sinew_geom::order::inverse(&order);
        let vertices: Vec<u32> = order.iter().map(|&i| flesh.surface_rows[i as usize].0).collect();
        let positions = vertices.iter().map(|&v| flesh.rest[v as usize]).collect();
        let triangles = flesh.surface_triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
        let mesh = TriangleMesh { positions, triangles };
        let embedding = Embedding::of_vertices(&vertices);
        Self::plain(mesh, embedding, colour)
    }

    /// A surface of one colour.
    pub fn plain(mesh: TriangleMesh, embedding: Embedding, colour: Option<[f32; 3]>) -> Self {
        let (vertex_colours, main_shares) = (Vec::new(), Vec::new());
        Self { mesh, embedding, colour, vertex_colours, main_shares, corner_uvs: Vec::new(), looks: None }
    }

    /// The colours of the vertices on a body of this main colour; empty where the skin has one colour.
    pub fn vertex_colours_on(&self, colour: Option<[f32; 3]>) -> Vec<[f32; 3]> {
        let (Some(from), Some(to)) = (self.colour, colour) else { return self.vertex_colours.clone() };
        let mixed = |(mixed, share): (&[f32; 3], &f32)| {
            std::array::from_fn(|n| (mixed[n] + share * (to[n] - from[n])).clamp(0.0, 1.0))
        };
        self.vertex_colours.iter().zip(&self.main_shares).map(mixed).collect()
    }
}

/// Why a stage cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("body {body:?}: {source}")]
    Fem { body: String, source: FemError },
    #[error("body {body:?}: {source}")]
    ShapeMatching { body: String, source: ShapeMatchingError },
    #[error("body {body:?}: {source}")]
    Springs { body: String, source: SpringsError },
    #[error("cannot start {threads} threads")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
}
