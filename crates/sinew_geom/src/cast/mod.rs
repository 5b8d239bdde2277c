//! The built-in cast: bodies to play with, composed from signed distances, for any resolution of skin and flesh.
//!
//! A [`Member`] has a [`Figure`] (its shape and colours). Skins are drawn from the shape by [`crate::extraction`]. Flesh is
//! stuffed into it, or, where a body is thin or long, laid out in rings and layers that follow it, so that few vertices
//! go a long way and a symmetric body moves symmetrically.

mod jellyfish;
mod limb;
mod snail;
mod worm;

use crate::distance::{Distance, Shape};
use crate::extraction::{ExtractionError, extract};
use crate::stuffing::{Fineness, StuffingError, stuff};
use crate::{TetMesh, TriangleMesh};
use rayon::prelude::*;
use sinew_math::DVec3;

/// A member of the cast. Sizes in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    Jellyfish,
    Worm { length_m: f64, radius_m: f64 },
    Snail,
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
}

impl Member {
    pub const WORM: Self = Self::Worm { length_m: 1.0, radius_m: 0.06 };

    pub const ALL: [Self; 3] = [Self::Jellyfish, Self::WORM, Self::Snail];

    pub const fn name(&self) -> &'static str {
        match self {
            Self::Jellyfish => "jellyfish",
            Self::Worm { .. } => "worm",
            Self::Snail => "snail",
        }
    }

    pub fn figure(&self) -> Figure {
        match *self {
            Self::Jellyfish => jellyfish::figure(),
            Self::Worm { length_m, radius_m } => worm::figure(length_m, radius_m),
            Self::Snail => snail::figure(),
        }
    }

    /// Tetrahedra with about `vertices` vertices.
    pub fn flesh(&self, vertices: usize) -> Result<TetMesh, StuffingError> {
        match *self {
            Self::Jellyfish => Ok(jellyfish::flesh(vertices)),
            Self::Worm { length_m, radius_m } => Ok(worm::flesh(length_m, radius_m, vertices)),
            Self::Snail => {
                let figure = self.figure();
                Ok(stuff(&figure.flesh.unwrap_or(figure.shape), Fineness::Vertices(vertices))?.mesh)
            }
        }
    }

    /// A skin with about `vertices` vertices; `colour` takes the place of the member's own, marks stay.
    pub fn skin(&self, vertices: usize, colour: Option<Colour>) -> Result<PaintedSkin, ExtractionError> {
        let figure = self.figure();
        let drawn = extract(&figure.shape, Fineness::Vertices(vertices))?;
        let base = colour.unwrap_or(figure.colour);
        let colours = drawn.mesh.positions.par_iter().map(|x| figure.colour_at(*x, base)).collect();
        Ok(PaintedSkin { mesh: drawn.mesh, normals: drawn.normals, colours })
    }
}

impl Figure {
    fn plain(shape: Shape, colour: u32) -> Self {
        Self { shape, flesh: None, colour: hex(colour), marks: Vec::new() }
    }

    fn marked(mut self, within: Shape, colour: u32, soft_m: f64) -> Self {
        self.marks.push(Mark { within, colour: hex(colour), soft_m });
        self
    }

    fn with_flesh(mut self, flesh: Shape) -> Self {
        self.flesh = Some(flesh);
        self
    }

    fn colour_at(&self, x: DVec3, base: Colour) -> Colour {
        self.marks.iter().fold(base, |under, mark| {
            let share = (0.5 - mark.within.at(x) / mark.soft_m.max(1e-9)).clamp(0.0, 1.0) as f32;
            std::array::from_fn(|n| under[n] + (mark.colour[n] - under[n]) * share)
        })
    }
}

fn hex(colour: u32) -> Colour {
    [16, 8, 0].map(|shift| (colour >> shift & 0xff) as f32 / 255.0)
}
