//! The built-in cast: bodies to play with, composed from signed distances, for any resolution of skin and flesh.
//!
//! A [`Member`] has a [`Figure`] (its shape and colours). Skins are drawn from the shape by [`crate::extraction`]. Flesh is
//! stuffed into it, or, where a body is thin or long, laid out in rings and layers that follow it, so that few vertices
//! go a long way and a symmetric body moves symmetrically.

mod arm;
mod biped;
mod bowel;
mod dragon;
mod hand;
mod head;
mod heart;
mod jellyfish;
mod limb;
mod rabbit;
mod snail;
mod snake;
mod strand;
mod worm;

pub use strand::Strand;

use crate::distance::{Distance, Shape};
use crate::extraction::{ExtractionError, extract};
use crate::stuffing::{Fineness, Inside, StuffingError, Watch, stuff_watched};
use crate::{TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::libm::pow;
use sinew_math::{DQuat, DVec3};
use std::ops::ControlFlow;

/// A member of the cast. Sizes in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    Jellyfish { tentacles: u32 },
    Worm { length_m: f64, radius_m: f64 },
    Snake,
    Snail,
    Heart,
    Bowel,
    Rabbit,
    Dragon,
    Biped,
    Arm,
    Head,
}

/// A colour as people write it: sRGB, each part from 0 to 1.
pub type Colour = [f32; 3];

/// What a member looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub shape: Shape,
    /// What the flesh fills, where that is not the shape itself: thin parts are thicker in it, and details left out.
    pub flesh: Option<Shape>,
    pub colour: Colour,
    /// Later marks lie over earlier ones.
    pub marks: Vec<Mark>,
    /// Parts of the skin that are too thin for its grid.
    pub strands: Vec<Strand>,
}

/// A colour where the surface lies within a shape, fading over `soft_m` at its edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    pub within: Shape,
    pub colour: Colour,
    pub soft_m: f64,
}

/// A skin, with a normal and a colour for every vertex.
#[derive(Debug, Clone, PartialEq)]
pub struct PaintedSkin {
    pub mesh: TriangleMesh,
    pub normals: Vec<DVec3>,
    pub colours: Vec<Colour>,
    /// Share of the member's main colour in each of them; the rest is marks.
    pub main_shares: Vec<f32>,
}

impl Member {
    pub const JELLYFISH: Self = Self::Jellyfish { tentacles: 8 };
    pub const WORM: Self = Self::Worm { length_m: 1.0, radius_m: 0.06 };

    pub const ALL: [Self; 11] = [
        Self::JELLYFISH,
        Self::WORM,
        Self::Snake,
        Self::Snail,
        Self::Heart,
        Self::Bowel,
        Self::Rabbit,
        Self::Dragon,
        Self::Biped,
        Self::Arm,
        Self::Head,
    ];

    pub const fn name(&self) -> &'static str {
        match self {
            Self::Jellyfish { .. } => "jellyfish",
            Self::Worm { .. } => "worm",
            Self::Snake => "snake",
            Self::Snail => "snail",
            Self::Heart => "heart",
            Self::Bowel => "bowel",
            Self::Rabbit => "rabbit",
            Self::Dragon => "dragon",
            Self::Biped => "biped",
            Self::Arm => "arm",
            Self::Head => "head",
        }
    }

    pub fn figure(&self) -> Figure {
        match *self {
            Self::Jellyfish { tentacles } => jellyfish::figure(tentacles),
            Self::Worm { length_m, radius_m } => worm::figure(length_m, radius_m),
            Self::Snake => snake::figure(),
            Self::Snail => snail::figure(),
            Self::Heart => heart::figure(),
            Self::Bowel => bowel::figure(),
            Self::Rabbit => rabbit::figure(),
            Self::Dragon => dragon::figure(),
            Self::Biped => biped::figure(),
            Self::Arm => arm::figure(),
            Self::Head => head::figure(),
        }
    }

    /// Tetrahedra with about `vertices` vertices.
    pub fn flesh(&self, vertices: usize) -> Result<TetMesh, StuffingError> {
        self.flesh_watched(vertices, &|_| ControlFlow::Continue(()))
    }

    /// The same, saying how far it is; it ends when `watch` breaks.
    pub fn flesh_watched(&self, vertices: usize, watch: Watch<'_>) -> Result<TetMesh, StuffingError> {
        match *self {
            Self::Jellyfish { tentacles } => Ok(jellyfish::flesh(tentacles, vertices)),
            Self::Worm { length_m, radius_m } => Ok(worm::flesh(length_m, radius_m, vertices)),
            Self::Snake => Ok(snake::flesh(vertices)),
            Self::Bowel => Ok(bowel::flesh(vertices)),
            Self::Snail | Self::Heart | Self::Rabbit | Self::Dragon | Self::Biped | Self::Arm | Self::Head => {
                let figure = self.figure();
                stuffed(&figure.flesh.unwrap_or(figure.shape), vertices, watch)
            }
        }
    }

    /// A skin with about `vertices` vertices; `colour` takes the place of the member's own, marks stay.
    pub fn skin(&self, vertices: usize, colour: Option<Colour>) -> Result<PaintedSkin, ExtractionError> {
        let figure = self.figure();
        let around = strand::around_for(&figure.strands, vertices);
        let strand_vertices: usize = figure.strands.iter().map(|strand| strand.vertex_count(around)).sum();
        let drawn =
            extract(&figure.shape, Fineness::Vertices(vertices.saturating_sub(strand_vertices).max(vertices / 2)))?;
        let base = colour.unwrap_or(figure.colour);
        let colours = drawn.mesh.positions.par_iter().map(|x| figure.colour_at(*x, base)).collect();
        let main_shares = drawn.mesh.positions.par_iter().map(|x| figure.main_share(*x)).collect();
        let mut skin = PaintedSkin { mesh: drawn.mesh, normals: drawn.normals, colours, main_shares };
        figure.strands.iter().for_each(|strand| strand.draw(around, &mut skin));
        Ok(skin)
    }
}

impl Figure {
    fn plain(shape: Shape, colour: u32) -> Self {
        Self { shape, flesh: None, colour: hex(colour), marks: Vec::new(), strands: Vec::new() }
    }

    fn marked(mut self, within: Shape, colour: u32, soft_m: f64) -> Self {
        self.marks.push(Mark { within, colour: hex(colour), soft_m });
        self
    }

    fn with_strands(mut self, strands: impl IntoIterator<Item = Strand>) -> Self {
        self.strands.extend(strands);
        self
    }

    fn with_flesh(mut self, flesh: Shape) -> Self {
        self.flesh = Some(flesh);
        self
    }

    fn colour_at(&self, x: DVec3, base: Colour) -> Colour {
        self.marks.iter().fold(base, |under, mark| {
            let share = mark.share_at(x);
            std::array::from_fn(|n| under[n] + (mark.colour[n] - under[n]) * share)
        })
    }

    fn main_share(&self, x: DVec3) -> f32 {
        self.marks.iter().map(|mark| 1.0 - mark.share_at(x)).product()
    }
}

impl Mark {
    fn share_at(&self, x: DVec3) -> f32 {
        let share = (0.5 - self.within.at(x) / self.soft_m.max(1e-9)).clamp(0.0, 1.0);
        // Eased at both ends: where a fade begins at once, one sees a line.
        (share * share * (3.0 - 2.0 * share)) as f32
    }
}

/// Stuffs a shape so that the count comes within a hundredth or so of what is wanted: counts leap as cells grow, so many
/// sizes near the first answer are tried, the nearest first.
fn stuffed(shape: &Shape, wanted: usize, watch: Watch<'_>) -> Result<TetMesh, StuffingError> {
    const CLOSE: f64 = 0.012;
    const TRIES: i32 = 24;
    const STEP: f64 = 0.003;
    const FIRST: f64 = 0.7;
    let first = stuff_watched(shape, Fineness::Vertices(wanted), Inside::Even, &|share| watch(FIRST * share))?;
    let off = |mesh: &TetMesh| mesh.positions.len() as f64 / wanted as f64 - 1.0;
    // Counts go down about with the cell's size to the power of two and a half.
    let middle_m = first.report.cell_m * pow(1.0 + off(&first.mesh), 0.4);
    let mut best = first.mesh;
    for n in 0..TRIES {
        if off(&best).abs() <= CLOSE {
            break;
        }
        let side = if n % 2 == 0 { 1.0 } else { -1.0 };
        let cell_m = middle_m * (1.0 + side * STEP * f64::from((n + 1) / 2));
        let done = FIRST + (1.0 - FIRST) * f64::from(n) / f64::from(TRIES);
        match stuff_watched(shape, Fineness::CellM(cell_m), Inside::Even, &|_| watch(done)) {
            Ok(found) if off(&found.mesh).abs() < off(&best).abs() => best = found.mesh,
            Err(StuffingError::Stopped) => return Err(StuffingError::Stopped),
            _ => {}
        }
    }
    Ok(best)
}

/// What lies at positive z, and its mirror image.
fn right_and_left(shape: &Shape) -> Shape {
    let quarter = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    shape.clone().turned(quarter).mirrored().turned(quarter.conjugate())
}

fn hex(colour: u32) -> Colour {
    [16, 8, 0].map(|shift| (colour >> shift & 0xff) as f32 / 255.0)
}
