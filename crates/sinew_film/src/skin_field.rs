//! Numbers on a skin that pictures are coloured by: how fast it moves, how far it is stretched, what its muscles ask for.

use crate::FilmError;
use sinew_bake::{Playback, Stage};
use sinew_geom::TriangleMesh;
use sinew_math::DVec3;
use sinew_render::ColourMap;
use sinew_solve::{BodyId, Look, Shown};
use std::ops::RangeInclusive;

/// What skins can be coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// How fast they move.
    Speed,
    /// How far they are stretched: the root of their area over that at rest.
    Stretch,
    /// How much shorter or longer muscles ask tissue to be along its fibres.
    Contraction,
    /// How strongly muscles act.
    Excitation,
    Layer,
    Amplitude,
    Phase,
}

impl FieldKind {
    pub const ALL: [Self; 7] =
        [Self::Speed, Self::Stretch, Self::Contraction, Self::Excitation, Self::Layer, Self::Amplitude, Self::Phase];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Stretch => "stretch",
            Self::Contraction => "contraction",
            Self::Excitation => "excitation",
            Self::Layer => "layer",
            Self::Amplitude => "amplitude",
            Self::Phase => "phase",
        }
    }
}

/// A field with the two ends of its colours, the same in every frame of a film.
pub(crate) struct SkinField {
    kind: FieldKind,
    pub map: ColourMap,
    pub range: [f64; 2],
}

impl SkinField {
    /// Looks through all frames for the largest value.
    pub(crate) fn over(
        kind: FieldKind,
        playback: &mut Playback,
        frames: RangeInclusive<i32>,
    ) -> Result<Self, FilmError> {
        let mut field = Self { kind, map: ColourMap::Viridis, range: [0.0, 1.0] };
        let mut largest = 0.0f64;
        for frame in frames {
            for values in field.values(playback, frame)? {
                largest = values.iter().fold(largest, |largest, value| match kind {
                    FieldKind::Speed => largest.max(*value),
                    FieldKind::Stretch => largest.max((value - 1.0).abs()),
                    _ => largest.max(value.abs()),
                });
            }
        }
        let largest = if largest > 0.0 { largest } else { 1.0 };
        (field.map, field.range) = match kind {
            FieldKind::Speed => (ColourMap::Viridis, [0.0, largest]),
            FieldKind::Stretch => (ColourMap::Signed, [1.0 - largest, 1.0 + largest]),
            FieldKind::Contraction => (ColourMap::Contraction, [-largest, largest]),
            FieldKind::Excitation => (ColourMap::Inferno, [0.0, 1.0]),
            FieldKind::Layer => (ColourMap::Layer, [0.0, 1.0]),
            FieldKind::Amplitude => (ColourMap::Amplitude, [-1.0, 1.0]),
            FieldKind::Phase => (ColourMap::Phase, [0.0, 1.0]),
        };
        Ok(field)
    }

    /// A value for each vertex of each body's skin. The frame is shown afterwards.
    pub(crate) fn values(&self, playback: &mut Playback, frame: i32) -> Result<Vec<Vec<f64>>, FilmError> {
        let bodies = playback.built.stage.bodies().len();
        let look = match self.kind {
            FieldKind::Speed | FieldKind::Stretch => None,
            FieldKind::Contraction => Some(Look::Contraction),
            FieldKind::Excitation => Some(Look::Excitation),
            FieldKind::Layer => Some(Look::Layer),
            FieldKind::Amplitude => Some(Look::Amplitude),
            FieldKind::Phase => Some(Look::Phase),
        };
        if let Some(look) = look {
            playback.show(frame)?;
            return Ok((0..bodies).map(|body| muscle_values(&playback.built.stage, body, look, frame)).collect());
        }
        match self.kind {
            FieldKind::Speed => {
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
