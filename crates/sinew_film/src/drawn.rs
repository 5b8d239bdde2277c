//! One surface of a picture, ready to be shown: the skin of a body, a cut through it, glyphs on it, an obstacle.

use crate::skin_field::SkinField;
use sinew_geom::TriangleMesh;
use sinew_geom::section::Section;
use sinew_math::DVec3;
use sinew_render::{Paint, Rgb, Shown};

pub(crate) struct Drawn {
    pub mesh: TriangleMesh,
    pub paint: DrawnPaint,
}

pub(crate) enum DrawnPaint {
    Flat(Rgb),
    Vertices(Vec<Rgb>),
    /// Of the picture's field.
    Values(Vec<f64>),
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
            DrawnPaint::Values(values) => DrawnPaint::Values(section.values(values)),
            DrawnPaint::Vertices(colours) => {
                let mixed = section.points.iter().map(|p| {
                    let [from, to] = p.ends.map(|v| colours[v as usize]);
                    from.mix(to, p.share)
                });
                DrawnPaint::Vertices(mixed.collect())
            }
        };
        let positions: Vec<DVec3> = section.positions(&self.mesh.positions);
        Self { mesh: TriangleMesh { positions, triangles: section.skin }, paint }
    }
}
