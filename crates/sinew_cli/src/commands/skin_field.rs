//! Numbers on a skin that `sinew render --field` paints: how fast it moves, how far it is stretched, what its muscles ask for.

use crate::args::RenderField;
use crate::failure::Failure;
use sinew::bake::{Playback, Stage};
use sinew::geom::TriangleMesh;
use sinew::math::DVec3;
use sinew::render::ColourMap;
use sinew::solve::{BodyId, Look, Shown};
use std::ops::RangeInclusive;

/// A field with the two ends of its colours, the same in every frame of a film.
pub(crate) struct SkinField {
    kind: RenderField,
    pub map: ColourMap,
    pub range: [f64; 2],
}

impl SkinField {
    /// Looks through all frames for the largest value.
    pub(crate) fn over(
        kind: RenderField,
        playback: &mut Playback,
        frames: RangeInclusive<i32>,
    ) -> Result<Self, Failure> {
        let mut field = Self { kind, map: ColourMap::Viridis, range: [0.0, 1.0] };
        let mut largest = 0.0f64;
        for frame in frames {
            for values in field.values(playback, frame)? {
                largest = values.iter().fold(largest, |largest, value| match kind {
                    RenderField::Speed => largest.max(*value),
                    RenderField::Stretch => largest.max((value - 1.0).abs()),
                    _ => largest.max(value.abs()),
                });
            }
        }
        let largest = if largest > 0.0 { largest } else { 1.0 };
        (field.map, field.range) = match kind {
            RenderField::Speed => (ColourMap::Viridis, [0.0, largest]),
            RenderField::Stretch => (ColourMap::Signed, [1.0 - largest, 1.0 + largest]),
            RenderField::Contraction => (ColourMap::Contraction, [-largest, largest]),
            RenderField::Excitation => (ColourMap::Inferno, [0.0, 1.0]),
            RenderField::Layer => (ColourMap::Layer, [0.0, 1.0]),
            RenderField::Amplitude => (ColourMap::Amplitude, [-1.0, 1.0]),
            RenderField::Phase => (ColourMap::Phase, [0.0, 1.0]),
        };
        Ok(field)
    }

    /// A value for each vertex of each body's skin. The frame is shown afterwards.
    pub(crate) fn values(&self, playback: &mut Playback, frame: i32) -> Result<Vec<Vec<f64>>, Failure> {
        let bodies = playback.built.stage.bodies().len();
        let look = match self.kind {
            RenderField::Speed | RenderField::Stretch => None,
            RenderField::Contraction => Some(Look::Contraction),
            RenderField::Excitation => Some(Look::Excitation),
            RenderField::Layer => Some(Look::Layer),
            RenderField::Amplitude => Some(Look::Amplitude),
            RenderField::Phase => Some(Look::Phase),
        };
        if let Some(look) = look {
            playback.show(frame)?;
            return Ok((0..bodies).map(|body| muscle_values(&playback.built.stage, body, look, frame)).collect());
        }
        match self.kind {
            RenderField::Speed => {
                // The way since the frame before; of the first frame, the way to the next.
                let recorded = playback.frames()?;
                let other = if frame > *recorded.start() { frame - 1 } else { (frame + 1).min(*recorded.end()) };
                playback.show(other)?;
                let then: Vec<Vec<DVec3>> = (0..bodies).map(|body| playback.skin(body)).collect();
                playback.show(frame)?;
                let (frames, secs) = playback.built.stage.clock().fps;
                let per_sec = f64::from(frames) / f64::from(secs);
                let speed = |body: usize| {
                    let now = playback.skin(body);
                    now.iter().zip(&then[body]).map(|(now, then)| now.distance(*then) * per_sec).collect()
                };
                Ok((0..bodies).map(speed).collect())
            }
            _ => {
                playback.show(frame)?;
                let stretch = |body: usize| {
                    let rest = &playback.built.stage.bodies()[body].skin.mesh;
                    let now = TriangleMesh { positions: playback.skin(body), triangles: rest.triangles.clone() };
                    let ratio = |(now, rest): (&f64, &f64)| if *rest > 0.0 { (now / rest).sqrt() } else { 1.0 };
                    now.vertex_areas().iter().zip(&rest.vertex_areas()).map(ratio).collect()
                };
                Ok((0..bodies).map(stretch).collect())
            }
        }
    }
}

/// What a body's muscles look like on its skin; zero where it has none.
fn muscle_values(stage: &Stage, body: usize, look: Look, frame: i32) -> Vec<f64> {
    let on = &stage.bodies()[body];
    let shown = stage.look(BodyId(body as u32), look, stage.clock().tick_of(frame), None);
    let Some(Shown::Numbers(numbers)) = shown else { return vec![0.0; on.skin.mesh.positions.len()] };
    on.skin.embedding.rows.values(&numbers)
}
