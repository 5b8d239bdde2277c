//! One surface of a picture, ready to be shown: the skin of a body, a cut through it, glyphs on it, an obstacle.

use crate::skin_field::SkinField;
use crate::texture::SkinTexture;
use sinew_geom::TriangleMesh;
use sinew_geom::section::Section;
use sinew_math::DVec3;
use sinew_render::{Paint, Rgb, Shown};
use std::sync::Arc;

pub(crate) struct Drawn {
    pub mesh: TriangleMesh,
    pub paint: DrawnPaint,
}

pub(crate) enum DrawnPaint {
    Flat(Rgb),
    Vertices(Vec<Rgb>),
    /// Of the picture's field.
    Values(Vec<f64>),
    /// The file's own, by triangle.
    Picture(Arc<SkinTexture>),
}

impl Drawn {
    pub(crate) fn flat(mesh: TriangleMesh, colour: Rgb) -> Self {
        Self { mesh, paint: DrawnPaint::Flat(colour) }
    }

    pub(crate) fn shown(&self, field: Option<&SkinField>) -> Shown<'_> {
        let paint = match (&self.paint, field) {
            (DrawnPaint::Flat(colour), _) => Paint::Flat(*colour),
            (DrawnPaint::Vertices(colours), _) => Paint::Vertices(colours),
            (DrawnPaint::Values(values), Some(field)) => Paint::Field { values, map: field.map, range: field.range },
            (DrawnPaint::Picture(picture), _) => Paint::Picture {
                size: [picture.width, picture.height],
                pixels: &picture.pixels,
                corner_uvs: &picture.corner_uvs,
            },
            // Values come from a field, so that there is one.
            (DrawnPaint::Values(_), None) => Paint::Flat(Rgb::hex(0x7f7f7f)),
        };
        Shown::mesh(&self.mesh, paint)
    }

    /// What is left of it where `side` is negative.
    pub(crate) fn clipped(&self, side: &[f64]) -> Self {
        let section = Section::of_surface(&self.mesh.triangles, side);
        let paint = match &self.paint {
            DrawnPaint::Flat(colour) => DrawnPaint::Flat(*colour),
            DrawnPaint::Picture(picture) => DrawnPaint::Vertices(mixed(&picture.of_vertices(&self.mesh), &section)),
            DrawnPaint::Values(values) => DrawnPaint::Values(section.values(values)),
            DrawnPaint::Vertices(colours) => DrawnPaint::Vertices(mixed(colours, &section)),
        };
        let positions: Vec<DVec3> = section.positions(&self.mesh.positions);
        Self { mesh: TriangleMesh { positions, triangles: section.skin }, paint }
    }
}

/// Colours of vertices at the points of a cut.
fn mixed(colours: &[Rgb], section: &Section) -> Vec<Rgb> {
    let at = section.points.iter().map(|p| {
        let [from, to] = p.ends.map(|v| colours[v as usize]);
        from.mix(to, p.share)
    });
    at.collect()
}
