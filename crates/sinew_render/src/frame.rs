//! What is shown: meshes and their colours, the ground, the light, and how the picture is made.

use crate::{ColourMap, Rgb};
use sinew_geom::TriangleMesh;
use sinew_math::{DVec3, dvec3};

/// One moment to be shown. Everything is in world metres.
#[derive(Debug, Clone, Default)]
pub struct Frame<'a> {
    pub meshes: Vec<Shown<'a>>,
    pub ground: Option<Ground>,
}

/// A mesh as it is at this moment.
#[derive(Debug, Clone)]
pub struct Shown<'a> {
    pub positions: &'a [DVec3],
    pub triangles: &'a [[u32; 3]],
    pub paint: Paint<'a>,
    /// Edges sharper than about this look sharp, all others smooth.
    pub crease_deg: f64,
}

impl<'a> Shown<'a> {
    pub fn new(positions: &'a [DVec3], triangles: &'a [[u32; 3]], paint: Paint<'a>) -> Self {
        Self { positions, triangles, paint, crease_deg: 40.0 }
    }

    pub fn mesh(mesh: &'a TriangleMesh, paint: Paint<'a>) -> Self {
        Self::new(&mesh.positions, &mesh.triangles, paint)
    }
}

/// The colour of a mesh.
#[derive(Debug, Clone)]
pub enum Paint<'a> {
    Flat(Rgb),
    /// One colour per vertex, mixed in between.
    Vertices(&'a [Rgb]),
    /// One value per vertex; values are mixed in between and then coloured. `range` holds the map's two ends.
    Field {
        values: &'a [f64],
        map: ColourMap,
        range: [f64; 2],
    },
    /// A picture, row by row from the top as a screen shows it, and where the corners of each triangle lie on it: from 0 to 1 to
    /// the right and from the top down.
    Picture {
        size: [usize; 2],
        pixels: &'a [[u8; 3]],
        corner_uvs: &'a [[[f32; 2]; 3]],
    },
}

/// Pleasant colours for bodies that have none of their own, told apart by their place in the scene.
pub fn body_colour(index: usize) -> Rgb {
    const COLOURS: [Rgb; 8] = [
        Rgb::hex(0xcfa9dc),
        Rgb::hex(0x7fb8e6),
        Rgb::hex(0xf0a184),
        Rgb::hex(0x8ccfa8),
        Rgb::hex(0xe9c877),
        Rgb::hex(0xe58fa6),
        Rgb::hex(0x9aa5ee),
        Rgb::hex(0x7fcfd0),
    ];
    COLOURS[index % COLOURS.len()]
}

/// The colour of things that are hard: obstacles.
pub const OBSTACLE_COLOUR: Rgb = Rgb::hex(0x8f98a5);

/// A plane of constant height with a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ground {
    pub height_m: f64,
    /// Distance of the strong grid lines; a fifth of it that of the fine ones.
    pub cell_m: f64,
    /// Whether the lines through the origin have the colours of the x and z axes.
    pub axes: bool,
}

impl Ground {
    /// Grid lines a round number of metres apart that suit something `size_m` large.
    pub fn for_size(height_m: f64, size_m: f64) -> Self {
        let wanted = if size_m.is_finite() && size_m > 0.0 { size_m } else { 1.0 };
        let decade = sinew_math::libm::pow(10.0, sinew_math::libm::log10(wanted).floor());
        let cell_m = [5.0, 2.0, 1.0].into_iter().map(|step| step * decade).find(|cell| *cell <= wanted);
        Self { height_m, cell_m: cell_m.unwrap_or(decade), axes: true }
    }
}

/// The key light and how bright the rest is. Where fill and rim light come from is part of the style.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// From the scene towards the light; any length.
    pub direction: DVec3,
    /// Half the angle under which the light is seen: 0.27° is the sun, 10° a large lamp.
    pub softness_deg: f64,
    /// 1 is a well-lit picture.
    pub strength: f64,
    /// Light from everywhere; [`Light::USUAL_AMBIENT`] is a well-lit picture.
    pub ambient: f64,
    /// The lamp's colour; a warm white where none is given.
    pub colour: Option<Rgb>,
}

impl Light {
    pub const USUAL_AMBIENT: f64 = 0.35;
}

impl Default for Light {
    fn default() -> Self {
        Self {
            direction: dvec3(-0.45, 1.0, 0.55),
            softness_deg: 9.0,
            strength: 1.0,
            ambient: Self::USUAL_AMBIENT,
            colour: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Lit surfaces before a dark studio.
    #[default]
    Shaded,
    /// Outlines, creases and mesh edges in ink on paper, hidden lines left out.
    Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Width and height in pixels.
    pub size: [u32; 2],
    pub style: Style,
    /// Samples per pixel for smooth edges: 1, 4, 8 or 16; others are rounded up.
    pub samples: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { size: [640, 360], style: Style::Shaded, samples: 16 }
    }
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    #[error("a picture of {width}×{height} pixels: each side must be 1 to {most}")]
    Size { width: u32, height: u32, most: u32 },
    #[error("a picture of {width}×{height} pixels needs {mb} MB of memory, which are not there")]
    Memory { width: u32, height: u32, mb: u64 },
    #[error("mesh {mesh}: vertex {vertex} is not at a finite place")]
    VertexNotFinite { mesh: usize, vertex: usize },
    #[error("mesh {mesh}: triangle {triangle} names vertex {vertex}, but there are {vertex_count}")]
    VertexOutOfRange { mesh: usize, triangle: usize, vertex: u32, vertex_count: usize },
    #[error("mesh {mesh} has {vertex_count} vertices, but colours for {colour_count}")]
    ColourCount { mesh: usize, vertex_count: usize, colour_count: usize },
    #[error("more than {most} triangles in one picture")]
    TooManyTriangles { most: usize },
    #[error("the camera cannot see: {0}")]
    Camera(&'static str),
    #[error("the light cannot shine: {0}")]
    Light(&'static str),
    #[error("the ground cannot be drawn: {0}")]
    Ground(&'static str),
}

/// Larger pictures than any screen, yet their memory stays within reason.
pub(crate) const LONGEST_SIDE: u32 = 16_384;
/// Surfaces in a sample are numbered by 32 bits, and lines take some of the numbers.
pub(crate) const MOST_TRIANGLES: usize = 200_000_000;

impl Frame<'_> {
    /// Smallest and largest coordinates of all meshes; nothing where there is no vertex.
    pub fn bounds(&self) -> Option<(DVec3, DVec3)> {
        let positions = self.meshes.iter().flat_map(|mesh| mesh.positions);
        positions.fold(None, |bounds, x| {
            let (low, high) = bounds.unwrap_or((*x, *x));
            Some((low.min(*x), high.max(*x)))
        })
    }

    pub(crate) fn check(&self) -> Result<(), RenderError> {
        for (index, mesh) in self.meshes.iter().enumerate() {
            mesh.check(index)?;
        }
        if self.meshes.iter().map(|mesh| mesh.triangles.len()).sum::<usize>() > MOST_TRIANGLES {
            return Err(RenderError::TooManyTriangles { most: MOST_TRIANGLES });
        }
        match self.ground {
            Some(ground) if !ground.height_m.is_finite() => Err(RenderError::Ground("its height is not a number")),
            Some(ground) if !(ground.cell_m.is_finite() && ground.cell_m > 0.0) => {
                Err(RenderError::Ground("its grid cells must be larger than 0 m"))
            }
            _ => Ok(()),
        }
    }
}

impl Shown<'_> {
    fn check(&self, mesh: usize) -> Result<(), RenderError> {
        let vertex_count = self.positions.len();
        if let Some(vertex) = self.positions.iter().position(|x| !x.is_finite()) {
            return Err(RenderError::VertexNotFinite { mesh, vertex });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertex_count) {
                return Err(RenderError::VertexOutOfRange { mesh, triangle, vertex, vertex_count });
            }
        }
        let colour_count = match self.paint {
            Paint::Flat(_) => vertex_count,
            Paint::Vertices(colours) => colours.len(),
            Paint::Field { values, .. } => values.len(),
            // A picture has a place for each corner, or no colour for any vertex.
            Paint::Picture { size: [width, height], pixels, corner_uvs } => {
                let fits = corner_uvs.len() == self.triangles.len() && pixels.len() == width * height;
                if fits && !pixels.is_empty() { vertex_count } else { 0 }
            }
        };
        if colour_count != vertex_count {
            return Err(RenderError::ColourCount { mesh, vertex_count, colour_count });
        }
        Ok(())
    }
}

impl Light {
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        if self.direction.try_normalize().is_none() {
            return Err(RenderError::Light("its direction must have a length"));
        }
        if !(0.0..=60.0).contains(&self.softness_deg) {
            return Err(RenderError::Light("its softness must be 0 to 60 degrees"));
        }
        if !(self.strength.is_finite() && self.strength >= 0.0) {
            return Err(RenderError::Light("its strength must be 0 or more"));
        }
        if !(self.ambient.is_finite() && self.ambient >= 0.0) {
            return Err(RenderError::Light("its ambient part must be 0 or more"));
        }
        Ok(())
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let [width, height] = self.size;
        if width == 0 || height == 0 || width > LONGEST_SIDE || height > LONGEST_SIDE {
            return Err(RenderError::Size { width, height, most: LONGEST_SIDE });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_round_and_suit_their_size() {
        for (size_m, cell_m) in [(1.0, 1.0), (1.99, 1.0), (2.5, 2.0), (7.0, 5.0), (0.013, 0.01), (1.3e6, 1e6)] {
            let ground = Ground::for_size(0.0, size_m);
            assert!((ground.cell_m / cell_m - 1.0).abs() < 1e-12, "{size_m}: {}", ground.cell_m);
        }
        assert_eq!(Ground::for_size(0.0, f64::NAN).cell_m, 1.0);
    }
}
